//! Eight processors of a network of bytes and their host, with the core that they share.

use super::layout::{data, queues, ring, HOST_MEMORY, ROOM_BITS, WORD_BITS};
use super::{HostPort, SharedMemory};
use crate::bytes::ByteMailbox;
use crate::core::SoftCore;
use crate::tdma::COUNT_BITS;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Bits of the address of a node, and the nodes.
const DIMS: usize = ByteProcessors::DIMS;
const NODES: usize = 1 << DIMS;

/// Contexts of the core are the nodes and, after them, the host.
const CONTEXT_BITS: usize = DIMS + 1;
const HOST: u64 = NODES as u64;
const REGISTER_BITS: usize = CONTEXT_BITS + 5;

/// Where queues and data of the nodes are, and the ring.
const QUEUES: u64 = queues(DIMS, ROOM_BITS);
const NODE_DATA: u64 = data(DIMS, ROOM_BITS);
const RING: u64 = ring(DIMS);

/// Number of the word at an offset.
const fn word(offset: u64) -> u64 {
    offset >> 2
}

/// The processors of eight nodes of any network that takes and gives bytes, as programs:
/// a core that does one instruction of one of nine contexts at a turn, the memory of all,
/// the host's [`HostPort`] and a [`ByteMailbox`].
///
/// The memory is laid out as that of a [`SharedNodes`](super::SharedNodes). A node sees its
/// program at 0 (2 KB, one program for all), 128 bytes of data at 0x1000_0000, the queue
/// of its messages at 0x1000_1000, the host's ring at 0x1000_2000, and at 0x4000_0000 its
/// registers (for C, `firmware/include/net_port.h`). A register takes two clock cycles, a
/// word of memory, too.
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0x0 STATUS | r | below |
/// | 0x4 SEND | w | bits 7:0 go to the network, if it is free for a byte |
/// | 0x8 TAKE | w | the byte that has come is taken |
/// | 0xC RING | r | STATUS, and if there is room the node has this place of the ring |
/// | 0xC RING | w | the message of the queue is sent: the next one is due |
///
/// | bits | | |
/// | --- | --- | --- |
/// | 7:0 | BYTE | the byte that has come |
/// | 8 | CAME | there is one |
/// | 9 | FREE | the network is free for a byte |
/// | 10 | OFFERED | a run is under way, and the queue has a message |
/// | 11 | ROOM | there is room in the ring |
/// | 14:12 | NODE | the number of the node |
/// | 18:16 | PLACE | where the message is in the queue |
/// | 23:20 | RING | which place of the ring is next |
///
/// A node that sleeps (`wfi`) goes on when a byte has come for it, or when the network is
/// free for a byte and a message is in its queue.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteProcessors {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: a run is under way, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    /// What the network counts; the host reads it in the upper half of its TIME.
    pub count: Signal<In, Bits<COUNT_BITS>>,
    /// The wires of the processors' channels, as of [`ByteMailbox`].
    pub send_data: Signal<Out, Bits<8>>,
    pub send_request: Signal<Out, Bits<NODES>>,
    pub send_acknowledge: Signal<In, Bits<NODES>>,
    pub receive_data: [Signal<In, Bits<8>>; NODES],
    pub receive_request: Signal<In, Bits<NODES>>,
    pub receive_acknowledge: Signal<Out, Bits<NODES>>,
    core: SoftCore<CONTEXT_BITS, REGISTER_BITS>,
    host: HostPort<NODES, DIMS>,
    memory: SharedMemory<0, 1>,
    mailbox: ByteMailbox<NODES, DIMS>,
    /// The word of the memory is there.
    fetched: Reg<Bit>,
    /// The node's register is there.
    answered: Reg<Bit>,
    stopped: Reg<Bit>,
    place: Signal<Local, Bits<WORD_BITS>>,
    status: Signal<Local, Bits<32>>,
}

impl ByteProcessors {
    /// Bits of the address of a node.
    pub const DIMS: usize = 3;

    /// `memory` are the words that it begins with, as
    /// `phasecube::program::BoardMemory` has them.
    ///
    /// # Panics
    /// If there are more than 2,048.
    pub fn new(memory: &[u32]) -> Self {
        ByteProcessors {
            host: HostPort::new(),
            memory: SharedMemory::new(memory),
            ..Default::default()
        }
    }
}

impl Logic for ByteProcessors {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, core, host, memory, mailbox);
        dff_setup!(self, clock, fetched, answered, stopped);
        let current = self.core.current.val();
        let is_host = current == HOST;
        let node = current.resized::<DIMS>();

        // The core and what it reaches.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let writes = self.core.write_strobe.val().any();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let fetched = self.fetched.q.val();
        let answered = self.answered.q.val();
        self.core.context.next = if is_host {
            bits::<CONTEXT_BITS>(0)
        } else {
            current + 1
        };
        self.core.reset.next = false;
        self.core.go.next = true;
        self.fetched.d.next = request & !to_port & !fetched;
        self.answered.d.next = request & to_port & !is_host & !answered;
        if self.core.halted.val() {
            self.stopped.d.next = true;
        }

        // The memory.
        let address = (bus >> 2).resized::<WORD_BITS>();
        let own = node.resized::<WORD_BITS>() << 5;
        self.place.next = if is_host {
            address ^ HOST_MEMORY
        } else if to_data & bus.get_bit(12) {
            (own | QUEUES) | (address & 0x1F)
        } else if to_data & bus.get_bit(13) {
            bits::<WORD_BITS>(RING) | (address & 0x3F)
        } else if to_data {
            (own | NODE_DATA) | (address & 0x1F)
        } else {
            address & 0x1FF
        };
        self.memory.address.next = self.place.val();
        join!(self, core, memory, write_data);
        self.memory.write_strobe.next = if request & !to_port & !fetched & (is_host | to_data) {
            self.core.write_strobe.val()
        } else {
            0.into()
        };

        // The network.
        let register = (bus >> 2).resized::<2>();
        let written = answered & writes;
        self.mailbox.node.next = node;
        self.mailbox.data.next = self.core.write_data.val().resized();
        self.mailbox.send.next = written & (register == word(0x4));
        self.mailbox.take.next = written & (register == word(0x8));
        link!(self, mailbox, send_data, send_request, send_acknowledge);
        for i in 0..NODES {
            self.mailbox.receive_data[i].next = self.receive_data[i].val();
        }
        link!(self, mailbox, receive_request, receive_acknowledge);

        // The host.
        let room = self.host.room.val();
        let to_ring = answered & (register == word(0xC));
        self.host.request.next = request & to_port & is_host;
        self.host.offset.next = bus.resized();
        self.host.write.next = writes;
        join!(self, core, host, write_data);
        link!(self, host, rx, tx);
        self.host.node.next = node;
        self.host.taken.next = to_ring & writes;
        self.host.arrived.next = to_ring & !writes & room;
        self.host.halted.next = self.stopped.q.val();
        self.host.under_way.next = self.host.run.val();
        self.host.superframe.next = self.count.val();
        // There is no schedule.
        self.host.begin.next = false;
        self.host.phase.next = 0.into();
        self.host.first.next = false;
        self.host.last.next = false;
        self.host.outcome.next = 0.into();
        self.host.late.next = false;
        // Nor does the host look at programs, or start them anew.
        self.host.restarts.next = false;
        self.host.seen.next = 0.into();
        self.led.next =
            (self.host.lights.val().resized::<8>() << 1).replace_bit(0, self.host.run.val());

        // What a node reads, and what wakes it.
        let offered = self.host.valid.val() & self.host.run.val();
        let free = self.mailbox.free.val();
        let came = self.mailbox.present.val();
        self.status.next = self.mailbox.byte.val().resized::<32>()
            | (node.resized::<32>() << 12)
            | (self.host.place.val().resized::<32>() << 16)
            | (self.host.arrival.val().resized::<32>() << 20);
        self.core.read_data.next = if fetched {
            self.memory.read_data.val()
        } else if is_host {
            self.host.read_data.val()
        } else {
            self.status
                .val()
                .replace_bit(8, came)
                .replace_bit(9, free)
                .replace_bit(10, offered)
                .replace_bit(11, room)
        };
        self.core.ready.next = fetched | answered | self.host.ready.val();
        self.core.wake.next = if is_host {
            self.host.wake.val()
        } else {
            came | (free & offered)
        };
    }
}

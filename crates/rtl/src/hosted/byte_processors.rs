//! The eight processors of a network of bytes and their host, with the core that they share.

use super::layout::{data_start, queues_start, ring_start, HOST_MEMORY, NODE_DATA_BITS, WORD_BITS};
use super::{HostPort, SharedMemory};
use crate::bytes::ByteMailbox;
use crate::core::SoftCore;
use crate::tdma::COUNT_BITS;
use crate::word_index;
use hdl::prelude::*;

/// Bits of the address of a node, and number of nodes.
const DIMS: usize = ByteProcessors::DIMS;
const NODES: usize = 1 << DIMS;

/// The contexts of the core are the nodes, followed by the host.
const CONTEXT_BITS: usize = DIMS + 1;
const HOST: u64 = NODES as u64;
const REGISTER_BITS: usize = CONTEXT_BITS + 5;

/// Word addresses of the queues and data of the nodes, and of the ring.
const QUEUES: u64 = queues_start(DIMS, NODE_DATA_BITS);
const NODE_DATA: u64 = data_start(DIMS, NODE_DATA_BITS);
const RING: u64 = ring_start(DIMS);

/// The processors of eight nodes, as programs, for any network that transfers bytes. The block has
/// a core that executes one instruction of one of nine contexts per turn, the memory of all
/// contexts, the host's [`HostPort`] and a [`ByteMailbox`].
///
/// The memory layout is the same as in [`TimeMultiplexedNodes`](super::TimeMultiplexedNodes). A node sees its program
/// at 0 (2 KB, one program for all nodes) and 128 bytes of data at 0x1000_0000. Its message queue
/// is at 0x1000_1000 and the host's ring at 0x1000_2000. Its registers are at 0x4000_0000 (for C,
/// `firmware/include/net_port.h`). An access to a register or a word of memory takes two clock
/// cycles.
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0x0 STATUS | r | below |
/// | 0x4 SEND | w | bits 7:0 are sent to the network, if it can accept a byte |
/// | 0x8 TAKE | w | takes the byte that has arrived |
/// | 0xC RING | r | STATUS; if there is room, also reserves slot RING for the node |
/// | 0xC RING | w | the message of the queue is sent: advances to the next one |
///
/// | bits | | |
/// | --- | --- | --- |
/// | 7:0 | BYTE | the byte that has arrived |
/// | 8 | CAME | a byte has arrived |
/// | 9 | FREE | the network can accept a byte |
/// | 10 | OFFERED | a run is in progress, and the queue holds a message |
/// | 11 | ROOM | there is room in the ring |
/// | 14:12 | NODE | the number of the node |
/// | 18:16 | PLACE | the slot of the message in the queue |
/// | 23:20 | RING | the next slot of the ring |
///
/// A sleeping node (`wfi`) wakes when a byte has arrived for it, or when the network can accept a
/// byte and its queue holds a message.
#[derive(LogicBlock, Circuit, Default)]
pub struct ByteProcessors {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: a run is in progress, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    /// Counter of the network; the host reads it in the upper half of its TIME.
    pub count: Signal<In, Bits<COUNT_BITS>>,
    /// Wires of the processors' channels; see [`ByteMailbox`].
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
    /// The word of the memory has arrived.
    fetched: Reg<Bit>,
    /// The node's register has been read or written.
    answered: Reg<Bit>,
    stopped: Reg<Bit>,
    word_address: Signal<Local, Bits<WORD_BITS>>,
    status: Signal<Local, Bits<32>>,
}

impl ByteProcessors {
    /// Bits of the address of a node.
    pub const DIMS: usize = 3;

    /// Makes the block. `memory` holds the initial words, as in `machine::program::BoardMemory`.
    ///
    /// # Panics
    /// If there are more than 2,048 words.
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

        // The core and its bus.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let writes = self.core.write_strobe.val().any();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let fetched = self.fetched.q.val();
        let answered = self.answered.q.val();
        self.core.context.next = if is_host { bits::<CONTEXT_BITS>(0) } else { current + 1 };
        self.core.reset.next = false;
        self.core.go.next = true;
        self.fetched.d.next = request & !to_port & !fetched;
        self.answered.d.next = request & to_port & !is_host & !answered;
        if self.core.halted.val() {
            self.stopped.d.next = true;
        }

        // Memory address and write strobe.
        let address = (bus >> 2).resized::<WORD_BITS>();
        let node_base = node.resized::<WORD_BITS>() << 5;
        self.word_address.next = if is_host {
            address ^ HOST_MEMORY
        } else if to_data & bus.get_bit(12) {
            (node_base | QUEUES) | (address & 0x1F)
        } else if to_data & bus.get_bit(13) {
            bits::<WORD_BITS>(RING) | (address & 0x3F)
        } else if to_data {
            (node_base | NODE_DATA) | (address & 0x1F)
        } else {
            address & 0x1FF
        };
        self.memory.address.next = self.word_address.val();
        link!(core -> memory: write_data);
        self.memory.write_strobe.next = if request & !to_port & !fetched & (is_host | to_data) {
            self.core.write_strobe.val()
        } else {
            0.into()
        };

        // Access to the network.
        let register = (bus >> 2).resized::<2>();
        let written = answered & writes;
        self.mailbox.node.next = node;
        self.mailbox.data.next = self.core.write_data.val().resized();
        self.mailbox.send.next = written & (register == word_index(0x4));
        self.mailbox.take.next = written & (register == word_index(0x8));
        link!(mailbox -> self: send_data, send_request);
        link!(self -> mailbox: send_acknowledge);
        for i in 0..NODES {
            self.mailbox.receive_data[i].next = self.receive_data[i].val();
        }
        link!(self -> mailbox: receive_request);
        link!(mailbox -> self: receive_acknowledge);

        // Access to the host's registers.
        let room = self.host.room.val();
        let to_ring = answered & (register == word_index(0xC));
        self.host.access.request.next = request & to_port & is_host;
        self.host.access.offset.next = bus.resized();
        self.host.access.write.next = writes;
        link!(core -> host.access: write_data);
        link!(self -> host.access: rx);
        link!(host.access -> self: tx);
        self.host.node.next = node;
        self.host.taken.next = to_ring & writes;
        self.host.arrived.next = to_ring & !writes & room;
        self.host.schedule.halted.next = self.stopped.q.val();
        self.host.schedule.is_running.next = self.host.control.run.val();
        self.host.schedule.superframe.next = self.count.val();
        // This machine has no schedule.
        self.host.begin.next = false;
        self.host.schedule.phase.next = 0.into();
        self.host.first.next = false;
        self.host.last.next = false;
        self.host.outcome.next = 0.into();
        self.host.missed_deadline.next = false;
        // The host neither watches nor restarts programs.
        self.host.control.restarts.next = false;
        self.host.control.seen.next = 0.into();
        self.led.next = (self.host.control.lights.val().resized::<8>() << 1)
            .replace_bit(0, self.host.control.run.val());

        // Read data and wake-up.
        let offered = self.host.valid.val() & self.host.control.run.val();
        let free = self.mailbox.free.val();
        let came = self.mailbox.present.val();
        self.status.next = self.mailbox.byte.val().resized::<32>()
            | (node.resized::<32>() << 12)
            | (self.host.slot.val().resized::<32>() << 16)
            | (self.host.arrival.val().resized::<32>() << 20);
        self.core.read_data.next = if fetched {
            self.memory.read_data.val()
        } else if is_host {
            self.host.access.read_data.val()
        } else {
            self.status
                .val()
                .replace_bit(8, came)
                .replace_bit(9, free)
                .replace_bit(10, offered)
                .replace_bit(11, room)
        };
        self.core.ready.next = fetched | answered | self.host.access.ready.val();
        self.core.wake.next =
            if is_host { self.host.control.wake.val() } else { came | (free & offered) };
    }
}

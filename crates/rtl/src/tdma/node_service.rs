//! The part of a soft node that nodes with one core share.

use super::address_links::{class_bits, inverted};
use super::buffers::{byte_address, injection_buffer};
use super::{
    CommandSource, DeliveryReason, DmaCopy, EnginePlan, FromHost, NodeSeen, SelectedBufferIn,
    ToHost, COUNT_BITS, PHASE_BITS, SLOT_BITS,
};
use crate::word_index;
use hdl::prelude::*;

/// Connects a core to a node: the registers of [`NodePort`], the DMA copy unit for whole messages, and the
/// conversion between words and bytes.
///
/// It holds no state of a node, so nodes with a shared core share it too. Its inputs from the node
/// must then belong to the core's current context.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeService<
    const LINKS: usize,
    const BITS: usize,
    const BUFFERS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Clock enable: the clock cycle and the inputs from the node belong to the node. No commands
    /// are issued in other clock cycles. Always high if the node is not time-multiplexed.
    pub turn: Signal<In, Bit>,
    /// The core requests a register of the node; held until `ready`.
    pub request: Signal<In, Bit>,
    /// The core requests a word of its byte-wide data memory; held until `ready`.
    pub data: Signal<In, Bit>,
    /// Offset of the register in bytes.
    pub offset: Signal<In, Bits<7>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access completes.
    pub ready: Signal<Out, Bit>,
    /// Data read; valid while `ready` is high.
    pub read_data: Signal<Out, Bits<32>>,
    /// Index of the requested byte within the data word.
    pub byte_index: Signal<Out, Bits<2>>,
    /// Value to write to that byte.
    pub byte: Signal<Out, Bits<8>>,
    /// Writes that byte.
    pub byte_write: Signal<Out, Bit>,
    /// Value read from that byte, one clock cycle later.
    pub byte_read: Signal<In, Bits<8>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// State of the node, from [`NodePeripheral`](super::NodePeripheral).
    pub node: NodeSeen<LINKS, BUFFERS>,
    pub buffer: SelectedBufferIn<OFFSET_BITS>,
    /// Number of times the node lost sync.
    pub slips: Signal<In, Bits<COUNT_BITS>>,
    /// Number of superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// Address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub commands: CommandSource<ADDRESS_BITS>,
    pub host: FromHost,
    /// The byte requested from the host has arrived.
    pub host_ready: Signal<In, Bit>,
    /// A message is requested from the host.
    pub host_wanted: Signal<Out, Bit>,
    /// The host can accept a message.
    pub host_room: Signal<In, Bit>,
    /// The host may be unable to accept a message from every node.
    pub host_crowded: Signal<In, Bit>,
    /// High for one clock cycle: the delivery of a message begins.
    pub out_begun: Signal<Out, Bit>,
    pub out: ToHost,
    /// Buffer of the message being delivered.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    port: NodePort<LINKS, BITS, BUFFERS>,
    dma: DmaCopy<OFFSET_BITS>,
    words: WordAccess,
    byte_offset: Signal<Local, Bits<OFFSET_BITS>>,
    is_pool: Parameter<Bit>,
    /// The injection buffer is full.
    taken: Signal<Local, Bit>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const BUFFERS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > NodeService<LINKS, BITS, BUFFERS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes the service of a node with this plan.
    pub fn new(plan: EnginePlan) -> Self {
        NodeService {
            port: NodePort::new(plan),
            is_pool: Parameter::new(plan.pool),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const BUFFERS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for NodeService<LINKS, BITS, BUFFERS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, port, dma, words);
        let turn = self.turn.val();
        link!(self -> port: turn);
        link!(self -> dma: turn);
        link!(self -> words: turn);
        let write = self.write_strobe.val().any();
        link!(self -> port: request, offset);
        self.port.write.next = write;
        link!(self -> port: write_data, begin, node, superframe, slips, address);
        link!(self -> port: host_room, host_crowded);
        self.port.host_valid.next = self.host.valid.val();
        let access = self.port.access.val();
        let taking = self.port.take.val();
        let selected = self.buffer.selected.val();
        let is_pool = self.is_pool.val();

        self.words.go.next = access | self.data.val();
        link!(self -> words: write_data, write_strobe);
        self.words.read_byte.next =
            if self.data.val() { self.byte_read.val() } else { self.buffer.message_byte.val() };
        let index = self.words.index.val();
        self.byte_index.next = index;
        self.byte.next = self.words.write_byte.val();
        self.byte_write.next = self.words.write_enable.val() & self.data.val() & turn;
        let done = self.words.done.val() & turn;
        self.ready.next = self.port.ready.val() | done | self.dma.done.val();
        self.read_data.next =
            if self.words.done.val() { self.words.word.val() } else { self.port.read_data.val() };

        self.taken.next = self.node.injected.val();
        if is_pool {
            self.taken.next = false;
            for number in 0..BUFFERS {
                if selected == number as u64 {
                    self.taken.next = self.node.full.val().get_bit(number);
                }
            }
        }
        self.dma.take.next = taking;
        link!(port -> dma: deliver, legal);
        self.dma.open.next = self.node.open.val() & (self.host_ready.val() | !taking);
        self.dma.host_valid.next = self.host.valid.val() & !self.taken.val();
        self.dma.host_data.next = self.host.data.val();
        self.dma.read_data.next = self.buffer.message_byte.val();
        self.host.index.next = self.dma.host_index.val();
        self.host_wanted.next = taking;
        self.host.taken.next = self.dma.host_taken.val();
        self.out_begun.next = self.dma.begun.val();
        self.out.valid.next = self.dma.out_valid.val();
        self.out.data.next = self.dma.out_data.val();
        self.out.last.next = self.dma.out_last.val();
        self.out.reason.next = self.port.reason.val();
        self.out_slot.next = selected;

        // Commands to the node.
        link!(port -> self.commands: buffer, decide, sends, reopens, choose, position);
        // The memory may close in the clock cycle in which the access completes, so `access` may be low.
        self.commands.advance.next = done & !self.data.val();
        self.commands.forget.next =
            self.dma.begun.val() & (self.port.reason.val() == DeliveryReason::Unknown);
        self.commands.fill.next = self.dma.taken.val() | self.port.fill.val();
        let delivered = self.dma.delivered.val();
        self.commands.free.next = delivered | self.port.release.val();
        self.commands.changed.next = if delivered | (is_pool & self.dma.taken.val()) {
            selected
        } else {
            self.port.buffer.val()
        };
        let slot = if taking & !is_pool {
            bits::<SLOT_BITS>(injection_buffer(LINKS, BITS) as u64)
        } else {
            selected
        };
        self.byte_offset.next = if access {
            self.buffer.at.val() | index.resized::<OFFSET_BITS>()
        } else {
            self.dma.offset.val()
        };
        self.commands.message_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(slot, self.byte_offset.val());
        self.commands.message_data.next =
            if taking { self.dma.write_data.val() } else { self.words.write_byte.val() };
        self.commands.message_write.next =
            self.dma.write_enable.val() | (self.words.write_enable.val() & access & turn);
    }
}

// The memory-mapped registers of a soft node.

/// Width of the counter of clock cycles in a phase.
const CYCLE_BITS: usize = 16;

/// The memory-mapped registers of a node, for the software that decides which message it sends
/// (docs/machine.md, "Registers of a node"; complete list in `firmware/include/node_port.h`).
///
/// Reads return the state of the node, and writes become commands. The node stores the results of
/// commands ([`ServiceState`](super::ServiceState)), so one port can serve many nodes with a shared
/// core. Accesses to TX_DATA and RX_DATA, MOVE and FULL wait until the message memory is `open`.
/// All others take two clock cycles, or end with the node's next clock cycle. A decision contains
/// its phase and has no effect in another phase. A late decision could otherwise apply to another
/// link.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodePort<const LINKS: usize, const BITS: usize, const BUFFERS: usize> {
    pub clock: Signal<In, Clock>,
    /// Clock enable: the clock cycle belongs to the node. Otherwise nothing is read or commanded.
    /// Time-multiplexed nodes have a clock cycle only now and then.
    pub turn: Signal<In, Bit>,
    /// The core requests a register access; held until `ready`.
    pub request: Signal<In, Bit>,
    /// Offset of the register in bytes.
    pub offset: Signal<In, Bits<7>>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Data to write.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access completes. TX_DATA and RX_DATA complete with the word,
    /// MOVE with the DMA copy unit.
    pub ready: Signal<Out, Bit>,
    /// Data read; valid while `ready` is high.
    pub read_data: Signal<Out, Bits<32>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// State of the node, from [`NodePeripheral`](super::NodePeripheral).
    pub node: NodeSeen<LINKS, BUFFERS>,
    /// Number of superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// Number of times the node lost sync.
    pub slips: Signal<In, Bits<COUNT_BITS>>,
    /// Address of the node.
    pub address: Signal<In, Bits<BITS>>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// The host can accept a message.
    pub host_room: Signal<In, Bit>,
    /// The host may be unable to accept a message from every node.
    pub host_crowded: Signal<In, Bit>,
    /// Requests a word of the selected buffer.
    pub access: Signal<Out, Bit>,
    /// To the DMA copy unit: take a message from the host.
    pub take: Signal<Out, Bit>,
    /// To the DMA copy unit: deliver the message of the selected buffer to the host.
    pub deliver: Signal<Out, Bit>,
    /// To the DMA copy unit: the command is allowed.
    pub legal: Signal<Out, Bit>,
    /// Reason for the delivery; valid while `deliver` is high.
    pub reason: Signal<Out, DeliveryReason>,
    /// Buffer that a command refers to.
    pub buffer: Signal<Out, Bits<SLOT_BITS>>,
    /// Command: the injection buffer is now full. Every command is high for one clock cycle.
    pub fill: Signal<Out, Bit>,
    /// Command: `buffer` is now free.
    pub release: Signal<Out, Bit>,
    /// Command: select `buffer`, with its word `position` next.
    pub choose: Signal<Out, Bit>,
    pub position: Signal<Out, Bits<COUNT_BITS>>,
    /// Command: the phase is decided. The node sends the content of `buffer` if `sends`.
    pub decide: Signal<Out, Bit>,
    pub sends: Signal<Out, Bit>,
    /// With `decide`: open the message memory again from the answer slot on, if there is one.
    pub reopens: Signal<Out, Bit>,
    payload_max: Parameter<Bits<8>>,
    acked: Parameter<Bit>,
    turns: Parameter<Bit>,
    /// Number of slots of a pool; 0 without a pool.
    slots: Parameter<Bits<SLOT_BITS>>,
    cycles: Reg<Bits<CYCLE_BITS>>,
    answered: Reg<Bit>,
    value: Signal<Local, Bits<32>>,
    settings: Signal<Local, Bits<32>>,
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize> NodePort<LINKS, BITS, BUFFERS> {
    /// Makes the registers of a node with this plan.
    pub fn new(plan: EnginePlan) -> Self {
        NodePort {
            payload_max: Parameter::new(plan.payload.into()),
            acked: Parameter::new(plan.acked),
            turns: Parameter::new(plan.round_robin),
            slots: Parameter::new((if plan.pool { BUFFERS as u64 } else { 0 }).into()),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const BITS: usize, const BUFFERS: usize> Logic
    for NodePort<LINKS, BITS, BUFFERS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, answered);
        let request = self.request.val();
        let index = self.offset.val() >> 2;
        let write_data = self.write_data.val();
        let open = self.node.open.val();
        let decided = self.node.decided.val();
        let answered = self.answered.q.val();
        let phase = self.node.phase.val();

        // Registers that wait for the message memory.
        let data = (index == word_index(0x08)) | (index == word_index(0x0C));
        let moves = index == word_index(0x50);
        let fills = index == word_index(0x58);
        self.access.next = request & open & data;
        let plain = request & !data & !moves;
        let turn = self.turn.val();
        self.answered.d.next =
            if turn { plain & !answered & (open | !fills) } else { answered | (plain & !fills) };
        self.ready.next = answered & turn;

        // Commands for the DMA copy unit.
        let op = write_data.resized::<2>();
        let same_phase = (write_data >> 24).resized::<PHASE_BITS>() == phase;
        self.take.next = request & moves & (op == 3);
        self.deliver.next = request & moves & (op != 3);
        self.legal.next = self.host_room.val() & ((op == 0) | same_phase);
        self.reason.next = if op == 0 {
            DeliveryReason::Delivered
        } else if op == 1 {
            DeliveryReason::Undelivered
        } else {
            DeliveryReason::Unknown
        };

        // The other commands.
        let written = answered & turn & self.write.val();
        let fill = written & fills;
        self.buffer.next = write_data.resized();
        self.fill.next = fill & write_data.get_bit(SLOT_BITS);
        self.release.next = fill & !write_data.get_bit(SLOT_BITS);
        self.choose.next = written & (index == word_index(0x18));
        self.position.next = (write_data >> (SLOT_BITS as u64)).resized();
        self.decide.next = written & (index == word_index(0x54)) & same_phase;
        self.sends.next = write_data.get_bit(SLOT_BITS);
        self.reopens.next = write_data.get_bit(7) & self.acked.val();

        // Read data.
        let is_pool = self.slots.val().any();
        self.cycles.d.next = if self.begin.val() { 0.into() } else { self.cycles.q.val() + 1 };
        let transmit = self.node.transmit.val();
        let address = self.address.val();
        let turned = if transmit {
            inverted::<LINKS, BITS>(address, self.node.select.val()).resized::<32>()
        } else {
            bits::<32>(0)
        };
        self.settings.next =
            ((phase.resized::<32>() << 24) | (turned << 8) | self.node.dim.val().resized::<32>())
                .replace_bit(4, transmit & self.node.pending.val())
                .replace_bit(5, self.node.down.val())
                .replace_bit(6, decided)
                .replace_bit(7, transmit & self.turns.val());
        let injected =
            bits::<32>(0).replace_bit(injection_buffer(LINKS, BITS), self.node.injected.val());
        let size = (LINKS | (class_bits(LINKS, BITS) << 16)) as u64;
        self.value.next = 0.into();
        if index == word_index(0x00) {
            self.value.next = phase.resized();
        } else if index == word_index(0x10) {
            self.value.next = self.node.outcome.val().resized();
        } else if index == word_index(0x14) {
            self.value.next = self.node.full.val().resized::<32>() | injected;
        } else if index == word_index(0x1C) {
            self.value.next = self.superframe.val().resized();
        } else if index == word_index(0x20) {
            self.value.next = self.slips.val().resized();
        } else if index == word_index(0x40) {
            self.value.next = address.resized();
        } else if index == word_index(0x44) {
            self.value.next = (self.slots.val().resized::<32>() << 24)
                | (self.payload_max.val().resized::<32>() << 8)
                | size;
            self.value.next = self.value.val().replace_bit(18, self.acked.val());
        } else if index == word_index(0x48) {
            self.value.next = self.cycles.q.val().resized();
        } else if index == word_index(0x4C) {
            self.value.next = bits::<32>(0)
                .replace_bit(0, self.host_valid.val())
                .replace_bit(1, self.host_crowded.val())
                .replace_bit(2, self.node.crowded.val());
        } else if is_pool & (index == word_index(0x5C)) {
            self.value.next = self.node.held.val().resized();
        } else if is_pool & (index == word_index(0x60)) {
            self.value.next = self.node.all_down.val().resized::<32>() << 8;
        }
        self.read_data.next =
            if index == word_index(0x04) { self.settings.val() } else { self.value.val() };
    }
}

/// Transfers a 32-bit word from or to a memory of bytes in four accesses, lowest byte first.
///
/// While `go` is held, byte `index` is read and, if its strobe is set, written, one byte per clock
/// cycle of the node. `done` is high in the fifth clock cycle, with the word in `word`. If `go`
/// falls before that, the access starts over.
///
/// A node uses one for its data memory and its message memory: two block RAMs of bytes instead of
/// two of words, and 24 flip-flops.
#[derive(LogicBlock, Circuit, Default)]
pub struct WordAccess {
    pub clock: Signal<In, Clock>,
    /// Clock enable: the clock cycle belongs to the node. In other clock cycles nothing changes.
    /// Time-multiplexed nodes have a clock cycle only now and then.
    pub turn: Signal<In, Bit>,
    /// Requests a word, and the memory is available.
    pub go: Signal<In, Bit>,
    /// Word to write.
    pub write_data: Signal<In, Bits<32>>,
    /// Byte lanes to write; zero for a read.
    pub write_strobe: Signal<In, Bits<4>>,
    /// High for one clock cycle: the access completes.
    pub done: Signal<Out, Bit>,
    /// Word read; valid while `done` is high.
    pub word: Signal<Out, Bits<32>>,
    /// Index of the addressed byte of the word.
    pub index: Signal<Out, Bits<2>>,
    /// To the memory.
    pub write_byte: Signal<Out, Bits<8>>,
    /// To the memory.
    pub write_enable: Signal<Out, Bit>,
    /// From the memory: the byte addressed one clock cycle ago.
    pub read_byte: Signal<In, Bits<8>>,
    count: Reg<Bits<3>>,
    /// Bytes read so far, the latest highest.
    bytes: Reg<Bits<24>>,
    strobed: Signal<Local, Bit>,
}

impl Logic for WordAccess {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count, bytes);
        let count = self.count.q.val();
        let over = count.get_bit(2);
        self.done.next = over;
        self.count.d.next = if self.go.val() & !over { count + 1 } else { bits::<3>(0) };

        let read = self.read_byte.val();
        let bytes = self.bytes.q.val();
        // Outside an access nothing depends on the read data, so a simulator can skip the memory
        // read.
        if count != 0 {
            self.bytes.d.next = (read.resized::<24>() << 16) | (bytes >> 8);
        }
        if !self.turn.val() {
            self.count.d.next = count;
            self.bytes.d.next = bytes;
        }
        self.word.next = (read.resized::<32>() << 24) | bytes.resized::<32>();

        self.index.next = count.resized();
        let data = self.write_data.val();
        let strobe = self.write_strobe.val();
        self.write_byte.next = data.get_bits::<8>(0);
        self.strobed.next = strobe.get_bit(0);
        for i in 1..4 {
            if count.resized::<2>() == i as u64 {
                self.write_byte.next = data.get_bits::<8>(8 * i);
                self.strobed.next = strobe.get_bit(i);
            }
        }
        self.write_enable.next = self.go.val() & !over & self.strobed.val();
    }
}

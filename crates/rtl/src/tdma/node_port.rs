//! The memory-mapped registers of a soft node.

use super::address_links::{class_bits, inverted};
use super::buffer_numbers::injection_buffer;
use super::{DeliveryReason, EnginePlan, NodeSeen, COUNT_BITS, PHASE_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Width of the counter of clock cycles in a phase.
const CYCLE_BITS: usize = 16;

/// Number of the word at a byte offset.
const fn word(offset: u64) -> u64 {
    offset >> 2
}

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
pub struct NodePort<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
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
    pub node: NodeSeen<LINKS, REGISTERS>,
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
    /// High for one clock cycle: the word was read or written.
    pub accessed: Signal<In, Bit>,
    /// To the DMA copy unit: take a message from the host.
    pub take: Signal<Out, Bit>,
    /// To the DMA copy unit: deliver the message of the selected buffer to the host.
    pub hand: Signal<Out, Bit>,
    /// To the DMA copy unit: the command is allowed.
    pub legal: Signal<Out, Bit>,
    /// Reason for the delivery; valid while `hand` is high.
    pub reason: Signal<Out, DeliveryReason>,
    /// Buffer that a command refers to.
    pub register: Signal<Out, Bits<SLOT_BITS>>,
    /// Command: the injection buffer is now full. Every command is high for one clock cycle.
    pub fill: Signal<Out, Bit>,
    /// Command: buffer `register` is now free.
    pub release: Signal<Out, Bit>,
    /// Command: select buffer `register`, with its word `position` next.
    pub choose: Signal<Out, Bit>,
    pub position: Signal<Out, Bits<COUNT_BITS>>,
    /// Command: the phase is decided. The node sends the content of buffer `register` if `sends`.
    pub decide: Signal<Out, Bit>,
    pub sends: Signal<Out, Bit>,
    /// With `decide`: open the message memory again from the answer slot on, if there is one.
    pub reopens: Signal<Out, Bit>,
    payload_max: Parameter<Bits<8>>,
    acked: Parameter<Bit>,
    turns: Parameter<Bit>,
    /// Number of slots of a pool; 0 without a pool.
    places: Parameter<Bits<SLOT_BITS>>,
    cycles: Reg<Bits<CYCLE_BITS>>,
    answered: Reg<Bit>,
    value: Signal<Local, Bits<32>>,
    settings: Signal<Local, Bits<32>>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize>
    NodePort<LINKS, BITS, REGISTERS>
{
    /// Makes the registers of a node with this plan.
    pub fn new(plan: EnginePlan) -> Self {
        NodePort {
            payload_max: Parameter::new(plan.payload.into()),
            acked: Parameter::new(plan.acked),
            turns: Parameter::new(plan.round_robin),
            places: Parameter::new((if plan.pool { REGISTERS as u64 } else { 0 }).into()),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize> Logic
    for NodePort<LINKS, BITS, REGISTERS>
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
        let data = (index == word(0x08)) | (index == word(0x0C));
        let moves = index == word(0x50);
        let fills = index == word(0x58);
        self.access.next = request & open & data;
        let plain = request & !data & !moves;
        let turn = self.turn.val();
        self.answered.d.next = if turn {
            plain & !answered & (open | !fills)
        } else {
            answered | (plain & !fills)
        };
        self.ready.next = answered & turn;

        // Commands for the DMA copy unit.
        let op = write_data.resized::<2>();
        let same_phase = (write_data >> 24).resized::<PHASE_BITS>() == phase;
        self.take.next = request & moves & (op == 3);
        self.hand.next = request & moves & (op != 3);
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
        self.register.next = write_data.resized();
        self.fill.next = fill & write_data.get_bit(SLOT_BITS);
        self.release.next = fill & !write_data.get_bit(SLOT_BITS);
        self.choose.next = written & (index == word(0x18));
        self.position.next = (write_data >> (SLOT_BITS as u64)).resized();
        self.decide.next = written & (index == word(0x54)) & same_phase;
        self.sends.next = write_data.get_bit(SLOT_BITS);
        self.reopens.next = write_data.get_bit(7) & self.acked.val();

        // Read data.
        let is_pool = self.places.val().any();
        self.cycles.d.next = if self.begin.val() {
            0.into()
        } else {
            self.cycles.q.val() + 1
        };
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
        if index == word(0x00) {
            self.value.next = phase.resized();
        } else if index == word(0x10) {
            self.value.next = self.node.outcome.val().resized();
        } else if index == word(0x14) {
            self.value.next = self.node.full.val().resized::<32>() | injected;
        } else if index == word(0x1C) {
            self.value.next = self.superframe.val().resized();
        } else if index == word(0x20) {
            self.value.next = self.slips.val().resized();
        } else if index == word(0x40) {
            self.value.next = address.resized();
        } else if index == word(0x44) {
            self.value.next = (self.places.val().resized::<32>() << 24)
                | (self.payload_max.val().resized::<32>() << 8)
                | size;
            self.value.next = self.value.val().replace_bit(18, self.acked.val());
        } else if index == word(0x48) {
            self.value.next = self.cycles.q.val().resized();
        } else if index == word(0x4C) {
            self.value.next = bits::<32>(0)
                .replace_bit(0, self.host_valid.val())
                .replace_bit(1, self.host_crowded.val())
                .replace_bit(2, self.node.crowded.val());
        } else if is_pool & (index == word(0x5C)) {
            self.value.next = self.node.held.val().resized();
        } else if is_pool & (index == word(0x60)) {
            self.value.next = self.node.all_down.val().resized::<32>() << 8;
        }
        self.read_data.next = if index == word(0x04) {
            self.settings.val()
        } else {
            self.value.val()
        };
    }
}

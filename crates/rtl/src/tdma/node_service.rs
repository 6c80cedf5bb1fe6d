//! The part of a soft node that nodes with one core can share.

use super::register_layout::byte_address;
use super::register_numbers::injection_register;
use super::{
    CommandSource, EnginePlan, FromHost, Mover, NodePort, NodeSeen, Reason, RegisterSeen, ToHost,
    WordAccess, COUNT_BITS, SLOT_BITS,
};
use hdl::cells::Parameter;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// What a core needs to serve a node: the registers of [`NodePort`], the mover of
/// whole messages, and words made of bytes.
///
/// It has no state of a node. Nodes whose software shares a core have one of it:
/// what comes from the node is that of the core's present context.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeService<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// It is a clock cycle of the node's: what comes from the node is that of this clock
    /// cycle. In others nothing is commanded. Always, if the node is not served in turn with
    /// others.
    pub turn: Signal<In, Bit>,
    /// The core wants a register of the node, until `ready`.
    pub request: Signal<In, Bit>,
    /// The core wants a word of its data memory of bytes, until `ready`.
    pub data: Signal<In, Bit>,
    /// The offset of the register in bytes.
    pub offset: Signal<In, Bits<7>>,
    /// The bytes to be written, none when reading.
    pub write_strobe: Signal<In, Bits<4>>,
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access is over.
    pub ready: Signal<Out, Bit>,
    /// What it reads, while `ready`.
    pub read_data: Signal<Out, Bits<32>>,
    /// The byte that is wanted of the word of data.
    pub byte_index: Signal<Out, Bits<2>>,
    /// What is written to that byte.
    pub byte: Signal<Out, Bits<8>>,
    /// That byte is written.
    pub byte_write: Signal<Out, Bit>,
    /// What is read from that byte, one clock cycle later.
    pub byte_read: Signal<In, Bits<8>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node, as [`NodePeripheral`](super::NodePeripheral) shows it.
    pub node: NodeSeen<LINKS, REGISTERS>,
    pub register: RegisterSeen<OFFSET_BITS>,
    /// Times it fell out of step.
    pub slips: Signal<In, Bits<COUNT_BITS>>,
    /// Superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub commands: CommandSource<ADDRESS_BITS>,
    pub host: FromHost,
    /// The byte that the host is asked for is there.
    pub host_ready: Signal<In, Bit>,
    /// A message is wanted from the host.
    pub host_wanted: Signal<Out, Bit>,
    /// The host can take a message.
    pub host_room: Signal<In, Bit>,
    /// It may not be able to take one of every node.
    pub host_crowded: Signal<In, Bit>,
    /// High for one clock cycle: a message is handed over from now on.
    pub out_begun: Signal<Out, Bit>,
    pub out: ToHost,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    port: NodePort<LINKS, BITS, REGISTERS>,
    mover: Mover<OFFSET_BITS>,
    words: WordAccess,
    place: Signal<Local, Bits<OFFSET_BITS>>,
    is_pool: Parameter<Bit>,
    /// The register for a message of the host is full.
    taken: Signal<Local, Bit>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > NodeService<LINKS, BITS, REGISTERS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Of a node built for this plan.
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
        const REGISTERS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for NodeService<LINKS, BITS, REGISTERS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, port, mover, words);
        let turn = self.turn.val();
        link!(self, port, turn);
        link!(self, mover, turn);
        link!(self, words, turn);
        let write = self.write_strobe.val().any();
        link!(self, port, request, offset);
        self.port.write.next = write;
        link!(self, port, write_data, begin, node, superframe, slips, address);
        link!(self, port, host_room, host_crowded);
        self.port.host_valid.next = self.host.valid.val();
        self.port.accessed.next = self.words.done.val() & turn;
        let access = self.port.access.val();
        let taking = self.port.take.val();
        let selected = self.register.selected.val();
        let is_pool = self.is_pool.val();

        self.words.go.next = access | self.data.val();
        link!(self, words, write_data, write_strobe);
        self.words.read_byte.next = if self.data.val() {
            self.byte_read.val()
        } else {
            self.register.message_byte.val()
        };
        let index = self.words.index.val();
        self.byte_index.next = index;
        self.byte.next = self.words.write_byte.val();
        self.byte_write.next = self.words.write_enable.val() & self.data.val() & turn;
        let done = self.words.done.val() & turn;
        self.ready.next = self.port.ready.val() | done | self.mover.done.val();
        self.read_data.next = if self.words.done.val() {
            self.words.word.val()
        } else {
            self.port.read_data.val()
        };

        self.taken.next = self.node.injected.val();
        if is_pool {
            self.taken.next = false;
            for number in 0..REGISTERS {
                if selected == number as u64 {
                    self.taken.next = self.node.full.val().get_bit(number);
                }
            }
        }
        self.mover.take.next = taking;
        join!(self, port, mover, hand, legal);
        self.mover.open.next = self.node.open.val() & (self.host_ready.val() | !taking);
        self.mover.host_valid.next = self.host.valid.val() & !self.taken.val();
        self.mover.host_data.next = self.host.data.val();
        self.mover.read_data.next = self.register.message_byte.val();
        self.host.index.next = self.mover.host_index.val();
        self.host_wanted.next = taking;
        self.host.taken.next = self.mover.host_taken.val();
        self.out_begun.next = self.mover.begun.val();
        self.out.valid.next = self.mover.out_valid.val();
        self.out.data.next = self.mover.out_data.val();
        self.out.last.next = self.mover.out_last.val();
        self.out.reason.next = self.port.reason.val();
        self.out_slot.next = selected;

        // To the node.
        link!(
            self.commands,
            port,
            register,
            decide,
            sends,
            reopens,
            choose,
            position
        );
        self.commands.advance.next = access & done;
        self.commands.forget.next =
            self.mover.begun.val() & (self.port.reason.val() == Reason::Unknown);
        self.commands.fill.next = self.mover.taken.val() | self.port.fill.val();
        let handed = self.mover.handed.val();
        self.commands.free.next = handed | self.port.release.val();
        self.commands.changed.next = if handed | (is_pool & self.mover.taken.val()) {
            selected
        } else {
            self.port.register.val()
        };
        let slot = if taking & !is_pool {
            bits::<SLOT_BITS>(injection_register(LINKS, BITS) as u64)
        } else {
            selected
        };
        self.place.next = if access {
            self.register.at.val() | index.resized::<OFFSET_BITS>()
        } else {
            self.mover.offset.val()
        };
        self.commands.message_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(slot, self.place.val());
        self.commands.message_data.next = if taking {
            self.mover.write_data.val()
        } else {
            self.words.write_byte.val()
        };
        self.commands.message_write.next =
            self.mover.write_enable.val() | (self.words.write_enable.val() & access & turn);
    }
}

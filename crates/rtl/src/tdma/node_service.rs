//! The part of a soft node that nodes with one core share.

use super::buffer_layout::byte_address;
use super::buffer_numbers::injection_buffer;
use super::{
    CommandSource, DeliveryReason, DmaCopy, EnginePlan, FromHost, NodePort, NodeSeen, RegisterSeen,
    ToHost, WordAccess, COUNT_BITS, SLOT_BITS,
};
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
    const REGISTERS: usize,
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
    pub node: NodeSeen<LINKS, REGISTERS>,
    pub register: RegisterSeen<OFFSET_BITS>,
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
    port: NodePort<LINKS, BITS, REGISTERS>,
    dma: DmaCopy<OFFSET_BITS>,
    words: WordAccess,
    place: Signal<Local, Bits<OFFSET_BITS>>,
    is_pool: Parameter<Bit>,
    /// The injection buffer is full.
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
        const REGISTERS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for NodeService<LINKS, BITS, REGISTERS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, port, dma, words);
        let turn = self.turn.val();
        link!(self, port, turn);
        link!(self, dma, turn);
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
        self.ready.next = self.port.ready.val() | done | self.dma.done.val();
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
        self.dma.take.next = taking;
        join!(self, port, dma, hand, legal);
        self.dma.open.next = self.node.open.val() & (self.host_ready.val() | !taking);
        self.dma.host_valid.next = self.host.valid.val() & !self.taken.val();
        self.dma.host_data.next = self.host.data.val();
        self.dma.read_data.next = self.register.message_byte.val();
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
            self.dma.begun.val() & (self.port.reason.val() == DeliveryReason::Unknown);
        self.commands.fill.next = self.dma.taken.val() | self.port.fill.val();
        let handed = self.dma.handed.val();
        self.commands.free.next = handed | self.port.release.val();
        self.commands.changed.next = if handed | (is_pool & self.dma.taken.val()) {
            selected
        } else {
            self.port.register.val()
        };
        let slot = if taking & !is_pool {
            bits::<SLOT_BITS>(injection_buffer(LINKS, BITS) as u64)
        } else {
            selected
        };
        self.place.next = if access {
            self.register.at.val() | index.resized::<OFFSET_BITS>()
        } else {
            self.dma.offset.val()
        };
        self.commands.message_address.next =
            byte_address::<OFFSET_BITS, ADDRESS_BITS>(slot, self.place.val());
        self.commands.message_data.next = if taking {
            self.dma.write_data.val()
        } else {
            self.words.write_byte.val()
        };
        self.commands.message_write.next =
            self.dma.write_enable.val() | (self.words.write_enable.val() & access & turn);
    }
}

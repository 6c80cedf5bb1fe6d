use super::{
    EnginePlan, FrameEngine, Mover, NodePort, PhaseSequencer, PinMux, Reason, Received, Sent,
    WordAccess, COUNT_BITS, PHASE_BITS, SLOT_BITS,
};
use crate::lower::{kernel, Circuit};
use crate::rtl::cells::{Memory, Reg, Rom};
use crate::rtl::core::SoftCore;
use crate::rtl::uart::HalfDuplexUart;
use rust_hdl::prelude::*;

/// Address bits of the program store: 512 words, 2 KB.
pub const PROGRAM_BITS: usize = 9;

/// Address bits of the data memory: 512 bytes.
pub const DATA_BITS: usize = 9;

/// A node that runs code: what the software on its core decides, a frame engine
/// does.
///
/// Outside it is a [`Node`](super::Node), and so are its registers and its
/// message memory. The core sees the program store at 0, its data memory at
/// 0x1000_0000 and the registers of [`NodePort`] at 0x4000_0000; only bits 30 and
/// 28 of an address tell them apart. A read of the program store takes two clock
/// cycles, a word of data five; what is written to the program store is ignored.
#[derive(LogicBlock, Circuit)]
pub struct SoftNode<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// The levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    /// The wires that the node holds, pulled or not.
    pub holds: Signal<Out, Bits<DIMS>>,
    /// No phase begins for the core: it hangs.
    pub hang: Signal<In, Bit>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// Its byte `host_index`.
    pub host_data: Signal<In, Bits<8>>,
    /// The byte wanted: the length first, then the payload.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub host_taken: Signal<Out, Bit>,
    /// A byte for the host: the length first, then the payload.
    pub out_valid: Signal<Out, Bit>,
    /// The byte.
    pub out_data: Signal<Out, Bits<8>>,
    /// It is the last one of the message.
    pub out_last: Signal<Out, Bit>,
    /// Why the message comes.
    pub out_reason: Signal<Out, Reason>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// The register that it came from.
    pub sent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    /// The core sleeps.
    pub asleep: Signal<Out, Bit>,
    /// High for one clock cycle: it has done an instruction.
    pub retired: Signal<Out, Bit>,
    /// It has met an instruction that cannot be done, and does nothing any more.
    pub halted: Signal<Out, Bit>,
    /// Why, as RISC-V numbers the causes of exceptions.
    pub cause: Signal<Out, Bits<4>>,
    /// The software has decided what the node sends in this phase.
    pub decided: Signal<Out, Bit>,
    /// Refusals count towards a link's end in superframes whose number has
    /// these bits clear.
    patience: Constant<Bits<COUNT_BITS>>,
    sequencer: PhaseSequencer<DIMS>,
    mux: PinMux<DIMS>,
    uart: HalfDuplexUart<CLOCKS>,
    engine: FrameEngine<DIMS, OFFSET, A>,
    core: SoftCore<1, 6>,
    port: NodePort<DIMS, OFFSET>,
    mover: Mover<OFFSET>,
    words: WordAccess,
    program: Rom<Bits<32>, PROGRAM_BITS>,
    data: Memory<Bits<8>, DATA_BITS>,
    messages: Memory<Bits<8>, A>,
    full: Reg<Bits<DIMS>>,
    injected: Reg<Bit>,
    superframe: Reg<Bits<COUNT_BITS>>,
    /// The word of the program is there.
    fetched: Reg<Bit>,
    stopped: Reg<Bit>,
    stop_cause: Reg<Bits<4>>,
    select: Signal<Local, Bits<DIMS>>,
    flags: Signal<Local, Bits<DIMS>>,
    injection_flag: Signal<Local, Bit>,
    place: Signal<Local, Bits<OFFSET>>,
}

impl<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize>
    SoftNode<DIMS, CLOCKS, OFFSET, A>
{
    /// `program` are the words of the program store, up to 512. The other
    /// arguments are those of [`Node::new`](super::Node::new).
    ///
    /// # Panics
    /// As [`Node::new`](super::Node::new), and if the program is too large.
    pub fn new(plan: EnginePlan, patience: u64, program: &[u32]) -> Self {
        assert!(DIMS < 1 << SLOT_BITS, "a node has up to 15 links");
        assert!(patience.is_power_of_two(), "the patience is a power of two");
        SoftNode {
            clock: Signal::default(),
            phase_clock: Signal::default(),
            sync: Signal::default(),
            address: Signal::default(),
            level: Signal::default(),
            pull: Signal::default(),
            holds: Signal::default(),
            hang: Signal::default(),
            host_valid: Signal::default(),
            host_data: Signal::default(),
            host_index: Signal::default(),
            host_taken: Signal::default(),
            out_valid: Signal::default(),
            out_data: Signal::default(),
            out_last: Signal::default(),
            out_reason: Signal::default(),
            sent: Signal::default(),
            sent_slot: Signal::default(),
            received: Signal::default(),
            late: Signal::default(),
            phase: Signal::default(),
            muted: Signal::default(),
            slips: Signal::default(),
            asleep: Signal::default(),
            retired: Signal::default(),
            halted: Signal::default(),
            cause: Signal::default(),
            decided: Signal::default(),
            patience: Constant::new((patience - 1).into()),
            sequencer: PhaseSequencer::default(),
            mux: PinMux::default(),
            uart: HalfDuplexUart::default(),
            engine: FrameEngine::new(plan),
            core: SoftCore::default(),
            port: NodePort::new(plan.payload),
            mover: Mover::default(),
            words: WordAccess::default(),
            program: Rom::new(program.iter().map(|word| u64::from(*word).into())),
            data: Memory::default(),
            messages: Memory::default(),
            full: Reg::default(),
            injected: Reg::default(),
            superframe: Reg::default(),
            fetched: Reg::default(),
            stopped: Reg::default(),
            stop_cause: Reg::default(),
            select: Signal::default(),
            flags: Signal::default(),
            injection_flag: Signal::default(),
            place: Signal::default(),
        }
    }
}

impl<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize> Logic
    for SoftNode<DIMS, CLOCKS, OFFSET, A>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, mux, uart, engine, core, port, mover, words);
        clock!(self, clock, program, data, messages);
        dff_setup!(self, clock, full, injected, superframe, fetched, stopped, stop_cause);
        let begin = self.sequencer.begin.val();
        let open = self.port.open.val();
        let transmit = self.sequencer.transmit.val();
        let dim = self.sequencer.dim.val();
        self.select.next = 0.into();
        for d in 0..DIMS {
            if dim == d as u64 {
                self.select.next = bits::<DIMS>(1 << d);
            }
        }
        let select = self.select.val();
        if begin & (self.sequencer.phase.val() == 0) {
            self.superframe.d.next = self.superframe.q.val() + 1;
        }

        self.sequencer.phase_clock.next = self.phase_clock.val();
        self.sequencer.sync.next = self.sync.val();
        self.sequencer.address.next = self.address.val();
        self.phase.next = self.sequencer.phase.val();
        self.muted.next = self.sequencer.muted.val();
        self.slips.next = self.sequencer.slips.val();

        self.mux.dim.next = dim;
        self.mux.drive.next = self.engine.drive.val();
        self.mux.tx.next = self.uart.tx.val();
        self.mux.level.next = self.level.val();
        self.pull.next = self.mux.pull.val();
        self.holds.next = if self.engine.drive.val() {
            select
        } else {
            bits::<DIMS>(0)
        };

        self.uart.tx_data.next = self.engine.tx_data.val();
        self.uart.tx_start.next = self.engine.tx_start.val();
        self.uart.rx.next = self.mux.rx.val();
        self.uart.rx_clear.next = self.engine.rx_clear.val();

        self.engine.begin.next = begin;
        self.engine.transmit.next = transmit;
        self.engine.dim.next = dim;
        self.engine.select.next = select;
        self.engine.mute.next = self.sequencer.muted.val();
        self.engine.address.next = self.address.val();
        self.engine.patience.next = !(self.superframe.q.val() & self.patience.val()).any();
        self.engine.ready.next = self.port.decided.val();
        self.engine.send.next = self.port.send.val();
        self.engine.slot.next = self.port.slot.val();
        self.engine.full.next = (self.full.q.val() & select).any();
        self.engine.forget.next =
            self.mover.begun.val() & (self.port.reason.val() == Reason::Unknown);
        self.engine.tx_ready.next = self.uart.tx_ready.val();
        // As in `Node`.
        let on_the_wire = if self.engine.drive.val() {
            self.engine.tx_data.val()
        } else {
            self.uart.rx_data.val()
        };
        self.engine.rx_data.next = if CLOCKS < 8 {
            on_the_wire
        } else {
            self.uart.rx_data.val()
        };
        self.engine.rx_valid.next = self.uart.rx_valid.val();
        self.engine.read_data.next = self.messages.read_data.val();
        self.sent.next = self.engine.sent.val();
        self.sent_slot.next = self.port.slot.val();
        self.received.next = self.engine.received.val();
        self.late.next = self.engine.late.val();

        // The core and what it reaches.
        let request = self.core.request.val();
        let bus = self.core.address.val();
        let strobe = self.core.write_strobe.val();
        let to_port = bus.get_bit(30);
        let to_data = bus.get_bit(28) & !to_port;
        let to_program = !to_port & !to_data;
        let data_access = request & to_data;
        self.core.context.next = 0.into();
        self.core.go.next = !self.stopped.q.val();
        self.core.wake.next = self.port.wake.val();
        self.core.ready.next = self.fetched.q.val()
            | self.port.ready.val()
            | self.words.done.val()
            | self.mover.done.val();
        self.core.read_data.next = if self.fetched.q.val() {
            self.program.data.val()
        } else if self.words.done.val() {
            self.words.word.val()
        } else {
            self.port.read_data.val()
        };
        self.fetched.d.next = request & to_program & !self.fetched.q.val();
        if self.core.halted.val() {
            self.stopped.d.next = true;
            self.stop_cause.d.next = self.core.cause.val();
        }
        self.asleep.next = self.core.asleep.val();
        self.retired.next = self.core.retired.val();
        self.halted.next = self.stopped.q.val();
        self.cause.next = self.stop_cause.q.val();
        self.decided.next = self.port.decided.val();
        self.program.address.next = bit_cast::<PROGRAM_BITS, 32>(bus >> 2);

        self.port.request.next = request & to_port;
        self.port.offset.next = bit_cast::<7, 32>(bus);
        self.port.write.next = strobe.any();
        self.port.write_data.next = self.core.write_data.val();
        self.port.begin.next = begin & !self.hang.val();
        self.port.window.next = self.engine.window.val();
        self.port.phase.next = self.sequencer.phase.val();
        self.port.dim.next = dim;
        self.port.select.next = select;
        self.port.transmit.next = transmit;
        self.port.pending.next = self.engine.pending.val();
        self.port.down.next = self.engine.down.val();
        let sent = self.engine.sent.val();
        self.port.sent.next = if sent == Sent::Silent {
            bits::<2>(1)
        } else if sent == Sent::Refused {
            bits::<2>(2)
        } else if sent == Sent::Taken {
            bits::<2>(3)
        } else {
            bits::<2>(0)
        };
        self.port.superframe.next = self.superframe.q.val();
        self.port.slips.next = self.sequencer.slips.val();
        self.port.address.next = self.address.val();
        self.port.full.next = self.full.q.val();
        self.port.injected.next = self.injected.q.val();
        self.port.host_valid.next = self.host_valid.val();
        self.port.accessed.next = self.words.done.val();

        self.words.go.next = self.port.access.val() | data_access;
        self.words.write_data.next = self.core.write_data.val();
        self.words.write_strobe.next = strobe;
        self.words.read_byte.next = if to_data {
            self.data.read_data.val()
        } else {
            self.messages.read_data.val()
        };
        let byte = (bit_cast::<DATA_BITS, 32>(bus) & 0x1FC)
            | bit_cast::<DATA_BITS, 2>(self.words.index.val());
        self.data.read_address.next = byte;
        self.data.write_address.next = byte;
        self.data.write_data.next = self.words.write_byte.val();
        self.data.write_enable.next = self.words.write_enable.val() & to_data;

        self.mover.take.next = self.port.take.val();
        self.mover.hand.next = self.port.hand.val();
        self.mover.legal.next = self.port.legal.val();
        self.mover.open.next = open;
        self.mover.host_valid.next = self.host_valid.val() & !self.injected.q.val();
        self.mover.host_data.next = self.host_data.val();
        self.mover.read_data.next = self.messages.read_data.val();
        self.host_index.next = self.mover.host_index.val();
        self.host_taken.next = self.mover.host_taken.val();
        self.out_valid.next = self.mover.out_valid.val();
        self.out_data.next = self.mover.out_data.val();
        self.out_last.next = self.mover.out_last.val();
        self.out_reason.next = self.port.reason.val();

        // The message memory: core and mover have it while it is open, the engine
        // has it from then on.
        let taking = self.port.take.val();
        let slot = if taking {
            bits::<SLOT_BITS>(DIMS as u64)
        } else {
            self.port.selected.val()
        };
        self.place.next = if self.port.access.val() {
            self.port.at.val() | bit_cast::<OFFSET, 2>(self.words.index.val())
        } else {
            self.mover.offset.val()
        };
        let own = (bit_cast::<A, SLOT_BITS>(slot) << (OFFSET as u64))
            | bit_cast::<A, OFFSET>(self.place.val());
        if open {
            self.messages.read_address.next = own;
            self.messages.write_address.next = own;
            self.messages.write_data.next = if taking {
                self.mover.write_data.val()
            } else {
                self.words.write_byte.val()
            };
            self.messages.write_enable.next = self.mover.write_enable.val()
                | (self.words.write_enable.val() & self.port.access.val());
        } else {
            self.messages.read_address.next = self.engine.read_address.val();
            self.messages.write_address.next = self.engine.write_address.val();
            self.messages.write_data.next = self.engine.write_data.val();
            self.messages.write_enable.next = self.engine.write_enable.val();
        }

        // Which registers are full.
        let handed = self.mover.handed.val();
        let filled = self.mover.taken.val() | self.port.fill.val();
        self.flags.next = self.full.q.val();
        self.injection_flag.next = self.injected.q.val() | filled;
        if self.engine.store.val() {
            self.flags.next = self.flags.val() | select;
        }
        if self.engine.spoil.val() {
            self.flags.next = self.flags.val() & !select;
        }
        let freed = if handed {
            self.port.selected.val()
        } else if self.port.release.val() {
            self.port.released.val()
        } else {
            self.port.slot.val()
        };
        if self.engine.free.val() | handed | self.port.release.val() {
            for d in 0..DIMS {
                if freed == d as u64 {
                    self.flags.next = self.flags.val().replace_bit(d, false);
                }
            }
            if freed == DIMS as u64 {
                self.injection_flag.next = false;
            }
        }
        self.full.d.next = self.flags.val();
        self.injected.d.next = self.injection_flag.val();
    }
}

//! The transfer of one frame and its answer over the wire.

use super::{EnginePlan, FrameEvents, FrameState, CROSSED_BITS, DIM_BITS};
use hdl::prelude::*;

/// First byte of a frame.
const SYNC: u64 = 0xAA;

/// Sends or receives a frame and its answer, byte by byte. It keeps no state from one phase to the
/// next.
///
/// A frame is sync (0xAA), header, length, payload, CRC-16. Header bit 7 is set for routed
/// messages. Bit 6 is the sequence bit of this link and direction. In a metacube bits 2:0 are the
/// number of cross edges that the message has passed. The CRC covers header, length and payload.
/// Its initial value is 0xFFFF xored with the sender's address and, in the upper four bits, the
/// link. The CRC therefore rejects frames from another node or phase.
///
/// In the answer slot the receiver returns the CRC: unchanged if it has the message, inverted (a
/// NAK) if its buffer was full. Without a valid frame it sends nothing.
///
/// A byte that is sent or received is in the UART's shift register while it is on the wire
/// (`rx_data`). The CRC reads it there, one bit per clock cycle. Received bits are compared in the
/// same clock cycles ([`FrameCheck`]), and the step ends with the last of them.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameWalk<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Abandon the frame: a phase begins, or the node has lost sync.
    pub stop: Signal<In, Bit>,
    /// A frame begins: send it, or listen for it.
    pub start: Signal<In, Bit>,
    /// The sender releases the wire.
    pub frame_close: Signal<In, Bit>,
    /// The receiver begins its answer.
    pub answer_open: Signal<In, Bit>,
    /// The receiver releases the wire.
    pub answer_close: Signal<In, Bit>,
    /// The node transmits in this phase, otherwise it receives.
    pub transmit: Signal<In, Bit>,
    /// Link of the phase; in a cube its dimension.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// Address of the node that transmits in this phase.
    pub sender: Signal<In, Bits<16>>,
    /// Sequence bit of the frame to send.
    pub sequence: Signal<In, Bit>,
    /// Cross edges that the message to send has passed.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Sequence bit of a frame that the node does not have yet.
    pub expected: Signal<In, Bit>,
    /// The buffer for the message being received is full.
    pub full: Signal<In, Bit>,
    pub events: FrameEvents,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub received_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// The node may pull the wire.
    pub drive: Signal<Out, Bit>,
    /// To the UART.
    pub tx_data: Signal<Out, Bits<8>>,
    /// To the UART.
    pub tx_start: Signal<Out, Bit>,
    /// From the UART.
    pub tx_ready: Signal<In, Bit>,
    /// From the UART: the byte received, or the byte being sent.
    pub rx_data: Signal<In, Bits<8>>,
    /// From the UART.
    pub rx_valid: Signal<In, Bit>,
    /// Index of the next byte of the message.
    pub offset: Signal<Out, Bits<OFFSET_BITS>>,
    /// The byte is read, to be sent.
    pub reads: Signal<Out, Bit>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// High for one clock cycle: `rx_data` is byte `offset` of the message and must be stored.
    pub writes: Signal<Out, Bit>,
    acked: Parameter<Bit>,
    crc: Crc16,
    check: FrameCheck,
    step: Reg<FrameState>,
    /// Index of the next byte in the buffer.
    message_byte: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes of payload, CRC or answer left.
    remaining: Reg<Bits<OFFSET_BITS>>,
    driving: Reg<Bit>,
    code: Signal<Local, Bits<3>>,
}

impl<const OFFSET_BITS: usize> FrameWalk<OFFSET_BITS> {
    /// Makes a block for a plan. With `counts`, its frames carry the number of cross edges that
    /// their message has passed, as in a metacube.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        FrameWalk {
            acked: Parameter::new(plan.acked),
            check: FrameCheck::new(plan, counts),
            step: Reg::new(FrameState::Idle),
            ..Default::default()
        }
    }
}

/// Returns the header of a frame.
#[kernel]
fn header(sequence: bool, crossed: Bits<CROSSED_BITS>) -> Bits<8> {
    bits::<8>(0x80).replace_bit(6, sequence) | crossed.resized::<8>()
}

/// Returns the initial value of a frame's CRC.
#[kernel]
fn crc_start(sender: Bits<16>, dim: Bits<DIM_BITS>) -> Bits<16> {
    !(sender ^ (dim.resized::<16>() << 12))
}

impl<const OFFSET_BITS: usize> Logic for FrameWalk<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, step, message_byte, remaining, driving);
        clock!(self, clock, crc, check);
        let step = self.step.q.val();
        let transmit = self.transmit.val();
        let acked = self.acked.val();
        let rx_data = self.rx_data.val();
        let nak = self.check.nak.val();
        let last_byte = self.remaining.q.val() == 1;

        self.code.next = step.into();
        let kind = self.code.val().get_bits::<2>(0);
        let is_message = kind == 2;
        let is_crc = kind == 3;
        let moving = (step != FrameState::Idle) & (step != FrameState::AwaitAnswer);
        let answering = step == FrameState::Answer;
        let sending = transmit ^ answering;

        // A byte is sent or received first and then processed by the CRC.
        let may_pass = moving & !self.crc.busy.val();
        self.tx_start.next = may_pass & sending;
        match kind.index() {
            0 => self.tx_data.next = SYNC.into(),
            1 => self.tx_data.next = header(self.sequence.val(), self.crossed.val()),
            2 => self.tx_data.next = self.read_data.val(),
            _ => self.tx_data.next = self.crc.high.val(),
        }
        let passes = if sending { self.tx_ready.val() } else { self.rx_valid.val() };
        self.crc.byte.next = rx_data;
        self.crc.take.next = may_pass & passes;
        self.crc.rotate.next = is_crc;
        self.crc.invert.next = nak & !answering;
        self.crc.start.next = crc_start(self.sender.val(), self.dim.val());
        self.crc.load.next = step == FrameState::Sync;
        let byte_over = moving & self.crc.last.val();

        // Compares received bits with their expected values.
        let byte_received = byte_over & !sending;
        link!(self -> check: stop, expected, full);
        link!(check -> self: crossed -> received_crossed);
        self.check.step.next = step;
        self.check.kind.next = kind;
        self.check.last_byte.next = last_byte;
        link!(crc -> check: busy, bit, count -> bit_index, top);
        self.check.listens.next = !sending;
        self.check.byte.next = rx_data;
        self.check.byte_received.next = byte_received;
        let good = byte_received & self.check.good.val();
        self.events.byte.next = byte_received & !answering;
        self.events.spoil.next = self.check.spoil.val();
        self.events.frame.next = good & (step == FrameState::Crc) & last_byte;
        self.events.repeat.next = self.check.repeat.val();
        self.events.answer.next = good & answering & last_byte;
        self.events.nak.next = nak;
        self.offset.next = self.message_byte.q.val();
        self.reads.next = is_message & transmit;
        self.writes.next = good & is_message & (!acked | !self.full.val());

        // The step ends with the byte.
        if byte_over {
            if is_message | is_crc {
                self.message_byte.d.next = self.message_byte.q.val() + 1;
            } else {
                self.message_byte.d.next = 0.into();
            }
            // The CRC and the answer have two bytes each.
            if step == FrameState::Length {
                self.remaining.d.next = rx_data.resized();
            } else if last_byte {
                self.remaining.d.next = 2.into();
            } else {
                self.remaining.d.next = self.remaining.q.val() - 1;
            }
            let over = if acked { FrameState::AwaitAnswer } else { FrameState::Idle };
            match step {
                FrameState::Sync => self.step.d.next = FrameState::Header,
                FrameState::Header => self.step.d.next = FrameState::Length,
                FrameState::Length => self.step.d.next = FrameState::Payload,
                FrameState::Payload => {
                    self.step.d.next = if last_byte { FrameState::Crc } else { step }
                }
                FrameState::Crc => self.step.d.next = if last_byte { over } else { step },
                _ => self.step.d.next = if last_byte { FrameState::Idle } else { step },
            }
        }
        if byte_received & !self.check.good.val() {
            self.step.d.next = FrameState::Idle;
        }

        // Opens and closes the windows.
        if self.start.val() {
            self.step.d.next = FrameState::Sync;
            self.driving.d.next = transmit;
        }
        if self.frame_close.val() {
            self.driving.d.next = false;
        }
        if acked & self.answer_open.val() {
            self.step.d.next = FrameState::Idle;
            if step == FrameState::AwaitAnswer {
                self.step.d.next = FrameState::Answer;
                self.driving.d.next = !transmit;
            }
        }
        if (acked & self.answer_close.val()) | self.stop.val() {
            self.step.d.next = FrameState::Idle;
            self.driving.d.next = false;
        }
        self.drive.next = self.driving.q.val();
    }
}

/// Compares received bits with their expected values and extracts the fields of a frame or answer.
///
/// For a frame it extracts whether the node already has it, and how many cross edges its message
/// has passed. For an answer it extracts whether it is a NAK. A NAK is the CRC inverted, and its
/// first bit shows this.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameCheck {
    pub clock: Signal<In, Clock>,
    /// Abandon the frame: a phase begins, or the node has lost sync.
    pub stop: Signal<In, Bit>,
    /// Step of the node in the frame.
    pub step: Signal<In, FrameState>,
    /// Lower two bits of the step number.
    pub kind: Signal<In, Bits<2>>,
    /// The byte is the second one of a CRC or answer.
    pub last_byte: Signal<In, Bit>,
    /// A bit passes on the wire.
    pub busy: Signal<In, Bit>,
    /// The node receives the bit that passes.
    pub listens: Signal<In, Bit>,
    /// Bit that passes.
    pub bit: Signal<In, Bit>,
    /// Number of bits of the byte that passed before `bit`.
    pub bit_index: Signal<In, Bits<3>>,
    /// Expected bit of the CRC; used while a CRC or answer is on the wire.
    pub top: Signal<In, Bit>,
    /// Byte on the wire.
    pub byte: Signal<In, Bits<8>>,
    /// With this bit a received byte ends.
    pub byte_received: Signal<In, Bit>,
    /// Sequence bit of a frame that the node does not have yet.
    pub expected: Signal<In, Bit>,
    /// The buffer for the message is full.
    pub full: Signal<In, Bit>,
    /// At the end of a byte: the byte is valid in a frame.
    pub good: Signal<Out, Bit>,
    /// High for one clock cycle: without answers, a length for a full buffer was received.
    pub spoil: Signal<Out, Bit>,
    /// The node already has the frame.
    pub repeat: Signal<Out, Bit>,
    /// The answer is a NAK, received or to be sent. Without answers: the buffer was full.
    pub nak: Signal<Out, Bit>,
    /// Cross edges that the message of the frame has passed; 0 when none is being received.
    pub crossed: Signal<Out, Bits<CROSSED_BITS>>,
    acked: Parameter<Bit>,
    /// Frames carry the number of cross edges that their message has passed.
    counts: Parameter<Bit>,
    payload_max: Parameter<Bits<8>>,
    /// A bit of the byte differed from its expected value.
    wrong_so_far: Reg<Bit>,
    is_repeat: Reg<Bit>,
    is_nak: Reg<Bit>,
    count: Reg<Bits<CROSSED_BITS>>,
    wrong: Signal<Local, Bit>,
}

impl FrameCheck {
    /// Makes a checker. With `counts`, frames carry the number of cross edges that their message
    /// has passed, as in a metacube.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        FrameCheck {
            acked: Parameter::new(plan.acked),
            counts: Parameter::new(counts),
            payload_max: Parameter::new(plan.payload.into()),
            ..Default::default()
        }
    }
}

impl Logic for FrameCheck {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, wrong_so_far, is_repeat, is_nak, count);
        let step = self.step.val();
        let bit = self.bit.val();
        let bit_index = self.bit_index.val();
        let acked = self.acked.val();
        let full = self.full.val();
        let nak = self.is_nak.q.val();

        let counted = self.counts.val() & (bit_index > 7 - CROSSED_BITS as u64);
        let answering = step == FrameState::Answer;
        let first_of_answer = answering & !self.last_byte.val() & (bit_index == 0);
        let differs = bit ^ self.top.val();
        match self.kind.val().index() {
            0 => self.wrong.next = bit == bit_index.get_bit(0),
            1 => self.wrong.next = (bit_index != 1) & !counted & (bit != (bit_index == 0)),
            2 => self.wrong.next = false,
            _ => self.wrong.next = !first_of_answer & (differs ^ (nak & answering)),
        }
        let wrong = self.wrong_so_far.q.val() | self.wrong.val();
        self.wrong_so_far.d.next = self.busy.val() & wrong;
        if self.busy.val() & self.listens.val() {
            if (step == FrameState::Header) & (bit_index == 1) {
                self.is_repeat.d.next = bit != self.expected.val();
            }
            if (step == FrameState::Header) & counted {
                self.count.d.next = (self.count.q.val() << 1).replace_bit(0, bit);
            }
            if first_of_answer {
                self.is_nak.d.next = differs;
            }
        }

        let byte = self.byte.val();
        let is_length = step == FrameState::Length;
        let bad_length = (byte < 2) | (byte > self.payload_max.val());
        let good = !wrong & !(is_length & bad_length);
        let length_received = self.byte_received.val() & good & is_length;
        if length_received {
            self.is_nak.d.next = full & !(acked & self.is_repeat.q.val());
        }
        if self.stop.val() {
            self.is_nak.d.next = false;
            self.count.d.next = 0.into();
        }
        self.good.next = good;
        // Without answers the new message overwrites the old one from the length on.
        self.spoil.next = length_received & full & !acked;
        self.repeat.next = self.is_repeat.q.val();
        self.nak.next = nak;
        self.crossed.next = self.count.q.val();
    }
}

/// CRC-16/CCITT (0x1021, most significant bit first), one bit per clock cycle.
///
/// A byte is processed in the eight clock cycles after `take`; `byte` must be stable in them. With
/// `rotate` the register rotates by eight bits instead, so that `high` shows its bytes one after
/// the other.
#[derive(LogicBlock, Circuit, Default)]
pub struct Crc16 {
    pub clock: Signal<In, Clock>,
    /// Initial value.
    pub start: Signal<In, Bits<16>>,
    pub load: Signal<In, Bit>,
    /// Byte to process.
    pub byte: Signal<In, Bits<8>>,
    /// Process `byte` from the next clock cycle on.
    pub take: Signal<In, Bit>,
    /// Rotate the register instead.
    pub rotate: Signal<In, Bit>,
    /// Rotated bits re-enter inverted.
    pub invert: Signal<In, Bit>,
    /// A byte is being processed.
    pub busy: Signal<Out, Bit>,
    /// Last clock cycle of the byte.
    pub last: Signal<Out, Bit>,
    /// Number of bits of the byte that have been processed.
    pub count: Signal<Out, Bits<3>>,
    /// Bit being processed.
    pub bit: Signal<Out, Bit>,
    /// Highest bit of the register.
    pub top: Signal<Out, Bit>,
    /// Upper half of the register.
    pub high: Signal<Out, Bits<8>>,
    register: Reg<Bits<16>>,
    at_work: Reg<Bit>,
    taken: Reg<Bits<3>>,
}

impl Logic for Crc16 {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, register, at_work, taken);
        let value = self.register.q.val();
        let taken = self.taken.q.val();
        let busy = self.at_work.q.val();
        let last = busy & taken.all();
        let top = value.get_bit(15);
        let bit = self.byte.val().get_bit((!taken).index());
        self.at_work.d.next = self.take.val() | (busy & !last);
        if busy {
            self.taken.d.next = taken + 1;
        }
        if self.load.val() {
            self.register.d.next = self.start.val();
        } else if busy {
            if self.rotate.val() {
                self.register.d.next = (value << 1).replace_bit(0, top ^ self.invert.val());
            } else if top ^ bit {
                self.register.d.next = (value << 1) ^ 0x1021;
            } else {
                self.register.d.next = value << 1;
            }
        }
        self.busy.next = busy;
        self.last.next = last;
        self.count.next = taken;
        self.bit.next = bit;
        self.top.next = top;
        self.high.next = value.get_bits::<8>(8);
    }
}

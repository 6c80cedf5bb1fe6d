//! The check and evaluation of received frames and answers.

use super::{EnginePlan, FrameState, CROSSED_BITS};
use hdl::prelude::*;

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
    pub place: Signal<In, Bits<3>>,
    /// Expected bit of the CRC; used while a CRC or answer is on the wire.
    pub top: Signal<In, Bit>,
    /// Byte on the wire.
    pub byte: Signal<In, Bits<8>>,
    /// With this bit a received byte ends.
    pub heard: Signal<In, Bit>,
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
    pub refusal: Signal<Out, Bit>,
    /// Cross edges that the message of the frame has passed; 0 when none is being received.
    pub crossed: Signal<Out, Bits<CROSSED_BITS>>,
    acked: Parameter<Bit>,
    /// Frames carry the number of cross edges that their message has passed.
    counts: Parameter<Bit>,
    payload_max: Parameter<Bits<8>>,
    /// A bit of the byte differed from its expected value.
    wrong_so_far: Reg<Bit>,
    is_repeat: Reg<Bit>,
    is_refusal: Reg<Bit>,
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
        dff_setup!(self, clock, wrong_so_far, is_repeat, is_refusal, count);
        let step = self.step.val();
        let bit = self.bit.val();
        let place = self.place.val();
        let acked = self.acked.val();
        let full = self.full.val();
        let refusal = self.is_refusal.q.val();

        let counted = self.counts.val() & (place > 7 - CROSSED_BITS as u64);
        let answering = step == FrameState::Answer;
        let first_of_answer = answering & !self.last_byte.val() & (place == 0);
        let differs = bit ^ self.top.val();
        match self.kind.val().index() {
            0 => self.wrong.next = bit == place.get_bit(0),
            1 => self.wrong.next = (place != 1) & !counted & (bit != (place == 0)),
            2 => self.wrong.next = false,
            _ => self.wrong.next = !first_of_answer & (differs ^ (refusal & answering)),
        }
        let wrong = self.wrong_so_far.q.val() | self.wrong.val();
        self.wrong_so_far.d.next = self.busy.val() & wrong;
        if self.busy.val() & self.listens.val() {
            if (step == FrameState::Header) & (place == 1) {
                self.is_repeat.d.next = bit != self.expected.val();
            }
            if (step == FrameState::Header) & counted {
                self.count.d.next = (self.count.q.val() << 1).replace_bit(0, bit);
            }
            if first_of_answer {
                self.is_refusal.d.next = differs;
            }
        }

        let byte = self.byte.val();
        let is_length = step == FrameState::Length;
        let bad_length = (byte < 2) | (byte > self.payload_max.val());
        let good = !wrong & !(is_length & bad_length);
        let length_heard = self.heard.val() & good & is_length;
        if length_heard {
            self.is_refusal.d.next = full & !(acked & self.is_repeat.q.val());
        }
        if self.stop.val() {
            self.is_refusal.d.next = false;
            self.count.d.next = 0.into();
        }
        self.good.next = good;
        // Without answers the new message overwrites the old one from the length on.
        self.spoil.next = length_heard & full & !acked;
        self.repeat.next = self.is_repeat.q.val();
        self.refusal.next = refusal;
        self.crossed.next = self.count.q.val();
    }
}

//! Whether what a node hears is a good frame, or a good answer, and what it says.

use super::{EnginePlan, Step, CROSSED_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Compares what is heard with what it should be, bit by bit, and keeps what it says: of
/// a frame whether the node has it and how many cross edges its message has passed, of an
/// answer whether it is a refusal. A refusal is the CRC inverted, and its first bit shows
/// it.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameCheck {
    pub clock: Signal<In, Clock>,
    /// Forget the frame: a phase begins, or the node is out of step.
    pub stop: Signal<In, Bit>,
    /// Where the node is in the frame.
    pub step: Signal<In, Step>,
    /// The lower two bits of its number.
    pub kind: Signal<In, Bits<2>>,
    /// Of CRC or answer, this is the second byte.
    pub last_byte: Signal<In, Bit>,
    /// A bit passes over the wire.
    pub busy: Signal<In, Bit>,
    /// The node hears the bit that passes.
    pub listens: Signal<In, Bit>,
    /// The bit that passes.
    pub bit: Signal<In, Bit>,
    /// Bits of its byte that passed before it.
    pub place: Signal<In, Bits<3>>,
    /// The bit of the CRC, if a CRC is on the wire.
    pub top: Signal<In, Bit>,
    /// The byte.
    pub byte: Signal<In, Bits<8>>,
    /// With this bit a byte that the node hears is over.
    pub heard: Signal<In, Bit>,
    /// The sequence bit of a frame that the node does not have.
    pub expected: Signal<In, Bit>,
    /// The register for the message is full.
    pub full: Signal<In, Bit>,
    /// When a byte is over: it may stand in a good frame.
    pub good: Signal<Out, Bit>,
    /// High for one clock cycle: without answers, a length for a register that is full.
    pub spoil: Signal<Out, Bit>,
    /// The frame is one that the node has.
    pub repeat: Signal<Out, Bit>,
    /// The answer is a refusal, heard or to be sent. Without answers: the register was full.
    pub refusal: Signal<Out, Bit>,
    /// Cross edges that the message of the frame has passed; 0 when none is heard.
    pub crossed: Signal<Out, Bits<CROSSED_BITS>>,
    acked: Parameter<Bit>,
    /// Frames tell how many cross edges their message has passed.
    counts: Parameter<Bit>,
    payload_max: Parameter<Bits<8>>,
    /// The byte heard is not what it should be.
    wrong_so_far: Reg<Bit>,
    is_repeat: Reg<Bit>,
    is_refusal: Reg<Bit>,
    count: Reg<Bits<CROSSED_BITS>>,
    wrong: Signal<Local, Bit>,
}

impl FrameCheck {
    /// Frames tell how many cross edges their message has passed if they are counted, as in
    /// a metacube.
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
        let answering = step == Step::Answer;
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
            if (step == Step::Header) & (place == 1) {
                self.is_repeat.d.next = bit != self.expected.val();
            }
            if (step == Step::Header) & counted {
                self.count.d.next = (self.count.q.val() << 1).replace_bit(0, bit);
            }
            if first_of_answer {
                self.is_refusal.d.next = differs;
            }
        }

        let byte = self.byte.val();
        let is_length = step == Step::Length;
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
        // Without answers the old message is overwritten from the length on.
        self.spoil.next = length_heard & full & !acked;
        self.repeat.next = self.is_repeat.q.val();
        self.refusal.next = refusal;
        self.crossed.next = self.count.q.val();
    }
}

use super::{Crc16, LinkBit, PhasePlan, PhaseTimer, DIM_BITS, SLOT_BITS};
use crate::lower::{kernel, Circuit};
use crate::rtl::cells::Reg;
use rust_hdl::prelude::*;

/// The first byte of a frame.
const SYNC: u64 = 0xAA;

/// Silences in a row after which a link is down.
const SILENCES: u64 = 64;

/// Bytes at the end of a register that keep the state of its link.
pub(super) const LINK_BYTES: usize = 3;

/// Where a link's byte stands, counted from the end of the register.
const ORIGIN_FROM_END: u64 = 1;
const SILENCES_FROM_END: u64 = 2;
const REFUSALS_FROM_END: u64 = 3;

/// Where the engine is in a phase. From `Sync` to `CrcLow`, and in the answer,
/// one byte passes over the wire in each step.
#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum Step {
    /// Nothing to do before the next window.
    Rest,
    Sync,
    Header,
    Length,
    Payload,
    CrcHigh,
    CrcLow,
    /// The frame is over, the answer slot has not begun.
    Settle,
    AnswerHigh,
    AnswerLow,
    /// The link's silences are counted.
    Silences,
    /// The link's refusals are counted.
    Refusals,
    /// The register that the frame came from is written down.
    Origin,
}

/// What became of the frame that a node sent in a phase.
#[derive(LogicState, Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It sent none.
    Nothing,
    /// No answer, or one that makes no sense.
    Silent,
    /// The neighbour's register was full.
    Refused,
    /// The neighbour has the message. Without answers: it was sent.
    Taken,
}

/// What became of the frame that a node received in a phase.
#[derive(LogicState, Copy, Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// It heard none.
    Nothing,
    /// What it heard was no good frame.
    Damaged,
    /// As `Damaged`, and what was in the register is lost; only without answers.
    Spoiled,
    /// A frame that it had already, acknowledged once more.
    Repeat,
    /// The register was full.
    Refused,
    /// The message is in the register.
    Stored,
    /// The message is in the register and what was there is lost; only without
    /// answers.
    Overwrote,
}

/// What a frame engine is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnginePlan {
    /// Receivers answer; else nobody learns what became of a frame.
    pub acked: bool,
    /// Longest payload of a frame in bytes, the destination included.
    pub payload: u64,
    pub phase: PhasePlan,
}

/// Sends and receives frames, one in every phase.
///
/// A frame is sync (0xAA), header, length, payload, CRC-16. Bit 7 of the header
/// says that the message is routed, bit 6 is the sequence bit of this link and
/// direction. The CRC covers header, length and payload and starts from 0xFFFF
/// xored with the sender's address and, in the upper four bits, the dimension: a
/// frame from another node or phase does not check.
///
/// In the answer slot the receiver sends back the CRC: as it is if it has the
/// message, inverted if its register was full. It is silent if there was no good
/// frame. After silence the link has a frame to repeat (`pending`); where it came
/// from is kept. After 64 silences in a row the link is `down` until reset.
///
/// So it is after `16 * (DIMS - dim)` refusals in a row in superframes that
/// count (`patience`): a neighbour that refuses for ever is dead, too. A full
/// register waits for a link of a higher dimension, so that one must be given up
/// first, and the patience grows towards dimension 0.
///
/// What a link keeps beside its four flip-flops lies in the last three bytes of
/// its register in the message memory.
#[derive(LogicBlock, Circuit)]
pub struct FrameEngine<const DIMS: usize, const OFFSET: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends in this phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The dimension of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// Be silent: the node is out of step.
    pub mute: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Refusals of this superframe count.
    pub patience: Signal<In, Bit>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// It sends a message
    pub send: Signal<In, Bit>,
    /// of this register.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The receive register of the dimension is full.
    pub full: Signal<In, Bit>,
    /// The message that the link had to repeat was given up.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: the receive register of the dimension has a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: what the receive register held is lost.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: the register `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<Out, Bit>,
    /// The node was not ready when the frame window opened; until the next phase.
    pub late: Signal<Out, Bit>,
    /// What became of the frame sent; until the next phase.
    pub sent: Signal<Out, Sent>,
    /// What became of the frame received; until the next phase.
    pub received: Signal<Out, Received>,
    /// The node may pull the wire.
    pub drive: Signal<Out, Bit>,
    /// To the UART.
    pub tx_data: Signal<Out, Bits<8>>,
    /// To the UART.
    pub tx_start: Signal<Out, Bit>,
    /// From the UART.
    pub tx_ready: Signal<In, Bit>,
    /// From the UART.
    pub rx_data: Signal<In, Bits<8>>,
    /// From the UART.
    pub rx_valid: Signal<In, Bit>,
    /// To the UART: a window opens.
    pub rx_clear: Signal<Out, Bit>,
    /// To the message memory.
    pub read_address: Signal<Out, Bits<A>>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// To the message memory.
    pub write_address: Signal<Out, Bits<A>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    acked: Constant<Bit>,
    payload_max: Constant<Bits<8>>,
    timer: PhaseTimer,
    crc: Crc16,
    /// The sequence bit of the next new frame to each neighbour.
    sequence: LinkBit<DIMS>,
    /// The sequence bit of the next new frame from each neighbour.
    expected: LinkBit<DIMS>,
    pendings: LinkBit<DIMS>,
    downs: LinkBit<DIMS>,
    step: Reg<Step>,
    /// The byte of the register that is next.
    offset: Reg<Bits<OFFSET>>,
    /// Bytes of payload to come.
    remaining: Reg<Bits<OFFSET>>,
    /// The answer is a refusal. Without answers: the register was full.
    refusal: Reg<Bit>,
    sequence_heard: Reg<Bit>,
    driving: Reg<Bit>,
    was_late: Reg<Bit>,
    sent_so_far: Reg<Sent>,
    received_so_far: Reg<Received>,
    byte_out: Signal<Local, Bits<8>>,
    byte_good: Signal<Local, Bit>,
    next_step: Signal<Local, Step>,
}

impl<const DIMS: usize, const OFFSET: usize, const A: usize> FrameEngine<DIMS, OFFSET, A> {
    /// # Panics
    /// If the payload does not fit the registers, which have `2^OFFSET` bytes.
    pub fn new(plan: EnginePlan) -> Self {
        assert_eq!(A, OFFSET + SLOT_BITS, "an address is register and offset");
        assert!(
            1 + plan.payload as usize + LINK_BYTES <= 1 << OFFSET,
            "a register of {} bytes holds a length, {} bytes of payload and the state of a link",
            1 << OFFSET,
            plan.payload
        );
        FrameEngine {
            clock: Signal::default(),
            begin: Signal::default(),
            transmit: Signal::default(),
            dim: Signal::default(),
            select: Signal::default(),
            mute: Signal::default(),
            address: Signal::default(),
            patience: Signal::default(),
            ready: Signal::default(),
            send: Signal::default(),
            slot: Signal::default(),
            full: Signal::default(),
            forget: Signal::default(),
            store: Signal::default(),
            spoil: Signal::default(),
            free: Signal::default(),
            pending: Signal::default(),
            down: Signal::default(),
            window: Signal::default(),
            late: Signal::default(),
            sent: Signal::default(),
            received: Signal::default(),
            drive: Signal::default(),
            tx_data: Signal::default(),
            tx_start: Signal::default(),
            tx_ready: Signal::default(),
            rx_data: Signal::default(),
            rx_valid: Signal::default(),
            rx_clear: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            acked: Constant::new(plan.acked),
            payload_max: Constant::new(plan.payload.into()),
            timer: PhaseTimer::new(plan.phase),
            crc: Crc16::default(),
            sequence: LinkBit::default(),
            expected: LinkBit::default(),
            pendings: LinkBit::default(),
            downs: LinkBit::default(),
            step: Reg::default(),
            offset: Reg::default(),
            remaining: Reg::default(),
            refusal: Reg::default(),
            sequence_heard: Reg::default(),
            driving: Reg::default(),
            was_late: Reg::default(),
            sent_so_far: Reg::default(),
            received_so_far: Reg::default(),
            byte_out: Signal::default(),
            byte_good: Signal::default(),
            next_step: Signal::default(),
        }
    }
}

impl<const DIMS: usize, const OFFSET: usize, const A: usize> Logic
    for FrameEngine<DIMS, OFFSET, A>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            step,
            offset,
            remaining,
            refusal,
            sequence_heard
        );
        dff_setup!(self, clock, driving, was_late, sent_so_far, received_so_far);
        clock!(self, clock, timer, crc, sequence, expected, pendings, downs);
        let step = self.step.q.val();
        let transmit = self.transmit.val();
        let rx_data = self.rx_data.val();
        let read_data = self.read_data.val();
        let sent = self.sent_so_far.q.val();
        let refusal = self.refusal.q.val();
        self.timer.begin.next = self.begin.val();

        // Bytes over the wire: what is the next one, and is it what it should be?
        let answering = (step == Step::AnswerHigh) | (step == Step::AnswerLow);
        let sending = transmit ^ answering;
        let crc_high = self.crc.high.val();
        let equal = rx_data == crc_high;
        let inverse = rx_data == !crc_high;
        self.byte_out.next = if answering & refusal {
            !crc_high
        } else {
            crc_high
        };
        self.byte_good.next = equal;
        self.next_step.next = Step::Rest;
        match step {
            Step::Sync => {
                self.byte_out.next = SYNC.into();
                self.byte_good.next = rx_data == SYNC;
                self.next_step.next = Step::Header;
            }
            Step::Header => {
                self.byte_out.next = bits::<8>(0x80).replace_bit(6, self.sequence.value.val());
                self.byte_good.next = (rx_data & 0xBF) == 0x80;
                self.next_step.next = Step::Length;
            }
            Step::Length => {
                self.byte_out.next = read_data;
                self.byte_good.next = (rx_data >= 2) & (rx_data <= self.payload_max.val());
                self.next_step.next = Step::Payload;
            }
            Step::Payload => {
                self.byte_out.next = read_data;
                self.byte_good.next = true;
                self.next_step.next = if self.remaining.q.val() == 1 {
                    Step::CrcHigh
                } else {
                    Step::Payload
                };
            }
            Step::CrcHigh => self.next_step.next = Step::CrcLow,
            Step::CrcLow => {
                self.next_step.next = if self.acked.val() {
                    Step::Settle
                } else {
                    Step::Rest
                };
            }
            Step::AnswerHigh => {
                self.byte_good.next = equal | inverse;
                self.next_step.next = Step::AnswerLow;
            }
            Step::AnswerLow => {
                self.byte_good.next = if refusal { inverse } else { equal };
            }
            _ => {}
        }
        let waiting = (step == Step::Rest) | (step == Step::Settle);
        let counting = (step == Step::Silences) | (step == Step::Refusals) | (step == Step::Origin);
        let moving = !waiting & !counting;
        let may_pass = moving & !self.crc.busy.val();
        self.tx_data.next = self.byte_out.val();
        self.tx_start.next = may_pass & sending;
        let byte_sent = may_pass & sending & self.tx_ready.val();
        let byte_heard = may_pass & !sending & self.rx_valid.val();
        let byte_taken = byte_sent | (byte_heard & self.byte_good.val());

        // The CRC takes all bytes but the first, and turns for its own.
        let crc_steps = (step == Step::CrcHigh) | (step == Step::CrcLow) | answering;
        self.crc.byte.next = if sending {
            self.byte_out.val()
        } else {
            rx_data
        };
        self.crc.take.next = byte_taken & (step != Step::Sync);
        self.crc.rotate.next = crc_steps;
        let sender = if transmit {
            self.address.val()
        } else {
            self.address.val() ^ self.select.val()
        };
        let dim_word = bit_cast::<16, DIM_BITS>(self.dim.val()) << 12;
        self.crc.start.next = !(bit_cast::<16, DIMS>(sender) ^ dim_word);
        self.crc.load.next = self.timer.frame_open.val();
        let step_over = moving & (self.crc.last.val() | (byte_taken & (step == Step::Sync)));
        if step_over {
            self.step.d.next = self.next_step.val();
            if (step == Step::Length) | (step == Step::Payload) {
                self.offset.d.next = self.offset.q.val() + 1;
            }
            if step == Step::Payload {
                self.remaining.d.next = self.remaining.q.val() - 1;
            }
        }
        if byte_taken & (step == Step::Length) {
            let length = if sending { read_data } else { rx_data };
            self.remaining.d.next = bit_cast::<OFFSET, 8>(length);
        }

        // What is heard is judged byte by byte.
        self.store.next = false;
        self.spoil.next = false;
        self.expected.write.next = false;
        self.expected.data.next = !self.expected.value.val();
        if byte_heard {
            if !answering & (self.received_so_far.q.val() == Received::Nothing) {
                self.received_so_far.d.next = Received::Damaged;
            }
            if !self.byte_good.val() {
                self.step.d.next = Step::Rest;
            } else {
                match step {
                    Step::Header => self.sequence_heard.d.next = rx_data.get_bit(6),
                    Step::Length => {
                        // Without answers the old message is overwritten from here on.
                        let overwrites = self.full.val() & !self.acked.val();
                        self.spoil.next = overwrites;
                        self.refusal.d.next = overwrites;
                        if overwrites {
                            self.received_so_far.d.next = Received::Spoiled;
                        }
                    }
                    Step::CrcLow => {
                        if !self.acked.val() {
                            self.store.next = true;
                            self.received_so_far.d.next = if refusal {
                                Received::Overwrote
                            } else {
                                Received::Stored
                            };
                        } else if self.sequence_heard.q.val() != self.expected.value.val() {
                            self.received_so_far.d.next = Received::Repeat;
                        } else if self.full.val() {
                            self.received_so_far.d.next = Received::Refused;
                            self.refusal.d.next = true;
                        } else {
                            self.received_so_far.d.next = Received::Stored;
                            self.store.next = true;
                            self.expected.write.next = true;
                        }
                    }
                    Step::AnswerHigh => self.refusal.d.next = inverse,
                    Step::AnswerLow => {
                        self.sent_so_far.d.next = if refusal { Sent::Refused } else { Sent::Taken };
                    }
                    _ => {}
                }
            }
        }

        // Windows open and close.
        self.free.next = false;
        if self.timer.frame_open.val() {
            self.offset.d.next = 0.into();
            if !transmit {
                self.step.d.next = Step::Sync;
            } else if !self.ready.val() {
                self.was_late.d.next = true;
            } else if self.send.val() {
                self.step.d.next = Step::Sync;
                self.driving.d.next = true;
                self.sent_so_far.d.next = Sent::Silent;
            }
        }
        if self.timer.frame_close.val() {
            self.driving.d.next = false;
            if !self.acked.val() {
                self.step.d.next = Step::Rest;
                if sent == Sent::Silent {
                    self.sent_so_far.d.next = Sent::Taken;
                    self.free.next = true;
                }
            }
        }
        if self.acked.val() {
            if self.timer.answer_open.val() {
                self.step.d.next = Step::Rest;
                if step == Step::Settle {
                    self.step.d.next = Step::AnswerHigh;
                    self.driving.d.next = !transmit;
                }
            }
            if self.timer.answer_close.val() {
                self.driving.d.next = false;
                self.step.d.next = Step::Rest;
                if sent != Sent::Nothing {
                    self.step.d.next = Step::Silences;
                }
            }
        }

        // After the answer the link's state is brought up to date.
        let own = self.dim.val();
        let place = if transmit { self.slot.val() } else { own };
        let in_message = (step == Step::Length) | (step == Step::Payload);
        let base = bit_cast::<A, SLOT_BITS>(own) << (OFFSET as u64);
        let message = (bit_cast::<A, SLOT_BITS>(place) << (OFFSET as u64))
            | bit_cast::<A, OFFSET>(self.offset.q.val());
        let silences_at = base | ((1 << OFFSET) - SILENCES_FROM_END);
        let refusals_at = base | ((1 << OFFSET) - REFUSALS_FROM_END);
        let origin_at = base | ((1 << OFFSET) - ORIGIN_FROM_END);
        self.read_address.next = silences_at;
        if in_message {
            self.read_address.next = message;
        }
        self.write_address.next = message;
        self.write_data.next = rx_data;
        self.write_enable.next = byte_heard & in_message & (!self.acked.val() | !self.full.val());
        self.sequence.write.next = false;
        self.sequence.data.next = !self.sequence.value.val();
        self.pendings.write.next = self.forget.val();
        self.pendings.data.next = (sent == Sent::Silent) & !self.forget.val();
        self.downs.write.next = false;
        self.downs.data.next = true;
        let last_silence = read_data == SILENCES - 1;
        let level = bits::<DIM_BITS>((DIMS - 1) as u64) - own;
        let last_refusal = (read_data.get_bits::<4>(4) == level) & read_data.get_bits::<4>(0).all();
        if self.acked.val() {
            match step {
                Step::Silences => {
                    self.read_address.next = refusals_at;
                    self.write_address.next = silences_at;
                    self.write_data.next = if sent == Sent::Silent {
                        read_data + 1
                    } else {
                        bits::<8>(0)
                    };
                    self.write_enable.next = true;
                    self.downs.write.next = last_silence & (sent == Sent::Silent);
                    self.step.d.next = Step::Refusals;
                }
                Step::Refusals => {
                    let counts = (sent == Sent::Refused) & self.patience.val();
                    self.write_address.next = refusals_at;
                    self.write_data.next = if sent == Sent::Taken {
                        bits::<8>(0)
                    } else {
                        read_data + counts
                    };
                    self.write_enable.next = true;
                    self.downs.write.next = last_refusal & counts;
                    self.step.d.next = Step::Origin;
                }
                Step::Origin => {
                    self.write_address.next = origin_at;
                    self.write_data.next = bit_cast::<8, SLOT_BITS>(self.slot.val());
                    self.write_enable.next = true;
                    self.pendings.write.next = true;
                    if sent == Sent::Taken {
                        self.free.next = true;
                        self.sequence.write.next = true;
                    }
                    self.step.d.next = Step::Rest;
                }
                _ => {}
            }
        }

        if self.begin.val() | self.mute.val() {
            self.step.d.next = Step::Rest;
            self.driving.d.next = false;
            self.refusal.d.next = false;
            self.was_late.d.next = false;
            self.sent_so_far.d.next = Sent::Nothing;
            self.received_so_far.d.next = Received::Nothing;
        }
        self.sequence.select.next = self.select.val();
        self.expected.select.next = self.select.val();
        self.pendings.select.next = self.select.val();
        self.downs.select.next = self.select.val();
        self.pending.next = self.pendings.value.val();
        self.down.next = self.downs.value.val();
        self.window.next = self.timer.frame_open.val();
        self.late.next = self.was_late.q.val();
        self.sent.next = sent;
        self.received.next = self.received_so_far.q.val();
        self.drive.next = self.driving.q.val();
        self.rx_clear.next =
            self.begin.val() | self.timer.frame_open.val() | self.timer.answer_open.val();
    }
}

//! The protocol of a link: frames, answers, repetition, and when a link is down.

use super::register_layout::{register_holds, SILENCES_FROM_END, TURN_FROM_END};
use super::{Crc16, EnginePlan, LinkBit, PhaseTimer, Received, Sent, Step};
use super::{CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The first byte of a frame.
const SYNC: u64 = 0xAA;

/// Silences in a row after which a link is down.
const SILENCES: u64 = 64;

/// The bit of a count of phases that is set after 64 of them.
const SIXTY_FOUR: usize = 6;

/// Sends and receives frames, one in every phase.
///
/// A frame is sync (0xAA), header, length, payload, CRC-16. Bit 7 of the header
/// says that the message is routed, bit 6 is the sequence bit of this link and
/// direction. In a metacube bits 2 to 0 are the number of cross edges that the message
/// has passed. The CRC covers header, length and payload and starts from 0xFFFF
/// xored with the sender's address and, in the upper four bits, the link: a
/// frame from another node or phase does not check.
///
/// In the answer slot the receiver sends back the CRC: as it is if it has the
/// message, inverted if its register was full. It is silent if there was no good
/// frame. After silence the link has a frame to repeat (`pending`). After 64
/// silences in a row the link is `down` until reset. Refusals end no link: a
/// neighbour that is busy is alive. A node that has not decided for 64 phases in a
/// row falls silent until it decides again, so that its neighbours take it for dead.
///
/// A link has a turn: the register that is served first the next time, after one
/// whose message was taken the next register, else the same one again; where messages
/// are counted, after a refusal the first of the next count, since only registers of
/// this count may be full. So every register that wants the link gets it in turn, and a
/// frame to be repeated is found again. When nothing wants the link the turn is register 0's, so that an idle
/// machine remembers nothing.
///
/// What a link keeps beside its four flip-flops lies in the last word of its
/// register in the message memory: the turn in its lowest byte, then the number of
/// silences.
///
/// Sent or received, a byte stands in the UART's shift register when it is on the
/// wire (`rx_data`), and the CRC takes it there, one bit in a clock cycle. What is
/// received is compared bit by bit in these clock cycles; the step ends with them.
#[derive(LogicBlock, Circuit, Default)]
pub struct FrameEngine<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The node sends in this phase, else it receives.
    pub transmit: Signal<In, Bit>,
    /// The link of the phase, in a cube its dimension.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<In, Bits<LINKS>>,
    /// Be silent: the node is out of step.
    pub mute: Signal<In, Bit>,
    /// The address of the node that sends in this phase.
    pub sender: Signal<In, Bits<16>>,
    /// The node has decided what it sends.
    pub ready: Signal<In, Bit>,
    /// It sends a message
    pub send: Signal<In, Bit>,
    /// of this register,
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// which has passed so many cross edges.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub heard_crossed: Signal<Out, Bits<CROSSED_BITS>>,
    /// While the node receives, the register for such a message; while it sends, the one
    /// that keeps the state of the link.
    pub own: Signal<In, Bits<SLOT_BITS>>,
    /// It is full.
    pub full: Signal<In, Bit>,
    /// With counts: the register whose turn it is if the message is refused. Without, it
    /// is the same one's.
    pub after_refusal: Signal<In, Bits<SLOT_BITS>>,
    /// The message that the link had to repeat was given up.
    pub forget: Signal<In, Bit>,
    /// High for one clock cycle: the receive register `own` has a message.
    pub store: Signal<Out, Bit>,
    /// High for one clock cycle: what the receive register held is lost.
    pub spoil: Signal<Out, Bit>,
    /// High for one clock cycle: the register `slot` is free.
    pub free: Signal<Out, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<Out, Bit>,
    /// The link is down.
    pub down: Signal<Out, Bit>,
    /// Links that are down.
    pub all_down: Signal<Out, Bits<LINKS>>,
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
    /// From the UART: the byte received, or the one being sent. It stands still
    /// for eight clock cycles after `rx_valid`, or after a byte was taken to be sent.
    pub rx_data: Signal<In, Bits<8>>,
    /// From the UART.
    pub rx_valid: Signal<In, Bit>,
    /// To the UART: a window opens.
    pub rx_clear: Signal<Out, Bit>,
    /// To the message memory.
    pub read_address: Signal<Out, Bits<ADDRESS_BITS>>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// To the message memory.
    pub write_address: Signal<Out, Bits<ADDRESS_BITS>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    acked: Parameter<Bit>,
    /// Each link serves in turns.
    turns: Parameter<Bit>,
    /// Frames tell how many cross edges their message has passed.
    counts: Parameter<Bit>,
    payload_max: Parameter<Bits<8>>,
    timer: PhaseTimer,
    crc: Crc16,
    /// The sequence bit of the next new frame to each neighbour.
    sequence: LinkBit<LINKS>,
    /// The sequence bit of the next new frame from each neighbour.
    expected: LinkBit<LINKS>,
    pendings: LinkBit<LINKS>,
    downs: LinkBit<LINKS>,
    step: Reg<Step>,
    /// The byte of the register that is next.
    offset: Reg<Bits<OFFSET_BITS>>,
    /// Bytes of payload, CRC or answer to come.
    remaining: Reg<Bits<OFFSET_BITS>>,
    /// The answer is a refusal. Without answers: the register was full.
    refusal: Reg<Bit>,
    /// The frame heard is one that the node has.
    repeat: Reg<Bit>,
    /// The byte heard is not what it should be.
    wrong_so_far: Reg<Bit>,
    driving: Reg<Bit>,
    was_late: Reg<Bit>,
    /// Phases in a row in which the node was not ready, up to 64.
    undecided: Reg<Bits<7>>,
    count: Reg<Bits<CROSSED_BITS>>,
    sent_so_far: Reg<Sent>,
    received_so_far: Reg<Received>,
    code: Signal<Local, Bits<4>>,
    wrong: Signal<Local, Bit>,
}

impl<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize>
    FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Its frames tell how many cross edges their message has passed if it `counts` them,
    /// as in a metacube.
    ///
    /// # Panics
    /// If the payload does not fit the registers, which have `2^OFFSET_BITS` bytes.
    pub fn new(plan: EnginePlan, counts: bool) -> Self {
        assert!(
            register_holds(OFFSET_BITS, plan.payload),
            "a register of {} bytes holds a length, {} bytes of payload and the state of a link",
            1 << OFFSET_BITS,
            plan.payload
        );
        FrameEngine {
            acked: Parameter::new(plan.acked),
            turns: Parameter::new(plan.turns),
            counts: Parameter::new(counts),
            payload_max: Parameter::new(plan.payload.into()),
            timer: PhaseTimer::new(plan.phase),
            step: Reg::new(Step::Rest),
            ..Default::default()
        }
    }
}

impl<const LINKS: usize, const OFFSET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for FrameEngine<LINKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, step, offset, remaining, refusal, repeat);
        dff_setup!(self, clock, wrong_so_far);
        dff_setup!(self, clock, driving, was_late, undecided, count);
        dff_setup!(self, clock, sent_so_far, received_so_far);
        clock!(self, clock, timer, crc, sequence, expected, pendings, downs);
        let step = self.step.q.val();
        let transmit = self.transmit.val();
        let rx_data = self.rx_data.val();
        let read_data = self.read_data.val();
        let sent = self.sent_so_far.q.val();
        let refusal = self.refusal.q.val();
        let last_byte = self.remaining.q.val() == 1;
        link!(self, timer, begin);

        self.code.next = step.into();
        let byte = self.code.val().get_bits::<2>(0);
        let is_message = byte == 2;
        let is_crc = byte == 3;
        let counting = self.code.val().get_bit(3);
        let moving = !counting & (step != Step::Rest) & (step != Step::Settle);
        let answering = step == Step::Answer;
        let sending = transmit ^ answering;

        // A byte goes out or comes in, and then through the CRC.
        let may_pass = moving & !self.crc.busy.val();
        self.tx_start.next = may_pass & sending;
        match byte.index() {
            0 => self.tx_data.next = SYNC.into(),
            1 => {
                self.tx_data.next = bits::<8>(0x80).replace_bit(6, self.sequence.value.val())
                    | bit_cast::<8, CROSSED_BITS>(self.crossed.val())
            }
            2 => self.tx_data.next = read_data,
            _ => self.tx_data.next = self.crc.high.val(),
        }
        let passes = if sending {
            self.tx_ready.val()
        } else {
            self.rx_valid.val()
        };
        self.crc.byte.next = rx_data;
        self.crc.take.next = may_pass & passes;
        self.crc.rotate.next = is_crc;
        self.crc.invert.next = refusal & !answering;
        let dim_word = bit_cast::<16, DIM_BITS>(self.dim.val()) << 12;
        self.crc.start.next = !(self.sender.val() ^ dim_word);
        self.crc.load.next = step == Step::Sync;
        let byte_over = moving & self.crc.last.val();
        let heard = byte_over & !sending;

        // What is heard is compared bit by bit. A refusal is the CRC inverted, and
        // its first bit shows it.
        let bit = self.crc.bit.val();
        let place = self.crc.count.val();
        let top = self.crc.top.val();
        let counted = self.counts.val() & (place > 7 - CROSSED_BITS as u64);
        let first_of_answer = answering & !last_byte & (place == 0);
        match byte.index() {
            0 => self.wrong.next = bit == place.get_bit(0),
            1 => self.wrong.next = (place != 1) & !counted & (bit != (place == 0)),
            2 => self.wrong.next = false,
            _ => self.wrong.next = !first_of_answer & (bit ^ top ^ (refusal & answering)),
        }
        self.wrong_so_far.d.next =
            self.crc.busy.val() & (self.wrong_so_far.q.val() | self.wrong.val());
        if self.crc.busy.val() & !sending {
            if (step == Step::Header) & (place == 1) {
                self.repeat.d.next = bit != self.expected.value.val();
            }
            if (step == Step::Header) & counted {
                self.count.d.next = (self.count.q.val() << 1).replace_bit(0, bit);
            }
            if first_of_answer {
                self.refusal.d.next = bit ^ top;
            }
        }
        let bad_length = (rx_data < 2) | (rx_data > self.payload_max.val());
        let good =
            !self.wrong_so_far.q.val() & !self.wrong.val() & !((step == Step::Length) & bad_length);

        // The step ends with the byte.
        if byte_over {
            if is_message | is_crc {
                self.offset.d.next = self.offset.q.val() + 1;
            } else {
                self.offset.d.next = 0.into();
            }
            // After the payload, and after the CRC, two bytes come.
            if step == Step::Length {
                self.remaining.d.next = bit_cast::<OFFSET_BITS, 8>(rx_data);
            } else if last_byte {
                self.remaining.d.next = 2.into();
            } else {
                self.remaining.d.next = self.remaining.q.val() - 1;
            }
            match step {
                Step::Sync => self.step.d.next = Step::Header,
                Step::Header => self.step.d.next = Step::Length,
                Step::Length => self.step.d.next = Step::Payload,
                Step::Payload => {
                    if last_byte {
                        self.step.d.next = Step::Crc;
                    }
                }
                Step::Crc => {
                    if last_byte {
                        self.step.d.next = if self.acked.val() {
                            Step::Settle
                        } else {
                            Step::Rest
                        };
                    }
                }
                _ => {
                    if last_byte {
                        self.step.d.next = Step::Rest;
                    }
                }
            }
        }
        let full = self.full.val();
        let acked = self.acked.val();
        // Without answers the old message is overwritten from the length on.
        let length_heard = heard & good & (step == Step::Length);
        self.spoil.next = length_heard & full & !acked;
        if length_heard {
            self.refusal.d.next = full & !(acked & self.repeat.q.val());
        }
        let frame_heard = heard & good & (step == Step::Crc) & last_byte;
        self.store.next = frame_heard & !(acked & (refusal | self.repeat.q.val()));
        if heard {
            if !answering & (self.received_so_far.q.val() == Received::Nothing) {
                self.received_so_far.d.next = Received::Damaged;
            }
            if !good {
                self.step.d.next = Step::Rest;
            } else if answering & last_byte {
                self.sent_so_far.d.next = if refusal { Sent::Refused } else { Sent::Taken };
            }
        }
        if self.spoil.val() {
            self.received_so_far.d.next = Received::Spoiled;
        }
        if frame_heard {
            self.received_so_far.d.next = if self.store.val() {
                if refusal {
                    Received::Overwrote
                } else {
                    Received::Stored
                }
            } else if refusal {
                Received::Refused
            } else {
                Received::Repeat
            };
        }

        // Windows open and close.
        self.free.next = false;
        if self.timer.frame_open.val() {
            let fell_silent = self.undecided.q.val().get_bit(SIXTY_FOUR);
            if self.ready.val() {
                self.undecided.d.next = 0.into();
            } else if !fell_silent {
                self.undecided.d.next = self.undecided.q.val() + 1;
            }
            if !transmit {
                if self.ready.val() | !fell_silent {
                    self.step.d.next = Step::Sync;
                }
            } else if !self.ready.val() {
                self.was_late.d.next = true;
            } else if self.send.val() {
                self.step.d.next = Step::Sync;
                self.driving.d.next = true;
                self.sent_so_far.d.next = Sent::Silent;
            } else if acked & !self.pendings.value.val() {
                self.step.d.next = Step::Turn;
            }
        }
        if self.timer.frame_close.val() {
            self.driving.d.next = false;
            if !acked & (sent == Sent::Silent) {
                self.sent_so_far.d.next = Sent::Taken;
                self.free.next = true;
            }
        }
        if acked {
            if self.timer.answer_open.val() {
                self.step.d.next = Step::Rest;
                if step == Step::Settle {
                    self.step.d.next = Step::Answer;
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

        // The message memory. What is written belongs to the link; what is read,
        // too, unless a message is sent. They never meet.
        let own = self.own.val();
        let reads_message = is_message & transmit & !counting;
        let read_slot = if reads_message { self.slot.val() } else { own };
        let base = bit_cast::<ADDRESS_BITS, SLOT_BITS>(own) << (OFFSET_BITS as u64);
        let offset = bit_cast::<ADDRESS_BITS, OFFSET_BITS>(self.offset.q.val());
        let from_end = (1 << OFFSET_BITS) as u64;
        self.read_address.next =
            bit_cast::<ADDRESS_BITS, SLOT_BITS>(read_slot) << (OFFSET_BITS as u64);
        self.write_address.next = base | offset;
        self.write_data.next = rx_data;
        self.write_enable.next = heard & good & is_message & (!acked | !full);
        if reads_message {
            self.read_address.next = self.read_address.val() | offset;
        } else if step == Step::Silences {
            self.read_address.next = self.read_address.val() | (from_end - TURN_FROM_END);
        } else {
            self.read_address.next = self.read_address.val() | (from_end - SILENCES_FROM_END);
        }

        // After the answer the link's state is brought up to date.
        let silent = sent == Sent::Silent;
        self.expected.write.next = acked & self.store.val();
        self.expected.data.next = !self.expected.value.val();
        self.sequence.write.next = false;
        self.sequence.data.next = !self.sequence.value.val();
        self.pendings.write.next = self.forget.val();
        self.pendings.data.next = silent & !self.forget.val();
        self.downs.write.next = false;
        self.downs.data.next = true;
        let taken = sent == Sent::Taken;
        let last_silence = read_data == SILENCES - 1;
        if acked & counting {
            self.write_enable.next = true;
            if step == Step::Silences {
                self.write_address.next = base | (from_end - SILENCES_FROM_END);
                self.write_data.next = if silent { read_data + 1 } else { bits::<8>(0) };
                self.downs.write.next = last_silence & silent;
                self.step.d.next = Step::Turn;
            } else {
                self.write_address.next = base | (from_end - TURN_FROM_END);
                let refused = self.counts.val() & (sent == Sent::Refused);
                let served = if refused {
                    self.after_refusal.val()
                } else {
                    self.slot.val()
                };
                self.write_data.next = if sent == Sent::Nothing {
                    bits::<8>(0)
                } else {
                    bit_cast::<8, SLOT_BITS>(served) + (taken & self.turns.val())
                };
                self.pendings.write.next = true;
                self.free.next = taken;
                self.sequence.write.next = taken;
                self.step.d.next = Step::Rest;
            }
        }

        if self.begin.val() | self.mute.val() {
            self.step.d.next = Step::Rest;
            self.driving.d.next = false;
            self.refusal.d.next = false;
            self.was_late.d.next = false;
            self.count.d.next = 0.into();
            self.sent_so_far.d.next = Sent::Nothing;
            self.received_so_far.d.next = Received::Nothing;
        }
        link!(self, sequence, select);
        link!(self, expected, select);
        link!(self, pendings, select);
        link!(self, downs, select);
        self.pending.next = self.pendings.value.val();
        self.down.next = self.downs.value.val();
        self.all_down.next = self.downs.all.val();
        self.heard_crossed.next = self.count.q.val();
        self.window.next = self.timer.frame_open.val();
        self.late.next = self.was_late.q.val();
        self.sent.next = sent;
        self.received.next = self.received_so_far.q.val();
        self.drive.next = self.driving.q.val();
        self.rx_clear.next =
            self.begin.val() | self.timer.frame_open.val() | self.timer.answer_open.val();
    }
}

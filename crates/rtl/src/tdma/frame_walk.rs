//! The transfer of one frame and its answer over the wire.

use super::{Crc16, EnginePlan, FrameCheck, FrameEvents, FrameState, CROSSED_BITS, DIM_BITS};
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
    pub heard: FrameEvents,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub heard_crossed: Signal<Out, Bits<CROSSED_BITS>>,
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
        let refusal = self.check.refusal.val();
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
        let passes = if sending {
            self.tx_ready.val()
        } else {
            self.rx_valid.val()
        };
        self.crc.byte.next = rx_data;
        self.crc.take.next = may_pass & passes;
        self.crc.rotate.next = is_crc;
        self.crc.invert.next = refusal & !answering;
        self.crc.start.next = crc_start(self.sender.val(), self.dim.val());
        self.crc.load.next = step == FrameState::Sync;
        let byte_over = moving & self.crc.last.val();

        // Compares received bits with their expected values.
        let heard = byte_over & !sending;
        link!(self, check, stop, expected, full, heard_crossed => crossed);
        self.check.step.next = step;
        self.check.kind.next = kind;
        self.check.last_byte.next = last_byte;
        join!(self, crc, check, busy, bit, count => place, top);
        self.check.listens.next = !sending;
        self.check.byte.next = rx_data;
        self.check.heard.next = heard;
        let good = heard & self.check.good.val();
        self.heard.byte.next = heard & !answering;
        self.heard.spoil.next = self.check.spoil.val();
        self.heard.frame.next = good & (step == FrameState::Crc) & last_byte;
        self.heard.repeat.next = self.check.repeat.val();
        self.heard.answer.next = good & answering & last_byte;
        self.heard.refusal.next = refusal;
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
            let over = if acked {
                FrameState::AwaitAnswer
            } else {
                FrameState::Idle
            };
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
        if heard & !self.check.good.val() {
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

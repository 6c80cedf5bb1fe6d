//! The progress of a soft node's software within a phase.

use super::{COUNT_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Tracks the software of a node within a phase: the owner of the message memory, the decision, and
/// the next word of the selected buffer.
///
/// The message memory is `open` to the core from the beginning of a phase until the software writes
/// its decision or the frame window opens. A decision written in time may request a second opening.
/// The memory is then open again from the answer slot on, when the frame has ended, until the
/// software writes its decision once more. Commands of [`NodePort`](super::NodePort) apply to this
/// node while `serve` is high.
#[derive(LogicBlock, Circuit, Default)]
pub struct ServiceState<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Reset to the state before the first phase: decided to send nothing.
    pub reset: Signal<In, Bit>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<In, Bit>,
    /// High for one clock cycle: the answer slot opens.
    pub answer_open: Signal<In, Bit>,
    /// The frame engine needs the memory in this clock cycle even if it is open.
    pub enters: Signal<In, Bit>,
    /// The commands are for this node.
    pub serve: Signal<In, Bit>,
    /// Command: the phase is decided. The node sends the content of buffer `register` if `sends`.
    pub decide: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    /// With `decide`: open the memory again when the answer slot opens.
    pub reopens: Signal<In, Bit>,
    /// Command: select buffer `register`, with its word `position` next.
    pub choose: Signal<In, Bit>,
    pub register: Signal<In, Bits<SLOT_BITS>>,
    pub position: Signal<In, Bits<COUNT_BITS>>,
    /// Command: advance to the next word.
    pub advance: Signal<In, Bit>,
    /// The message memory belongs to the core, otherwise to the frame engine.
    pub open: Signal<Out, Bit>,
    /// The software has work to do: the phase is not decided, or the memory is open.
    pub wake: Signal<Out, Bit>,
    /// The phase is decided.
    pub decided: Signal<Out, Bit>,
    /// The node sends a message.
    pub send: Signal<Out, Bit>,
    /// Buffer of the message to send.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Buffer that the core has selected.
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// Byte address of the next word in that buffer, a multiple of four.
    pub at: Signal<Out, Bits<OFFSET_BITS>>,
    is_open: Reg<Bit>,
    is_decided: Reg<Bit>,
    /// The memory opens again with the answer slot.
    returns: Reg<Bit>,
    sending: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    selection: Reg<Bits<SLOT_BITS>>,
    next_byte: Reg<Bits<OFFSET_BITS>>,
    /// Mask of the buffer numbers; synthesis can see which bits are zero.
    mask: Parameter<Bits<SLOT_BITS>>,
}

impl<const OFFSET_BITS: usize> ServiceState<OFFSET_BITS> {
    /// Makes the state of a node with buffers numbered up to `last`. Before the first phase the
    /// node has decided to send nothing, so that the core may sleep.
    pub fn new(last: usize) -> Self {
        ServiceState {
            is_decided: Reg::new(true),
            mask: Parameter::new(super::mask_of(last + 1).into()),
            ..Default::default()
        }
    }
}

impl<const OFFSET_BITS: usize> Logic for ServiceState<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_open, is_decided, returns);
        dff_setup!(self, clock, sending, choice, selection, next_byte);
        let serve = self.serve.val();
        let decided = self.is_decided.q.val();
        let register = self.register.val() & self.mask.val();
        if serve & self.advance.val() {
            self.next_byte.d.next = self.next_byte.q.val() + 4;
        }
        if serve & self.choose.val() {
            self.selection.d.next = register;
            self.next_byte.d.next = self.position.val().resized::<OFFSET_BITS>() << 2;
        }
        let decides = serve & self.decide.val();
        if decides & !decided {
            self.is_decided.d.next = true;
            self.returns.d.next = self.reopens.val();
            self.sending.d.next = self.sends.val();
            self.choice.d.next = register;
        }
        if self.answer_open.val() {
            self.is_open.d.next = self.returns.q.val();
            self.returns.d.next = false;
        }
        if decides | self.window.val() {
            self.is_open.d.next = false;
        }
        if self.begin.val() {
            self.is_open.d.next = true;
            self.is_decided.d.next = false;
            self.returns.d.next = false;
            self.sending.d.next = false;
        }
        if self.reset.val() {
            self.is_open.d.next = false;
            self.is_decided.d.next = true;
            self.returns.d.next = false;
            self.sending.d.next = false;
            self.choice.d.next = 0.into();
            self.selection.d.next = 0.into();
            self.next_byte.d.next = 0.into();
        }
        self.open.next = self.is_open.q.val() & !self.enters.val();
        self.wake.next = self.is_open.q.val() | !decided;
        self.decided.next = decided;
        self.send.next = self.sending.q.val();
        self.slot.next = self.choice.q.val();
        self.selected.next = self.selection.q.val();
        self.at.next = self.next_byte.q.val();
    }
}

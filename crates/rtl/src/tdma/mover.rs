//! Messages on their way between a soft node and its host.

use hdl::cells::Reg;
use hdl::lower::{kernel, word, Circuit, Resize};
use rust_hdl::prelude::*;

/// What the mover does.
#[word]
pub enum Move {
    /// Nothing.
    Rest,
    /// Takes a message from the host.
    Take,
    /// Reads a byte of a message for the host.
    Fetch,
    /// Hands it over.
    Hand,
    /// Is ready.
    Done,
}

/// Copies whole messages between the host and a register of the message memory:
/// the software decides, but does not copy.
///
/// A command is held until `done`. It stands still while the message memory is
/// not `open` to it: the rest of a message is then copied in the next phase. A
/// byte is taken in one clock cycle and handed over in two.
#[derive(LogicBlock, Circuit, Default)]
pub struct Mover<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// It is a clock cycle of the node's. In others nothing changes: a node that is served in
    /// turn with others has a clock cycle now and then.
    pub turn: Signal<In, Bit>,
    /// Take a message from the host, if it has one.
    pub take: Signal<In, Bit>,
    /// Hand a message to the host.
    pub hand: Signal<In, Bit>,
    /// It may: else the command is done without a copy.
    pub legal: Signal<In, Bit>,
    /// The message memory is free.
    pub open: Signal<In, Bit>,
    /// High for one clock cycle: a message is being handed over from now on.
    pub begun: Signal<Out, Bit>,
    /// High for one clock cycle: the command is done.
    pub done: Signal<Out, Bit>,
    /// High for one clock cycle: a message was taken.
    pub taken: Signal<Out, Bit>,
    /// High for one clock cycle: a message was handed over.
    pub handed: Signal<Out, Bit>,
    /// The byte of the register that is read or written.
    pub offset: Signal<Out, Bits<OFFSET_BITS>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
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
    /// It is the last one.
    pub out_last: Signal<Out, Bit>,
    step: Reg<Move>,
    index: Reg<Bits<OFFSET_BITS>>,
    /// Bytes to come.
    remaining: Reg<Bits<OFFSET_BITS>>,
    last: Signal<Local, Bit>,
}

impl<const OFFSET_BITS: usize> Logic for Mover<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, step, index, remaining);
        let step = self.step.q.val();
        let index = self.index.q.val();
        let open = self.open.val() & self.turn.val();
        let read_data = self.read_data.val();
        let host_data = self.host_data.val();
        let remaining = self.remaining.q.val();
        self.last.next = (index != 0) & (remaining == 1);
        let last = self.last.val();

        self.begun.next = false;
        self.done.next = (step == Move::Done) & self.turn.val();
        self.taken.next = false;
        self.handed.next = false;
        self.offset.next = index;
        self.write_data.next = host_data;
        self.write_enable.next = (step == Move::Take) & open;
        self.host_index.next = index.resized();
        self.host_taken.next = false;
        self.out_valid.next = (step == Move::Hand) & open;
        self.out_data.next = read_data;
        self.out_last.next = last;

        match step {
            Move::Rest => {
                self.index.d.next = 0.into();
                if open & self.hand.val() {
                    self.begun.next = self.legal.val();
                    self.step.d.next = if self.legal.val() {
                        Move::Fetch
                    } else {
                        Move::Done
                    };
                } else if open & self.take.val() {
                    self.step.d.next = if self.host_valid.val() {
                        Move::Take
                    } else {
                        Move::Done
                    };
                }
            }
            Move::Take => {
                if open {
                    self.index.d.next = index + 1;
                    self.remaining.d.next = if index == 0 {
                        host_data.resized::<OFFSET_BITS>()
                    } else {
                        remaining - 1
                    };
                    if last {
                        self.taken.next = true;
                        self.host_taken.next = true;
                        self.step.d.next = Move::Done;
                    }
                }
            }
            Move::Fetch => {
                if open {
                    self.step.d.next = Move::Hand;
                }
            }
            Move::Hand => {
                self.step.d.next = Move::Fetch;
                if open {
                    self.index.d.next = index + 1;
                    self.remaining.d.next = if index == 0 {
                        read_data.resized::<OFFSET_BITS>()
                    } else {
                        remaining - 1
                    };
                    if last {
                        self.handed.next = true;
                        self.step.d.next = Move::Done;
                    }
                }
            }
            Move::Done => self.step.d.next = Move::Rest,
        }
        if !self.turn.val() {
            self.step.d.next = step;
            self.index.d.next = index;
            self.remaining.d.next = remaining;
        }
    }
}

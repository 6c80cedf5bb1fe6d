//! The transfer of messages between a soft node and its host.
use hdl::prelude::*;

/// State of the DMA copy unit.
#[word]
pub enum DmaState {
    /// Idle.
    Idle,
    /// Takes a message from the host.
    Take,
    /// Reads a byte of a message for the host.
    Fetch,
    /// Sends the byte to the host.
    Deliver,
    /// Signals that the command is done.
    Done,
}

/// Copies whole messages between the host and a buffer of the message memory, so that the software
/// only decides.
///
/// A command is held until `done`. The unit pauses while the message memory is not `open` to it;
/// the rest of the message is then copied in the next phase. Taking a byte needs one clock cycle,
/// delivering a byte two.
#[derive(LogicBlock, Circuit, Default)]
pub struct DmaCopy<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Clock enable: the clock cycle belongs to the node. In other clock cycles nothing changes.
    /// Time-multiplexed nodes have a clock cycle only now and then.
    pub turn: Signal<In, Bit>,
    /// Take a message from the host, if there is one.
    pub take: Signal<In, Bit>,
    /// Deliver a message to the host.
    pub deliver: Signal<In, Bit>,
    /// The command is allowed; otherwise it is done without a copy.
    pub legal: Signal<In, Bit>,
    /// The message memory is available.
    pub open: Signal<In, Bit>,
    /// High for one clock cycle: the delivery of a message begins.
    pub begun: Signal<Out, Bit>,
    /// High for one clock cycle: the command is done.
    pub done: Signal<Out, Bit>,
    /// High for one clock cycle: a message was taken.
    pub taken: Signal<Out, Bit>,
    /// High for one clock cycle: a message was delivered.
    pub delivered: Signal<Out, Bit>,
    /// Byte of the buffer that is read or written.
    pub offset: Signal<Out, Bits<OFFSET_BITS>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// Byte `host_index` of the message.
    pub host_data: Signal<In, Bits<8>>,
    /// Index of the requested byte: the length first, then the payload.
    pub host_index: Signal<Out, Bits<8>>,
    /// High for one clock cycle: the message was taken.
    pub host_taken: Signal<Out, Bit>,
    /// `out_data` is a byte for the host: the length first, then the payload.
    pub out_valid: Signal<Out, Bit>,
    /// Byte for the host.
    pub out_data: Signal<Out, Bits<8>>,
    /// The byte is the last one of the message.
    pub out_last: Signal<Out, Bit>,
    state: Reg<DmaState>,
    index: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes left.
    remaining: Reg<Bits<OFFSET_BITS>>,
    last: Signal<Local, Bit>,
}

impl<const OFFSET_BITS: usize> Logic for DmaCopy<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, index, remaining);
        let state = self.state.q.val();
        let index = self.index.q.val();
        let open = self.open.val() & self.turn.val();
        let read_data = self.read_data.val();
        let host_data = self.host_data.val();
        let remaining = self.remaining.q.val();
        self.last.next = (index != 0) & (remaining == 1);
        let last = self.last.val();

        self.begun.next = false;
        self.done.next = (state == DmaState::Done) & self.turn.val();
        self.taken.next = false;
        self.delivered.next = false;
        self.offset.next = index;
        self.write_data.next = host_data;
        self.write_enable.next = (state == DmaState::Take) & open;
        self.host_index.next = index.resized();
        self.host_taken.next = false;
        self.out_valid.next = (state == DmaState::Deliver) & open;
        self.out_data.next = read_data;
        self.out_last.next = last;

        match state {
            DmaState::Idle => {
                self.index.d.next = 0.into();
                if open & self.deliver.val() {
                    self.begun.next = self.legal.val();
                    self.state.d.next =
                        if self.legal.val() { DmaState::Fetch } else { DmaState::Done };
                } else if open & self.take.val() {
                    self.state.d.next =
                        if self.host_valid.val() { DmaState::Take } else { DmaState::Done };
                }
            }
            DmaState::Take => {
                if open {
                    self.index.d.next = index + 1;
                    self.remaining.d.next =
                        if index == 0 { host_data.resized::<OFFSET_BITS>() } else { remaining - 1 };
                    if last {
                        self.taken.next = true;
                        self.host_taken.next = true;
                        self.state.d.next = DmaState::Done;
                    }
                }
            }
            DmaState::Fetch => {
                if open {
                    self.state.d.next = DmaState::Deliver;
                }
            }
            DmaState::Deliver => {
                self.state.d.next = DmaState::Fetch;
                if open {
                    self.index.d.next = index + 1;
                    self.remaining.d.next =
                        if index == 0 { read_data.resized::<OFFSET_BITS>() } else { remaining - 1 };
                    if last {
                        self.delivered.next = true;
                        self.state.d.next = DmaState::Done;
                    }
                }
            }
            DmaState::Done => self.state.d.next = DmaState::Idle,
        }
        if !self.turn.val() {
            self.state.d.next = state;
            self.index.d.next = index;
            self.remaining.d.next = remaining;
        }
    }
}

//! The transfer of a message between a node's host and its message memory.

use super::{DeliveryReason, FromHost, ToHost};
use hdl::prelude::*;

/// Takes a message from the host, or delivers one, and detects the last byte.
///
/// A message is a length byte, then the payload. The first byte gives the number of bytes that
/// follow, at least one.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostExchange<const OFFSET_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Restart: from the next clock cycle on, the next byte is the first of a message.
    pub restart: Signal<In, Bit>,
    /// Takes a byte from the host.
    pub take: Signal<In, Bit>,
    /// Sends the byte `read_data` to the host.
    pub hand: Signal<In, Bit>,
    /// Reason why the message goes to the host.
    pub reason: Signal<In, DeliveryReason>,
    pub host: FromHost,
    pub out: ToHost,
    /// Index of the next byte; 0 is the length.
    pub index: Signal<Out, Bits<OFFSET_BITS>>,
    /// High for one clock cycle: a whole message has been taken.
    pub taken: Signal<Out, Bit>,
    /// High for one clock cycle: a whole message has been delivered.
    pub handed: Signal<Out, Bit>,
    /// High for one clock cycle: the delivered message was one that a link had to repeat.
    pub forget: Signal<Out, Bit>,
    /// From the message memory.
    pub read_data: Signal<In, Bits<8>>,
    /// To the message memory.
    pub write_data: Signal<Out, Bits<8>>,
    /// To the message memory.
    pub write_enable: Signal<Out, Bit>,
    next_byte: Reg<Bits<OFFSET_BITS>>,
    /// Number of bytes of the message left, once the length has passed.
    remaining: Reg<Bits<OFFSET_BITS>>,
}

impl<const OFFSET_BITS: usize> Logic for HostExchange<OFFSET_BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, next_byte, remaining);
        let take = self.take.val();
        let hand = self.hand.val();
        let index = self.next_byte.q.val();
        let remaining = self.remaining.q.val();
        let byte = if take {
            self.host.data.val()
        } else {
            self.read_data.val()
        };
        if take | hand {
            self.next_byte.d.next = index + 1;
            self.remaining.d.next = if index == 0 {
                byte.resized::<OFFSET_BITS>()
            } else {
                remaining - 1
            };
        }
        if self.restart.val() {
            self.next_byte.d.next = 0.into();
        }
        let last = (index != 0) & (remaining == 1);
        self.index.next = index;
        self.taken.next = take & last;
        self.handed.next = hand & last;
        self.forget.next = hand & last & (self.reason.val() == DeliveryReason::Unknown);
        self.host.index.next = index.resized();
        self.host.taken.next = take & last;
        self.write_data.next = self.host.data.val();
        self.write_enable.next = take;
        self.out.valid.next = hand;
        self.out.data.next = self.read_data.val();
        self.out.last.next = last;
        self.out.reason.next = self.reason.val();
    }
}

//! The byte channel, on which packets travel in the torus (torus-routing-chip,
//! sections 4 and 5) and by minimal rotation: one way, one or two virtual channels, byte by byte.
//!
//! A channel has the wires `data`, and of each virtual channel a `request` and, the
//! other way, an `acknowledge`; all come from flip-flops. Signalling is 2-cycle: a
//! virtual channel is free when request and acknowledge are equal. A byte and the
//! change of its request begin with the same clock edge, and the wires have the byte
//! for one clock cycle. So a virtual channel carries a byte in two clock cycles at
//! best, and two of them together one in each.
//!
//! A byte with all its wires is a flit: `W` is 8, or 9 with a wire that tags the tail of
//! a packet as bit 8.

mod always;
mod byte_channel;
mod byte_counter;
mod byte_fifo;
mod byte_mailbox;
mod byte_receiver;
mod output_multiplexer;
mod output_queue;
mod queue_arbiter;

use super::list;
pub use always::Always;
pub use byte_channel::ByteChannel;
pub use byte_counter::ByteCounter;
pub use byte_fifo::ByteFifo;
pub use byte_mailbox::ByteMailbox;
pub use byte_receiver::ByteReceiver;
pub use output_multiplexer::OutputMultiplexer;
pub use output_queue::OutputQueue;
pub use queue_arbiter::QueueArbiter;

//! The byte channel, which carries the packets of the torus (torus-routing-chip, sections 4 and 5)
//! and of minimal rotation: one direction, one or two virtual channels, byte by byte.
//!
//! A channel has the wires `data`. Each virtual channel adds a `request` and, in the opposite
//! direction, an `acknowledge`. All wires come from flip-flops. Signalling is 2-cycle: a virtual
//! channel is free when request and acknowledge are equal. A byte and the change of its request
//! begin at the same clock edge, and the byte is on the wires for one clock cycle. One virtual
//! channel therefore carries at most one byte in two clock cycles, and two together one byte per
//! clock cycle.
//!
//! A byte with all its wires is a flit. `W` is 8, or 9 if bit 8 marks the tail of a packet.

mod byte_channel;
mod byte_counter;
mod byte_fifo;
mod byte_mailbox;
mod byte_receiver;
mod constant_step;
mod output_multiplexer;
mod output_queue;
mod queue_arbiter;

use super::list;
pub use byte_channel::ByteChannel;
pub use byte_counter::ByteCounter;
pub use byte_fifo::ByteFifo;
pub use byte_mailbox::ByteMailbox;
pub use byte_receiver::ByteReceiver;
pub use constant_step::ConstantStep;
pub use output_multiplexer::OutputMultiplexer;
pub use output_queue::OutputQueue;
pub use queue_arbiter::QueueArbiter;

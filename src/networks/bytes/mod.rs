//! What drives the networks of byte channels, torus and minimal rotation: their
//! processors, played in software, and who follows their packets over the wires.
//!
//! * [`ByteShape`]: what has to be known of a machine to drive it;
//! * [`ByteDriver`]: the processors;
//! * [`Standstill`]: who waits for whom when nothing moves any more;
//! * [`data`]: a payload as bytes none of which is zero;
//! * [`ByteFlags`]: the flags that both have;
//! * [`timebase`], [`silicon`]: time and cost of a machine to order.

pub mod data;
mod driver;
mod flags;
mod follower;
mod ledger;
mod order;
mod pins;
mod processors;
mod shape;
mod standstill;

pub use driver::ByteDriver;
pub use flags::{ByteFlags, MAX_QUEUE};
pub use order::{silicon, timebase};
pub use shape::{ByteShape, Pin, Stage, WatchedPort};
pub use standstill::{Standstill, WaitingPacket};

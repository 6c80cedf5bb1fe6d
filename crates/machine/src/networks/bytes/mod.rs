//! Driver of the byte-channel networks, torus and minimal rotation. The driver simulates their
//! processors and tracks their packets by the wires.
//!
//! * [`ByteShape`]: properties of a machine that the driver needs;
//! * [`ByteDriver`]: the processors;
//! * [`StallReport`]: waiting packets and the packets that block them, when nothing moves;
//! * [`data`]: encodes a payload as bytes without zeros;
//! * [`ByteFlags`]: the flags that both networks have;
//! * [`timebase`], [`silicon`]: time base and cost of a machine.

pub mod data;
mod driver;
mod flags;
mod ledger;
mod order;
mod packet_tracker;
mod pins;
mod processors;
mod shape;
mod stall;

pub use driver::ByteDriver;
pub use flags::{ByteFlags, MAX_QUEUE};
pub use order::{silicon, timebase};
pub use shape::{ByteShape, ConstantInput, RouteStage, WatchedPort};
pub use stall::{StallReport, WaitingPacket};

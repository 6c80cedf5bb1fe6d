//! Arguments that several subcommands share, one group in each file.

mod choice;
mod cm1;
mod cube;
mod engine;
mod link;
mod look;
mod network;
mod output;
mod traffic;

pub use choice::{Choice, ChoiceError};
pub use cm1::{Cm1Args, Cm1Job};
pub use cube::parse_cube;
pub use engine::{Engine, EngineArgs};
pub use link::{Link, LinkArgs};
pub use look::{LookArgs, Time};
pub use network::{Network, NetworkArgs};
pub use output::OutputArgs;
pub use traffic::{parse_payload, TrafficArgs};

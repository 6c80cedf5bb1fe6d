//! Arguments that several subcommands share, one group in each file.

mod choice;
mod cm1;
mod cube;
mod engine;
mod link;
mod look;
mod network;
mod number;
mod output;
mod traffic;

pub use choice::{Choice, ChoiceError};
pub use cm1::{parse_processors, parse_rows, Cm1Args, Cm1Job};
pub use cube::{parse_cube, parse_machine};
pub use engine::{Engine, EngineArgs};
pub use link::{Link, LinkArgs};
pub use look::{LookArgs, Time};
pub use network::{Network, NetworkArgs};
pub use number::within;
pub use output::OutputArgs;
pub use traffic::{dump, parse_payload, TrafficArgs};

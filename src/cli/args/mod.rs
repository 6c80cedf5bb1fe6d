//! Arguments that several subcommands share, one group in each file.

mod data;
mod look;
mod network;
mod traffic;

pub use data::DataArgs;
pub use look::{LookArgs, Time};
pub use network::NetworkArgs;
pub use traffic::{dump, parse_payload, TrafficArgs};

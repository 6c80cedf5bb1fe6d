//! Arguments that several subcommands share, one group in each file.

mod data;
mod look;
mod network;
mod traffic;

pub use data::DataArgs;
pub use look::{LookArgs, LookTime};
pub use network::NetworkArgs;
pub use traffic::{parse_payload, write_messages, TrafficArgs};

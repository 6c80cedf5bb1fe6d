//! Messages between host and board: requests, replies and their contents (docs/host-protocol.md).

mod about;
mod event;
mod reply;
mod request;
mod status;
#[cfg(test)]
mod tests;

pub use about::About;
pub use event::ProgramEvent;
pub use reply::{BoardReply, ErrorCode};
pub use request::HostRequest;
pub use status::{NodeProgramState, State, Status};

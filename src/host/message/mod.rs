//! Messages between host and board: requests, replies and their contents (docs/host-protocol.md).

mod about;
mod event;
mod reply;
mod request;
mod status;
#[cfg(test)]
mod tests;

pub use about::About;
pub use event::Event;
pub use reply::{ErrorCode, Reply};
pub use request::Request;
pub use status::{Place, State, Status};

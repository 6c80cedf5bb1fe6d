//! What host and board say to each other in frames: requests, replies, and what is in them
//! (docs/host-protocol.md).

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

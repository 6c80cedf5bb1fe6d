//! Traffic: messages, the patterns that generate them, and files of them (docs/traffic.md).
//!
//! * [`Message`]: one message; [`MessageList`]: millions of them;
//! * [`Pattern`]: a traffic pattern by its name;
//! * [`Recipe`]: pattern, seed and payload length, which determine a list of messages;
//! * [`mod@file`]: lists of messages as text;
//! * [`between_nodes`]: messages of processors as messages of their nodes;
//! * [`letters`]: twelve readable messages for a first example;
//! * [`Offered`]: messages that arrive over time;
//! * [`Travelling`]: the messages that leave their node;
//! * [`SplitMix64`]: the only source of random numbers.

mod exchange;
pub mod file;
mod letters;
mod list;
mod message;
mod offered;
mod pattern;
mod processors;
mod recipe;
mod splitmix;
mod travelling;

pub use exchange::ExchangeOrder;
pub use letters::letters;
pub use list::MessageList;
pub use message::{Message, PAYLOAD_MAX};
pub use offered::{Offered, MOMENTS};
pub use pattern::{Pattern, PatternError};
pub use processors::between_nodes;
pub use recipe::{Recipe, RecipeError, MESSAGES_MAX};
pub use splitmix::SplitMix64;
pub use travelling::Travelling;

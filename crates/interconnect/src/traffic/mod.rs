//! Traffic: messages, the patterns that generate them, and files of them (docs/traffic.md).
//!
//! * [`Message`]: one message; [`MessageList`]: millions of them;
//! * [`TrafficPattern`]: a traffic pattern by its name;
//! * [`Recipe`]: pattern, seed and payload length, which determine a list of messages;
//! * [`mod@file`]: lists of messages as text;
//! * [`to_node_messages`]: messages of processors as messages of their nodes;
//! * [`letters`]: twelve readable messages for a first example;
//! * [`OfferedLoad`]: messages that arrive over time;
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
pub use offered::{OfferedLoad, STEPS_PER_PERIOD};
pub use pattern::{PatternError, TrafficPattern};
pub use processors::to_node_messages;
pub use recipe::{Recipe, RecipeError, MESSAGES_MAX};
pub use splitmix::SplitMix64;
pub use travelling::Travelling;

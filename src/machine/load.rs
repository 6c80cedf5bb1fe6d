//! What a machine is to carry.

use crate::traffic::MessageList;
use crate::values::Values;
use std::sync::Arc;
use thiserror::Error;

/// Messages, and when their sources have them.
#[derive(Clone, Debug, Default)]
pub struct Load {
    pub messages: Arc<MessageList>,
    /// Of each message the bit-time in which its source has it; past the end of
    /// the list, from the start.
    pub created: Vec<u64>,
    /// Whether to keep the event log: it has a line for every hop.
    pub keep_events: bool,
    /// Of a machine whose nodes run programs of their own: what these are given. There are
    /// no messages then.
    pub data: Option<Arc<Values>>,
}

impl Load {
    /// All messages are there at the start.
    pub fn at_once(messages: impl Into<Arc<MessageList>>) -> Self {
        Load {
            messages: messages.into(),
            ..Load::default()
        }
    }

    /// Of each message the first of these steps that begins when it is there.
    pub fn releases(&self, step: u64) -> Vec<u64> {
        let steps = self.created.iter().map(|created| created.div_ceil(step));
        steps.collect()
    }
}

/// Why a machine cannot carry such messages; the message says what it could.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct LoadError(pub String);

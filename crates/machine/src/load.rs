//! Load of a machine: its messages or program data.

use crate::values::Values;
use interconnect::traffic::MessageList;
use std::sync::Arc;
use thiserror::Error;

/// Messages with their creation times.
#[derive(Clone, Debug, Default)]
pub struct Load {
    pub messages: Arc<MessageList>,
    /// Creation time of each message at its source, in bit-times. Messages beyond the end of the
    /// list exist from the start.
    pub created: Vec<u64>,
    /// True to keep the event log, which has a line for every hop.
    pub keep_events: bool,
    /// Data for the programs of a machine whose nodes run their own programs. There are no messages
    /// then.
    pub data: Option<Arc<Values>>,
}

impl Load {
    /// Load whose messages all exist at the start.
    pub fn at_once(messages: impl Into<Arc<MessageList>>) -> Self {
        Load {
            messages: messages.into(),
            ..Load::default()
        }
    }

    /// For each message, the first step of length `step` that begins after its creation.
    pub fn releases(&self, step: u64) -> Vec<u64> {
        let steps = self.created.iter().map(|created| created.div_ceil(step));
        steps.collect()
    }
}

/// The machine cannot carry these messages. The text says what is accepted.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct LoadError(pub String);

//! Schedules as JSON text: the order of links, and the pairs of phases in which each message moves.
//!
//! ```json
//! {
//!   "phasecube_schedule": 1,
//!   "network": "3-cube",
//!   "order": [0, 1, 2, 2, 1, 0],
//!   "messages": [
//!     {"source": 1, "destination": 4, "payload": "DE0D", "pairs": [0, 2]}
//!   ]
//! }
//! ```
//!
//! Links are open in the order of `order`, for one pair of phases each. Pairs are counted from 0.
//! `payload` is pairs of hex digits.

use super::{CompiledSchedule, ScheduleFault};
use crate::topology::{Metacube, Topology};
use crate::traffic::{Message, MessageList, PAYLOAD_MAX};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use thiserror::Error;

/// Version of the file format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleFile {
    phasecube_schedule: u32,
    /// Name of the cube or metacube.
    network: String,
    order: Vec<u32>,
    messages: Vec<ScheduleFileMessage>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleFileMessage {
    source: u32,
    destination: u32,
    payload: String,
    pairs: Vec<u32>,
}

/// Reason why a schedule file is rejected.
#[derive(Debug, Error)]
pub enum ScheduleFileError {
    #[error("{0}; accepted: a schedule as `phasecube compile` writes it")]
    Json(#[from] serde_json::Error),
    #[error("the schedule has version {0}; accepted: version {VERSION}")]
    Version(u32),
    #[error("the schedule is for the {found}; accepted: a schedule for the {wanted}")]
    Network { found: String, wanted: String },
    #[error("message {message} has the node {node}; accepted: 0 to {most}")]
    Node { message: usize, node: u32, most: u32 },
    #[error("message {message} has the payload {found:?}; accepted: up to {PAYLOAD_MAX} bytes as pairs of hex digits")]
    Payload { message: usize, found: String },
    #[error("{0}")]
    Fault(#[from] ScheduleFault),
}

/// Writes a schedule and its messages, one line per message.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write(
    out: &mut (impl Write + ?Sized),
    schedule: &CompiledSchedule,
    messages: &MessageList,
) -> io::Result<()> {
    let name = serde_json::to_string(&schedule.shape.name())?;
    let order = serde_json::to_string(&schedule.order)?;
    write!(
        out,
        "{{\n  \"phasecube_schedule\": {VERSION},\n  \"network\": {name},\n  \
         \"order\": {order},\n  \"messages\": ["
    )?;
    for (place, (message, pairs)) in messages.iter().zip(&schedule.pairs).enumerate() {
        let line = ScheduleFileMessage {
            source: message.source,
            destination: message.destination,
            payload: message.payload.iter().map(|b| format!("{b:02X}")).collect(),
            pairs: pairs.clone(),
        };
        let comma = if place == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}", serde_json::to_string(&line)?)?;
    }
    writeln!(out, "\n  ]\n}}")
}

/// Reads a schedule for this cube or metacube and its messages, and checks it.
///
/// # Errors
/// Returns an error if the text is not a schedule, is for another network, or can't be followed.
pub fn parse(
    text: &str,
    shape: Metacube,
) -> Result<(CompiledSchedule, MessageList), ScheduleFileError> {
    let file: ScheduleFile = serde_json::from_str(text)?;
    if file.phasecube_schedule != VERSION {
        return Err(ScheduleFileError::Version(file.phasecube_schedule));
    }
    if file.network != shape.name() {
        return Err(ScheduleFileError::Network { found: file.network, wanted: shape.name() });
    }
    let mut messages = MessageList::default();
    let (mut ends, mut pairs) = (vec![], vec![]);
    for (place, line) in file.messages.into_iter().enumerate() {
        for node in [line.source, line.destination] {
            if node >= shape.nodes() {
                return Err(ScheduleFileError::Node {
                    message: place,
                    node,
                    most: shape.nodes() - 1,
                });
            }
        }
        let payload = bytes(&line.payload).ok_or_else(|| ScheduleFileError::Payload {
            message: place,
            found: line.payload.clone(),
        })?;
        messages.push(Message {
            source: line.source,
            destination: line.destination,
            payload: &payload,
        });
        ends.push([line.source, line.destination]);
        pairs.push(line.pairs);
    }
    let schedule = CompiledSchedule { shape, order: file.order, pairs };
    schedule.check(&ends)?;
    Ok((schedule, messages))
}

/// Parses pairs of hex digits. Returns `None` if they are more bytes than a message has.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits?;
    let pairs = digits.chunks_exact(2);
    let whole = pairs.remainder().is_empty() && digits.len() <= 2 * PAYLOAD_MAX;
    whole.then(|| pairs.map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

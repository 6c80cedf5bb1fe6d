//! Outcome of each message, for `run --json --message-records`.

use interconnect::traffic::MessageList;
use machine::{Delivery, Outcome};
use serde::Serialize;

/// Report of a run with the records of its messages.
#[derive(Serialize)]
pub struct RunReport<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_records: Option<MessageRecords>,
}

/// Records of the messages in the order of their list, a column for each property.
#[derive(Serialize)]
struct MessageRecords {
    source: Vec<u32>,
    destination: Vec<u32>,
    /// Name of the count of `--json` that includes the message.
    outcome: Vec<&'static str>,
    /// Step of the arrival, or of the loss.
    step: Vec<Option<u32>>,
}

impl<'a> RunReport<'a> {
    /// Creates the report, with records if `messages` are given.
    pub fn new(outcome: &'a Outcome, messages: Option<&MessageList>) -> Self {
        let deliveries = &outcome.stats.deliveries;
        RunReport {
            outcome,
            message_records: messages.map(|messages| MessageRecords::new(messages, deliveries)),
        }
    }
}

impl MessageRecords {
    fn new(messages: &MessageList, deliveries: &[Delivery]) -> Self {
        let (source, destination) = (0..deliveries.len())
            .map(|number| messages.get(number))
            .map(|message| (message.source, message.destination))
            .unzip();
        let (outcome, step) = deliveries.iter().map(outcome_and_step).unzip();
        MessageRecords { source, destination, outcome, step }
    }
}

fn outcome_and_step(delivery: &Delivery) -> (&'static str, Option<u32>) {
    match *delivery {
        Delivery::Delivered { t } => ("delivered", Some(t)),
        Delivery::ToSelf => ("to_self", None),
        Delivery::Lost { t } => ("lost", Some(t)),
        Delivery::Undelivered => ("undelivered", None),
        Delivery::Unknown => ("unknown", None),
        Delivery::UnderWay => ("unfinished", None),
    }
}

//! Compares a machine with a schedule with the second model (`sim/model`).

use crate::model::CubeModelRun;
use phasecube::machine::{Delivery, RunStats};
use phasecube::traffic::Message;

/// Checks that the event logs and the results of all messages are equal.
pub fn as_modelled(run: &RunStats, wanted: &CubeModelRun, messages: &[Message], which: &str) {
    assert_eq!(run.events, wanted.events, "{which}");
    deliveries_as_modelled(run, wanted, messages, which);
}

/// Checks that the result of each message equals the model's.
pub fn deliveries_as_modelled(
    run: &RunStats,
    wanted: &CubeModelRun,
    messages: &[Message],
    which: &str,
) {
    for (i, delivery) in run.deliveries.iter().enumerate() {
        let reported = match delivery {
            Delivery::ToSelf => (None, false),
            Delivery::Delivered { t } => (Some(u64::from(*t)), false),
            Delivery::Lost { .. } => (None, true),
            other => panic!("{which}: message {i} is {other:?}"),
        };
        let wanted = (wanted.delivered[i], wanted.lost[i]);
        assert_eq!(reported, wanted, "{which}: message {i}, {:?}", messages[i]);
    }
    assert_eq!(run.undetected + run.duplicated, 0);
}

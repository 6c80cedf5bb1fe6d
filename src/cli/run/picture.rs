//! `--picture`.

use super::look::ObservationPlan;
use crate::cli::args::LookArgs;
use crate::cli::files::OutputTarget;
use crate::cli::CliError;
use anyhow::anyhow;
use lab::report::{MessageRoute, MessageTimeline, SchedulePicture, ScheduledMachine};
use machine::networks::MachineJob;
use machine::wave::WaveSubject;
use machine::RunStats;

/// Rejects, before the run, a picture of a message that does not exist, or of too many messages.
pub fn check_request(args: &LookArgs, job: &MachineJob) -> Result<(), CliError> {
    let all = job.messages.len();
    let whole = || job.machine.subject().steps.period.is_none();
    match args.message {
        _ if args.picture.is_none() => Ok(()),
        _ if all == 0 => Err(CliError::BadInput(anyhow!(
            "--picture has no messages to draw; accepted: another --pattern"
        ))),
        Some(message) if message >= all => Err(CliError::BadInput(anyhow!(
            "--message {message}: there are {all} messages; accepted: 0 to {}",
            all - 1
        ))),
        _ if all > MessageTimeline::MESSAGES_MAX && whole() => Err(CliError::BadInput(anyhow!(
            "--picture draws each message of a machine without a schedule, and there are {all}; \
             accepted: up to {} messages",
            MessageTimeline::MESSAGES_MAX
        ))),
        _ => Ok(()),
    }
}

/// Draws one period of a schedule. Without a schedule, draws the messages of the whole run.
pub fn draw(
    args: &LookArgs,
    target: Option<&OutputTarget>,
    view: &ObservationPlan,
    (job, account): (&MachineJob, &RunStats),
) -> Result<(), CliError> {
    let Some(target) = target else {
        return Ok(());
    };
    let WaveSubject {
        topology, steps, ..
    } = view.subject();
    let (topology, messages) = (&**topology, &*job.messages);
    let svg = match &steps.period {
        Some(period) => {
            let route = match args.message {
                Some(message) => Some(MessageRoute::new(
                    topology,
                    messages,
                    &account.events,
                    message,
                )),
                None => MessageRoute::longest(topology, messages, &account.events),
            };
            let machine = ScheduledMachine {
                topology,
                step: steps.name,
                period,
            };
            let picture = SchedulePicture {
                machine,
                events: &account.events,
                number: period.number(view.first_step()),
                route: route.expect("there are messages: it was checked"),
            };
            picture.svg()
        }
        None => {
            let picture = MessageTimeline {
                topology,
                step: steps.name,
                messages,
                deliveries: &account.deliveries,
                processors: (job.addresses.nodes() / topology.nodes()).max(1),
            };
            picture.svg()
        }
    };
    let written = target.write(|out| Ok(out.write_all(svg.as_bytes())?));
    written.map_err(CliError::Failed)
}

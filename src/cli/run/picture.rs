//! `--picture`.

use super::look::View;
use crate::cli::args::LookArgs;
use crate::cli::files::Target;
use crate::cli::Failure;
use crate::machine::Account;
use crate::networks::Job;
use crate::report::{Lives, Pictured, Route, Scheduled};
use crate::wave::Subject;
use anyhow::anyhow;

/// Rejects, before the run, a picture of a message that does not exist, or of too many messages.
pub fn check(args: &LookArgs, job: &Job) -> Result<(), Failure> {
    let all = job.messages.len();
    let whole = || job.machine.subject().steps.period.is_none();
    match args.message {
        _ if args.picture.is_none() => Ok(()),
        _ if all == 0 => Err(Failure::BadInput(anyhow!(
            "--picture shows what became of messages, and there are none; accepted: another \
             --pattern"
        ))),
        Some(message) if message >= all => Err(Failure::BadInput(anyhow!(
            "--message {message}: there are {all} messages; accepted: 0 to {}",
            all - 1
        ))),
        _ if all > Lives::MOST && whole() => Err(Failure::BadInput(anyhow!(
            "--picture draws each message of a machine without a schedule, and there are {all}; \
             accepted: up to {} messages",
            Lives::MOST
        ))),
        _ => Ok(()),
    }
}

/// Draws one period of a schedule. Without a schedule, draws the messages of the whole run.
pub fn draw(
    args: &LookArgs,
    target: Option<&Target>,
    view: &View,
    (job, account): (&Job, &Account),
) -> Result<(), Failure> {
    let Some(target) = target else {
        return Ok(());
    };
    let Subject {
        topology, steps, ..
    } = view.subject();
    let (topology, messages) = (&**topology, &*job.messages);
    let svg = match &steps.period {
        Some(period) => {
            let route = match args.message {
                Some(message) => Some(Route::new(topology, messages, &account.events, message)),
                None => Route::longest(topology, messages, &account.events),
            };
            let machine = Scheduled {
                topology,
                step: steps.word,
                period,
            };
            let picture = Pictured {
                machine,
                events: &account.events,
                number: period.number(view.first()),
                route: route.expect("there are messages: it was checked"),
            };
            picture.svg()
        }
        None => {
            let picture = Lives {
                topology,
                step: steps.word,
                messages,
                fates: &account.fates,
                processors: (job.addresses.nodes() / topology.nodes()).max(1),
            };
            picture.svg()
        }
    };
    let written = target.write(|out| Ok(out.write_all(svg.as_bytes())?));
    written.map_err(Failure::Failed)
}

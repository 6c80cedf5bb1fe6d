//! `--picture`.

use crate::cli::args::LookArgs;
use crate::cli::files::Target;
use crate::cli::Failure;
use crate::machine::Event;
use crate::report::{Pictured, Route, Scheduled};
use crate::traffic::MessageList;
use anyhow::anyhow;

/// Refuses, before anything runs, a picture of a message that there is not.
pub fn check(args: &LookArgs, messages: &MessageList) -> Result<(), Failure> {
    let all = messages.len();
    match args.message {
        _ if args.picture.is_none() => Ok(()),
        _ if all == 0 => Err(Failure::BadInput(anyhow!(
            "--picture shows a period of the schedule and the way of a message, and there are no messages; \
             accepted: another --pattern"
        ))),
        Some(message) if message >= all => Err(Failure::BadInput(anyhow!(
            "--message {message}: there are {all} messages; accepted: 0 to {}",
            all - 1
        ))),
        _ => Ok(()),
    }
}

/// Draws what happened in a period with this number, if that is wanted.
pub fn draw(
    args: &LookArgs,
    target: Option<&Target>,
    machine: Option<(Scheduled, u64)>,
    (messages, events): (&MessageList, &[Event]),
) -> Result<(), Failure> {
    let (Some(target), Some((machine, number))) = (target, machine) else {
        return Ok(());
    };
    let topology = machine.topology;
    let route = match args.message {
        Some(message) => Some(Route::new(topology, messages, events, message)),
        None => Route::longest(topology, messages, events),
    };
    let picture = Pictured {
        machine,
        events,
        number,
        route: route.expect("there are messages: it was checked"),
    };
    let svg = picture.svg();
    let written = target.write(|out| Ok(out.write_all(svg.as_bytes())?));
    written.map_err(Failure::Failed)
}

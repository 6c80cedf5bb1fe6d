//! Runs of programs with input data: their files and their summary.

use super::{summary, RunArgs};
use crate::cli::args::NO_DATA;
use crate::cli::files::OutputTarget;
use crate::cli::CliError;
use anyhow::anyhow;
use clap::parser::ValueSource;
use interconnect::topology::AddressSpace;
use machine::networks::tdma::LinkKind;
use machine::networks::{Machine, MachineJob};
use machine::program::{star, ProgramName};
use machine::text::format_count;
use machine::values::{self, ProgramValue, ValueDifference, Values};
use machine::{DroppedMessage, EndReason, Outcome, ProgramResults, RefusedSends, RuntimeReport};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolchain::progress;

/// Most nodes, and most differences, that are listed one by one.
const LISTED: usize = 16;

/// Most characters of a node's values in the table.
const WIDTH: usize = 60;

/// Payload that the machine is built for. For a StarC program it is what its exchanges need, unless
/// the flag is given. Other programs with data need room for the reports of their runtime.
///
/// # Errors
/// Bad input, if the StarC program has errors or is without data, or if a program needs more than the
/// flag says.
pub fn payload(args: &RunArgs) -> Result<usize, CliError> {
    let flags = &args.network.flags.0;
    let given = args.traffic.payload;
    let program = flags.try_get_one::<ProgramName>("firmware").ok().flatten();
    let is_starc = |name: &&ProgramName| name.user_path().is_some_and(star::is_starc);
    let Some(program) = program.filter(is_starc) else {
        let least = RuntimeReport::PAYLOAD;
        return match program.is_some() && args.data.data.is_some() && given < least {
            true => Err(CliError::BadInput(anyhow!(
                "--payload {given} is too short for the reports of a program to its host: texts and \
                 refused calls of ctrl_send; accepted: --payload {least} or more with --data"
            ))),
            false => Ok(given),
        };
    };
    let bad = |message| Err(CliError::BadInput(anyhow!("{program}: {message}")));
    if args.data.data.is_none() {
        return bad(format!(
            "a StarC program does not route traffic; accepted: --data FILE.csv, or --data {NO_DATA}"
        ));
    }
    // As the machine translates the program later.
    let link = flags.try_get_one::<LinkKind>("link").ok().flatten();
    let own_core = flags.try_get_many::<PathBuf>("core").ok().flatten();
    let options = star::Options {
        dims: args.cube.dims(),
        has_background: own_core.is_none(),
        has_answers: link != Some(&LinkKind::Raw),
        ..star::Options::default()
    };
    let needed = star::payload(program, &options).map_err(|e| CliError::BadInput(e.into()))?;
    let needed = needed as usize;
    match flags.value_source("payload") {
        Some(ValueSource::CommandLine) if given < needed => bad(format!(
            "its exchanges and its host need {needed} bytes; accepted: --payload {needed} or more"
        )),
        Some(ValueSource::CommandLine) => Ok(given),
        _ => Ok(needed.max(given)),
    }
}

/// Expected results of programs that are given data.
pub struct ProgramTask {
    expected: Option<Values>,
    tolerance: u32,
}

/// Differences between returned and expected values, if any values were expected.
pub struct ProgramVerdict {
    pub differences: Vec<ValueDifference>,
    checked: bool,
}

impl ProgramTask {
    /// Reads the data of the programs from the flags into the load of the job, and returns the
    /// expected results; `None` without `--data`.
    ///
    /// # Errors
    /// Bad input, if a file is invalid.
    pub fn new(
        args: &RunArgs,
        payload: usize,
        job: &mut MachineJob,
    ) -> Result<Option<Self>, CliError> {
        let addresses = job.addresses;
        let Some(data) = &args.data.data else {
            return Ok(None);
        };
        let read = |path: &Path| {
            let values = values::read(path, addresses);
            values.map_err(|e| CliError::BadInput(e.into()))
        };
        let mut note = None;
        let data = match data == Path::new(NO_DATA) {
            true => Values::none(addresses.nodes()),
            false => {
                let read = read(data)?;
                note = without_line_text(data, addresses, &read.without_line);
                read.values
            }
        };
        let expected = args.data.check.as_deref().map(read).transpose()?;
        let shown = args.data.node.iter().map(|node| addresses.address(*node));
        // A message from the host carries a destination and as much payload as a message between
        // nodes.
        let (longest, most) = (data.longest(), payload + 2);
        if longest > most {
            return Err(CliError::BadInput(anyhow!(
                "--data: a value has {longest} bytes, and the machine is built for {most}; \
                 accepted: --payload {} or more",
                longest - 2
            )));
        }
        if let Some(note) = note {
            progress::note(&note);
        }
        job.load.data = Some(Arc::new(data));
        job.load.max_values = Some(args.data.max_values);
        job.load.shown_nodes = shown.collect::<Result<_, _>>()?;
        Ok(Some(ProgramTask {
            expected: expected.map(|expected| expected.values),
            tolerance: args.data.tolerance,
        }))
    }

    /// Compares the values that the programs returned with the expected ones.
    pub fn verdict(&self, programs: &ProgramResults) -> ProgramVerdict {
        let differences = self.expected.as_ref().map(|expected| {
            let returned = &programs.returned;
            let mut differences = returned.differences(expected, self.tolerance);
            differences.retain(|difference| !programs.dead.contains(&difference.node));
            differences
        });
        ProgramVerdict {
            checked: differences.is_some(),
            differences: differences.unwrap_or_default(),
        }
    }
}

/// Formats the nodes that a file of data does not mention, if there are any.
fn without_line_text(file: &Path, addresses: AddressSpace, nodes: &[u32]) -> Option<String> {
    if nodes.is_empty() {
        return None;
    }
    let shown: Vec<String> = nodes.iter().take(LISTED).map(|n| addresses.hex(*n)).collect();
    let more = if nodes.len() > LISTED { ", .." } else { "" };
    Some(format!(
        "{} of {} nodes have no line in {}, so their programs get no values: {}{more}; a line \
         *,VALUE is for all of them",
        nodes.len(),
        addresses.nodes(),
        file.display(),
        shown.join(", ")
    ))
}

/// Rejects, for a run on traffic, a program that sends arbitrary values to its host.
///
/// # Errors
/// Bad input, if the firmware is such a program.
pub fn check_is_router(machine: &dyn Machine) -> Result<(), CliError> {
    match machine.firmware() {
        Some(firmware) if firmware.symbols.has("ctrl_send") => Err(CliError::BadInput(anyhow!(
            "{} needs data: it sends results to its host (ctrl_send) and cannot route traffic; \
                 accepted: --data FILE.csv with lines node,value,value,.., or --data {NO_DATA}",
            firmware.name
        ))),
        _ => Ok(()),
    }
}

/// Writes the returned values to the file of `--results`.
///
/// # Errors
/// If the file cannot be written.
pub fn write_results(
    target: &OutputTarget,
    programs: &ProgramResults,
    addresses: AddressSpace,
) -> Result<(), CliError> {
    let values = &programs.returned;
    let written = target.write(|out| Ok(values::write(out, values, addresses)?));
    written.map_err(CliError::Failed)
}

impl ProgramVerdict {
    /// Returns the verdict for `--json`; `None` if no values were expected.
    pub fn json(&self) -> Option<serde_json::Value> {
        let text = |value: &Option<ProgramValue>| value.as_ref().map(ProgramValue::to_string);
        let wrong: Vec<_> = self
            .differences
            .iter()
            .map(|d| {
                json!({
                    "node": d.node,
                    "place": d.position,
                    "returned": text(&d.returned),
                    "expected": text(&d.expected),
                })
            })
            .collect();
        self.checked.then(|| json!({"holds": wrong.is_empty(), "wrong": wrong}))
    }

    /// Describes the failure of the run in one sentence; `None` if it succeeded.
    pub fn error_text(&self, outcome: &Outcome, programs: &ProgramResults) -> Option<String> {
        let (nodes, left) = (programs.exits.len(), programs.unfinished_count());
        let period = outcome.timebase.period_name;
        let traps = &outcome.stats.traps;
        if !traps.is_empty() {
            return Some(super::summary::halted_text(outcome));
        }
        if let Some(node) = programs.overflow {
            let [values, texts, messages] = programs.output_counts(node);
            let counts = [
                (values, "returned", "value"),
                (texts, "printed", "text"),
                (messages, "dropped", "message"),
            ];
            let most = counts.into_iter().max_by_key(|(count, ..)| *count);
            let (count, done, what) = most.unwrap_or_default();
            return Some(format!(
                "node 0x{node:X} has {done} {}; --max-values N allows more",
                format_count(count, what)
            ));
        }
        match outcome.stats.end {
            EndReason::Deadlock { periods } => {
                return Some(format!(
                "{left} of {nodes} programs have not ended, and nothing has moved for {periods} \
                     {period}s"
            ))
            }
            EndReason::Limit { periods } | EndReason::Livelock { periods } => {
                return Some(format!(
                    "{left} of {nodes} programs have not ended after {periods} {period}s"
                ))
            }
            EndReason::Complete | EndReason::Halted { .. } | EndReason::Stopped { .. } => {}
        }
        if let Some((node, code)) = programs.failed() {
            return Some(format!("the program of node 0x{node:X} ended with exit code {code}"));
        }
        let Some(first) = self.differences.first() else {
            let (node, refused) = programs.refused.first_key_value()?;
            let calls = format_count(refused.calls, "call");
            return Some(format!(
                "{calls} of ctrl_send refused in node 0x{node:X}; {}",
                refused_cure(refused)
            ));
        };
        Some(format!(
            "{} of {nodes} nodes did not return the values of --check; the first is node 0x{:X}: {}",
            self.differences.len(),
            first.node,
            difference_text(first)
        ))
    }
}

/// Formats a difference without its node.
fn difference_text(difference: &ValueDifference) -> String {
    let ValueDifference { position: place, returned, expected, .. } = difference;
    match (returned, expected) {
        (Some(returned), Some(expected)) => {
            format!("value {place} is {returned}, and {expected} is expected")
        }
        (None, Some(expected)) => format!("value {place} is missing, and {expected} is expected"),
        (Some(returned), None) => {
            format!("value {place} is {returned}, and no more values are expected")
        }
        (None, None) => String::new(),
    }
}

/// Formats the summary as text.
pub fn text(
    job: &MachineJob,
    outcome: &Outcome,
    (programs, verdict): (&ProgramResults, &ProgramVerdict),
    trace: bool,
) -> String {
    let (machine, addresses) = (&*job.machine, job.addresses);
    let stats = &outcome.stats;
    let nodes = programs.exits.len();
    let name = machine.firmware().map_or("a program", |f| &f.name);
    let mut text = match trace {
        true => summary::event_log(machine, addresses, outcome),
        false => String::new(),
    };
    let _ = writeln!(
        text,
        "{}, {} engine: {name} has ended on {} of {nodes} nodes",
        machine.headline(),
        outcome.engine,
        programs.ended()
    );
    for line in &stats.summary_lines {
        text += line;
        text.push('\n');
    }
    text += &returned_table(addresses, programs);
    let counts = stats.entries.iter();
    let counts = counts.filter_map(|entry| Some((entry.value.as_u64()?, entry.label?)));
    text += &summary::count_lines(&counts.collect::<Vec<_>>());
    text += &refused_lines(addresses, programs);
    text += &dropped_lines(addresses, programs);
    text += &super::summary::trap_lines(addresses, outcome);
    text += &unfinished_table(addresses, programs);
    if verdict.checked {
        let wrong = verdict.differences.len();
        let _ = writeln!(
            text,
            "check: {} of {} nodes returned the expected values",
            nodes - programs.dead.len() - wrong,
            nodes - programs.dead.len()
        );
    }
    for difference in verdict.differences.iter().take(LISTED) {
        let node = addresses.hex(difference.node);
        let _ = writeln!(text, "  node {node}: {}", difference_text(difference));
    }
    text += &more_line(verdict.differences.len(), "more nodes");
    text + &summary::rate(outcome.node_cycles_per_second())
}

fn more_line(all: usize, what: &str) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        rest => format!("  and {rest} {what}\n"),
    }
}

/// Formats the first nodes and the values that they returned.
fn returned_table(addresses: AddressSpace, programs: &ProgramResults) -> String {
    let mut text = "node    exit  returned\n".to_owned();
    let nodes = programs.returned.0.iter().zip(&programs.exits);
    for (node, (values, exit)) in (0..).zip(nodes).take(LISTED) {
        let exit = match exit {
            Some(code) => code.to_string(),
            None if programs.dead.contains(&node) => "dead".to_owned(),
            None => "-".to_owned(),
        };
        let mut row = String::new();
        for (i, value) in values.iter().enumerate() {
            let value = value.to_string();
            if row.len() + value.len() > WIDTH {
                let _ = write!(row, ".. ({} values)", values.len());
                break;
            }
            let _ = write!(row, "{}{value}", if i > 0 { " " } else { "" });
        }
        let line = format!("{:<6}  {exit:>4}  {row}", addresses.hex(node));
        text += line.trim_end();
        text.push('\n');
    }
    text + &more_line(programs.exits.len(), "more nodes; --results FILE.csv has all")
}

/// Formats the calls of `ctrl_send` that were refused, with the flag that makes room.
pub fn refused_lines(addresses: AddressSpace, programs: &ProgramResults) -> String {
    let mut text = String::new();
    for (node, refused) in programs.refused.iter().take(LISTED) {
        let _ = writeln!(
            text,
            "  node {}: {} of ctrl_send refused, of up to {}; {}",
            addresses.hex(*node),
            format_count(refused.calls, "call"),
            format_count(refused.longest as u64, "byte"),
            refused_cure(refused)
        );
    }
    text + &more_line(programs.refused.len(), "more nodes")
}

/// Names what lets the refused calls succeed.
fn refused_cure(refused: &RefusedSends) -> String {
    match refused.longest {
        0 => "accepted: messages of 1 byte and more".to_owned(),
        longest => format!("--payload {} makes room", longest.saturating_sub(2)),
    }
}

/// Describes why a node dropped a message, and whether it may have arrived.
pub fn dropped_end(dropped: &DroppedMessage) -> &'static str {
    match dropped.may_have_arrived {
        true => "because a link is down; it may have arrived",
        false => "because a link is down",
    }
}

/// Formats the routed messages that nodes dropped.
fn dropped_lines(addresses: AddressSpace, programs: &ProgramResults) -> String {
    let mut text = String::new();
    for dropped in programs.dropped.iter().take(LISTED) {
        let node = addresses.hex(dropped.node);
        let destination = addresses.hex(dropped.destination);
        let phase = dropped.phase;
        let end = dropped_end(dropped);
        let _ = writeln!(
            text,
            "  node {node}: dropped a message for node {destination} in phase {phase}, {end}"
        );
    }
    text + &more_line(programs.dropped.len(), "more messages")
}

/// Formats the current location of the programs that have not ended.
fn unfinished_table(addresses: AddressSpace, programs: &ProgramResults) -> String {
    if programs.unfinished.is_empty() {
        return String::new();
    }
    let mut text = "not ended:\nnode    state   at          in\n".to_owned();
    for place in programs.unfinished.iter().take(LISTED) {
        let with_line = |at: &str, line: &Option<String>| match line {
            Some(line) => format!("{at} ({line})"),
            None => at.to_owned(),
        };
        let function = with_line(place.function.as_deref().unwrap_or("?"), &place.line);
        let from = match &place.from {
            Some(from) if Some(from) != place.function.as_ref() => {
                format!(", last in {}", with_line(from, &place.from_line))
            }
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "{:<6}  {:<6}  0x{:08X}  {function}{from}",
            addresses.hex(place.node),
            place.state.to_string(),
            place.pc
        );
    }
    text + &more_line(programs.unfinished.len(), "more nodes")
}

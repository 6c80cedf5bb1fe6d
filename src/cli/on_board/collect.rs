//! `phasecube collect`: prints the output of the programs on a board.

use super::{node_memory, open_program, PortArgs, LISTED};
use crate::cli::files::OutputTarget;
use crate::cli::output::Report;
use crate::cli::run::programs::{dropped_end, refused_lines};
use crate::cli::CliError;
use anyhow::anyhow;
use board::host::message::{ProgramEvent, State, Status};
use board::host::Machine;
use clap::Args;
use interconnect::topology::AddressSpace;
use machine::flags::{OutputFile, OutputFlags};
use machine::program::{ProgramName, Symbols};
use machine::text::format_count;
use machine::values::{self, ProgramValue, Values};
use machine::{DroppedMessage, PrintedText, ProgramResults, RuntimeReport, Trap};
use serde_json::json;
use std::fmt::Write;

/// Print the messages of the programs on a board as they arrive
///
/// A line has the node, the values, and the number of completed phases. The command ends when all
/// programs have ended or halted, or nothing moves any more. It fails unless all programs have
/// ended with exit code 0.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube collect --out results.csv\n  phasecube collect --messages 1 --port tcp:7700"
)]
pub struct CollectArgs {
    #[command(flatten)]
    port: PortArgs,

    /// Program that runs on the board, as in load, to print the texts of ctrl_print. Without it they
    /// are printed as the messages that carry them
    #[arg(long, value_name = "PROGRAM", value_parser = ProgramName::parser(&[]), hide_possible_values = true)]
    firmware: Option<ProgramName>,

    /// End with success after this number of messages; a router such as route never ends
    #[arg(long, value_name = "N")]
    messages: Option<usize>,

    /// Also write the values to this file, in the form of run --results; - for standard output
    #[arg(long, value_name = "FILE.csv", conflicts_with = "json")]
    out: Option<OutputFile>,

    #[command(flatten)]
    output: OutputFlags,
}

/// Collects the events of the machine and prints them.
pub fn collect(args: &CollectArgs) -> Result<(), CliError> {
    let target = OutputTarget::from_flag("--out", args.out.as_ref())?;
    let report = Report::avoiding([&target]);
    let mut machine = args.port.connect()?;
    let addresses = machine.addresses();
    let nodes = machine.about().nodes;
    let mut symbols = None;
    if let Some(firmware) = &args.firmware {
        let firmware = open_program(firmware, node_memory(machine.about()), nodes)?;
        // Without a program there is nothing to collect, which is reported below.
        if machine.status()?.state != State::Empty {
            machine.check_program(&firmware)?;
        }
        symbols = Some(firmware.symbols);
    }
    let mut collection = Collection::new(addresses, symbols);
    let wanted = args.messages.unwrap_or(usize::MAX);
    let mut events = machine.collect_streaming();
    while collection.messages < wanted {
        let Some(event) = events.next().transpose()? else {
            break;
        };
        // A reply with a wrong node is refused here.
        addresses.address(event.node().into())?;
        if let (Some(line), false) = (collection.take(event), args.output.json) {
            report.print(&line)?;
        }
    }
    let programs = &collection.programs;
    if let Some(target) = &target {
        let values = &programs.returned;
        let written = target.write(|out| Ok(values::write(out, values, addresses)?));
        written.map_err(CliError::Failed)?;
    }
    if args.output.json {
        let mut printed = programs.json();
        printed["traps"] = json!(collection.traps);
        report.print(&format!("{printed}\n"))?;
    } else {
        report.print(&refused_lines(addresses, programs))?;
    }
    // The board does not repeat events that an earlier client has collected, but its counters
    // include them.
    let status = machine.status()?;
    if collection.messages >= wanted {
        return Ok(());
    }
    if let Some(reason) = collection.failure(args.messages, &mut machine, &status)? {
        return Err(CliError::Failed(anyhow!(reason)));
    }
    if !args.output.json {
        report.print(&format!("{} of {nodes} programs have ended\n", status.ended))?;
    }
    Ok(())
}

/// Collected events.
struct Collection {
    addresses: AddressSpace,
    /// Symbols of the program, if its texts are formatted.
    symbols: Option<Symbols>,
    /// Arguments of the next text of each node.
    arguments: Vec<Vec<u32>>,
    programs: ProgramResults,
    /// Number of messages of the programs. Reports of the runtime and dropped messages do not count.
    messages: usize,
    traps: Vec<Trap>,
}

impl Collection {
    fn new(addresses: AddressSpace, symbols: Option<Symbols>) -> Self {
        let nodes = addresses.nodes();
        Collection {
            addresses,
            symbols,
            arguments: vec![vec![]; nodes as usize],
            programs: ProgramResults {
                returned: Values::none(nodes),
                exits: vec![None; nodes as usize],
                ..ProgramResults::default()
            },
            messages: 0,
            traps: vec![],
        }
    }

    /// Records an event. Returns its line, if it has one.
    fn take(&mut self, event: ProgramEvent) -> Option<String> {
        let node = event.node();
        let (phase, printed) = match event {
            ProgramEvent::Message { phase, bytes, why, .. } => {
                let printed = match DroppedMessage::read(node, phase.into(), &bytes, why) {
                    Some(dropped) => {
                        let destination = self.addresses.hex(dropped.destination);
                        let end = dropped_end(&dropped);
                        self.programs.dropped.push(dropped);
                        format!("dropped a message for node {destination}, {end}")
                    }
                    None => self.take_message(node, phase.into(), &bytes)?,
                };
                (phase, printed)
            }
            ProgramEvent::Ended { code, phase, .. } => {
                self.programs.exits[node as usize].get_or_insert(code);
                (phase, format!("ended with {code}"))
            }
            ProgramEvent::Trap { trap, phase } => {
                self.traps.push(trap);
                (phase, trap.to_string())
            }
        };
        let node = self.addresses.hex(node);
        Some(format!("{node:<6}  {printed}  (phase {phase})\n"))
    }

    /// Records a message of a program, or a report of its runtime. Returns its text, if complete.
    fn take_message(&mut self, node: u32, phase: u64, bytes: &[u8]) -> Option<String> {
        let report = RuntimeReport::decode(bytes);
        if let Some(RuntimeReport::Refused(bytes)) = report {
            self.programs.record_refused(node, bytes);
            return None;
        }
        if let Some(symbols) = &self.symbols {
            let arguments = &mut self.arguments[node as usize];
            match report {
                Some(RuntimeReport::Argument(word)) => {
                    arguments.push(word);
                    return None;
                }
                Some(RuntimeReport::Format(format)) => {
                    let text = symbols.text(format, &std::mem::take(arguments));
                    let print = PrintedText { node, phase, text: text.clone() };
                    self.programs.prints.push(print);
                    return Some(text);
                }
                _ => {}
            }
        }
        self.messages += 1;
        self.programs.phases = phase;
        let values = ProgramValue::of_message(bytes);
        let texts: Vec<String> = values.iter().map(ProgramValue::to_string).collect();
        self.programs.returned.0[node as usize].extend(values);
        Some(texts.join(" "))
    }

    /// Describes why the command fails. Returns `None` if all programs have ended with exit code 0.
    fn failure(
        &self,
        wanted: Option<usize>,
        machine: &mut Machine,
        status: &Status,
    ) -> Result<Option<String>, CliError> {
        let (addresses, nodes) = (self.addresses, self.addresses.nodes());
        let state = status.state;
        Ok(Some(if let Some(trap) = self.traps.first() {
            let node = addresses.hex(trap.node);
            let halted = status.halted;
            format!(
                "{halted} of {nodes} cores have halted; the first is the core of node {node}: {trap}"
            )
        } else if let Some(wanted) = wanted {
            let (messages, wanted) = (self.messages, format_count(wanted, "message"));
            format!("{messages} of {wanted} arrived; {state}")
        } else if state == State::Resting {
            let left = nodes.saturating_sub(status.ended + status.halted);
            let which = unfinished_programs(addresses, machine, &self.programs)?;
            format!("{state}: {left} of {nodes} programs have not ended{which}")
        } else if let Some((node, code)) = self.programs.failed() {
            let node = addresses.hex(node);
            format!("the program of node {node} ended with exit code {code}")
        } else if state == State::Ended && status.halted == 0 {
            return Ok(None);
        } else {
            format!("{state}: there is nothing to collect")
        }))
    }
}

/// Formats where the first unfinished programs are, as far as the board reported it.
fn unfinished_programs(
    addresses: AddressSpace,
    machine: &mut Machine,
    programs: &ProgramResults,
) -> Result<String, CliError> {
    let mut places = machine.program_states()?;
    places.retain(|place| programs.exits.get(place.node as usize) == Some(&None));
    let mut text = String::new();
    for place in places.iter().take(LISTED) {
        let node = addresses.hex(place.node);
        let _ = write!(text, "\n  {node:<6}  {:<6}  0x{:08X}", place.state.to_string(), place.pc);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::DroppedMessage;
    use rtl::tdma::DeliveryReason;

    fn message(bytes: &[u8], why: DeliveryReason) -> ProgramEvent {
        ProgramEvent::Message { node: 1, phase: 7, why, bytes: bytes.to_vec() }
    }

    fn collection(symbols: Option<Symbols>) -> Collection {
        Collection::new(AddressSpace::new(4).unwrap(), symbols)
    }

    /// The bytes of the dropped message have the form and destination of a report of the runtime.
    #[test]
    fn a_dropped_message_is_no_value_and_no_report() {
        for symbols in [None, Some(Symbols::default())] {
            let mut collection = collection(symbols);
            let taken = |collection: &mut Collection, why| {
                collection.take(message(&[0xC5, 0xFB, 1, 0, 0, 0], why))
            };
            let line = taken(&mut collection, DeliveryReason::Unknown).unwrap();
            assert!(
                line.starts_with("0x1     dropped a message for node 0xFBC5, because"),
                "{line}"
            );
            assert!(line.ends_with("it may have arrived  (phase 7)\n"), "{line}");
            let programs = &collection.programs;
            assert_eq!((collection.messages, programs.refused.len()), (0, 0));
            assert_eq!(programs.returned, Values::none(4));
            let dropped =
                DroppedMessage { node: 1, destination: 0xFBC5, may_have_arrived: true, phase: 7 };
            assert_eq!(programs.dropped, [dropped]);
            taken(&mut collection, DeliveryReason::Undelivered);
            assert!(!collection.programs.dropped[1].may_have_arrived);
        }
    }

    #[test]
    fn a_refused_call_is_listed_at_the_end() {
        for symbols in [None, Some(Symbols::default())] {
            let mut collection = collection(symbols);
            let report = message(&[0xC5, 0xFB, 40, 0, 0, 0], DeliveryReason::Delivered);
            assert_eq!(collection.take(report), None);
            assert_eq!(collection.messages, 0);
            let lines = refused_lines(collection.addresses, &collection.programs);
            assert!(lines.contains("node 0x1: 1 call of ctrl_send refused, of up to 40 bytes"));
        }
    }
}

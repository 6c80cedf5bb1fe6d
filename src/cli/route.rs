//! `phasecube route S D`: the hop table of one message.

use super::args::{parse_cube, Choice, Network, NetworkArgs, OutputArgs};
use super::{output, Failure};
use crate::routing::cm1;
use crate::routing::tdma::{Hop, PhaseSchedule};
use crate::routing::Schedule;
use crate::topology::{number, Hypercube};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::io;

/// Print the hop table of one message
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube route 0x2A3 0x91C")]
pub struct RouteArgs {
    /// Address of the node that sends, decimal or 0x
    #[arg(value_name = "S", value_parser = number::parse)]
    source: u64,

    /// Address of the node that the message is for, decimal or 0x
    #[arg(value_name = "D", value_parser = number::parse)]
    destination: u64,

    #[command(flatten)]
    network: NetworkArgs,

    /// Dimensions of the cube, 1 to 16: it has 2^N nodes
    #[arg(long = "dims", value_name = "N", default_value = "12", value_parser = parse_cube,
          help_heading = "Machine")]
    cube: Hypercube,

    #[command(flatten)]
    output: OutputArgs,
}

/// A route in the form that `--json` prints.
#[derive(Serialize)]
struct Route<'a, H> {
    network: &'static str,
    dims: u32,
    hops: &'a [H],
}

/// Prints the hop table.
pub fn route(args: &RouteArgs) -> Result<(), Failure> {
    output::print(&text(args, output::styled(&io::stdout()))?)
}

/// What is printed, with a heading in bold if `styled`.
fn text(args: &RouteArgs, styled: bool) -> Result<String, Failure> {
    let cube = args.cube;
    let source = node(cube, "the source", args.source)?;
    let destination = node(cube, "the destination", args.destination)?;
    let (from, to) = (cube.hex(source), cube.hex(destination));
    let (network, dims) = (args.network.network, cube.dims());
    Ok(match network {
        Network::Tdma => {
            let schedule = PhaseSchedule::new(cube);
            let hops = schedule.hops(source, destination);
            if args.output.json {
                return Ok(json(network, cube, &hops));
            }
            let lines = hops.iter().map(|h| (h.node, h.dim, h.bit, h.phase, h.next));
            let table = table(cube, "phase", lines, styled);
            let summary = summary(schedule, &hops);
            format!("{from} to {to} on the {dims}-cube: {summary}\n{table}")
        }
        Network::Cm1 => {
            let hops = cm1::alone(source, destination);
            if args.output.json {
                return Ok(json(network, cube, &hops));
            }
            let lines = hops
                .iter()
                .map(|h| (h.node, h.dim, h.bit, h.petit_cycle, h.next));
            let table = table(cube, "petit cycle", lines, styled);
            let summary = cm1_summary(hops.len());
            format!("chip {from} to chip {to} of a CM-1 on the {dims}-cube: {summary}\n{table}")
        }
    })
}

fn cm1_summary(hops: usize) -> String {
    let plural = if hops == 1 { "" } else { "s" };
    format!(
        "{hops} hop{plural}, 1 petit cycle\n\
         Alone it crosses them all in petit cycle 0. Among others it may wait, or go another way:\n\
         what it then does depends on them, and `phasecube run --network cm1` shows it."
    )
}

fn node(cube: Hypercube, argument: &'static str, value: u64) -> Result<u32, Failure> {
    let node = cube.address(value).context(argument);
    node.map_err(Failure::BadInput)
}

fn json<H: Serialize>(network: Network, cube: Hypercube, hops: &[H]) -> String {
    let route = Route {
        network: network.name(),
        dims: cube.dims(),
        hops,
    };
    serde_json::to_string(&route).expect("numbers and names are JSON") + "\n"
}

fn summary(schedule: PhaseSchedule, hops: &[Hop]) -> String {
    let Some(last) = hops.last() else {
        return "0 hops, 0 superframes; the message never enters the network".to_owned();
    };
    let plural = if hops.len() == 1 { "" } else { "s" };
    format!(
        "{} hop{plural}, {} superframe of {} phases\n\
         Alone and ready in phase 0, the message arrives in phase {}.",
        hops.len(),
        schedule.superframes(u64::from(last.phase) + 1),
        schedule.period(),
        last.phase,
    )
}

/// One line for each hop, (node, dimension, bit, `step`, next), under a heading;
/// nothing without hops.
fn table(
    cube: Hypercube,
    step: &str,
    hops: impl ExactSizeIterator<Item = (u32, u32, u32, u32, u32)>,
    styled: bool,
) -> String {
    if hops.len() == 0 {
        return String::new();
    }
    let width = cube.hex(0).len().max("node".len());
    let columns = format!(
        "hop  {:<width$}  dim  bit  {step}  {:<width$}",
        "node", "next"
    );
    let mut table = format!("\n{}\n", output::heading(columns.trim_end(), styled));
    for (number, (node, dim, bit, at, next)) in (1..).zip(hops) {
        let (node, next) = (cube.hex(node), cube.hex(next));
        let line = format!(
            "{number:>3}  {node:<width$}  {dim:>3}  {bit:>3}  {at:>0$}  {next}\n",
            step.len()
        );
        table += &line;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        route: RouteArgs,
    }

    fn run(args: &[&str]) -> Result<String, Failure> {
        let line = Line::try_parse_from([&["route"], args].concat()).unwrap();
        text(&line.route, false)
    }

    #[test]
    fn json_is_one_object_of_plain_numbers() {
        assert_eq!(
            run(&["0x2", "5", "--dims", "3", "--json"]).unwrap(),
            "{\"network\":\"tdma\",\"dims\":3,\"hops\":[\
             {\"node\":2,\"dim\":0,\"bit\":0,\"phase\":0,\"next\":3},\
             {\"node\":3,\"dim\":1,\"bit\":1,\"phase\":3,\"next\":1},\
             {\"node\":1,\"dim\":2,\"bit\":0,\"phase\":4,\"next\":5}]}\n"
        );
    }

    /// The worked example of the paper, corrected (errata), on the default cube.
    #[test]
    fn the_table_is_that_of_the_worked_example() {
        assert_eq!(
            run(&["0x2A3", "0x91C"]).unwrap(),
            "\
0x2A3 to 0x91C on the 12-cube: 10 hops, 1 superframe of 24 phases
Alone and ready in phase 0, the message arrives in phase 22.

hop  node   dim  bit  phase  next
  1  0x2A3    0    1      1  0x2A2
  2  0x2A2    1    1      3  0x2A0
  3  0x2A0    2    0      4  0x2A4
  4  0x2A4    3    0      6  0x2AC
  5  0x2AC    4    0      8  0x2BC
  6  0x2BC    5    1     11  0x29C
  7  0x29C    7    1     15  0x21C
  8  0x21C    8    0     16  0x31C
  9  0x31C    9    1     19  0x11C
 10  0x11C   11    0     22  0x91C
"
        );
    }

    #[test]
    fn the_longest_route_of_the_largest_cube_is_in_the_table() {
        let table = run(&["0", "0xFFFF", "--dims", "16"]).unwrap();
        assert!(table.contains(": 16 hops, 1 superframe of 32 phases\n"));
        assert!(table.ends_with("\n 16  0x7FFF   15    0     30  0xFFFF\n"));
    }

    /// A message that arrives in phase 0 has used one superframe.
    #[test]
    fn one_hop_in_phase_0_takes_a_superframe() {
        let table = run(&["0", "1", "--dims", "1"]).unwrap();
        assert!(table.starts_with("0x0 to 0x1 on the 1-cube: 1 hop, 1 superframe of 2 phases\n"));
        assert!(table
            .ends_with("\nhop  node  dim  bit  phase  next\n  1  0x0     0    0      0  0x1\n"));
    }

    #[test]
    fn a_message_to_oneself_has_no_hops() {
        assert_eq!(
            run(&["3", "3", "--dims", "2"]).unwrap(),
            "0x3 to 0x3 on the 2-cube: 0 hops, 0 superframes; \
             the message never enters the network\n"
        );
        assert_eq!(
            run(&["3", "3", "--dims", "2", "--json"]).unwrap(),
            "{\"network\":\"tdma\",\"dims\":2,\"hops\":[]}\n"
        );
    }

    #[test]
    fn in_the_cm1_a_lone_message_takes_one_petit_cycle() {
        let cm1 = ["2", "5", "--dims", "3", "--network", "cm1"];
        assert_eq!(
            run(&cm1).unwrap(),
            "\
chip 0x2 to chip 0x5 of a CM-1 on the 3-cube: 3 hops, 1 petit cycle
Alone it crosses them all in petit cycle 0. Among others it may wait, or go another way:
what it then does depends on them, and `phasecube run --network cm1` shows it.

hop  node  dim  bit  petit cycle  next
  1  0x2     0    0            0  0x3
  2  0x3     1    1            0  0x1
  3  0x1     2    0            0  0x5
"
        );
        let json = run(&[&cm1[..], &["--json"]].concat()).unwrap();
        assert!(
            json.starts_with(
                "{\"network\":\"cm1\",\"dims\":3,\"hops\":[\
                 {\"node\":2,\"dim\":0,\"bit\":0,\"petit_cycle\":0,\"next\":3},"
            ),
            "{json}"
        );
    }

    #[test]
    fn a_node_outside_the_cube_is_bad_input() {
        for (args, which) in [(["16", "0"], "source"), (["0", "0x10"], "destination")] {
            let failure = run(&[&args[..], &["--dims", "4"]].concat()).unwrap_err();
            assert_eq!(failure.exit_code(), 2);
            assert_eq!(
                failure.to_string(),
                format!(
                    "the {which}: 16 (0x10) is outside the 4-cube; accepted: 0x0 to 0xF (0 to 15)"
                )
            );
        }
    }

    #[test]
    fn bad_arguments_are_refused_with_what_would_be_accepted() {
        for (args, message) in [
            (
                ["1", "2", "--network", "torus"],
                "torus is not there yet; accepted: tdma",
            ),
            (
                ["1", "2", "--dims", "17"],
                "17 dimensions is not possible; accepted: 1 to 16",
            ),
            (
                ["1", "2", "--dims", "x"],
                "\"x\" is not a number; accepted: decimal",
            ),
            (
                ["1", "2A", "--dims", "3"],
                "\"2A\" is not a number; accepted: decimal",
            ),
        ] {
            let error = Line::try_parse_from([&["route"], &args[..]].concat()).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}

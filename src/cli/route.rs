//! `phasecube route S D`: prints the hop table of one message.

use super::args::NetworkArgs;
use super::{output, CliError};
use clap::{ArgMatches, Args};
use interconnect::routing::loads::{ChannelLoads, LoadRange};
use interconnect::topology::{number, Topology};
use machine::flags::OutputFlags;
use machine::networks::{Network, NetworkError, NetworkHop, NetworkRoute, Networks, Purpose};
use machine::JsonEntry;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::io;

/// Print the hop table of one message, or the load of the channels by all pairs
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube route 0x2A3 0x91C")]
pub struct RouteArgs {
    /// Address of the source node, decimal or 0x
    #[arg(value_name = "S", value_parser = number::parse, required_unless_present = "statistics",
          conflicts_with = "statistics")]
    source: Option<u64>,

    /// Address of the destination node, decimal or 0x
    #[arg(value_name = "D", value_parser = number::parse, required_unless_present = "statistics")]
    destination: Option<u64>,

    /// Instead, send a message from every node to every other: print how many leave a node in each
    /// step by each port, and which ports the messages of a port take next
    #[arg(long)]
    statistics: bool,

    #[command(flatten)]
    network: NetworkArgs,

    /// Dimensions N, 1 to 16: the machine has 2^N nodes, as an N-cube
    #[arg(long, value_name = "N", default_value = "12", value_parser = number::parse,
          help_heading = "Machine")]
    dims: u64,

    #[command(flatten)]
    output: OutputFlags,
}

/// Prints the hop table.
pub fn route(args: &RouteArgs, networks: &Networks) -> Result<(), CliError> {
    let text = text(args, networks, output::may_style(&io::stdout()))?;
    match args.output.json {
        true => output::print(&text),
        false => output::print_text(&text),
    }
}

/// Formats the output, with a heading in bold if `styled`.
fn text(args: &RouteArgs, networks: &Networks, styled: bool) -> Result<String, CliError> {
    let network = networks.select(args.network.name())?;
    let flags = &args.network.flags.0;
    networks.reject_foreign_flags(&[network], Purpose::Route, flags)?;
    let (Some(source), Some(destination)) = (args.source, args.destination) else {
        return statistics(network, args.dims, flags, args.output.json, styled);
    };
    let route = network.route(args.dims, flags, [source, destination])?;
    Ok(match args.output.json {
        true => {
            let route = RouteJson { network: network.name(), route: &route };
            serde_json::to_string(&route).expect("numbers and names are JSON") + "\n"
        }
        false => format!("{}: {}\n{}", route.title, route.summary, table(&route, styled)),
    })
}

/// Route in the form that `--json` prints.
struct RouteJson<'a> {
    network: &'static str,
    route: &'a NetworkRoute,
}

impl Serialize for RouteJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("network", self.network)?;
        for JsonEntry { key, value, .. } in &self.route.settings {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("hops", &HopsJson(&self.route.hops))?;
        map.end()
    }
}

struct HopsJson<'a>(&'a [NetworkHop]);

impl Serialize for HopsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for hop in self.0 {
            list.serialize_element(&HopJson(hop))?;
        }
        list.end()
    }
}

struct HopJson<'a>(&'a NetworkHop);

impl Serialize for HopJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("node", &self.0.node)?;
        for JsonEntry { key, value, .. } in &self.0.cells {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("next", &self.0.next)?;
        map.end()
    }
}

/// Formats a heading and one line per hop. Returns an empty text without hops.
fn table(route: &NetworkRoute, styled: bool) -> String {
    if route.hops.is_empty() {
        return String::new();
    }
    let names = route.hops.iter().flat_map(|hop| &hop.names);
    let width = names.map(String::len).max().unwrap_or(0).max("node".len());
    let columns = route.columns.join("  ");
    let heading = format!("hop  {:<width$}  {columns}  {:<width$}", "node", "next");
    let mut table = format!("\n{}\n", output::heading(heading.trim_end(), styled));
    for (number, hop) in (1..).zip(&route.hops) {
        let cells = route.columns.iter().zip(&hop.cells);
        let cells: String = cells
            .map(|(column, cell)| format!("{:>1$}  ", cell.value.to_string(), column.len()))
            .collect();
        let [node, next] = &hop.names;
        table += &format!("{number:>3}  {node:<width$}  {cells}{next}\n");
    }
    table
}

// `phasecube route --statistics`: channel loads of a network when all pairs send.

/// Output of `--json`. A load is the maximum over all nodes.
#[derive(Serialize)]
struct StatisticsReport {
    network: &'static str,
    topology: String,
    messages: u64,
    hops: u64,
    /// Indexed by step, then by port.
    steps: Vec<Vec<u32>>,
    /// Indexed by port: least and greatest load of a channel over all steps.
    loads: Vec<[u32; 2]>,
    /// Indexed by input port: output ports used by messages that arrive on this port.
    connections: Vec<Vec<u32>>,
}

/// Formats the output, with a heading in bold if `styled`.
pub fn statistics(
    network: &dyn Network,
    dims: u64,
    flags: &ArgMatches,
    json: bool,
    styled: bool,
) -> Result<String, CliError> {
    let waiting = network.deadlock_model(dims, flags)?;
    let relation = &*waiting.relation;
    let topology = relation.topology();
    let loads = ChannelLoads::of(relation).map_err(|e| NetworkError::BadInput(e.into()))?;
    if !json {
        return Ok(statistics_text(topology, &loads, styled));
    }
    let most = |step: &Vec<LoadRange>| step.iter().map(|extent| extent.most).collect();
    let report = StatisticsReport {
        network: network.name(),
        topology: topology.name(),
        messages: loads.messages,
        hops: loads.hops,
        steps: loads.steps.iter().map(most).collect(),
        loads: loads.all.iter().map(|e| [e.least, e.most]).collect(),
        connections: loads.connections.iter().map(|to| to.iter().copied().collect()).collect(),
    };
    Ok(serde_json::to_string(&report).expect("numbers and names are JSON") + "\n")
}

fn statistics_text(topology: &dyn Topology, loads: &ChannelLoads, styled: bool) -> String {
    let labels: Vec<String> = (0..topology.ports()).map(|port| topology.port_label(port)).collect();
    let mut text = format!(
        "All pairs on the {}: {} messages, {} hops\nMessages that leave a node, by step and {}:\n\n",
        topology.name(),
        loads.messages,
        loads.hops,
        topology.port_word()
    );
    let heading = format!("step  {}  spread", labels.join("  "));
    text += &format!("{}\n", output::heading(&heading, styled));
    let mut line = |name: &str, extents: &[LoadRange]| {
        text += &format!("{name:>4}");
        for (label, extent) in labels.iter().zip(extents) {
            text += &format!("  {:>1$}", cell(*extent), label.len());
        }
        let most = extents.iter().map(|e| e.most).max().unwrap_or(0);
        let least = extents.iter().map(|e| e.least).min().unwrap_or(0);
        text += &format!("  {:>6}\n", most - least);
    };
    for (step, extents) in (1..).zip(&loads.steps) {
        line(&step.to_string(), extents);
    }
    line("all", &loads.all);
    text.push('\n');
    for (from, to) in labels.iter().zip(&loads.connections) {
        let to: Vec<&str> = to.iter().map(|port| labels[*port as usize].as_str()).collect();
        let to = match to.is_empty() {
            true => "no other port".to_owned(),
            false => to.join(", "),
        };
        text += &format!("Messages that arrive by {from} continue by {to}.\n");
    }
    text
}

/// Formats `3`, or `3-5` where nodes differ.
fn cell(extent: LoadRange) -> String {
    match extent.least == extent.most {
        true => extent.most.to_string(),
        false => format!("{}-{}", extent.least, extent.most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use machine::networks;

    #[derive(Debug, Parser)]
    struct RouteLine {
        #[command(flatten)]
        route: RouteArgs,
    }

    fn run(args: &[&str]) -> Result<String, CliError> {
        let line = RouteLine::try_parse_from([&["route"], args].concat()).unwrap();
        text(&line.route, &networks::standard(), false)
    }

    #[test]
    fn json_output_is_one_object() {
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
    fn the_hop_table_matches_the_worked_example() {
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
    fn a_message_to_its_source_has_no_hops() {
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
            let error = run(&[&args[..], &["--dims", "4"]].concat()).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert_eq!(
                error.to_string(),
                format!(
                    "the {which}: 16 (0x10) is outside the 4-cube; accepted: 0x0 to 0xF (0 to 15)"
                )
            );
        }
    }

    #[test]
    fn errors_of_bad_arguments_list_what_is_accepted() {
        for (args, message) in [
            (["1", "2", "--dims", "x"], "\"x\" is not a number; accepted: decimal"),
            (["1", "2A", "--dims", "3"], "\"2A\" is not a number; accepted: decimal"),
        ] {
            let error = RouteLine::try_parse_from([&["route"], &args[..]].concat()).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(message), "{error}");
        }
        for (args, message) in [
            (
                ["1", "2", "--network", "mesh"],
                "there is no network \"mesh\"; accepted: tdma, cm1, torus, rotation",
            ),
            (["1", "2", "--dims", "17"], "17 dimensions is not possible; accepted: 1 to 16"),
        ] {
            let error = run(&args).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}

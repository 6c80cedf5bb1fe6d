//! `phasecube route --statistics`: channel loads of a network when all pairs send.

use super::{output, CliError};
use clap::ArgMatches;
use interconnect::routing::loads::{ChannelLoads, LoadRange};
use interconnect::topology::Topology;
use machine::networks::{Network, NetworkError};
use serde::Serialize;

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
        return Ok(text(topology, &loads, styled));
    }
    let most = |step: &Vec<LoadRange>| step.iter().map(|extent| extent.most).collect();
    let report = StatisticsReport {
        network: network.name(),
        topology: topology.name(),
        messages: loads.messages,
        hops: loads.hops,
        steps: loads.steps.iter().map(most).collect(),
        loads: loads.all.iter().map(|e| [e.least, e.most]).collect(),
        connections: loads
            .connections
            .iter()
            .map(|to| to.iter().copied().collect())
            .collect(),
    };
    Ok(serde_json::to_string(&report).expect("numbers and names are JSON") + "\n")
}

fn text(topology: &dyn Topology, loads: &ChannelLoads, styled: bool) -> String {
    let labels: Vec<String> = (0..topology.ports())
        .map(|port| topology.port_label(port))
        .collect();
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
        let to: Vec<&str> = to
            .iter()
            .map(|port| labels[*port as usize].as_str())
            .collect();
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

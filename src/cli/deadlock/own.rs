//! Networks without a circuit, and the verdict on escape channels.

use crate::cli::CliError;
use anyhow::{anyhow, Context};
use clap::{Args, ValueEnum};
use interconnect::routing::dependencies::{
    check_escape, DeadlockVerdict, EscapeFault, EscapeSet, EscapeVerdict, Filling, RelationError,
    Switching,
};
use interconnect::routing::table::{RoutingTable, TableFile};
use interconnect::routing::{Channel, Relation};
use machine::networks::DeadlockModel;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A network without a circuit.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Own network")]
pub struct OwnNetworkArgs {
    /// Channels of a network without a circuit: a CSV file with the columns from, to and, with
    /// several virtual channels, vcs. A line is a channel in one direction
    #[arg(long, value_name = "FILE.csv", requires = "routes",
          conflicts_with_all = ["network", "cube", "confirm"])]
    topology: Option<PathBuf>,

    /// Routes of that network: a CSV file with the columns at, to and next, and as needed vc, from,
    /// from_vc and escape. A line is a channel that a message for `to` may enter at `at`
    #[arg(long, value_name = "FILE.csv", requires = "topology")]
    routes: Option<PathBuf>,

    /// Channels that a waiting message of that network holds [default: wormhole]
    #[arg(
        long,
        value_name = "NAME",
        requires = "topology",
        hide_possible_values = true,
        help = "Channels that a waiting message of that network holds: wormhole, those back to its source; \
                  or store-and-forward, also for virtual cut-through, one channel [default: wormhole]"
    )]
    switching: Option<SwitchingArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SwitchingArg {
    Wormhole,
    StoreAndForward,
}

/// Network of `--topology`.
pub struct OwnNetwork {
    pub model: DeadlockModel,
    pub pairs_without_route: usize,
}

impl OwnNetworkArgs {
    /// Reads the network, if there is one.
    ///
    /// # Errors
    /// Bad input, with the file and the line.
    pub fn read(&self) -> Result<Option<OwnNetwork>, CliError> {
        let (Some(topology), Some(routes)) = (&self.topology, &self.routes) else {
            return Ok(None);
        };
        let read = |path: &Path| {
            let text = fs::read_to_string(path);
            let text = text.with_context(|| format!("{} cannot be read", path.display()));
            text.map_err(CliError::BadInput)
        };
        let table = RoutingTable::parse(&read(topology)?, &read(routes)?);
        let table = table.map_err(|(file, error)| {
            let path = match file {
                TableFile::Topology => topology,
                TableFile::Routes => routes,
            };
            let [line, problem] = [error.line.to_string(), error.problem.to_string()];
            CliError::BadInput(anyhow!("{}:{line}: {problem}", path.display()))
        })?;
        Ok(Some(OwnNetwork {
            pairs_without_route: table.pairs_without_route(),
            model: DeadlockModel {
                relation: Box::new(table),
                holding: match self.switching {
                    Some(SwitchingArg::StoreAndForward) => Switching::StoreAndForward,
                    Some(SwitchingArg::Wormhole) | None => Switching::Wormhole,
                },
                no_deadlock_reason: None,
            },
        }))
    }
}

/// Returns the error of a command for a faulty relation. A network that is too large is bad input.
pub fn relation_error(error: RelationError) -> CliError {
    match error {
        RelationError::TooManyChannels { .. } => CliError::BadInput(error.into()),
        _ => CliError::Failed(error.into()),
    }
}

/// Escape channels in the output of `--json`.
#[derive(Serialize)]
pub struct EscapeReport {
    /// Origin of the set: `declared`, or `virtual channel 0`.
    set: String,
    /// Order in which no message waits for an earlier escape channel.
    channels: Vec<String>,
}

/// Checks the escape channels of a network whose dependency graph has a cycle.
///
/// # Errors
/// If the relation is faulty.
pub fn escape_verdict(
    model: &DeadlockModel,
    verdict: &DeadlockVerdict,
) -> Result<EscapeVerdict, CliError> {
    match verdict {
        DeadlockVerdict::Cyclic { adaptive: true, .. } => {
            let verdict = check_escape(&*model.relation, model.holding);
            verdict.map_err(relation_error)
        }
        _ => Ok(EscapeVerdict::None),
    }
}

/// Evidence for a verdict besides the graph.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    pub has_circuit: bool,
    /// True if messages deadlocked the circuit.
    pub circuit_deadlocked: bool,
    /// True if the network resolves its cycles.
    pub resolves_cycles: bool,
}

/// Returns whether the network is free of deadlock; `None` if that is open. Messages that fill a
/// cycle deadlock a network without a circuit. A circuit may have more buffers than the graph has
/// channels, so only a deadlock of the circuit counts there.
pub fn is_deadlock_free(
    evidence: Evidence,
    verdict: &DeadlockVerdict,
    escape: &EscapeVerdict,
) -> Option<bool> {
    if evidence.circuit_deadlocked {
        return Some(false);
    }
    match (verdict, escape) {
        (DeadlockVerdict::Acyclic { .. }, _) | (_, EscapeVerdict::Free { .. }) => Some(true),
        _ if evidence.resolves_cycles => Some(true),
        (DeadlockVerdict::Cyclic { filling, .. }, _) => match filling {
            Filling::By(_) if !evidence.has_circuit => Some(false),
            Filling::By(_) | Filling::No | Filling::Unknown => None,
        },
    }
}

/// Formats the verdict on the escape channels. `printed` is the number of channels that are listed.
pub fn escape_text(relation: &dyn Relation, escape: &EscapeVerdict, printed: usize) -> String {
    let name = |channel: &Channel| format!("  {}\n", relation.channel_name(*channel));
    let node = |node: u32| relation.topology().node_name(node);
    match escape {
        EscapeVerdict::None => String::new(),
        EscapeVerdict::Free { set, order } => {
            let shown: String = order.iter().take(printed).map(name).collect();
            let more = match order.len().saturating_sub(printed) {
                0 => String::new(),
                more => format!("  and {more} more (--json has all)\n"),
            };
            format!(
                "There is no deadlock: every waiting message also has an escape ({}). In this order of \
                 {} escape channels, none waits for an earlier one:\n{shown}{more}",
                set_name(*set),
                order.len()
            )
        }
        EscapeVerdict::Faulty(EscapeFault::Missing { node: at, destination }) => format!(
            "The declared escapes prove nothing: a message for {} has no escape at {}.\n",
            node(*destination),
            node(*at)
        ),
        EscapeVerdict::Faulty(EscapeFault::Cycle(cycle)) => format!(
            "The declared escapes prove nothing: these escape channels wait for each other in a \
             cycle, also across other channels:\n{}",
            cycle.iter().map(name).collect::<String>()
        ),
    }
}

/// Returns the escape channels for `--json`.
pub fn escape_report(relation: &dyn Relation, escape: &EscapeVerdict) -> Option<EscapeReport> {
    let EscapeVerdict::Free { set, order } = escape else {
        return None;
    };
    let names = order.iter().map(|channel| relation.channel_name(*channel));
    Some(EscapeReport { set: set_name(*set), channels: names.collect() })
}

fn set_name(set: EscapeSet) -> String {
    match set {
        EscapeSet::Declared => "declared".to_owned(),
        EscapeSet::VirtualChannel(vc) => format!("virtual channel {vc}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cyclic(filling: Filling) -> DeadlockVerdict {
        DeadlockVerdict::Cyclic { cycle: vec![], filling, adaptive: false }
    }

    const GRAPH_ONLY: Evidence =
        Evidence { has_circuit: false, circuit_deadlocked: false, resolves_cycles: false };
    const CIRCUIT: Evidence = Evidence { has_circuit: true, ..GRAPH_ONLY };

    #[test]
    fn messages_that_fill_a_cycle_prove_a_deadlock_only_without_a_circuit() {
        let filled = cyclic(Filling::By(vec![]));
        let verdict = |evidence| is_deadlock_free(evidence, &filled, &EscapeVerdict::None);
        assert_eq!(verdict(GRAPH_ONLY), Some(false));
        // Not confirmed, or confirmed without a list that deadlocks.
        assert_eq!(verdict(CIRCUIT), None);
    }

    #[test]
    fn a_deadlock_of_the_circuit_refutes_every_other_evidence() {
        let deadlocked = Evidence { circuit_deadlocked: true, ..CIRCUIT };
        let resolved = Evidence { resolves_cycles: true, ..deadlocked };
        let filled = cyclic(Filling::By(vec![]));
        for evidence in [deadlocked, resolved] {
            let verdict = is_deadlock_free(evidence, &filled, &EscapeVerdict::None);
            assert_eq!(verdict, Some(false), "{evidence:?}");
        }
    }

    #[test]
    fn orders_and_resolved_cycles_are_free_of_deadlock() {
        let resolved = Evidence { resolves_cycles: true, ..CIRCUIT };
        let free = EscapeVerdict::Free { set: EscapeSet::Declared, order: vec![] };
        let filled = || cyclic(Filling::By(vec![]));
        let acyclic = DeadlockVerdict::Acyclic { order: vec![] };
        for (evidence, verdict, escape) in [
            (GRAPH_ONLY, acyclic, EscapeVerdict::None),
            (GRAPH_ONLY, filled(), free),
            (resolved, filled(), EscapeVerdict::None),
        ] {
            assert_eq!(is_deadlock_free(evidence, &verdict, &escape), Some(true));
        }
    }

    #[test]
    fn a_cycle_without_known_messages_is_open() {
        for filling in [Filling::No, Filling::Unknown] {
            for evidence in [GRAPH_ONLY, CIRCUIT] {
                let verdict = cyclic(filling.clone());
                let free = is_deadlock_free(evidence, &verdict, &EscapeVerdict::None);
                assert_eq!(free, None, "{verdict:?}");
            }
        }
    }
}

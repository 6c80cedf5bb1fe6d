//! Observable signals of a machine, and the selected ones.

use super::{LinkDecoder, LinkSignal, WatchError, WatchScope, WatchSpec, WaveSubject};
use crate::array::Array;
use engine::EngineError;
use hdl::verilog::{signals, NamedSignal};
use interconnect::topology::{links, Link, PortEnd, Topology};
use lockstep::design::Design;
use lockstep::netlist::{flatten, NetId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strsim::jaro_winkler;
use wildmatch::WildMatch;

/// Largest number of nodes for which all links are watched by default.
const ALL_LINKS_NODES_MAX: u32 = 64;

/// Observable signals of a machine.
pub struct Watchable {
    /// Module of the machine.
    pub name: String,
    pub topology: Arc<dyn Topology>,
    /// Signals of every link, in a machine whose links can be watched.
    pub links: Option<WatchableLinks>,
    /// Signals of every node.
    pub node: Vec<NamedSignal>,
    /// Nets of `node`, in the node's netlist.
    pub(super) node_nets: Vec<NetId>,
    /// Signals of the shared circuit.
    pub shared: Vec<NamedSignal>,
    /// Nets of `shared`, in the netlist of the shared circuit.
    pub(super) shared_nets: Vec<NetId>,
}

/// Links of a machine, and the signals of each.
pub struct WatchableLinks {
    pub decoder: Arc<dyn LinkDecoder>,
    /// All links, in the order of [`links`].
    pub all: Vec<Link>,
    pub signals: Vec<LinkSignal>,
}

/// Selected signals, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Positions in [`Watchable::node`], by node.
    pub nodes: BTreeMap<u32, BTreeSet<usize>>,
    /// Positions in [`Watchable::shared`].
    pub shared: BTreeSet<usize>,
    /// Positions of signals in [`Watchable::links`], by the position of the link.
    pub links: BTreeMap<usize, BTreeSet<usize>>,
}

impl Watchable {
    /// Observable signals of a machine with the nodes of the subject. Signals with more than 64
    /// bits are left out.
    ///
    /// # Errors
    /// If the circuits have combinational loops.
    pub fn new(array: &Array, subject: &WaveSubject) -> Result<Self, EngineError> {
        let (node, node_nets) = visible_signals(&array.node)?;
        let (shared, shared_nets) = visible_signals(&array.shared)?;
        let topology = subject.topology.clone();
        let links = subject.links.clone().map(|decoder| WatchableLinks {
            all: links(&*topology).collect(),
            signals: decoder.signals(),
            decoder,
        });
        Ok(Watchable {
            name: array.name.clone(),
            topology,
            links,
            node,
            node_nets,
            shared,
            shared_nets,
        })
    }

    /// Default selection. A machine of up to 64 nodes has all links, and a larger one the links of
    /// node 0. Without links, all signals of node 0.
    pub fn default_watches(&self) -> Vec<String> {
        let what = match (&self.links, self.topology.nodes()) {
            (None, _) => "node[0].*",
            (Some(_), ..=ALL_LINKS_NODES_MAX) => "link[*].*",
            (Some(_), _) => "link[0-*].*",
        };
        vec![what.into()]
    }

    /// Selects the signals that these texts name.
    ///
    /// # Errors
    /// If a text cannot be parsed, or names nothing.
    pub fn select(&self, watches: &[String]) -> Result<Selection, WatchError> {
        let mut chosen = Selection::default();
        for text in watches {
            let watch = WatchSpec::parse(text, &*self.topology)?;
            match watch.scope {
                WatchScope::Node(node) => {
                    let signals = matching(&watch, &self.node)?;
                    let all = 0..self.topology.nodes();
                    for node in node.map_or(all, |node| node..node + 1) {
                        chosen.nodes.entry(node).or_default().extend(&signals);
                    }
                }
                WatchScope::Shared => chosen.shared.extend(matching(&watch, &self.shared)?),
                WatchScope::Link(..) => {
                    let links = self.links.as_ref().ok_or(WatchError::NoLinks)?;
                    let signals = link_signals(&watch, &links.signals)?;
                    let all = links.all.iter().enumerate();
                    for (position, _) in all.filter(|(_, link)| watch.scope.contains_link(**link)) {
                        chosen.links.entry(position).or_default().extend(&signals);
                    }
                }
            }
        }
        Ok(chosen)
    }

    /// Paths of the node signals that were selected in any node.
    pub fn paths(&self, chosen: &Selection) -> Vec<String> {
        let positions: BTreeSet<usize> = chosen.nodes.values().flatten().copied().collect();
        let path = |position: usize| self.node[position].path.clone();
        positions.into_iter().map(path).collect()
    }

    /// Name of a link in a file: `link[0x3-0x7]`. The port is added if several links join the same
    /// nodes.
    pub fn link_name(&self, link: Link) -> String {
        let Link { from, to } = link;
        let peer = |port| self.topology.peer(PortEnd { port, ..from }).node;
        let alike = (0..self.topology.ports()).filter(|port| peer(*port) == to.node);
        let port = match alike.count() {
            ..=1 => String::new(),
            _ => format!(":{}", from.port),
        };
        let [from, to] = [from, to].map(|end| self.topology.node_name(end.node));
        format!("link[{from}-{to}{port}]")
    }
}

/// Signals of a design that have a value, and their nets.
fn visible_signals(design: &Design) -> Result<(Vec<NamedSignal>, Vec<NetId>), EngineError> {
    let netlist = flatten(design)?;
    let all = signals(design).into_iter();
    let with_net = all.filter_map(|s| Some((netlist.find(&s.path)?, s)));
    let (nets, all) = with_net.filter(|(_, s)| s.ty.width() <= 64).unzip();
    Ok((all, nets))
}

/// Instance names that enclose the parts of a node, one inside the other. `node` is beside the wire
/// ends or the sequencer. `frames` sends and receives frames.
const ENCLOSING_INSTANCES: [&str; 2] = ["node.", "frames."];

/// Accepted names of a signal. Each of the enclosing blocks may be left out, the outermost first.
fn accepted_names(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| {
        ENCLOSING_INSTANCES
            .iter()
            .find_map(|block| name.strip_prefix(block))
    })
}

fn matches_name(pattern: &WildMatch, name: &str) -> bool {
    accepted_names(name).any(|name| pattern.matches(name))
}

fn matching(watch: &WatchSpec, signals: &[NamedSignal]) -> Result<Vec<usize>, WatchError> {
    let names: Vec<String> = signals.iter().map(NamedSignal::full_name).collect();
    let found = (0..names.len()).filter(|i| matches_name(&watch.signals, &names[*i]));
    let found: Vec<usize> = found.collect();
    match found.is_empty() {
        true => Err(no_signal_error(watch, &names)),
        false => Ok(found),
    }
}

fn link_signals(watch: &WatchSpec, signals: &[LinkSignal]) -> Result<Vec<usize>, WatchError> {
    let names: Vec<String> = signals.iter().map(|signal| signal.name.into()).collect();
    let found = (0..names.len()).filter(|i| watch.signals.matches(&names[*i]));
    let found: Vec<usize> = found.collect();
    match found.is_empty() {
        true => Err(no_signal_error(watch, &names)),
        false => Ok(found),
    }
}

/// Largest number of suggestions for an unknown name.
const MAX_SUGGESTIONS: usize = 6;

/// Error with the names that are similar to an unknown one.
fn no_signal_error(watch: &WatchSpec, names: &[String]) -> WatchError {
    let wanted = watch.signals.pattern();
    let nearness = |name: &str| jaro_winkler(&wanted, name);
    let mut near: Vec<&str> = names
        .iter()
        .filter_map(|name| accepted_names(name).last())
        .collect();
    near.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)).then(a.cmp(b)));
    near.dedup();
    let all = near.len();
    near.truncate(MAX_SUGGESTIONS);
    let what = match all > MAX_SUGGESTIONS {
        true => format!("the nearest of {all} names there are"),
        false => "there are".into(),
    };
    WatchError::NoSignal {
        pattern: watch.text.clone(),
        near: format!("{what} {}", near.join(", ")),
    }
}

//! Parses a `--watch` text: `node[0x2A3].uart.*`, `link[3-7].wire`.

use super::{LinkDecoder, LinkProbe, LinkSignal, WaveSubject};
use crate::array::Array;
use engine::{EngineError, NodeEngine, NodePortId, SharedPortId};
use hdl::verilog::{signals, NamedSignal};
use interconnect::topology::number::{self, NumberError};
use interconnect::topology::{links, neighbours, node_at, Link, NoSuchNode, PortEnd, Topology};
use lockstep::design::Design;
use lockstep::netlist::{flatten, NetId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strsim::jaro_winkler;
use thiserror::Error;
use wildmatch::WildMatch;

/// One requested item.
#[derive(Clone, Debug)]
pub struct WatchSpec {
    /// Original text.
    pub text: String,
    pub scope: WatchScope,
    /// Signal names in that place. `*` matches any characters, and `?` matches one.
    pub signals: WildMatch,
}

/// Place of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchScope {
    /// Signals in one node, or in all nodes if `None`.
    Node(Option<u32>),
    /// Signals on the links between these ends. `None` is any end.
    Link(Option<u32>, Option<u32>),
    /// Signals in the shared circuit.
    Shared,
}

impl WatchSpec {
    /// Parses a text for a machine with these nodes.
    ///
    /// # Errors
    /// If the text has no accepted form, or the node or link does not exist.
    pub fn parse(text: &str, topology: &dyn Topology) -> Result<Self, WatchError> {
        let unreadable = || WatchError::Unreadable(text.into());
        let (place, signals) = match text.strip_prefix("shared.") {
            Some(signals) => (WatchScope::Shared, signals),
            None => {
                let (place, signals) = text.split_once("].").ok_or_else(unreadable)?;
                let place = match place.split_once('[') {
                    Some(("node", node)) => WatchScope::Node(parse_address(node, topology)?),
                    Some(("link", ends)) => parse_link(ends, topology)?,
                    _ => return Err(unreadable()),
                };
                (place, signals)
            }
        };
        if signals.is_empty() {
            return Err(unreadable());
        }
        Ok(WatchSpec { text: text.into(), scope: place, signals: WildMatch::new(signals) })
    }
}

impl WatchScope {
    /// True if the place contains this link.
    pub fn contains_link(self, link: Link) -> bool {
        let WatchScope::Link(a, b) = self else {
            return false;
        };
        let is = |wanted: Option<u32>, node: u32| wanted.is_none_or(|wanted| wanted == node);
        let (from, to) = (link.from.node, link.to.node);
        is(a, from) && is(b, to) || is(a, to) && is(b, from)
    }
}

/// Parses the two ends of a link, in any order: `3-7`, `3-*`, or `*` for all.
///
/// # Errors
/// If the link does not exist.
pub fn parse_link(ends: &str, topology: &dyn Topology) -> Result<WatchScope, WatchError> {
    let (a, b) = match ends.split_once('-') {
        Some((a, b)) => (parse_address(a, topology)?, parse_address(b, topology)?),
        None if ends == "*" => (None, None),
        None => return Err(WatchError::OneEnd(ends.into())),
    };
    if let (Some(a), Some(b)) = (a, b) {
        let near = neighbours(topology, a);
        if !near.contains(&b) {
            let near = near.into_iter().map(|node| topology.node_name(node));
            return Err(WatchError::NoLink {
                a: topology.node_name(a),
                b: topology.node_name(b),
                near: near.collect::<Vec<_>>().join(", "),
            });
        }
    }
    Ok(WatchScope::Link(a, b))
}

fn parse_address(text: &str, topology: &dyn Topology) -> Result<Option<u32>, WatchError> {
    match text {
        "*" => Ok(None),
        _ => Ok(Some(node_at(topology, number::parse(text)?)?)),
    }
}

// Observable signals of a machine, and the selected ones.

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
        let (node, node_nets) = visible_signals(&array.node.design)?;
        let (shared, shared_nets) = visible_signals(&array.shared.design)?;
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
        ENCLOSING_INSTANCES.iter().find_map(|block| name.strip_prefix(block))
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
    let mut near: Vec<&str> = names.iter().filter_map(|name| accepted_names(name).last()).collect();
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

/// Access to the selected signals in an engine.
pub struct Taps {
    /// Ports of the shared circuit, in the order of the selection.
    pub(super) shared: Vec<SharedPortId>,
    /// Ports of the nodes, by position in [`Watchable::node`].
    pub(super) nodes: BTreeMap<usize, NodePortId>,
    /// Probes on the links, in the order of the selection.
    pub(super) links: Vec<Box<dyn LinkProbe>>,
}

impl Taps {
    /// Finds the selected signals.
    ///
    /// # Errors
    /// If the engine does not provide a selected signal.
    pub fn new(
        engine: &mut dyn NodeEngine,
        watchable: &Watchable,
        chosen: &Selection,
    ) -> Result<Self, WatchError> {
        let name = engine.name();
        let hidden = |path: &str| WatchError::Hidden { engine: name, path: path.into() };
        let shared = chosen.shared.iter().map(|position| {
            let path = &watchable.shared[*position].path;
            engine.shared_signal(path).ok_or_else(|| hidden(path))
        });
        let shared = shared.collect::<Result<_, WatchError>>()?;
        let positions: BTreeSet<usize> = chosen.nodes.values().flatten().copied().collect();
        let nodes = positions.into_iter().map(|position| {
            let path = &watchable.node[position].path;
            let port = engine.signal(path).ok_or_else(|| hidden(path))?;
            Ok((position, port))
        });
        let nodes = nodes.collect::<Result<_, WatchError>>()?;
        let links = chosen.links.keys().map(|position| {
            let links = watchable.links.as_ref().ok_or(WatchError::NoLinks)?;
            Ok(links.decoder.probe(engine, links.all[*position]))
        });
        Ok(Taps { shared, nodes, links: links.collect::<Result<_, WatchError>>()? })
    }
}

// Errors in the selection of signals to watch.

/// Reason why a signal cannot be watched.
#[derive(Debug, Error)]
pub enum WatchError {
    #[error(
        "{0:?} is not a signal; accepted: node[ADDRESS].SIGNAL, link[A-B].SIGNAL \
         and shared.SIGNAL, where an address may be *, and a signal have * for any characters \
         and ? for one"
    )]
    Unreadable(String),
    #[error(transparent)]
    Number(#[from] NumberError),
    #[error(transparent)]
    Node(#[from] NoSuchNode),
    #[error("{0:?} is one end of a link; accepted: two of them, as in 3-*, or * for all links")]
    OneEnd(String),
    #[error("there is no link between {a} and {b}; {a} has links to {near}")]
    NoLink { a: String, b: String, near: String },
    #[error("this machine has no links that can be watched; accepted: node[ADDRESS].SIGNAL and shared.SIGNAL")]
    NoLinks,
    #[error("no signal has the name {pattern:?}; {near}")]
    NoSignal { pattern: String, near: String },
    #[error(
        "the {engine} engine shows ports only, not `{path}`; accepted: --engine evaluator or \
         lockstep, or signals of links"
    )]
    Hidden { engine: &'static str, path: String },
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{links, Hypercube};

    fn cube() -> Hypercube {
        Hypercube::new(3).unwrap()
    }

    fn place(text: &str) -> WatchScope {
        WatchSpec::parse(text, &cube()).unwrap().scope
    }

    #[test]
    fn watch_scopes_are_parsed() {
        assert_eq!(place("node[0x5].uart.*"), WatchScope::Node(Some(5)));
        assert_eq!(place("node[*].level"), WatchScope::Node(None));
        assert_eq!(place("link[3-7].wire"), WatchScope::Link(Some(3), Some(7)));
        assert_eq!(place("link[*-0x7].wire"), WatchScope::Link(None, Some(7)));
        assert_eq!(place("link[*].*"), WatchScope::Link(None, None));
        assert_eq!(place("shared.phase"), WatchScope::Shared);
    }

    #[test]
    fn a_link_scope_contains_links_with_its_ends() {
        let ends = |text: &str| -> Vec<(u32, u32)> {
            let (place, cube) = (place(text), cube());
            let found = links(&cube).filter(|link| place.contains_link(*link));
            found.map(|l| (l.from.node, l.to.node)).collect()
        };
        assert_eq!(ends("link[7-3].wire"), [(3, 7)]);
        assert_eq!(ends("link[5-*].wire"), [(4, 5), (5, 7), (1, 5)]);
        assert_eq!(ends("link[*].wire").len(), 12);
        assert_eq!(ends("node[*].wire"), []);
    }

    #[test]
    fn invalid_watch_texts_are_rejected() {
        for (text, says) in [
            ("uart.tx", "accepted: node[ADDRESS].SIGNAL"),
            ("chip[3].x", "accepted: node[ADDRESS].SIGNAL"),
            ("node[3]uart", "accepted: node[ADDRESS].SIGNAL"),
            ("node[3].", "accepted: node[ADDRESS].SIGNAL"),
            ("node[8].x", "outside the 3-cube; accepted: 0x0 to 0x7"),
            ("node[x].x", "\"x\""),
            ("link[3].wire", "accepted: two of them, as in 3-*"),
            ("link[3-4].wire", "no link between 0x3 and 0x4; 0x3 has links to 0x2, 0x1, 0x7"),
        ] {
            let error = WatchSpec::parse(text, &cube()).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

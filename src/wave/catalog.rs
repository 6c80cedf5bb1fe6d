//! What a machine has that can be watched, and what was chosen of it.

use super::watch::{links, Place, Watch};
use super::WatchError;
use crate::engine::EngineError;
use crate::machine::array::Array;
use crate::topology::{Hypercube, Link};
use crate::verilog::{signals, NamedSignal};
use lockstep::netlist::{flatten, NetId};
use lockstep::rtl::Design;
use std::collections::{BTreeMap, BTreeSet};
use strsim::jaro_winkler;
use wildmatch::WildMatch;

/// What a machine has that can be watched.
pub struct Catalog {
    /// The module of the machine.
    pub name: String,
    pub cube: Hypercube,
    /// It has links with two ends.
    has_links: bool,
    /// Of every node.
    pub node: Vec<NamedSignal>,
    /// Their nets in the node's netlist.
    pub(super) node_nets: Vec<NetId>,
    /// Of the circuit that there is one of.
    pub shared: Vec<NamedSignal>,
    /// Their nets in its netlist.
    pub(super) shared_nets: Vec<NetId>,
}

/// What can be seen on a link; its name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkSignal {
    /// The level of the wire, as the end with the lower address sees it.
    Wire,
    /// Who holds the wire: an address, `both`, or `-`.
    Driver,
    /// The byte that is on the wire.
    Byte,
    /// What that byte is in its frame or answer.
    Field,
    /// The frame under way, from its first byte to the end of its answer: whose it
    /// is, where it goes, and what became of it.
    Frame,
}

impl LinkSignal {
    pub const ALL: [(LinkSignal, &'static str); 5] = [
        (LinkSignal::Wire, "wire"),
        (LinkSignal::Driver, "driver"),
        (LinkSignal::Byte, "byte"),
        (LinkSignal::Field, "field"),
        (LinkSignal::Frame, "frame"),
    ];
}

/// What was chosen, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// By node, positions in [`Catalog::node`].
    pub nodes: BTreeMap<u32, BTreeSet<usize>>,
    /// Positions in [`Catalog::shared`].
    pub shared: BTreeSet<usize>,
    /// By the number of the link.
    pub links: BTreeMap<usize, BTreeSet<LinkSignal>>,
}

impl Catalog {
    /// Of a machine with as many nodes as the cube. Only signals of up to 64 bits
    /// are in it.
    ///
    /// # Errors
    /// If the circuits have combinational loops.
    pub fn new(array: &Array, cube: Hypercube, has_links: bool) -> Result<Self, EngineError> {
        let (node, node_nets) = shown(&array.node)?;
        let (shared, shared_nets) = shown(&array.shared)?;
        Ok(Catalog {
            name: array.name.clone(),
            cube,
            has_links,
            node,
            node_nets,
            shared,
            shared_nets,
        })
    }

    /// What is watched if nobody says: all links of a cube of up to 6 dimensions,
    /// of a larger one those of node 0; without links, all of node 0.
    pub fn usual(&self) -> Vec<String> {
        let what = match (self.has_links, self.cube.dims()) {
            (false, _) => "node[0].*",
            (true, ..=6) => "link[*].*",
            (true, _) => "link[0-*].*",
        };
        vec![what.into()]
    }

    /// Chooses what these texts name.
    ///
    /// # Errors
    /// If one of them cannot be read, or names nothing.
    pub fn select(&self, watches: &[String]) -> Result<Selection, WatchError> {
        let mut chosen = Selection::default();
        for text in watches {
            let watch = Watch::parse(text, self.cube)?;
            match watch.place {
                Place::Node(node) => {
                    let signals = matching(&watch, &self.node)?;
                    let nodes = node.map_or(self.cube.addresses(), |node| node..node + 1);
                    for node in nodes {
                        chosen.nodes.entry(node).or_default().extend(&signals);
                    }
                }
                Place::Shared => chosen.shared.extend(matching(&watch, &self.shared)?),
                Place::Link(..) if !self.has_links => return Err(WatchError::NoLinks),
                Place::Link(..) => {
                    let signals = link_signals(&watch)?;
                    for link in links(watch.place, self.cube) {
                        let number = self.cube.link_number(link.low, link.dim);
                        chosen.links.entry(number).or_default().extend(&signals);
                    }
                }
            }
        }
        Ok(chosen)
    }

    /// The paths of the nodes' signals that were chosen, in any node.
    pub fn paths(&self, chosen: &Selection) -> Vec<String> {
        let positions: BTreeSet<usize> = chosen.nodes.values().flatten().copied().collect();
        let path = |position: usize| self.node[position].path.clone();
        positions.into_iter().map(path).collect()
    }

    /// The link with this number.
    pub fn link(&self, number: usize) -> Link {
        self.cube.link(number)
    }
}

/// The signals of a design that have a value, and their nets.
fn shown(design: &Design) -> Result<(Vec<NamedSignal>, Vec<NetId>), EngineError> {
    let netlist = flatten(design)?;
    let all = signals(design).into_iter();
    let with_net = all.filter_map(|s| Some((netlist.find(&s.path)?, s)));
    let (nets, all) = with_net.filter(|(_, s)| s.ty.width() <= 64).unzip();
    Ok((all, nets))
}

/// A signal by the name that a person gives it: the circuit of a node in a cube
/// stands in another one with its ends of the wires, which may be left out.
fn is_called(pattern: &WildMatch, name: &str) -> bool {
    let inside = name.strip_prefix("node.");
    pattern.matches(name) || inside.is_some_and(|inside| pattern.matches(inside))
}

fn matching(watch: &Watch, signals: &[NamedSignal]) -> Result<Vec<usize>, WatchError> {
    let names: Vec<String> = signals.iter().map(NamedSignal::full_name).collect();
    let found = (0..names.len()).filter(|i| is_called(&watch.signals, &names[*i]));
    let found: Vec<usize> = found.collect();
    match found.is_empty() {
        true => Err(nothing(watch, &names)),
        false => Ok(found),
    }
}

fn link_signals(watch: &Watch) -> Result<Vec<LinkSignal>, WatchError> {
    let all = LinkSignal::ALL.iter();
    let found = all.filter(|(_, name)| watch.signals.matches(name));
    let found: Vec<LinkSignal> = found.map(|(signal, _)| *signal).collect();
    let names = LinkSignal::ALL.map(|(_, name)| name.to_owned());
    match found.is_empty() {
        true => Err(nothing(watch, &names)),
        false => Ok(found),
    }
}

/// Names shown for one that does not exist, at most.
const NEAR: usize = 6;

/// Says which names come near to one that does not exist.
fn nothing(watch: &Watch, names: &[String]) -> WatchError {
    let wanted = watch.signals.pattern();
    let nearness = |name: &str| jaro_winkler(&wanted, name);
    let mut near: Vec<&str> = names
        .iter()
        .map(|name| name.strip_prefix("node.").unwrap_or(name))
        .collect();
    near.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)).then(a.cmp(b)));
    near.dedup();
    let all = near.len();
    near.truncate(NEAR);
    let what = match all > NEAR {
        true => format!("the nearest of {all} names there are"),
        false => "there are".into(),
    };
    WatchError::NoSignal {
        pattern: watch.text.clone(),
        near: format!("{what} {}", near.join(", ")),
    }
}

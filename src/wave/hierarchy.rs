//! The hierarchy of a file: nodes and links as `--watch` calls them, `node[0x2A3]` and
//! `link[0x2A3-0x2A2]`, in a node that of the emitted Verilog; and beside them the time
//! of the machine.

use super::decoded::{longest, NOTHING};
use super::format::{Format, Value, Var, WaveError};
use super::recorder::Follower;
use super::window::{Beat, Moment};
use super::{Catalog, LinkSignal, Selection};
use crate::verilog::NamedSignal;
use lockstep::netlist::NetId;
use lockstep::rtl::Type;
use std::collections::{BTreeMap, HashMap};

/// The variables of a file.
pub(super) struct Declared {
    pub time: TimeVars,
    /// By position in [`Catalog::shared`].
    pub shared: Vec<(usize, Follower)>,
    /// By position in [`Catalog::node`], for each node.
    pub nodes: BTreeMap<usize, Vec<(usize, Follower)>>,
    /// In the order of the selection.
    pub links: Vec<LinkVars>,
}

/// The time of a machine with phases, or of one without.
pub(super) enum TimeVars {
    Phases {
        t: Var,
        superframe: Var,
        phase: Var,
        dimension: Var,
        /// The address bit of the nodes that send.
        sending: Var,
    },
    PetitCycles {
        petit_cycle: Var,
    },
}

/// The variables of a link.
pub(super) struct LinkVars(Vec<(LinkSignal, Var)>);

/// Declares everything and begins the file.
pub(super) fn declare(
    file: &mut dyn Format,
    catalog: &Catalog,
    chosen: &Selection,
    beat: Beat,
) -> Result<Declared, WaveError> {
    file.open_scope(&catalog.name)?;
    let time = TimeVars::declare(file, beat)?;
    let shared: Vec<usize> = chosen.shared.iter().copied().collect();
    let shared = match shared.is_empty() {
        true => vec![],
        false => instance(
            file,
            "shared",
            (&catalog.shared, &catalog.shared_nets),
            &shared,
        )?,
    };
    let mut nodes: BTreeMap<usize, Vec<(usize, Follower)>> = BTreeMap::new();
    for (node, positions) in &chosen.nodes {
        let name = format!("node[{}]", catalog.cube.hex(*node));
        let positions: Vec<usize> = positions.iter().copied().collect();
        let signals = (&catalog.node[..], &catalog.node_nets[..]);
        for (position, follower) in instance(file, &name, signals, &positions)? {
            let followers = nodes.entry(position).or_default();
            followers.push((*node as usize, follower));
        }
    }
    let mut links = vec![];
    for (number, signals) in &chosen.links {
        let link = catalog.link(*number);
        let (low, high) = (catalog.cube.hex(link.low), catalog.cube.hex(link.high));
        file.open_scope(&format!("link[{low}-{high}]"))?;
        let mut vars = vec![];
        for (signal, name) in LinkSignal::ALL {
            if signals.contains(&signal) {
                let var = match (longest(signal, catalog.cube), signal) {
                    (Some(longest), _) => file.text(name, longest)?,
                    (None, LinkSignal::Byte) => file.bits(name, 8)?,
                    (None, _) => file.bits(name, 1)?,
                };
                vars.push((signal, var));
            }
        }
        file.close_scope()?;
        links.push(LinkVars(vars));
    }
    file.close_scope()?;
    file.begin()?;
    Ok(Declared {
        time,
        shared,
        nodes,
        links,
    })
}

/// Declares signals of one instance, each net once: its other names are aliases.
fn instance(
    file: &mut dyn Format,
    name: &str,
    (signals, nets): (&[NamedSignal], &[NetId]),
    positions: &[usize],
) -> Result<Vec<(usize, Follower)>, WaveError> {
    file.open_scope(name)?;
    let mut open: &[String] = &[];
    let mut known: HashMap<NetId, (Var, Option<Var>)> = HashMap::new();
    let mut followers = vec![];
    for &position in positions {
        let signal = &signals[position];
        let common = open
            .iter()
            .zip(&signal.scopes)
            .take_while(|(a, b)| a == b)
            .count();
        for _ in common..open.len() {
            file.close_scope()?;
        }
        for scope in &signal.scopes[common..] {
            file.open_scope(scope)?;
        }
        open = &signal.scopes;
        let in_words = format!("{}_text", signal.name);
        if let Some((var, text)) = known.get(&nets[position]) {
            file.alias(&signal.name, *var)?;
            if let Some(text) = text {
                file.alias(&in_words, *text)?;
            }
            continue;
        }
        let var = file.bits(&signal.name, signal.ty.width())?;
        let text = match &signal.ty {
            Type::Enum(ty) => {
                let longest = ty.variants.iter().map(String::len).max().unwrap_or(1);
                Some((file.text(&in_words, longest)?, ty.clone()))
            }
            _ => None,
        };
        let in_words = text.as_ref().map(|(var, _)| *var);
        known.insert(nets[position], (var, in_words));
        let follower = Follower {
            var,
            text,
            last: None,
        };
        followers.push((position, follower));
    }
    for _ in 0..=open.len() {
        file.close_scope()?;
    }
    Ok(followers)
}

impl TimeVars {
    fn declare(file: &mut dyn Format, beat: Beat) -> Result<Self, WaveError> {
        file.open_scope("schedule")?;
        let time = match beat.superframe {
            Some(_) => TimeVars::Phases {
                t: file.bits("t", 32)?,
                superframe: file.bits("superframe", 32)?,
                phase: file.bits("phase", 5)?,
                dimension: file.bits("dimension", 4)?,
                sending: file.bits("sending", 1)?,
            },
            None => TimeVars::PetitCycles {
                petit_cycle: file.bits("petit_cycle", 32)?,
            },
        };
        file.close_scope()?;
        Ok(time)
    }

    /// What it is from this moment on.
    pub fn tell(&self, moment: Moment, beat: Beat, pending: &mut Vec<(u64, Var, Value)>) {
        let Moment { clock, t, .. } = moment;
        let mut tell = |var: &Var, value: u64| pending.push((clock, *var, Value::Bits(value)));
        match self {
            TimeVars::PetitCycles { petit_cycle } => tell(petit_cycle, t),
            TimeVars::Phases {
                t: counted,
                superframe,
                phase,
                dimension,
                sending,
            } => {
                let phases = beat.superframe.unwrap_or(1);
                tell(counted, t);
                tell(superframe, t / phases);
                tell(phase, t % phases);
                tell(dimension, t % phases / 2);
                tell(sending, t % phases % 2);
            }
        }
    }
}

impl LinkVars {
    pub fn get(&self, signal: LinkSignal) -> Option<Var> {
        let found = self.0.iter().find(|(known, _)| *known == signal);
        found.map(|(_, var)| *var)
    }

    /// Whether bytes have to be read from the wire.
    pub fn is_decoded(&self) -> bool {
        let decoded = [LinkSignal::Byte, LinkSignal::Field, LinkSignal::Frame];
        decoded.iter().any(|signal| self.get(*signal).is_some())
    }

    /// What is decoded of a wire that says nothing.
    pub fn silent(&self) -> Vec<(Var, Value)> {
        let nothing = [
            (LinkSignal::Byte, Value::Released),
            (LinkSignal::Field, Value::Text(NOTHING.into())),
            (LinkSignal::Frame, Value::Text(NOTHING.into())),
        ];
        let known = |(signal, value)| self.get(signal).map(|var| (var, value));
        nothing.into_iter().filter_map(known).collect()
    }
}

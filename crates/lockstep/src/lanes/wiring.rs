//! How the lanes of a machine are wired, in the words of its user.

use super::LanesError;
use crate::netlist::{NetId, Netlist};
use num_bigint::BigUint;
use std::sync::Arc;

/// Where the bits of the inputs come from. An input that isn't mentioned is
/// [`Source::PerLane`].
///
/// ```
/// use lockstep::lanes::{LaneMap, Source, Wiring};
/// let mut wiring = Wiring::new();
/// wiring.port("reset", Source::Broadcast);
/// wiring.port("address", Source::LaneNumber);
/// for dim in 0..4 {
///     let across = LaneMap::Xor(1 << dim);
///     wiring.bit("from_neighbour", dim, Source::linked("to_neighbour", dim, across));
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    pub(super) rules: Vec<Rule>,
    pub(super) helper: Option<Arc<Netlist>>,
    /// Bits of outputs that are published though no link asks for them.
    pub(super) shown: Vec<(NetId, u32)>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub port: String,
    /// All bits of the port if absent.
    pub bit: Option<u32>,
    pub source: Source,
}

/// Where an input, or one bit of it, comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Fixed for good, so that the circuit becomes simpler. Of a single bit, the
    /// lowest bit of the number counts.
    Constant(BigUint),
    /// One value for all lanes, set by the host; zero at the start.
    Broadcast,
    /// A value for each lane, set by the host; zero at the start.
    PerLane,
    /// The number of the lane; a single bit is the one of its own position.
    LaneNumber,
    /// Bit `bit` of an output of another lane, at the same time. A whole port
    /// takes as many bits as it has, from `bit` up. No linked output may depend
    /// on a linked input except through a register.
    Linked {
        output: String,
        bit: u32,
        from: LaneMap,
    },
    /// Bit `bit` of an output of the [helper circuit](Wiring::helper), the same
    /// for all lanes. A whole port takes as many bits as it has, from `bit` up.
    Helper { output: String, bit: u32 },
}

/// Which lane each lane takes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LaneMap {
    /// Lane `i` takes from lane `i ^ mask`.
    Xor(u32),
    /// Lane `i` takes from lane `table[i]`.
    Table(Arc<[u32]>),
}

impl LaneMap {
    /// Lane `i` takes from lane `from(i)`.
    pub fn from_fn(lanes: usize, from: impl FnMut(usize) -> usize) -> Self {
        LaneMap::Table((0..lanes).map(from).map(|lane| lane as u32).collect())
    }

    /// The lane that a lane takes from.
    ///
    /// # Panics
    /// If it isn't in the table.
    pub fn from(&self, lane: usize) -> usize {
        match self {
            LaneMap::Xor(mask) => lane ^ *mask as usize,
            LaneMap::Table(table) => table[lane] as usize,
        }
    }

    pub(super) fn check(&self, lanes: usize) -> Result<(), LanesError> {
        if let LaneMap::Table(table) = self {
            let found = table.len();
            if found != lanes {
                return Err(LanesError::TableLength { found, lanes });
            }
        }
        match (0..lanes).find(|&lane| self.from(lane) >= lanes) {
            Some(lane) => Err(LanesError::NoLane(lane, self.from(lane), lanes)),
            None => Ok(()),
        }
    }
}

impl Source {
    /// [`Source::Linked`].
    pub fn linked(output: &str, bit: u32, from: LaneMap) -> Self {
        let output = output.into();
        Source::Linked { output, bit, from }
    }

    /// All bits of an output of the helper circuit: [`Source::Helper`].
    pub fn helper(output: &str) -> Self {
        let output = output.into();
        Source::Helper { output, bit: 0 }
    }

    /// The source of bit `i` of a port that has this source.
    pub(super) fn of_bit(&self, i: u32) -> Source {
        match self.clone() {
            Source::Constant(value) => Source::Constant(u8::from(value.bit(i.into())).into()),
            Source::Linked { output, bit, from } => Source::Linked {
                output,
                bit: bit + i,
                from,
            },
            Source::Helper { output, bit } => Source::Helper {
                output,
                bit: bit + i,
            },
            other => other,
        }
    }
}

impl Wiring {
    /// All inputs are per lane.
    pub fn new() -> Self {
        Self::default()
    }

    /// All bits of an input. What is said later counts.
    pub fn port(&mut self, input: &str, source: Source) -> &mut Self {
        self.rule(input, None, source)
    }

    /// One bit of an input. What is said later counts.
    pub fn bit(&mut self, input: &str, bit: u32, source: Source) -> &mut Self {
        self.rule(input, Some(bit), source)
    }

    /// A circuit that runs once, clock cycle by clock cycle with the lanes: its
    /// outputs can drive inputs of all lanes ([`Source::Helper`]).
    pub fn helper(&mut self, netlist: impl Into<Arc<Netlist>>) -> &mut Self {
        self.helper = Some(netlist.into());
        self
    }

    fn rule(&mut self, port: &str, bit: Option<u32>, source: Source) -> &mut Self {
        let port = port.into();
        self.rules.push(Rule { port, bit, source });
        self
    }
}

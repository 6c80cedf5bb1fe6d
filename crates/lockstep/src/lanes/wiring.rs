//! Wiring of the lanes of a machine, as specified by the user.

use super::LanesError;
use crate::netlist::{NetId, Netlist};
use num_bigint::BigUint;
use std::sync::Arc;

/// Sources of the inputs. The default source of an input is [`InputSource::PerLane`].
///
/// ```
/// use lockstep::lanes::{LaneMap, InputSource, LaneWiring};
/// let mut wiring = LaneWiring::new();
/// wiring.port("reset", InputSource::Broadcast);
/// wiring.port("address", InputSource::LaneNumber);
/// for dim in 0..4 {
///     let across = LaneMap::Xor(1 << dim);
///     wiring.bit("from_neighbour", dim, InputSource::linked("to_neighbour", dim, across));
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct LaneWiring {
    pub(super) rules: Vec<WiringRule>,
    pub(super) helper: Option<Arc<Netlist>>,
    /// Output bits that are published although no link uses them.
    pub(super) published: Vec<(NetId, u32)>,
}

#[derive(Clone, Debug)]
pub(super) struct WiringRule {
    pub port: String,
    /// Bit of the port, or `None` for all bits.
    pub bit: Option<u32>,
    pub source: InputSource,
}

/// Source of an input or of one bit of it.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSource {
    /// A fixed value, which simplifies the circuit. For a single bit, the lowest bit of the number
    /// is used.
    Constant(BigUint),
    /// One value for all lanes, set by the host, initially zero.
    Broadcast,
    /// A value for each lane, set by the host, initially zero.
    PerLane,
    /// The lane number. A single bit takes the bit of the number at its own position.
    LaneNumber,
    /// Bit `bit` of an output of another lane, in the same clock cycle. A whole port takes as many
    /// bits as it has, from `bit` up. A linked output may depend on a linked input only through a
    /// register.
    Linked {
        output: String,
        bit: u32,
        from: LaneMap,
    },
    /// Bit `bit` of an output of the [helper circuit](LaneWiring::helper), the same for all lanes. A
    /// whole port takes as many bits as it has, from `bit` up.
    Helper { output: String, bit: u32 },
}

/// Map from each lane to the lane that drives it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LaneMap {
    /// Lane `i` is driven by lane `i ^ mask`.
    Xor(u32),
    /// Lane `i` is driven by lane `table[i]`.
    Table(Arc<[u32]>),
}

impl LaneMap {
    /// Creates a table in which lane `from(i)` drives lane `i`.
    pub fn from_fn(lanes: usize, from: impl FnMut(usize) -> usize) -> Self {
        LaneMap::Table((0..lanes).map(from).map(|lane| lane as u32).collect())
    }

    /// Returns the lane that drives a lane.
    ///
    /// # Panics
    /// If the lane is not in the table.
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

impl InputSource {
    /// Creates a [`InputSource::Linked`].
    pub fn linked(output: &str, bit: u32, from: LaneMap) -> Self {
        let output = output.into();
        InputSource::Linked { output, bit, from }
    }

    /// Creates a [`InputSource::Helper`] for all bits of an output of the helper circuit.
    pub fn helper(output: &str) -> Self {
        let output = output.into();
        InputSource::Helper { output, bit: 0 }
    }

    /// Returns the source of bit `i` of a port that has this source.
    pub(super) fn of_bit(&self, i: u32) -> InputSource {
        match self.clone() {
            InputSource::Constant(value) => {
                InputSource::Constant(u8::from(value.bit(i.into())).into())
            }
            InputSource::Linked { output, bit, from } => InputSource::Linked {
                output,
                bit: bit + i,
                from,
            },
            InputSource::Helper { output, bit } => InputSource::Helper {
                output,
                bit: bit + i,
            },
            other => other,
        }
    }
}

impl LaneWiring {
    /// Creates wiring in which all inputs are per lane.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the source of all bits of an input. A later call overrides an earlier one.
    pub fn port(&mut self, input: &str, source: InputSource) -> &mut Self {
        self.rule(input, None, source)
    }

    /// Sets the source of one bit of an input. A later call overrides an earlier one.
    pub fn bit(&mut self, input: &str, bit: u32, source: InputSource) -> &mut Self {
        self.rule(input, Some(bit), source)
    }

    /// Adds a circuit that runs once, in step with the lanes. Its outputs can drive inputs of all
    /// lanes ([`InputSource::Helper`]).
    pub fn helper(&mut self, netlist: impl Into<Arc<Netlist>>) -> &mut Self {
        self.helper = Some(netlist.into());
        self
    }

    fn rule(&mut self, port: &str, bit: Option<u32>, source: InputSource) -> &mut Self {
        let port = port.into();
        self.rules.push(WiringRule { port, bit, source });
        self
    }
}

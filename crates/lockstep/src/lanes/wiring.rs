//! Wiring of the lanes of a machine, as specified by the user.

use super::frame::Layout;
use super::gates::{GateGraph, Lit};
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
    Linked { output: String, bit: u32, from: LaneMap },
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
            InputSource::Linked { output, bit, from } => {
                InputSource::Linked { output, bit: bit + i, from }
            }
            InputSource::Helper { output, bit } => InputSource::Helper { output, bit: bit + i },
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

// Checks the wiring of a machine and determines the source of each input bit.

/// Source of an input bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputBit {
    Constant(bool),
    /// Number of the broadcast bit.
    Broadcast(usize),
    PerLane {
        slot: u32,
    },
    LaneNumber {
        slot: u32,
        bit: u32,
    },
    Linked {
        slot: u32,
    },
    /// Number of the broadcast bit.
    Helper(usize),
}

impl InputBit {
    pub fn describe(&self) -> &'static str {
        match self {
            InputBit::Constant(_) => "constant",
            InputBit::Broadcast(_) => "broadcast",
            InputBit::PerLane { .. } => "set per lane",
            InputBit::LaneNumber { .. } => "the number of the lane",
            InputBit::Linked { .. } => "linked to another lane",
            InputBit::Helper(_) => "driven by the helper circuit",
        }
    }
}

/// Bit that comes from another lane.
pub struct LinkedBit {
    pub slot: u32,
    /// Position of the input.
    pub input: usize,
    pub output: NetId,
    pub bit: u32,
    pub from: LaneMap,
}

/// Checked sources of all inputs.
pub struct InputSources {
    pub inputs: Vec<Vec<InputBit>>,
    pub broadcasts: Vec<u32>,
    pub helper_bits: Vec<(NetId, u32, usize)>,
    pub linked: Vec<LinkedBit>,
}

impl InputSources {
    pub(super) fn new(
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        layout: &mut Layout,
    ) -> Result<Self, LanesError> {
        let mut chosen: Vec<Vec<InputSource>> = netlist
            .inputs
            .iter()
            .map(|port| vec![InputSource::PerLane; port.ty.width() as usize])
            .collect();
        for rule in &wiring.rules {
            apply(netlist, rule, &mut chosen)?;
        }
        let mut sources = InputSources {
            inputs: vec![],
            broadcasts: vec![],
            helper_bits: vec![],
            linked: vec![],
        };
        for (input, bits) in chosen.into_iter().enumerate() {
            let bits = bits.into_iter().enumerate().map(|(bit, source)| {
                sources.bit(netlist, lanes, wiring, (input, bit as u32), source, layout)
            });
            let bits = bits.collect::<Result<Vec<_>, _>>()?;
            sources.inputs.push(bits);
        }
        Ok(sources)
    }

    fn bit(
        &mut self,
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        (input, position): (usize, u32),
        source: InputSource,
        layout: &mut Layout,
    ) -> Result<InputBit, LanesError> {
        let bit = match source {
            InputSource::Constant(value) => InputBit::Constant(value.bit(0)),
            InputSource::PerLane => InputBit::PerLane { slot: layout.one() },
            InputSource::LaneNumber => InputBit::LaneNumber { slot: layout.one(), bit: position },
            InputSource::Broadcast => {
                self.broadcasts.push(layout.one());
                InputBit::Broadcast(self.broadcasts.len() - 1)
            }
            InputSource::Linked { output, bit, from } => {
                let net = netlist.output(&output);
                let net = net.ok_or_else(|| LanesError::NoOutput(output.clone()))?;
                in_range(&output, bit, netlist.width(net))?;
                from.check(lanes)?;
                let slot = layout.one();
                self.linked.push(LinkedBit { slot, input, output: net, bit, from });
                InputBit::Linked { slot }
            }
            InputSource::Helper { output, bit } => {
                let helper = wiring.helper.as_ref().ok_or(LanesError::NoHelper)?;
                let net = helper.output(&output);
                let net = net.ok_or_else(|| LanesError::NoHelperOutput(output.clone()))?;
                in_range(&output, bit, helper.width(net))?;
                self.broadcasts.push(layout.one());
                let number = self.broadcasts.len() - 1;
                self.helper_bits.push((net, bit, number));
                InputBit::Helper(number)
            }
        };
        Ok(bit)
    }

    /// Returns the bits of an input as gates.
    pub fn bits(&self, input: usize, graph: &mut GateGraph) -> Vec<Lit> {
        let bits = self.inputs[input].iter();
        bits.map(|bit| match *bit {
            InputBit::Constant(value) => Lit::constant(value),
            InputBit::Broadcast(number) | InputBit::Helper(number) => {
                graph.leaf(self.broadcasts[number])
            }
            InputBit::PerLane { slot }
            | InputBit::LaneNumber { slot, .. }
            | InputBit::Linked { slot } => graph.leaf(slot),
        })
        .collect()
    }
}

fn apply(
    netlist: &Netlist,
    rule: &WiringRule,
    chosen: &mut [Vec<InputSource>],
) -> Result<(), LanesError> {
    let port = &rule.port;
    let input = netlist.inputs.iter().position(|i| i.path == *port);
    let input = input.ok_or_else(|| LanesError::NoInput(port.clone()))?;
    let width = chosen[input].len() as u32;
    match rule.bit {
        Some(bit) => {
            in_range(port, bit, width)?;
            chosen[input][bit as usize] = rule.source.clone();
        }
        None => {
            if let InputSource::Constant(value) = &rule.source {
                if value.bits() > width.into() {
                    return Err(LanesError::TooLarge {
                        port: port.clone(),
                        value: format!("{value:#x}"),
                        width,
                    });
                }
            }
            for (i, source) in chosen[input].iter_mut().enumerate() {
                *source = rule.source.of_bit(i as u32);
            }
        }
    }
    Ok(())
}

fn in_range(port: &str, bit: u32, width: u32) -> Result<(), LanesError> {
    match bit < width {
        true => Ok(()),
        false => Err(LanesError::NoBit { port: port.into(), bit, width }),
    }
}

//! Checks the wiring of a machine and determines the source of each input bit.

use super::gates::{GateGraph, Lit};
use super::layout::Layout;
use super::wiring::WiringRule;
use super::{InputSource, LaneMap, LaneWiring, LanesError};
use crate::netlist::{NetId, Netlist};

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
            InputSource::LaneNumber => InputBit::LaneNumber {
                slot: layout.one(),
                bit: position,
            },
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
                self.linked.push(LinkedBit {
                    slot,
                    input,
                    output: net,
                    bit,
                    from,
                });
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
        false => Err(LanesError::NoBit {
            port: port.into(),
            bit,
            width,
        }),
    }
}

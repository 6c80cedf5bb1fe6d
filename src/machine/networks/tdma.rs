//! The TDMA cube as a contender in a comparison, with cores or with forwarders.

use super::cut::Cut;
use super::{
    Arrival, Beat, Carried, CarryError, Contender, Load, Part, Silicon, Spec, SpecError, WholeNode,
    Wires, SYNTHESISED,
};
use crate::engine::NodeEngine;
use crate::lower::{lower, LowerErrors};
use crate::machine::cube::{CubeCircuit, CubeMachine, Disturbance, MessageFate, RunEnd};
use crate::machine::MachineCircuit;
use crate::routing::tdma::PhaseSchedule;
use crate::routing::Schedule;
use crate::rtl::catalog::CLOCKS_PER_BIT as BIT;
use crate::rtl::for_dims;
use crate::rtl::tdma::{register_holds, Node, PhaseClock, SoftNode, SLOT_BITS};
use crate::topology::Hypercube;
use crate::traffic::{Message, MessageList, PAYLOAD_MAX};
use lockstep::rtl::Design;

/// What only the simulation looks at.
const WATCHED: &[&str] = &[
    "holds",
    "sent",
    "sent_slot",
    "received",
    "late",
    "phase",
    "muted",
    "slips",
];

/// The same of a core.
const WATCHED_CORE: &[&str] = &[
    "asleep",
    "retired",
    "halted",
    "cause",
    "instruction",
    "program_counter",
    "decided",
];

/// What is the processor's of a soft node.
const PROCESSOR: &[&str] = &["core", "program", "data"];

/// The hypercube whose router is a schedule. With several processors a node
/// carries the messages of all of them, one after the other; a message then has a
/// byte more, before its payload, that names the processor it is for.
struct Tdma {
    label: &'static str,
    cube: Hypercube,
    proc_bits: u32,
    circuit: CubeCircuit,
    /// What soft nodes run.
    program: Option<Vec<u32>>,
}

/// Nodes that run a program, if there is one, and nodes with forwarders.
pub fn contenders(spec: &Spec) -> Result<Vec<Box<dyn Contender>>, SpecError> {
    let payload = spec.payload + usize::from(spec.proc_bits > 0);
    if payload > PAYLOAD_MAX {
        return Err(SpecError::Payload {
            payload: spec.payload,
            most: PAYLOAD_MAX - 1,
        });
    }
    let circuit = CubeCircuit::new(spec.cube, payload, spec.acked);
    let circuit = circuit.ok_or(SpecError::Dims {
        dims: spec.cube.dims(),
        most: CubeCircuit::MAX_DIMS,
    })?;
    let contender = |label, circuit, program| -> Box<dyn Contender> {
        Box::new(Tdma {
            label,
            cube: spec.cube,
            proc_bits: spec.proc_bits,
            circuit,
            program,
        })
    };
    let soft = spec.program.as_ref().map(|program| {
        let circuit = circuit.clone().with_program(program);
        contender("TDMA route", circuit, Some(program.words.clone()))
    });
    let hard = contender("TDMA forwarder", circuit, None);
    Ok(soft.into_iter().chain([hard]).collect())
}

/// Bytes of a register that holds messages with so many bytes of payload and
/// destination, as bits of an offset: 16, or the 128 of the longest.
const SMALL: (usize, usize) = (4, 4 + SLOT_BITS);
const LARGE: (usize, usize) = (7, 7 + SLOT_BITS);

impl Tdma {
    /// The node as it is put on a chip, with registers as small as the messages let
    /// them be. For the 3- and the 4-cube.
    fn node(&self) -> Result<Design, LowerErrors> {
        let small = register_holds(SMALL.0, self.circuit.timing().payload.into());
        let plan = self.circuit.plan();
        for_dims!(self.cube.dims(), [3 4], D => match (&self.program, small) {
            (None, true) => lower(&Node::<D, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan)),
            (None, false) => lower(&Node::<D, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan)),
            (Some(words), true) => lower(
                &SoftNode::<D, BIT, { SMALL.0 }, { SMALL.1 }>::new(plan, words)
            ),
            (Some(words), false) => lower(
                &SoftNode::<D, BIT, { LARGE.0 }, { LARGE.1 }>::new(plan, words)
            ),
        })
    }

    /// The message as the nodes see it.
    fn between_nodes(&self, message: &Message) -> Message {
        let processor = message.destination & ((1 << self.proc_bits) - 1);
        let named = (self.proc_bits > 0).then_some(processor as u8);
        Message {
            source: message.source >> self.proc_bits,
            destination: message.destination >> self.proc_bits,
            payload: named.into_iter().chain(message.payload.clone()).collect(),
        }
    }
}

impl Contender for Tdma {
    fn network(&self) -> &'static str {
        "tdma"
    }

    fn label(&self) -> &'static str {
        self.label
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn beat(&self) -> Beat {
        let timing = self.circuit.timing();
        let phase = u64::from(timing.bit_times());
        Beat {
            clocks_per_bit: timing.clocks_per_bit.into(),
            step: phase,
            period: phase * u64::from(PhaseSchedule::new(self.cube).period()),
            period_name: "superframe",
        }
    }

    /// A wire for each pair of neighbours.
    fn wires(&self) -> Wires {
        let dims = self.cube.dims();
        Wires {
            per_node: f64::from(dims) / 2.0,
            pins: dims,
        }
    }

    fn carry(
        &self,
        engine: &mut dyn NodeEngine,
        load: Load,
        progress: &mut dyn FnMut(u64, usize),
    ) -> Result<Carried, CarryError> {
        let messages: Vec<Message> = load
            .messages
            .iter()
            .map(|m| self.between_nodes(m))
            .collect();
        let timing = self.circuit.timing();
        let mut machine = CubeMachine::new(engine, self.cube, timing, Disturbance::default());
        machine.releases = load.releases(self.beat().step);
        let superframe = u64::from(PhaseSchedule::new(self.cube).period());
        machine.keep_events = false;
        let run = machine.run_with(&MessageList::from(&messages[..]), |phases, open| {
            if phases.is_multiple_of(superframe) {
                progress(phases / superframe, open);
            }
        })?;
        let arrival = |fate: &MessageFate| match fate {
            MessageFate::ToSelf => Arrival::Stayed,
            MessageFate::Delivered { t } => Arrival::At((u64::from(*t) + 1) * self.beat().step),
            _ => Arrival::Lost,
        };
        Ok(Carried {
            arrivals: run.fates.iter().map(arrival).collect(),
            periods: run.superframes(self.cube),
            hops: run.counters.hops,
            wire_utilisation: run.wire_utilisation(self.cube),
            ored: 0,
            wrong: run.counters.duplicated + run.counters.undetected,
            cut_short: match run.end {
                RunEnd::Complete => None,
                RunEnd::Stuck { superframes } => {
                    Some(format!("nothing moved for {superframes} superframes"))
                }
                RunEnd::Limit { superframes }
                | RunEnd::Halted { superframes }
                | RunEnd::Stopped { superframes } => {
                    Some(format!("it was stopped after {superframes} superframes"))
                }
            },
        })
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        let dims = self.cube.dims();
        if !SYNTHESISED.contains(&dims) {
            return Ok(None);
        }
        let node = self.node()?;
        let clock = for_dims!(dims, [3 4], D => lower(&PhaseClock::<D>::default()))?;
        let part = |name: String, design| Part { name, design };
        let (router, node) = if self.program.is_some() {
            let open = &[WATCHED, WATCHED_CORE].concat();
            let whole = Cut {
                open,
                low: &["hang"],
                without: &[],
            };
            // The core's own outputs are its ports then, watched or not.
            let router = Cut {
                without: PROCESSOR,
                ..whole
            };
            (
                part(
                    format!("SoftNode<{dims}> without its core"),
                    router.of(node.clone()),
                ),
                WholeNode::One(part(format!("SoftNode<{dims}>"), whole.of(node))),
            )
        } else {
            let cut = Cut {
                open: WATCHED,
                low: &["hang"],
                without: &[],
            };
            (
                part(format!("Node<{dims}>"), cut.of(node)),
                WholeNode::cores(1 << self.proc_bits)?,
            )
        };
        Ok(Some(Silicon {
            router,
            node,
            shared: part(format!("PhaseClock<{dims}>"), clock),
        }))
    }
}

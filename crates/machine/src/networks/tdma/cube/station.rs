//! Circuit of which a cube is an array.

use super::clocks::NodeClocks;
use crate::array::{Array, BlockCircuit, InputWiring};
use engine::BlockCircuitBuilder;
use hdl::lower::LowerErrors;
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::topology::Metacube;
use lockstep::design::{BinaryOp, Builder, ExprId, SignalId, Type};
use rtl::tdma::machine::{phase_clock, programmed_phase_clock, synchroniser};
use rtl::tdma::{LocalSync, NodeOscillator, PhaseClockDelay, DELAY_BITS, SLOWER_BITS};
use std::collections::HashMap;

/// Source of the nodes' `sync`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncSource {
    /// Wire that reaches all nodes.
    #[default]
    Wire,
    /// Counter in each node that counts the phases it sees ([`LocalSync`]).
    Local,
}

/// Returns a node with its ends of the wires. A cube has `2^dims` of these circuits.
///
/// The node is any circuit with the ports of [`Node`](rtl::tdma::Node). A wire is pulled up,
/// and its level is `not (pull or neighbour's pull)`. Both ends have the same inputs and see the
/// same level. Faults can be injected: an end sees the level if `keep` is set, inverted if `flip`
/// is set. All other ports belong to the node, whose `phase` has the name `node_phase` here. A
/// station that generates `sync` itself has no input for it. A station with its own clock has three
/// more inputs ([`ClockDomain`]).
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub(super) fn station(
    node: &BlockCircuit,
    dims: u32,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<BlockCircuit, LowerErrors> {
    let node_clock = clocks == NodeClocks::PerNode;
    let counter = match sync {
        SyncSource::Wire => None,
        SyncSource::Local => {
            Some(BlockCircuit::of(move || Box::new(LocalSync::new(PhaseSchedule::phases(dims))))?)
        }
    };
    let mut station = BlockCircuitBuilder::new("station", "A node with its ends of the wires.");
    station.top.param("DIMS", dims);
    let pin = match node_clock {
        true => station.instantiate_gated("node", node),
        false => station.instantiate("node", node),
    };
    for (_, port) in node.design.top().ports() {
        let name = match port.name.as_str() {
            "level" | "phase_clock" => continue,
            "sync" if node_clock || sync == SyncSource::Local => continue,
            // The domain drives these ports in the time of the node's clock.
            name if node_clock && (is_report(name) || PULSE_PORTS.contains(&name)) => continue,
            "phase" => "node_phase",
            name => name,
        };
        station.top.export_port(pin[&port.name], port, name);
    }

    let top = &mut station.top;
    let phase_clock = top.input("phase_clock", Type::BIT, "Rises at the beginning of every phase.");
    let skip =
        top.input("skip", Type::BIT, "The node does not see the phase clock: it misses a phase.");
    let (phase_clock, skip) = (top.read(phase_clock), top.read(skip));
    let seen = top.not(skip);
    let seen = top.binary(BinaryOp::And, phase_clock, seen);
    let level_pin = match node_clock {
        false => {
            top.assign(pin["phase_clock"], seen);
            if let Some(counter) = &counter {
                let counter = station.instantiate("local_sync", counter);
                station.top.assign(counter["phase_clock"], seen);
                station.top.connect(pin["sync"], counter["sync"]);
            }
            pin["level"]
        }
        true => {
            ClockDomain { station: &mut station, node: &pin }.build(dims, seen, counter.as_ref())?
        }
    };

    build_wire_ends(&mut station.top, &pin, level_pin, dims);
    Ok(station.finish())
}

/// Builds the ends of the wires. Drives `level_pin` with the levels that they see.
fn build_wire_ends(
    top: &mut Builder,
    node: &HashMap<String, SignalId>,
    level_pin: SignalId,
    dims: u32,
) {
    let word = Type::Bits(dims);
    let other = top.input("other", word.clone(), "The pulls at the other ends of the wires.");
    let other_holds =
        top.input("other_holds", word.clone(), "The wires that are held at their other ends.");
    let keep = top.input("keep", word.clone(), "The level of the wire reaches its end.");
    let flip = top.input("flip", word.clone(), "It reaches it inverted.");
    let level = top.output("level", word.clone(), "What this end sees.");
    let clash = top.output("clash", word, "Both ends hold the wire at once.");
    let (pull, other) = (top.read(node["pull"]), top.read(other));
    let low = top.binary(BinaryOp::Or, pull, other);
    let wire = top.not(low);
    let (keep, flip) = (top.read(keep), top.read(flip));
    let captured = top.binary(BinaryOp::And, wire, keep);
    let seen = top.binary(BinaryOp::Xor, captured, flip);
    top.assign(level, seen);
    top.assign(level_pin, seen);
    let (holds, other_holds) = (top.read(node["holds"]), top.read(other_holds));
    let both = top.binary(BinaryOp::And, holds, other_holds);
    top.assign(clash, both);
}

/// True if this port is part of the report on a phase.
fn is_report(port: &str) -> bool {
    REPORT_PORTS.iter().any(|(name, _)| *name == port)
}

// Clock domain of a node with its own clock: the circuits around the node.

/// Report ports of a node for a phase that is over, each with its name at the station. The values
/// are captured when the node sees the next phase begin, because this time is known only in its own
/// domain.
const REPORT_PORTS: [(&str, &str); 7] = [
    ("phase", "node_phase"),
    ("muted", "muted"),
    ("sent", "sent"),
    ("sent_slot", "sent_slot"),
    ("received", "received"),
    ("missed_deadline", "missed_deadline"),
    ("slips", "slips"),
];

/// Outputs to the host that are high for one clock cycle of the node. The station shortens them to
/// one clock cycle of the simulation.
const PULSE_PORTS: [&str; 2] = ["host_taken", "out_valid"];

const CLOCK_ENABLE: &str = BlockCircuitBuilder::CLOCK_ENABLE;

/// Builder of the clock domain of a node.
///
/// [`PhaseClockDelay`] delays the phase clock (input `delay`). [`NodeOscillator`] derives the node's clock
/// from the simulation clock by skipping edges (inputs `slower`, `start`). Signals from other
/// domains pass a [`Synchroniser`](rtl::tdma::Synchroniser).
struct ClockDomain<'a> {
    station: &'a mut BlockCircuitBuilder,
    /// Pins of the node, whose clock is gated.
    node: &'a HashMap<String, SignalId>,
}

impl ClockDomain<'_> {
    /// Builds the domain around a node with `links` links. `phase_clock` is the level of the phase
    /// clock. `counter` generates the node's `sync` if no wire does. Returns the pin for the levels
    /// of the wires, which the caller must drive.
    ///
    /// # Errors
    /// A released circuit causes no error.
    fn build(
        mut self,
        links: u32,
        phase_clock: ExprId,
        counter: Option<&BlockCircuit>,
    ) -> Result<SignalId, LowerErrors> {
        let oscillator = BlockCircuit::of(|| Box::<NodeOscillator>::default())?;
        let oscillator = self.station.instantiate("node_clock", &oscillator);
        let of_simulation = "; set before the first phase.";
        let top = &mut self.station.top;
        for (name, doc) in [
            ("slower", "Number of edges that the clock skips in 2^24"),
            ("start", "Initial value of the counter of skipped edges"),
        ] {
            let ty = Type::Bits(SLOWER_BITS as u32);
            let outside = top.input(name, ty, &format!("{doc}{of_simulation}"));
            top.connect(oscillator[name], outside);
        }
        let tick = oscillator["tick"];

        let delay = BlockCircuit::of(|| Box::<PhaseClockDelay>::default())?;
        let delay_line = self.station.instantiate("phase_clock_delay", &delay);
        let ty = Type::Bits(DELAY_BITS as u32);
        let doc = format!("Delay of the phase clock in clock cycles, less one{of_simulation}");
        let top = &mut self.station.top;
        let delay = top.input("delay", ty, &doc);
        top.connect(delay_line["delay"], delay);
        top.assign(delay_line["phase_clock"], phase_clock);

        let synchroniser = BlockCircuit::of(move || synchroniser(links))?;
        let synchroniser = self.instantiate_in_domain("synchroniser", &synchroniser, tick);
        let pairs = [("phase_clock", "delayed_phase_clock"), ("sync", "delayed_sync")];
        let top = &mut self.station.top;
        for (to, from) in pairs {
            top.connect(synchroniser[to], delay_line[from]);
        }
        let rises = synchroniser["node_phase_clock"];
        top.connect(self.node["phase_clock"], rises);
        top.connect(self.node["level"], synchroniser["node_level"]);
        top.connect(self.node[CLOCK_ENABLE], tick);
        match counter {
            None => {
                let sync = top.input("sync", Type::BIT, "High in phase 0.");
                top.connect(delay_line["sync"], sync);
                top.connect(self.node["sync"], synchroniser["node_sync"]);
            }
            Some(counter) => {
                let none = top.constant(0u8, 1);
                top.assign(delay_line["sync"], none);
                let counter = self.instantiate_in_domain("local_sync", counter, tick);
                let top = &mut self.station.top;
                top.connect(counter["phase_clock"], rises);
                top.connect(self.node["sync"], counter["sync"]);
            }
        }
        self.build_outputs(rises, tick);
        Ok(synchroniser["level"])
    }

    /// Places a block that is clocked in the node's domain.
    fn instantiate_in_domain(
        &mut self,
        name: &str,
        block: &BlockCircuit,
        tick: SignalId,
    ) -> HashMap<String, SignalId> {
        let pins = self.station.instantiate_gated(name, block);
        self.station.top.connect(pins[CLOCK_ENABLE], tick);
        pins
    }

    /// Builds the outputs to the environment.
    fn build_outputs(&mut self, phase_clock: SignalId, tick: SignalId) {
        let top = &mut self.station.top;
        let was_high = top.register(
            "was_high",
            Type::BIT,
            0u8,
            "Level of the phase clock at the last edge of the clock of the node.",
        );
        top.connect(was_high.d, was_high.q);
        let captured: Vec<_> = REPORT_PORTS
            .iter()
            .map(|(port, name)| {
                let pin = self.node[*port];
                let ty = top.module().signal(pin).ty.clone();
                let doc = "Value at the end of the phase.";
                let init = u8::from(*port == "muted");
                let captured = top.register(&format!("over.{port}"), ty.clone(), init, doc);
                let outside = top.output(name, ty, doc);
                top.connect(outside, captured.q);
                top.connect(captured.d, captured.q);
                (pin, captured.d)
            })
            .collect();
        let [on, now, before] = [tick, phase_clock, was_high.q].map(|s| top.read(s));
        let before = top.not(before);
        let rises = top.binary(BinaryOp::And, now, before);
        let rises = top.binary(BinaryOp::And, rises, on);
        let on = top.read(tick);
        top.if_(on, |top| top.connect(was_high.d, phase_clock));
        top.if_(rises, |top| {
            for (pin, captured) in &captured {
                top.connect(*captured, *pin);
            }
        });
        for port in PULSE_PORTS {
            let doc = "High for one clock cycle of the simulation.";
            let outside = top.output(port, Type::BIT, doc);
            let [pulse, on] = [self.node[port], tick].map(|s| top.read(s));
            let pulse = top.binary(BinaryOp::And, pulse, on);
            top.assign(outside, pulse);
        }
    }
}

// Wiring of nodes and phase clock, for superframes or for a programmed order of links.

/// Returns the machine of these nodes. `node` is any circuit with the ports of
/// [`Node`](rtl::tdma::Node), built for the links and addresses of this shape.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn cube_array(
    shape: impl Into<Metacube>,
    node: impl Into<BlockCircuit>,
) -> Result<Array, LowerErrors> {
    superframes(shape.into(), &node.into(), SyncSource::Wire, NodeClocks::Common)
}

/// Returns the same array with selectable sources of the nodes' `sync` and clocks.
pub(super) fn superframes(
    shape: Metacube,
    node: &BlockCircuit,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Array, LowerErrors> {
    let clock = BlockCircuit::of(move || phase_clock(shape.links()))?;
    array(shape, node, clock, sync, clocks)
}

/// Returns the array for a programmed order. Its nodes have the ports of
/// [`ProgrammedNode`](rtl::tdma::ProgrammedNode). Pair numbers in the order have
/// [`pair_bits`](rtl::tdma::machine::pair_bits) bits.
///
/// # Errors
/// As [`cube_array`].
///
/// # Panics
/// If the shape is a metacube that is not one of
/// [`PROGRAMMED`](rtl::tdma::MachineNode::PROGRAMMED).
pub fn programmed_array(
    shape: Metacube,
    node: impl Into<BlockCircuit>,
) -> Result<Array, LowerErrors> {
    let clock = BlockCircuit::of(move || programmed_phase_clock(shape))?;
    let (sync, clocks) = (SyncSource::Wire, NodeClocks::Common);
    let mut array = array(shape, &node.into(), clock, sync, clocks)?;
    for (input, output) in [
        ("write", "broadcast_write"),
        ("write_pair", "broadcast_pair"),
        ("write_link", "broadcast_link"),
        ("write_last", "broadcast_last"),
    ] {
        array.wiring.push(InputWiring::shared(input, output));
    }
    Ok(array)
}

fn array(
    shape: Metacube,
    node: &BlockCircuit,
    clock: BlockCircuit,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Array, LowerErrors> {
    let mut array = Array {
        name: "cube".into(),
        doc: format!("The machine: {} nodes and the phase clock.", shape.nodes()),
        node: station(node, shape.links(), sync, clocks)?,
        nodes: shape.nodes() as usize,
        shared: clock,
        wiring: vec![
            InputWiring::shared("phase_clock", "phase_clock"),
            InputWiring::number("address"),
            InputWiring::links("other", "pull", &shape),
            InputWiring::links("other_holds", "holds", &shape),
        ],
    };
    if sync == SyncSource::Wire {
        array.wiring.push(InputWiring::shared("sync", "sync"));
    }
    Ok(array)
}

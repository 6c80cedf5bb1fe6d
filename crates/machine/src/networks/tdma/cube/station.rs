//! Circuit of which a cube is an array.

use super::clock_domain::{ClockDomain, CLOCK_ENABLE, PULSE_PORTS, REPORT_PORTS};
use super::clocks::NodeClocks;
use hdl::lower::{lower, LowerErrors};
use interconnect::routing::tdma::PhaseSchedule;
use lockstep::design::{BinaryOp, Builder, Design, Library, Type};
use rtl::tdma::LocalSync;
use std::borrow::Cow;

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
    node: &Design,
    dims: u32,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Design, LowerErrors> {
    let word = Type::Bits(dims);
    let own_clock = clocks == NodeClocks::PerNode;
    let node = match own_clock {
        true => Cow::Owned(node.with_clock_enable(CLOCK_ENABLE)),
        false => Cow::Borrowed(node),
    };
    let mut library = Library::default();
    let counter = match sync {
        SyncSource::Wire => None,
        SyncSource::Local => Some(lower(&LocalSync::new(PhaseSchedule::phases(dims)))?),
    };
    let mut top = Builder::new("station", "A node with its ends of the wires.");
    top.param("DIMS", dims);
    let pin = top.instantiate_design(&mut library, "node", &node);
    for (_, port) in node.top().ports() {
        let name = match port.name.as_str() {
            "level" | "phase_clock" | CLOCK_ENABLE => continue,
            "sync" if own_clock || sync == SyncSource::Local => continue,
            // The domain drives these ports in the time of the node's clock.
            name if own_clock && (is_report(name) || PULSE_PORTS.contains(&name)) => continue,
            "phase" => "node_phase",
            name => name,
        };
        top.export_port(pin[&port.name], port, name);
    }

    let phase_clock = top.input(
        "phase_clock",
        Type::BIT,
        "Rises at the beginning of every phase.",
    );
    let skip = top.input(
        "skip",
        Type::BIT,
        "The node does not see the phase clock: it misses a phase.",
    );
    let (phase_clock, skip) = (top.read(phase_clock), top.read(skip));
    let seen = top.not(skip);
    let seen = top.binary(BinaryOp::And, phase_clock, seen);
    let level_pin = match own_clock {
        false => {
            top.assign(pin["phase_clock"], seen);
            if let Some(counter) = &counter {
                let counter = top.instantiate_design(&mut library, "own_sync", counter);
                top.assign(counter["phase_clock"], seen);
                top.connect(pin["sync"], counter["sync"]);
            }
            pin["level"]
        }
        true => ClockDomain {
            top: &mut top,
            library: &mut library,
            node: &pin,
        }
        .build(dims, seen, counter.as_ref())?,
    };

    let other = top.input(
        "other",
        word.clone(),
        "The pulls at the other ends of the wires.",
    );
    let other_holds = top.input(
        "other_holds",
        word.clone(),
        "The wires that are held at their other ends.",
    );
    let keep = top.input(
        "keep",
        word.clone(),
        "The level of the wire reaches its end.",
    );
    let flip = top.input("flip", word.clone(), "It reaches it inverted.");
    let level = top.output("level", word.clone(), "What this end sees.");
    let clash = top.output("clash", word, "Both ends hold the wire at once.");
    let (pull, other) = (top.read(pin["pull"]), top.read(other));
    let low = top.binary(BinaryOp::Or, pull, other);
    let wire = top.not(low);
    let (keep, flip) = (top.read(keep), top.read(flip));
    let kept = top.binary(BinaryOp::And, wire, keep);
    let seen = top.binary(BinaryOp::Xor, kept, flip);
    top.assign(level, seen);
    top.assign(level_pin, seen);
    let (holds, other_holds) = (top.read(pin["holds"]), top.read(other_holds));
    let both = top.binary(BinaryOp::And, holds, other_holds);
    top.assign(clash, both);

    let top = library.add_module(top.finish());
    Ok(library.finish(top))
}

/// True if this port is part of the report on a phase.
fn is_report(port: &str) -> bool {
    REPORT_PORTS.iter().any(|(name, _)| *name == port)
}

//! Wiring of nodes and phase clock, for superframes or for a programmed order of links.

use super::clocks::NodeClocks;
use super::reference_station::ReferenceStation;
use super::station::{station, SyncSource};
use crate::array::{Array, BlockEngines, InputWiring};
use engine::{CircuitEngine, EngineError, ReferenceEngine};
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::Metacube;
use lockstep::design::Design;
use rtl::tdma::parts::{phase_clock, programmed_phase_clock};

/// Returns the machine of these nodes. `node` is any circuit with the ports of
/// [`Node`](rtl::tdma::Node), built for the links and addresses of this shape.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn cube_array(shape: impl Into<Metacube>, node: &Design) -> Result<Array, LowerErrors> {
    superframes(shape.into(), node, SyncSource::Wire, NodeClocks::Common)
}

/// Returns the same array with selectable sources of the nodes' `sync` and clocks.
pub(super) fn superframes(
    shape: Metacube,
    node: &Design,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Array, LowerErrors> {
    array(shape, node, &*phase_clock(shape.links()), sync, clocks)
}

/// Returns the array for a programmed order. Its nodes have the ports of
/// [`ProgrammedNode`](rtl::tdma::ProgrammedNode). Pair numbers in the order have
/// [`pair_bits`](rtl::tdma::parts::pair_bits) bits.
///
/// # Errors
/// As [`cube_array`].
///
/// # Panics
/// If the shape is a metacube that is not one of
/// [`PROGRAMMED`](rtl::tdma::MachineNode::PROGRAMMED).
pub fn programmed_array(shape: Metacube, node: &Design) -> Result<Array, LowerErrors> {
    let clock = programmed_phase_clock(shape);
    let mut array = array(shape, node, &*clock, SyncSource::Wire, NodeClocks::Common)?;
    for (input, output) in [
        ("write", "told"),
        ("write_pair", "told_pair"),
        ("write_link", "told_link"),
        ("write_last", "told_last"),
    ] {
        array.wiring.push(InputWiring::shared(input, output));
    }
    Ok(array)
}

fn array(
    shape: Metacube,
    node: &Design,
    clock: &dyn Circuit,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Array, LowerErrors> {
    let mut array = Array {
        name: "cube".into(),
        doc: format!("The machine: {} nodes and the phase clock.", shape.nodes()),
        node: station(node, shape.links(), sync, clocks)?,
        nodes: shape.nodes() as usize,
        shared: lower(clock)?,
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

/// Returns the blocks of such a machine for the reference. `node` returns a node with the ports of
/// [`Node`](rtl::tdma::Node).
///
/// # Errors
/// As [`ReferenceEngine::new`].
pub fn cube_blocks(
    shape: impl Into<Metacube>,
    node: impl Fn() -> Box<dyn Circuit>,
) -> Result<BlockEngines, EngineError> {
    superframe_blocks(shape.into(), SyncSource::Wire, NodeClocks::Common, node)
}

/// Returns the same blocks with selectable sources of the nodes' `sync` and clocks.
pub(super) fn superframe_blocks(
    shape: Metacube,
    sync: SyncSource,
    clocks: NodeClocks,
    node: impl Fn() -> Box<dyn Circuit>,
) -> Result<BlockEngines, EngineError> {
    blocks(shape, node, phase_clock(shape.links()), sync, clocks)
}

/// Returns the blocks for a programmed order.
///
/// # Errors
/// As [`cube_blocks`].
///
/// # Panics
/// As [`programmed_array`].
pub fn programmed_blocks(
    shape: Metacube,
    node: impl Fn() -> Box<dyn Circuit>,
) -> Result<BlockEngines, EngineError> {
    let clock = programmed_phase_clock(shape);
    blocks(shape, node, clock, SyncSource::Wire, NodeClocks::Common)
}

fn blocks(
    shape: Metacube,
    node: impl Fn() -> Box<dyn Circuit>,
    clock: Box<dyn Circuit>,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<BlockEngines, EngineError> {
    let nodes = ReferenceEngine::copies(shape.nodes() as usize, node)?;
    let mut stations: Vec<Box<dyn CircuitEngine>> = vec![];
    for node in nodes {
        stations.push(Box::new(ReferenceStation::new(
            node,
            shape.links(),
            sync,
            clocks,
        )?));
    }
    Ok(BlockEngines {
        nodes: stations,
        shared: Box::new(ReferenceEngine::boxed(clock)?),
    })
}

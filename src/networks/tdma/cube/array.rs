//! Nodes and a phase clock, wired: superframes, or an order of links that is programmed.

use super::clocks::NodeClocks;
use super::reference_station::ReferenceStation;
use super::station::{station, SyncSource};
use crate::engine::{Engine, EngineError, Reference};
use crate::machine::array::{Array, Blocks, Wire};
use crate::rtl::tdma::{order_bits, PhaseClock, ProgrammedPhaseClock, CUBE_ORDER_BITS};
use crate::rtl::{for_dims, for_metacubes};
use crate::topology::Metacube;
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// The machine of these nodes: any circuit with the ports of [`Node`](crate::rtl::tdma::Node),
/// built for the links and addresses of this shape.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn cube_array(shape: impl Into<Metacube>, node: &Design) -> Result<Array, LowerErrors> {
    superframes(shape.into(), node, SyncSource::Wire, NodeClocks::Common)
}

/// The same with a choice of where nodes have their `sync` and their clocks from.
pub(super) fn superframes(
    shape: Metacube,
    node: &Design,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Array, LowerErrors> {
    let clock = for_dims!(shape.links(), ..=16, D => lower(&PhaseClock::<D>::default()))?;
    array(shape, node, clock, sync, clocks)
}

/// The same of a programmed order: nodes with the ports of
/// [`ProgrammedNode`](crate::rtl::tdma::ProgrammedNode). Numbers of pairs in the order have
/// [`order_bits`] bits in a metacube, [`CUBE_ORDER_BITS`] in a cube.
///
/// # Errors
/// As [`cube_array`].
///
/// # Panics
/// If the shape is a metacube that is none of
/// [`CubeCircuit::PROGRAMMED`](super::CubeCircuit::PROGRAMMED).
pub fn programmed_array(shape: Metacube, node: &Design) -> Result<Array, LowerErrors> {
    let clock = programmed_clock(shape)?;
    let mut array = array(shape, node, clock, SyncSource::Wire, NodeClocks::Common)?;
    for (input, output) in [
        ("write", "told"),
        ("write_pair", "told_pair"),
        ("write_link", "told_link"),
        ("write_last", "told_last"),
    ] {
        array.wiring.push(Wire::shared(input, output));
    }
    Ok(array)
}

/// The clock of a programmed order.
pub fn programmed_clock(shape: Metacube) -> Result<Design, LowerErrors> {
    match shape.class_bits() {
        0 => lower(&ProgrammedPhaseClock::<CUBE_ORDER_BITS>::default()),
        _ => for_metacubes!(
            shape,
            programmed,
            _L B _R => lower(&ProgrammedPhaseClock::<{ order_bits(B) }>::default())
        ),
    }
}

fn array(
    shape: Metacube,
    node: &Design,
    clock: Design,
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
            Wire::shared("phase_clock", "phase_clock"),
            Wire::number("address"),
            Wire::links("other", "pull", &shape),
            Wire::links("other_holds", "holds", &shape),
        ],
    };
    if sync == SyncSource::Wire {
        array.wiring.push(Wire::shared("sync", "sync"));
    }
    Ok(array)
}

/// The blocks of such a machine for the reference: `node` makes so many equal ones, in
/// the reference, with the ports of [`Node`](crate::rtl::tdma::Node).
///
/// # Errors
/// As `node`, and as [`Reference::new`].
///
/// # Panics
/// If nodes have more than 4 links: larger stations are not compiled.
pub fn cube_blocks(
    shape: impl Into<Metacube>,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
) -> Result<Blocks, EngineError> {
    superframe_blocks(shape.into(), SyncSource::Wire, NodeClocks::Common, node)
}

/// The same with a choice of where nodes have their `sync` and their clocks from.
pub(super) fn superframe_blocks(
    shape: Metacube,
    sync: SyncSource,
    clocks: NodeClocks,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
) -> Result<Blocks, EngineError> {
    let clock = for_dims!(shape.links(), ..=4, D => {
        boxed(Reference::new(PhaseClock::<D>::default()))
    })?;
    blocks(shape, node, clock, sync, clocks)
}

/// The same of a programmed order.
///
/// # Errors
/// As [`cube_blocks`].
///
/// # Panics
/// If it is a metacube but not MC(1,1): larger ones are not compiled.
pub fn programmed_blocks(
    shape: Metacube,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
) -> Result<Blocks, EngineError> {
    let clock = match shape.class_bits() {
        0 => boxed(Reference::new(
            ProgrammedPhaseClock::<CUBE_ORDER_BITS>::default(),
        )),
        _ => for_metacubes!(shape, [(1, 1)], _L B _R => {
            boxed(Reference::new(ProgrammedPhaseClock::<{ order_bits(B) }>::default()))
        }),
    }?;
    blocks(shape, node, clock, SyncSource::Wire, NodeClocks::Common)
}

/// An engine of whatever kind.
fn boxed(
    engine: Result<impl Engine + 'static, EngineError>,
) -> Result<Box<dyn Engine>, EngineError> {
    Ok(Box::new(engine?))
}

fn blocks(
    shape: Metacube,
    node: impl FnOnce(usize) -> Result<Vec<Box<dyn Engine>>, EngineError>,
    clock: Box<dyn Engine>,
    sync: SyncSource,
    clocks: NodeClocks,
) -> Result<Blocks, EngineError> {
    let nodes = node(shape.nodes() as usize)?;
    let links = shape.links();
    let station = |node| boxed(ReferenceStation::new(node, links, sync, clocks));
    Ok(Blocks {
        nodes: nodes.into_iter().map(station).collect::<Result<_, _>>()?,
        shared: clock,
    })
}

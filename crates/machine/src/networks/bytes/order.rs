//! Time base and cost of a byte-channel machine, for runs and comparisons.

use crate::{Silicon, SynthesisUnit, Timebase, WholeNode, SYNTHESISED_DIMS};
use hdl::lower::LowerErrors;
use interconnect::topology::Topology;
use lockstep::design::Design;

/// Returns the time base for packets of up to `packet` bytes. Its period is the time in which a
/// channel carries one longest packet, at one byte per clock cycle.
pub fn timebase(packet: usize) -> Timebase {
    Timebase {
        clocks_per_bit: 1,
        step: 1,
        period: packet as u64,
        period_name: "packet time",
        step_name: "clock cycle",
        steps_name: "clock cycles",
        arrival: 1,
    }
}

/// Returns the cost of a node: its circuit with the given `name`, and its processors. The machine
/// has no circuit that all nodes share. Returns `None` for sizes that are not synthesised.
///
/// # Errors
/// A released circuit causes no error, because the tests lower it.
pub fn silicon(
    topology: &dyn Topology,
    name: &str,
    node: impl FnOnce() -> Result<Design, LowerErrors>,
    processors: usize,
) -> Result<Option<Silicon>, LowerErrors> {
    if !SYNTHESISED_DIMS
        .map(|dims| 1 << dims)
        .contains(&topology.nodes())
    {
        return Ok(None);
    }
    Ok(Some(Silicon {
        router: SynthesisUnit {
            name: name.into(),
            design: node()?,
        },
        node: WholeNode::cores(processors)?,
        shared: None,
    }))
}

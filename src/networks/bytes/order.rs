//! Time and cost of a machine of byte channels, as runs and comparisons ask for them.

use crate::machine::{Part, Silicon, Timebase, WholeNode, SYNTHESISED};
use crate::topology::Topology;
use hdl::lower::LowerErrors;
use lockstep::design::Design;

/// In the time in which the bytes of the longest packet go by at one in a clock cycle a
/// channel carries one packet.
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

/// What a node costs: its circuit, which is called `name`, and so many processors. There is
/// nothing that all nodes need. `None` of sizes that are not synthesised.
///
/// # Errors
/// None that a released circuit has: it is lowered in the tests.
pub fn silicon(
    topology: &dyn Topology,
    name: &str,
    node: impl FnOnce() -> Result<Design, LowerErrors>,
    processors: usize,
) -> Result<Option<Silicon>, LowerErrors> {
    if !SYNTHESISED
        .map(|dims| 1 << dims)
        .contains(&topology.nodes())
    {
        return Ok(None);
    }
    Ok(Some(Silicon {
        router: Part {
            name: name.into(),
            design: node()?,
        },
        node: WholeNode::cores(processors)?,
        shared: None,
    }))
}

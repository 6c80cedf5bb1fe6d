//! The node of a torus for a plan that is known only at run time.

use super::{TorusNode, TorusPlan};
use hdl::lower::Circuit;

/// Makes the [`TorusNode`] of a plan.
pub fn node(plan: TorusPlan) -> Box<dyn Circuit> {
    match (plan.tail.data_wires(), plan.channels) {
        (8, 1) => Box::new(TorusNode::<8, 1>::new(plan)),
        (8, _) => Box::new(TorusNode::<8, 2>::new(plan)),
        (_, 1) => Box::new(TorusNode::<9, 1>::new(plan)),
        (_, _) => Box::new(TorusNode::<9, 2>::new(plan)),
    }
}

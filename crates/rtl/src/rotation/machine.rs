//! The switch of a cube with minimal rotation, for a plan that is known only at run time.

use super::{RotationPlan, RotationSwitch, Scheme};
use hdl::lower::Circuit;

/// Makes the [`RotationSwitch`] of a plan, whose scheme and virtual channels are constants.
pub fn switch(plan: RotationPlan) -> Box<dyn Circuit> {
    match (plan.scheme(), plan.channels) {
        (Scheme::Minimal, 1) => Box::new(RotationSwitch::<0, 1>::new(plan)),
        (Scheme::Minimal, _) => Box::new(RotationSwitch::<0, 2>::new(plan)),
        (Scheme::Thacker, 1) => Box::new(RotationSwitch::<1, 1>::new(plan)),
        (Scheme::Thacker, _) => Box::new(RotationSwitch::<1, 2>::new(plan)),
        (Scheme::Rewired, 1) => Box::new(RotationSwitch::<2, 1>::new(plan)),
        (Scheme::Rewired, _) => Box::new(RotationSwitch::<2, 2>::new(plan)),
    }
}

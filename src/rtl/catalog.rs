//! The designs that can be emitted and built, by name.

use super::bytes::ByteChannel;
use super::cm1::{EjectMode, MessageFormat, PetitPlan, Router};
use super::for_dims;
use super::rotation::{RotationPlan, RotationSwitch};
use super::tdma::{Link, PinMux};
use super::torus::{TorusNode, TorusPlan};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Clock cycles per bit of the emulated machine's UARTs.
pub const CLOCKS_PER_BIT: usize = 8;

/// A circuit on top of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catalogued {
    /// The pin mux of one node.
    PinMux,
    /// The CM-1's router of one chip, with the paper's 7 rows and 16 processors, for
    /// messages with 32 bits of data.
    Cm1Router,
    /// The 1-cube: two nodes' ports, the wire between them and the phase clock.
    Link,
    /// A node of the torus: the paper's chip, and more of them in a row for more than two
    /// dimensions.
    TorusNode,
    /// A switch of minimal rotation, with two virtual channels where they can occur.
    RotationSwitch,
    /// A channel of the torus from end to end, with two virtual channels.
    ByteChannel,
}

impl Catalogued {
    /// Whether the number of dimensions is the design's own to choose.
    pub fn has_dims(self) -> bool {
        match self {
            Catalogued::PinMux
            | Catalogued::Cm1Router
            | Catalogued::TorusNode
            | Catalogued::RotationSwitch => true,
            Catalogued::Link | Catalogued::ByteChannel => false,
        }
    }

    /// The number of dimensions that it has if none is chosen.
    pub fn default_dims(self) -> u32 {
        match self {
            Catalogued::PinMux | Catalogued::Cm1Router => 4,
            Catalogued::TorusNode => 2,
            Catalogued::RotationSwitch => 3,
            Catalogued::Link | Catalogued::ByteChannel => 1,
        }
    }

    /// The circuit for a cube or torus of `dims` dimensions, 1 to 16.
    ///
    /// # Errors
    /// None that a released design has: they are lowered in the tests.
    pub fn design(self, dims: u32) -> Result<Design, LowerErrors> {
        match self {
            Catalogued::PinMux => for_dims!(dims, ..=16, D => lower(&PinMux::<D>::default())),
            Catalogued::Cm1Router => {
                for_dims!(dims, ..=16, D => lower(&Router::<D>::new(7, cm1_plan(dims))))
            }
            Catalogued::Link => lower(&Link::<CLOCKS_PER_BIT>::default()),
            Catalogued::TorusNode => {
                let plan = TorusPlan::new(dims as usize);
                match plan.tail.data_wires() {
                    8 => lower(&TorusNode::<8, 2>::new(plan)),
                    _ => lower(&TorusNode::<9, 2>::new(plan)),
                }
            }
            Catalogued::RotationSwitch => lower(&RotationSwitch::<0, 2>::new(RotationPlan::new(
                dims as usize,
            ))),
            Catalogued::ByteChannel => lower(&ByteChannel::<8, 2>::default()),
        }
    }
}

/// The paper's typical case on a cube of any size.
fn cm1_plan(dims: u32) -> PetitPlan {
    let format = MessageFormat {
        dims,
        proc_bits: 4,
        vp_bits: 0,
        data_bits: 32,
    };
    PetitPlan::new(format, EjectMode::Or)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_can_be_lowered() {
        for dims in 1..=16 {
            let design = Catalogued::PinMux.design(dims).unwrap();
            let (_, pull) = design.top().port("pull").unwrap();
            assert_eq!(pull.width(), dims);
        }
        for dims in [1, 12, 16] {
            let design = Catalogued::Cm1Router.design(dims).unwrap();
            let (_, out) = design.top().port("cube_out").unwrap();
            assert_eq!(out.width(), dims);
        }
        for (dims, data) in [(1, 8), (2, 8), (3, 9), (16, 9)] {
            let design = Catalogued::TorusNode.design(dims).unwrap();
            let (_, out) = design.top().port("send_data").unwrap();
            assert_eq!(out.width(), data);
        }
        // Of the first two dimensions there is one virtual channel.
        for (dims, lanes) in [(1, 1), (3, 4), (4, 6), (9, 16)] {
            let design = Catalogued::RotationSwitch.design(dims).unwrap();
            let name = format!("request_out[{}]", lanes - 1);
            assert!(design.top().port(&name).is_some(), "{dims}");
            assert!(design
                .top()
                .port(&format!("request_out[{lanes}]"))
                .is_none());
        }
        Catalogued::ByteChannel.design(1).unwrap();
        Catalogued::Link.design(1).unwrap();
    }
}

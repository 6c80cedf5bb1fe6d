//! The designs that can be emitted and built, by name.

use crate::networks::tdma::PhaseTiming;
use crate::routing::compiled::PLACES;
use crate::rtl::bytes::ByteChannel;
use crate::rtl::cm1::{EjectMode, MessageFormat, PetitPlan, Router};
use crate::rtl::rotation::{RotationPlan, RotationSwitch};
use crate::rtl::tdma::{CompiledNode, CubeNode, Link, Node, PinMux};
use crate::rtl::torus::{TorusNode, TorusPlan};
use crate::rtl::CLOCKS_PER_BIT;
use crate::rtl::{for_dims, for_metacubes};
use crate::topology::{Hypercube, Metacube};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Bytes of payload of the longest message of a TDMA node, its destination included: what
/// registers of 16 bytes hold.
const PAYLOAD: usize = 8 + 2;

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
    /// A node of a TDMA cube with a forwarder, for messages with 8 bytes of data.
    Node,
    /// The same of the metacube with so many bits of address.
    MetacubeNode,
    /// A node of a TDMA cube that follows a compiled schedule of up to 1,024 pairs of phases,
    /// for messages with 8 bytes of data.
    CompiledNode,
    /// A node of the torus: the paper's chip, and more of them in a row for more than two
    /// dimensions.
    TorusNode,
    /// A switch of minimal rotation, with two virtual channels where they can occur.
    RotationSwitch,
    /// A channel of the torus from end to end, with two virtual channels.
    ByteChannel,
}

impl Catalogued {
    /// The numbers of dimensions that it can have; one if there is nothing to choose.
    pub fn dims(self) -> &'static [u32] {
        match self {
            Catalogued::PinMux
            | Catalogued::Cm1Router
            | Catalogued::TorusNode
            | Catalogued::RotationSwitch => {
                &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
            }
            Catalogued::Node | Catalogued::CompiledNode => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
            // Those of the metacubes that there are nodes for.
            Catalogued::MetacubeNode => &[3, 5, 6, 7, 9, 10, 11, 14],
            Catalogued::Link | Catalogued::ByteChannel => &[1],
        }
    }

    /// The number of dimensions that it has if none is chosen.
    pub fn default_dims(self) -> u32 {
        match self {
            Catalogued::PinMux
            | Catalogued::Cm1Router
            | Catalogued::Node
            | Catalogued::CompiledNode => 4,
            Catalogued::TorusNode => 2,
            Catalogued::RotationSwitch | Catalogued::MetacubeNode => 3,
            Catalogued::Link | Catalogued::ByteChannel => 1,
        }
    }

    /// The circuit for a cube or torus of `dims` dimensions, or the metacube with as many
    /// nodes as that cube.
    ///
    /// # Errors
    /// None that a released design has: they are lowered in the tests.
    ///
    /// # Panics
    /// If it is none of [`dims`](Self::dims).
    pub fn design(self, dims: u32) -> Result<Design, LowerErrors> {
        match self {
            Catalogued::PinMux => for_dims!(dims, ..=16, D => lower(&PinMux::<D>::default())),
            Catalogued::Cm1Router => {
                for_dims!(dims, ..=16, D => lower(&Router::<D>::new(7, cm1_plan(dims))))
            }
            Catalogued::Link => lower(&Link::<CLOCKS_PER_BIT>::default()),
            Catalogued::Node => {
                let plan = timing(Hypercube::of(dims).into()).plan();
                for_dims!(dims, ..=12, D => {
                    lower(&CubeNode::<D, CLOCKS_PER_BIT, 4, 8>::new(plan))
                })
            }
            Catalogued::MetacubeNode => {
                let shape = Metacube::of_cube(dims.into()).expect("the metacube was checked");
                let plan = timing(shape).plan();
                for_metacubes!(shape, all, L B R => {
                    lower(&Node::<L, B, R, CLOCKS_PER_BIT, 4, 9>::new(plan))
                })
            }
            Catalogued::CompiledNode => {
                let plan = PhaseTiming::compiled(CLOCKS_PER_BIT as u32, PAYLOAD).plan();
                for_dims!(dims, ..=12, D => {
                    lower(&CompiledNode::<D, D, PLACES, CLOCKS_PER_BIT, 4, 8, 10>::new(plan))
                })
            }
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

/// That of nodes with forwarders and links with answers.
fn timing(shape: Metacube) -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, PAYLOAD, shape, true)
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
        for design in [
            Catalogued::Node,
            Catalogued::MetacubeNode,
            Catalogued::CompiledNode,
        ] {
            for dims in design.dims() {
                let node = design.design(*dims).unwrap();
                let (_, address) = node.top().port("address").unwrap();
                assert_eq!(address.width(), *dims);
            }
        }
        Catalogued::ByteChannel.design(1).unwrap();
        Catalogued::Link.design(1).unwrap();
    }
}

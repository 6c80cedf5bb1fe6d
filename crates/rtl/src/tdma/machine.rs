//! The nodes of a TDMA machine, for a shape that is known only when the program runs.
//!
//! The size of a block is a constant of its type, so there is code for each. It is compiled
//! here, once for all who ask.

use super::{
    order_bits, places, receive_registers, register_numbers::last_register, AdaptiveNode,
    CompiledNode, CubeNode, CubeSoftNode, EnginePlan, Node, ProgrammedNode, SoftNode,
    CUBE_ORDER_BITS,
};
use crate::for_dims::{for_dims, for_metacubes};
use crate::CLOCKS_PER_BIT as BIT;
use hdl::lower::Circuit;
use interconnect::routing::compiled::PLACES;
use interconnect::topology::Metacube;

/// How long a message a register, or a place, can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// 16 bytes.
    Short,
    /// 128 bytes: the longest message.
    Long,
}

/// Bits of an offset in a register.
pub(super) const SHORT: usize = 4;
const LONG: usize = 7;

impl Room {
    /// Bits of an offset in a register: it has two to the power of them bytes.
    pub fn offset_bits(self) -> usize {
        match self {
            Room::Short => SHORT,
            Room::Long => LONG,
        }
    }
}

/// Bits of the number of a register or place in the message memory: there are up to 16 in a
/// cube.
pub(super) const FEW: usize = 4;

/// The same of a node of any shape.
const fn number_bits(links: usize, bits: usize) -> usize {
    if last_register(links, bits) < 1 << FEW {
        FEW
    } else {
        FEW + 1
    }
}

/// What the nodes of a machine are built for; a method for each kind of node.
#[derive(Clone, Copy, Debug)]
pub struct MachineNode {
    /// Which nodes there are: a cube of up to [`MAX_DIMS`](Self::MAX_DIMS) dimensions, or one of
    /// [`METACUBES`](Self::METACUBES).
    pub shape: Metacube,
    /// For how long messages.
    pub room: Room,
    /// When what happens in a phase, and what the node does then.
    pub plan: EnginePlan,
    /// Different counts of cross edges that a node of a metacube tells apart.
    pub counts: u64,
}

impl MachineNode {
    /// The largest cube that there is a node for.
    pub const MAX_DIMS: u32 = 12;

    /// More counts of cross edges than a message passes.
    pub const MAX_COUNTS: u32 = 8;

    /// The metacubes MC(k, m) that there are nodes for.
    pub const METACUBES: [(u32, u32); 8] = [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 5),
        (2, 1),
        (2, 2),
        (2, 3),
    ];

    /// Those of them that there are nodes with a programmed order for.
    pub const PROGRAMMED: [(u32, u32); 7] =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2)];

    /// Nodes that tell all counts of cross edges apart.
    pub fn new(shape: impl Into<Metacube>, room: Room, plan: EnginePlan) -> Self {
        MachineNode {
            shape: shape.into(),
            room,
            plan,
            counts: Self::MAX_COUNTS.into(),
        }
    }

    fn is_cube(&self) -> bool {
        self.shape.class_bits() == 0
    }

    /// A [`Node`], whose forwarder is a circuit.
    ///
    /// # Panics
    /// If there is none of this shape.
    pub fn forwarder(&self) -> Box<dyn Circuit> {
        let MachineNode {
            shape,
            plan,
            counts,
            ..
        } = *self;
        match (self.is_cube(), self.room) {
            (true, Room::Short) => for_dims!(shape.links(), ..=12, D => {
                CubeNode::<D, BIT, SHORT, { SHORT + FEW }>::new(plan)
            }),
            (true, Room::Long) => for_dims!(shape.links(), ..=12, D => {
                CubeNode::<D, BIT, LONG, { LONG + FEW }>::new(plan)
            }),
            (false, Room::Short) => for_metacubes!(shape, all, L B => {
                Node::<L, B, { receive_registers(L, B) }, BIT, SHORT, { SHORT + number_bits(L, B) }>::new(plan)
                    .with_counts(counts)
            }),
            (false, Room::Long) => for_metacubes!(shape, all, L B => {
                Node::<L, B, { receive_registers(L, B) }, BIT, LONG, { LONG + number_bits(L, B) }>::new(plan)
                    .with_counts(counts)
            }),
        }
    }

    /// A [`SoftNode`]: a core runs this program, which decides.
    ///
    /// # Panics
    /// If there is none of this shape, if it is a metacube for short messages other than
    /// MC(1,1), or if the program is too large.
    pub fn soft(&self, program: &[u32]) -> Box<dyn Circuit> {
        let MachineNode {
            shape,
            plan,
            counts,
            ..
        } = *self;
        match (self.is_cube(), self.room) {
            (true, Room::Short) => for_dims!(shape.links(), ..=12, D => {
                CubeSoftNode::<D, BIT, SHORT, { SHORT + FEW }>::new(plan, program)
            }),
            (true, Room::Long) => for_dims!(shape.links(), ..=12, D => {
                CubeSoftNode::<D, BIT, LONG, { LONG + FEW }>::new(plan, program)
            }),
            (false, Room::Short) => for_metacubes!(shape, [(1, 1)], L B => {
                SoftNode::<L, B, { receive_registers(L, B) }, BIT, SHORT, { SHORT + number_bits(L, B) }>::new(plan, program)
                    .with_counts(counts)
            }),
            (false, Room::Long) => for_metacubes!(shape, all, L B => {
                SoftNode::<L, B, { receive_registers(L, B) }, BIT, LONG, { LONG + number_bits(L, B) }>::new(plan, program)
                    .with_counts(counts)
            }),
        }
    }

    /// An [`AdaptiveNode`] of a cube.
    ///
    /// # Panics
    /// If it is no such cube, or one for short messages that is neither the 3- nor the 4-cube.
    pub fn adaptive(&self) -> Box<dyn Circuit> {
        let (dims, plan) = (self.dims(), self.plan);
        match self.room {
            Room::Short => for_dims!(dims, [3 4], D => {
                AdaptiveNode::<D, { places(D) }, BIT, SHORT, { SHORT + FEW }>::new(plan)
            }),
            Room::Long => for_dims!(dims, ..=12, D => {
                AdaptiveNode::<D, { places(D) }, BIT, LONG, { LONG + FEW }>::new(plan)
            }),
        }
    }

    /// A [`SoftNode`] with a pool of places, in which a core routes adaptively.
    ///
    /// # Panics
    /// As [`adaptive`](Self::adaptive), or if the program is too large.
    pub fn adaptive_soft(&self, program: &[u32]) -> Box<dyn Circuit> {
        let (dims, plan) = (self.dims(), self.plan);
        match self.room {
            Room::Short => for_dims!(dims, [3 4], D => {
                SoftNode::<D, D, { places(D) }, BIT, SHORT, { SHORT + FEW }>::new(plan, program)
            }),
            Room::Long => for_dims!(dims, ..=12, D => {
                SoftNode::<D, D, { places(D) }, BIT, LONG, { LONG + FEW }>::new(plan, program)
            }),
        }
    }

    /// A [`ProgrammedNode`], for long messages.
    ///
    /// # Panics
    /// If the shape is none of [`PROGRAMMED`](Self::PROGRAMMED).
    pub fn programmed(&self) -> Box<dyn Circuit> {
        let MachineNode {
            shape,
            plan,
            counts,
            ..
        } = *self;
        for_metacubes!(shape, programmed, L B => {
            ProgrammedNode::<L, B, { receive_registers(L, B) }, BIT, LONG, { LONG + number_bits(L, B) }, { order_bits(B) }>::new(plan)
                .with_counts(counts)
        })
    }

    /// A [`CompiledNode`], which follows a compiled schedule.
    ///
    /// # Panics
    /// If the shape is neither a cube nor one of [`PROGRAMMED`](Self::PROGRAMMED), or if it is
    /// a metacube for short messages other than MC(1,1).
    pub fn compiled(&self) -> Box<dyn Circuit> {
        let MachineNode { shape, plan, .. } = *self;
        match (self.is_cube(), self.room) {
            (true, Room::Short) => for_dims!(shape.links(), ..=12, D => {
                CompiledNode::<D, D, PLACES, BIT, SHORT, { SHORT + FEW }, CUBE_ORDER_BITS>::new(plan)
            }),
            (true, Room::Long) => for_dims!(shape.links(), ..=12, D => {
                CompiledNode::<D, D, PLACES, BIT, LONG, { LONG + FEW }, CUBE_ORDER_BITS>::new(plan)
            }),
            (false, Room::Short) => for_metacubes!(shape, [(1, 1)], L B => {
                CompiledNode::<L, B, PLACES, BIT, SHORT, { SHORT + FEW }, { order_bits(B) }>::new(plan)
            }),
            (false, Room::Long) => for_metacubes!(shape, programmed, L B => {
                CompiledNode::<L, B, PLACES, BIT, LONG, { LONG + FEW }, { order_bits(B) }>::new(plan)
            }),
        }
    }

    /// Of a cube.
    fn dims(&self) -> u32 {
        assert!(self.is_cube(), "only nodes of a cube route adaptively");
        self.shape.links()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tdma::PhasePlan;
    use interconnect::topology::Hypercube;

    const PLAN: EnginePlan = EnginePlan {
        acked: true,
        turns: true,
        pool: false,
        payload: 10,
        phase: PhasePlan {
            frame_open: 100,
            frame_close: 2000,
            answer_open: 2016,
            answer_close: 2200,
            phase: 2300,
        },
    };

    /// Without answers, as a node wants it that follows a compiled schedule.
    const RAW: EnginePlan = EnginePlan {
        acked: false,
        turns: false,
        ..PLAN
    };

    const ROOMS: [Room; 2] = [Room::Short, Room::Long];

    #[test]
    fn there_are_nodes_of_all_cubes() {
        for dims in 1..=MachineNode::MAX_DIMS {
            let cube = Hypercube::of(dims);
            for room in ROOMS {
                MachineNode::new(cube, room, PLAN).forwarder();
                MachineNode::new(cube, room, PLAN).soft(&[]);
                MachineNode::new(cube, room, RAW).compiled();
            }
            let pooled = MachineNode::new(cube, Room::Long, PLAN.pooled());
            pooled.adaptive();
            pooled.adaptive_soft(&[]);
        }
    }

    #[test]
    fn there_are_nodes_of_all_metacubes_that_are_named() {
        for (k, m) in MachineNode::METACUBES {
            let node = |room| MachineNode::new(Metacube::of(k, m), room, PLAN);
            node(Room::Long).soft(&[]);
            for room in ROOMS {
                node(room).forwarder();
            }
        }
        for (k, m) in MachineNode::PROGRAMMED {
            let metacube = Metacube::of(k, m);
            MachineNode::new(metacube, Room::Long, PLAN).programmed();
            MachineNode::new(metacube, Room::Long, RAW).compiled();
        }
    }

    #[test]
    #[should_panic(expected = "there is no such circuit of MC(2,3)")]
    fn of_others_there_are_none() {
        MachineNode::new(Metacube::of(2, 3), Room::Long, PLAN).programmed();
    }
}

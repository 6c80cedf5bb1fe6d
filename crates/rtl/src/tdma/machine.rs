//! The nodes of a TDMA machine, for a shape that is known only at run time.
//!
//! The size of a block is a constant of its type, so each size has its own code. This crate
//! compiles that code once for all its users.

use super::buffers::last_buffer;
use super::{
    order_bits, pool_slots, receive_buffers, AdaptiveNode, CompiledNode, CoreMemory, CubeNode,
    CubeSoftNode, EnginePlan, FrameEngine, GuardLimits, Node, PhaseClock, PhaseSequencer, PinMux,
    ProgrammedNode, ProgrammedPhaseClock, SoftNode, Synchroniser, CUBE_ORDER_BITS, DATA_BITS_MAX,
    PROGRAM_BITS_MAX,
};
use crate::shapes::{for_dims, for_metacubes};
use crate::CLOCKS_PER_BIT as BIT;
use hdl::lower::Circuit;
use interconnect::routing::compiled::NODE_SLOTS;
use interconnect::topology::{Hypercube, Metacube};

/// Size of a buffer or slot, which limits the length of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSize {
    /// 16 bytes.
    Short,
    /// 128 bytes: the longest message.
    Long,
}

/// Bits of an offset in a buffer.
pub(super) const SHORT_OFFSET_BITS: usize = 4;
const LONG_OFFSET_BITS: usize = 7;

impl BufferSize {
    /// Returns the number of bits of an offset in a buffer, which has two to the power of it bytes.
    pub fn offset_bits(self) -> usize {
        match self {
            BufferSize::Short => SHORT_OFFSET_BITS,
            BufferSize::Long => LONG_OFFSET_BITS,
        }
    }
}

/// Minimum bits of the number of a buffer or slot in the message memory, also those of a compiled
/// node.
const NUMBER_BITS: usize = 4;

/// Bits of the numbers up to `last` of buffers or slots.
const fn bits_for(last: usize) -> usize {
    if last < 1 << NUMBER_BITS {
        NUMBER_BITS
    } else {
        NUMBER_BITS + 1
    }
}

/// Bits of the number of a buffer of a node of any shape. The injection buffer of the 16-cube has
/// number 16, so that cube needs a bit more than smaller ones.
pub(super) const fn number_bits(links: usize, bits: usize) -> usize {
    bits_for(last_buffer(links, bits))
}

/// Bits of the number of a slot of a cube's node. The state of a link is in the slot of its number.
const fn pool_number_bits(dims: usize) -> usize {
    let (slots, links) = (pool_slots(dims), dims);
    bits_for(if slots > links { slots - 1 } else { links - 1 })
}

/// Parameters of the nodes of a machine, with a method for each kind of node.
#[derive(Clone, Copy, Debug)]
pub struct MachineNode {
    /// Shape of the machine: a cube of up to [`MAX_DIMS`](Self::MAX_DIMS) dimensions, or one of
    /// [`METACUBES`](Self::METACUBES).
    pub shape: Metacube,
    /// Size of the buffers or slots.
    pub buffer_size: BufferSize,
    /// Timing of a phase and parameters of the frame engine.
    pub plan: EnginePlan,
    /// Number of different counts of cross edges that a node of a metacube distinguishes.
    pub counts: u64,
    /// Memories of the core of a soft node. Nodes for short messages have those of a board.
    pub memory: CoreMemory,
    /// Clock cycles after which context 1 of the core of a soft node decides; `None` if the core
    /// has one context.
    pub background: Option<u64>,
    /// Limits of the core's accesses; `None` if they are not checked.
    pub guard: Option<GuardLimits>,
    /// Whether a soft node has an LED.
    pub led: bool,
}

impl MachineNode {
    /// Dimensions of the largest cube that nodes exist for.
    pub const MAX_DIMS: u32 = Hypercube::MAX_DIMS;

    /// Limit on the counts of cross edges, higher than any message needs.
    pub const MAX_COUNTS: u32 = 8;

    /// Metacubes MC(k, m) that nodes exist for.
    pub const METACUBES: [(u32, u32); 8] =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (2, 3)];

    /// Metacubes that nodes with a programmed order exist for.
    pub const PROGRAMMED: [(u32, u32); 7] =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2)];

    /// Makes nodes that distinguish all counts of cross edges.
    pub fn new(shape: impl Into<Metacube>, room: BufferSize, plan: EnginePlan) -> Self {
        MachineNode {
            shape: shape.into(),
            buffer_size: room,
            plan,
            counts: Self::MAX_COUNTS.into(),
            memory: CoreMemory::BOARD,
            background: None,
            guard: None,
            led: false,
        }
    }

    fn is_cube(&self) -> bool {
        self.shape.class_bits() == 0
    }

    /// Makes a [`Node`], whose forwarder is a circuit.
    ///
    /// # Panics
    /// If no node of this shape exists.
    pub fn forwarder(&self) -> Box<dyn Circuit> {
        let MachineNode { shape, plan, counts, .. } = *self;
        match (self.is_cube(), self.buffer_size) {
            (true, BufferSize::Short) => for_dims!(shape.links(), ..=16, D => {
                CubeNode::<D, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + number_bits(D, D) }>::new(plan)
            }),
            (true, BufferSize::Long) => for_dims!(shape.links(), ..=16, D => {
                CubeNode::<D, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + number_bits(D, D) }>::new(plan)
            }),
            (false, BufferSize::Short) => for_metacubes!(shape, all, L B => {
                Node::<L, B, { receive_buffers(L, B) }, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + number_bits(L, B) }>::new(plan)
                    .with_counts(counts)
            }),
            (false, BufferSize::Long) => for_metacubes!(shape, all, L B => {
                Node::<L, B, { receive_buffers(L, B) }, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + number_bits(L, B) }>::new(plan)
                    .with_counts(counts)
            }),
        }
    }

    /// Makes a [`SoftNode`], whose core runs this program to decide.
    ///
    /// # Panics
    /// If no node of this shape exists, if the shape is a metacube for short messages other than
    /// MC(1,1), or if the program is too large.
    pub fn soft(&self, program: &[u32]) -> Box<dyn Circuit> {
        let MachineNode { shape, plan, counts, memory, background, guard, led, .. } = *self;
        match (self.is_cube(), self.buffer_size) {
            (true, BufferSize::Short) => for_dims!(shape.links(), ..=16, D => {
                CubeSoftNode::<D, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + number_bits(D, D) }>::new(plan, program)
                    .with_background(background)
            }),
            (true, BufferSize::Long) => for_dims!(shape.links(), ..=16, D => {
                CubeSoftNode::<D, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + number_bits(D, D) }, PROGRAM_BITS_MAX, DATA_BITS_MAX>::new(plan, &[])
                    .with_memory(memory, program)
                    .with_guard(guard, memory)
                    .with_led(led)
                    .with_background(background)
            }),
            (false, BufferSize::Short) => for_metacubes!(shape, [(1, 1)], L B => {
                SoftNode::<L, B, { receive_buffers(L, B) }, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + number_bits(L, B) }>::new(plan, program)
                    .with_counts(counts)
            }),
            (false, BufferSize::Long) => for_metacubes!(shape, all, L B => {
                SoftNode::<L, B, { receive_buffers(L, B) }, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + number_bits(L, B) }, PROGRAM_BITS_MAX, DATA_BITS_MAX>::new(plan, &[])
                    .with_memory(memory, program)
                    .with_guard(guard, memory)
                    .with_led(led)
                    .with_background(background)
                    .with_counts(counts)
            }),
        }
    }

    /// Makes an [`AdaptiveNode`] of a cube.
    ///
    /// # Panics
    /// If no such cube exists, or if it is for short messages and is neither the 3-cube nor the
    /// 4-cube.
    pub fn adaptive(&self) -> Box<dyn Circuit> {
        let (dims, plan) = (self.dims(), self.plan);
        match self.buffer_size {
            BufferSize::Short => for_dims!(dims, [3 4], D => {
                AdaptiveNode::<D, { pool_slots(D) }, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + pool_number_bits(D) }>::new(plan)
            }),
            BufferSize::Long => for_dims!(dims, ..=16, D => {
                AdaptiveNode::<D, { pool_slots(D) }, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + pool_number_bits(D) }>::new(plan)
            }),
        }
    }

    /// Makes a [`SoftNode`] with a pool of slots, whose core routes adaptively.
    ///
    /// # Panics
    /// Under the conditions of [`adaptive`](Self::adaptive), or if the program is too large.
    pub fn adaptive_soft(&self, program: &[u32]) -> Box<dyn Circuit> {
        let (dims, plan, memory) = (self.dims(), self.plan, self.memory);
        match self.buffer_size {
            BufferSize::Short => for_dims!(dims, [3 4], D => {
                SoftNode::<D, D, { pool_slots(D) }, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + pool_number_bits(D) }>::new(plan, program)
            }),
            BufferSize::Long => for_dims!(dims, ..=16, D => {
                SoftNode::<D, D, { pool_slots(D) }, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + pool_number_bits(D) }, PROGRAM_BITS_MAX, DATA_BITS_MAX>::new(plan, &[])
                    .with_memory(memory, program)
                    .with_led(self.led)
            }),
        }
    }

    /// Makes a [`ProgrammedNode`] for long messages.
    ///
    /// # Panics
    /// If the shape is not in [`PROGRAMMED`](Self::PROGRAMMED).
    pub fn programmed(&self) -> Box<dyn Circuit> {
        let MachineNode { shape, plan, counts, .. } = *self;
        for_metacubes!(shape, programmed, L B => {
            ProgrammedNode::<L, B, { receive_buffers(L, B) }, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + number_bits(L, B) }, { order_bits(B) }>::new(plan)
                .with_counts(counts)
        })
    }

    /// Makes a [`CompiledNode`], which follows a compiled schedule.
    ///
    /// # Panics
    /// If the shape is neither a cube nor one of [`PROGRAMMED`](Self::PROGRAMMED), or if it is a
    /// metacube for short messages other than MC(1,1).
    pub fn compiled(&self) -> Box<dyn Circuit> {
        let MachineNode { shape, plan, .. } = *self;
        match (self.is_cube(), self.buffer_size) {
            (true, BufferSize::Short) => for_dims!(shape.links(), ..=16, D => {
                CompiledNode::<D, D, NODE_SLOTS, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + NUMBER_BITS }, CUBE_ORDER_BITS>::new(plan)
            }),
            (true, BufferSize::Long) => for_dims!(shape.links(), ..=16, D => {
                CompiledNode::<D, D, NODE_SLOTS, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + NUMBER_BITS }, CUBE_ORDER_BITS>::new(plan)
            }),
            (false, BufferSize::Short) => for_metacubes!(shape, [(1, 1)], L B => {
                CompiledNode::<L, B, NODE_SLOTS, BIT, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + NUMBER_BITS }, { order_bits(B) }>::new(plan)
            }),
            (false, BufferSize::Long) => for_metacubes!(shape, programmed, L B => {
                CompiledNode::<L, B, NODE_SLOTS, BIT, LONG_OFFSET_BITS, { LONG_OFFSET_BITS + NUMBER_BITS }, { order_bits(B) }>::new(plan)
            }),
        }
    }

    /// Number of dimensions of the cube.
    fn dims(&self) -> u32 {
        assert!(self.is_cube(), "only nodes of a cube route adaptively");
        self.shape.links()
    }
}

// Parts of a TDMA machine, for numbers of dimensions or links that are known only at run time.

/// Makes the [`PhaseClock`] for nodes with 1 to 16 links.
///
/// # Panics
/// If they have more links.
pub fn phase_clock(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=16, D => PhaseClock::<D>::default())
}

/// Makes the [`ProgrammedPhaseClock`] for a cube or one of the metacubes [with a programmed
/// order](super::MachineNode::PROGRAMMED).
///
/// # Panics
/// If the shape is another metacube.
pub fn programmed_phase_clock(shape: Metacube) -> Box<dyn Circuit> {
    match shape.class_bits() {
        0 => Box::new(ProgrammedPhaseClock::<CUBE_ORDER_BITS>::default()),
        _ => for_metacubes!(shape, programmed, _L B => {
            ProgrammedPhaseClock::<{ order_bits(B) }>::default()
        }),
    }
}

/// Bits of a pair's number in a programmed order of this shape.
pub const fn pair_bits(shape: Metacube) -> usize {
    match shape.class_bits() {
        0 => CUBE_ORDER_BITS,
        _ => order_bits(shape.bits() as usize),
    }
}

/// Makes the [`PhaseSequencer`] of a node of a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn phase_sequencer(dims: u32) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, D => PhaseSequencer::<D>::default())
}

/// Makes the [`PinMux`] of a node with 1 to 16 links.
///
/// # Panics
/// If there are more links.
pub fn pin_mux(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=16, D => PinMux::<D>::default())
}

/// Makes the [`Synchroniser`] of a node with 1 to 16 links and its own clock.
///
/// # Panics
/// If there are more links.
pub fn synchroniser(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=16, D => Synchroniser::<D>::default())
}

/// Makes the [`FrameEngine`] of a node of a cube of 1 to 16 dimensions, for short messages.
///
/// # Panics
/// If there are more dimensions.
pub fn frame_engine(dims: u32, plan: EnginePlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, D => FrameEngine::<D, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + number_bits(D, D) }>::new(plan, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tdma::PhasePlan;

    const PLAN: EnginePlan = EnginePlan {
        acked: true,
        round_robin: true,
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

    /// Plan without answers, for nodes with a compiled schedule.
    const RAW: EnginePlan = EnginePlan { acked: false, round_robin: false, ..PLAN };

    const ROOMS: [BufferSize; 2] = [BufferSize::Short, BufferSize::Long];

    /// Cubes of up to 15 dimensions have the memory that they had before there were larger ones.
    #[test]
    fn only_the_largest_cube_needs_a_fifth_bit_for_a_buffer() {
        for dims in 1..=15 {
            assert_eq!((number_bits(dims, dims), pool_number_bits(dims)), (4, 4));
        }
        assert_eq!((number_bits(16, 16), pool_number_bits(16)), (5, 4));
    }

    #[test]
    fn every_cube_has_all_kinds_of_nodes() {
        for dims in 1..=MachineNode::MAX_DIMS {
            let cube = Hypercube::of(dims);
            for room in ROOMS {
                MachineNode::new(cube, room, PLAN).forwarder();
                MachineNode::new(cube, room, PLAN).soft(&[]);
                MachineNode::new(cube, room, RAW).compiled();
            }
            let pooled = MachineNode::new(cube, BufferSize::Long, PLAN.pooled());
            pooled.adaptive();
            pooled.adaptive_soft(&[]);
        }
    }

    #[test]
    fn every_listed_metacube_has_nodes() {
        for (k, m) in MachineNode::METACUBES {
            let node = |room| MachineNode::new(Metacube::of(k, m), room, PLAN);
            node(BufferSize::Long).soft(&[]);
            for room in ROOMS {
                node(room).forwarder();
            }
        }
        for (k, m) in MachineNode::PROGRAMMED {
            let metacube = Metacube::of(k, m);
            MachineNode::new(metacube, BufferSize::Long, PLAN).programmed();
            MachineNode::new(metacube, BufferSize::Long, RAW).compiled();
        }
    }

    #[test]
    #[should_panic(expected = "there is no such circuit of MC(2,3)")]
    fn an_unlisted_metacube_panics() {
        MachineNode::new(Metacube::of(2, 3), BufferSize::Long, PLAN).programmed();
    }
}

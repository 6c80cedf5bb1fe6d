//! A clock cycle in segments, so that those can be skipped whose operands have
//! not changed in any lane of the chunk since they were computed last.
//!
//! Instructions stand in an order that computes root after root; a segment is a
//! run of them. What one segment computes and another asks for is kept in a slot
//! of its own. When a segment stores a value that differs from the one before, it
//! marks the segments that ask for it: later ones in the same clock cycle, if it
//! is such an intermediate value, or all in the next, if it is a register.
//!
//! Once it is known which instructions have something to do in most clock cycles
//! ([`Pairs`]), those are taken out of the segments
//! and always computed: among them nothing is compared and nothing is kept.
//!
//! * `by_root`: what each root needs;
//! * `kinds`: which instructions have something to do in the same clock cycles;
//! * `runs`: which of a kind can be done one after the other;
//! * `group`: which are done together, `part` what that costs;
//! * `refine`: single instructions that are better done elsewhere;
//! * `partition`: what groups hand to each other;
//! * `flags`: whom a change marks.

mod by_root;
mod flags;
mod group;
mod kinds;
mod part;
mod partition;
mod refine;
mod runs;

pub use flags::Flag;

use super::busy::Pairs;
use super::gates::Gates;
use group::groups;
use partition::{Partition, Stored};

/// Segments, and so bits in a mask of them; memories have the others.
const SEGMENTS: usize = 56;

/// A set of segments and memories, and of what other lanes see.
pub type Mask = u64;

/// What other lanes see has changed.
pub const SHOWN: Mask = 1 << 63;

/// Memories that can be skipped: those with bits in a mask.
const MEMORIES: usize = 63 - SEGMENTS;

/// The bit of a memory; none if there are too many.
pub fn memory_bit(memory: usize) -> Mask {
    match memory < MEMORIES {
        true => 1 << (SEGMENTS + memory),
        false => 0,
    }
}

#[derive(Debug)]
pub struct Segments {
    pub blocks: Vec<Block>,
    /// The slots of the plan and then those that hold intermediate values.
    pub slots: u32,
    /// Who asks for the slots of the plan.
    pub readers: Vec<Mask>,
    /// How much there is to do in each segment.
    pub weights: Vec<u32>,
    /// How much is always done.
    pub always: u32,
    /// Memories that are never skipped.
    pub memories: Mask,
}

/// A run of instructions.
#[derive(Debug)]
pub struct Block {
    /// It is skipped unless this bit of a mask is set.
    pub guard: Option<usize>,
    /// Roots from `first_flag` up are no slots but changes.
    pub gates: Gates,
    pub first_flag: u32,
    pub flags: Vec<Flag>,
}

impl Segments {
    /// `others` says what is marked, besides segments, if a slot changes; `activity`, when
    /// each instruction had something to do, if that is known.
    pub fn new(
        gates: &Gates,
        others: impl Fn(u32) -> Flag,
        activity: Option<&[Pairs]>,
        luts: bool,
    ) -> Self {
        let groups = groups(gates, activity);
        let mut partition = Partition::new(gates, &groups, luts);
        // Stores by group.
        let mut stored: Vec<Vec<Stored>> = groups.iter().map(|_| vec![]).collect();
        let mut commits: Vec<Vec<(u32, u32)>> = groups.iter().map(|_| vec![]).collect();
        for (gate, readers) in partition.crossing_readers.iter().enumerate() {
            if let Some(slot) = partition.crossing[gate] {
                let now = readers.guarded;
                stored[partition.group_of[gate]].push(Stored {
                    value: gates.slots + gate as u32,
                    slot,
                    old: slot,
                    flag: Flag { now, next: 0 },
                });
            }
        }
        let mut memories = 0;
        for &(value, slot) in &gates.roots {
            let gate = gates.gate_of(value).expect("a root is a result");
            let group = partition.group_of[gate];
            let readers = partition.readers[slot as usize];
            // A later group still asks for the old value.
            let to = match readers.last > group + 1 {
                true => {
                    commits[group].push((partition.slots, slot));
                    partition.slot()
                }
                false => slot,
            };
            let mut others = others(slot);
            if groups[group].guard.is_none() {
                // Pins that are always computed are not compared.
                memories |= std::mem::take(&mut others.now);
            }
            stored[group].push(Stored {
                value,
                slot: to,
                old: slot,
                flag: others.with(Flag {
                    now: 0,
                    next: readers.guarded,
                }),
            });
        }
        let mut blocks = vec![];
        for (number, stored) in stored.iter().enumerate() {
            blocks.push(partition.block(number, stored));
        }
        for (group, commits) in groups.iter().zip(&commits).filter(|c| !c.1.is_empty()) {
            let mut gates = Gates::new(partition.slots);
            commits.iter().for_each(|&(from, to)| gates.store(from, to));
            blocks.push(Block {
                guard: group.guard,
                gates,
                first_flag: partition.slots,
                flags: vec![],
            });
        }
        let mut weights = vec![0; SEGMENTS];
        let mut always = 0;
        for block in &blocks {
            match block.guard {
                Some(guard) => weights[guard] += weight(&block.gates),
                None => always += weight(&block.gates),
            }
        }
        Segments {
            blocks,
            slots: partition.slots,
            readers: partition
                .readers
                .iter()
                .map(|readers| readers.guarded)
                .collect(),
            weights,
            always,
            memories,
        }
    }
}

/// How much there is to do, in instructions.
pub fn weight(gates: &Gates) -> u32 {
    (gates.gates.len() + gates.roots.len()) as u32
}

/// How many slots segments of these instructions may need at most, whatever they are.
pub fn most_slots(gates: &Gates) -> u32 {
    weight(gates)
}

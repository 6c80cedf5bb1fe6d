//! Partitions a clock cycle into segments. A segment is skipped if its operands have not changed in
//! any lane of the chunk since its last computation.
//!
//! The instructions are ordered root by root, and a segment is a run of them. A value computed in
//! one segment and used in another has its own slot. When a segment stores a changed value, it
//! marks the segments that use the value. A changed intermediate value marks later segments in the
//! same clock cycle. A changed register marks segments in the next clock cycle.
//!
//! After the activity of the instructions has been measured ([`ActivityBits`]), the instructions that are
//! active in most clock cycles leave the segments. They are always computed, without comparing or
//! storing values between them.
//!
//! * `by_root`: instructions that each root needs.
//! * `activity_classes`: instructions that are active in the same clock cycles.
//! * `class_runs`: instructions of a kind that can be computed one after the other.
//! * `group`: instructions that are computed together. `part` holds their cost.
//! * `refine`: moves single instructions to cheaper segments.
//! * `partition`: values passed between groups.
//! * `flags`: segments marked by a change.

mod activity_classes;
mod by_root;
mod class_runs;
mod flags;
mod group;
mod part;
mod partition;
mod refine;

pub use flags::Flag;

use super::activity_bits::ActivityBits;
use super::gates::GateList;
use group::groups;
use partition::{Partition, Stored};

/// Number of segments, each with a bit in a mask. Memories use the remaining bits.
const SEGMENTS: usize = 56;

/// Set of segments, memories and [`PUBLISHED`].
pub type Mask = u64;

/// Bit that marks changed published values.
pub const PUBLISHED: Mask = 1 << 63;

/// Number of memories that can be skipped, each with a bit in a mask.
const MEMORIES: usize = 63 - SEGMENTS;

/// Returns the bit of a memory, or zero if no bit is left.
pub fn memory_bit(memory: usize) -> Mask {
    match memory < MEMORIES {
        true => 1 << (SEGMENTS + memory),
        false => 0,
    }
}

#[derive(Debug)]
pub struct Segments {
    pub blocks: Vec<SegmentBlock>,
    /// Number of slots: first those of the plan, then those of intermediate values.
    pub slots: u32,
    /// Readers of each slot of the plan.
    pub readers: Vec<Mask>,
    /// Weight of each segment.
    pub weights: Vec<u32>,
    /// Weight of the instructions that are always computed.
    pub always: u32,
    /// Memories that are never skipped.
    pub memories: Mask,
}

/// Run of instructions.
#[derive(Debug)]
pub struct SegmentBlock {
    /// The block is skipped unless this bit of a mask is set.
    pub guard: Option<usize>,
    /// Instructions of the block. Roots from `first_flag` up are changes, not slots.
    pub gates: GateList,
    pub first_flag: u32,
    pub flags: Vec<Flag>,
}

impl Segments {
    /// Partitions the instructions. `others` returns the marks of a changed slot besides segments.
    /// `activity` holds the activity of each instruction, if known.
    pub fn new(
        gates: &GateList,
        others: impl Fn(u32) -> Flag,
        activity: Option<&[ActivityBits]>,
        luts: bool,
    ) -> Self {
        let groups = groups(gates, activity);
        let mut partition = Partition::new(gates, &groups, luts);
        // By group.
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
            // A later group still uses the old value.
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
            let mut gates = GateList::new(partition.slots);
            commits.iter().for_each(|&(from, to)| gates.store(from, to));
            blocks.push(SegmentBlock {
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

/// Returns the amount of work in instructions.
pub fn weight(gates: &GateList) -> u32 {
    (gates.gates.len() + gates.roots.len()) as u32
}

/// Returns an upper bound on the slots that any partition of these instructions needs.
pub fn most_slots(gates: &GateList) -> u32 {
    weight(gates)
}

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
//! * `group`: assigns the instructions to segments, by root or by activity, and moves single
//!   instructions where this lowers the cost.
//! * This module: the values passed between groups, and the segments that a change marks.

mod group;

use super::activity::ActivityBits;
use super::gates::{GateList, GateOp, GateSet};
use group::{groups, SegmentGroup};

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
        set: GateSet,
    ) -> Self {
        let groups = groups(gates, activity);
        let mut partition = Partition::new(gates, &groups, set);
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
                flag: others.with(Flag { now: 0, next: readers.guarded }),
            });
        }
        let blocks = partition.blocks(&stored, &commits);
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
            readers: partition.readers.iter().map(|readers| readers.guarded).collect(),
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

// Partitions instructions into groups that pass values to each other in slots.

/// Number of changes that a segment distinguishes.
const FLAGS: usize = 6;

/// Number of instructions in a large segment for each distinguished change.
const FOR_FLAG: usize = 48;

/// Value that a group stores.
struct Stored {
    pub value: u32,
    /// Slot that receives the value.
    pub slot: u32,
    /// Slot that holds the previous value.
    pub old: u32,
    pub flag: Flag,
}

/// Groups that use a value.
#[derive(Clone, Copy, Default)]
struct Readers {
    /// Groups with guards.
    pub guarded: Mask,
    /// Number of the last group, counted from one.
    pub last: usize,
}

impl Readers {
    fn add(&mut self, number: usize, group: &SegmentGroup) {
        self.guarded |= group.guard.map_or(0, |guard| 1 << guard);
        self.last = self.last.max(number + 1);
    }
}

/// Instructions partitioned into groups.
struct Partition<'a> {
    gates: &'a GateList,
    groups: &'a [SegmentGroup],
    /// By instruction.
    pub group_of: Vec<usize>,
    /// By slot.
    pub readers: Vec<Readers>,
    /// By instruction: the slot of a value that other groups use.
    pub crossing: Vec<Option<u32>>,
    pub crossing_readers: Vec<Readers>,
    pub slots: u32,
    set: GateSet,
}

impl<'a> Partition<'a> {
    pub fn new(gates: &'a GateList, groups: &'a [SegmentGroup], set: GateSet) -> Self {
        let mut group_of = vec![0; gates.gates.len()];
        for (number, group) in groups.iter().enumerate() {
            group.gates.iter().for_each(|gate| group_of[*gate] = number);
        }
        let mut partition = Partition {
            gates,
            groups,
            group_of,
            readers: vec![Readers::default(); gates.slots as usize],
            crossing: vec![None; gates.gates.len()],
            crossing_readers: vec![Readers::default(); gates.gates.len()],
            slots: gates.slots,
            set,
        };
        for (i, gate) in gates.gates.iter().enumerate() {
            let reader = partition.group_of[i];
            for &arg in gate.args() {
                match gates.gate_of(arg) {
                    None => partition.readers[arg as usize].add(reader, &groups[reader]),
                    Some(source) if partition.group_of[source] != reader => {
                        partition.crossing_readers[source].add(reader, &groups[reader]);
                        if partition.crossing[source].is_none() {
                            partition.crossing[source] = Some(partition.slot());
                        }
                    }
                    Some(_) => {}
                }
            }
        }
        partition
    }

    pub fn slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    /// Returns the blocks of all groups, and the blocks that replace values that later groups still
    /// use: `commits` has the slots of the new and the old value, by group.
    pub fn blocks(&self, stored: &[Vec<Stored>], commits: &[Vec<(u32, u32)>]) -> Vec<SegmentBlock> {
        let stored = stored.iter().enumerate();
        let mut blocks: Vec<_> = stored.map(|(i, stored)| self.block(i, stored)).collect();
        for (group, commits) in self.groups.iter().zip(commits).filter(|c| !c.1.is_empty()) {
            let mut gates = GateList::new(self.slots);
            commits.iter().for_each(|&(from, to)| gates.store(from, to));
            blocks.push(SegmentBlock {
                guard: group.guard,
                gates,
                first_flag: self.slots,
                flags: vec![],
            });
        }
        blocks
    }

    /// Returns the instructions of a group, including its stores and flags.
    fn block(&self, number: usize, stored: &[Stored]) -> SegmentBlock {
        let group = &self.groups[number];
        let at_most = FLAGS.max(group.gates.len() / FOR_FLAG);
        let flags = merged(stored.iter().map(|stored| stored.flag), at_most);
        // Flags come after all slots.
        let first_flag = self.slots;
        let mut gates = GateList::new(first_flag + flags.len() as u32);
        let mut value_of = vec![0; self.gates.gates.len()];
        for &i in &group.gates {
            let gate = &self.gates.gates[i];
            let mut args = [0; 3];
            for (new, &arg) in args.iter_mut().zip(gate.args()) {
                *new = match self.gates.gate_of(arg) {
                    None => arg,
                    Some(source) if self.group_of[source] == number => value_of[source],
                    Some(source) => self.crossing[source].expect("it is asked for"),
                };
            }
            value_of[i] = gates.push(gate.op, args);
        }
        let value = |stored: &Stored| {
            let gate = self.gates.gate_of(stored.value).expect("a result");
            value_of[gate]
        };
        // Each flag compares its values before they are stored.
        for i in 0..flags.len() {
            let mut change = None;
            let first = |s: &&Stored| flags.iter().position(|f| f.covers(s.flag)) == Some(i);
            for stored in stored.iter().filter(first) {
                let (new, old) = (value(stored), stored.old);
                change = Some(match change {
                    None => gates.push(GateOp::Xor, [new, old, new]),
                    // The table computes `before | (new ^ old)`.
                    Some(before) if self.set == GateSet::Luts => {
                        gates.push(GateOp::Lut(0xF6), [before, new, old])
                    }
                    Some(before) => {
                        let differs = gates.push(GateOp::Xor, [new, old, new]);
                        gates.push(GateOp::Or, [before, differs, before])
                    }
                });
            }
            if let Some(change) = change {
                gates.store(change, first_flag + i as u32);
            }
        }
        for stored in stored {
            gates.store(value(stored), stored.slot);
        }
        SegmentBlock { guard: group.guard, gates, first_flag, flags }
    }
}

// Flags with which a change in one segment marks others, and their reduction to a few.

/// Segments to mark if some bit of a value is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flag {
    /// Marked in the same clock cycle.
    pub now: Mask,
    pub next: Mask,
}

impl Flag {
    fn is_empty(self) -> bool {
        self.now == 0 && self.next == 0
    }

    fn with(self, other: Flag) -> Flag {
        Flag { now: self.now | other.now, next: self.next | other.next }
    }

    /// Returns true if this flag marks everything that the other one marks, and the other one is
    /// not empty.
    fn covers(self, other: Flag) -> bool {
        !other.is_empty() && self.with(other) == self
    }

    fn size(self) -> u32 {
        self.now.count_ones() + self.next.count_ones()
    }
}

/// Merges flags that mark nearly the same segments, until at most `at_most` remain.
fn merged(wanted: impl Iterator<Item = Flag>, at_most: usize) -> Vec<Flag> {
    let mut flags: Vec<Flag> = vec![];
    for flag in wanted {
        if !flag.is_empty() && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    while flags.len() > at_most {
        let pairs = (1..flags.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let growth = |&(i, j): &(usize, usize)| {
            let (a, b): (Flag, Flag) = (flags[i], flags[j]);
            let both = a.with(b).size();
            2 * both - a.size() - b.size()
        };
        let (i, j) = pairs.min_by_key(growth).expect("more than one");
        let merged = flags[i].with(flags[j]);
        flags[j] = merged;
        flags.remove(i);
    }
    flags
}

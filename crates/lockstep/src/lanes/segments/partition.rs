//! Partitions instructions into groups that pass values to each other in slots.

use super::super::gates::{GateList, GateOp};
use super::flags::{merged, Flag};
use super::group::SegmentGroup;
use super::{Mask, SegmentBlock};

/// Number of changes that a segment distinguishes.
const FLAGS: usize = 6;

/// Number of instructions in a large segment for each distinguished change.
const FOR_FLAG: usize = 48;

/// Value that a group stores.
pub struct Stored {
    pub value: u32,
    /// Slot that receives the value.
    pub slot: u32,
    /// Slot that holds the previous value.
    pub old: u32,
    pub flag: Flag,
}

/// Groups that use a value.
#[derive(Clone, Copy, Default)]
pub struct Readers {
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
pub struct Partition<'a> {
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
    luts: bool,
}

impl<'a> Partition<'a> {
    pub fn new(gates: &'a GateList, groups: &'a [SegmentGroup], luts: bool) -> Self {
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
            luts,
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

    /// Returns the instructions of a group, including its stores and flags.
    pub fn block(&self, number: usize, stored: &[Stored]) -> SegmentBlock {
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
                    Some(before) if self.luts => gates.push(GateOp::Lut(0xF6), [before, new, old]),
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
        SegmentBlock {
            guard: group.guard,
            gates,
            first_flag,
            flags,
        }
    }
}

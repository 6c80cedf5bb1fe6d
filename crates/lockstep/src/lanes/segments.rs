//! A clock cycle in segments, so that those can be skipped whose operands have
//! not changed in any lane of the chunk since they were computed last.
//!
//! Instructions stand in an order that computes root after root; a segment is a
//! run of them. What one segment computes and another asks for is kept in a slot
//! of its own. When a segment stores a value that differs from the one before, it
//! marks the segments that ask for it: later ones in the same clock cycle, if it
//! is such an intermediate value, or all in the next, if it is a register.

use super::gates::{Gates, Op};
use super::schedule::by_root;

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

/// Instructions of a segment are no fewer than this, if possible.
const SMALLEST: usize = 24;

/// Changes that a segment tells apart.
const FLAGS: usize = 6;

#[derive(Debug)]
pub struct Segments {
    pub blocks: Vec<Block>,
    /// The slots of the plan and then those that hold intermediate values.
    pub slots: u32,
    /// Who asks for the slots of the plan.
    pub readers: Vec<Mask>,
    /// How much there is to do in each segment.
    pub weights: Vec<u32>,
}

/// A run of instructions that is skipped unless its bit is set.
#[derive(Debug)]
pub struct Block {
    pub segment: usize,
    /// Roots from `first_flag` up are no slots but changes.
    pub gates: Gates,
    pub first_flag: u32,
    pub flags: Vec<Flag>,
}

/// Who is marked if some bit of a value is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flag {
    /// In the same clock cycle.
    pub now: Mask,
    pub next: Mask,
}

/// A value that is stored, and where.
struct Stored {
    value: u32,
    /// Where it is stored.
    slot: u32,
    /// Where the one before stands.
    old: u32,
    flag: Flag,
}

impl Segments {
    /// `others` says what is marked, besides segments, if a slot changes.
    pub fn new(gates: &Gates, others: impl Fn(u32) -> Flag, luts: bool) -> Self {
        let groups = group(gates);
        let mut segment_of = vec![0; gates.gates.len()];
        for (segment, group) in groups.iter().enumerate() {
            group.iter().for_each(|gate| segment_of[*gate] = segment);
        }
        let mut cut = Cut {
            gates,
            segment_of,
            readers: vec![0; gates.slots as usize],
            crossing: vec![None; gates.gates.len()],
            crossing_readers: vec![0; gates.gates.len()],
            slots: gates.slots,
            luts,
        };
        cut.find_readers();
        // Stores by segment.
        let mut stored: Vec<Vec<Stored>> = groups.iter().map(|_| vec![]).collect();
        let mut commits: Vec<Vec<(u32, u32)>> = groups.iter().map(|_| vec![]).collect();
        for (gate, &readers) in cut.crossing_readers.iter().enumerate() {
            if let Some(slot) = cut.crossing[gate] {
                stored[cut.segment_of[gate]].push(Stored {
                    value: gates.slots + gate as u32,
                    slot,
                    old: slot,
                    flag: Flag {
                        now: readers,
                        next: 0,
                    },
                });
            }
        }
        for &(value, slot) in &gates.roots {
            let gate = gates.gate_of(value).expect("a root is a result");
            let segment = cut.segment_of[gate];
            let readers = cut.readers[slot as usize];
            // A later segment still asks for the old value.
            let to = match readers >> segment > 1 {
                true => {
                    commits[segment].push((cut.slots, slot));
                    cut.slot()
                }
                false => slot,
            };
            stored[segment].push(Stored {
                value,
                slot: to,
                old: slot,
                flag: others(slot).with(Flag {
                    now: 0,
                    next: readers,
                }),
            });
        }
        let mut blocks = vec![];
        for (segment, (group, stored)) in groups.iter().zip(stored).enumerate() {
            blocks.push(cut.block(segment, group, stored));
        }
        for (segment, commits) in commits.iter().enumerate().filter(|c| !c.1.is_empty()) {
            let mut gates = Gates::new(cut.slots);
            commits.iter().for_each(|&(from, to)| gates.store(from, to));
            blocks.push(Block {
                segment,
                gates,
                first_flag: cut.slots,
                flags: vec![],
            });
        }
        let mut weights = vec![0; groups.len()];
        for block in &blocks {
            weights[block.segment] += weight(&block.gates);
        }
        Segments {
            blocks,
            slots: cut.slots,
            readers: cut.readers,
            weights,
        }
    }
}

/// How much there is to do, in instructions.
pub fn weight(gates: &Gates) -> u32 {
    (gates.gates.len() + gates.roots.len()) as u32
}

/// The instructions of each segment, in an order that works.
fn group(gates: &Gates) -> Vec<Vec<usize>> {
    let size = SMALLEST.max(gates.gates.len().div_ceil(SEGMENTS));
    let mut groups: Vec<Vec<usize>> = vec![];
    for of_root in by_root(gates) {
        match groups.last_mut() {
            Some(last) if last.len() + of_root.len() <= size => last.extend(of_root),
            // Of a root that depends on much, parts of it.
            _ => groups.extend(of_root.chunks(size).map(<[usize]>::to_vec)),
        }
    }
    // Small ones may be too many.
    while groups.len() > SEGMENTS {
        let pair = |i: &usize| groups[*i].len() + groups[*i + 1].len();
        let smallest = (0..groups.len() - 1).min_by_key(pair);
        let i = smallest.expect("more than one");
        let next = groups.remove(i + 1);
        groups[i].extend(next);
    }
    groups
}

struct Cut<'a> {
    gates: &'a Gates,
    segment_of: Vec<usize>,
    /// By slot.
    readers: Vec<Mask>,
    /// By instruction: the slot of a value that other segments ask for.
    crossing: Vec<Option<u32>>,
    crossing_readers: Vec<Mask>,
    slots: u32,
    luts: bool,
}

impl Cut<'_> {
    fn slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    fn find_readers(&mut self) {
        let gates = self.gates;
        for (i, gate) in gates.gates.iter().enumerate() {
            let reader = self.segment_of[i];
            for &arg in gate.args() {
                match gates.gate_of(arg) {
                    None => self.readers[arg as usize] |= 1 << reader,
                    Some(source) if self.segment_of[source] != reader => {
                        self.crossing_readers[source] |= 1 << reader;
                        if self.crossing[source].is_none() {
                            self.crossing[source] = Some(self.slot());
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn block(&self, segment: usize, group: &[usize], stored: Vec<Stored>) -> Block {
        let flags = flags(&stored);
        // Flags come after all slots.
        let first_flag = self.slots;
        let mut gates = Gates::new(first_flag + flags.len() as u32);
        let mut value_of = vec![0; self.gates.gates.len()];
        for &i in group {
            let gate = &self.gates.gates[i];
            let mut args = [0; 3];
            for (new, &arg) in args.iter_mut().zip(gate.args()) {
                *new = match self.gates.gate_of(arg) {
                    None => arg,
                    Some(source) if self.segment_of[source] == segment => value_of[source],
                    Some(source) => self.crossing[source].expect("it is asked for"),
                };
            }
            value_of[i] = gates.push(gate.op, args);
        }
        let value = |stored: &Stored| {
            let gate = self.gates.gate_of(stored.value).expect("a result");
            value_of[gate]
        };
        // Flags first: each value is compared when it is there, and then stored.
        for i in 0..flags.len() {
            let mut change = None;
            let first = |s: &&Stored| flags.iter().position(|f| f.covers(s.flag)) == Some(i);
            for stored in stored.iter().filter(first) {
                let (new, old) = (value(stored), stored.old);
                change = Some(match change {
                    None => gates.push(Op::Xor, [new, old, new]),
                    // Or, with an exclusive or.
                    Some(before) if self.luts => gates.push(Op::Lut(0xF6), [before, new, old]),
                    Some(before) => {
                        let differs = gates.push(Op::Xor, [new, old, new]);
                        gates.push(Op::Or, [before, differs, before])
                    }
                });
            }
            if let Some(change) = change {
                gates.store(change, first_flag + i as u32);
            }
        }
        for stored in &stored {
            gates.store(value(stored), stored.slot);
        }
        Block {
            segment,
            gates,
            first_flag,
            flags,
        }
    }
}

impl Flag {
    fn is_empty(self) -> bool {
        self.now == 0 && self.next == 0
    }

    fn with(self, other: Flag) -> Flag {
        Flag {
            now: self.now | other.now,
            next: self.next | other.next,
        }
    }

    /// Whether it marks all that the other one does, which marks something.
    fn covers(self, other: Flag) -> bool {
        !other.is_empty() && self.with(other) == self
    }

    fn size(self) -> u32 {
        self.now.count_ones() + self.next.count_ones()
    }
}

/// The flags of a segment: few, each for values that mark nearly the same.
fn flags(stored: &[Stored]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = vec![];
    for Stored { flag, .. } in stored {
        if !flag.is_empty() && !flags.contains(flag) {
            flags.push(*flag);
        }
    }
    while flags.len() > FLAGS {
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

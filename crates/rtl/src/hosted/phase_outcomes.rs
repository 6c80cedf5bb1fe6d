//! What became of the frames of a phase, for the host.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Counts for the latest phase how many frames were silent, refused and taken, and how many
/// nodes were late.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseOutcomes<const TOLD: usize> {
    pub clock: Signal<In, Clock>,
    /// A phase begins: in each of these clock cycles one node tells what became of its frame
    /// in the phase before.
    pub begin: Signal<In, Bit>,
    /// It is the first node, or the last.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// What became of its frame: nothing, silent, refused, taken.
    pub outcome: Signal<In, Bits<2>>,
    /// The node was late.
    pub late: Signal<In, Bit>,
    /// High for one clock cycle: the host has read the counts.
    pub read: Signal<In, Bit>,
    /// They are new.
    pub fresh: Signal<Out, Bit>,
    /// Eight bits each, from the lowest: silent, refused, taken, late.
    pub outcomes: Signal<Out, Bits<32>>,
    counts: [Reg<Bits<TOLD>>; 4],
    is_fresh: Reg<Bit>,
    told: [Signal<Local, Bit>; 4],
    all: Signal<Local, Bits<32>>,
}

impl<const TOLD: usize> Logic for PhaseOutcomes<TOLD> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_fresh);
        if self.read.val() {
            self.is_fresh.d.next = false;
        }
        self.told[3].next = self.late.val();
        for i in 0..3 {
            self.told[i].next = self.outcome.val() == (i + 1) as u64;
        }
        self.all.next = 0.into();
        for i in 0..4 {
            dff_setup!(self, clock, counts[i]);
            let count = self.counts[i].q.val();
            self.all.next = self.all.val() | (count.resized::<32>() << (8 * i as u64));
            if self.begin.val() {
                let before = if self.first.val() {
                    bits::<TOLD>(0)
                } else {
                    count
                };
                self.counts[i].d.next = before + self.told[i].val();
            }
        }
        if self.begin.val() & self.last.val() {
            self.is_fresh.d.next = true;
        }
        self.fresh.next = self.is_fresh.q.val();
        self.outcomes.next = self.all.val();
    }
}

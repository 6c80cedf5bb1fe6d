//! The counters of frame outcomes in a phase, for the host.
use hdl::prelude::*;

/// Counts the timeouts, NAKs, taken frames and missed deadlines of the latest phase.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseOutcomes<const TOLD: usize> {
    pub clock: Signal<In, Clock>,
    /// High while a phase begins. In each of these clock cycles one node reports the outcome of its
    /// frame in the previous phase.
    pub begin: Signal<In, Bit>,
    /// The reporting node is the first one, or the last one.
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Outcome of the node's frame: none, timeout, NAK or taken.
    pub outcome: Signal<In, Bits<2>>,
    /// The node missed the deadline.
    pub late: Signal<In, Bit>,
    /// High for one clock cycle: the host has read the counts.
    pub read: Signal<In, Bit>,
    /// The counts are new.
    pub fresh: Signal<Out, Bit>,
    /// Counts of eight bits each, from the lowest: timeouts, NAKs, taken frames, missed deadlines.
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

//! The strobes that time every petit cycle.

use super::{
    EjectMode, PetitPlan, PetitWindow, Pipeline, StrobeDelay, StrobeSource, BANK_BITS,
    POINTER_BITS, TIME_BITS,
};
use hdl::prelude::*;

/// The petit-cycle control: one for the whole machine, broadcast to all chips.
///
/// From the second bit-time on, petit cycles follow one another without gaps. All outputs except
/// `drains` are registered or registered counts.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitControl<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Drain request of the front end.
    pub drain: Signal<In, Bit>,
    /// Bank of virtual processors that the front end opens in the petit cycle that begins; sampled
    /// at `start`.
    pub open_bank: Signal<In, Bits<BANK_BITS>>,
    pub strobes: StrobeSource<C>,
    last_time: Parameter<Bits<TIME_BITS>>,
    last_pointer: Parameter<Bits<POINTER_BITS>>,
    /// The ejectors select by bank.
    by_banks: Parameter<Bit>,
    time: Reg<Bits<TIME_BITS>>,
    place: Reg<Bits<POINTER_BITS>>,
    starts: PetitWindow,
    decides: PetitWindow,
    holds: PetitWindow,
    turns: PetitWindow,
    parities: PetitWindow,
    enters: PetitWindow,
    cubes: PetitWindow,
    procs: PetitWindow,
    vps: PetitWindow,
    settles: PetitWindow,
    sorts: PetitWindow,
    overs: PetitWindow,
    /// Bits of the open bank's number that are still to be sent.
    bank_left: Reg<Bits<BANK_BITS>>,
    decide_columns: StrobeDelay<C>,
    hold_columns: StrobeDelay<C>,
    turn_columns: StrobeDelay<C>,
    parity_columns: StrobeDelay<C>,
}

impl<const C: usize> PetitControl<C> {
    /// Makes the control for a plan.
    ///
    /// # Panics
    /// If the plan is for another number of dimensions, or if the petit cycle or the buffer is too
    /// long for the counters.
    pub fn new(plan: PetitPlan) -> Self {
        let format = plan.format;
        assert!(
            format.dims as usize == C,
            "the plan is for another number of dimensions"
        );
        assert!(
            plan.period < (1 << TIME_BITS) - 1,
            "a petit cycle has up to 65,534 bit-times"
        );
        assert!(
            plan.buffered() <= 1 << POINTER_BITS,
            "the buffer has up to 4,096 words"
        );
        let first = Pipeline::Rotating.times(0, format.dims, format.length());
        let window = |open: std::ops::Range<u32>| PetitWindow::new(open, plan.period);
        let at = |time: u32| window(time..time + 1);
        PetitControl {
            last_time: Parameter::new(u64::from(plan.period - 1).into()),
            last_pointer: Parameter::new(u64::from(plan.buffered() - 2).into()),
            by_banks: Parameter::new(plan.mode == EjectMode::Bank),
            // Start in the bit-time before the first petit cycle.
            time: Reg::new(u64::from(plan.period - 1).into()),
            starts: at(0),
            decides: window(first.decide),
            holds: window(first.hold),
            turns: window(first.turn),
            parities: window(first.parity),
            enters: at(plan.exit()),
            cubes: window(plan.exit() + 1..plan.home() + 1),
            procs: window(plan.home() + 1..plan.processor() + 1),
            vps: window(plan.processor() + 1..plan.sort() + 1),
            settles: at(plan.settle()),
            sorts: at(plan.sort()),
            overs: at(plan.over()),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for PetitControl<C> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, bank_left);
        clock!(self, clock, time, place, starts, decides, holds, turns, parities);
        clock!(self, clock, enters, cubes, procs, vps, settles, sorts, overs);
        clock!(self, clock, decide_columns, hold_columns, turn_columns);
        clock!(self, clock, parity_columns);
        let time = self.time.q.val();
        self.time.d.next = if time == self.last_time.val() {
            bits::<TIME_BITS>(0)
        } else {
            time + 1
        };
        let place = self.place.q.val();
        self.place.d.next = if place == self.last_pointer.val() {
            bits::<POINTER_BITS>(0)
        } else {
            place + 1
        };
        self.strobes.pointer.next = place;

        self.starts.time.next = time;
        self.decides.time.next = time;
        self.holds.time.next = time;
        self.turns.time.next = time;
        self.parities.time.next = time;
        self.enters.time.next = time;
        self.cubes.time.next = time;
        self.procs.time.next = time;
        self.vps.time.next = time;
        self.settles.time.next = time;
        self.sorts.time.next = time;
        self.overs.time.next = time;

        self.decide_columns.strobe.next = self.decides.open.val();
        self.hold_columns.strobe.next = self.holds.open.val();
        self.turn_columns.strobe.next = self.turns.open.val();
        self.parity_columns.strobe.next = self.parities.open.val();
        self.strobes.drains.next = self.drain.val();
        self.strobes.start.next = self.starts.open.val();
        self.strobes.decide.next = self.decide_columns.column.val();
        self.strobes.hold.next = self.hold_columns.column.val();
        self.strobes.turn.next = self.turn_columns.column.val();
        self.strobes.parity.next = self.parity_columns.column.val();
        self.strobes.enter.next = self.enters.open.val();
        self.strobes.cube.next = self.cubes.open.val();
        self.strobes.proc.next = self.procs.open.val();
        self.strobes.vp.next = self.vps.open.val();
        let bank_left = self.bank_left.q.val();
        self.strobes.bank.next = bank_left.get_bit(0);
        if self.starts.open.val() & self.by_banks.val() {
            self.bank_left.d.next = self.open_bank.val();
        } else if self.vps.open.val() {
            self.bank_left.d.next = bank_left >> 1;
        }
        self.strobes.settle.next = self.settles.open.val();
        self.strobes.sort.next = self.sorts.open.val();
        self.strobes.over.next = self.overs.open.val();
    }
}

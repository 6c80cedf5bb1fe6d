//! The strobes that time every petit cycle.

use super::{EjectMode, PetitPlan, StrobeSource, BANK_BITS, POINTER_BITS, TIME_BITS};
use hdl::prelude::*;
use std::ops::Range;

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
    pointer: Reg<Bits<POINTER_BITS>>,
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
        assert!(format.dims as usize == C, "the plan is for another number of dimensions");
        assert!(plan.period < (1 << TIME_BITS) - 1, "a petit cycle has up to 65,534 bit-times");
        assert!(plan.buffered() <= 1 << POINTER_BITS, "the buffer has up to 4,096 words");
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
        clock!(self, clock, time, pointer, starts, decides, holds, turns, parities);
        clock!(self, clock, enters, cubes, procs, vps, settles, sorts, overs);
        clock!(self, clock, decide_columns, hold_columns, turn_columns);
        clock!(self, clock, parity_columns);
        let time = self.time.q.val();
        self.time.d.next =
            if time == self.last_time.val() { bits::<TIME_BITS>(0) } else { time + 1 };
        let pointer = self.pointer.q.val();
        self.pointer.d.next =
            if pointer == self.last_pointer.val() { bits::<POINTER_BITS>(0) } else { pointer + 1 };
        self.strobes.pointer.next = pointer;

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

/// A strobe that is high for a range of bit-times in every petit cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitWindow {
    pub clock: Signal<In, Clock>,
    /// Current bit-time of the petit cycle.
    pub time: Signal<In, Bits<TIME_BITS>>,
    pub open: Signal<Out, Bit>,
    /// Bit-time before the first open one.
    before: Parameter<Bits<TIME_BITS>>,
    /// Last open bit-time.
    last: Parameter<Bits<TIME_BITS>>,
    opened: Reg<Bit>,
}

impl PetitWindow {
    /// Makes a strobe that is open in these bit-times, modulo the period; never for an empty range.
    pub fn new(open: Range<u32>, period: u32) -> Self {
        // No bit-time has the greatest number.
        let never = (1 << TIME_BITS) - 1;
        let before = match open.is_empty() {
            true => never,
            false => (open.start + period - 1) % period,
        };
        let last = (open.end + period - 1) % period;
        PetitWindow {
            before: Parameter::new(u64::from(before).into()),
            last: Parameter::new(u64::from(last).into()),
            ..Default::default()
        }
    }
}

impl Logic for PetitWindow {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, opened);
        if self.time.val() == self.last.val() {
            self.opened.d.next = false;
        }
        if self.time.val() == self.before.val() {
            self.opened.d.next = true;
        }
        self.open.next = self.opened.q.val();
    }
}

/// Passes a strobe from column to column of the heart, two bit-times each.
#[derive(LogicBlock, Circuit, Default)]
pub struct StrobeDelay<const C: usize> {
    pub clock: Signal<In, Clock>,
    /// Strobe of column 0.
    pub strobe: Signal<In, Bit>,
    /// Strobes of all columns, column 0 lowest.
    pub column: Signal<Out, Bits<C>>,
    between: Reg<Bits<C>>,
    before: Reg<Bits<C>>,
}

impl<const C: usize> Logic for StrobeDelay<C> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, between, before);
        self.column.next = (self.before.q.val() << 1).replace_bit(0, self.strobe.val());
        self.between.d.next = self.column.val();
        self.before.d.next = self.between.q.val();
    }
}

// Three pipelines of the heart, and the timing of their columns.

/// Method by which a column of the heart obtains its CUBE-ADDRESS bit (`cm1-message-router`,
/// sections 3.4.3 to 3.4.5). The paper builds [`Rotating`](Pipeline::Rotating), and this machine
/// does too. The other two exist for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// The first address bit that arrives is the column's own. It waits while the others overtake
    /// it (section 3.4.5).
    Rotating,
    /// The message waits until the column's own bit has arrived after the others. The delay line
    /// has as many bits as the column's number (section 3.4.3, "the wrong solution").
    Naive,
    /// The first address bit that arrives is the column's own, and the column removes it. A message
    /// that may not cross its wire now cannot return to it, so it is stopped (section 3.4.4). The
    /// choice is oblivious: no message is sent in desperation.
    Dropping,
}

impl Pipeline {
    pub const ALL: [Self; 3] = [Self::Rotating, Self::Naive, Self::Dropping];

    /// Number of bits of a row that wait before the switch of a column.
    pub(super) fn waiting(self, column: usize) -> usize {
        match self {
            Self::Naive => column,
            Self::Rotating | Self::Dropping => 0,
        }
    }

    /// Whether the choice stops messages that may not cross.
    pub(super) fn oblivious(self) -> bool {
        self == Self::Dropping
    }

    /// Returns the bit-times in which the strobes of a column are high, counted from MSGP at column
    /// 0. Messages have `length` bits, and the cube has `dims` dimensions.
    pub fn times(self, column: u32, dims: u32, length: u32) -> ColumnTimes {
        let begin = self.enters(column);
        let at = |time: u32| begin + time..begin + time + 1;
        match self {
            Self::Rotating => ColumnTimes {
                decide: at(1),
                hold: begin + 2..begin + dims + 1,
                turn: at(dims + 1),
                parity: at(length),
            },
            // MSGP is at the end of the line when the column's own bit is before the line.
            Self::Naive => ColumnTimes {
                decide: at(column + 1),
                hold: begin..begin,
                turn: at(2 * column + 2),
                parity: at(column + length),
            },
            // The bits after the own bit overtake it permanently.
            Self::Dropping => ColumnTimes {
                decide: at(1),
                hold: begin + 2..begin + length - column,
                turn: begin..begin,
                parity: at(length - column - 1),
            },
        }
    }

    /// Returns the bit-time in which MSGP arrives at a column, counted from its arrival at column
    /// 0. With `column` equal to the number of dimensions: the bit-time in which MSGP leaves the
    /// heart.
    pub fn enters(self, column: u32) -> u32 {
        match self {
            Self::Rotating | Self::Dropping => super::machine::COLUMN_BIT_TIMES * column,
            Self::Naive => (0..column).map(|before| before + 2).sum(),
        }
    }

    /// Number of bits of a message that leaves the heart.
    pub fn leaves(self, dims: u32, length: u32) -> u32 {
        match self {
            Self::Rotating | Self::Naive => length,
            Self::Dropping => length - dims,
        }
    }
}

/// Bit-times in which the strobes of a column are high. An unused strobe has an empty range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTimes {
    /// See [`HeartColumn`](super::HeartColumn) for the strobes.
    pub decide: Range<u32>,
    pub hold: Range<u32>,
    pub turn: Range<u32>,
    pub parity: Range<u32>,
}

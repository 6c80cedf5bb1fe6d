//! The petit cycle of the board's CM-1, read from a table.

use super::{BOARD_DIMS, MSGP_POSITION, POSITION_BITS};
use crate::cm1::PetitPlan;
use hdl::prelude::*;

/// Strobes of the chips in a bit-time; see the outputs of the
/// [`PetitControl`](crate::cm1::PetitControl) with these names.
#[word]
#[derive(Default)]
pub struct PetitStrobes {
    pub decide: Bits<BOARD_DIMS>,
    pub hold: Bits<BOARD_DIMS>,
    /// `turn` or `parity`.
    pub invert: Bits<BOARD_DIMS>,
    pub enter: Bit,
    pub cube: Bit,
    /// DATA or PARITY leaves the hearts.
    pub rest: Bit,
    /// The bit-time before MSGP: the injectors decide.
    pub take: Bit,
    /// All bits of the petit cycle have arrived.
    pub finish: Bit,
}

/// The control of single petit cycles: a table of strobes in one block RAM, and the counter that
/// reads it.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitTable {
    pub clock: Signal<In, Clock>,
    /// Begins a petit cycle, if none is in progress.
    pub go: Signal<In, Bit>,
    /// A petit cycle is in progress.
    pub running: Signal<Out, Bit>,
    /// Position of the bit that the injectors need in the next bit-time; 0 while no petit cycle is
    /// in progress.
    pub place: Signal<Out, Bits<POSITION_BITS>>,
    /// Strobes of the current bit-time.
    pub strobes: Signal<Out, PetitStrobes>,
    words: Rom<PetitStrobes, POSITION_BITS>,
    counter: Reg<Bits<POSITION_BITS>>,
    runs: Reg<Bit>,
}

impl PetitTable {
    /// Makes the table of a plan.
    ///
    /// # Panics
    /// If the plan is for another cube, or if a petit cycle is too long for the table.
    pub fn new(plan: PetitPlan) -> Self {
        assert!(
            plan.format.dims as usize == BOARD_DIMS,
            "the board has a 3-cube"
        );
        let places = MSGP_POSITION + plan.over() + 1;
        assert!(
            places < 1 << POSITION_BITS,
            "a petit cycle has {places} bit-times with its first four, and 127 at most"
        );
        PetitTable {
            words: Rom::new((0..=places).map(|place| strobes(plan, place))),
            ..Default::default()
        }
    }
}

/// Strobes of the bit-time in which the bit of this position is at the injectors.
fn strobes(plan: PetitPlan, place: u32) -> PetitStrobes {
    let dims = plan.format.dims;
    let Some(time) = place.checked_sub(MSGP_POSITION) else {
        return PetitStrobes {
            take: place + 1 == MSGP_POSITION,
            ..PetitStrobes::default()
        };
    };
    // A column acts two bit-times later than the previous one.
    let columns = |strobe: &dyn Fn(u32) -> bool| {
        let column = |d: &u32| time.checked_sub(2 * d).is_some_and(strobe);
        let columns = (0..dims).filter(column);
        columns.map(|d| 1u64 << d).sum::<u64>().into()
    };
    PetitStrobes {
        decide: columns(&|t| t == 1),
        hold: columns(&|t| (2..=dims).contains(&t)),
        invert: columns(&|t| t == dims + 1 || t == plan.format.length()),
        enter: time == plan.exit(),
        cube: (plan.exit() + 1..=plan.home()).contains(&time),
        rest: (plan.home() + 1..plan.over()).contains(&time),
        take: false,
        finish: time == plan.over(),
    }
}

impl Logic for PetitTable {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, words, counter, runs);
        let runs = self.runs.q.val();
        let finish = self.words.data.val().finish;
        self.runs.d.next = (runs | self.go.val()) & !finish;
        self.counter.d.next = if runs & !finish {
            self.counter.q.val() + 1
        } else {
            bits::<POSITION_BITS>(0)
        };
        self.words.address.next = self.counter.q.val();
        self.running.next = runs;
        self.place.next = self.counter.q.val();
        self.strobes.next = self.words.data.val();
    }
}

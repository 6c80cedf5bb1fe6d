//! Several circuits in one: the same logic for each of them in turn.

use std::cell::Cell;

thread_local! {
    static TURNS: Cell<usize> = const { Cell::new(1) };
}

/// How many turns a cell has that is made now.
pub(super) fn turns() -> usize {
    TURNS.get()
}

/// Makes a block that is `turns` circuits: in each clock cycle it is the next one of them.
///
/// Every [`Reg`](super::Reg) and every [`Memory`](super::Memory) in it has state for each
/// turn, so that clock cycle `n` of circuit `i`, both counted from 0, is clock cycle
/// `turns * n + i` of the block: then its inputs are taken to be those of this circuit, and
/// its outputs are. Apart from that each circuit is exactly what `make` makes without
/// turns; the logic is there once.
///
/// This is known as C-slow retiming (Leiserson and Saxe, "Retiming Synchronous Circuitry",
/// 1991, section 7). A register becomes as many flip-flops in a row as there are turns, a
/// memory as many times larger, with the turn in the upper bits of its addresses.
///
/// # Panics
/// If `turns` is no power of two. A [`Rom`](super::Rom) cannot be made in turns: it
/// panics.
///
/// ```
/// use hdl::cells::{in_turns, Reg};
/// use rust_hdl::prelude::*;
///
/// let ring: Reg<Bits<8>> = in_turns(16, Reg::default);
/// ```
pub fn in_turns<B>(turns: usize, make: impl FnOnce() -> B) -> B {
    assert!(turns.is_power_of_two(), "{turns} turns are no power of two");
    let before = TURNS.replace(turns);
    // Also if `make` panics and someone goes on.
    let _restore = Restore(before);
    make()
}

struct Restore(usize);

impl Drop for Restore {
    fn drop(&mut self) {
        TURNS.set(self.0);
    }
}

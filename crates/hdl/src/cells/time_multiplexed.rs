//! Time-multiplexed circuits (C-slow): several circuits share the same logic.

use std::cell::Cell;

thread_local! {
    static TURNS: Cell<usize> = const { Cell::new(1) };
}

/// Returns the number of turns of a cell created now.
pub(super) fn current_turns() -> usize {
    TURNS.get()
}

/// Creates a block that time-multiplexes `turns` circuits. In each clock cycle the block acts as
/// the next circuit.
///
/// Every [`Reg`](super::Reg) and every [`Memory`](super::Memory) in it has state for each turn.
/// Clock cycle `n` of circuit `i`, both counted from 0, is clock cycle `turns * n + i` of the
/// block. In this cycle the inputs and outputs of the block belong to circuit `i`. Otherwise each
/// circuit behaves exactly like the block that `make` creates without turns. The logic exists only
/// once.
///
/// This is known as C-slow retiming (Leiserson and Saxe, "Retiming Synchronous Circuitry", 1991,
/// section 7). Each bit of a register becomes a row of `turns` flip-flops. A memory becomes `turns`
/// times larger, with the turn in the upper bits of its addresses.
///
/// # Panics
/// If `turns` is not a power of two, or `make` creates a [`Rom`](super::Rom), which does not
/// support turns.
///
/// ```
/// use hdl::cells::{time_multiplexed, Reg};
/// use rust_hdl::prelude::*;
///
/// let ring: Reg<Bits<8>> = time_multiplexed(16, Reg::default);
/// ```
pub fn time_multiplexed<B>(turns: usize, make: impl FnOnce() -> B) -> B {
    assert!(turns.is_power_of_two(), "{turns} turns are no power of two");
    let before = TURNS.replace(turns);
    // Restores the value even if `make` panics and the panic is caught.
    let _restore = RestoreTurns(before);
    make()
}

struct RestoreTurns(usize);

impl Drop for RestoreTurns {
    fn drop(&mut self) {
        TURNS.set(self.0);
    }
}

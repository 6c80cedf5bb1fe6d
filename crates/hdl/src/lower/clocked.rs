//! Sets the clock in all parts of a block at once.
//!
//! Kernels pass their clock to their parts. In `rust-hdl`'s simulator the clock level needs one
//! round per level of the hierarchy, and each round evaluates the whole block. The lowering ensures
//! that there is one clock, which every kernel passes on unconditionally. All parts can therefore
//! receive the level at once.

use super::circuit::Circuit;
use crate::cells::{Memory, Reg, Rom};
use rust_hdl::prelude::{Block, Clock, In, Signal, Synth};

/// Signal, block or list with a clock.
#[doc(hidden)]
pub trait Clocked {
    /// Sets the clock in all parts.
    fn set_clock(&mut self, level: bool);
}

impl Clocked for Signal<In, Clock> {
    /// The next round sees the level, and an edge if the level has changed.
    fn set_clock(&mut self, level: bool) {
        self.next = level.into();
        self.update_all();
    }
}

impl<C: Circuit> Clocked for C {
    fn set_clock(&mut self, level: bool) {
        self.drive_clock(level);
    }
}

impl<T: Synth> Clocked for Reg<T> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<T: Synth, const ADDRESS_BITS: usize> Clocked for Memory<T, ADDRESS_BITS> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<T: Synth, const ADDRESS_BITS: usize> Clocked for Rom<T, ADDRESS_BITS> {
    fn set_clock(&mut self, level: bool) {
        self.clock.set_clock(level);
    }
}

impl<C: Clocked, const N: usize> Clocked for [C; N] {
    fn set_clock(&mut self, level: bool) {
        self.iter_mut().for_each(|c| c.set_clock(level));
    }
}

impl<C: Clocked> Clocked for Vec<C> {
    fn set_clock(&mut self, level: bool) {
        self.iter_mut().for_each(|c| c.set_clock(level));
    }
}

/// Field of a block. If it is [`Clocked`], [`DriveInside`] applies. Otherwise one more automatic
/// reference leads to [`DriveNothing`], and the field gets its clock from the kernel.
#[doc(hidden)]
pub struct Inside<'a, T>(pub &'a mut T);

#[doc(hidden)]
pub trait DriveInside {
    fn drive_inside(self, level: bool);
}

impl<C: Clocked> DriveInside for &mut Inside<'_, C> {
    fn drive_inside(self, level: bool) {
        self.0.set_clock(level);
    }
}

#[doc(hidden)]
pub trait DriveNothing {
    fn drive_inside(self, level: bool);
}

impl<T> DriveNothing for &mut &mut Inside<'_, T> {
    fn drive_inside(self, _: bool) {}
}

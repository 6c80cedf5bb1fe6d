//! The clock of a block, set in all that the block is made of at once.
//!
//! Kernels hand their clock on to what is in them. Carried by `rust-hdl`'s simulator, its level takes a round for
//! each level of the hierarchy, and a round goes through the whole block. The lowering sees to it that
//! there is one clock, which every kernel hands on whatever happens, so that all may have it at once.

use super::circuit::Circuit;
use crate::cells::{Memory, Reg, Rom};
use rust_hdl::prelude::{Block, Clock, In, Signal, Synth};

/// What has a clock, or is made of what has one.
#[doc(hidden)]
pub trait Clocked {
    /// Sets the clock in all of it.
    fn set_clock(&mut self, level: bool);
}

impl Clocked for Signal<In, Clock> {
    /// The level is seen in the next round; if it is another one, as an edge.
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

/// A field of a block. [`DriveInside`] applies if it is [`Clocked`], else, one automatic reference
/// further, [`DriveNothing`]: what is not known here gets its clock from the kernel.
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

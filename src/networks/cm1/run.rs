//! What goes into a run of the CM-1, how it ends, and what it leaves.

use super::disturbance::Disturbance;
use super::pins::Pins;
use super::{Cm1Counters, Cm1Shape};
use crate::engine::NodeEngine;
use crate::machine::{End, Fate};
use crate::rtl::cm1::PetitPlan;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Cm1Run {
    /// One for each message, in their order.
    pub fates: Vec<Fate>,
    pub counters: Cm1Counters,
    pub end: End,
    /// Petit cycles up to the last in which a message was ejected.
    pub petit_cycles: u64,
    /// Petit cycles up to the last in which a message was ejected or crossed a wire.
    pub petit_cycles_used: u64,
    /// Bit-times from the first MSGP at the injectors until the last bit of the
    /// last message has left the heart.
    pub heart_bit_times: u64,
    /// Of the whole run; a clock cycle is a bit-time.
    pub clock_cycles: u64,
}

/// A machine and its processors.
pub struct Cm1Machine<'a> {
    pub(super) pins: Pins<'a>,
    pub(super) shape: Cm1Shape,
    pub(super) plan: PetitPlan,
    /// The router is drained after so many petit cycles without an ejection; with ejection by
    /// banks, after so many in which each bank was open.
    pub timeout: u64,
    /// The run ends in any case when the last of so many petit cycles begins.
    pub limit: u64,
    /// The run ends at the begin of the next petit cycle when somebody sets this.
    pub stop: Arc<AtomicBool>,
    /// Of each message the petit cycle from which its processor has it; past the
    /// end of the list, from the first.
    pub releases: Vec<u64>,
    pub disturbance: Disturbance,
}

impl<'a> Cm1Machine<'a> {
    /// Petit cycles without an ejection that are enough for any load that is
    /// not stuck.
    pub const TIMEOUT: u64 = 64;

    /// The engine runs the machine of a [`Cm1Circuit`](super::Cm1Circuit) of this
    /// shape and plan.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: Cm1Shape, plan: PetitPlan) -> Self {
        Cm1Machine {
            pins: Pins::new(engine, shape),
            shape,
            plan,
            timeout: Self::TIMEOUT,
            limit: u64::MAX,
            stop: Arc::default(),
            releases: vec![],
            disturbance: Disturbance::default(),
        }
    }
}

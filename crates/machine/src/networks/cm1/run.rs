//! Inputs, end conditions and results of a CM-1 run.

use super::fault_injection::Cm1Faults;
use super::pins::Cm1Pins;
use super::{Cm1Counters, Cm1Shape};
use crate::{Delivery, EndReason};
use engine::NodeEngine;
use rtl::cm1::PetitPlan;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Cm1Run {
    /// Fate of each message, in the order of the messages.
    pub deliveries: Vec<Delivery>,
    pub counters: Cm1Counters,
    pub end: EndReason,
    /// Petit cycles up to the last in which a message was ejected.
    pub petit_cycles: u64,
    /// Petit cycles up to the last in which a message was ejected or crossed a wire.
    pub petit_cycles_used: u64,
    /// Bit-times from the first MSGP at the injectors until the last bit of the last message has
    /// left the heart.
    pub heart_bit_times: u64,
    /// Clock cycles of the whole run. A clock cycle is a bit-time.
    pub clock_cycles: u64,
}

/// Machine and its processors.
pub struct Cm1Machine<'a> {
    pub(super) pins: Cm1Pins<'a>,
    pub(super) shape: Cm1Shape,
    pub(super) plan: PetitPlan,
    /// Petit cycles without an ejection after which the router is drained. With ejection by banks
    /// the count is of petit cycles in which each bank was open.
    pub timeout: u64,
    /// Maximum number of petit cycles. The run ends when the last of them begins.
    pub limit: u64,
    /// Stop request from another thread. The run ends at the beginning of the next petit cycle.
    pub stop: Arc<AtomicBool>,
    /// For each message, the petit cycle from which its processor has it. Messages past the end of
    /// the list are available from the first petit cycle.
    pub releases: Vec<u64>,
    pub faults: Cm1Faults,
}

impl<'a> Cm1Machine<'a> {
    /// Default timeout in petit cycles. A load that is not blocked ejects a message within this
    /// time.
    pub const TIMEOUT: u64 = 64;

    /// Creates the machine for an engine that runs the [`Cm1Circuit`](super::Cm1Circuit) of this
    /// shape and plan.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: Cm1Shape, plan: PetitPlan) -> Self {
        Cm1Machine {
            pins: Cm1Pins::new(engine, shape),
            shape,
            plan,
            timeout: Self::TIMEOUT,
            limit: u64::MAX,
            stop: Arc::default(),
            releases: vec![],
            faults: Cm1Faults::default(),
        }
    }
}

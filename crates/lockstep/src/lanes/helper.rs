//! Helper circuit beside the lanes: its inputs, signals and clock.

use super::activity::Tuning;
use super::chunk::{Chunk, SegmentedCode};
use super::engine::LaneEngine;
use super::links::{Blackboard, ClockCycle};
use super::wiring::InputBit;
use super::{Backend, Keep, LaneWiring, LanesError};
use crate::netlist::{NetId, Netlist};
use num_bigint::BigUint;
use std::sync::Arc;

/// Circuit that runs once for all lanes, as a chunk of one lane with its own engine.
#[derive(Debug)]
pub struct Helper {
    pub netlist: Arc<Netlist>,
    engine: LaneEngine,
    chunk: Chunk,
    tuning: Tuning,
    /// By published bit: the broadcast bit of the lanes that it drives.
    drives: Vec<usize>,
    /// Positions in [`LanePlan::looks`](super::plan::LanePlan::looks), as a bit mask, that have been
    /// computed since the last change.
    looks_done: u8,
}

impl Helper {
    /// Creates a helper with all inputs zero and its state reset. `helped` lists the bits that the
    /// lanes read ([`LanePlan::helper_bits`](super::plan::LanePlan::helper_bits)).
    pub fn new(
        netlist: Arc<Netlist>,
        helped: &[(NetId, u32, usize)],
        backend: Backend,
        tuning: Tuning,
    ) -> Result<Self, LanesError> {
        let mut wiring = LaneWiring::new();
        wiring.published = helped.iter().map(|&(net, bit, _)| (net, bit)).collect();
        let engine = LaneEngine::new(&netlist, 1, &wiring, &Keep::All, backend)?;
        Ok(Helper {
            chunk: Chunk::new(&engine, SegmentedCode::new(&engine, None)?, 0),
            drives: helped.iter().map(|helped| helped.2).collect(),
            looks_done: 0,
            tuning,
            engine,
            netlist,
        })
    }

    pub fn reset(&mut self) {
        self.chunk.reset(&self.engine);
        self.looks_done = 0;
    }

    /// Sets an input. The value must fit its width.
    pub fn set(&mut self, input: usize, value: u64) {
        for (i, bit) in (0..).zip(&self.engine.plan.inputs[input]) {
            let InputBit::PerLane { slot } = *bit else {
                unreachable!("it is not wired");
            };
            let bit = value.checked_shr(i).unwrap_or(0) & 1;
            self.chunk.input(slot).fill(bit.wrapping_neg());
        }
        self.looks_done = 0;
    }

    /// Returns the value of a named net.
    pub fn get(&mut self, net: NetId) -> BigUint {
        let bits = self.engine.plan.probes[net.index()].as_deref();
        let mut value = BigUint::ZERO;
        for (i, bit) in (0..).zip(bits.expect("all of them are kept")) {
            if let Some(look) = bit.look() {
                if self.looks_done >> look & 1 == 0 {
                    self.engine.looks[look].run(&mut self.chunk.frame);
                    self.looks_done |= 1 << look;
                }
            }
            value.set_bit(i, self.chunk.bit(*bit, 0, 1));
        }
        value
    }

    /// Performs the clock edge. The lanes see its effect from this clock cycle on.
    pub fn clock(&mut self, blackboard: &Blackboard, time: ClockCycle) {
        self.chunk.step(&self.engine, time);
        self.tuning.tune(&self.engine, std::slice::from_mut(&mut self.chunk), time);
        self.looks_done = 0;
        self.publish(blackboard, time);
    }

    /// Updates the broadcast bits of the lanes for a clock cycle.
    pub fn publish(&mut self, blackboard: &Blackboard, time: ClockCycle) {
        if !self.chunk.update_published(&self.engine, time) {
            return;
        }
        for (&(slot, inverted), &number) in self.engine.plan.published.iter().zip(&self.drives) {
            let is_set = self.chunk.frame.vector(slot)[0] & 1 == 1;
            blackboard.set_broadcast(time, number, is_set != inverted);
        }
    }
}

//! The time and the wires of a machine, in figures that can be compared.

use serde::Serialize;

/// The time of a machine, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timebase {
    /// Clock cycles in a bit-time.
    pub clocks_per_bit: u64,
    /// Messages set out and arrive in steps of so many bit-times: a phase, or a
    /// petit cycle.
    pub step: u64,
    /// In so many bit-times every wire can carry one message each way: a
    /// superframe, or a petit cycle.
    pub period: u64,
    /// What a period is called.
    pub period_name: &'static str,
    /// What a step is called.
    #[serde(skip)]
    pub step_name: &'static str,
    /// What several steps are called.
    #[serde(skip)]
    pub steps_name: &'static str,
    /// Bit-times from the beginning of the step in which a message arrives until it is
    /// there.
    #[serde(skip)]
    pub arrival: u64,
}

impl Timebase {
    /// Of a machine whose bit-times are clock cycles, and which has no schedule: a period
    /// is a step of so many of them, in which every channel can carry one message.
    pub const fn of_words(
        step_name: &'static str,
        steps_name: &'static str,
        clock_cycles: u64,
    ) -> Self {
        Timebase {
            clocks_per_bit: 1,
            step: clock_cycles,
            period: clock_cycles,
            period_name: step_name,
            step_name,
            steps_name,
            arrival: clock_cycles,
        }
    }

    /// Steps in a period.
    pub fn steps(self) -> u64 {
        self.period / self.step
    }

    /// Clock cycles in a step.
    pub fn clock_cycles(self) -> u64 {
        self.step * self.clocks_per_bit
    }

    /// When a message is there that arrives in step `t`: bit-times from the start.
    pub fn arrived(self, t: u32) -> u64 {
        u64::from(t) * self.step + self.arrival
    }
}

/// The wires of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wires {
    /// Wires between nodes, over nodes.
    pub per_node: f64,
    /// Ends of such wires at a node.
    pub pins: u32,
}

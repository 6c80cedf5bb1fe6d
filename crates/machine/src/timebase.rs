//! Time and wires of a machine, in comparable units.

use serde::Serialize;

/// Time of a machine, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timebase {
    /// Clock cycles per bit-time.
    pub clocks_per_bit: u64,
    /// Length of a step in bit-times: a phase, or a petit cycle. Messages depart and arrive in
    /// steps.
    pub step: u64,
    /// Length of a period in bit-times: a superframe, or a petit cycle. In a period every wire can
    /// carry one message in each direction.
    pub period: u64,
    /// Name of a period.
    pub period_name: &'static str,
    /// Name of a step.
    #[serde(skip)]
    pub step_name: &'static str,
    /// Plural name of steps.
    #[serde(skip)]
    pub steps_name: &'static str,
    /// Bit-times from the beginning of the step of an arrival until the message is available.
    #[serde(skip)]
    pub arrival: u64,
}

impl Timebase {
    /// Timebase of a machine without a schedule, whose bit-times are clock cycles. A period is a
    /// step of `clock_cycles`, in which every channel can carry one message.
    pub const fn unscheduled(
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

    /// Steps per period.
    pub fn steps(self) -> u64 {
        self.period / self.step
    }

    /// Clock cycles per step.
    pub fn clock_cycles(self) -> u64 {
        self.step * self.clocks_per_bit
    }

    /// Time of an arrival in step `t`, in bit-times from the start.
    pub fn arrival_time(self, t: u32) -> u64 {
        u64::from(t) * self.step + self.arrival
    }
}

/// Wires of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WireCounts {
    /// Wires between nodes, divided by the number of nodes.
    pub per_node: f64,
    /// Number of wire ends at a node.
    pub pins: u32,
}

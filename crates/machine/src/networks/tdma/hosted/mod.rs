//! The 3-cube, or MC(1,1), that goes on a board. Its nodes and their host share a core
//! ([`TimeMultiplexedNodes`](rtl::hosted::TimeMultiplexedNodes)).
//!
//! * [`HostedCircuit`]: the circuit for a program of the nodes;
//! * [`Terminal`]: the other end of its serial line.

use crate::networks::tdma::PhaseTiming;
use crate::program::BoardMemory;
use hdl::lower::{lower, Circuit, LowerErrors};
use lockstep::design::Design;
use rtl::hosted::{HostedComparison, HostedShape};
use rtl::uart::BITS_PER_BYTE;
use rtl::CLOCKS_PER_BIT;
use std::collections::VecDeque;

// Cube or MC(1,1) with its host, in one form for boards and for simulation.

/// Payload of every message, in bytes.
pub const PAYLOAD: usize = 8;

/// Parameters of a board's circuit.
#[derive(Clone, Debug)]
pub struct HostedCircuit {
    memory: BoardMemory,
    shape: HostedShape,
    timing: PhaseTiming,
    /// Rows of the chips of the CM-1 beside the nodes. `None` without a CM-1.
    rows: Option<usize>,
}

impl HostedCircuit {
    /// Creates the circuit with the service window that `route` needs. If programs with work of
    /// their own may be loaded, the window has their length. The programs in the memory are for
    /// this shape.
    pub fn new(shape: HostedShape, memory: BoardMemory) -> Self {
        let (clocks, nodes) = (CLOCKS_PER_BIT as u32, shape.core_nodes());
        let timing = PhaseTiming::of_groups(clocks, PAYLOAD + 2, shape.into(), nodes);
        HostedCircuit {
            memory,
            shape,
            timing: match shape.loads_programs() {
                true => timing.with_work(),
                false => timing,
            },
            rows: None,
        }
    }

    /// Adds a CM-1 beside the nodes of the cube. Its chips have `rows` rows. For
    /// [`BoardMemory::comparison`].
    #[must_use]
    pub fn beside_cm1(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Returns the timing of a phase, in clock cycles of a node.
    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }

    /// Returns the circuit with the ports of a board.
    ///
    /// # Errors
    /// A released circuit causes no error, because the tests lower it.
    pub fn design(&self) -> Result<Design, LowerErrors> {
        let (plan, divider) = (self.timing.plan(), self.divider());
        let words = &self.memory.words;
        match self.rows {
            None => lower(&*self.shape.circuit(plan, divider, words)),
            Some(rows) => lower(&HostedComparison::new(plan, divider, words, rows)),
        }
    }

    /// Returns the divider of the phase clock, in clock cycles of the circuit.
    fn divider(&self) -> u64 {
        self.timing.divider_for(self.shape.core_nodes())
    }

    /// Returns the block with the outputs that a simulation observes, and without a CM-1.
    ///
    /// # Panics
    /// If the shape is a metacube.
    pub fn observed(&self) -> Box<dyn Circuit> {
        let plan = self.timing.plan();
        self.shape.observed(plan, self.divider(), &self.memory.words)
    }
}

// Software model of a serial terminal, for boards in a simulator.

/// PC end of a serial line: 8N1, with a given number of clock cycles per bit.
#[derive(Clone, Debug)]
pub struct Terminal {
    clocks: u32,
    /// Bytes to send. `sending` holds the levels of the current byte, and `left` its remaining
    /// clock cycles.
    queue: VecDeque<u8>,
    sending: u32,
    left: u32,
    /// Clock cycles since the start bit of the byte being received, and the bits read.
    receiving: Option<(u32, u32)>,
    received: Vec<u8>,
}

impl Terminal {
    pub fn new(clocks: usize) -> Self {
        Terminal {
            clocks: clocks as u32,
            queue: VecDeque::new(),
            sending: 0,
            left: 0,
            receiving: None,
            received: vec![],
        }
    }

    /// Appends these bytes to the bytes to be sent.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.queue.extend(bytes.as_ref());
    }

    /// Returns the level of the board's input in the next clock cycle.
    pub fn level(&mut self) -> bool {
        if self.left == 0 {
            if let Some(byte) = self.queue.pop_front() {
                self.sending = u32::from(byte) << 1 | 1 << (BITS_PER_BYTE - 1);
                self.left = BITS_PER_BYTE * self.clocks;
            }
        }
        if self.left == 0 {
            return true;
        }
        let bit = BITS_PER_BYTE - self.left.div_ceil(self.clocks);
        self.left -= 1;
        self.sending >> bit & 1 == 1
    }

    /// Samples the level of the board's output in a clock cycle.
    pub fn sample(&mut self, level: bool) {
        match &mut self.receiving {
            None => {
                if !level {
                    self.receiving = Some((1, 0));
                }
            }
            Some((elapsed, bits)) => {
                if *elapsed % self.clocks == self.clocks / 2 {
                    *bits |= u32::from(level) << (*elapsed / self.clocks);
                }
                *elapsed += 1;
                if *elapsed > (BITS_PER_BYTE - 1) * self.clocks + self.clocks / 2 {
                    self.received.push((*bits >> 1) as u8);
                    self.receiving = None;
                }
            }
        }
    }

    /// Returns the bytes received since the last call.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.received)
    }

    /// Returns the complete lines received since the last call.
    pub fn lines(&mut self) -> Vec<String> {
        let Some(end) = self.received.iter().rposition(|byte| *byte == b'\n') else {
            return vec![];
        };
        let rest = self.received.split_off(end + 1);
        let text = std::mem::replace(&mut self.received, rest);
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }
}

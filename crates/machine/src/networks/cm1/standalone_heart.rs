//! Single heart whose cube wires lead back to it.

use super::BitStream;
use engine::{CircuitEngine, EngineError, EvaluatorEngine, PortId};
use hdl::lower::{lower, LowerErrors};
use rtl::cm1::{ColumnTimes, Heart, MessageFormat, Pipeline};
use thiserror::Error;

/// Reason why a heart cannot be built.
#[derive(Debug, Error)]
pub enum HeartError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Messages that left a heart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeartOutput {
    /// Message of each row. `None` for a row without a message.
    pub rows: Vec<Option<BitStream>>,
    /// For each cube wire, whether a message left on it.
    pub crossed: Vec<bool>,
    /// Bit-times from MSGP at the first column to the last bit-time of a message that left,
    /// inclusive. `None` if no message left.
    pub bit_times: Option<u32>,
}

/// Heart of any [`Pipeline`] on the evaluator. Addresses are relative. If all chips send the same
/// messages, the bits that leave across a dimension equal those that arrive. One heart then
/// simulates the whole machine.
pub struct StandaloneHeart {
    pipeline: Pipeline,
    format: MessageFormat,
    engine: EvaluatorEngine,
    rows: Vec<PortId>,
    exits: Vec<PortId>,
    /// For each cube wire, the sending port and the receiving port.
    wires: Vec<[PortId; 2]>,
    /// For each cube wire, whether its neighbour sends nothing.
    silent: Vec<bool>,
    /// For each column, the ports `decide`, `hold`, `turn` and `parity`.
    strobes: Vec<[PortId; 4]>,
}

impl StandaloneHeart {
    /// Builds the heart.
    ///
    /// # Errors
    /// If the heart cannot be lowered or simulated.
    pub fn new(pipeline: Pipeline, format: MessageFormat, rows: usize) -> Result<Self, HeartError> {
        let dims = format.dims as usize;
        let design = lower(&Heart::of(dims, rows, pipeline))?;
        let engine = EvaluatorEngine::new(&design)?;
        let port = |name: &str, i: usize| engine.port(&format!("{name}[{i}]"));
        let rows_of = |name: &str| (0..rows).map(|r| port(name, r)).collect();
        Ok(StandaloneHeart {
            pipeline,
            format,
            rows: rows_of("row"),
            exits: rows_of("exit"),
            wires: (0..dims)
                .map(|i| ["cube_out", "cube_in"].map(|name| port(name, i)))
                .collect(),
            silent: vec![false; dims],
            strobes: (0..dims)
                .map(|i| ["decide", "hold", "turn", "parity"].map(|name| port(name, i)))
                .collect(),
            engine,
        })
    }

    /// Returns the heart with a neighbour across this dimension that sends nothing.
    #[must_use]
    pub fn with_silent_neighbour(mut self, dimension: usize) -> Self {
        self.silent[dimension] = true;
        self
    }

    /// Returns the bits of state that hold messages. The state of the switches does not count.
    pub fn storage(&self) -> u32 {
        let netlist = self.engine.evaluator().netlist();
        let registers = netlist.registers.iter();
        let messages = registers.filter(|register| !register.name.contains(".switch["));
        messages.map(|register| netlist.width(register.q)).sum()
    }

    /// Sends these messages through the heart, at most one for each row.
    ///
    /// # Errors
    /// If the simulation fails.
    pub fn pass(&mut self, messages: &[Option<BitStream>]) -> Result<HeartOutput, EngineError> {
        let (dims, length) = (self.format.dims, self.format.length());
        let times = (0..dims).map(|i| self.pipeline.times(i, dims, length));
        let times: Vec<ColumnTimes> = times.collect();
        let begins = self.pipeline.enters(dims);
        let ends = begins + self.pipeline.leaves(dims, length);
        let mut streams = vec![BitStream::new(); self.exits.len()];
        let mut crossed = vec![false; self.wires.len()];
        let mut last = None;
        for t in 0..ends {
            for (row, message) in self.rows.iter().zip(messages) {
                let bit = message.as_ref().and_then(|bits| bits.get(t as usize));
                self.engine.set_u64(*row, u64::from(bit == Some(&true)));
            }
            for (ports, times) in self.strobes.iter().zip(&times) {
                let windows = [&times.decide, &times.hold, &times.turn, &times.parity];
                for (port, window) in ports.iter().zip(windows) {
                    self.engine.set_u64(*port, u64::from(window.contains(&t)));
                }
            }
            self.engine.settle()?;
            let wires = self.wires.iter().zip(&self.silent).zip(&mut crossed);
            for (([sends, receives], silent), crossed) in wires {
                let level = self.engine.get_u64(*sends);
                *crossed |= level == 1;
                self.engine.set_u64(*receives, level & u64::from(!silent));
            }
            self.engine.settle()?;
            for (exit, stream) in self.exits.iter().zip(&mut streams) {
                let bit = self.engine.get_u64(*exit) == 1;
                if t >= begins {
                    stream.push(bit);
                }
                if bit && t >= begins {
                    last = Some(t + 1);
                }
            }
            self.engine.clock()?;
        }
        let message = |stream: BitStream| stream[0].then_some(stream);
        Ok(HeartOutput {
            rows: streams.into_iter().map(message).collect(),
            crossed,
            bit_times: last,
        })
    }
}

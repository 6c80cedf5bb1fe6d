//! A heart by itself, whose cube wires lead back to it.

use super::Stream;
use crate::engine::{Engine, EngineError, EvaluatorEngine, PortId};
use crate::rtl::cm1::{ColumnTimes, Heart, MessageFormat, Pipeline};
use hdl::lower::{lower, LowerErrors};
use thiserror::Error;

/// Why a heart can't be had.
#[derive(Debug, Error)]
pub enum HeartError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What left a heart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The message of each row, if there is one.
    pub rows: Vec<Option<Stream>>,
    /// Of each cube wire, whether a message left by it.
    pub crossed: Vec<bool>,
    /// Bit-times from MSGP at the first column to the last one of a message that left, it
    /// included. None if no message left.
    pub bit_times: Option<u32>,
}

/// A heart of any [`Pipeline`] on the evaluator. Addresses are relative, so it is the whole
/// machine if all chips send alike: what leaves it across a dimension is what comes to it.
pub struct LoneHeart {
    pipeline: Pipeline,
    format: MessageFormat,
    engine: EvaluatorEngine,
    rows: Vec<PortId>,
    exits: Vec<PortId>,
    /// Of each cube wire the end that sends and the end that receives.
    wires: Vec<[PortId; 2]>,
    /// Of each cube wire, whether nothing comes by it.
    silent: Vec<bool>,
    /// Of each column `decide`, `hold`, `turn` and `parity`.
    strobes: Vec<[PortId; 4]>,
}

impl LoneHeart {
    /// # Errors
    /// If the heart can't be lowered or simulated.
    pub fn new(pipeline: Pipeline, format: MessageFormat, rows: usize) -> Result<Self, HeartError> {
        let dims = format.dims as usize;
        let design = lower(&Heart::of(dims, rows, pipeline))?;
        let engine = EvaluatorEngine::new(&design)?;
        let port = |name: &str, i: usize| engine.port(&format!("{name}[{i}]"));
        let rows_of = |name: &str| (0..rows).map(|r| port(name, r)).collect();
        Ok(LoneHeart {
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

    /// The same with a neighbour across this dimension that sends nothing.
    #[must_use]
    pub fn with_silent(mut self, dimension: usize) -> Self {
        self.silent[dimension] = true;
        self
    }

    /// Bits of state that hold messages: all but the switches.
    pub fn storage(&self) -> u32 {
        let netlist = self.engine.evaluator().netlist();
        let registers = netlist.registers.iter();
        let messages = registers.filter(|register| !register.name.contains(".switch["));
        messages.map(|register| netlist.width(register.q)).sum()
    }

    /// Sends these messages through, one for each row that has one.
    ///
    /// # Errors
    /// If the simulation fails.
    pub fn pass(&mut self, messages: &[Option<Stream>]) -> Result<Passed, EngineError> {
        let (dims, length) = (self.format.dims, self.format.length());
        let times = (0..dims).map(|i| self.pipeline.times(i, dims, length));
        let times: Vec<ColumnTimes> = times.collect();
        let begins = self.pipeline.enters(dims);
        let ends = begins + self.pipeline.leaves(dims, length);
        let mut streams = vec![Stream::new(); self.exits.len()];
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
        let message = |stream: Stream| stream[0].then_some(stream);
        Ok(Passed {
            rows: streams.into_iter().map(message).collect(),
            crossed,
            bit_times: last,
        })
    }
}

//! Observation of the heart of a chip: the messages in its rows at the input of each column, in
//! each petit cycle (`cm1-message-router`, Figures 9 to 11).

use super::Cm1Shape;
use crate::networks::Study;
use crate::RunStats;
use engine::{
    CircuitEngine, EngineError, EvaluatorEngine, NodeEngine, NodePortId, Observer, PortId,
    SharedPortId,
};
use hdl::lower::{lower, LowerErrors};
use rtl::cm1::{ColumnTimes, Heart, MessageFormat, PetitPlan, Pipeline};
use std::collections::VecDeque;
use std::fmt::Write;
use thiserror::Error;

/// Row bits of one chip in a bit-time.
struct HeartSample {
    /// For each column, and for the exit, one bit per row.
    rows: Vec<u64>,
    /// Bits that leave on the cube wires.
    cube_out: u64,
}

/// Observer of the heart of one chip.
pub(super) struct HeartTrace {
    chip: usize,
    shape: Cm1Shape,
    plan: PetitPlan,
    start: SharedPortId,
    cube_out: NodePortId,
    /// For each column, and for the exit, the ports of its rows.
    rows: Vec<Vec<NodePortId>>,
    /// True once the first petit cycle has begun.
    begun: bool,
    /// Samples from the first bit-time of the next petit cycle to be printed.
    samples: VecDeque<HeartSample>,
    petit: u64,
    text: String,
}

/// Returns the names of the row signals, for each column of a chip's heart and for the exit.
pub(super) fn row_signals(shape: Cm1Shape) -> Vec<Vec<String>> {
    let dims = shape.format.dims as usize;
    let path = |column: usize, row: usize| match column {
        0 => format!("router.heart.first.row[{row}]"),
        i if i < dims => format!("router.heart.later[{}].row[{row}]", i - 1),
        _ => format!("router.heart.exit[{row}]"),
    };
    let rows = |column| (0..shape.rows).map(|row| path(column, row)).collect();
    (0..=dims).map(rows).collect()
}

/// Replaces the heart in an engine that exposes no internal signals. Holds the name of the engine.
pub(super) struct HeartUnavailable(pub &'static str);

impl Observer for HeartUnavailable {
    fn next_look(&self, _clock: u64) -> Option<u64> {
        None
    }

    fn look(&mut self, _: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        Ok(())
    }
}

impl Study for HeartUnavailable {
    fn text(self: Box<Self>, _: &RunStats) -> String {
        format!(
            "--hearts: {} shows no signals inside; accepted: --engine lockstep, evaluator\n",
            self.0
        )
    }
}

impl HeartTrace {
    /// Creates the observer of this chip. Returns `None` if the engine exposes no internal signals.
    pub fn new(
        engine: &mut dyn NodeEngine,
        shape: Cm1Shape,
        plan: PetitPlan,
        chip: usize,
    ) -> Option<Self> {
        let dims = shape.format.dims as usize;
        let column = |paths: Vec<String>| -> Option<Vec<NodePortId>> {
            paths.iter().map(|path| engine.signal(path)).collect()
        };
        let rows: Option<Vec<_>> = row_signals(shape).into_iter().map(column).collect();
        let rows = rows?;
        let mut text = format!(
            "\nThe heart of chip 0x{chip:X}: to which chip the message in each row is to go, as it comes to a\n\
             column. >: it leaves by the cube wire; !: it leaves in desperation; .: no message.\n"
        );
        let columns: String = (0..dims).map(|column| format!("{column:>5}")).collect();
        let _ = write!(text, "\n         column{columns}  exit");
        Some(HeartTrace {
            chip,
            shape,
            plan,
            start: engine.shared_port("start"),
            cube_out: engine.port("cube_out"),
            rows,
            begun: false,
            samples: VecDeque::new(),
            petit: 0,
            text,
        })
    }

    /// Returns the stream on a row at the input of a column, in the petit cycle to be printed.
    fn stream(&self, column: usize, row: usize) -> BitStream {
        let first = 2 * column;
        let times = first..first + self.shape.format.length() as usize;
        times.map(|t| self.samples[t].rows[column] >> row & 1 == 1).collect()
    }

    /// Returns the destination of the message at the input of a column and whether it wants to
    /// cross. Returns `None` if there is no message. The bits of the dimensions already passed are
    /// last.
    fn wants(&self, column: usize, stream: &BitStream) -> Option<(usize, bool)> {
        let (format, dims) = (self.shape.format, self.shape.format.dims);
        stream[0].then(|| {
            let turned = decode(format, stream).relative;
            let relative =
                (turned << column | turned >> (dims - column as u32)) & ((1 << dims) - 1);
            (self.chip ^ relative as usize, turned & 1 == 1)
        })
    }

    /// Prints the lines of one petit cycle.
    fn print_petit_cycle(&mut self) {
        let dims = self.shape.format.dims as usize;
        let mut lines = vec![String::new(); self.shape.rows];
        for column in 0..=dims {
            let messages: Vec<_> = (0..self.shape.rows)
                .map(|row| self.wants(column, &self.stream(column, row)))
                .collect();
            let leaves = column < dims && self.samples[2 * column + 2].cube_out >> column & 1 == 1;
            let wanting = messages.iter().position(|m| m.is_some_and(|(_, wants)| wants));
            let leaver = wanting.unwrap_or(self.shape.rows - 1);
            for (row, (message, line)) in messages.iter().zip(&mut lines).enumerate() {
                let mark = match (leaves && row == leaver, wanting) {
                    (false, _) => ' ',
                    (true, Some(_)) => '>',
                    (true, None) => '!',
                };
                let _ = match message {
                    Some((chip, _)) => write!(line, " {chip:>3X}{mark}"),
                    None => write!(line, "   . "),
                };
            }
        }
        if lines.iter().any(|line| line.contains(|c: char| c.is_ascii_hexdigit())) {
            let _ = write!(self.text, "\npetit cycle {}", self.petit);
            for (row, line) in lines.iter().enumerate() {
                let _ = write!(self.text, "\n         row {row:>2} {}", line.trim_end());
            }
        }
    }
}

impl Observer for HeartTrace {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        self.begun |= engine.get_shared(self.start) == 1;
        if !self.begun {
            return Ok(());
        }
        let rows = self.rows.iter().map(|rows| {
            let bits = rows.iter().enumerate();
            bits.map(|(row, port)| engine.get(*port, self.chip) << row).sum()
        });
        let rows = rows.collect();
        let cube_out = engine.get(self.cube_out, self.chip);
        self.samples.push_back(HeartSample { rows, cube_out });
        let format = self.shape.format;
        if self.samples.len() as u32 == 2 * format.dims + format.length() + 1 {
            self.print_petit_cycle();
            self.samples.drain(..self.plan.period as usize);
            self.petit += 1;
        }
        Ok(())
    }
}

impl Study for HeartTrace {
    fn text(self: Box<Self>, _: &RunStats) -> String {
        self.text + "\n"
    }
}

// Single heart whose cube wires lead back to it.

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
            wires: (0..dims).map(|i| ["cube_out", "cube_in"].map(|name| port(name, i))).collect(),
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

// Messages as bits on a row or a wire.

/// Bits of a message in the order of transmission, with MSGP first.
pub type BitStream = Vec<bool>;

/// Fields of a message, read from the bits of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamFields {
    /// XOR of the destination chip and the chip where the message is.
    pub relative: u32,
    /// Processor on the destination chip.
    pub processor: u32,
    pub vp: u32,
    /// DATA, low byte first. The last byte is padded with zeros.
    pub data: Vec<u8>,
    /// True if PARITY is correct.
    pub parity_good: bool,
}

/// Returns the stream of a message. `data` is padded with zeros.
///
/// # Panics
/// If a field has more bits than the format allows.
pub fn encode(
    format: MessageFormat,
    relative: u32,
    processor: u32,
    vp: u32,
    data: &[u8],
) -> BitStream {
    let mut stream = vec![true];
    for (value, bits) in
        [(relative, format.dims), (processor, format.proc_bits), (vp, format.vp_bits)]
    {
        assert!(u64::from(value) < 1 << bits, "{value} has more than {bits} bits");
        stream.extend((0..bits).map(|k| value >> k & 1 == 1));
    }
    let bit = |k: usize| data.get(k / 8).is_some_and(|byte| byte >> (k % 8) & 1 == 1);
    let data_bits = format.data_bits as usize;
    assert!(
        (data_bits..8 * data.len()).all(|k| !bit(k)),
        "the data have more than {data_bits} bits"
    );
    stream.extend((0..data_bits).map(bit));
    stream.push(odd(&stream[1..]));
    stream
}

/// Returns the fields of a stream. MSGP is ignored.
///
/// # Panics
/// If the stream does not have the length of the format.
pub fn decode(format: MessageFormat, stream: &[bool]) -> StreamFields {
    assert_eq!(stream.len(), format.length() as usize);
    let mut rest = &stream[1..];
    let mut take = |bits: u32| {
        let (field, others) = rest.split_at(bits as usize);
        rest = others;
        field
    };
    let number = |field: &[bool]| (0..).zip(field).map(|(k, b)| u32::from(*b) << k).sum();
    StreamFields {
        relative: number(take(format.dims)),
        processor: number(take(format.proc_bits)),
        vp: number(take(format.vp_bits)),
        data: take(format.data_bits).chunks(8).map(|byte| number(byte) as u8).collect(),
        parity_good: !odd(&stream[1..]),
    }
}

fn odd(bits: &[bool]) -> bool {
    bits.iter().filter(|b| **b).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_reverses_encoding() {
        let format = MessageFormat { dims: 5, proc_bits: 0, vp_bits: 3, data_bits: 11 };
        let stream = encode(format, 0b10110, 0, 6, &[0xA5, 0x07]);
        assert_eq!(stream.len(), 21);
        let fields = decode(format, &stream);
        let StreamFields { relative, processor, vp, data, parity_good } = fields;
        assert_eq!((relative, processor, vp), (0b10110, 0, 6));
        assert_eq!(data, [0xA5, 0x07]);
        assert!(parity_good);
        for k in 1..21 {
            let mut damaged = stream.clone();
            damaged[k] ^= true;
            assert!(!decode(format, &damaged).parity_good);
        }
    }
}

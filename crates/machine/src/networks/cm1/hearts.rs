//! Observation of the heart of a chip: the messages in its rows at the input of each column, in
//! each petit cycle (`cm1-message-router`, Figures 9 to 11).

use super::{decode, BitStream, Cm1Shape};
use crate::networks::Study;
use crate::RunStats;
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use rtl::cm1::PetitPlan;
use std::collections::VecDeque;
use std::fmt::Write;

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
        times
            .map(|t| self.samples[t].rows[column] >> row & 1 == 1)
            .collect()
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
            let wanting = messages
                .iter()
                .position(|m| m.is_some_and(|(_, wants)| wants));
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
        if lines
            .iter()
            .any(|line| line.contains(|c: char| c.is_ascii_hexdigit()))
        {
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
            bits.map(|(row, port)| engine.get(*port, self.chip) << row)
                .sum()
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

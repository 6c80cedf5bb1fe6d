//! Lines that a circuit prints with `display!`.

use super::{BenchError, TestBench};
use std::fmt;

/// Line that a circuit printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    /// Number of clock edges before the one at which it was printed.
    pub clock_cycle: u64,
    /// Lane, if there are several.
    pub lane: Option<usize>,
    /// Hierarchical name of the print statement (`child.print_1`).
    pub print: String,
    pub text: String,
}

impl fmt::Display for PrintedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clock cycle {}", self.clock_cycle)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        write!(f, ": {}", self.text)
    }
}

impl TestBench {
    /// Returns the lines that the circuit printed since the last call, in order of the clock cycles.
    /// Within a clock cycle they are in order of the statements, parents first, and of the lanes.
    pub fn take_printed(&mut self) -> Vec<PrintedLine> {
        std::mem::take(&mut self.printed)
    }

    /// Sets whether lines appear on standard output. They do unless this is called.
    pub fn echo(&mut self, on: bool) {
        self.echo = on;
    }

    /// Prints the lines of this clock cycle.
    pub(super) fn print(&mut self) -> Result<(), BenchError> {
        let several = self.lanes() > 1;
        for i in 0..self.prints.len() {
            let enabled = self.get_all(&self.prints[i].enable.clone())?;
            let lanes = (0..enabled.len()).filter(|&lane| enabled[lane] == 1);
            for lane in lanes.collect::<Vec<_>>() {
                let words = self.prints[i].words.clone();
                let words = words.iter().map(|(word, _)| self.get(word, lane));
                let words = words.collect::<Result<Vec<_>, _>>()?;
                let line = PrintedLine {
                    clock_cycle: self.clock_cycle,
                    lane: several.then_some(lane),
                    print: self.prints[i].name.clone(),
                    text: self.prints[i].text(&words),
                };
                if self.echo {
                    println!("{line}");
                }
                self.printed.push(line);
            }
        }
        Ok(())
    }
}

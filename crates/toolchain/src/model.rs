//! Compiled simulation: its executable, and a running process.

use super::command;
use super::error::{IoContext, Result, ToolError};
use num_bigint::BigUint;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Module compiled for simulation. Every [`Simulation`] of it starts from the initial state.
#[derive(Debug, Clone)]
pub struct CompiledModel {
    top: String,
    executable: PathBuf,
    inputs: Vec<PortSpec>,
    outputs: Vec<PortSpec>,
    /// Folder in which it runs, if it is not that of the executable.
    folder: Option<PathBuf>,
}

impl CompiledModel {
    pub(super) fn new(
        top: &str,
        executable: PathBuf,
        ports: &[PortSpec],
        clock: Option<usize>,
    ) -> CompiledModel {
        let driven = ports.iter().enumerate().filter(|(i, _)| Some(*i) != clock);
        let (inputs, outputs) = driven.map(|(_, port)| port.clone()).partition(|p| p.input);
        CompiledModel { top: top.to_string(), executable, inputs, outputs, folder: None }
    }

    /// Returns the model with simulations that run in this folder, in which `$readmemh` finds its
    /// files.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> CompiledModel {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Inputs of a clock cycle, in order, without the clock.
    pub fn inputs(&self) -> &[PortSpec] {
        &self.inputs
    }

    /// Outputs of a clock cycle, in order.
    pub fn outputs(&self) -> &[PortSpec] {
        &self.outputs
    }

    /// Returns the path of the compiled model.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Starts the compiled model as a process of its own.
    pub fn start(&self) -> Result<Simulation> {
        let own = self.executable.parent().unwrap_or(Path::new("."));
        let dir = self.folder.as_deref().unwrap_or(own);
        let mut child = Command::new(&self.executable)
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .at("run", &self.executable)?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ToolError::Simulation { top: self.top.clone(), what: "no pipes".into() });
        };
        Ok(Simulation {
            words: self.inputs.iter().map(PortSpec::words).sum(),
            reply_words: self.outputs.iter().map(PortSpec::words).sum(),
            model: self.clone(),
            child,
            requests: Some(requests),
            replies: BufReader::with_capacity(1 << 16, replies),
            queue: vec![],
            queued: 0,
        })
    }

    /// Runs from the initial state. Returns the outputs of each clock cycle for the inputs of each.
    pub fn run(&self, cycles: &[Vec<BigUint>]) -> Result<Vec<Vec<BigUint>>> {
        self.start()?.run(cycles)
    }

    fn pack(&self, values: &[BigUint], words: &mut Vec<u32>) -> Result<()> {
        if values.len() != self.inputs.len() {
            return Err(ToolError::Invalid(format!(
                "{} inputs given to {}, which has {}",
                values.len(),
                self.top,
                self.inputs.len()
            )));
        }
        for (port, value) in self.inputs.iter().zip(values) {
            if value.bits() > port.width as u64 {
                return Err(ToolError::Invalid(format!(
                    "{value:#x} given to input {} of {}, which has {} bits",
                    port.name, self.top, port.width
                )));
            }
            let end = words.len() + port.words();
            words.extend(value.iter_u32_digits());
            words.resize(end, 0);
        }
        Ok(())
    }

    fn unpack(&self, mut words: &[u32]) -> Vec<BigUint> {
        let mut values = Vec::with_capacity(self.outputs.len());
        for port in &self.outputs {
            let (own, rest) = words.split_at(port.words());
            values.push(BigUint::from_slice(own));
            words = rest;
        }
        values
    }
}

/// Running simulation, which ends when dropped.
#[derive(Debug)]
pub struct Simulation {
    model: CompiledModel,
    words: usize,
    reply_words: usize,
    child: Child,
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    /// Encoded requests that wait for the next exchange. `queued` is their number.
    queue: Vec<u8>,
    queued: usize,
}

/// Largest number of bytes of waiting requests, and of their replies. A pipe holds 64 KiB.
const QUEUE: usize = 1 << 14;

impl Simulation {
    /// Module of the simulation.
    pub fn model(&self) -> &CompiledModel {
        &self.model
    }

    /// Runs one clock cycle: sets the inputs, reads the outputs before the rising edge, then
    /// clocks. Returns the outputs.
    pub fn cycle(&mut self, inputs: &[BigUint]) -> Result<Vec<BigUint>> {
        self.hold(inputs, 1)
    }

    /// Runs `cycles` clock cycles (1 or more) with the same inputs in one request. Returns the
    /// outputs of the last one.
    pub fn hold(&mut self, inputs: &[BigUint], cycles: u32) -> Result<Vec<BigUint>> {
        let mut words = Vec::with_capacity(self.words);
        self.model.pack(inputs, &mut words)?;
        let mut reply = vec![0; self.reply_words];
        self.hold_words(&words, cycles, &mut reply)?;
        Ok(self.model.unpack(&reply))
    }

    /// [`Self::hold`] on packed words. Each port has ceil(width / 32) words, low word first, bits
    /// above its width zero.
    pub fn hold_words(&mut self, inputs: &[u32], cycles: u32, outputs: &mut [u32]) -> Result<()> {
        if cycles == 0 {
            return Err(ToolError::Invalid(format!(
                "0 cycles of {}: at least 1, or settle_words",
                self.model.top
            )));
        }
        self.request(cycles, inputs, outputs)
    }

    /// Sets the inputs and evaluates the combinational logic without a clock edge. `outputs`
    /// receives the result.
    pub fn settle_words(&mut self, inputs: &[u32], outputs: &mut [u32]) -> Result<()> {
        self.request(0, inputs, outputs)
    }

    /// Applies the rising clock edge with these inputs. The request may wait for the next one, so
    /// that one exchange serves both.
    pub fn clock_words(&mut self, inputs: &[u32]) -> Result<()> {
        self.check(inputs, self.reply_words)?;
        push_request(&mut self.queue, 1, inputs);
        self.queued += 1;
        if self.queue.len().max(4 * self.reply_words * self.queued) < QUEUE {
            return Ok(());
        }
        self.flush_queue()
    }

    /// Runs one clock cycle for each set of packed inputs, and appends the outputs of each. All
    /// requests are written before a reply is read. The requests and the replies must each fit a
    /// pipe, which holds 64 KiB.
    pub fn cycles_words(&mut self, inputs: &[u32], outputs: &mut Vec<u32>) -> Result<()> {
        self.flush_queue()?;
        let mut requests = Vec::with_capacity(8 * inputs.len());
        for words in inputs.chunks(self.words) {
            push_request(&mut requests, 1, words);
        }
        let cycles = inputs.len() / self.words;
        let sent = match &mut self.requests {
            Some(pipe) => pipe.write_all(&requests),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        let mut replies = vec![0; 4 * self.reply_words * cycles];
        if sent.is_err() || self.replies.read_exact(&mut replies).is_err() {
            return Err(self.stop_error());
        }
        let begin = outputs.len();
        outputs.resize(begin + self.reply_words * cycles, 0);
        read_words(&replies, &mut outputs[begin..]);
        Ok(())
    }

    /// Sends one request after the waiting ones, and reads its reply.
    fn request(&mut self, cycles: u32, inputs: &[u32], outputs: &mut [u32]) -> Result<()> {
        self.check(inputs, outputs.len())?;
        push_request(&mut self.queue, cycles, inputs);
        self.queued += 1;
        self.exchange(outputs)
    }

    fn check(&self, inputs: &[u32], outputs: usize) -> Result<()> {
        if inputs.len() == self.words && outputs == self.reply_words {
            return Ok(());
        }
        Err(ToolError::Invalid(format!(
            "{} input and {outputs} output words for {}, which has {} and {}",
            inputs.len(),
            self.model.top,
            self.words,
            self.reply_words
        )))
    }

    /// Executes the waiting requests.
    fn flush_queue(&mut self) -> Result<()> {
        if self.queued == 0 {
            return Ok(());
        }
        let mut outputs = vec![0; self.reply_words];
        self.exchange(&mut outputs)
    }

    /// Sends all waiting requests and reads the reply to the last one.
    fn exchange(&mut self, outputs: &mut [u32]) -> Result<()> {
        let requests = std::mem::take(&mut self.queue);
        let count = std::mem::take(&mut self.queued);
        let sent = match &mut self.requests {
            Some(pipe) => pipe.write_all(&requests),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        if sent.is_err() {
            return Err(self.stop_error());
        }
        let mut reply = vec![0; 4 * outputs.len()];
        for _ in 0..count {
            if self.replies.read_exact(&mut reply).is_err() {
                return Err(self.stop_error());
            }
        }
        read_words(&reply, outputs);
        Ok(())
    }

    /// Runs from the present state. Returns the outputs of each clock cycle for the inputs of each.
    pub fn run(&mut self, cycles: &[Vec<BigUint>]) -> Result<Vec<Vec<BigUint>>> {
        self.flush_queue()?;
        let mut requests = Vec::with_capacity(cycles.len() * 4 * (1 + self.words));
        let mut words = Vec::with_capacity(self.words);
        for inputs in cycles {
            words.clear();
            self.model.pack(inputs, &mut words)?;
            push_request(&mut requests, 1, &words);
        }
        let Some(mut pipe) = self.requests.take() else {
            return Err(self.stop_error());
        };
        let mut outputs = Vec::with_capacity(cycles.len());
        let mut reply = vec![0; 4 * self.reply_words];
        let mut words = vec![0; self.reply_words];
        // One thread writes while this one reads, so neither pipe blocks for good.
        let whole = std::thread::scope(|scope| {
            let writer = scope.spawn(|| pipe.write_all(&requests));
            for _ in cycles {
                if self.replies.read_exact(&mut reply).is_err() {
                    // Also ends the writer, if it still waits for the process.
                    let _ = self.child.kill();
                    break;
                }
                read_words(&reply, &mut words);
                outputs.push(self.model.unpack(&words));
            }
            matches!(writer.join(), Ok(Ok(()))) && outputs.len() == cycles.len()
        });
        self.requests = Some(pipe);
        if whole {
            Ok(outputs)
        } else {
            Err(self.stop_error())
        }
    }

    /// Waits for the process to end, and gives the reason for the missing reply.
    fn stop_error(&mut self) -> ToolError {
        self.requests = None;
        let what = match self.child.wait() {
            Ok(status) if status.code() == Some(4) => "the module called $finish".to_string(),
            Ok(status) => command::exit_description(status),
            Err(e) => e.to_string(),
        };
        ToolError::Simulation { top: self.model.top.clone(), what }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn push_request(bytes: &mut Vec<u8>, cycles: u32, words: &[u32]) {
    for word in std::iter::once(&cycles).chain(words) {
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
}

fn read_words(bytes: &[u8], words: &mut [u32]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
}

// Ports of a compiled simulation.

/// Port of the module to simulate, or an inner signal that is read like one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PortSpec {
    /// Name in the Verilog. For an inner signal, the hierarchical name (`node.core.request`).
    pub name: String,
    /// Width in bits, 1 or more.
    pub width: usize,
    /// True for an input, false for an output.
    pub input: bool,
    /// True for an inner signal. The harness reads it from outside, and the module remains
    /// unchanged.
    pub inside: bool,
}

impl PortSpec {
    /// Makes an input.
    pub fn input(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec { name: name.into(), width, input: true, inside: false }
    }

    /// Makes an output.
    pub fn output(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec { name: name.into(), width, input: false, inside: false }
    }

    /// Makes an inner signal with this hierarchical name.
    pub fn inside(path: impl Into<String>, width: usize) -> PortSpec {
        PortSpec { inside: true, ..PortSpec::output(path, width) }
    }

    /// Number of 32-bit words of its value.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> CompiledModel {
        let ports = [
            PortSpec::input("clock", 1),
            PortSpec::input("a", 3),
            PortSpec::input("b", 70),
            PortSpec::output("q", 40),
        ];
        CompiledModel::new("t", PathBuf::from("none"), &ports, Some(0))
    }

    // Claim: values are stored low word first, each port in its own words.
    #[test]
    fn values_are_packed_and_unpacked() {
        let mut words = Vec::new();
        let wide = (BigUint::from(5u8) << 64) + 7u8;
        model().pack(&[BigUint::from(6u8), wide], &mut words).unwrap();
        assert_eq!(words, [6, 7, 0, 5]);
        let value = (BigUint::from(2u8) << 32) + 9u8;
        assert_eq!(model().unpack(&[9, 2]), [value]);
    }

    // Claim: a value that does not fit its port is rejected, and the error names the port.
    #[test]
    fn oversized_values_are_rejected() {
        let pack = |values: &[BigUint]| model().pack(values, &mut Vec::new());
        let error = pack(&[BigUint::from(8u8), BigUint::ZERO]).unwrap_err();
        assert!(error.to_string().contains("input a of t, which has 3 bits"));
        assert!(pack(&[BigUint::ZERO]).is_err());
    }
}

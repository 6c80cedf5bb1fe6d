//! Records the outputs of a run, to compare engines and to draw the wire.

use engine::agree::Trace;
use engine::{CircuitEngine, EngineError, EnginePort, NodeEngine, Observer, PortId};
use interconnect::topology::Link;
use machine::wave::{LinkDecoder, LinkProbe, LinkStep, StepName, WaveSubject, Window};
use num_bigint::BigUint;
use std::fmt::Write;
use std::ops::Range;
use testbench::wave::WaveValue;

/// Engine that records the outputs of every clock cycle.
///
/// The probe is inserted between an engine and the machine that drives it, and is transparent for
/// both.
pub struct OutputProbe<'a> {
    engine: &'a mut dyn CircuitEngine,
    outputs: Vec<PortId>,
    trace: Trace,
}

impl<'a> OutputProbe<'a> {
    pub fn new(engine: &'a mut dyn CircuitEngine) -> Self {
        let ports = engine.ports().iter().enumerate();
        let outputs = ports.filter(|(_, port)| !port.input);
        OutputProbe {
            outputs: outputs.map(|(i, _)| PortId(i)).collect(),
            engine,
            trace: Trace::new(),
        }
    }

    /// Names of the outputs, and their values by clock cycle.
    pub fn into_trace(self) -> (Vec<String>, Trace) {
        let ports = self.engine.ports();
        let names = self.outputs.iter().map(|id| ports[id.0].name.clone());
        (names.collect(), self.trace)
    }
}

impl CircuitEngine for OutputProbe<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn ports(&self) -> &[EnginePort] {
        self.engine.ports()
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        self.engine.set(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: PortId) -> BigUint {
        self.engine.get(port)
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        let cycle = self.outputs.iter().map(|id| self.engine.get(*id));
        self.trace.push(cycle.collect());
        self.engine.clock()
    }

    fn set_u64(&mut self, port: PortId, value: u64) {
        self.engine.set_u64(port, value);
    }

    fn get_u64(&mut self, port: PortId) -> u64 {
        self.engine.get_u64(port)
    }
}

// Prints the traffic of a link in the manner of a logic analyser.

/// Watches one link and draws every step in which it was used.
pub struct LogicAnalyzer {
    window: Window,
    word: StepName,
    probe: Box<dyn LinkProbe>,
    text: String,
    /// First and last idle step of the link since its last use.
    idle: Option<(u64, u64)>,
    /// Discarded: values that the probe reports in each clock cycle.
    discarded_values: Vec<(usize, WaveValue)>,
}

impl LogicAnalyzer {
    /// Watches this link in these steps. `decoder` belongs to the subject.
    pub fn new(
        engine: &mut dyn NodeEngine,
        (subject, decoder): (&WaveSubject, &dyn LinkDecoder),
        link: Link,
        steps: Range<u64>,
    ) -> Self {
        LogicAnalyzer {
            window: Window::new(engine, subject, steps),
            word: subject.steps.name,
            probe: decoder.probe(engine, link),
            text: decoder.heading(link),
            idle: None,
            discarded_values: vec![],
        }
    }

    /// Returns the printed text.
    pub fn finish(mut self) -> String {
        if let Some(over) = self.probe.end() {
            self.print(&*over);
        }
        self.print_idle();
        self.text
    }

    fn print(&mut self, over: &dyn LinkStep) {
        let step = over.number();
        if over.is_idle() {
            if over.is_scheduled() {
                let since = self.idle.map_or(step, |(since, _)| since);
                self.idle = Some((since, step));
            }
            return;
        }
        self.print_idle();
        self.text.push('\n');
        self.text += &over.drawing();
    }

    fn print_idle(&mut self) {
        let word = self.word.full;
        let _ = match self.idle.take() {
            None => Ok(()),
            Some((since, last)) if since == last => {
                writeln!(self.text, "\nIdle in its {word} {since}.")
            }
            Some((since, last)) => {
                writeln!(self.text, "\nIdle in its {word}s from {since} to {last}.")
            }
        };
    }
}

impl Observer for LogicAnalyzer {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        if let Some(sim_time) = self.window.time_at(engine, clock) {
            let over = self.probe.look(engine, sim_time, &mut self.discarded_values);
            self.discarded_values.clear();
            if let Some(over) = over {
                self.print(&*over);
            }
        }
        Ok(())
    }
}

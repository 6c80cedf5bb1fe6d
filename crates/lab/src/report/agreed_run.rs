//! First part of the main job (`phasecube` alone): runs the 1-cube on several engines, which must
//! agree.

use super::OutputProbe;
use engine::agree::{self, Disagreement, Trace};
use engine::CircuitEngine;
use interconnect::traffic::Message;
use machine::networks::tdma::wires::Capture;
use machine::networks::tdma::{LinkMachine, LinkRun, LinkRunError, PhaseTiming};
use machine::Delivery;
use rtl::CLOCKS_PER_BIT;
use std::time::Instant;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum AgreedRunError {
    #[error(transparent)]
    Run(#[from] LinkRunError),
    #[error("the simulators disagree: {0}")]
    Disagreement(#[from] Disagreement),
    #[error("the simulators disagree: {first} needs {expected} clock cycles, {second} {found}")]
    Length {
        first: &'static str,
        second: &'static str,
        expected: usize,
        found: usize,
    },
}

/// Run of the machine on one engine.
#[derive(Clone, Debug)]
pub struct EngineRun {
    pub engine: &'static str,
    pub run: LinkRun,
    pub wall_seconds: f64,
}

impl EngineRun {
    /// Number of delivered messages.
    pub fn delivered(&self) -> usize {
        let arrived = |fate: &&Delivery| matches!(fate, Delivery::Delivered { .. });
        self.run.deliveries.iter().filter(arrived).count()
    }
}

/// Runs the 1-cube with the same messages on one engine after the other. Their outputs must be
/// equal in every clock cycle.
#[derive(Clone, Debug)]
pub struct AgreedRun {
    messages: Vec<Message>,
    first: EngineRun,
    outputs: Vec<String>,
    trace: Trace,
}

impl AgreedRun {
    /// Makes the reference run.
    ///
    /// # Errors
    /// If the engine fails or the machine hangs.
    pub fn new(
        engine: &mut dyn CircuitEngine,
        messages: Vec<Message>,
    ) -> Result<Self, AgreedRunError> {
        let (first, outputs, trace) = record(engine, &messages)?;
        Ok(AgreedRun {
            messages,
            first,
            outputs,
            trace,
        })
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The reference run.
    pub fn first(&self) -> &EngineRun {
        &self.first
    }

    /// Number of outputs that are compared in each clock cycle.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Repeats the run on another engine.
    ///
    /// # Errors
    /// If that engine fails, or its run differs from the first one.
    pub fn repeat_on(&self, engine: &mut dyn CircuitEngine) -> Result<EngineRun, AgreedRunError> {
        let (second, _, trace) = record(engine, &self.messages)?;
        if trace.len() != self.trace.len() {
            return Err(AgreedRunError::Length {
                first: self.first.engine,
                second: second.engine,
                expected: self.trace.len(),
                found: trace.len(),
            });
        }
        agree::compare(
            &self.outputs,
            (self.first.engine, &self.trace),
            (second.engine, &trace),
        )?;
        Ok(second)
    }

    /// Levels of the wire in the first phase that carried a frame.
    pub fn first_frame(&self) -> Option<Capture> {
        Capture::first(&self.outputs, &self.trace, CLOCKS_PER_BIT)
    }
}

fn record(
    engine: &mut dyn CircuitEngine,
    messages: &[Message],
) -> Result<(EngineRun, Vec<String>, Trace), LinkRunError> {
    let longest = messages.iter().map(|m| m.payload.len()).max().unwrap_or(0);
    let timing = PhaseTiming::raw(CLOCKS_PER_BIT as u32, longest + 2);
    let name = engine.name();
    let mut probe = OutputProbe::new(engine);
    let start = Instant::now();
    let run = LinkMachine::new(&mut probe, timing).run(messages)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let (outputs, trace) = probe.into_trace();
    let run = EngineRun {
        engine: name,
        run,
        wall_seconds,
    };
    Ok((run, outputs, trace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EvaluatorEngine, ReferenceEngine};
    use hdl::lower::lower;
    use interconnect::traffic::letters;
    use machine::wave::decode_uart;
    use rtl::tdma::Link;

    type LinkPair = Link<CLOCKS_PER_BIT>;

    /// First result of the main job: twelve letters, all of them delivered.
    #[test]
    fn both_engines_deliver_the_letters() {
        let mut reference = ReferenceEngine::new(LinkPair::default()).unwrap();
        let runs = AgreedRun::new(&mut reference, letters()).unwrap();
        let design = lower(&LinkPair::default()).unwrap();
        let second = runs.repeat_on(&mut EvaluatorEngine::new(&design).unwrap());
        for one in [runs.first(), &second.unwrap()] {
            assert_eq!(one.delivered(), 12, "{:?}", one.run.deliveries);
        }
        let frame = runs.first_frame().unwrap();
        assert_eq!((frame.phase, frame.sender), (0, 0));
        let bytes: Vec<u8> = decode_uart(&frame.levels, CLOCKS_PER_BIT)
            .iter()
            .map(|byte| byte.value)
            .collect();
        assert_eq!(bytes[5..bytes.len() - 2], letters()[0].payload);
    }

    /// A circuit with another baud rate is reported at the first output that differs.
    #[test]
    fn another_baud_rate_is_a_difference() {
        let mut evaluator = EvaluatorEngine::new(&lower(&LinkPair::default()).unwrap()).unwrap();
        let runs = AgreedRun::new(&mut evaluator, letters()).unwrap();
        let other = lower(&Link::<7>::default()).unwrap();
        let error = runs.repeat_on(&mut EvaluatorEngine::new(&other).unwrap());
        assert!(matches!(
            error.unwrap_err(),
            AgreedRunError::Disagreement(Disagreement::Output { .. })
                | AgreedRunError::Length { .. }
        ));
    }
}

//! Compares engines on every output in every clock cycle.

use super::{CircuitEngine, EngineError, EnginePort, PortId};
use interconnect::traffic::SplitMix64;
use num_bigint::BigUint;
use std::collections::BTreeSet;
use thiserror::Error;

/// Outputs of every clock cycle.
pub type Trace = Vec<Vec<BigUint>>;

#[derive(Debug, Error)]
pub enum Disagreement {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "clock cycle {cycle}, output `{port}`: {first} has {:#x}, {second} has {:#x}",
        values[0],
        values[1]
    )]
    Output { cycle: usize, port: String, first: String, second: String, values: Box<[BigUint; 2]> },
    #[error(
        "output `{port}` never changed in {cycles} clock cycles, so the stimulus does not test it"
    )]
    Idle { port: String, cycles: usize },
}

/// Runs one engine on random inputs.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace(
    engine: &mut dyn CircuitEngine,
    seed: u64,
    cycles: usize,
) -> Result<Trace, EngineError> {
    let stimulus = Stimulus::new(engine.ports(), seed);
    trace_with(engine, stimulus, cycles)
}

/// Runs one engine on the inputs of a stimulus for its ports.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace_with(
    engine: &mut dyn CircuitEngine,
    mut stimulus: Stimulus,
    cycles: usize,
) -> Result<Trace, EngineError> {
    let mut stepper = Stepper::new(engine);
    (0..cycles).map(|_| stepper.step(stimulus.next_cycle())).collect()
}

/// Runs an engine clock cycle by clock cycle, with values for all its inputs.
pub struct Stepper<'a> {
    engine: &'a mut dyn CircuitEngine,
    inputs: Vec<PortId>,
    outputs: Vec<PortId>,
}

impl<'a> Stepper<'a> {
    pub fn new(engine: &'a mut dyn CircuitEngine) -> Self {
        let ids = |inputs: bool| {
            let ports = engine.ports().iter().enumerate();
            let wanted = ports.filter(|(_, port)| port.input == inputs);
            wanted.map(|(i, _)| PortId(i)).collect()
        };
        Stepper { inputs: ids(true), outputs: ids(false), engine }
    }

    /// Runs a clock cycle with these inputs and returns its outputs, both in order of declaration.
    ///
    /// # Errors
    /// If the circuit does not settle.
    pub fn step(&mut self, inputs: &[BigUint]) -> Result<Vec<BigUint>, EngineError> {
        for (id, value) in self.inputs.iter().zip(inputs) {
            self.engine.set(*id, value);
        }
        self.engine.settle()?;
        let shown = self.outputs.iter().map(|id| self.engine.get(*id)).collect();
        self.engine.clock()?;
        Ok(shown)
    }
}

/// Compares the traces of two engines for the same inputs.
///
/// # Errors
/// The first clock cycle and output in which they differ.
pub fn compare(
    outputs: &[String],
    (first, expected): (&str, &Trace),
    (second, found): (&str, &Trace),
) -> Result<(), Disagreement> {
    assert_eq!(expected.len(), found.len(), "traces of different lengths");
    for (cycle, (a, b)) in expected.iter().zip(found).enumerate() {
        for (port, (a, b)) in outputs.iter().zip(a.iter().zip(b)) {
            if a != b {
                return Err(Disagreement::Output {
                    cycle,
                    port: port.clone(),
                    first: first.into(),
                    second: second.into(),
                    values: Box::new([a.clone(), b.clone()]),
                });
            }
        }
    }
    Ok(())
}

/// Checks that every output changed at least once, because agreement on constants means little.
///
/// # Errors
/// The first output that did not change.
pub fn check_all_outputs_change(outputs: &[String], trace: &Trace) -> Result<(), Disagreement> {
    for (i, port) in outputs.iter().enumerate() {
        let seen: BTreeSet<&BigUint> = trace.iter().map(|cycle| &cycle[i]).collect();
        if seen.len() < 2 {
            return Err(Disagreement::Idle { port: port.clone(), cycles: trace.len() });
        }
    }
    Ok(())
}

// Random inputs that reach more states than uniform noise.

/// Clock cycles after which every input gets another rate of change.
const EPOCH: u64 = 400;

/// Rates of change of an input, in 256ths per clock cycle. At the lowest rate the input never
/// changes, so that others have time for a long operation. At the highest rate it gets a random
/// value in every clock cycle.
const CHANGE_RATES: [u64; 5] = [0, 1, 8, 64, 256];

/// Function that returns the values of a few inputs for the next clock cycle, in their order. The
/// values are random but meaningful, such as bytes on a serial line.
pub type InputScript = Box<dyn FnMut(&mut SplitMix64) -> Vec<u64>>;

/// Values for the inputs of a circuit, clock cycle by clock cycle.
pub struct Stimulus {
    random: SplitMix64,
    inputs: Vec<StimulusInput>,
    scripts: Vec<(Vec<usize>, InputScript)>,
    values: Vec<BigUint>,
    cycle: u64,
}

struct StimulusInput {
    name: String,
    /// Largest value.
    max: BigUint,
    change_rate: u64,
    scripted: bool,
}

impl Stimulus {
    /// Stimulus for the inputs among these ports, in their order.
    pub fn new(ports: &[EnginePort], seed: u64) -> Self {
        let inputs: Vec<StimulusInput> = ports
            .iter()
            .filter(|port| port.input)
            .map(|port| StimulusInput {
                name: port.name.clone(),
                max: (BigUint::from(1u32) << port.width) - 1u32,
                change_rate: 0,
                scripted: false,
            })
            .collect();
        Stimulus {
            random: SplitMix64::new(seed),
            values: vec![BigUint::ZERO; inputs.len()],
            inputs,
            scripts: vec![],
            cycle: 0,
        }
    }

    /// Limits an input to `max`.
    ///
    /// # Panics
    /// If there is no such input.
    #[must_use]
    pub fn at_most(mut self, input: &str, max: u64) -> Self {
        let i = self.input(input);
        self.inputs[i].max = BigUint::from(max).min(self.inputs[i].max.clone());
        self
    }

    /// Assigns some inputs to a script.
    ///
    /// # Panics
    /// If there is no such input.
    #[must_use]
    pub fn script(
        mut self,
        inputs: &[&str],
        script: impl FnMut(&mut SplitMix64) -> Vec<u64> + 'static,
    ) -> Self {
        let inputs: Vec<usize> = inputs.iter().map(|name| self.input(name)).collect();
        for i in &inputs {
            self.inputs[*i].scripted = true;
        }
        self.scripts.push((inputs, Box::new(script)));
        self
    }

    fn input(&self, name: &str) -> usize {
        let found = self.inputs.iter().position(|input| input.name == name);
        found.unwrap_or_else(|| panic!("the circuit has no input `{name}`"))
    }

    /// Values for the next clock cycle.
    pub fn next_cycle(&mut self) -> &[BigUint] {
        for i in 0..self.inputs.len() {
            if self.inputs[i].scripted {
                continue;
            }
            if self.cycle.is_multiple_of(EPOCH) {
                self.inputs[i].change_rate =
                    CHANGE_RATES[self.random.below(CHANGE_RATES.len() as u64) as usize];
                self.values[i] = self.word(i);
            } else if self.random.below(256) < self.inputs[i].change_rate {
                self.values[i] = self.word(i);
            }
        }
        for (inputs, script) in &mut self.scripts {
            let values = script(&mut self.random);
            assert_eq!(values.len(), inputs.len(), "a script gives all its inputs");
            for (i, value) in inputs.iter().zip(values) {
                self.values[*i] = value.into();
            }
        }
        self.cycle += 1;
        &self.values
    }

    /// Random word. Half of the words are small numbers or the largest one, which are corner cases
    /// of counters and comparisons.
    fn word(&mut self, input: usize) -> BigUint {
        let max = &self.inputs[input].max;
        match self.random.below(8) {
            0..=2 => BigUint::from(self.random.below(12)) % (max + 1u32),
            3 => max.clone(),
            _ => {
                let digits = (0..max.bits().div_ceil(32)).map(|_| self.random.next_u64() as u32);
                BigUint::new(digits.collect()) % (max + 1u32)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports() -> Vec<EnginePort> {
        let port = |name: &str, width, input| EnginePort { name: name.into(), width, input };
        vec![port("a", 16, true), port("q", 8, false), port("b", 70, true), port("c", 1, true)]
    }

    // Claim: a limited input stays within its limits and reaches them. Other inputs use their full
    // width.
    #[test]
    fn limited_inputs_stay_within_their_limits() {
        let mut stimulus = Stimulus::new(&ports(), 1).at_most("a", 20);
        let mut seen = [BigUint::ZERO, BigUint::ZERO, BigUint::ZERO];
        for _ in 0..4000 {
            for (seen, value) in seen.iter_mut().zip(stimulus.next_cycle()) {
                *seen = seen.clone().max(value.clone());
            }
        }
        let all = (BigUint::from(1u32) << 70) - 1u32;
        assert_eq!(seen, [20u32.into(), all, 1u32.into()]);
    }

    // Claim: only the script determines its inputs, in the order in which it names them.
    #[test]
    fn scripts_alone_determine_their_inputs() {
        let mut count = 0;
        let mut stimulus = Stimulus::new(&ports(), 1).script(&["c", "a"], move |_| {
            count += 1;
            vec![count % 2, count]
        });
        for cycle in 1..1000u64 {
            let values = stimulus.next_cycle();
            assert_eq!((&values[0], &values[2]), (&cycle.into(), &(cycle % 2).into()));
        }
    }
}

//! Test bench: sets inputs, clocks a circuit, and compares outputs with expected values.

use crate::wave::{declare_instance, FileKind, SignalVar, UnknownFormat, Var, WaveError};
use crate::wave::{WaveFormat, WaveValue};
use hdl::verilog::signals;
use lockstep::design::{CheckGoal, Design, DesignCheck, DesignPrint, Type};
use lockstep::eval::Evaluator;
use lockstep::lanes::{Keep, LaneMachine, LaneOptions, LaneWiring, LanesError};
use lockstep::netlist::{flatten, FlattenError, Name, NetId, Netlist};
use num_bigint::BigUint;
use std::fmt::{self, Write};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

mod prints;
#[cfg(test)]
mod tests;

pub use prints::PrintedLine;

/// Reason why a step of a test bench failed.
#[derive(Debug, Error)]
pub enum BenchError {
    #[error(transparent)]
    Flatten(#[from] FlattenError),
    #[error(transparent)]
    Lanes(#[from] LanesError),
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    #[error(transparent)]
    Wave(#[from] WaveError),
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("the circuit has no {kind} `{name}`; accepted: {near}")]
    NoName { kind: &'static str, name: String, near: String },
    #[error("{value:#x} does not fit `{name}`, which has {width} bits")]
    TooLarge { name: String, value: BigUint, width: u32 },
    #[error(
        "`{name}` has {width} bits; accepted: a signal of up to 64 bits here, and `get` for a wider one"
    )]
    TooWide { name: String, width: u32 },
    #[error("there is no lane {lane}; accepted: 0 to {}", lanes - 1)]
    NoLane { lane: usize, lanes: usize },
    #[error("a row of the table has {found} values for {wanted} columns")]
    Columns { found: usize, wanted: usize },
    #[error("clock cycle {clock_cycle}: the assertion `{name}` does not hold{}", in_lanes(wrong, *lanes))]
    Assertion {
        clock_cycle: u64,
        name: String,
        /// Lanes in which it does not hold, in ascending order.
        wrong: Vec<usize>,
        lanes: usize,
    },
    #[error(transparent)]
    Mismatch(#[from] Box<Mismatch>),
}

/// Describes the lanes of an error. The text is empty if there is one lane only.
fn in_lanes(wrong: &[usize], lanes: usize) -> String {
    match (lanes, wrong) {
        (2.., [first]) => format!(", in lane {first}"),
        (2.., [first, others @ ..]) => {
            format!(", in lane {first} and {} more of {lanes}", others.len())
        }
        _ => String::new(),
    }
}

/// Signal that has another value than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Number of clock edges so far.
    pub clock_cycle: u64,
    pub signal: String,
    /// Lanes with a wrong value, in ascending order.
    pub wrong: Vec<usize>,
    pub lanes: usize,
    /// Values in the first wrong lane.
    pub found: BigUint,
    pub expected: BigUint,
    /// Names and values of all ports in the first wrong lane, inputs first.
    pub ports: Vec<(String, String)>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { clock_cycle, signal, found, expected, .. } = self;
        write!(f, "clock cycle {clock_cycle}: `{signal}` is {found:#x}, expected {expected:#x}")?;
        f.write_str(&in_lanes(&self.wrong, self.lanes))?;
        for (name, value) in &self.ports {
            write!(f, "\n    {name} = {value}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Mismatch {}

/// Circuit under test in one of two engines.
enum Engine {
    Evaluator(Evaluator),
    Lockstep(Box<LaneMachine>),
}

/// Waveform that the bench writes.
struct Recording {
    file: Box<dyn WaveFormat>,
    /// Signals to follow: lane, net, variable.
    signals: Vec<(usize, Name, SignalVar)>,
    pending: Vec<(u64, Var, WaveValue)>,
}

/// Test bench of a circuit.
///
/// Inputs keep their values until they are set again, and start as zero. Outputs are compared
/// before the clock edge, after the inputs have taken effect. Ports and inner signals have their
/// names in the netlist: `count`, `state.q`, `child.state.q`.
pub struct TestBench {
    engine: Engine,
    netlist: Arc<Netlist>,
    design: Design,
    clock_cycle: u64,
    recording: Option<Recording>,
    checks: Vec<DesignCheck>,
    /// For each check, whether its bit was set in some clock cycle.
    reached: Vec<bool>,
    prints: Vec<DesignPrint>,
    /// Lines that have not been taken.
    printed: Vec<PrintedLine>,
    /// Whether the lines also appear on standard output.
    echo: bool,
}

impl TestBench {
    /// Creates a bench of one copy in the evaluator.
    ///
    /// # Errors
    /// If the circuit has a combinational loop.
    pub fn evaluator(design: &Design) -> Result<Self, BenchError> {
        let netlist = Arc::new(flatten(design)?);
        let engine = Engine::Evaluator(Evaluator::new(netlist.clone()));
        Ok(TestBench::new(engine, netlist, design))
    }

    /// Creates a bench of 2 to 65,536 copies in the lockstep engine. All signals can be read.
    ///
    /// # Errors
    /// If the circuit has a combinational loop, or the number of lanes is not possible.
    pub fn lockstep(design: &Design, lanes: usize) -> Result<Self, BenchError> {
        let netlist = Arc::new(flatten(design)?);
        let options = LaneOptions { keep: Keep::All, ..LaneOptions::default() };
        let machine = LaneMachine::new(netlist.clone(), lanes, &LaneWiring::new(), &options)?;
        let engine = Engine::Lockstep(Box::new(machine));
        Ok(TestBench::new(engine, netlist, design))
    }

    fn new(engine: Engine, netlist: Arc<Netlist>, design: &Design) -> Self {
        let checks = design.checks();
        TestBench {
            reached: vec![false; checks.len()],
            checks,
            prints: design.prints(),
            printed: vec![],
            echo: true,
            engine,
            netlist,
            design: design.clone(),
            clock_cycle: 0,
            recording: None,
        }
    }

    /// Number of copies.
    pub fn lanes(&self) -> usize {
        match &self.engine {
            Engine::Evaluator(_) => 1,
            Engine::Lockstep(machine) => machine.lanes(),
        }
    }

    /// Number of clock edges so far.
    pub fn clock_cycle(&self) -> u64 {
        self.clock_cycle
    }

    /// Sets an input in all lanes.
    ///
    /// # Errors
    /// If there is no such input, or the value does not fit.
    pub fn set(&mut self, input: &str, value: u64) -> Result<(), BenchError> {
        self.set_big(input, &value.into())
    }

    /// Sets an input of any width in all lanes.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_big(&mut self, input: &str, value: &BigUint) -> Result<(), BenchError> {
        let net = self.input(input)?;
        self.check_width(input, net, value)?;
        match &mut self.engine {
            Engine::Evaluator(evaluator) => evaluator.set_big(net, value),
            Engine::Lockstep(machine) => machine.set_all_big(machine.input(input)?, value)?,
        }
        Ok(())
    }

    /// Sets an input to a value for each lane.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_each(
        &mut self,
        input: &str,
        value: impl FnMut(usize) -> u64,
    ) -> Result<(), BenchError> {
        let net = self.input(input)?;
        let values: Vec<u64> = (0..self.lanes()).map(value).collect();
        let largest = values.iter().max().copied().unwrap_or(0);
        self.check_width(input, net, &largest.into())?;
        match &mut self.engine {
            Engine::Evaluator(evaluator) => evaluator.set(net, values[0]),
            Engine::Lockstep(machine) => machine.set_lanes(machine.input(input)?, &values)?,
        }
        Ok(())
    }

    /// Returns the value of a port or inner signal in one lane.
    ///
    /// # Errors
    /// If there is no such signal or lane.
    pub fn get(&mut self, signal: &str, lane: usize) -> Result<BigUint, BenchError> {
        let lanes = self.lanes();
        if lane >= lanes {
            return Err(BenchError::NoLane { lane, lanes });
        }
        let name = self.signal(signal)?;
        self.settle();
        Ok(self.value(&name, lane))
    }

    /// Returns the value of a port or inner signal of up to 64 bits in each lane.
    ///
    /// # Errors
    /// If there is no such signal, or it is wider.
    pub fn get_all(&mut self, signal: &str) -> Result<Vec<u64>, BenchError> {
        let name = self.signal(signal)?;
        let width = self.netlist.width(name.net);
        if width > u64::BITS {
            return Err(BenchError::TooWide { name: name.path, width });
        }
        self.settle();
        match &mut self.engine {
            Engine::Evaluator(evaluator) => Ok(vec![evaluator.get(name.net)]),
            Engine::Lockstep(machine) => {
                let (probe, mut values) = (machine.probe(&name.path)?, vec![]);
                machine.get_all(probe, &mut values);
                Ok(values)
            }
        }
    }

    /// Compares a signal of up to 64 bits with one value in all lanes.
    ///
    /// # Errors
    /// A [`Mismatch`] if some lane has another value. Also if there is no such signal.
    pub fn expect(&mut self, signal: &str, value: u64) -> Result<(), BenchError> {
        self.expect_each(signal, |_| value)
    }

    /// Compares a signal of up to 64 bits with a value for each lane.
    ///
    /// # Errors
    /// As [`expect`](Self::expect).
    pub fn expect_each(
        &mut self,
        signal: &str,
        value: impl FnMut(usize) -> u64,
    ) -> Result<(), BenchError> {
        let found = self.get_all(signal)?;
        let expected: Vec<u64> = (0..self.lanes()).map(value).collect();
        let wrong: Vec<usize> =
            (0..found.len()).filter(|&lane| found[lane] != expected[lane]).collect();
        let Some(&first) = wrong.first() else {
            return Ok(());
        };
        let netlist = self.netlist.clone();
        let ports = netlist.inputs.iter().chain(&netlist.outputs);
        let ports = ports.map(|port| {
            let value = self.value(port, first);
            (port.path.clone(), in_words(&port.ty, &value))
        });
        let ports = ports.collect();
        Err(Box::new(Mismatch {
            clock_cycle: self.clock_cycle,
            signal: signal.into(),
            lanes: found.len(),
            found: found[first].into(),
            expected: expected[first].into(),
            ports,
            wrong,
        })
        .into())
    }

    /// Runs a clock cycle for each row: sets the inputs in all lanes, compares the outputs, and
    /// clocks. The columns name the inputs and the outputs.
    ///
    /// # Errors
    /// As [`set`](Self::set) and [`expect`](Self::expect). Also if a row does not have a value for
    /// each column.
    pub fn table(
        &mut self,
        inputs: &[&str],
        outputs: &[&str],
        rows: &[(&[u64], &[u64])],
    ) -> Result<(), BenchError> {
        for (given, expected) in rows {
            for (names, values) in [(inputs, given), (outputs, expected)] {
                let (found, wanted) = (values.len(), names.len());
                if found != wanted {
                    return Err(BenchError::Columns { found, wanted });
                }
            }
            for (input, value) in inputs.iter().zip(*given) {
                self.set(input, *value)?;
            }
            for (output, value) in outputs.iter().zip(*expected) {
                self.expect(output, *value)?;
            }
            self.clock()?;
        }
        Ok(())
    }

    /// Ends the present clock cycle with the clock edge. The lines that the circuit prints appear on
    /// standard output, with the clock cycle and the lane.
    ///
    /// # Errors
    /// If an assertion does not hold before the edge. Also if the waveform cannot be written.
    pub fn clock(&mut self) -> Result<(), BenchError> {
        if self.recording.is_some() {
            self.sample()?;
        }
        self.print()?;
        self.check()?;
        match &mut self.engine {
            Engine::Evaluator(evaluator) => evaluator.clock(),
            Engine::Lockstep(machine) => machine.clock(),
        }
        self.clock_cycle += 1;
        Ok(())
    }

    /// Runs several clock cycles with the present inputs.
    ///
    /// # Errors
    /// As [`clock`](Self::clock).
    pub fn clocks(&mut self, clock_cycles: u64) -> Result<(), BenchError> {
        match &mut self.engine {
            // Faster than cycle by cycle.
            Engine::Lockstep(machine)
                if self.recording.is_none() && self.checks.is_empty() && self.prints.is_empty() =>
            {
                machine.clocks(clock_cycles);
                self.clock_cycle += clock_cycles;
            }
            _ => {
                for _ in 0..clock_cycles {
                    self.clock()?;
                }
            }
        }
        Ok(())
    }

    /// Returns the names of the goals (`Cover`) that no lane has reached before a clock edge so far.
    pub fn uncovered(&self) -> Vec<&str> {
        let checks = self.checks.iter().zip(&self.reached);
        let open = checks.filter(|(check, reached)| check.goal == CheckGoal::Cover && !**reached);
        open.map(|(check, _)| &*check.name).collect()
    }

    /// Evaluates the assertions and goals of this clock cycle.
    fn check(&mut self) -> Result<(), BenchError> {
        for i in 0..self.checks.len() {
            let bits = self.get_all(&self.checks[i].holds.clone())?;
            self.reached[i] |= bits.contains(&1);
            let wrong: Vec<usize> = (0..bits.len()).filter(|&lane| bits[lane] == 0).collect();
            if self.checks[i].goal == CheckGoal::Assert && !wrong.is_empty() {
                return Err(BenchError::Assertion {
                    clock_cycle: self.clock_cycle,
                    name: self.checks[i].name.clone(),
                    lanes: bits.len(),
                    wrong,
                });
            }
        }
        Ok(())
    }

    /// Writes all signals of these lanes to a waveform file from now on. The name ends in `.vcd` or
    /// `.fst`. Signals with more than 64 bits are left out. One nanosecond is one clock cycle.
    ///
    /// # Errors
    /// If a lane does not exist, or the file cannot be written.
    pub fn record(&mut self, path: &Path, lanes: &[usize]) -> Result<(), BenchError> {
        let all = self.lanes();
        if let Some(&lane) = lanes.iter().find(|lane| **lane >= all) {
            return Err(BenchError::NoLane { lane, lanes: all });
        }
        self.finish()?;
        let kind = FileKind::of(path)?;
        let out = File::create(path)
            .map_err(|error| BenchError::File(path.display().to_string(), error))?;
        let mut file = kind.begin(out)?;
        let known = signals(&self.design).into_iter();
        let known = known.filter_map(|signal| {
            let name = self.netlist.names.get(&signal.path)?;
            (signal.ty.width() <= 64).then(|| (name.clone(), signal))
        });
        let (names, known): (Vec<Name>, Vec<_>) = known.unzip();
        let nets: Vec<NetId> = names.iter().map(|name| name.net).collect();
        let positions: Vec<usize> = (0..known.len()).collect();
        let top = &self.design.top().name;
        if all > 1 {
            file.open_scope(top)?;
        }
        let mut followed = vec![];
        for &lane in lanes {
            let scope = match all {
                1 => top.clone(),
                _ => format!("lane[{lane}]"),
            };
            let vars = declare_instance(&mut *file, &scope, (&known, &nets), &positions)?;
            followed.extend(vars.into_iter().map(|(i, var)| (lane, names[i].clone(), var)));
        }
        if all > 1 {
            file.close_scope()?;
        }
        file.begin()?;
        self.recording = Some(Recording { file, signals: followed, pending: vec![] });
        Ok(())
    }

    /// Ends the waveform file, if there is one. A bench that is dropped also ends it, and
    /// reports no errors.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self) -> Result<(), BenchError> {
        if self.recording.is_some() {
            self.sample()?;
        }
        if let Some(mut recording) = self.recording.take() {
            recording.file.finish(self.clock_cycle + 1)?;
        }
        Ok(())
    }

    /// Writes the changes of this clock cycle.
    fn sample(&mut self) -> Result<(), BenchError> {
        self.settle();
        let Some(mut recording) = self.recording.take() else {
            return Ok(());
        };
        let time = self.clock_cycle;
        for (lane, name, var) in &mut recording.signals {
            let value = match &mut self.engine {
                Engine::Evaluator(evaluator) => evaluator.get(name.net),
                Engine::Lockstep(machine) => machine.get(machine.probe(&name.path)?, *lane),
            };
            var.record_change(time, value, &mut recording.pending);
        }
        for (time, var, value) in recording.pending.drain(..) {
            recording.file.change(time, var, &value)?;
        }
        self.recording = Some(recording);
        Ok(())
    }

    fn settle(&mut self) {
        match &mut self.engine {
            Engine::Evaluator(evaluator) => evaluator.settle(),
            Engine::Lockstep(machine) => machine.settle(),
        }
    }

    /// Value of a settled signal.
    fn value(&mut self, name: &Name, lane: usize) -> BigUint {
        match &mut self.engine {
            Engine::Evaluator(evaluator) => evaluator.get_big(name.net),
            Engine::Lockstep(machine) => {
                let probe = machine.probe(&name.path).expect("all signals are kept");
                machine.get_big(probe, lane)
            }
        }
    }

    fn input(&self, name: &str) -> Result<NetId, BenchError> {
        let inputs = self.netlist.inputs.iter().map(|input| &input.path[..]);
        let near = inputs.collect::<Vec<_>>().join(", ");
        self.netlist.input(name).ok_or_else(|| BenchError::NoName {
            kind: "input",
            name: name.into(),
            near,
        })
    }

    fn signal(&self, name: &str) -> Result<Name, BenchError> {
        let ports = self.netlist.outputs.iter();
        let port = ports.clone().find(|port| port.path == name);
        let found = port.or_else(|| self.netlist.names.get(name));
        found.cloned().ok_or_else(|| {
            let near = self.netlist.names.nearest(name, 5).into_iter();
            let near: Vec<&str> = near.map(|near| &near.path[..]).collect();
            BenchError::NoName { kind: "signal", name: name.into(), near: near.join(", ") }
        })
    }

    fn check_width(&self, name: &str, net: NetId, value: &BigUint) -> Result<(), BenchError> {
        let width = self.netlist.width(net);
        match value.bits() <= u64::from(width) {
            true => Ok(()),
            false => Err(BenchError::TooLarge { name: name.into(), value: value.clone(), width }),
        }
    }
}

/// Value as a number, an enum with the name of its variant, a struct field by field.
fn in_words(ty: &Type, value: &BigUint) -> String {
    let mut text = String::new();
    let _ = match ty {
        Type::Bits(_) => write!(text, "{value:#x}"),
        Type::Enum(ty) => {
            let variant = usize::try_from(value).ok();
            let name = variant.and_then(|variant| ty.variants.get(variant));
            write!(text, "{}", name.map_or("no variant", String::as_str))
        }
        Type::Struct(ty) => {
            let fields = ty.fields.iter().map(|field| {
                let ones = (BigUint::from(1u32) << field.ty.width()) - 1u32;
                let part = (value >> field.offset) & ones;
                format!("{}: {}", field.name, in_words(&field.ty, &part))
            });
            write!(text, "{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
    };
    text
}

impl Drop for TestBench {
    /// Ends the waveform file: a test that failed needs it most.
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

//! A custom block: an LED that breathes.
//!
//! ```text
//! cargo run --example your_own_block
//! ```
//!
//! `Pwm` and `Breathing` are ordinary `rust-hdl` blocks, except for two lines. `#[derive(Circuit)]`
//! is added beside `LogicBlock`, and `#[kernel]` replaces `#[hdl_gen]`. State is in `Reg`, `Memory`
//! and `Rom`. The result is three simulators that agree, and Verilog with the same meaning.
use hdl::prelude::*;
use hdl::verilog;
use phasecube::engine::{
    CircuitEngine, EngineError, EvaluatorEngine, ReferenceEngine, VerilatorEngine,
};
use phasecube::toolchain::{CompileEffort, Toolchain};
use std::path::Path;

/// Pulse-width modulation: `active` for `level` of every 16 clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct Pwm {
    pub clock: Signal<In, Clock>,
    /// Clock cycles out of 16 in which the output is active.
    pub level: Signal<In, Bits<5>>,
    pub active: Signal<Out, Bit>,
    /// High in the last clock cycle of a period.
    pub last: Signal<Out, Bit>,
    count: Reg<Bits<4>>,
}

impl Logic for Pwm {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next = self.count.q.val() + 1;
        self.active.next = self.count.q.val().resized::<5>() < self.level.val();
        self.last.next = self.count.q.val() == 15;
    }
}

/// Direction of the brightness.
#[word]
pub enum Breath {
    In,
    Out,
}

/// LED whose brightness rises and falls evenly for the eye: `step` moves up and down a table of
/// levels.
#[derive(LogicBlock, Circuit)]
pub struct Breathing {
    pub clock: Signal<In, Clock>,
    /// Keeps the current brightness.
    pub hold: Signal<In, Bit>,
    pub led: Signal<Out, Bit>,
    breath: Reg<Breath>,
    step: Reg<Bits<3>>,
    levels: Rom<Bits<5>, 3>,
    pwm: Pwm,
}

/// Levels that grow with the square of the step, so that the brightness appears even.
pub const LEVELS: [u64; 8] = [0, 1, 2, 4, 6, 9, 12, 16];

impl Default for Breathing {
    fn default() -> Self {
        Breathing {
            clock: Signal::default(),
            hold: Signal::default(),
            led: Signal::default(),
            breath: Reg::new(Breath::In),
            step: Reg::default(),
            levels: Rom::new(LEVELS.map(bits)),
            pwm: Pwm::default(),
        }
    }
}

impl Logic for Breathing {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, breath, step);
        clock!(self, clock, levels, pwm);
        self.levels.address.next = self.step.q.val();
        self.pwm.level.next = self.levels.data.val();
        self.led.next = self.pwm.active.val();
        if self.pwm.last.val() & !self.hold.val() {
            match self.breath.q.val() {
                Breath::In => {
                    self.step.d.next = self.step.q.val() + 1;
                    if self.step.q.val() == 6 {
                        self.breath.d.next = Breath::Out;
                    }
                }
                Breath::Out => {
                    self.step.d.next = self.step.q.val() - 1;
                    if self.step.q.val() == 1 {
                        self.breath.d.next = Breath::In;
                    }
                }
            }
        }
    }
}

/// Returns in how many of each 16 clock cycles the LED was on, for `periods` periods.
pub fn watch(engine: &mut dyn CircuitEngine, periods: usize) -> Result<Vec<usize>, EngineError> {
    let led = engine.port("led");
    let mut shone = vec![0; periods];
    for period in &mut shone {
        for _ in 0..16 {
            engine.settle()?;
            *period += engine.get_u64(led) as usize;
            engine.clock()?;
        }
    }
    Ok(shone)
}

/// Returns the three engines that run the block.
pub fn engines(models: &Path) -> Result<[Box<dyn CircuitEngine>; 3], Box<dyn std::error::Error>> {
    let design = lower(&Breathing::default())?;
    let tools = Toolchain::open()?;
    Ok([
        Box::new(ReferenceEngine::new(Breathing::default())?),
        Box::new(EvaluatorEngine::new(&design)?),
        Box::new(VerilatorEngine::new(&design, &tools, models, CompileEffort::Quick)?),
    ])
}

/// Returns the text that the example prints.
pub fn show(models: &Path) -> Result<String, Box<dyn std::error::Error>> {
    const PERIODS: usize = 29;
    let mut text = String::from("An LED breathes, one line for 16 clock cycles:\n\n");
    let mut columns = vec![];
    for mut engine in engines(models)? {
        let shone = watch(&mut *engine, PERIODS)?;
        columns.push((engine.name(), shone));
    }
    let line = |cells: Vec<String>| cells.join("  ").trim_end().to_string() + "\n";
    text += &line(columns.iter().map(|(name, _)| format!("{name:<16}")).collect());
    for period in 0..PERIODS {
        let bars = columns.iter().map(|(_, shone)| format!("{:<16}", "#".repeat(shone[period])));
        text += &line(bars.collect());
    }
    text += "\nand as Verilog:\n\n";
    text += &verilog::emit(&lower(&Breathing::default())?).to_string();
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", show("target/phasecube/models".as_ref())?);
    Ok(())
}

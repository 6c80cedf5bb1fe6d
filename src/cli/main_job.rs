//! `phasecube` without a command: the main job (docs/command-line.md).

use super::{builds, compare, costs, files, output, Asked, Cli, Command, Failure};
use crate::counted::counted;
use crate::engine::{EngineError, EvaluatorEngine, Reference, Verilator};
use crate::kit::Catalogued;
use crate::machine::Fate;
use crate::networks::tdma::wires::draw;
use crate::networks::Networks;
use crate::report::{AgreedRun, EngineRun, DEVICE, LOGIC_CELLS};
use crate::rtl::tdma::Link;
use crate::rtl::CLOCKS_PER_BIT;
use crate::toolchain::progress::Activity;
use crate::toolchain::{Effort, SynthReport, Tool, ToolError, Toolchain};
use crate::traffic::letters;
use anyhow::{anyhow, Context};
use hdl::verilog::{self, VerilogFiles};
use lockstep::design::Design;
use std::fmt::Write;
use std::io;
use std::thread::JoinHandle;

/// Arguments of the comparison in step 7.
const COMPARE: &str = "compare --pattern permutation,complement";

/// Runs the main job and checks each step, from two connected nodes to the board's image and the
/// comparison. Steps whose tools are not available are skipped and reported at the end.
///
/// # Errors
/// If a step fails or is skipped.
pub fn main_job(networks: &Networks) -> Result<(), Failure> {
    output::print("Phasecube: a hypercube computer whose only router is a time schedule\n")?;

    heading("1. Two nodes, one wire, twelve letters")?;
    let runs = simulate()?;
    let design = Catalogued::LINK.design(1).map_err(EngineError::from)?;
    let evaluated = runs.again(&mut EvaluatorEngine::new(&design)?)?;
    output::print(&(speed(&evaluated) + "Both: the same outputs in every clock cycle.\n"))?;

    heading("2. The same circuit as Verilog")?;
    let emitted = emit(&design)?;
    let tools = Toolchain::open()?;
    let mut left_out = LeftOut::default();
    let verilated = left_out.unless("the Verilog in Verilator (2)", verilator(&tools))?;
    if verilated {
        let models = builds().join("models");
        let mut verilator = Verilator::new(&design, &tools, &models, Effort::Quick)?;
        let run = runs.again(&mut verilator)?;
        output::print(&(speed(&run) + "It, too: the same outputs in every clock cycle.\n"))?;
    }

    let fpga = [Tool::Yosys, Tool::NextpnrIce40];
    let mut report = None;
    if left_out.unless("the link on the FPGA (3)", all(&tools, &fpga))? {
        heading(&format!("3. On an {DEVICE}"))?;
        let text = emitted.to_string();
        let measured = tools.synthesize_ice40(&text, emitted.top(), &costs())?;
        output::print(&cost(&measured))?;
        report = Some(measured);
    }

    heading("4. Eight nodes that route by running code, and the router that they replace")?;
    command(
        networks,
        "run --dims 3 --pattern permutation --firmware route",
    )?;
    command(
        networks,
        "run --dims 3 --pattern permutation --network cm1 --processors 1",
    )?;

    let image = [
        Tool::Yosys,
        Tool::NextpnrIce40,
        Tool::Icepack,
        Tool::Icemulti,
        Tool::RiscvCc,
    ];
    let lack = all(&tools, &image).and_then(|()| verilator(&tools));
    if left_out.unless("the bitstream (5)", lack)? {
        heading("5. Eight nodes and their host as a bitstream, simulated and talked to")?;
        // Building an image uses one processor. Meanwhile another measures the circuits of step 7.
        let ahead = measure_ahead(networks, COMPARE)?;
        command(networks, "build --design cube --dims 3")?;
        let image = builds().join("alchitry-cu-cube3.bin");
        let image = image.display();
        command(
            networks,
            &format!("monitor --virtual {image} --run \"permutation 1\" --run complement --check"),
        )?;
        // The following steps are timed and need the processors for themselves.
        let _activity = Activity::quiet("the circuits of the comparison");
        let _ = ahead.join();
    }

    heading("6. The whole machine: 4,096 cores, UARTs and frame engines, each flip-flop of them")?;
    command(
        networks,
        "run --dims 12 --pattern complement --firmware route",
    )?;
    command(
        networks,
        "run --dims 12 --pattern complement --network cm1 --processors 1",
    )?;

    heading("7. What the router's silicon buys: the comparison")?;
    match left_out.unless("the cells in the comparison (7)", all(&tools, &fpga))? {
        true => command(networks, COMPARE)?,
        false => command(networks, &format!("{COMPARE} --no-synthesis"))?,
    }

    heading("Summary")?;
    output::print(&summary(&runs, verilated, report.as_ref()))?;
    left_out.told()
}

/// Steps skipped because of missing tools, and the first reason.
#[derive(Default)]
struct LeftOut {
    steps: Vec<&'static str>,
    why: Option<String>,
}

impl LeftOut {
    /// Whether a step can run. Records the step as skipped if one of its tools is not available.
    ///
    /// # Errors
    /// If the tools have another problem.
    fn unless(
        &mut self,
        step: &'static str,
        tools: Result<(), ToolError>,
    ) -> Result<bool, Failure> {
        match tools {
            Ok(()) => Ok(true),
            Err(lack) if lack.is_lack() => {
                self.steps.push(step);
                self.why.get_or_insert_with(|| lack.line());
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Fails with one line about all skipped steps, if there are any.
    fn told(self) -> Result<(), Failure> {
        let Some(why) = self.why else { return Ok(()) };
        let steps = self.steps.join(", ");
        Err(Failure::Failed(anyhow!("left out: {steps}; {why}")))
    }
}

/// Checks that all of these tools are available.
fn all(tools: &Toolchain, needed: &[Tool]) -> Result<(), ToolError> {
    needed
        .iter()
        .try_for_each(|tool| tools.tool(*tool).map(drop))
}

/// Checks that Verilator and its compiler are available.
fn verilator(tools: &Toolchain) -> Result<(), ToolError> {
    tools.cpp_version().map(drop)
}

/// Prints a command line and runs `phasecube` with these arguments. An argument that contains
/// spaces is in quotation marks.
fn command(networks: &Networks, arguments: &str) -> Result<(), Failure> {
    output::print(&format!("$ phasecube {arguments}\n"))?;
    super::perform(networks, words(arguments))?;
    output::print("\n")
}

/// Splits a command line into words.
fn words(arguments: &str) -> impl Iterator<Item = &str> {
    let words = arguments.split('"').enumerate();
    let words = words.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    std::iter::once("phasecube").chain(words)
}

/// Starts to measure the circuits of this comparison.
fn measure_ahead(networks: &Networks, comparison: &str) -> Result<JoinHandle<()>, Failure> {
    let read = super::read(networks, words(comparison));
    match read.map_err(|e| Failure::BadInput(e.into()))?.0 {
        Asked::Ours(Cli {
            command: Some(Command::Compare(args)),
            ..
        }) => compare::measure_ahead(&args, networks),
        _ => unreachable!("`{comparison}` is a comparison"),
    }
}

/// Prints a heading between empty lines.
fn heading(text: &str) -> Result<(), Failure> {
    let heading = output::heading(text, output::styled(&io::stdout()));
    output::print(&format!("\n{heading}\n\n"))
}

/// Runs the link on the reference and prints the result.
fn simulate() -> Result<AgreedRun, Failure> {
    let mut reference = Reference::new(Link::<CLOCKS_PER_BIT>::default())?;
    let runs = AgreedRun::new(&mut reference, letters())?;
    if let Some(capture) = runs.first_frame() {
        output::print(&(draw(&capture, |node| node.to_string()) + "\n"))?;
    }
    output::print(&(arrivals(&runs) + "\n" + &speed(runs.first())))?;
    match runs.messages().len() - runs.first().delivered() {
        0 => Ok(runs),
        lost => Err(Failure::Failed(anyhow!("{} lost", counted(lost, "letter")))),
    }
}

fn emit(design: &Design) -> Result<VerilogFiles, Failure> {
    let emitted = verilog::emit(design);
    let dir = builds().join("verilog/link");
    // Modules of an earlier version would be confusing.
    let _ = std::fs::remove_dir_all(&dir);
    files::write_all(&dir, &files::modules(&emitted))
        .context("the Verilog was not written")
        .map_err(Failure::Failed)?;
    let lines: usize = emitted.modules.iter().map(|m| m.text.lines().count()).sum();
    let modules = emitted.modules.len();
    output::print(&format!(
        "{modules} modules, {lines} lines, in {}\n",
        dir.display()
    ))?;
    Ok(emitted)
}

/// Formats the outcome of each letter.
fn arrivals(runs: &AgreedRun) -> String {
    let mut text = "from  to  arrived in  letter\n".to_owned();
    let run = &runs.first().run;
    let fates = (0..).zip(&run.fates);
    for (letter, (place, fate)) in runs.messages().iter().zip(fates) {
        let fate = match (fate, run.reasons.get(&place)) {
            (Fate::Delivered { t }, _) => format!("phase {t:>2}"),
            (_, Some(why)) => format!("lost: {why}"),
            (_, None) => "no phase".into(),
        };
        let words = String::from_utf8_lossy(&letter.payload);
        let _ = writeln!(
            text,
            "{:>4}  {:>2}  {fate:<10}  \"{words}\"",
            letter.source, letter.destination
        );
    }
    text
}

fn speed(one: &EngineRun) -> String {
    format!(
        "{:<9}  {} letters delivered, {} clock cycles in {:.2} s\n",
        one.engine,
        one.delivered(),
        one.run.clock_cycles,
        one.wall_seconds
    )
}

fn cost(report: &SynthReport) -> String {
    format!(
        "{} of {LOGIC_CELLS} logic cells, {} flip-flops, {} block RAMs, fmax {} MHz\n",
        report.logic_cells,
        report.flip_flops,
        report.block_rams,
        mhz(report),
    )
}

/// Summarises the steps that ran and agree.
fn summary(runs: &AgreedRun, verilated: bool, report: Option<&SynthReport>) -> String {
    let (delivered, letters) = (runs.first().delivered(), runs.messages().len());
    let simulators = match verilated {
        true => {
            "Three simulators (rust-hdl on the Rust\n\
             source, ours on the netlist, Verilator on the Verilog)"
        }
        false => {
            "Two simulators (rust-hdl on the Rust\n\
             source, ours on the netlist)"
        }
    };
    let mut text = format!(
        "{delivered} of {letters} letters delivered, every byte compared. {simulators} agree on {} outputs in each of\n\
         {} clock cycles.",
        runs.outputs(),
        runs.first().run.clock_cycles,
    );
    if let Some(report) = report {
        let (cells, mhz) = (report.logic_cells, mhz(report));
        text +=
            &format!(" The link takes {cells} logic cells of an {DEVICE} and runs at {mhz} MHz.");
    }
    text + "\n"
}

fn mhz(report: &SynthReport) -> String {
    report
        .fmax_mhz
        .map_or_else(|| "unknown".into(), |mhz| format!("{mhz:.0}"))
}

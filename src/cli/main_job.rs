//! `phasecube` without a command: the main job (docs/command-line.md).

use super::{build_dir, compare, cost_dir, files, output, Cli, CliError, Command, ParsedCommand};
use anyhow::{anyhow, Context};
use engine::{EngineError, EvaluatorEngine, ReferenceEngine, VerilatorEngine};
use hdl::lower::lower;
use hdl::verilog::{self, VerilogFiles};
use interconnect::traffic::letters;
use lab::report::{AgreedRun, EngineRun, DEVICE, LOGIC_CELLS};
use lockstep::design::Design;
use machine::format_count::format_count;
use machine::networks::tdma::wires::draw;
use machine::networks::Networks;
use machine::Delivery;
use rtl::tdma::Link;
use rtl::CLOCKS_PER_BIT;
use std::fmt::Write;
use std::io;
use std::thread::JoinHandle;
use toolchain::progress::ProgressStep;
use toolchain::{CompileEffort, SynthReport, Tool, ToolError, Toolchain};

/// Arguments of the comparison in step 7.
const COMPARE: &str = "compare --pattern permutation,complement";

/// Runs the main job and checks each step, from two connected nodes to the board's image and the
/// comparison. Steps whose tools are not available are skipped and reported at the end.
///
/// # Errors
/// If a step fails or is skipped.
pub fn main_job(networks: &Networks) -> Result<(), CliError> {
    output::print("Phasecube: a hypercube computer whose only router is a time schedule\n")?;

    heading("1. Two nodes, one wire, twelve letters")?;
    let runs = simulate()?;
    let design = lower(&Link::<CLOCKS_PER_BIT>::default()).map_err(EngineError::from)?;
    let evaluated = runs.repeat_on(&mut EvaluatorEngine::new(&design)?)?;
    output::print(&(speed_line(&evaluated) + "Both: the same outputs in every clock cycle.\n"))?;

    heading("2. The same circuit as Verilog")?;
    let emitted = emit(&design)?;
    let tools = Toolchain::open()?;
    let mut left_out = SkippedSteps::default();
    let verilated = left_out.can_run("the Verilog in Verilator (2)", check_verilator(&tools))?;
    if verilated {
        let models = build_dir().join("models");
        let mut verilator = VerilatorEngine::new(&design, &tools, &models, CompileEffort::Quick)?;
        let run = runs.repeat_on(&mut verilator)?;
        output::print(&(speed_line(&run) + "Verilator: the same outputs in every clock cycle.\n"))?;
    }

    let fpga = [Tool::Yosys, Tool::NextpnrIce40];
    let mut report = None;
    if left_out.can_run("the link on the FPGA (3)", check_tools(&tools, &fpga))? {
        heading(&format!("3. On an {DEVICE}"))?;
        let text = emitted.to_string();
        let measured = tools.synthesize_ice40(&text, emitted.top(), &cost_dir())?;
        output::print(&cost_line(&measured))?;
        report = Some(measured);
    }

    heading("4. Eight nodes that route by running code, and the router that they replace")?;
    run_command(
        networks,
        "run --dims 3 --pattern permutation --firmware route",
    )?;
    run_command(
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
    let lack = check_tools(&tools, &image).and_then(|()| check_verilator(&tools));
    if left_out.can_run("the bitstream (5)", lack)? {
        heading("5. Eight nodes and their supervisor as a bitstream, simulated and tested")?;
        // Building an image uses one processor. Meanwhile another measures the circuits of step 7.
        let ahead = measure_ahead(networks, COMPARE)?;
        run_command(networks, "build --design cube --dims 3")?;
        let image = build_dir().join("alchitry-cu-cube3.bin");
        let image = image.display();
        run_command(
            networks,
            &format!("monitor --virtual {image} --run \"permutation 1\" --run complement --check"),
        )?;
        // The following steps are timed and need the processors for themselves.
        let _activity = ProgressStep::quiet("measuring the circuits of the comparison");
        let _ = ahead.join();
    }

    heading("6. The whole machine: 4,096 cores, UARTs and frame engines, with every flip-flop")?;
    run_command(
        networks,
        "run --dims 12 --pattern complement --firmware route",
    )?;
    run_command(
        networks,
        "run --dims 12 --pattern complement --network cm1 --processors 1",
    )?;

    heading("7. Comparison: cost and benefit of a hardware router")?;
    match left_out.can_run(
        "the cells in the comparison (7)",
        check_tools(&tools, &fpga),
    )? {
        true => run_command(networks, COMPARE)?,
        false => run_command(networks, &format!("{COMPARE} --no-synthesis"))?,
    }

    heading("Summary")?;
    output::print(&summary(&runs, verilated, report.as_ref()))?;
    left_out.into_result()
}

/// Steps skipped because of missing tools, and the first reason.
#[derive(Default)]
struct SkippedSteps {
    steps: Vec<&'static str>,
    why: Option<String>,
}

impl SkippedSteps {
    /// Whether a step can run. Records the step as skipped if one of its tools is not available.
    ///
    /// # Errors
    /// If the tools have another problem.
    fn can_run(
        &mut self,
        step: &'static str,
        tools: Result<(), ToolError>,
    ) -> Result<bool, CliError> {
        match tools {
            Ok(()) => Ok(true),
            Err(lack) if lack.is_unavailable() => {
                self.steps.push(step);
                self.why.get_or_insert_with(|| lack.in_one_line());
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Fails with one line about all skipped steps, if there are any.
    fn into_result(self) -> Result<(), CliError> {
        let Some(why) = self.why else { return Ok(()) };
        let steps = self.steps.join(", ");
        Err(CliError::Failed(anyhow!("skipped: {steps}; {why}")))
    }
}

/// Checks that all of these tools are available.
fn check_tools(tools: &Toolchain, needed: &[Tool]) -> Result<(), ToolError> {
    needed
        .iter()
        .try_for_each(|tool| tools.tool(*tool).map(drop))
}

/// Checks that Verilator and its compiler are available.
fn check_verilator(tools: &Toolchain) -> Result<(), ToolError> {
    tools.cpp_version().map(drop)
}

/// Prints a command line and runs `phasecube` with these arguments. An argument that contains
/// spaces is in quotation marks.
fn run_command(networks: &Networks, arguments: &str) -> Result<(), CliError> {
    output::print(&format!("$ phasecube {arguments}\n"))?;
    super::run_command_line(networks, split_words(arguments))?;
    output::print("\n")
}

/// Splits a command line into words.
fn split_words(arguments: &str) -> impl Iterator<Item = &str> {
    let words = arguments.split('"').enumerate();
    let words = words.flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    std::iter::once("phasecube").chain(words)
}

/// Starts to measure the circuits of this comparison.
fn measure_ahead(networks: &Networks, comparison: &str) -> Result<JoinHandle<()>, CliError> {
    let read = super::read_command_line(networks, split_words(comparison));
    match read.map_err(|e| CliError::BadInput(e.into()))?.0 {
        ParsedCommand::BuiltIn(Cli {
            command: Some(Command::Compare(args)),
            ..
        }) => compare::measure_ahead(&args, networks),
        _ => unreachable!("`{comparison}` is a comparison"),
    }
}

/// Prints a heading between empty lines.
fn heading(text: &str) -> Result<(), CliError> {
    let heading = output::heading(text, output::may_style(&io::stdout()));
    output::print(&format!("\n{heading}\n\n"))
}

/// Runs the link on the reference and prints the result.
fn simulate() -> Result<AgreedRun, CliError> {
    let mut reference = ReferenceEngine::new(Link::<CLOCKS_PER_BIT>::default())?;
    let runs = AgreedRun::new(&mut reference, letters())?;
    if let Some(capture) = runs.first_frame() {
        output::print(&(draw(&capture, |node| node.to_string()) + "\n"))?;
    }
    output::print(&(arrival_table(&runs) + "\n" + &speed_line(runs.first())))?;
    match runs.messages().len() - runs.first().delivered() {
        0 => Ok(runs),
        lost => Err(CliError::Failed(anyhow!(
            "{} lost",
            format_count(lost, "letter")
        ))),
    }
}

fn emit(design: &Design) -> Result<VerilogFiles, CliError> {
    let emitted = verilog::emit(design);
    let dir = build_dir().join("verilog/link");
    // Modules of an earlier version would be confusing.
    let _ = std::fs::remove_dir_all(&dir);
    files::write_all(&dir, &files::module_files(&emitted))
        .context("the Verilog cannot be written")
        .map_err(CliError::Failed)?;
    let lines: usize = emitted.modules.iter().map(|m| m.text.lines().count()).sum();
    let modules = emitted.modules.len();
    output::print(&format!(
        "{modules} modules, {lines} lines, in {}\n",
        dir.display()
    ))?;
    Ok(emitted)
}

/// Formats the outcome of each letter.
fn arrival_table(runs: &AgreedRun) -> String {
    let mut text = "from  to  arrived in  letter\n".to_owned();
    let run = &runs.first().run;
    let deliveries = (0..).zip(&run.deliveries);
    for (letter, (place, delivery)) in runs.messages().iter().zip(deliveries) {
        let delivery = match (delivery, run.reasons.get(&place)) {
            (Delivery::Delivered { t }, _) => format!("phase {t:>2}"),
            (_, Some(why)) => format!("lost: {why}"),
            (_, None) => "no phase".into(),
        };
        let words = String::from_utf8_lossy(&letter.payload);
        let _ = writeln!(
            text,
            "{:>4}  {:>2}  {delivery:<10}  \"{words}\"",
            letter.source, letter.destination
        );
    }
    text
}

fn speed_line(one: &EngineRun) -> String {
    format!(
        "{:<9}  {} letters delivered, {} clock cycles in {:.2} s\n",
        one.engine,
        one.delivered(),
        one.run.clock_cycles,
        one.wall_seconds
    )
}

fn cost_line(report: &SynthReport) -> String {
    format!(
        "{} of {LOGIC_CELLS} logic cells, {} flip-flops, {} block RAMs, fmax {} MHz\n",
        report.logic_cells,
        report.flip_flops,
        report.block_rams,
        fmax_text(report),
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
        let (cells, mhz) = (report.logic_cells, fmax_text(report));
        text +=
            &format!(" The link takes {cells} logic cells of an {DEVICE} and runs at {mhz} MHz.");
    }
    text + "\n"
}

fn fmax_text(report: &SynthReport) -> String {
    report
        .fmax_mhz
        .map_or_else(|| "unknown".into(), |mhz| format!("{mhz:.0}"))
}

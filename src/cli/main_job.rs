//! `phasecube` without a command: the main job (docs/command-line.md).

use super::boards::{build_image, WrittenImage};
use super::{
    build_dir, compare, cost_dir, files, output, run, Cli, CliError, Command, ParsedCommand,
};
use anyhow::{anyhow, Context};
use engine::{EngineError, EvaluatorEngine, ReferenceEngine, VerilatorEngine};
use hdl::lower::lower;
use hdl::verilog::{self, VerilogFiles};
use interconnect::traffic::letters;
use lab::report::comparison::Comparison;
use lab::report::{AgreedRun, EngineRun, DEVICE, LOGIC_CELLS};
use lockstep::design::Design;
use machine::networks::tdma::wires::draw;
use machine::networks::Networks;
use machine::text::{format_count, indented, wrapped};
use machine::{Delivery, Outcome};
use rtl::tdma::Link;
use rtl::CLOCKS_PER_BIT;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use toolchain::progress::ProgressStep;
use toolchain::{CompileEffort, SynthReport, Tool, ToolError, Toolchain};

/// Arguments of the comparison in step 7.
const COMPARE: &str = "compare --pattern permutation,complement";

/// Width of everything that the main job prints, in characters.
const WIDTH: usize = 80;

/// Runs the main job and checks each step, from two connected nodes to the board's image and the
/// comparison. The last lines are the results. Steps whose tools are not available are skipped and
/// reported at the end.
///
/// # Errors
/// If a step fails or is skipped.
pub fn main_job(networks: &Networks) -> Result<(), CliError> {
    output::limit_width(WIDTH);
    output::print("Phasecube: a hypercube computer whose only router is a time schedule\n")?;
    let mut left_out = SkippedSteps::default();
    let tools = link(&mut left_out)?;
    eight_nodes(networks)?;
    let image = image(networks, &tools, &mut left_out)?;
    let machine = whole_machine(networks)?;
    let comparison = comparison(networks, &tools, &mut left_out)?;

    heading("Results")?;
    output::print(&results(&machine, image.as_ref(), &comparison))?;
    left_out.into_result()
}

/// Formats the results in at most ten lines.
fn results(machine: &Outcome, image: Option<&WrittenImage>, comparison: &Comparison) -> String {
    let speed = machine.node_cycles_per_second() / 1e6;
    let mut rows = vec![(
        "machine",
        format!(
            "{} nodes, {} of {} messages delivered, {speed:.0} million node clock cycles a second",
            machine.nodes,
            machine.delivered(),
            machine.messages()
        ),
    )];
    if let Some(WrittenImage { built, .. }) = image {
        let text = format!(
            "{} of {} logic cells of the {}, {:.1} MHz",
            built.report.logic_cells, built.capacity.logic_cells, built.board.title, built.fmax_mhz
        );
        rows.push(("image", text));
    }
    let ranked = comparison.rankings().into_iter();
    rows.extend(ranked.map(|ranking| ("comparison", ranking.text())));
    rows.push(("open", compare_dir().join("compare.html").display().to_string()));
    rows.push((
        "next",
        "phasecube run --dims 12 --pattern bitrev; your own program: docs/first-program.md".into(),
    ));
    let lines = rows.into_iter().map(|(label, text)| {
        let lines = indented(&text, RESULT_COLUMN, WIDTH);
        format!("{label:RESULT_COLUMN$}{}", lines.trim_start())
    });
    lines.collect()
}

/// Column in which the text of a result begins.
const RESULT_COLUMN: usize = 12;

/// Steps 1 to 3: two nodes in three simulators, as Verilog, and on the FPGA.
fn link(left_out: &mut SkippedSteps) -> Result<Toolchain, CliError> {
    heading("1. Two nodes, one wire, twelve letters")?;
    let runs = simulate()?;
    let design = lower(&Link::<CLOCKS_PER_BIT>::default()).map_err(EngineError::from)?;
    let evaluated = runs.repeat_on(&mut EvaluatorEngine::new(&design)?)?;
    output::print(&(speed_line(&evaluated) + "Both: the same outputs in every clock cycle.\n"))?;

    heading("2. The same circuit as Verilog")?;
    let emitted = emit(&design)?;
    let tools = Toolchain::open()?;
    let verilated = left_out.can_run("the Verilog in Verilator (2)", check_verilator(&tools))?;
    if verilated {
        let models = build_dir().join("models");
        let mut verilator = VerilatorEngine::new(&design, &tools, &models, CompileEffort::Quick)?;
        let run = runs.repeat_on(&mut verilator)?;
        output::print(&(speed_line(&run) + "Verilator: the same outputs in every clock cycle.\n"))?;
    }
    output::print(&agreement(&runs, verilated))?;

    if left_out.can_run("the link on the FPGA (3)", check_tools(&tools, &FPGA))? {
        heading(&format!("3. On an {DEVICE}"))?;
        let text = emitted.to_string();
        let measured = tools.synthesize_ice40(&text, emitted.top(), &cost_dir())?;
        output::print(&cost_line(&measured))?;
    }
    Ok(tools)
}

/// Tools that place a circuit on an iCE40.
const FPGA: [Tool; 2] = [Tool::Yosys, Tool::NextpnrIce40];

/// Step 4.
fn eight_nodes(networks: &Networks) -> Result<(), CliError> {
    heading("4. Eight nodes that route by running code, and the router that they replace")?;
    run_machine(networks, "run --dims 3 --pattern permutation --firmware route")?;
    run_machine(networks, "run --dims 3 --pattern permutation --network cm1 --processors 1")?;
    Ok(())
}

/// Step 5. Returns the image, unless a tool is missing.
fn image(
    networks: &Networks,
    tools: &Toolchain,
    left_out: &mut SkippedSteps,
) -> Result<Option<WrittenImage>, CliError> {
    let image = [Tool::Icepack, Tool::Icemulti, Tool::RiscvCc];
    let lack = check_tools(tools, &FPGA)
        .and_then(|()| check_tools(tools, &image))
        .and_then(|()| check_verilator(tools));
    if !left_out.can_run("the bitstream (5)", lack)? {
        return Ok(None);
    }
    heading("5. Eight nodes and their supervisor as a bitstream, simulated and tested")?;
    // Building an image uses one processor. Meanwhile another measures the circuits of step 7.
    let ahead = measure_ahead(networks, COMPARE)?;
    let Command::Build(args) = announce(networks, "build --design cube --dims 3")? else {
        unreachable!("the command line builds an image");
    };
    let image = build_image(&args)?;
    let report = image.path.with_extension("txt");
    let dir = report.parent().unwrap_or(Path::new("."));
    let name = report.file_name().unwrap_or_default().to_string_lossy();
    files::write_all(dir, &[(name.into_owned(), image.built.to_string())])
        .map_err(CliError::Failed)?;
    let mut text = image.built.summary();
    text += &image.file_line();
    text += &format!("\nIts blocks and its slowest path: {}\n\n", report.display());
    output::print_text(&text)?;

    let path = image.path.display();
    run_command(
        networks,
        &format!("monitor --virtual {path} --run \"permutation 1\" --run complement --check"),
    )?;
    // The following steps are timed and need the processors for themselves.
    let _activity = ProgressStep::quiet("measuring the circuits of the comparison");
    let _ = ahead.join();
    Ok(Some(image))
}

/// Step 6. Returns the outcome of the machine with the schedule.
fn whole_machine(networks: &Networks) -> Result<Outcome, CliError> {
    heading("6. The whole machine: 4,096 cores, UARTs and frame engines, with every flip-flop")?;
    let outcome = run_machine(networks, "run --dims 12 --pattern complement --firmware route")?;
    run_machine(networks, "run --dims 12 --pattern complement --network cm1 --processors 1")?;
    Ok(outcome)
}

/// Step 7. Writes the report, and prints its table of messages.
fn comparison(
    networks: &Networks,
    tools: &Toolchain,
    left_out: &mut SkippedSteps,
) -> Result<Comparison, CliError> {
    heading("7. Comparison: cost and benefit of a hardware router")?;
    let step = "the cells in the comparison (7)";
    let command = match left_out.can_run(step, check_tools(tools, &FPGA))? {
        true => COMPARE.to_owned(),
        false => format!("{COMPARE} --no-synthesis"),
    };
    let Command::Compare(args) = announce(networks, &command)? else {
        unreachable!("the command line compares");
    };
    let comparison = compare::run_comparison(&args, networks)?;
    let mut contents = comparison.files();
    contents.push(("compare.txt".into(), comparison.to_string()));
    let written = files::write_report(&compare_dir(), &contents)?;
    let table = comparison.messages().table;
    output::print_report(&table)?;
    output::print(&written)?;
    Ok(comparison)
}

/// Directory of the report of the comparison.
fn compare_dir() -> PathBuf {
    build_dir().join("compare")
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
    needed.iter().try_for_each(|tool| tools.tool(*tool).map(drop))
}

/// Checks that Verilator and its compiler are available.
fn check_verilator(tools: &Toolchain) -> Result<(), ToolError> {
    tools.cpp_version().map(drop)
}

/// Prints a command line and runs `phasecube` with these arguments. An argument that contains
/// spaces is in quotation marks.
fn run_command(networks: &Networks, arguments: &str) -> Result<(), CliError> {
    print_command(arguments)?;
    super::run_command_line(networks, split_words(arguments))?;
    output::print("\n")
}

/// Prints a command line and runs the machine.
fn run_machine(networks: &Networks, arguments: &str) -> Result<Outcome, CliError> {
    let Command::Run(args) = announce(networks, arguments)? else {
        unreachable!("the command line runs a machine");
    };
    let outcome = run::run(&args, networks)?;
    output::print("\n")?;
    Ok(outcome)
}

/// Prints a command line and parses it.
fn announce(networks: &Networks, arguments: &str) -> Result<Command, CliError> {
    print_command(arguments)?;
    parse(networks, arguments)
}

/// Prints a command line, continued as in a shell if it is long.
fn print_command(arguments: &str) -> Result<(), CliError> {
    let lines = wrapped(&format!("$ phasecube {arguments}"), WIDTH - 6);
    output::print(&(lines.trim_end().replace('\n', " \\\n    ") + "\n"))
}

/// Parses a command line of the main job.
fn parse(networks: &Networks, arguments: &str) -> Result<Command, CliError> {
    let read = super::read_command_line(networks, split_words(arguments));
    match read.map_err(|e| CliError::BadInput(e.into()))?.0 {
        ParsedCommand::BuiltIn(Cli { command: Some(command), .. }) => Ok(command),
        _ => unreachable!("`{arguments}` is a built-in command"),
    }
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
    match parse(networks, comparison)? {
        Command::Compare(args) => compare::measure_ahead(&args, networks),
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
        lost => Err(CliError::Failed(anyhow!("{} lost", format_count(lost, "letter")))),
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
    output::print(&format!("{modules} modules, {lines} lines, in {}\n", dir.display()))?;
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

/// Formats how many letters were delivered, and which simulators agree.
fn agreement(runs: &AgreedRun, verilated: bool) -> String {
    let simulators = match verilated {
        true => "Three simulators (rust-hdl on the Rust source, ours on the netlist, Verilator on the Verilog)",
        false => "Two simulators (rust-hdl on the Rust source, ours on the netlist)",
    };
    let text = format!(
        "{} of {} letters delivered, every byte compared. {simulators} agree on {} outputs in \
         each of {} clock cycles.",
        runs.first().delivered(),
        runs.messages().len(),
        runs.outputs(),
        runs.first().run.clock_cycles,
    );
    wrapped(&text, WIDTH)
}

fn fmax_text(report: &SynthReport) -> String {
    report.fmax_mhz.map_or_else(|| "unknown".into(), |mhz| format!("{mhz:.0}"))
}

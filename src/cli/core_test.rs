//! `phasecube core-test`: runs test programs on the core's circuit.

use super::files::OutputTarget;
use super::{output, CliError};
use anyhow::{anyhow, bail, ensure, Context};
use clap::Args;
use engine::{EngineError, LockstepEngine};
use hdl::lower::lower;
use interconnect::topology::number;
use lockstep::lanes::{LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use machine::bounded;
use machine::flags::OutputFile;
use machine::program::ElfImage;
use machine::{BareCore, BareProgress, BareRun, BareVerdict, BARE_MEMORY, BARE_MEMORY_MAX};
use rtl::core::BareNode;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toolchain::progress::ProgressStep;

/// Run test programs on the circuit of the soft core
///
/// Each program is an RV32I ELF file, linked at 0 and started there. It reports its verdict by a
/// store to 0x80000000: 1 if all tests passed, (test << 1) | 1 if this test failed. The lowest byte
/// of each store to 0x80000004 is printed.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube core-test rv32ui-p-add rv32ui-p-sub")]
pub struct CoreTestArgs {
    /// Test programs, as ELF files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Stop a program after this many clock cycles, as failed, and print where it waits
    #[arg(long, value_name = "CLOCK_CYCLES", default_value_t = 20_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    watchdog: u64,
    /// Memory from address 0, a multiple of 4 bytes up to 16777216
    #[arg(long, value_name = "BYTES", default_value_t = BARE_MEMORY, value_parser = memory)]
    memory: u32,
    /// Write the words from begin_signature to end_signature to this file after the run, in
    /// hexadecimal, one per line; accepted with one program only
    #[arg(long, value_name = "FILE")]
    signature: Option<OutputFile>,
}

fn memory(text: &str) -> Result<u32, String> {
    let bytes = number::parse(text).map_err(|e| e.to_string())?;
    match u32::try_from(bytes) {
        Ok(bytes) if bytes % 4 == 0 && (4..=BARE_MEMORY_MAX).contains(&bytes) => Ok(bytes),
        _ => Err(format!(
            "a memory of {bytes} bytes is not possible; accepted: multiples of 4 from 4 to {BARE_MEMORY_MAX}"
        )),
    }
}

/// Program loaded into its memory.
struct CoreTestProgram {
    memory: Vec<u32>,
    /// Words of its signature, if `--signature` is given.
    signature: Option<Range<usize>>,
}

/// Runs all programs that can be loaded and prints one line for each file.
pub fn core_test(args: &CoreTestArgs) -> Result<(), CliError> {
    if args.signature.is_some() && args.files.len() > 1 {
        return Err(CliError::BadInput(anyhow!(
            "--signature takes the signature of one program, not of {}; accepted: one program",
            args.files.len()
        )));
    }
    let signature = OutputTarget::from_flag("--signature", args.signature.as_ref())?;
    let node = flatten(&lower(&BareNode::default()).map_err(EngineError::from)?);
    let node = node.map_err(EngineError::from)?;
    let (mut bad, mut failed) = (vec![], vec![]);
    for (number, path) in args.files.iter().enumerate() {
        let name = path.display();
        let program = match load_program(args, path) {
            Ok(program) => program,
            Err(error) => {
                output::print(&format!("BAD {name}: {error:#}\n"))?;
                bad.push(format!("{name}: {error:#}"));
                continue;
            }
        };
        // The engine has at least two lanes. The second core is never started.
        let (wiring, options) = (LaneWiring::new(), LaneOptions::default());
        let lanes = LaneMachine::new(node.clone(), 2, &wiring, &options);
        let mut engine = LockstepEngine::new(lanes.map_err(EngineError::from)?);
        let mut show =
            ConsolePrinter::new(format!("{name} ({} of {})", number + 1, args.files.len()));
        let core = BareCore::new(&mut engine, program.memory);
        let run = core.run(args.watchdog, |sign| show.show_event(sign))?;
        show.finish()?;
        output::print(&match run.verdict {
            BareVerdict::Passed => format!(
                "PASS {name}, {} instructions, {} clock cycles\n",
                run.instructions, run.clock_cycles
            ),
            verdict => {
                failed.push(name.to_string());
                format!("FAIL {name}: {verdict}\n")
            }
        })?;
        if let (Some(target), Some(words)) = (&signature, program.signature) {
            write_signature(target, words, &run)?;
        }
    }
    let failures = format!(
        "{} of {} programs failed: {}",
        failed.len(),
        args.files.len() - bad.len(),
        failed.join(", ")
    );
    match (bad.is_empty(), failed.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(CliError::Failed(anyhow!(failures))),
        (false, all_passed) => {
            let files = bad.join("; ");
            Err(CliError::BadInput(match all_passed {
                true => {
                    anyhow!("{} of {} files cannot be loaded: {files}", bad.len(), args.files.len())
                }
                false => anyhow!(
                    "{} of {} files cannot be loaded: {files}; and {failures}",
                    bad.len(),
                    args.files.len()
                ),
            }))
        }
    }
}

/// Reads the program into its memory.
fn load_program(args: &CoreTestArgs, path: &Path) -> anyhow::Result<CoreTestProgram> {
    let bytes = bounded::read(path, bounded::PROGRAM_MAX).context("it cannot be read")?;
    let image = ElfImage::from_elf(&bytes)?;
    ensure!(
        image.entry == 0,
        "it begins at 0x{:08X}; accepted: programs that begin at 0x00000000",
        image.entry
    );
    if image.compressed {
        bail!("it may have compressed instructions; accepted: RV32I (-march=rv32i)");
    }
    let memory = image.words(args.memory)?;
    let signature = match args.signature {
        Some(_) => Some(signature_words(&image, args.memory)?),
        None => None,
    };
    Ok(CoreTestProgram { memory, signature })
}

/// Returns the words between the two symbols that mark a signature.
fn signature_words(image: &ElfImage, memory: u32) -> anyhow::Result<Range<usize>> {
    let symbol = |name: &str| {
        let address = image.symbols.get(name).copied();
        address.with_context(|| {
            format!("it has no symbol {name}; accepted with --signature: begin_signature and end_signature")
        })
    };
    let (from, to) = (symbol("begin_signature")?, symbol("end_signature")?);
    ensure!(
        from <= to && to <= memory && from % 4 == 0 && to % 4 == 0,
        "its signature is from 0x{from:08X} to 0x{to:08X}; accepted: whole words in memory, the \
         beginning before the end"
    );
    Ok(from as usize / 4..to as usize / 4)
}

/// Writes the signature of a program that has finished.
fn write_signature(
    target: &OutputTarget,
    words: Range<usize>,
    run: &BareRun,
) -> Result<(), CliError> {
    if !matches!(run.verdict, BareVerdict::Passed | BareVerdict::Failed { .. }) {
        return Ok(());
    }
    let written = target.write(|out| {
        for word in &run.memory[words] {
            writeln!(out, "{word:08x}")?;
        }
        Ok(())
    });
    written.map_err(CliError::Failed)
}

/// Shows the output of a running program line by line, and on a terminal also its progress.
struct ConsolePrinter {
    /// Name of the program.
    what: String,
    since: Instant,
    activity: Option<ProgressStep>,
    line: Vec<u8>,
    /// Error of the first print that failed.
    error: Option<CliError>,
}

impl ConsolePrinter {
    fn new(what: String) -> Self {
        ConsolePrinter {
            activity: Some(ProgressStep::quiet(&what)),
            what,
            since: Instant::now(),
            line: vec![],
            error: None,
        }
    }

    fn show_event(&mut self, sign: BareProgress) {
        match sign {
            BareProgress::Byte(byte) => {
                self.line.push(byte);
                if byte == b'\n' {
                    self.print();
                }
            }
            BareProgress::ClockCycles(n) => {
                let n = n as f64 / 1e6;
                let rate = n / self.since.elapsed().as_secs_f64().max(1e-9);
                let message =
                    format!("{}, {n:.1} million clock cycles, {rate:.1} a second", self.what);
                match &self.activity {
                    Some(activity) => activity.step(&message),
                    None => self.activity = Some(ProgressStep::quiet(&message)),
                }
            }
        }
    }

    /// Prints the line in place of the progress display.
    fn print(&mut self) {
        self.activity = None;
        let text = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        if let Err(error) = output::print(&text) {
            self.error.get_or_insert(error);
        }
    }

    /// Prints the rest when the program has finished.
    fn finish(mut self) -> Result<(), CliError> {
        if !self.line.is_empty() {
            self.line.push(b'\n');
            self.print();
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

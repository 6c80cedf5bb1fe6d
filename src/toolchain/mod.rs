//! Finding, fetching and running the tools: synthesis, placement, bitstreams, compiled simulation.
//!
//! A tool on `PATH` is used when its version is good enough, and that is said on stderr; else the pinned
//! one is fetched into the cache when it is first needed. [`pins`] holds all versions.
//!
//! ```no_run
//! # fn main() -> Result<(), phasecube::toolchain::ToolError> {
//! # use phasecube::toolchain::Toolchain;
//! let tools = Toolchain::open()?;
//! let report = tools.synthesize_ice40("module t(input a, output b); assign b = !a; endmodule", "t", "target/t".as_ref())?;
//! println!("{} logic cells", report.logic_cells);
//! # Ok(())
//! # }
//! ```

pub mod cache;
mod cpp;
mod debian;
pub(crate) mod digest;
mod error;
mod exec;
mod fetch;
mod handle;
mod harness;
mod ice40;
mod lint;
mod model;
pub(crate) mod once;
pub mod pins;
mod placement;
pub mod progress;
mod synth;
mod unpack;
mod verilate;
mod version;

pub use cache::Policy;
pub use error::{Result, ToolError};
pub use exec::{on_path, Run};
pub use handle::{Origin, ToolHandle};
pub use harness::PREFIX as MODEL_PREFIX;
pub use ice40::SynthReport;
pub use model::{Model, Simulation};
pub use pins::Tool;
pub use placement::{ClockTiming, Hop, PlacedCell, PlacedKind, Placement};
pub use synth::{Bitstream, Ice40};
pub use verilate::{compile_seconds, Effort, PortSpec};
pub use version::Version;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// Access to the tools. Cheap to clone; what was found once is remembered.
#[derive(Debug, Clone)]
pub struct Toolchain {
    cache: PathBuf,
    policy: Policy,
    found: Arc<Mutex<BTreeMap<Tool, ToolHandle>>>,
}

impl Toolchain {
    /// Reads `PHASECUBE_CACHE` and `PHASECUBE_TOOLS`; looks for nothing yet.
    pub fn open() -> Result<Toolchain> {
        Ok(Toolchain::new(cache::cache_dir()?, Policy::from_env()?))
    }

    /// With a given cache folder (absolute) and policy.
    pub fn new(cache: PathBuf, policy: Policy) -> Toolchain {
        Toolchain {
            cache,
            policy,
            found: Arc::default(),
        }
    }

    /// The cache folder.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Yosys.
    pub fn yosys(&self) -> Result<ToolHandle> {
        self.tool(Tool::Yosys)
    }

    /// nextpnr-ice40.
    pub fn nextpnr_ice40(&self) -> Result<ToolHandle> {
        self.tool(Tool::NextpnrIce40)
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

    /// What runs Icarus Verilog's programs.
    pub fn vvp(&self) -> Result<ToolHandle> {
        self.tool(Tool::Vvp)
    }

    /// Finds a tool, fetching it if need be.
    pub fn tool(&self, tool: Tool) -> Result<ToolHandle> {
        if let Some(handle) = self.remembered().get(&tool) {
            return Ok(handle.clone());
        }
        let handle = self.find(tool)?;
        self.remembered().insert(tool, handle.clone());
        Ok(handle)
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, BTreeMap<Tool, ToolHandle>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, tool: Tool) -> Result<ToolHandle> {
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
                missing: tool.wanted(),
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
        let group = fetch::group(&self.cache, tool.group(), tool)?;
        ToolHandle::pinned(tool, &group)
    }

    /// The system's tool, or why the one that is there is not good enough (`None`: there is none).
    fn find_system(&self, tool: Tool) -> std::result::Result<ToolHandle, Option<String>> {
        let Some(floor) = tool.floor() else {
            // icepack tells no version: it is taken along with the system's nextpnr.
            if tool.group() == pins::Group::Ice40 {
                self.find_system(Tool::NextpnrIce40).map_err(|_| None)?;
            }
            let path = exec::on_path(tool.system_name()).ok_or(None)?;
            return Ok(ToolHandle::system(tool, path, String::new()));
        };
        let path = exec::on_path(tool.system_name()).ok_or(None)?;
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
            None => Err(Some(format!("{at} tells no version"))),
        }
    }
}

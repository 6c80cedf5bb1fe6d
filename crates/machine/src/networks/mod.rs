//! The networks, one folder for each: flags, machines, drivers and texts. A new network is one
//! folder and one line in [`standard`].
//!
//! * [`Network`]: the common interface of a network;
//! * [`Machine`]: a machine of a network;
//! * [`Networks`]: the registry, through which the commands find them;
//! * [`RunRequest`], [`MachineJob`]: the input and the result when `run` orders a machine;
//! * [`ComparisonSetting`]: the parameters that all machines of a comparison share;
//! * [`HostedBytes`]: a byte network as it goes on a board.
//!
//! No command refers to a network by name. `examples/your_own_network.rs` adds one from outside
//! this crate.

pub mod bytes;
pub mod cm1;
mod faults;
mod hosted;
mod load;
mod machine;
pub mod metacube;
mod noise;
mod registry;
mod request;
pub mod rotation;
mod route;
pub mod tdma;
pub mod torus;

pub use hosted::HostedBytes;
pub use load::{ClaimVerdict, LoadSweepResult};
pub use machine::{Machine, MachineBuilder, Study};
pub use registry::{network_flags, Flags, Networks};
pub use request::{
    ComparisonSetting, DeadlockModel, MachineJob, NetworkError, NetworkNotes, Purpose, Remark,
    RunRequest,
};
pub use route::{NetworkHop, NetworkRoute};

use crate::JsonEntry;
use clap::{ArgMatches, Command};
use std::path::Path;

/// Network: everything about it except its circuits.
pub trait Network: Sync {
    /// Returns the name of the network on the command line.
    fn name(&self) -> &'static str;

    /// Returns a short description for `--help`.
    fn about(&self) -> &'static str {
        "a network of your own"
    }

    /// Adds the network's own flags for this command to `command`. Two networks may have a flag of
    /// the same name, which must mean the same.
    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        let _ = purpose;
        command
    }

    /// True if the network accepts this flag of `run`, which only some networks have: `trace`,
    /// `picture`, `logic_analyzer`.
    fn accepts_flag(&self, flag: &str) -> bool {
        let _ = flag;
        false
    }

    /// Returns the machine that `run` requests, and the messages for it. By default this is the
    /// first of the network's contenders, with nodes of one processor.
    ///
    /// # Errors
    /// If the machine cannot be built, or cannot carry the messages.
    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let messages = request.messages(request.cube)?;
        let setting = ComparisonSetting {
            cube: request.cube,
            proc_bits: 0,
            payload: messages.longest(),
            alone: true,
            flags: request.flags,
        };
        let mut machines = self.machines_to_compare(&setting)?;
        Ok(MachineJob::new(machines.remove(0), messages, request.cube))
    }

    /// Returns the machine on which the engines are measured, and the messages for it.
    ///
    /// # Errors
    /// As [`job`](Self::job).
    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        self.job(request)
    }

    /// Returns the machines that a comparison lists, one line each.
    ///
    /// # Errors
    /// If there is none for this setting; [`NetworkError::Size`] if there is none of that size.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError>;

    /// Returns the network's own flags with their values, for the report of a comparison.
    ///
    /// # Errors
    /// If a flag cannot be read.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let _ = setting;
        Ok(vec![])
    }

    /// Returns the notes on this network for the report of a comparison.
    ///
    /// # Errors
    /// As [`settings`](Self::settings).
    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let _ = setting;
        Ok(NetworkNotes::default())
    }

    /// Returns the papers' claims about this network under load, each with the result of a load
    /// sweep on one of its machines.
    ///
    /// # Errors
    /// As [`settings`](Self::settings).
    fn verdicts(
        &self,
        setting: &ComparisonSetting,
        found: &LoadSweepResult,
    ) -> Result<Vec<ClaimVerdict>, NetworkError> {
        let _ = (setting, found);
        Ok(vec![])
    }

    /// Returns the route of a single message without contention, between nodes given by their
    /// addresses. By default the routing relation of the network determines the route.
    ///
    /// # Errors
    /// If there is no such node.
    fn route(
        &self,
        dims: u64,
        flags: &ArgMatches,
        ends: [u64; 2],
    ) -> Result<NetworkRoute, NetworkError> {
        route::route_by_relation(&*self.deadlock_model(dims, flags)?.relation, dims, ends)
    }

    /// Returns the routing relation of a message and the resources that it holds, for the deadlock
    /// checker.
    ///
    /// # Errors
    /// If the machine cannot be built, or if no message of it waits for another.
    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError>;

    /// Returns the commands that only this network has.
    fn commands(&self) -> &'static [NetworkCommand] {
        &[]
    }
}

/// Command that belongs to one network.
pub struct NetworkCommand {
    /// Returns its flags and help.
    pub command: fn() -> Command,
    /// Meaning of its output, in one sentence.
    pub meaning: &'static str,
    /// Runs the command and returns the text to print. Files go to `work_dir`.
    pub run: fn(&ArgMatches, work_dir: &Path) -> Result<String, NetworkError>,
}

/// Returns the networks of this crate.
pub fn standard() -> Networks {
    Networks::of(&[
        &tdma::TDMA,
        &cm1::CM1,
        &torus::TORUS,
        &rotation::ROTATION,
        &metacube::METACUBE,
    ])
}

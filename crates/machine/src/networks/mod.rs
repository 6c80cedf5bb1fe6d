//! The networks, one folder for each: flags, machines, drivers and texts. A new network is one
//! folder, its `mod` line and its entry in [`standard`].
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
mod hosted;
mod machine;
pub mod metacube;
mod request;
pub mod rotation;
pub mod tdma;
pub mod torus;

use crate::flags::listed;
use crate::JsonEntry;
use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
pub use hosted::HostedBytes;
pub use machine::{ClaimVerdict, LoadSweepResult, Machine, MachineBuilder, Study};
pub use request::{
    ComparisonSetting, DeadlockModel, MachineJob, NetworkError, NetworkHop, NetworkNotes,
    NetworkRoute, Purpose, Remark, RunRequest,
};
use std::fmt::Display;
use std::path::Path;

/// Network: everything about it except its circuits.
pub trait Network: Sync {
    /// Returns the name of the network on the command line.
    fn name(&self) -> &'static str;

    /// Returns the name of the network in titles.
    fn title(&self) -> &'static str {
        self.name()
    }

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
        request::route_by_relation(&*self.deadlock_model(dims, flags)?.relation, dims, ends)
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
    /// Names of the files that it writes into the directory of `--out`.
    pub files: &'static [&'static str],
    /// Runs the command. Intermediate files go to `work_dir`.
    pub run: fn(&ArgMatches, work_dir: &Path) -> Result<CommandOutput, NetworkError>,
}

/// Result of a command.
pub struct CommandOutput {
    /// Report to print. Its width in the format is that of the terminal.
    pub report: Box<dyn Display>,
    /// Names and contents of its files.
    pub files: Vec<(String, String)>,
}

/// Returns the networks of this crate.
pub fn standard() -> Networks {
    Networks::of(&[&tdma::TDMA, &cm1::CM1, &torus::TORUS, &rotation::ROTATION, &metacube::METACUBE])
}

// Registry of networks. All checks for flags of other networks are here.

/// Networks known to the commands, in the order of their listing. The first one is the default.
#[derive(Clone)]
pub struct Networks(Vec<&'static dyn Network>);

impl Networks {
    /// Creates a registry of these networks, which must be at least one.
    pub fn of(networks: &[&'static dyn Network]) -> Self {
        Networks(networks.to_vec())
    }

    /// Returns the registry with one network added.
    #[must_use]
    pub fn with(mut self, network: &'static dyn Network) -> Self {
        self.0.push(network);
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Network> + '_ {
        self.0.iter().copied()
    }

    /// Returns the names of the networks, separated by commas.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.iter().map(|network| network.name()).collect();
        names.join(", ")
    }

    /// Returns the network of this name, or the first network without a name.
    ///
    /// # Errors
    /// As [`by_name`](Self::by_name).
    pub fn select(&self, name: Option<&str>) -> Result<&'static dyn Network, NetworkError> {
        match name {
            Some(name) => self.by_name(name),
            None => Ok(self.0[0]),
        }
    }

    /// Returns the network of this name.
    ///
    /// # Errors
    /// If there is no such network. The message lists the names.
    pub fn by_name(&self, name: &str) -> Result<&'static dyn Network, NetworkError> {
        let found = self.iter().find(|network| network.name() == name);
        found.ok_or_else(|| NetworkError::bad(self.unknown(name)))
    }

    fn unknown(&self, name: &str) -> String {
        let names = self.names();
        format!("there is no network {name:?}; accepted: {names}")
    }

    /// Returns the commands that the networks add.
    pub fn commands(&self) -> impl Iterator<Item = &'static NetworkCommand> + '_ {
        self.iter().flat_map(|network| network.commands())
    }

    /// Returns the parser of a network's name, with the errors of [`by_name`](Self::by_name).
    fn parser(&self) -> impl TypedValueParser<Value = String> {
        let networks = self.clone();
        let parse = move |name: &str| match networks.by_name(name) {
            Ok(network) => Ok(network.name().to_owned()),
            Err(_) => Err(networks.unknown(name)),
        };
        listed(parse, self.iter().map(|network| network.name()))
    }

    /// Adds the flags of all networks to a command, each once.
    pub fn add_flags(&self, mut command: Command, purpose: Purpose) -> Command {
        let has = |command: &Command, id: &str| command.get_arguments().any(|a| a.get_id() == id);
        for id in ["network", "networks"] {
            if has(&command, id) {
                let parser = self.parser();
                command = command
                    .mut_arg(id, |flag| flag.value_parser(parser).hide_possible_values(true));
            }
        }
        if has(&command, "network") {
            let about: Vec<String> = self
                .iter()
                .map(|network| format!("{}, {}", network.name(), network.about()))
                .collect();
            let first = self.0[0].name();
            let help = format!("Network of the machine: {} [default: {first}]", about.join("; "));
            command = command.mut_arg("network", |flag| flag.help(help));
        }
        for network in self.iter() {
            for flag in network_flags(network, purpose).get_arguments() {
                let has = |known: &clap::Arg| known.get_id() == flag.get_id();
                if !command.get_arguments().any(has) {
                    command = command.arg(flag.clone());
                }
            }
        }
        command
    }

    /// Refuses flags that none of the chosen networks has.
    ///
    /// # Errors
    /// The first such flag, with the networks that have it.
    pub fn reject_foreign_flags(
        &self,
        chosen: &[&'static dyn Network],
        purpose: Purpose,
        flags: &ArgMatches,
    ) -> Result<(), NetworkError> {
        let has = |network: &dyn Network, id: &str| {
            let own = network_flags(network, purpose);
            let own = own.get_arguments().any(|flag| flag.get_id() == id);
            own || network.accepts_flag(id)
        };
        for id in flags.ids().map(clap::Id::as_str) {
            let owners: Vec<&str> = self
                .iter()
                .filter(|network| has(*network, id))
                .map(|network| network.name())
                .collect();
            let given = flags.value_source(id) == Some(ValueSource::CommandLine);
            if !given || owners.is_empty() || chosen.iter().any(|network| has(*network, id)) {
                continue;
            }
            let (flag, owners) = (id.replace('_', "-"), owners.join(" or "));
            return Err(NetworkError::bad(format!(
                "--{flag} is a flag of {owners}; accepted: --network {owners}, or no --{flag}"
            )));
        }
        Ok(())
    }
}

/// Returns a command with the flags of one network.
pub fn network_flags(network: &dyn Network, purpose: Purpose) -> Command {
    network.flags(Command::new("flags"), purpose)
}

/// Returns the flags of a network that were given to `run`, with their words, for its report.
pub fn given_flags(network: &dyn Network, flags: &ArgMatches) -> JsonEntry {
    let own = network_flags(network, Purpose::Run);
    let given = own.get_arguments().filter_map(|flag| {
        let id = flag.get_id().as_str();
        let is_given = flags.value_source(id) == Some(ValueSource::CommandLine);
        let words = flags.get_raw(id).filter(|_| is_given)?;
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        Some((id.to_owned(), words.join(",").into()))
    });
    JsonEntry::new("flags", given.collect::<serde_json::Map<_, _>>())
}

/// Arguments of a command as given. A network reads its flags from them. [`Networks::add_flags`]
/// adds the flags to the command.
#[derive(Clone, Debug)]
pub struct Flags(pub ArgMatches);

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Flags(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

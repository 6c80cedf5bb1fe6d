//! Registry of networks. All checks for flags of other networks are here.

use super::{Network, NetworkCommand, NetworkError, Purpose};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

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
        found.ok_or_else(|| {
            NetworkError::bad(format!(
                "there is no network {name:?}; accepted: {}",
                self.names()
            ))
        })
    }

    /// Returns the commands that the networks add.
    pub fn commands(&self) -> impl Iterator<Item = &'static NetworkCommand> + '_ {
        self.iter().flat_map(|network| network.commands())
    }

    /// Adds the flags of all networks to a command, each once.
    pub fn add_flags(&self, mut command: Command, purpose: Purpose) -> Command {
        if command
            .get_arguments()
            .any(|flag| flag.get_id() == "network")
        {
            let about: Vec<String> = self
                .iter()
                .map(|network| format!("{}, {}", network.name(), network.about()))
                .collect();
            let first = self.0[0].name();
            let help = format!(
                "Network of the machine: {} [default: {first}]",
                about.join("; ")
            );
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

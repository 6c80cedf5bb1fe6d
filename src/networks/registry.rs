//! The registry of networks, and the one place that refuses the flags of another one.

use super::{Network, OwnCommand, Purpose, Refusal};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The networks that the commands know, in the order in which they are shown. The first
/// is the one that is meant if none is named.
#[derive(Clone)]
pub struct Networks(Vec<&'static dyn Network>);

impl Networks {
    /// These networks. There is one at least.
    pub fn of(networks: &[&'static dyn Network]) -> Self {
        Networks(networks.to_vec())
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, network: &'static dyn Network) -> Self {
        self.0.push(network);
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Network> + '_ {
        self.0.iter().copied()
    }

    /// The words for them, with commas between.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.iter().map(|network| network.name()).collect();
        names.join(", ")
    }

    /// The network of this name, or the first if none is named.
    ///
    /// # Errors
    /// As [`named`](Self::named).
    pub fn chosen(&self, name: Option<&str>) -> Result<&'static dyn Network, Refusal> {
        match name {
            Some(name) => self.named(name),
            None => Ok(self.0[0]),
        }
    }

    /// The network of this name.
    ///
    /// # Errors
    /// If there is none; the message says which there are.
    pub fn named(&self, name: &str) -> Result<&'static dyn Network, Refusal> {
        let found = self.iter().find(|network| network.name() == name);
        found.ok_or_else(|| {
            Refusal::bad(format!(
                "there is no network {name:?}; accepted: {}",
                self.names()
            ))
        })
    }

    /// The commands that networks bring themselves.
    pub fn commands(&self) -> impl Iterator<Item = &'static OwnCommand> + '_ {
        self.iter().flat_map(|network| network.commands())
    }

    /// The flags of all networks for a command, each once.
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
                "The machine's network: {} [default: {first}]",
                about.join("; ")
            );
            command = command.mut_arg("network", |flag| flag.help(help));
        }
        for network in self.iter() {
            for flag in own_flags(network, purpose).get_arguments() {
                let has = |known: &clap::Arg| known.get_id() == flag.get_id();
                if !command.get_arguments().any(has) {
                    command = command.arg(flag.clone());
                }
            }
        }
        command
    }

    /// Refuses the flags that none of the chosen networks has.
    ///
    /// # Errors
    /// The first of them, with the networks that have it.
    pub fn refuse_foreign(
        &self,
        chosen: &[&'static dyn Network],
        purpose: Purpose,
        flags: &ArgMatches,
    ) -> Result<(), Refusal> {
        let has = |network: &dyn Network, id: &str| {
            let own = own_flags(network, purpose);
            let own = own.get_arguments().any(|flag| flag.get_id() == id);
            own || network.takes(id)
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
            return Err(Refusal::bad(format!(
                "--{flag} is a flag of {owners}; accepted: --network {owners}, or no --{flag}"
            )));
        }
        Ok(())
    }
}

/// A command with the flags of one network.
pub fn own_flags(network: &dyn Network, purpose: Purpose) -> Command {
    network.flags(Command::new("flags"), purpose)
}

/// The arguments of a command as they were given, in which a network finds its flags.
/// The flags are added to the command by [`Networks::add_flags`].
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

//! `--network`.

use super::Choice;
use clap::Args;

/// The networks that are built (docs/machine.md, "Networks").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// The hypercube whose router is a time schedule.
    Tdma,
    /// The adaptive bit-serial router of the CM-1.
    Cm1,
}

impl Choice for Network {
    const WHAT: &'static str = "network";
    const READY: &'static [(&'static str, Self)] = &[("tdma", Self::Tdma), ("cm1", Self::Cm1)];
    const PLANNED: &'static [&'static str] = &["torus", "rotation", "metacube"];
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct NetworkArgs {
    /// The machine's network: tdma or cm1
    #[arg(long, value_name = "NAME", default_value = "tdma", value_parser = Network::parse)]
    pub network: Network,
}

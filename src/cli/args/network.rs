use super::Choice;
use clap::Args;

/// The networks of the design, section 6, that are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// The hypercube whose router is a time schedule.
    Tdma,
}

impl Choice for Network {
    const WHAT: &'static str = "network";
    const READY: &'static [(&'static str, Self)] = &[("tdma", Self::Tdma)];
    const PLANNED: &'static [&'static str] = &["cm1", "torus", "rotation", "metacube"];
}

#[derive(Clone, Debug, Args)]
pub struct NetworkArgs {
    /// The machine's network: tdma
    #[arg(long, value_name = "NAME", default_value = "tdma", value_parser = Network::parse)]
    pub network: Network,
}

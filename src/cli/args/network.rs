//! `--network`.

use clap::Args;
use machine::networks::Flags;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct NetworkArgs {
    /// Network of the machine [default: the first network of the list]
    #[arg(long, value_name = "NAME")]
    network: Option<String>,

    #[command(flatten)]
    pub flags: Flags,
}

impl NetworkArgs {
    /// Value of `--network`; `None` if the flag is absent.
    pub fn name(&self) -> Option<&str> {
        self.network.as_deref()
    }
}

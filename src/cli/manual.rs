//! `phasecube completions SHELL` and `phasecube man`: shell completions and the manual page.

use super::{command, output, CliError};
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;
use machine::networks::Networks;

/// Name of the program.
const NAME: &str = "phasecube";

/// Print completions for a shell
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example:\n  phasecube completions bash\n\nFor bash, append it to ~/.bash_completion; for fish, write it to ~/.config/fish/completions/phasecube.fish; \
                  for zsh, write it as _phasecube to a folder of $fpath."
)]
pub struct CompletionsArgs {
    /// Shell that the completions are for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completions.
pub fn completions(args: &CompletionsArgs, networks: &Networks) -> Result<(), CliError> {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command(networks), NAME, &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page.
pub fn man(networks: &Networks) -> Result<(), CliError> {
    let mut page = vec![];
    let written = Man::new(command(networks)).render(&mut page);
    written.map_err(|e| CliError::Failed(e.into()))?;
    output::print(&String::from_utf8_lossy(&page))
}

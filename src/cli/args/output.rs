use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

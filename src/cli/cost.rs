//! `phasecube cost`: what the blocks cost on the FPGA.

use super::args::OutputArgs;
use super::{builds, output, Failure};
use crate::report::{CostTable, BLOCKS, WHOLE};
use crate::toolchain::Toolchain;
use clap::Args;

/// Measure what each block costs on the Alchitry Cu's iCE40 HX8K
#[derive(Clone, Debug, Args)]
pub struct CostArgs {
    /// The 16 nodes of the 4-cube in one chip instead, with wires and phase clock; takes minutes
    #[arg(long)]
    whole: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Prints the table.
pub fn cost(args: &CostArgs) -> Result<(), Failure> {
    let tools = Toolchain::open()?;
    let blocks = match args.whole {
        true => WHOLE,
        false => BLOCKS,
    };
    let table = CostTable::measure(&tools, blocks, &builds().join("cost"))?;
    output::print(&match args.output.json {
        true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
        false => table.to_string(),
    })
}

//! `phasecube cost`: what the blocks cost on the FPGA.

use super::args::OutputArgs;
use super::{builds, output, Failure};
use crate::report::{CostTable, BLOCKS};
use crate::toolchain::Toolchain;
use clap::Args;

/// Measure what each block costs on the Alchitry Cu's iCE40 HX8K
#[derive(Clone, Debug, Args)]
pub struct CostArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Prints the table.
pub fn cost(args: &CostArgs) -> Result<(), Failure> {
    let tools = Toolchain::open()?;
    let table = CostTable::measure(&tools, BLOCKS, &builds().join("cost"))?;
    output::print(&match args.output.json {
        true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
        false => table.to_string(),
    })
}

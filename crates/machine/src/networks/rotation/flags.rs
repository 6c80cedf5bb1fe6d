//! Flags of minimal rotation.

use super::RotationShape;
use crate::flags::FlagChoice;
use crate::networks::bytes::ByteFlags;
use crate::networks::tdma::cube::DeadMode;
use crate::networks::NetworkError;
use clap::{ArgMatches, Args};
use interconnect::routing::rotation::RotationRule;
use interconnect::topology::Hypercube;
use rtl::rotation::{FirstHop, RotationPlan};

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network rotation")]
pub struct RotationFlags {
    /// Rule for the next dimension: minimal (rotation) or thacker (the rightmost 1 of the leftmost
    /// group) [default: minimal]
    #[arg(long, value_name = "RULE", value_parser = RotationRule::parser(), hide_possible_values = true)]
    pub rule: Option<RotationRule>,

    /// Method by which a switch finds the first dimension: table (at once) or serial (a clock cycle
    /// for each dimension) [default: table, with more than 8 dimensions serial]
    #[arg(long, value_name = "HOW", value_parser = FirstHop::parser(), hide_possible_values = true)]
    pub first_hop: Option<FirstHop>,

    #[command(flatten)]
    pub bytes: ByteFlags,
}

impl RotationFlags {
    /// Returns the parameters of the machine with `dims` dimensions.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn shape(&self, dims: u64) -> Result<RotationShape, NetworkError> {
        let cube = Hypercube::new(dims).map_err(NetworkError::size)?;
        let shape = RotationShape::new(cube);
        let plan = shape.plan();
        let plan = RotationPlan {
            channels: self.bytes.vcs.unwrap_or(plan.channels),
            queue: self.bytes.queue.unwrap_or(plan.queue),
            rule: self.rule.unwrap_or(plan.rule),
            first: self.first_hop.unwrap_or(plan.first),
            ..plan
        };
        shape
            .with(plan)
            .map_err(|e| NetworkError::BadInput(e.into()))
    }
}

/// Returns the node of `--dead`. The command has this flag for other networks as well.
///
/// # Errors
/// If several nodes are given, or the failure mode is not a silent switch.
pub fn failed_switch(flags: &ArgMatches) -> Result<Option<u64>, NetworkError> {
    let dead = flags.try_get_many::<(u64, DeadMode)>("dead");
    let dead: Vec<&(u64, DeadMode)> = dead.ok().flatten().into_iter().flatten().collect();
    match dead[..] {
        [] => Ok(None),
        [(node, DeadMode::Silent)] => Ok(Some(*node)),
        _ => Err(NetworkError::bad(
            "rotation supports one failed switch, which is silent; accepted: --dead NODE, once",
        )),
    }
}

impl FlagChoice for RotationRule {
    const OPTION_NAME: &'static str = "rule";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("minimal", Self::Minimal), ("thacker", Self::Thacker)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for FirstHop {
    const OPTION_NAME: &'static str = "method for the first hop";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("table", Self::Table), ("serial", Self::Serial)];
    const RESERVED: &'static [&'static str] = &[];
}

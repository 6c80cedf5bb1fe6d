//! Flags of the metacube.

use super::exchange::ExchangeKind;
use crate::flags::{parse_metacube, within, FlagChoice};
use crate::networks::tdma::{
    ClockFlags, CompiledFlags, CubeFaultFlags, ProgramFlags, TdmaBenchFlags,
};
use crate::networks::NetworkError;
use clap::Args;
use interconnect::routing::metacube::{ClassPaths, MetacubeRouting};
use interconnect::topology::Metacube;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network metacube")]
pub struct MetacubeFlags {
    /// Bits of a class and of a field: MC(K,M) has 2^(M 2^K + K) nodes, and --dims is ignored
    /// [default: the metacube with 2^N nodes]
    #[arg(long, value_name = "K,M", value_parser = parse_metacube)]
    pub metacube: Option<Metacube>,

    /// Distinct counts of crossed cross edges, each with its own buffer on each link, 1 to 5. With
    /// fewer than 2 (K = 1) or 5 (K = 2) messages can deadlock [default: 2 or 5]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1, 5))]
    pub counts: Option<u32>,
}

/// Flags of `bench`.
#[derive(Clone, Debug, Args)]
pub struct MetacubeBenchFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    #[command(flatten)]
    pub program: TdmaBenchFlags,
}

/// Flags of `route`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network metacube")]
pub struct RouteFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    /// Routes by the table of the paper instead of the rule of the circuits: paper (Algorithm 4 and
    /// Table 1, corrected) or printed (as printed; some routes end at a wrong node)
    #[arg(long, value_name = "TABLE", value_parser = ClassPaths::parser(), hide_possible_values = true)]
    pub table: Option<ClassPaths>,
}

/// Flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct MetacubeRunFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    #[command(flatten)]
    pub compiled: CompiledFlags,

    #[command(flatten)]
    pub disturbance: CubeFaultFlags,

    #[command(flatten)]
    pub clocks: ClockFlags,

    /// Total exchange by a plan in place of a pattern: lockstep (a programmed order of links, in
    /// which every node sends or receives in every phase), cyclic (in superframes, one offset after
    /// the other) or pipelined (in superframes, several offsets in flight); the last two are
    /// compiled
    #[arg(long, value_name = "PLAN", help_heading = "With --network metacube", value_parser = ExchangeKind::parser(), hide_possible_values = true)]
    pub exchange: Option<ExchangeKind>,

    /// Count the steps of a total exchange in which two circuits would need a link in the same
    /// direction if they were held from end to end, as in cut-through switching
    #[arg(long, requires = "exchange", help_heading = "With --network metacube")]
    pub held: bool,

    /// End the run after this number of superframes, even if messages are in flight
    #[arg(long, value_name = "N", help_heading = "Simulation", value_parser = within::<u64>(1, u32::MAX.into()))]
    pub superframes: Option<u64>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

impl MetacubeFlags {
    /// Returns the metacube. Without `--metacube` it is the one with 2^`dims` nodes.
    ///
    /// # Errors
    /// If there is no such metacube.
    pub fn shape(&self, dims: u64) -> Result<Metacube, NetworkError> {
        match self.metacube {
            Some(metacube) => Ok(metacube),
            None => Metacube::of_cube(dims).map_err(NetworkError::size),
        }
    }

    /// Returns the routing of the metacube.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn routing(&self, dims: u64) -> Result<MetacubeRouting, NetworkError> {
        let routing = MetacubeRouting::new(self.shape(dims)?);
        Ok(MetacubeRouting {
            counts: self.counts.unwrap_or(routing.counts),
            ..routing
        })
    }
}

impl FlagChoice for ClassPaths {
    const OPTION_NAME: &'static str = "table";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("paper", Self::Corrected), ("printed", Self::Printed)];
    const RESERVED: &'static [&'static str] = &[];
}

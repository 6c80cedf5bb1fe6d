//! Flags of the TDMA cube.

use super::clock_flags::ClockFlags;
use super::compiled::CompiledFlags;
use super::cube::SyncSource;
use super::fault_flags::CubeFaultFlags;
use super::link::{LinkFlags, LinkKind};
use super::machine::ProgramRequest;
use crate::flags::{within, FlagChoice};
use crate::networks::NetworkError;
use crate::program::ProgramName;
use clap::Args;
use interconnect::routing::tdma::Routing;

/// Heading of the flags for programs.
const PROGRAM: &str = "Nodes that run a program";

/// Flags of `bench`.
#[derive(Clone, Debug, Args)]
pub struct TdmaBenchFlags {
    /// Program of the nodes: route_at_once, route, an ELF file or a C file (.c); or none, for
    /// hardware forwarders
    #[arg(long, value_name = "PROGRAM", default_value = "route_at_once")]
    pub firmware: ProgramName,
}

impl TdmaBenchFlags {
    /// Returns the program, if there is one.
    pub fn program(&self) -> Option<ProgramRequest> {
        (self.firmware != ProgramName::from("none")).then(|| ProgramRequest {
            name: self.firmware.clone(),
            service: None,
            has_own_work: false,
        })
    }
}

/// Flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct TdmaRunFlags {
    #[command(flatten)]
    pub link: LinkFlags,

    /// Order in which messages cross the dimensions in which their addresses differ: ecube, the
    /// lowest first, so that the messages of a pair arrive in order; or adaptive, in the order of
    /// the phases, from a pool of slots, so that messages can overtake each other [default: ecube]
    #[arg(long, value_name = "NAME", help_heading = "Machine", value_parser = Routing::parser(), hide_possible_values = true)]
    pub routing: Option<Routing>,

    #[command(flatten)]
    pub compiled: CompiledFlags,

    /// Source of the sync of the nodes: wire, the sync of the phase clock; or own, each node counts
    /// the phases that it sees and cannot detect its own slips [default: wire]
    #[arg(long, value_name = "NAME", help_heading = "Machine", conflicts_with = "compiled", value_parser = SyncSource::parser(), hide_possible_values = true)]
    pub sync: Option<SyncSource>,

    #[command(flatten)]
    pub disturbance: CubeFaultFlags,

    #[command(flatten)]
    pub clocks: ClockFlags,

    /// End the run after this number of superframes, even if messages are in flight
    #[arg(long, value_name = "N", help_heading = "Simulation", value_parser = within::<u64>(1, u32::MAX.into()))]
    pub superframes: Option<u64>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

impl TdmaRunFlags {
    /// Returns the routing of the nodes.
    ///
    /// # Errors
    /// If the nodes selected by the other flags cannot use this routing, or links cannot serve in
    /// the requested order.
    pub fn routing(&self) -> Result<Routing, NetworkError> {
        self.link.check()?;
        let routing = self.routing.unwrap_or_default();
        let program = self.program.firmware.as_ref();
        let foreign = [
            (
                self.link.link() == LinkKind::Raw,
                "--link raw",
                "--link acked",
            ),
            (
                program.is_some_and(|name| name.project_name() != Some("route")),
                "a program other than route",
                "--firmware route, or no --firmware (a message in a pool does not store the link \
                 that it came by)",
            ),
            (
                self.link.service_order.is_some(),
                "--service-order",
                "no --service-order (the nearest message of a pool goes first)",
            ),
        ];
        match foreign.into_iter().find(|(given, ..)| *given) {
            Some((_, flag, accepted)) if routing == Routing::Adaptive => Err(NetworkError::bad(
                format!("--routing adaptive does not go with {flag}; accepted: {accepted}"),
            )),
            _ => Ok(routing),
        }
    }
}

/// Flags of the program that nodes run in place of a forwarder.
#[derive(Clone, Debug, Args)]
pub struct ProgramFlags {
    /// Program that the nodes run instead of a forwarder: route, an ELF file or a C file (.c)
    #[arg(long, value_name = "PROGRAM", help_heading = PROGRAM)]
    pub firmware: Option<ProgramName>,

    /// Service window, in which the programs decide, 1 to 4000 bit-times [default: as much as route
    /// needs, with --data 4,000 clock cycles more]
    #[arg(long, value_name = "BITS", requires = "firmware", help_heading = PROGRAM, value_parser = within::<u32>(1, 4000))]
    pub service: Option<u32>,

    /// Print a profile of the cores
    #[arg(long, requires = "firmware", conflicts_with = "json", help_heading = PROGRAM)]
    pub profile: bool,
}

impl ProgramFlags {
    /// Returns the program, if there is one. `works` is set if the program is given data.
    pub fn program(&self, works: bool) -> Option<ProgramRequest> {
        self.firmware.as_ref().map(|name| ProgramRequest {
            name: name.clone(),
            service: self.service,
            has_own_work: works,
        })
    }
}

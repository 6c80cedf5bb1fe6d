//! Flags of the TDMA cube.

use super::compiled::CompiledFlags;
use super::cube::{ClockSpread, Skew, SyncSource};
use super::frame::{LinkFlags, LinkKind};
use super::machine::{ProgramRequest, Tdma};
use super::too_large;
use crate::flags::{within, CoreFlags, FlagChoice};
use crate::networks::machine::{check_distinct, FaultFlags, FlagParseError};
use crate::networks::tdma::cube::{CubeCircuit, CubeFaults, DeadNode, Slip};
use crate::networks::{NetworkError, RunRequest};
use crate::program::sources::program_names;
use crate::program::{NodeMemory, ProgramName};
use anyhow::Context;
use clap::Args;
use interconnect::routing::tdma::Routing;
use interconnect::topology::{node_at, number, Hypercube, Topology};
use std::str::FromStr;

/// Heading of the flags for programs.
const PROGRAM: &str = "Nodes that run a program";

/// Flags that only TDMA machines have in `bench`.
#[derive(Clone, Debug, Args)]
pub struct TdmaBenchFlags {
    /// Program of the nodes, as in `run`, or none for hardware forwarders
    #[arg(long, value_name = "PROGRAM", default_value = "route_at_once", value_parser = ProgramName::parser(&["none"]), hide_possible_values = true)]
    pub firmware: ProgramName,

    /// Memories of each node, as in `run`
    #[arg(long, value_name = "PROGRAM,DATA", value_parser = NodeMemory::from_str)]
    pub memory: Option<NodeMemory>,

    #[command(flatten)]
    pub core: CoreFlags,
}

impl TdmaBenchFlags {
    /// Returns the program, if there is one.
    ///
    /// # Errors
    /// If forwarders are given memories.
    pub fn program(&self) -> Result<Option<ProgramRequest>, NetworkError> {
        if self.firmware != ProgramName::from("none") {
            return Ok(Some(ProgramRequest {
                name: self.firmware.clone(),
                service: None,
                has_work: false,
                memory: self.memory.unwrap_or_default(),
                multiplies: false,
                core: self.core.clone(),
            }));
        }
        match self.memory {
            None => Ok(None),
            Some(_) => Err(NetworkError::bad(
                "--memory: forwarders have no program; accepted: a --firmware other than none",
            )),
        }
    }
}

/// Flags that only TDMA machines have in `run`.
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
            (self.link.link() == LinkKind::Raw, "--link raw", "--link acked"),
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

    /// Returns the circuit for messages of up to `payload` bytes, with everything that the flags
    /// change in it.
    ///
    /// # Errors
    /// As [`routing`](Self::routing), or if the cube is too large.
    pub fn circuit(&self, cube: Hypercube, payload: usize) -> Result<CubeCircuit, NetworkError> {
        let acked = self.link.link() == LinkKind::Acked;
        let circuit = CubeCircuit::new(cube, payload, acked).ok_or_else(|| too_large(cube))?;
        let circuit = match self.routing()? {
            Routing::ECube => circuit.with_order(self.link.service_order()),
            Routing::Adaptive => circuit.adaptive(),
        };
        Ok(circuit.with_sync(self.sync.unwrap_or_default()))
    }
}

/// Flags of the program that nodes run in place of a forwarder.
#[derive(Clone, Debug, Args)]
pub struct ProgramFlags {
    #[arg(
        long,
        value_name = "PROGRAM",
        help_heading = PROGRAM,
        value_parser = ProgramName::parser(&[]),
        hide_possible_values = true,
        help = format!(
            "Program that the nodes run instead of a forwarder: {}, a C, C++ or StarC file (.c, .cpp, .starc) or an ELF file",
            program_names()
        )
    )]
    pub firmware: Option<ProgramName>,

    /// Service window, in which the programs decide, 1 to 4000 bit-times [default: as much as route
    /// needs, with --data 4,000 clock cycles more, for StarC 12,000]
    #[arg(long, value_name = "BITS", requires = "firmware", help_heading = PROGRAM, value_parser = within::<u32>(1, 4000))]
    pub service: Option<u32>,

    /// Memories of each node, program store and data memory: powers of two, 2K to 64K and 512 to 32K
    /// [default: 2K,512, as on a board]
    #[arg(long, value_name = "PROGRAM,DATA", requires = "firmware", help_heading = PROGRAM, value_parser = NodeMemory::from_str)]
    pub memory: Option<NodeMemory>,

    /// Give the cores instructions for multiplication and division (the M extension), and compile the
    /// program for them
    #[arg(long, requires = "firmware", conflicts_with = "core", help_heading = PROGRAM)]
    pub multiply: bool,

    /// Print a profile of the cores
    #[arg(long, requires = "firmware", help_heading = PROGRAM)]
    pub profile: bool,

    #[command(flatten)]
    pub core: CoreFlags,
}

impl ProgramFlags {
    /// Returns the program, if there is one. `works` is set if the program is given data.
    ///
    /// # Errors
    /// If a core is given without a program, or multiplication with a program of the project.
    pub fn program(&self, works: bool) -> Result<Option<ProgramRequest>, NetworkError> {
        if self.firmware.is_none() && !self.core.core.is_empty() {
            return Err(NetworkError::bad(
                "--core is the core that runs a program; accepted: --core with --firmware",
            ));
        }
        let own = self.firmware.as_ref().is_some_and(|name| name.user_path().is_some());
        if self.multiply && !own {
            return Err(NetworkError::bad(
                "--multiply: the programs of the project are distributed in compiled form, without \
                 these instructions; accepted: a C, C++, StarC or ELF file",
            ));
        }
        Ok(self.firmware.as_ref().map(|name| ProgramRequest {
            name: name.clone(),
            service: self.service,
            has_work: works,
            memory: self.memory.unwrap_or_default(),
            multiplies: self.multiply,
            core: self.core.clone(),
        }))
    }
}

// Individual clocks of the nodes: `--skew`, `--skew-tree` and `--ppm`.

/// Flags for the tolerances of the nodes' clocks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clocks of the nodes")]
pub struct ClockFlags {
    /// Give each node its own clock and a phase clock that is 0 to BITS bit-times late, drawn by
    /// --seed; up to 100
    #[arg(long, value_name = "BITS", conflicts_with = "skew_tree", value_parser = parse_bit_times)]
    skew: Option<f64>,

    /// As --skew, by a tree of buffers, each of which drives FAN others or nodes, 2 to 4096. A
    /// branch adds 0 to BITS bit-times, up to 100
    #[arg(long, value_name = "FANxBITS", value_parser = parse_tree)]
    skew_tree: Option<Skew>,

    /// Give each node its own clock, 0 to P millionths slower than the phase clock's; up to 50000
    #[arg(long, value_name = "P", value_parser = parse_ppm)]
    ppm: Option<f64>,
}

/// Parses a number from 0 to `most`.
fn number(text: &str, most: f64, of: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        _ => Err(format!("accepted: 0 to {most} {of}")),
    }
}

fn parse_bit_times(text: &str) -> Result<f64, String> {
    number(text, 100.0, "bit-times, such as 1.5")
}

fn parse_ppm(text: &str) -> Result<f64, String> {
    number(text, 50_000.0, "millionths")
}

fn parse_tree(text: &str) -> Result<Skew, String> {
    let wrong = "accepted: a fan-out of 2 to 4096, x, and 0 to 100 bit-times, such as 16x2";
    let (fan_out, bit_times) = text.split_once('x').ok_or(wrong)?;
    let fan_out = fan_out.parse().ok().filter(|n| (2..=4096).contains(n));
    Ok(Skew::Tree {
        fan_out: fan_out.ok_or(wrong)?,
        bit_times: number(bit_times, 100.0, "bit-times").map_err(|_| wrong)?,
    })
}

impl ClockFlags {
    /// Returns the requested clock spread. `None` if no flag asks for one.
    fn spread(&self) -> Option<ClockSpread> {
        let each = self.skew.map(|bit_times| Skew::Each { bit_times });
        let skew = each.or(self.skew_tree);
        (skew.is_some() || self.ppm.is_some()).then(|| ClockSpread {
            skew: skew.unwrap_or_default(),
            ppm: self.ppm.unwrap_or_default(),
        })
    }

    /// Gives the nodes of a machine the requested clocks.
    ///
    /// # Errors
    /// If the machine does not support individual clocks.
    pub fn apply(&self, machine: &mut Tdma, request: &RunRequest) -> Result<(), NetworkError> {
        let Some(spread) = self.spread() else {
            return Ok(());
        };
        if machine.schedule().order().is_some() {
            return Err(NetworkError::bad(
                "nodes with a programmed order have no clocks of their own; accepted: --skew, \
                 --skew-tree and --ppm with superframes",
            ));
        }
        let given = machine.set_node_clocks(spread, request.recipe.seed);
        given.map_err(|late| NetworkError::bad(late.to_string()))
    }
}

// Faults of the machine: `--noise`, `--dead` and `--slip`.

/// Flags for faults of the machine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes wrong")]
pub struct CubeFaultFlags {
    #[command(flatten)]
    pub faults: FaultFlags,

    /// Node that misses the beginning of phase T, counted from 0 at the start; can be repeated
    #[arg(long, value_name = "NODE@T", value_parser = parse_slip)]
    slip: Vec<(u64, u64)>,
}

fn parse_slip(text: &str) -> Result<(u64, u64), FlagParseError> {
    let Some((node, t)) = text.split_once('@') else {
        return Err(format!("{text:?} has no @; accepted: NODE@PHASE, such as 0x5@12").into());
    };
    Ok((number::parse(node)?, number::parse(t)?))
}

impl CubeFaultFlags {
    /// Returns the faults, after a check that their nodes exist.
    pub fn machine_faults(
        &self,
        topology: &dyn Topology,
        seed: u64,
    ) -> Result<CubeFaults, NetworkError> {
        let node = |flag: &'static str, value: u64| {
            let node = node_at(topology, value).context(flag);
            node.map_err(NetworkError::BadInput)
        };
        let dead = self.faults.dead.iter();
        let dead =
            dead.map(|(value, mode)| Ok(DeadNode { node: node("--dead", *value)?, mode: *mode }));
        let dead = dead.collect::<Result<Vec<_>, NetworkError>>()?;
        let slips = self.slip.iter();
        let slips = slips.map(|(value, t)| Ok(Slip { node: node("--slip", *value)?, t: *t }));
        let slips = slips.collect::<Result<Vec<_>, NetworkError>>()?;
        check_distinct("--dead", dead.iter().map(|d| d.node), |node| topology.node_name(node))?;
        check_distinct("--slip", slips.iter().map(|s| (s.node, s.t)), |(node, t)| {
            format!("{}@{t}", topology.node_name(node))
        })?;
        Ok(CubeFaults { noise: self.faults.noise, seed, dead, slips })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skew_trees_are_parsed() {
        let tree = Skew::Tree { fan_out: 16, bit_times: 2.5 };
        assert_eq!(parse_tree("16x2.5"), Ok(tree));
        for wrong in ["16", "1x2", "16x-1", "16x2us", "5000x1", "x"] {
            assert!(parse_tree(wrong).unwrap_err().contains("16x2"), "{wrong}");
        }
        assert_eq!(parse_bit_times("0.5"), Ok(0.5));
        for wrong in ["-1", "101", "NaN", ""] {
            assert!(parse_bit_times(wrong).is_err(), "{wrong}");
        }
    }
}

#[cfg(test)]
mod fault_flags_tests {
    use super::*;
    use crate::networks::tdma::cube::DeadMode;
    use interconnect::topology::Hypercube;

    #[test]
    fn slip_flags_are_parsed() {
        assert_eq!(parse_slip("0x2@17").unwrap(), (2, 17));
        assert!(parse_slip("2").unwrap_err().to_string().contains("NODE@PHASE"));
    }

    #[test]
    fn nodes_outside_the_cube_are_rejected() {
        let args = CubeFaultFlags {
            faults: FaultFlags { noise: 0.0, dead: vec![(8, DeadMode::Low)] },
            slip: vec![],
        };
        let rejection = args.machine_faults(&Hypercube::new(3).unwrap(), 1).unwrap_err();
        let NetworkError::BadInput(error) = rejection else {
            panic!("{rejection:?}");
        };
        let printed = format!("{error:#}");
        assert!(printed.starts_with("--dead: 8 (0x8) is outside"), "{printed}");
    }
}

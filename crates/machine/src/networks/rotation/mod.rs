//! Minimal rotation on the cube (`minimal-rotation-routing`), on byte channels.
//!
//! `shape` has the parameters of a machine ([`RotationShape`]), its circuit ([`RotationCircuit`]),
//! and routes and packets for the [driver](super::bytes). This file has the network, its flags and
//! its machine.

mod shape;

use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkError, NetworkNotes,
    Purpose, RunRequest,
};
use crate::flags::FlagChoice;
use crate::networks::bytes::{received_bytes, silicon, timebase, ByteDriver, ByteFlags};
use crate::networks::tdma::cube::DeadMode;
use crate::text::format_count;
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts,
};
use anyhow::{anyhow, Context};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use engine::{NodeEngine, WordStream};
use hdl::lower::{lower, LowerErrors};
use interconnect::routing::dependencies::Switching;
use interconnect::routing::rotation::RotationRule;
use interconnect::topology::{Hypercube, Topology};
use rtl::rotation::{FirstHop, RotationPlan};
pub use shape::{RotationCircuit, RotationShape, RotationShapeError};
use std::sync::Arc;

/// The minimal rotation network.
pub struct RotationNetwork;

pub const ROTATION: RotationNetwork = RotationNetwork;

impl Network for RotationNetwork {
    fn name(&self) -> &'static str {
        "rotation"
    }

    fn about(&self) -> &'static str {
        "minimal rotation on the hypercube, on the torus's channels"
    }

    fn flags(&self, command: Command, _: Purpose) -> Command {
        RotationFlags::augment_args(command)
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        ["trace", "dead"].contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let shape = shape(request.flags, request.cube.dims().into())?;
        let messages = request.messages(request.cube)?;
        let machine = RotationMachine::new(shape, 0, messages.longest());
        Ok(MachineJob::new(Box::new(machine), messages, request.cube))
    }

    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let machine = RotationMachine::new(shape, setting.proc_bits, setting.payload);
        Ok(vec![Box::new(machine)])
    }

    /// Lists only the flags that were given.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = RotationFlags::from_arg_matches(setting.flags)?;
        let entries = [
            flags.rule.map(|rule| JsonEntry::new("rule", rule.name())),
            flags.first_hop.map(|how| JsonEntry::new("first_hop", how.name())),
            flags.bytes.vcs.map(|vcs| JsonEntry::new("vcs", vcs)),
            flags.bytes.queue.map(|queue| JsonEntry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let plan = shape(setting.flags, setting.cube.dims().into())?.plan();
        Ok(NetworkNotes {
            parameters: Some(format!(
                "rotation by the rule {}, {} and queues of {} bytes",
                plan.rule.name(),
                format_count(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "By minimal rotation a packet crosses the dimensions of a cube from left to \
                    right, round its address, byte by byte.",
            silicon_excludes: "A rotation switch would be a chip of its own.",
            time_includes: "A rotation bit-time is one clock cycle.",
            wire_definition:
                "A rotation channel is used one way, one each way between two nodes; it has a \
                    wire for each bit of a byte, and for each virtual channel a request and, back, \
                    an acknowledge; its steps are clock cycles, its periods packet times.",
            arrival: "Those of rotation end when the last byte of a packet is delivered to the \
                      processor of its destination; header, encoding and tail are in.",
        })
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        Ok(DeadlockModel {
            relation: shape(flags, dims)?.relation(),
            holding: Switching::Wormhole,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<RotationShape, NetworkError> {
    let own = RotationFlags::from_arg_matches(flags)?;
    let shape = own.shape(dims)?;
    let has_failed = failed_switch(flags)?.is_some();
    if own.first_hop.is_some() && (has_failed || shape.plan().rule != RotationRule::Minimal) {
        let other = if has_failed { "--dead" } else { "--rule thacker" };
        return Err(NetworkError::bad(format!(
            "--first-hop does not go with {other}, which has its own method; accepted: no \
             --first-hop"
        )));
    }
    let Some(node) = failed_switch(flags)? else {
        return Ok(shape);
    };
    let node = shape.cube().address(node).context("--dead");
    let rewired = shape.with_failed(node.map_err(NetworkError::BadInput)?);
    rewired.map_err(|e| NetworkError::BadInput(anyhow!(e).context("--dead")))
}

// Flags of minimal rotation.

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network rotation")]
struct RotationFlags {
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
        shape.with(plan).map_err(|e| NetworkError::BadInput(e.into()))
    }
}

/// Returns the node of `--dead`. The command has this flag for other networks as well.
///
/// # Errors
/// If several nodes are given, or the failure mode is not a silent switch.
fn failed_switch(flags: &ArgMatches) -> Result<Option<u64>, NetworkError> {
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

// Cube of rotation switches as a `Machine`.

/// Machine with one switch for each processor, or for several processors.
struct RotationMachine {
    circuit: RotationCircuit,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
}

impl RotationMachine {
    /// Creates the machine for messages with `payload` bytes. With several processors to a node a
    /// message has one more byte.
    pub fn new(shape: RotationShape, proc_bits: u32, payload: usize) -> Self {
        RotationMachine {
            circuit: RotationCircuit::new(shape),
            proc_bits,
            payload: payload + usize::from(proc_bits > 0),
        }
    }

    fn shape(&self) -> &RotationShape {
        self.circuit.shape()
    }
}

impl Machine for RotationMachine {
    fn label(&self) -> &'static str {
        "rotation"
    }

    fn headline(&self) -> String {
        let plan = self.shape().plan();
        let cube = self.shape().cube();
        let failed = self.shape().failed();
        let failed = failed.map(|node| format!(", switch {} failed", cube.hex(node)));
        format!(
            "{}, rule {}, {}, queues of {}{}",
            cube.name(),
            plan.rule.name(),
            format_count(plan.channels, "virtual channel"),
            plan.queue,
            failed.unwrap_or_default()
        )
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let plan = self.shape().plan();
        vec![
            JsonEntry::new("dims", plan.dims),
            JsonEntry::new("rule", plan.rule.name()),
            JsonEntry::new("vcs", plan.channels),
            JsonEntry::new("queue", plan.queue),
            JsonEntry::new("first_hop", plan.first.name()),
            JsonEntry::new("dead", self.shape().failed()),
        ]
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        timebase(self.shape().packet(self.payload))
    }

    /// Counts one channel for each dimension. A channel has a byte, and a request and an
    /// acknowledge for each virtual channel that occurs.
    fn wire_counts(&self) -> WireCounts {
        let shape = self.shape();
        let wires = (8 * shape.plan().dims + 2 * shape.crossbar().lanes().len()) as u32;
        WireCounts { per_node: wires.into(), pins: 2 * wires }
    }

    fn subject(&self) -> WaveSubject {
        let cube = Arc::new(*self.shape().cube());
        WaveSubject::without_links(cube, "clock cycle", "start", 1)
    }

    fn buffer_name(&self, place: u32) -> String {
        match self.shape().crossbar().lanes().get(place as usize) {
            Some(lane) => format!("dim {} vc {}", lane.dim, lane.vc),
            None => "processor".to_owned(),
        }
    }

    /// Returns the number of packet times that contain enough clock cycles.
    fn deadlock_after(&self) -> Option<u64> {
        Some(self.shape().quiescent_after().div_ceil(self.timebase().period))
    }

    fn stream(&self) -> Option<WordStream> {
        Some(received_bytes())
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        let load = load.between_nodes(self.proc_bits);
        let period = self.timebase().period;
        let shape = Arc::new(*self.shape());
        let driver = ByteDriver::new(engine, shape, period, &load);
        Ok(Box::new(driver))
    }

    /// Returns the node of the machine, with its processors.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        let name = format!("RotationSwitch<{}>", self.shape().plan().dims);
        let topology = self.circuit.topology();
        silicon(
            topology,
            &name,
            || lower(&*rtl::rotation::machine::switch(self.circuit.shape().plan())),
            1 << self.proc_bits,
        )
    }
}

//! k-ary n-cube of byte-wide channels with two virtual channels each (`torus-routing-chip`).
//!
//! * `shape`: parameters of a machine ([`TorusShape`]), its circuit ([`TorusCircuit`]), and routes
//!   and queues for the [driver](super::bytes);
//! * [`packet`]: a message as bytes, and the decoder of the bytes on a channel.
//!
//! This file has the network, its flags and its machine. It also compares measured loads with the
//! claims of the papers.

pub mod packet;
mod shape;

use super::{
    ClaimVerdict, ComparisonSetting, DeadlockModel, LoadSweepResult, Machine, MachineJob, Network,
    NetworkError, NetworkNotes, Purpose, RunRequest,
};
use crate::flags::{within, FlagChoice};
use crate::networks::bytes::{received_bytes, silicon, timebase, ByteDriver, ByteFlags};
use crate::text::format_count;
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use engine::{NodeEngine, WordStream};
use hdl::lower::{lower, LowerErrors};
use interconnect::routing::dependencies::Switching;
use interconnect::routing::torus::VcSwitchNode;
use interconnect::topology::{AddressSpace, Topology, Torus};
use packet::PacketDecoder;
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
use rtl::torus::{Tail, TorusPlan};
pub use shape::{TorusCircuit, TorusShape, TorusShapeError};
use std::sync::Arc;

/// Registry entry of the torus, `--network torus`.
pub struct TorusNetwork;

pub const TORUS: TorusNetwork = TorusNetwork;

impl Network for TorusNetwork {
    fn name(&self) -> &'static str {
        "torus"
    }

    fn about(&self) -> &'static str {
        "the torus routing chip: bytes through rings, on two virtual channels"
    }

    fn flags(&self, command: Command, _: Purpose) -> Command {
        TorusFlags::augment_args(command)
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        ["trace", "logic_analyzer"].contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let shape = shape(request.flags, request.cube.dims().into())?;
        let nodes = shape.torus().nodes();
        let addresses =
            AddressSpace::new(nodes.into()).map_err(|e| NetworkError::BadInput(e.into()))?;
        let messages = request.messages(addresses)?;
        let machine = TorusNetworkMachine::new(shape, 0, messages.longest());
        Ok(MachineJob::new(Box::new(machine), messages, addresses))
    }

    /// Returns one machine. If the comparison has other machines, all have the same number of
    /// nodes.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let (nodes, wanted) = (shape.torus().nodes(), setting.cube.nodes());
        if nodes != wanted && !setting.alone {
            return Err(NetworkError::bad(format!(
                "the {} has {nodes} nodes, the others have {wanted}; accepted: --radix with a \
                 product of {wanted}, or no --radix",
                shape.torus().name()
            )));
        }
        let machine = TorusNetworkMachine::new(shape, setting.proc_bits, setting.payload);
        Ok(vec![Box::new(machine)])
    }

    /// Lists only the flags that were given. All other parameters have the values of the paper's
    /// chip.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = TorusFlags::from_arg_matches(setting.flags)?;
        let radices: Vec<String> = flags.radix.iter().map(u32::to_string).collect();
        let radix = (!radices.is_empty()).then(|| JsonEntry::new("radix", radices.join(",")));
        let entries = [
            radix,
            flags.bytes.vcs.map(|vcs| JsonEntry::new("vcs", vcs)),
            flags.switch.map(|rule| JsonEntry::new("switch", rule.name())),
            flags.tail.map(|tail| JsonEntry::new("tail", tail.name())),
            flags.bytes.queue.map(|queue| JsonEntry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let plan = shape.plan();
        Ok(NetworkNotes {
            parameters: Some(format!(
                "torus of {}, {} and queues of {} bytes",
                radices(&shape),
                format_count(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "In a torus a packet goes down one ring after the other, byte by byte, and its \
                    bytes lie in the queues of several nodes at once. In a packet time, as many \
                    clock cycles as the longest packet has bytes, a channel can carry one packet.",
            silicon_excludes: "A torus node would be a chip of its own.",
            time_includes:
                "A torus bit-time is one clock cycle, as that of a CM-1; nodes signal by request \
                   and acknowledge, and need no common step.",
            wire_definition:
                "A torus channel is used one way; it has a wire for each bit of a byte, and for \
                    each virtual channel a request and, back, an acknowledge; its steps are clock \
                    cycles, its periods packet times.",
            arrival: "Those of the torus end when the last byte of a packet is delivered to the \
                      processor of its destination; addresses, encoding and tail are in.",
        })
    }

    fn verdicts(
        &self,
        setting: &ComparisonSetting,
        found: &LoadSweepResult,
    ) -> Result<Vec<ClaimVerdict>, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        Ok(claim_verdicts(&shape, setting.payload, found))
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        let shape = shape(flags, dims)?;
        Ok(DeadlockModel {
            relation: Box::new(shape.routing().clone()),
            holding: Switching::Wormhole,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<TorusShape, NetworkError> {
    TorusFlags::from_arg_matches(flags)?.shape(dims)
}

/// Returns the radices as text: `4 x 2`.
fn radices(shape: &TorusShape) -> String {
    let radices = shape.torus().radices().iter();
    let radices: Vec<String> = radices.map(u32::to_string).collect();
    radices.join(" x ")
}

// Flags of the torus.

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network torus")]
struct TorusFlags {
    /// Nodes of the ring in each dimension, 2 to 256, separated by commas. They set the number of
    /// nodes, and --dims is ignored [default: two rings of 2^(N/2), the first twice as long if N is
    /// odd]
    #[arg(long, value_name = "K,..", value_delimiter = ',', value_parser = within::<u32>(Torus::MIN_RADIX.into(), Torus::MAX_RADIX.into()))]
    pub radix: Vec<u32>,

    /// Node at which packets change to virtual channel 0: at the node with coordinate 0, or after
    /// it [default: at]
    #[arg(long, value_name = "RULE", value_parser = VcSwitchNode::parser(), hide_possible_values = true)]
    pub switch: Option<VcSwitchNode>,

    /// End mark of a packet: zero (a byte after the addresses), wire (a ninth wire) or naive (the
    /// first zero, as printed; packets are misrouted) [default: zero, with more than 2 dimensions
    /// wire]
    #[arg(long, value_name = "TAIL", value_parser = Tail::parser(), hide_possible_values = true)]
    pub tail: Option<Tail>,

    #[command(flatten)]
    pub bytes: ByteFlags,
}

impl TorusFlags {
    /// Returns the parameters of the machine. Without `--radix` it has 2^`dims` nodes.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn shape(&self, dims: u64) -> Result<TorusShape, NetworkError> {
        let torus = match self.radix.is_empty() {
            true => {
                Torus::of_cube(dims.try_into().unwrap_or(u32::MAX)).map_err(NetworkError::size)?
            }
            false => Torus::new(&self.radix).map_err(NetworkError::bad)?,
        };
        let paper = TorusPlan::new(torus.dims());
        let plan = TorusPlan {
            channels: self.bytes.vcs.unwrap_or(paper.channels),
            queue: self.bytes.queue.unwrap_or(paper.queue),
            tail: self.tail.unwrap_or(paper.tail),
            ..paper
        };
        if plan.channels == 1 && self.switch.is_some() {
            return Err(NetworkError::bad(
                "--switch needs two virtual channels, and --vcs 1 has one; accepted: no --switch, or --vcs 2",
            ));
        }
        let shape = TorusShape::new(torus).switching(self.switch.unwrap_or_default());
        shape.with(plan).map_err(|e| NetworkError::BadInput(e.into()))
    }
}

impl FlagChoice for VcSwitchNode {
    const OPTION_NAME: &'static str = "rule";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("at", Self::AtOrigin), ("after", Self::AfterOrigin)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for Tail {
    const OPTION_NAME: &'static str = "tail";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("zero", Self::Zero), ("wire", Self::Wire), ("naive", Self::Naive)];
    const RESERVED: &'static [&'static str] = &[];
}

// Torus of routing chips as a `Machine`.

/// Machine with one node of chips for each processor, or for several processors.
struct TorusNetworkMachine {
    circuit: TorusCircuit,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
}

impl TorusNetworkMachine {
    /// Creates the machine for messages with `payload` bytes. With several processors to a node a
    /// message has one more byte, before its payload, that selects the processor.
    pub fn new(shape: TorusShape, proc_bits: u32, payload: usize) -> Self {
        TorusNetworkMachine {
            circuit: TorusCircuit::new(shape),
            proc_bits,
            payload: payload + usize::from(proc_bits > 0),
        }
    }

    fn shape(&self) -> &TorusShape {
        self.circuit.shape()
    }
}

impl Machine for TorusNetworkMachine {
    fn label(&self) -> &'static str {
        "torus"
    }

    fn headline(&self) -> String {
        let (shape, plan) = (self.shape(), self.shape().plan());
        format!(
            "{}, {}, queues of {}, tail {}",
            shape.torus().name(),
            format_count(plan.channels, "virtual channel"),
            plan.queue,
            plan.tail.name()
        )
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let (shape, plan) = (self.shape(), self.shape().plan());
        vec![
            JsonEntry::new("radix", shape.torus().radices()),
            JsonEntry::new("vcs", plan.channels),
            JsonEntry::new("switch", shape.routing().switch.name()),
            JsonEntry::new("tail", plan.tail.name()),
            JsonEntry::new("queue", plan.queue),
        ]
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        timebase(self.shape().packet(self.payload))
    }

    /// Counts one channel for each dimension. A channel has a byte, and a request and an
    /// acknowledge for each virtual channel.
    fn wire_counts(&self) -> WireCounts {
        let plan = self.shape().plan();
        let channel = plan.tail.data_wires() + 2 * plan.channels;
        let wires = (plan.dims * channel) as u32;
        WireCounts { per_node: wires.into(), pins: 2 * wires }
    }

    fn subject(&self) -> WaveSubject {
        let torus = Arc::new(self.shape().torus().clone());
        WaveSubject {
            links: Some(Arc::new(PacketDecoder::new(self.shape()))),
            ..WaveSubject::without_links(torus, "clock cycle", "start", 1)
        }
    }

    fn buffer_name(&self, place: u32) -> String {
        let plan = self.shape().plan();
        let (dim, vc) = (place / plan.channels as u32, place % plan.channels as u32);
        match (place as usize) < plan.dims * plan.channels {
            true => format!("dim {dim} vc {vc}"),
            false => "processor".to_owned(),
        }
    }

    /// The chip as printed corrupts packets.
    fn may_lose(&self) -> bool {
        self.shape().plan().tail == Tail::Naive
    }

    /// Returns the number of packet times that contain enough clock cycles.
    fn deadlock_after(&self) -> Option<u64> {
        Some(ByteDriver::QUIESCENT_AFTER.div_ceil(self.timebase().period))
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
        let shape = Arc::new(self.shape().clone());
        let driver = ByteDriver::new(engine, shape, period, &load);
        Ok(Box::new(driver))
    }

    /// Returns the node of the machine, with its processors.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        let name = format!("TorusNode<{}>", self.shape().plan().dims);
        let topology = self.circuit.topology();
        silicon(
            topology,
            &name,
            || lower(&*rtl::torus::machine::node(self.circuit.shape().plan())),
            1 << self.proc_bits,
        )
    }
}

// Claims of the papers about a torus under load, and measured results.

/// Maximum share of the channels' capacity that counts as a light load.
const LIGHT_LOAD_MAX: f64 = 0.05;

/// Maximum ratio of the mean latency under a light load to the law for single packets. Packets meet
/// now and then even under a light load.
const LIGHT_LATENCY_RATIO_MAX: f64 = 1.1;

/// Clock cycles of the mean latency at the processors. One precedes the clock edge after which the
/// first byte of a message is on the port. In the other the tail is taken.
const ENDPOINT_CLOCK_CYCLES: f64 = 2.0;

/// Returns the claims for a machine of this shape that carried messages with `payload` bytes.
fn claim_verdicts(
    shape: &TorusShape,
    payload: usize,
    found: &LoadSweepResult,
) -> Vec<ClaimVerdict> {
    let mut verdicts = vec![];
    if let Some(used) = found.peak_utilisation {
        verdicts.push(ClaimVerdict {
            source: "cm1-message-router, 4.1",
            claim: "At most half the theoretical throughput of the torus can be used".into(),
            found: format!("its channels carry {used:.2} bytes in a clock cycle, of 1, at most"),
            holds: used <= 0.5,
            share: Some(0.5),
        });
    }
    let (Some(latency), Some(distance)) = (found.latency, found.distance) else {
        return verdicts;
    };
    if found.lightest > LIGHT_LOAD_MAX {
        return verdicts;
    }
    let chips = shape.plan().chips() as f64;
    let length = shape.packet(payload) as f64;
    // The channel between two chips of a node counts as an additional channel.
    let law = 2.0 * (distance + chips - 1.0) + 2.0 * length - 1.0;
    verdicts.push(ClaimVerdict {
        source: "torus-routing-chip, 1",
        claim: "Latency is the sum of a term of the length L and one of the distance D".into(),
        found: format!(
            "{latency:.1} clock cycles on average under the lightest load; 2D + 2L - 1, and 2 at \
             the processors, are {:.1}",
            law + ENDPOINT_CLOCK_CYCLES
        ),
        holds: (law..=(law + ENDPOINT_CLOCK_CYCLES) * LIGHT_LATENCY_RATIO_MAX).contains(&latency),
        share: None,
    });
    verdicts.extend(compare_with_cm1(shape, payload, latency));
    verdicts
}

/// Compares the torus with a CM-1 with the same number of chips of one processor, if there is one.
/// There the last bit of a message that starts with a petit cycle leaves its heart after l + 2c
/// bit-times.
fn compare_with_cm1(shape: &TorusShape, payload: usize, latency: f64) -> Option<ClaimVerdict> {
    let nodes = AddressSpace::new(shape.torus().nodes().into()).ok()?;
    let format = MessageFormat {
        dims: nodes.bits()?,
        proc_bits: 0,
        vp_bits: 0,
        data_bits: 8 * payload as u32,
    };
    let alone = format.length() + PetitPlan::new(format, EjectMode::Or).exit();
    Some(ClaimVerdict {
        source: "cm1-message-router, 4.1",
        claim: "Lightly loaded, the CM-1's router has more latency than the torus".into(),
        found: format!(
            "{latency:.1} clock cycles on average; in a CM-1 of {} chips a message alone takes {alone}",
            nodes.nodes()
        ),
        holds: latency < f64::from(alone),
        share: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Torus;

    fn shape(radices: &[u32]) -> TorusShape {
        TorusShape::new(Torus::new(radices).unwrap())
    }

    /// Calculated by hand, for 8 x 8 nodes and a payload of 4: L = 8, l + 2c = 40 + 12.
    #[test]
    fn claims_are_compared_with_results() {
        let holds = |lightest, latency, most_used| -> Vec<bool> {
            let found = LoadSweepResult {
                distance: Some(7.0),
                lightest,
                latency: Some(latency),
                peak_utilisation: most_used,
            };
            let verdicts = claim_verdicts(&shape(&[8, 8]), 4, &found);
            verdicts.iter().map(|verdict| verdict.holds).collect()
        };
        assert_eq!(holds(0.02, 32.0, Some(0.3)), [true, true, true]);
        assert_eq!(holds(0.02, 53.0, Some(0.6)), [false, false, false]);
        assert_eq!(holds(0.02, 28.0, None), [false, true]);
        // A heavy load gives no result for light loads.
        assert_eq!(holds(0.3, 32.0, Some(0.5)), [true]);
    }

    #[test]
    fn no_comparison_without_a_cm1_of_the_same_size() {
        let found = LoadSweepResult {
            distance: Some(3.0),
            lightest: 0.01,
            latency: Some(20.0),
            peak_utilisation: None,
        };
        assert_eq!(claim_verdicts(&shape(&[5, 3]), 4, &found).len(), 1);
    }
}

//! Catalogue of circuits. Each entry is a circuit with a name, and is published, measured and
//! checked without further registration:
//!
//! * `phasecube verilog` emits it, with a test bench;
//! * `phasecube cost` measures blocks, and whole machines with `--whole`;
//! * `phasecube equivalence` proves that its netlist and its Verilog are equal;
//! * the tests compare the engines on it, lint its Verilog, and run its test bench.
//!
//! A new block needs its file in `crates/rtl`, a line in its list here, and a test of its outputs.

use crate::networks::tdma::cube::cube_array;
use crate::networks::tdma::hosted::HostedCircuit;
use crate::networks::tdma::on_board::cube_on_board;
use crate::networks::tdma::PhaseTiming;
use crate::networks::HostedBytes;
use crate::program::{BoardMemory, ByteNetwork};
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::{Hypercube, Metacube};
use lockstep::design::Design;
use rtl::bytes::{ByteChannel, ByteCounter, ByteMailbox};
use rtl::cm1::machine::router;
use rtl::cm1::{
    Cm1Board, EjectMode, Ejector, FirstColumn, Heart, HeartColumn, HeartSite, Injector, LoneChip,
    LoneEjector, LoneInjector, Mailbox, MessageBuffer, MessageFormat, PetitControl, PetitPlan,
    PetitTable, Pipeline, Router,
};
use rtl::core::{MultiplyDivide, MultiplyingCore, SingleContextCore, SoftCore};
use rtl::hosted::groups::{
    ContextRotation, GroupCounts, GroupMemory, GroupOutcomes, GroupShape, GroupWindow, GroupWires,
};
use rtl::hosted::{
    HostPort, HostedShape, LineQueue, ProgramWatch, Restart, SharedMemory, Supervisor,
    TimeMultiplexedWires,
};
use rtl::lone_cells::{MemoryOf256x8, RegOf8, RomOf256x8};
use rtl::rotation::{self, RotationPlan};
use rtl::tdma::machine::{frame_engine, phase_clock, phase_sequencer, pin_mux};
use rtl::tdma::{
    pool_slots, AccessGuard, AdaptiveForwarder, AdaptiveNode, BufferSize, CompiledNode,
    ContextSwitch, Crc16, CubeNode, CubeSoftNode, DmaCopy, EnginePlan, Forwarder, FrameEngine,
    GuardLimits, LedRegister, Link, LinkPort, MachineNode, MoveTable, Node, NodeOnBoard,
    NodePeripheral, NodePort, NodeService, OpenDrainWire, PhaseClock, PhaseOrder, PhaseSequencer,
    PinMux, ProgrammedPhaseClock, ProgrammedSequencer, ScheduleFollower, ServiceState, SlotPool,
    SoftNode, WordAccess, DATA_BITS,
};
use rtl::torus::{self, TorusPlan};
use rtl::uart::{HalfDuplexUart, Uart, UartReceiver, UartTransmitter};
use rtl::CLOCKS_PER_BIT as CLOCKS;
use thiserror::Error;
use CatalogGroup::{Block, Design as Named, Machine};
use CircuitSource::{Assembled, Single};

/// Circuit with a name.
#[derive(Clone, Copy, Debug)]
pub struct CatalogEntry {
    /// Name for `--design`. A block has its name in Rust, with its parameters.
    pub name: &'static str,
    pub group: CatalogGroup,
    /// Description for display.
    pub description: &'static str,
    /// Dimensions that can be chosen. Empty if there is no choice.
    pub dims: &'static [u32],
    /// Default number of dimensions.
    pub default_dims: u32,
    /// Constructor. Takes the number of dimensions.
    pub source: CircuitSource,
}

/// Use of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogGroup {
    /// Published under a name of its own.
    Design,
    /// Block whose cost is measured alone, and which is published by its name in Rust.
    Block,
    /// Whole machine on one chip, as measured by `cost --whole`.
    Machine,
}

/// Constructor of a circuit.
#[derive(Clone, Copy, Debug)]
pub enum CircuitSource {
    /// Block, which the reference simulator also runs.
    Single(fn(u32) -> Box<dyn Circuit>),
    /// Design made of several lowered blocks.
    Assembled(fn(u32) -> Result<Design, LowerErrors>),
}

/// The design does not exist for the requested dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DesignDimsError {
    #[error("the design {0} has no dimensions; accepted: no --dims")]
    None(String),
    #[error("the design {name} does not exist for --dims {dims}; accepted: {}", ranges(accepted))]
    Unsupported { name: &'static str, dims: u32, accepted: &'static [u32] },
}

impl CatalogEntry {
    /// Returns the entry with this name.
    pub fn named(name: &str) -> Option<&'static CatalogEntry> {
        CATALOG.iter().find(|entry| entry.name == name)
    }

    /// Returns the entries of a group in their order.
    pub fn of(group: CatalogGroup) -> impl Iterator<Item = &'static CatalogEntry> {
        CATALOG.iter().filter(move |entry| entry.group == group)
    }

    /// Returns the entries that `verilog` emits: designs with names of their own, then blocks.
    pub fn published() -> impl Iterator<Item = &'static CatalogEntry> {
        CATALOG.iter().filter(|entry| entry.group != Machine)
    }

    /// Lowers the circuit for a cube or torus of `dims` dimensions, or for the metacube with as
    /// many nodes as that cube. A circuit without a choice of dimensions ignores `dims`.
    ///
    /// # Errors
    /// None for a released circuit, because the tests lower it.
    ///
    /// # Panics
    /// If `dims` is not one of [`dims`](Self::dims).
    pub fn design(&self, dims: u32) -> Result<Design, LowerErrors> {
        match self.source {
            Single(circuit) => lower(&*circuit(dims)),
            Assembled(design) => design(dims),
        }
    }

    /// Lowers the circuit for its default dimensions.
    ///
    /// # Errors
    /// As [`design`](Self::design).
    pub fn default_design(&self) -> Result<Design, LowerErrors> {
        self.design(self.default_dims)
    }

    /// Returns the requested number of dimensions.
    ///
    /// # Errors
    /// If the design cannot have this number.
    pub fn check_dims(&self, dims: u32) -> Result<u32, DesignDimsError> {
        match self.dims {
            [] => Err(DesignDimsError::None(self.name.into())),
            accepted if accepted.contains(&dims) => Ok(dims),
            accepted => Err(DesignDimsError::Unsupported { name: self.name, dims, accepted }),
        }
    }
}

/// Formats ascending numbers as ranges: `3, 5 to 7`.
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        run => run[0].to_string(),
    });
    words.collect::<Vec<_>>().join(", ")
}

const TO_8: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8];
const TO_16: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
/// Dimensions of the cubes with as many nodes as the metacubes that have nodes.
const METACUBES: &[u32] = &[3, 5, 6, 7, 9, 10, 11, 14];

/// Longest message of a TDMA node in bytes of payload, including its destination. This length fits
/// registers of 16 bytes.
const PAYLOAD: usize = 8 + 2;

/// Program of soft nodes that are published without one: a jump to itself.
const NO_PROGRAM: &[u32] = &[0x0000_006F];

/// Program words that keep the tools from treating bits of the program store as constant. The
/// contents do not change the cost.
const PROGRAM: &[u32] = &[0x5A5A_5A5A, 0xA5A5_A5A5];

/// Lets the second context of the core serve, and jumps to itself. The second context decides each
/// phase and sleeps: `lw x1, 0xF64(x0)`, `beq x1, x0, 20`, `lw x2, 0xF04(x0)`, `sw x2, 0xF54(x0)`,
/// `wfi`, `jal x0, -12`, `sw x0, 0xF64(x0)`, `jal x0, 0`.
const BACKGROUND_PROGRAM: &[u32] = &[
    0xF640_2083,
    0x0000_8A63,
    0xF040_2103,
    0xF420_2A23,
    0x1050_0073,
    0xFF5F_F06F,
    0xF600_2223,
    0x0000_006F,
];

/// Limits of the accesses of a program of 512 bytes with 64 bytes of data.
const LIMITS: GuardLimits = GuardLimits { program: 512, data: 64 };

/// Clock cycles that the program of such a node has for its decision.
const PATIENCE: u64 = 100;

/// Chip rows of the CM-1 in the measured comparison.
const ROWS: usize = 3;

/// Makes the list of entries, each with its group, name, dimensions, default dimensions,
/// description and constructor. Blocks need only name and constructor.
macro_rules! catalog {
    (
        designs: [$($design:literal, $dims:expr, $default:literal, $what:literal => $source:expr,)*],
        blocks: [$($block:literal => $circuit:expr,)*],
        machines: [$($machine:literal => $whole:expr,)*],
    ) => {
        &[
            $(CatalogEntry {
                name: $design,
                group: Named,
                description: $what,
                dims: $dims,
                default_dims: $default,
                source: $source,
            },)*
            $(CatalogEntry {
                name: $block,
                group: Block,
                description: "a block, of the table that `cost` prints",
                dims: &[],
                default_dims: 1,
                source: Single(|_| Box::new($circuit)),
            },)*
            $(CatalogEntry {
                name: $machine,
                group: Machine,
                description: "a whole machine on one chip, of the table that `cost --whole` prints",
                dims: &[],
                default_dims: 1,
                source: Assembled(|_| $whole),
            },)*
        ]
    };
}

/// All circuits. Blocks are in the order of the cost table, children before parents. The CM-1's
/// blocks have parameters for dimensions, rows and processors. The parameters of a site are its
/// sources.
pub const CATALOG: &[CatalogEntry] = catalog! {
    designs: [
        "pin-mux", TO_16, 4,
        "the pin mux of one node, as a kit for a microcontroller's fabric"
            => Single(|dims| pin_mux(dims)),
        "phase-clock", TO_16, 4, "the phase clock: one in a machine"
            => Single(|dims| phase_clock(dims)),
        "phase-sequencer", TO_16, 4,
        "counts the phases in a node, and finds out when it has slipped"
            => Single(|dims| phase_sequencer(dims)),
        "uart", &[], 1, "a UART, 8N1, a bit in 8 clock cycles"
            => Single(|_| Box::new(Uart::<CLOCKS>::default())),
        "half-duplex-uart", &[], 1, "the same for one wire: it sends or listens"
            => Single(|_| Box::new(HalfDuplexUart::<CLOCKS>::default())),
        "frame-engine", TO_16, 4,
        "frames, answers and sequence bits of a node, for messages of 8 bytes"
            => Single(|dims| frame_engine(dims, timing(Hypercube::of(dims).into()).plan())),
        "link", &[1], 1, "the 1-cube: two nodes' ports, the wire between them and the phase clock"
            => Single(|_| Box::new(Link::<CLOCKS>::default())),
        "node", TO_16, 4, "a node of a TDMA cube with a forwarder, for messages of 8 bytes"
            => Single(|dims| forwarder_node(Hypercube::of(dims).into())),
        "metacube-node", METACUBES, 3, "the same of the metacube with 2^N nodes"
            => Single(|dims| {
                forwarder_node(Metacube::of_cube(dims.into()).expect("the metacube was checked"))
            }),
        "compiled-node", TO_16, 4,
        "a node that follows a compiled schedule of up to 1,024 pairs of phases, for messages of 8 bytes"
            => Single(|dims| short_node(Hypercube::of(dims).into(), compiled_plan()).compiled()),
        "soft-core", &[], 1, "an RV32I core for one node, without its memories"
            => Single(|_| Box::new(SingleContextCore::default())),
        "soft-node", TO_16, 4,
        "a node whose program decides; the program store holds a jump to itself: put yours"
            => Single(|dims| {
                short_node(Hypercube::of(dims).into(), soft_plan(dims)).soft(NO_PROGRAM)
            }),
        "cube", TO_8, 3,
        "all nodes of a TDMA cube with forwarders, their wires and the phase clock; hosts are outside"
            => Assembled(|dims| {
                let node = lower(&*forwarder_node(Hypercube::of(dims).into()))?;
                Ok(cube_array(Hypercube::of(dims), &node)?.whole())
            }),
        "cm1-router", TO_16, 4,
        "the CM-1's router of one chip: 7 rows, 16 processors, 32 bits of data"
            => Single(|dims| router(dims, 7, cm1_plan(dims, 4))),
        "cm1-cube", &[], 1,
        "the CM-1 of eight chips with a processor each, and the memory-mapped port of their programs"
            => Single(|_| Box::new(Cm1Board::new(3, 8))),
        "torus-node", TO_16, 2,
        "a node of the torus routing chip, two dimensions a chip, two virtual channels, queues of 4 bytes"
            => Single(|dims| torus::machine::node(TorusPlan::new(dims as usize))),
        "rotation-switch", TO_16, 3,
        "a switch of minimal rotation, with two virtual channels where they can occur, queues of 4 bytes"
            => Single(|dims| rotation::machine::switch(RotationPlan::new(dims as usize))),
        "byte-channel", &[], 1,
        "a channel of torus or rotation from end to end, with two virtual channels"
            => Single(|_| Box::new(ByteChannel::<8, 2>::default())),
        "host-port", &[], 1, "what the host of a board sees: serial line, phases, counts"
            => Single(|_| Box::new(HostPort::<8, 3>::new())),
    ],
    blocks: [
        "RegOf8" => RegOf8::default(),
        "MemoryOf256x8" => MemoryOf256x8::default(),
        "RomOf256x8" => RomOf256x8::default(),
        "OpenDrainWire" => OpenDrainWire::default(),
        "PhaseClock<3>" => PhaseClock::<3>::default(),
        "PhaseSequencer<3>" => PhaseSequencer::<3>::default(),
        "PhaseSequencer<4>" => PhaseSequencer::<4>::default(),
        "PhaseOrder<9>" => PhaseOrder::<9>::default(),
        "ProgrammedPhaseClock<9>" => ProgrammedPhaseClock::<9>::default(),
        "ProgrammedSequencer<3, 9>" => ProgrammedSequencer::<3, 9>::default(),
        "PinMux<4>" => PinMux::<4>::default(),
        "UartTransmitter<8>" => UartTransmitter::<CLOCKS>::default(),
        "UartReceiver<8>" => UartReceiver::<CLOCKS>::default(),
        "HalfDuplexUart<8>" => HalfDuplexUart::<CLOCKS>::default(),
        "Uart<8>" => Uart::<CLOCKS>::default(),
        "LinkPort<4, 8>" => LinkPort::<4, CLOCKS>::default(),
        "Link<8>" => Link::<CLOCKS>::default(),
        "Crc16" => Crc16::default(),
        "Forwarder<4>" => Forwarder::<4, 8>::new(true, 4, 4, 4),
        "FrameEngine<4>" => FrameEngine::<4, 4, 8>::new(plan(), false),
        "Node<4>" => CubeNode::<4, CLOCKS, 4, 8>::new(plan()),
        "AdaptiveForwarder<4>" => AdaptiveForwarder::<4, 4, 8>::new(pool_slots(4)),
        "SlotPool<5>" => SlotPool::<{ pool_slots(4) }>::default(),
        "AdaptiveNode<4>" => AdaptiveNode::<4, { pool_slots(4) }, CLOCKS, 4, 8>::new(plan()),
        "MoveTable<10>" => MoveTable::<10>::default(),
        "ScheduleFollower<4>" => ScheduleFollower::<4, 8>::default(),
        "CompiledNode<4>" => CompiledNode::<4, 4, 16, CLOCKS, 4, 8, 10>::new(compiled_plan()),
        "NodeOnBoard" => NodeOnBoard::new(plan()),
        "Node<2, 3>" => Node::<2, 3, 6, CLOCKS, 4, 8>::new(plan()),
        "Node<3, 6>" => Node::<3, 6, 15, CLOCKS, 4, 8>::new(plan()),
        "HeartSite<3>" => HeartSite::new(3),
        "HeartColumn<3>" => HeartColumn::new(3),
        "HeartColumn<7>" => HeartColumn::new(7),
        "FirstColumn<3>" => FirstColumn::new(3),
        "FirstColumn<7>" => FirstColumn::new(7),
        "Heart<12, 7>" => Heart::new(12, 7),
        "Heart<12, 7, Naive>" => Heart::of(12, 7, Pipeline::Naive),
        "Heart<12, 7, Dropping>" => Heart::of(12, 7, Pipeline::Dropping),
        "Injector<3, 1>" => Injector::new(3, 1),
        "Injector<7, 16>" => Injector::new(7, 16),
        "Ejector<3, 1>" => Ejector::new(3, 1, EjectMode::Or),
        "Ejector<7, 16>" => Ejector::new(7, 16, EjectMode::Or),
        "MessageBuffer<3>" => MessageBuffer::new(3, 30),
        "PetitControl<3>" => PetitControl::<3>::new(cm1_plan(3, 0)),
        "Router<3, 3, 1>" => Router::<3>::new(3, cm1_plan(3, 0)),
        "Router<3, 7, 16>" => Router::<3>::new(7, cm1_plan(3, 4)),
        "Router<12, 7, 16>" => Router::<12>::new(7, cm1_plan(12, 4)),
        "LoneInjector<3>" => LoneInjector::new(3),
        "LoneEjector<3>" => LoneEjector::new(3),
        "LoneChip<3>" => LoneChip::new(3),
        "PetitTable" => PetitTable::new(Cm1Board::plan(8)),
        "Mailbox" => Mailbox::new(),
        "ByteMailbox<8, 3>" => ByteMailbox::<8, 3>::default(),
        "ByteCounter<2>" => ByteCounter::<2>::new(16),
        "Cm1Board<3>" => Cm1Board::new(3, 8),
        "Cm1Board<4>" => Cm1Board::new(4, 8),
        "WordAccess" => WordAccess::default(),
        "DmaCopy<4>" => DmaCopy::<4>::default(),
        "NodePort<4>" => NodePort::<4, 4, 4>::new(plan()),
        "ServiceState" => ServiceState::<4>::new(4),
        "NodeService<4>" => NodeService::<4, 4, 4, 4, 8>::new(plan()),
        "NodePeripheral<4>" => NodePeripheral::<4, 4, 4, CLOCKS, 4, 8>::new(soft_plan(4)),
        "NodePeripheral<4, 4, 5>" => NodePeripheral::<4, 4, { pool_slots(4) }, CLOCKS, 4, 8>::new(pool_plan()),
        "SoftNode<4>" => CubeSoftNode::<4, CLOCKS, 4, 8>::new(soft_plan(4), PROGRAM),
        "ContextSwitch" => ContextSwitch::new(Some(PATIENCE)),
        "AccessGuard" => AccessGuard::new(Some(LIMITS), DATA_BITS),
        "LedRegister" => LedRegister::new(true),
        "SoftNode<4, background>" => CubeSoftNode::<4, CLOCKS, 4, 8>::new(soft_plan(4), BACKGROUND_PROGRAM).with_background(Some(PATIENCE)),
        "SoftNode<4, 4, 5>" => SoftNode::<4, 4, { pool_slots(4) }, CLOCKS, 4, 8>::new(pool_plan(), PROGRAM),
        "SingleContextCore" => SingleContextCore::default(),
        "SoftCore<3>" => SoftCore::<3, 8>::default(),
        "MultiplyDivide" => MultiplyDivide::default(),
        "MultiplyingCore<3>" => MultiplyingCore::<3, 8>::default(),
        "SharedMemory" => SharedMemory::<0, 1>::new(PROGRAM),
        "SharedMemory<4, 9>" => SharedMemory::<4, 9>::new(PROGRAM),
        "HostPort<8, 3>" => HostPort::<8, 3>::new(),
        "HostPort<16, 4>" => HostPort::<16, 4>::new(),
        "LineQueue<9>" => LineQueue::<9>::default(),
        "ProgramWatch<3>" => ProgramWatch::<3>::default(),
        "Restart<6>" => Restart::<6>::default(),
        "Supervisor<3, 6>" => Supervisor::<3, 6>::default(),
        "TimeMultiplexedWires<4, 4, 16>" => TimeMultiplexedWires::<4, 4, 16>::default(),
        "GroupWires<4, 2>" => GroupWires::<4, 2>::default(),
        "ContextRotation<4, 16>" => ContextRotation::<4, 16>::default(),
        "GroupCounts<4, 16, 4, 5>" => GroupCounts::<4, 16, 4, 5>::default(),
        "GroupMemory<10, 9, 9>" => GroupMemory::<10, 9, 9>::new(PROGRAM),
        "GroupOutcomes<4, 7>" => GroupOutcomes::<4, 7>::default(),
        "GroupWindow<4, 2, 9, 9, 6>" => GroupWindow::<4, 2, 9, 9, 6>::default(),
    ],
    machines: [
        "CubeOnBoard" => cube_on_board(plan(), cube_timing().divider()),
        "HostedNodes" => hosted(3).design(),
        "HostedNodes<16>" => hosted(4).design(),
        "HostedGroups<4, 4>" => HostedCircuit::new(groups(), memory()).design(),
        "HostedNodes<programs>" => HostedCircuit::new(HostedShape::Programs3, memory()).design(),
        "HostedComparison" => hosted(3).beside_cm1(ROWS).design(),
        "HostedTorus" => HostedBytes::new(ByteNetwork::Torus).design(PROGRAM),
        "HostedRotation" => HostedBytes::new(ByteNetwork::Rotation).design(PROGRAM),
    ],
};

/// Timing of nodes with forwarders and of links with answers.
fn timing(shape: Metacube) -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD, shape, true)
}

/// Timing and plan of a node of the 4-cube.
fn cube_timing() -> PhaseTiming {
    timing(Hypercube::of(4).into())
}

fn plan() -> EnginePlan {
    cube_timing().plan()
}

/// Plan of a node that follows a compiled schedule.
fn compiled_plan() -> EnginePlan {
    PhaseTiming::compiled(CLOCKS as u32, PAYLOAD).plan()
}

/// Plan of a node that runs a program.
fn soft_plan(dims: u32) -> EnginePlan {
    PhaseTiming::software(CLOCKS as u32, PAYLOAD, Hypercube::of(dims), true).plan()
}

/// Plan of a node that has a pool of slots.
fn pool_plan() -> EnginePlan {
    let timing = PhaseTiming::adaptive_software(CLOCKS as u32, PAYLOAD, 4);
    timing.plan().pooled()
}

/// Node with room for messages of 8 bytes.
fn short_node(shape: Metacube, plan: EnginePlan) -> MachineNode {
    MachineNode::new(shape, BufferSize::Short, plan)
}

fn forwarder_node(shape: Metacube) -> Box<dyn Circuit> {
    short_node(shape, timing(shape).plan()).forwarder()
}

/// CM-1 for messages with 32 bits of data, which ejects all messages that are at home.
fn cm1_plan(dims: u32, proc_bits: u32) -> PetitPlan {
    let format = MessageFormat { dims, proc_bits, vp_bits: 0, data_bits: 32 };
    PetitPlan::new(format, EjectMode::Or)
}

fn memory() -> BoardMemory {
    let words = PROGRAM.to_vec();
    BoardMemory { words }
}

/// Nodes of a cube that share a core with their supervisor.
fn hosted(dims: u32) -> HostedCircuit {
    let shape = HostedShape::cube(dims).expect("there are such nodes");
    HostedCircuit::new(shape, memory())
}

/// The 4-cube in four groups.
fn groups() -> HostedShape {
    HostedShape::Groups(GroupShape::of(4, 2).expect("there are such groups"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = CATALOG.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), CATALOG.len());
    }

    /// `PinMux<4>` is lowered to a module whose name begins with `pin_mux`.
    #[test]
    fn every_entry_can_be_lowered_and_blocks_have_the_names_of_their_modules() {
        for entry in CATALOG {
            let design = entry.default_design().unwrap();
            if entry.group == Named {
                continue;
            }
            let letters = |text: &str| text.replace('_', "").to_lowercase();
            let kind = entry.name.split('<').next().unwrap();
            let module = letters(&design.top().name);
            assert!(module.starts_with(&letters(kind)), "{module}");
        }
    }

    #[test]
    fn ports_depend_on_the_dimensions() {
        let design = |name: &str, dims| {
            let entry = CatalogEntry::named(name).unwrap();
            entry.design(dims).unwrap()
        };
        let width = |name: &str, dims, port: &str| {
            let design = design(name, dims);
            let (_, port) = design.top().port(port).unwrap();
            port.width()
        };
        for dims in 1..=16 {
            assert_eq!(width("pin-mux", dims, "pull"), dims);
        }
        for dims in [1, 12, 16] {
            assert_eq!(width("cm1-router", dims, "cube_out"), dims);
        }
        for (dims, data) in [(1, 8), (2, 8), (3, 9), (16, 9)] {
            assert_eq!(width("torus-node", dims, "send_data"), data);
        }
        // The first two dimensions together have one virtual channel.
        for (dims, lanes) in [(1, 1), (3, 4), (4, 6), (9, 16)] {
            let design = design("rotation-switch", dims);
            let has = |lane| design.top().port(&format!("request_out[{lane}]")).is_some();
            assert!(has(lanes - 1) && !has(lanes), "{dims}");
        }
        for name in ["node", "metacube-node", "compiled-node"] {
            for dims in CatalogEntry::named(name).unwrap().dims {
                assert_eq!(width(name, *dims, "address"), *dims);
            }
        }
    }
}

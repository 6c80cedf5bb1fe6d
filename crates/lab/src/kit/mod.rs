//! Kits are directories of plain Verilog that work without this project. Each is proven equivalent
//! to the project's own circuit. The module also has the catalogue of published designs, and the
//! header of all published Verilog.

mod bench;
mod catalog;
pub mod pin_mux;

pub use bench::{clock_cycles, default_stimulus, kit, KitError};
pub use catalog::{catalog, ranges, CatalogEntry, DesignDimsError, DesignSource, NAMED_DESIGNS};
use hdl::lower::{lower, LowerErrors};
use hdl::verilog::Publication;
use interconnect::topology::Hypercube;
use lockstep::design::Design;
use machine::networks::tdma::on_board::cube_on_board;
use machine::networks::tdma::PhaseTiming;
use machine::networks::HostedBytes;
use machine::program::ByteNetwork;
use rtl::bytes::{ByteCounter, ByteMailbox};
use rtl::cm1::{
    Cm1Board, EjectMode, Ejector, FirstColumn, Heart, HeartColumn, HeartSite, Injector, LoneChip,
    LoneEjector, LoneInjector, Mailbox, MessageBuffer, MessageFormat, PetitControl, PetitPlan,
    PetitTable, Pipeline, Router,
};
use rtl::core::{SingleContextCore, SoftCore};
use rtl::hosted::{
    HostPort, HostedComparison, HostedCube, HostedCube4, HostedPrograms, LineQueue, ProgramWatch,
    Restart, SharedMemory, Supervisor, TimeMultiplexedWires,
};
use rtl::lone_cells::{MemoryOf256x8, RegOf8, RomOf256x8};
use rtl::tdma::{
    pool_slots, AdaptiveForwarder, AdaptiveNode, CompiledNode, Crc16, CubeNode, CubeSoftNode,
    DmaCopy, EnginePlan, Forwarder, FrameEngine, Link, LinkPort, MoveTable, Node, NodeOnBoard,
    NodePeripheral, NodePort, NodeService, OpenDrainWire, PhaseClock, PhaseOrder, PhaseSequencer,
    PinMux, ProgrammedPhaseClock, ProgrammedSequencer, ScheduleFollower, ServiceState, SlotPool,
    SoftNode, WordAccess,
};
use rtl::uart::{HalfDuplexUart, Uart, UartReceiver, UartTransmitter};
use rtl::CLOCKS_PER_BIT as CLOCKS;

// Header data of published circuits.

/// Name of the project, which begins the name of each published module.
const PROJECT: &str = "phasecube";

/// Circuit of this project, at the clock of its FPGA designs.
pub fn publication() -> Publication {
    Publication {
        prefix: format!("{PROJECT}_")
            .parse()
            .expect("the beginning of a name"),
        licence: env!("CARGO_PKG_LICENSE").into(),
        clock_mhz: 25,
        generator: (PROJECT.into(), env!("CARGO_PKG_VERSION").into()),
    }
}

// Blocks whose cost is measured and published, children before parents.

/// Block with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredBlock {
    /// Name in Rust, `PinMux<4>`.
    pub name: &'static str,
    /// Lowers the block.
    pub design: fn() -> Result<Design, LowerErrors>,
}

macro_rules! blocks {
    ($($name:literal => $circuit:expr,)*) => {
        &[$(MeasuredBlock { name: $name, design: || lower(&$circuit) },)*]
    };
}

/// Timing of a node of the 4-cube, for messages of up to 8 bytes, with answers.
fn timing() -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS as u32, 8 + 2, Hypercube::of(4), true)
}

fn plan() -> EnginePlan {
    timing().plan()
}

/// CM-1 for messages with 32 bits of data, which ejects all messages that are at home.
fn cm1_board_plan(dims: u32, proc_bits: u32) -> PetitPlan {
    let format = MessageFormat {
        dims,
        proc_bits,
        vp_bits: 0,
        data_bits: 32,
    };
    PetitPlan::new(format, EjectMode::Or)
}

/// Plan of a node that follows a compiled schedule.
fn compiled_plan() -> EnginePlan {
    PhaseTiming::compiled(CLOCKS as u32, 8 + 2).plan()
}

/// Plan of a node that runs a program.
fn soft_plan() -> EnginePlan {
    PhaseTiming::software(CLOCKS as u32, 8 + 2, Hypercube::of(4), true).plan()
}

/// Plan of a node that has a pool of slots.
fn pool_plan() -> EnginePlan {
    PhaseTiming::adaptive_software(CLOCKS as u32, 8 + 2, 4)
        .plan()
        .pooled()
}

/// Program words that keep the tools from treating bits of the program store as constant. The
/// contents do not change the cost.
const PROGRAM: &[u32] = &[0x5A5A_5A5A, 0xA5A5_A5A5];

/// One line for each block. The CM-1's blocks have parameters for dimensions, rows and processors.
/// The parameters of a site are its sources.
pub const BLOCKS: &[MeasuredBlock] = blocks![
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
    "PetitControl<3>" => PetitControl::<3>::new(cm1_board_plan(3, 0)),
    "Router<3, 3, 1>" => Router::<3>::new(3, cm1_board_plan(3, 0)),
    "Router<3, 7, 16>" => Router::<3>::new(7, cm1_board_plan(3, 4)),
    "Router<12, 7, 16>" => Router::<12>::new(7, cm1_board_plan(12, 4)),
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
    "NodePeripheral<4>" => NodePeripheral::<4, 4, 4, CLOCKS, 4, 8>::new(soft_plan()),
    "NodePeripheral<4, 4, 5>" => NodePeripheral::<4, 4, { pool_slots(4) }, CLOCKS, 4, 8>::new(pool_plan()),
    "SoftNode<4>" => CubeSoftNode::<4, CLOCKS, 4, 8>::new(soft_plan(), PROGRAM),
    "SoftNode<4, 4, 5>" => SoftNode::<4, 4, { pool_slots(4) }, CLOCKS, 4, 8>::new(pool_plan(), PROGRAM),
    "SingleContextCore" => SingleContextCore::default(),
    "SoftCore<3>" => SoftCore::<3, 8>::default(),
    "SharedMemory" => SharedMemory::<0, 1>::new(PROGRAM),
    "SharedMemory<4, 9>" => SharedMemory::<4, 9>::new(PROGRAM),
    "HostPort<8, 3>" => HostPort::<8, 3>::new(),
    "HostPort<16, 4>" => HostPort::<16, 4>::new(),
    "LineQueue<9>" => LineQueue::<9>::default(),
    "ProgramWatch<3>" => ProgramWatch::<3>::default(),
    "Restart<6>" => Restart::<6>::default(),
    "Supervisor<3, 6>" => Supervisor::<3, 6>::default(),
    "TimeMultiplexedWires<4, 4, 16>" => TimeMultiplexedWires::<4, 4, 16>::default(),
];

/// Timing of the time-multiplexed nodes of a cube, which share a core with their supervisor.
fn shared_timing(dims: u32) -> PhaseTiming {
    PhaseTiming::hosted(CLOCKS as u32, 8 + 2, Hypercube::of(dims))
}

/// Designs that must fit the chip: the 4-cube, and the images of the 3-cube, of the torus and of
/// minimal rotation.
pub const WHOLE_DESIGNS: &[MeasuredBlock] = &[
    MeasuredBlock {
        name: "CubeOnBoard",
        design: || cube_on_board(plan(), timing().divider()),
    },
    MeasuredBlock {
        name: "HostedNodes",
        design: || {
            let timing = shared_timing(3);
            lower(&HostedCube::new(
                timing.plan(),
                timing.divider_for(8),
                PROGRAM,
            ))
        },
    },
    MeasuredBlock {
        name: "HostedNodes<16>",
        design: || {
            let timing = shared_timing(4);
            lower(&HostedCube4::new(
                timing.plan(),
                timing.divider_for(16),
                PROGRAM,
            ))
        },
    },
    MeasuredBlock {
        name: "HostedNodes<programs>",
        design: || {
            let timing = shared_timing(3).with_work();
            lower(&HostedPrograms::new(
                timing.plan(),
                timing.divider_for(8),
                PROGRAM,
            ))
        },
    },
    MeasuredBlock {
        name: "HostedComparison",
        design: || {
            let timing = shared_timing(3);
            let (plan, divider) = (timing.plan(), timing.divider_for(8));
            lower(&HostedComparison::new(plan, divider, PROGRAM, 3))
        },
    },
    MeasuredBlock {
        name: "HostedTorus",
        design: || HostedBytes::new(ByteNetwork::Torus).design(PROGRAM),
    },
    MeasuredBlock {
        name: "HostedRotation",
        design: || HostedBytes::new(ByteNetwork::Rotation).design(PROGRAM),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `PinMux<4>` is lowered to a module whose name begins with `pin_mux`.
    #[test]
    fn every_block_lowers_to_a_module_of_its_name() {
        for block in BLOCKS.iter().chain(WHOLE_DESIGNS) {
            let design = (block.design)().unwrap();
            let letters = |text: &str| text.replace('_', "").to_lowercase();
            let kind = block.name.split('<').next().unwrap();
            let module = letters(&design.top().name);
            assert!(module.starts_with(&letters(kind)), "{module}");
        }
    }
}

//! Nodes that share one core with their host, as board designs: the nodes of a cube or of MC(1,1),
//! or the processors of a network of bytes.
//!
//! Time-multiplexed nodes with their shared core and their host: `TimeMultiplexedNodes`. Each clock cycle
//! serves one node:
//!
//! ```text
//!                                 +-----------------------+  turn, node_wake,
//!           excluded, in_full     |       contexts        |<---- host_wake
//!         +---------------------->|     ContextChoice     |
//!         |                       +-----------------------+
//!         |                             | context,   ^ current, retired,
//!         |                             v wake       | asleep
//! +---------------+ core_reset    +-----------------------+
//! |  supervisor   |-------------->|    core: SoftCore     |
//! |  Supervisor   |<--------------|  NODES + 1 contexts   |
//! +---------------+ retired, ..   +-----------------------+
//!      ^                                | request,   ^
//!      | restart, watched, looks        | address    | ready, read_data[32]
//!      |                                v            |
//! +---------------+ host_request  +----------------------------------+
//! |               |<--------------|          bus: SharedBus          | device_*
//! |               |-------------->|                                  |--->
//! |               | host_data[32] +----------------------------------+
//! |               |                  ^ fetched,             ^   | node_request
//! |     host      |                  | read_data node_data  |   |
//! |   HostPort    |                  |                      |   v
//! |               |               +--------------+ index, +--------------------+
//! |     UART,     | slot, arrival |    memory    | data[8]|      service       |
//! |message counts,|-------------->| SharedAccess |<-------|    NodeService     |
//! | control bits  |               |  block RAM,  | byte[8]|registers of a node |
//! |               |               |access of core|------->|                    |
//! |               |               +--------------+        +--------------------+
//! |               | valid, room, crowded                    ^      |          ^
//! |               |-----------------------------------------+      | commands |
//! +---------------+                                                v    shown |
//!    ^         |                          +------------------------------------+
//!    |         v           turn[BITS],    |       nodes: NodePeripheral,       |
//!   rx        tx           phase_clock,   |    time-multiplexed: one logic,    |
//!      +-----------------+ sync           |     NODES copies of its state      |
//!      |  NodeSequencer  |--------------->+------------------------------------+
//!      |FF count (node), |                          |               ^
//!      |   PhaseClock    |              pull, holds |               | level
//!      +-----------------+                          v               |
//!                |                        +------------------------------------+
//!                | turn                   |    wires: TimeMultiplexedWires     |
//!                +----------------------->|FF pulled, held: NODES clock cycles |
//!                                         +------------------------------------+
//! ```

mod byte_processors;
pub mod groups;
mod host_port;
mod hosted_nodes;
pub mod layout;
mod shared_memory;
mod sizes;
mod supervisor;
mod time_multiplexed_nodes;
mod time_multiplexing;

use crate::sized_nodes;
pub use byte_processors::ByteProcessors;
pub use host_port::{
    HostControl, HostPort, LineQueue, PhaseOutcomes, RegisterAccess, ScheduleState,
};
pub use hosted_nodes::{HostedComparison, HostedNodes, HostedShape};
use layout::PROGRAMS_NODE_DATA_BITS;
pub use shared_memory::{CoreAccess, MessageTransfer, SharedAccess, SharedBus, SharedMemory};
pub use sizes::NodeSizes;
pub use supervisor::{ProgramWatch, Restart, Supervisor};
pub use time_multiplexed_nodes::TimeMultiplexedNodes;
pub use time_multiplexing::{ContextChoice, NodeSequencer, TimeMultiplexedWires};

const CUBE3: NodeSizes = NodeSizes::cube(3);
const CUBE4: NodeSizes = NodeSizes { second_bank: true, ..NodeSizes::cube(4) };
const CUBE5: NodeSizes = NodeSizes { divider_bits: 17, ..NodeSizes::cube(5) };
const CUBE6: NodeSizes = NodeSizes { divider_bits: 19, ..NodeSizes::cube(6) };
/// Each node has 512 bytes of data. Up to 511 bytes from the PC can wait for the host.
const PROGRAMS: NodeSizes = NodeSizes {
    second_bank: true,
    node_data_bits: PROGRAMS_NODE_DATA_BITS,
    line_bits: 9,
    ..NodeSizes::cube(3)
};
/// Only an ECP5 has room for this memory, which is one bank.
const fn large_programs(dims: usize) -> NodeSizes {
    NodeSizes { links: dims, bits: dims, second_bank: false, divider_bits: 19, ..PROGRAMS }
}
const PROGRAMS4: NodeSizes = large_programs(4);
const PROGRAMS5: NodeSizes = large_programs(5);
const PROGRAMS6: NodeSizes = large_programs(6);
const METACUBE: NodeSizes = NodeSizes { links: 2, ..NodeSizes::cube(3) };

/// Nodes of the 3-cube, with the core that they share.
pub type TimeMultiplexedCube = sized_nodes!(TimeMultiplexedNodes, CUBE3);

/// Nodes of the 4-cube, with the core that they share.
pub type TimeMultiplexedCube4 = sized_nodes!(TimeMultiplexedNodes, CUBE4);

/// Nodes of the 5-cube, with the core that they share.
pub type TimeMultiplexedCube5 = sized_nodes!(TimeMultiplexedNodes, CUBE5);

/// Nodes of the 6-cube, with the core that they share.
pub type TimeMultiplexedCube6 = sized_nodes!(TimeMultiplexedNodes, CUBE6);

/// Nodes of the 3-cube whose programs come over the line, with the core that they share.
pub type TimeMultiplexedPrograms = sized_nodes!(TimeMultiplexedNodes, PROGRAMS);

/// Nodes of the 4-cube whose programs come over the line, with the core that they share.
pub type TimeMultiplexedPrograms4 = sized_nodes!(TimeMultiplexedNodes, PROGRAMS4);

/// Nodes of the 5-cube whose programs come over the line, with the core that they share.
pub type TimeMultiplexedPrograms5 = sized_nodes!(TimeMultiplexedNodes, PROGRAMS5);

/// Nodes of the 6-cube whose programs come over the line, with the core that they share.
pub type TimeMultiplexedPrograms6 = sized_nodes!(TimeMultiplexedNodes, PROGRAMS6);

/// The 3-cube as a board design.
pub type HostedCube = sized_nodes!(HostedNodes, CUBE3);

/// The 4-cube as a board design.
pub type HostedCube4 = sized_nodes!(HostedNodes, CUBE4);

/// The 5-cube as a board design.
pub type HostedCube5 = sized_nodes!(HostedNodes, CUBE5);

/// The 6-cube as a board design.
pub type HostedCube6 = sized_nodes!(HostedNodes, CUBE6);

/// The 3-cube whose programs come over the line, as a board design.
pub type HostedPrograms = sized_nodes!(HostedNodes, PROGRAMS);

/// The 4-cube whose programs come over the line, as a board design.
pub type HostedPrograms4 = sized_nodes!(HostedNodes, PROGRAMS4);

/// The 5-cube whose programs come over the line, as a board design.
pub type HostedPrograms5 = sized_nodes!(HostedNodes, PROGRAMS5);

/// The 6-cube whose programs come over the line, as a board design.
pub type HostedPrograms6 = sized_nodes!(HostedNodes, PROGRAMS6);

/// The metacube MC(1,1) as a board design.
pub type HostedMetacube = sized_nodes!(HostedNodes, METACUBE);

/// Bits of an offset in a message buffer of a node.
const OFFSET_BITS: usize = 4;

/// Clock cycles per bit on the line to the PC: 1 Mbaud at 25 MHz.
pub const HOST_CLOCKS: usize = 25;

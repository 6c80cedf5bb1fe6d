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

pub use byte_processors::ByteProcessors;
pub use host_port::{
    HostControl, HostPort, LineQueue, PhaseOutcomes, RegisterAccess, ScheduleState,
};
pub use hosted_nodes::{HostedComparison, HostedNodes, HostedShape};
pub use shared_memory::{CoreAccess, MessageTransfer, SharedAccess, SharedBus, SharedMemory};
pub use sizes::NodeSizes;
pub use supervisor::{ProgramWatch, Restart, Supervisor, WatchStart};
pub use time_multiplexed_nodes::TimeMultiplexedNodes;
pub use time_multiplexing::{ContextChoice, NodeSequencer, TimeMultiplexedWires};

/// Bits of an offset in a message buffer of a node.
const OFFSET_BITS: usize = 4;

/// Clock cycles per bit on the line to the PC: 1 Mbaud at 25 MHz.
pub const HOST_CLOCKS: usize = 25;

/// Ports of a machine.
#[derive(Clone, Copy)]
enum Ports {
    /// Those of a board.
    Board,
    /// Also those for simulation.
    Simulation,
}

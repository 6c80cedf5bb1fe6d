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
//! |     UART,     | place, arrival|    memory    | data[8]|      service       |
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
mod host_port;
mod hosted_nodes;
pub mod layout;
mod shared_memory;
mod supervisor;
mod time_multiplexed_nodes;
mod time_multiplexing;

use super::tdma::{receive_buffers, DIVIDER_BITS};
pub use byte_processors::ByteProcessors;
pub use host_port::{HostPort, LineQueue, PhaseOutcomes};
pub use hosted_nodes::{HostedComparison, HostedNodes, HostedShape};
use layout::PROGRAMS_NODE_DATA_BITS;
pub use shared_memory::{SharedAccess, SharedBus, SharedMemory};
pub use supervisor::{ProgramWatch, Restart, Supervisor};
pub use time_multiplexed_nodes::TimeMultiplexedNodes;
pub use time_multiplexing::{ContextChoice, NodeSequencer, TimeMultiplexedWires};

/// Nodes of the 3-cube, with the core that they share.
pub type TimeMultiplexedCube = TimeMultiplexedNodes<3, 3, 8, 3, 4, 9, 6, 0, 1>;

/// Nodes of the 4-cube, with the core that they share.
pub type TimeMultiplexedCube4 = TimeMultiplexedNodes<4, 4, 16, 4, 5, 10, 7, 4, 9>;

/// The 3-cube as a board design.
pub type HostedCube = HostedNodes<3, 3, 8, 3, 4, 9, 6, 0, 1>;

/// The 4-cube as a board design.
pub type HostedCube4 = HostedNodes<4, 4, 16, 4, 5, 10, 7, 4, 9>;

/// Nodes of the 5-cube, with the core that they share. The memory has no second bank. The
/// parameters after the second bank are larger than for 16 nodes. They are the widths of: an
/// address in the first bank, an address in the memory, the clock cycles of half a phase, a slot
/// number of the ring, the number of messages that arrived, and a count of nodes.
pub type TimeMultiplexedCube5 =
    TimeMultiplexedNodes<5, 5, 32, 5, 6, 11, 7, 0, 1, 12, 12, 17, 6, 7, 7>;

/// Nodes of the 6-cube, with the core that they share.
pub type TimeMultiplexedCube6 =
    TimeMultiplexedNodes<6, 6, 64, 6, 7, 12, 7, 0, 1, 13, 13, 19, 6, 7, 7>;

/// The 5-cube as a board design.
pub type HostedCube5 = HostedNodes<5, 5, 32, 5, 6, 11, 7, 0, 1, 12, 12, 17, 6, 7, 7>;

/// The 6-cube as a board design.
pub type HostedCube6 = HostedNodes<6, 6, 64, 6, 7, 12, 7, 0, 1, 13, 13, 19, 6, 7, 7>;

/// Nodes of the 3-cube whose programs come over the line, with the core that they share. Each node
/// has 512 bytes of data, for which the memory has 4 KB more. Up to 511 bytes from the PC can wait
/// for the host.
pub type TimeMultiplexedPrograms = TimeMultiplexedNodes<
    3,
    3,
    8,
    3,
    4,
    9,
    6,
    4,
    10,
    11,
    12,
    DIVIDER_BITS,
    4,
    5,
    6,
    PROGRAMS_NODE_DATA_BITS,
    9,
>;

/// The 3-cube whose programs come over the line, as a board design.
pub type HostedPrograms = HostedNodes<
    3,
    3,
    8,
    3,
    4,
    9,
    6,
    4,
    10,
    11,
    12,
    DIVIDER_BITS,
    4,
    5,
    6,
    PROGRAMS_NODE_DATA_BITS,
    9,
>;

/// The metacube MC(1,1) as a board design.
pub type HostedMetacube = HostedNodes<2, 3, 8, { receive_buffers(2, 3) }, 4, 9, 7, 0, 1>;

/// Bits of an offset in a message buffer of a node.
const OFFSET_BITS: usize = 4;

/// Clock cycles per bit on the line to the PC: 1 Mbaud at 25 MHz.
pub const HOST_CLOCKS: usize = 25;

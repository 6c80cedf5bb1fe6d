//! The TDMA machine: a time schedule connects the one UART of a node to its links in turn.
//!
//! Schedule (`tdma-hypercube`, section "The Phase Schedule"): a superframe has `2 * DIMS` phases.
//! In phase `2d` the nodes with address bit `d` clear transmit across dimension `d`, in phase `2d +
//! 1` the nodes with the bit set.
//!
//! A node that forwards in hardware: `Node` with the parts of its `ScheduledNode` (`FF`: flip-flops
//! at the wires):
//!
//! ```text
//!                          +-----------------------+
//!       phase_clock ------>|       sequencer       |------> phase[5]
//!              sync ------>|    PhaseSequencer     |------> muted
//!           address ------>|                       |------> slips[16]
//!                          +-----------------------+
//!                               |             |
//!                  +------------+             +--------------+
//!  begin, transmit |                                         | begin, dim[4],
//!                  v                                         v transmit, mute
//!          +--------------+                            +-----------+
//!          |              |                            |        FF |<--- level
//!          |              | slot[5], send, ready,      |        FF |---> pull
//! host <-->|  forwarder   |--------------------------->|  frames   |
//!          |  Forwarder   | forget                     | FramePort |
//! out  <---|              |      pending, down, select |           |---> holds
//!          |              |<---------------------------|           |
//!          |              |                            |           |---> outcome
//!          +--------------+                            +-----------+
//!            ^ ^ |                                             | ^ ^
//!            | | |                                             | | |
//!            | | | inject, free   +-----------+  store, spoil, | | |
//!            | | +--------------->|           |<---------------+ | |
//!            | |                  |  buffers  |  free, crossed   | |
//!            | | link_buffer[5],  |BufferFlags|  link_buffer[5], | |
//!            | +------------------|           |------------------+ |
//!            | injected, occupied |           |  link_buffer_full  |
//!            |                    +-----------+                    |
//!            |                    +-----------+                    |
//!            | memory, busy       | messages  |  memory            |
//!            +------------------->| Message-  |<-------------------+
//!                                 |  Memory   |
//!                                 +-----------+
//! ```
//!
//! The phase clock times all nodes, and the sequencer of each node counts phases (`FF`:
//! flip-flops):
//!
//! ```text
//!               +----------------------------------------------+
//! enable  ----->|        PhaseClock: one for all nodes         |-----> phase[5]
//!               |    FF running, level, remaining[DIVIDER],    |
//! divider ----->|       phase_count[5], frame_count[16]        |-----> frame[16]
//!               +----------------------------------------------+
//!                       | phase_clock (level)         | sync (phase_count = 0)
//! to the other          |                             |
//! nodes         <-------+                             +-------> other nodes
//!                       |                             |
//!                       v                             v
//!               +----------------------------------------------+ these two if
//!               |   PhaseClockDelay: delay + 1 clock cycles    | the node has
//!               +----------------------------------------------+ its own clock
//!                       | delayed_phase_clock         | delayed_sync
//!                       v                             v
//!               +----------------------------------------------+
//!               |    Synchroniser: 3 FF               2 FF     |
//!               +----------------------------------------------+
//!                       | node_phase_clock            | node_sync
//!                       |     +---------------+       |
//!                       |     |   LocalSync   |       | sync: from the wire, or
//!                       +---->| FF was_high,  |------>| from LocalSync in a
//!                       |     |   begun[5]    |       | machine without the wire
//!                       |     +---------------+       |
//!                       |                             |
//!                       v                             v
//!               +----------------------------------------------+
//! sides         |          sequencer: PhaseSequencer           |-> begin, dim[4]
//! [LINKS] ----->|       FF was_high, began, lost_sync,         |-> transmit
//!               |        phase_count[5], slip_count[16]        |-> phase, muted,
//!               +----------------------------------------------+   slips[16]
//! ```
//!
//! The path of a frame in a `FramePort`, from the wires to the message memory. The parts below the
//! UART form the `FrameEngine`:
//!
//! ```text
//!                +-- mux: PinMux -+    tx   +-- uart: HalfDuplexUart +
//! pull[LINKS] <--| FF pulls       |<--------|                        |
//!                |                |         |  8N1, CLOCKS per bit   |
//! level[LINKS] ->| FF listened_low|-------->|                        |
//!                +----------------+    rx   +------------------------+
//!                    ^        ^                ^  |
//!                 dim[4]      |                |  | down: rx_data[8], rx_valid,
//!     begin                   +-----+          |  |       tx_ready
//!       |                           | drive    |  | up: tx_data[8], tx_start
//!       v                           |          |  v
//! +------------+              +--------------------+                 +---------+
//! |            | frame_close  |                    | offset, reads,  |         |
//! |   timer    | answer_open  |  walk: FrameWalk   |---------------->|         |
//! | PhaseTimer | answer_close |     crc: Crc16     | writes, rx_data |         |
//! |            |------------->| check: FrameCheck  |   read_data[8]  |         |
//! |            |              |                    |<----------------|         |
//! +------------+              +--------------------+                 |         |
//!       |                          |      ^                          | message |
//!       |                   events |      | start, sequence, expected| memory  |
//!       |                          v      |                          |         |
//!       | frame_open,         +--------------------+                 |         |
//!       | frame_close,        |                    | record,         |         |
//!       +-------------------->|  links: LinkState  |---------------->|         |
//!         answer_close        |   4 FF per link    | record_data[8]  |         |
//!                             |                    |   read_data[8]  |         |
//!                             |                    |<----------------|         |
//!                             +--------------------+                 +---------+
//!                                  ^      |
//!         ready, send, slot[5],    |      | store, spoil, free, pending,
//!         transmit, forget         |      v down, outcome
//! ```

mod adaptive_node;
pub mod address_links;
pub mod buffers;
mod compiled_node;
mod core_service;
mod dma_copy;
mod forwarder;
mod frame_engine;
mod frame_port;
mod frame_walk;
mod link;
mod link_state;
pub mod machine;
mod node;
mod node_bundles;
mod node_clock;
pub mod node_on_board;
mod node_peripheral;
mod node_service;
mod phases;
mod soft_node;

pub use adaptive_node::{pool_slots, AdaptiveForwarder, AdaptiveNode, SlotPool};
pub use buffers::{
    buffer_fits, receive_buffers, BufferFlags, MessageMemory, Occupancy, CROSSED_BITS,
};
pub use compiled_node::{
    receives, sends, CompiledNode, MoveTable, MoveWrite, ScheduleFollower, TransferState,
    MOVES_BITS,
};
pub use core_service::{
    AccessGuard, ContextSwitch, GuardLimits, LedRegister, DATA_BASE, PORT_BASE,
};
pub use dma_copy::{DmaCopy, DmaState};
pub use forwarder::{BufferReader, Forwarder, ForwarderState, HostExchange};
pub use frame_engine::{
    EnginePlan, FrameEngine, FrameState, LinkRecord, PhasePlan, PhaseTimer, ReceiveResult,
    SendResult,
};
pub use frame_port::FramePort;
pub use frame_walk::{Crc16, FrameCheck, FrameWalk};
use interconnect::routing::tdma::PhaseSchedule;
pub use link::{Link, LinkPort, OpenDrainWire, PinMux};
pub use link_state::{LinkBit, LinkState};
pub use machine::{BufferSize, MachineNode};
pub use node::{CubeNode, Node, ProgrammedNode, ScheduledNode};
pub use node_bundles::{
    CommandSource, Commands, DeliveryReason, FrameEvents, FrameEventsIn, FrameOutcome, FromHost,
    MemoryEnd, MemorySide, NodeEnds, NodeSeen, NodeStatus, ScheduledEnds, SelectedBuffer,
    SelectedBufferIn, ToHost, WireEnds,
};
pub use node_clock::{
    LocalSync, NodeOscillator, PhaseClockDelay, SynchronisedPort, Synchroniser, DELAY_BITS,
    SLOWER_BITS,
};
pub use node_on_board::NodeOnBoard;
pub use node_peripheral::{NodePeripheral, ServiceState};
pub use node_service::{NodePort, NodeService, WordAccess};
pub use phases::{
    order_bits, OrderWrite, PhaseClock, PhaseOrder, PhaseSequencer, ProgrammedPhaseClock,
    ProgrammedSequencer, CUBE_ORDER_BITS,
};
pub use soft_node::{
    CoreMemory, CubeSoftNode, SoftNode, DATA_BITS, DATA_BITS_MAX, PROGRAM_BITS, PROGRAM_BITS_MAX,
};

/// Width of a phase number: 32 phases, for up to 16 dimensions.
pub const PHASE_BITS: usize = 5;

/// Width of a phase number in a programmed order: up to 32,768 pairs of phases.
pub const ORDER_PHASE_BITS: usize = 16;

/// Width of a dimension number.
pub const DIM_BITS: usize = 4;

/// Width of the counter of clock cycles in a phase.
pub const DIVIDER_BITS: usize = 16;

/// Width of the counters of superframes and of slips.
pub const COUNT_BITS: usize = 16;

/// Width of the number of a buffer or slot.
pub const SLOT_BITS: usize = 5;

/// Number of phases in a superframe of nodes with this number of links.
pub(super) const fn phases(links: usize) -> usize {
    PhaseSchedule::phases(links as u32) as usize
}

/// Smallest mask that covers `0..n`. A value masked with it keeps its upper bits at zero, which
/// synthesis recognises and removes.
const fn mask_of(n: usize) -> u64 {
    (n as u64).next_power_of_two() - 1
}

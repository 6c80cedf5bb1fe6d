//! Groups of time-multiplexed nodes, for machines larger than one core serves.
//!
//! A machine of `2^n` nodes consists of `2^(n-k)` groups of `2^k` nodes. The lower `k` bits of an
//! address are the node within its group, the upper bits are the group:
//!
//! ```text
//!            address of a node, n bits
//!           +----------------+-----------------+
//!           | group, n - k   | node, k bits    |
//!           +----------------+-----------------+
//!  links:     k to n - 1       0 to k - 1
//!             GroupWires       TimeMultiplexedWires within the group
//! ```
//!
//! Each group has its own core, message memories, router state, program, data and queues. In every
//! clock cycle each group serves the node with the same number `turn`. The two nodes on a link
//! between groups differ in one upper bit only, so both have their clock cycle at the same time. One
//! wire for each pair of groups therefore carries the links of all their nodes, one link in each
//! clock cycle. The protocol on a wire is that of the links within a group: the same frames, answers
//! and CRC. The wires take one gate for each pair of groups and dimension. A separate path for
//! messages between groups would also need memory ports and arbitration.
//!
//! ```text
//!           rx ---->+---------------+  phase_clock, turn  +---------------+
//!           tx <----|     port:     |  ..................>|   sequencer:  |
//!                   |GroupedHostPort|<-- phase, counts    | NodeSequencer |
//!                   +---------------+                     +---------------+
//!                     ^           | queue counts, restart, watch |  turn, phase_clock,
//!          registers  |           |                              |  sync to all groups
//!                   +---------------+                            |
//!                   |     host:     |  the host has a core and   |
//!                   | HostProcessor |  a memory of its own       |
//!                   +---------------+                            |
//!                     | window        +-------------+            |
//!                     v               |             v            v
//!                   +-------------+   |   +------------------------------+
//!                   |   window:   |---+-->| groups[g]: NodeGroup         |
//!                   | GroupWindow |       |  SoftCore of NODES contexts  |
//!                   +-------------+       |  GroupAccess: 3 banks of RAM |
//!                                         |  NodePeripheral, NodeService |
//!   outcomes: GroupOutcomes <-------------|  TimeMultiplexedWires        |
//!     sum of the reports of all groups    +------------------------------+
//!                                            | pull[UPPER]     ^ level[UPPER]
//!                                            v                 |
//!                                         +------------------------------+
//!                                         |   wires: GroupWires          |
//!                                         |   g with g ^ (1 << d)        |
//!                                         +------------------------------+
//! ```
//!
//! The host has a core of its own, because it serves all groups. It reaches the memories of the
//! groups through a window, in clock cycles in which their cores do not use the memory. Each group
//! has a ring of delivered messages.

mod group;
mod host;
mod machine;
mod memory;
mod sizes;
mod wires;

pub use group::{ContextRotation, GroupCounts, NodeGroup};
pub use host::{
    GroupOutcomes, GroupWindow, GroupedHostPort, HostProcessor, WINDOW_BIT, WINDOW_PART_BIT,
};
pub use machine::{GroupedNodes, HostedGroups};
pub use memory::{
    GroupAccess, GroupMemory, HostAccess, DATA_PART, INDEX_BITS, PART_BITS, PROGRAM_PART,
    QUEUE_PART, RING_PART,
};
pub use sizes::{GroupShape, GroupSizes, GROUPED_HOST_BITS};
pub use wires::GroupWires;

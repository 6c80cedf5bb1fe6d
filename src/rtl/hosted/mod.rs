//! Nodes that share one core, with their host: those of the 3-cube or of MC(1,1), or the
//! processors of a network of bytes, as they go on a board.

mod byte_processors;
mod host_port;
mod hosted_comparison;
mod hosted_nodes;
mod shared_memory;
mod shared_nodes;

pub use byte_processors::ByteProcessors;
pub use host_port::HostPort;
pub use hosted_comparison::HostedComparison;
pub use hosted_nodes::HostedNodes;
pub use shared_memory::SharedMemory;
pub use shared_nodes::SharedNodes;

use super::ends::nodes;
use super::tdma::receive_registers;

/// Bits of the address of a node: the dimensions of a cube.
pub const DIMS: usize = 3;

/// The nodes.
const NODES: usize = nodes(DIMS, DIMS);

/// The nodes of the 3-cube, with the core that they share.
pub type SharedCube = SharedNodes<DIMS, DIMS>;

/// The 3-cube as it goes on a board.
pub type HostedCube = HostedNodes<DIMS, DIMS>;

/// The metacube MC(1,1) as it goes on a board.
pub type HostedMetacube = HostedNodes<2, { receive_registers(2, DIMS) }>;

/// Bits of an offset in a register of a node, and of an address of its message
/// memory.
const OFFSET_BITS: usize = 4;
const ADDRESS: usize = 8;

/// Contexts of the core are the nodes and, after them, the host.
const CONTEXT_BITS: usize = DIMS + 1;
const HOST: u64 = NODES as u64;
const REGISTER_BITS: usize = CONTEXT_BITS + 5;

/// Bits of the address of a word in the memory of all.
const WORD_BITS: usize = 11;

/// Where the parts of that memory begin, in words; the nodes' program is at 0.
const NODE_DATA: u64 = 0x200;
const QUEUES: u64 = 0x300;
const HOST_MEMORY: u64 = 0x400;
const RING: u64 = 0x7C0;

/// Clock cycles in a bit of the line to the PC: 1 Mbaud at 25 MHz.
pub const HOST_CLOCKS: usize = 25;

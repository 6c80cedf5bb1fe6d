//! Nodes that share one core, with their host: the 3-cube, or the processors of a network
//! of bytes, as they go on a board.

mod byte_processors;
mod host_port;
mod hosted_comparison;
mod hosted_cube;
mod shared_cube;
mod shared_memory;

pub use byte_processors::ByteProcessors;
pub use host_port::HostPort;
pub use hosted_comparison::HostedComparison;
pub use hosted_cube::HostedCube;
pub use shared_cube::SharedCube;
pub use shared_memory::SharedMemory;

use super::ends::{links, nodes};

/// Dimensions of the cube.
pub const DIMS: usize = 3;

/// Its nodes and links.
const NODES: usize = nodes(DIMS);
const LINKS: usize = links(DIMS);

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

//! The header that tells the firmware of a board how many nodes there are, and where all lies.

use crate::rtl::hosted::layout::{queues, HOST_MEMORY, PLACES, RING, RING_PLACES};
use crate::topology::Metacube;

/// Its path among the sources.
pub const PATH: &str = "include/hosted.h";

/// Its text for a machine of this shape, from the [`layout`](crate::rtl::hosted::layout) of
/// its circuit. Addresses are the host's: it sees its own memory at 0.
pub fn text(shape: Metacube) -> String {
    let host_sees = |word: u64| 4 * (word ^ HOST_MEMORY);
    let bits = shape.bits();
    let (nodes, phases) = (shape.nodes(), 2 * shape.links());
    let (ring, queue) = (host_sees(RING), host_sees(queues(bits as usize)));
    format!(
        "/* The machine on the board, made with it. */\n\
         #define HOST_NODES {nodes}\n\
         #define HOST_DIMS {bits} /* bits of an address */\n\
         #define HOST_PHASES {phases} /* of a superframe */\n\
         #define HOST_PLACES {PLACES} /* of each node's queue */\n\
         #define HOST_RING {RING_PLACES} /* places of the ring */\n\
         #define HOST_RING_AT {ring:#x}\n\
         #define HOST_QUEUE_AT {queue:#x}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    #[test]
    fn the_header_of_the_four_cube() {
        let header = text(Hypercube::of(4).into());
        for line in [
            "HOST_NODES 16\n",
            "HOST_DIMS 4 ",
            "HOST_PHASES 8 ",
            "HOST_RING_AT 0xf00\n",
            "HOST_QUEUE_AT 0x3000\n",
        ] {
            assert!(header.contains(line), "{header}");
        }
    }
}

//! The header that tells the firmware of a board how many nodes there are, and where all lies.

use crate::rtl::hosted::layout::{host_sees, queues, ring, ring_places, PLACES};
use crate::topology::Metacube;

/// Its path among the sources.
pub const PATH: &str = "include/hosted.h";

/// Its text for a machine of this shape, from the [`layout`](crate::rtl::hosted::layout) of
/// its circuit. Addresses are the host's: it sees its own memory at 0.
pub fn text(shape: Metacube) -> String {
    let bits = shape.bits();
    let (nodes, phases) = (shape.nodes(), 2 * shape.links());
    let of_all = bits as usize;
    let places = ring_places(of_all);
    let [ring, queue] = [ring(of_all), queues(of_all)].map(|word| 4 * host_sees(word));
    format!(
        "/* The machine on the board, made with it. */\n\
         #define HOST_NODES {nodes}\n\
         #define HOST_DIMS {bits} /* bits of an address */\n\
         #define HOST_PHASES {phases} /* of a superframe */\n\
         #define HOST_PLACES {PLACES} /* of each node's queue */\n\
         #define HOST_RING {places} /* places of the ring */\n\
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

    /// The ring has the place of the data that lies behind the host's memory.
    #[test]
    fn the_header_of_the_six_cube() {
        let header = text(Hypercube::of(6).into());
        for line in [
            "HOST_NODES 64\n",
            "HOST_PHASES 12 ",
            "HOST_RING 64 ",
            "HOST_RING_AT 0x1c00\n",
            "HOST_QUEUE_AT 0x4000\n",
        ] {
            assert!(header.contains(line), "{header}");
        }
    }
}

//! Header for the firmware of a board, with the number of nodes and the memory layout.

use interconnect::topology::Metacube;
use rtl::hosted::layout::{
    data_start, data_words, host_address, queues_start, ring_slots, ring_start, PROGRAM_WORDS,
    QUEUE_SLOTS,
};

/// Path among the sources.
pub const PATH: &str = "include/hosted.h";

/// Header text for a machine of this shape, whose nodes have `2^room` words of data each. The
/// numbers come from the [`layout`](rtl::hosted::layout) of its circuit. Addresses are the
/// supervisor's, which sees its own memory at 0.
pub fn text(shape: Metacube, room: usize) -> String {
    let bits = shape.bits();
    let (nodes, phases) = (shape.nodes(), 2 * shape.links());
    let of_all = bits as usize;
    let places = ring_slots(of_all);
    let parts = [
        ring_start(of_all),
        queues_start(of_all, room),
        data_start(of_all, room),
        0,
    ];
    let [ring, queue, data, program] = parts.map(|word| 4 * host_address(word));
    let (data_bytes, program_bytes) = (4 * data_words(room), 4 * PROGRAM_WORDS);
    format!(
        "/* The machine on the board, made with it. */\n\
         #define HOST_NODES {nodes}\n\
         #define HOST_DIMS {bits} /* bits of an address */\n\
         #define HOST_PHASES {phases} /* of a superframe */\n\
         #define HOST_PLACES {QUEUE_SLOTS} /* of each node's queue */\n\
         #define HOST_RING {places} /* places of the ring */\n\
         #define HOST_RING_AT {ring:#x}\n\
         #define HOST_QUEUE_AT {queue:#x}\n\
         #define HOST_PROGRAM_AT {program:#x} /* of the nodes */\n\
         #define HOST_PROGRAM_BYTES {program_bytes}\n\
         #define HOST_DATA_AT {data:#x} /* of all nodes, one behind the other */\n\
         #define HOST_DATA_BYTES {data_bytes} /* of each */\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Hypercube;
    use rtl::hosted::layout::{NODE_DATA_BITS, PROGRAMS_NODE_DATA_BITS};

    /// Checks that the header of a cube has these lines.
    fn has(dims: u32, room: usize, lines: &[&str]) {
        let header = text(Hypercube::of(dims).into(), room);
        for line in lines {
            assert!(header.contains(line), "{header}");
        }
    }

    #[test]
    fn header_of_loadable_programs() {
        has(
            3,
            PROGRAMS_NODE_DATA_BITS,
            &[
                "HOST_NODES 8\n",
                "HOST_RING_AT 0xf00\n",
                "HOST_QUEUE_AT 0x1c00\n",
                "HOST_PROGRAM_AT 0x1000 ",
                "HOST_PROGRAM_BYTES 2048\n",
                "HOST_DATA_AT 0x3000 ",
                "HOST_DATA_BYTES 512 ",
            ],
        );
    }

    #[test]
    fn header_of_the_four_cube() {
        has(
            4,
            NODE_DATA_BITS,
            &[
                "HOST_NODES 16\n",
                "HOST_DIMS 4 ",
                "HOST_PHASES 8 ",
                "HOST_RING_AT 0xf00\n",
                "HOST_QUEUE_AT 0x3000\n",
            ],
        );
    }

    /// The ring replaces the data that follows the supervisor's memory.
    #[test]
    fn header_of_the_six_cube() {
        has(
            6,
            NODE_DATA_BITS,
            &[
                "HOST_NODES 64\n",
                "HOST_PHASES 12 ",
                "HOST_RING 64 ",
                "HOST_RING_AT 0x1c00\n",
                "HOST_QUEUE_AT 0x4000\n",
            ],
        );
    }
}

//! Initial memory of a board: the program of the nodes and the program of their supervisor.

use super::compile::{build_once, NodeKind, ProgramSource, SupervisorTarget};
use super::elf::{ElfImage, Firmware};
use super::sources::{self, ShippedProgram, SourceFile, ROTATION, TORUS};
use super::{FirmwareError, NodeMemory};
use interconnect::topology::Metacube;
use rtl::hosted::groups::{
    GroupShape, DATA_PART, GROUPED_HOST_BITS, PROGRAM_PART, QUEUE_PART, RING_PART, WINDOW_BIT,
    WINDOW_PART_BIT,
};
use rtl::hosted::layout::{
    data_start, data_words, host_address, queues_start, ring_slots, ring_start, CONSTANT_BITS,
    HOST_MEMORY, HOST_WORDS, MORE_HOST_WORDS, NODE_DATA_BITS, PROGRAMS_CONSTANTS, PROGRAM_WORDS,
    QUEUE_SLOTS, WORD_BITS,
};
use rtl::hosted::HostedShape;
use std::path::Path;
use toolchain::Toolchain;

/// Initial contents of a board's memory: one program for all nodes, and the supervisor's program
/// ([`TimeMultiplexedNodes`](rtl::hosted::TimeMultiplexedNodes),
/// [`ByteProcessors`](rtl::hosted::ByteProcessors)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardMemory {
    /// Words from address 0 on. All further words are zero.
    pub words: Vec<u32>,
}

/// Number of initialised words. More words may follow for queues, with constants behind them.
const WORDS: u64 = HOST_MEMORY + HOST_WORDS;

/// Program of a node that sleeps until it is reset: `wfi`, and a jump back to it.
const SLEEP_PROGRAM: [u32; 2] = [0x1050_0073, 0xFFDF_F06F];

impl BoardMemory {
    /// Size of the nodes' program in bytes. A part of the supervisor's program follows it.
    pub const PROGRAM: u64 = 1216;

    /// Size of a node's data in bytes. `STACK` is the part reserved for the stack.
    pub const DATA: u64 = 4 * data_words(NODE_DATA_BITS);
    pub const STACK: u64 = 96;

    /// Memory of a machine of this shape. Its nodes route for their supervisor, or sleep until their
    /// program comes over the line.
    ///
    /// # Errors
    /// If the programs do not compile.
    pub fn of_shape(
        shape: HostedShape,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        match shape {
            _ if shape.loads_programs() => BoardMemory::programs(shape, tools, builds),
            HostedShape::Groups(groups) => BoardMemory::groups(groups, tools, builds),
            _ => BoardMemory::routing(shape.into(), tools, builds),
        }
    }

    /// Memory of a cube or metacube whose nodes route for their supervisor. Both programs are
    /// compiled below the folder `builds`.
    ///
    /// # Errors
    /// If they do not compile.
    fn routing(shape: Metacube, tools: &Toolchain, builds: &Path) -> Result<Self, FirmwareError> {
        let host = match shape.class_bits() {
            0 => SupervisorTarget::Cube(shape.bits()),
            _ => SupervisorTarget::Metacube,
        };
        BoardMemory::with_nodes(host, sources::small_router(), shape.into(), tools, builds)
    }

    /// Memory of a cube in groups whose nodes route for their host: the words of each group's
    /// program, and behind them the host's.
    ///
    /// # Errors
    /// If they do not compile, or are too large.
    fn groups(shape: GroupShape, tools: &Toolchain, builds: &Path) -> Result<Self, FirmwareError> {
        let router = sources::small_router();
        let nodes =
            ShippedProgram::compile(router, NodeKind::CUBE, tools, &builds.join("firmware"))?;
        let nodes = &nodes.firmware;
        let program = 4 * nodes.words.len() as u64;
        check_size(nodes, "code and constants take", program, 4 * PROGRAM_WORDS)?;
        check_size(nodes, "data takes", nodes.data, Self::DATA - Self::STACK)?;
        BoardMemory::with_grouped_host(&nodes.words, shape, tools, builds)
    }

    /// Adds the host of groups to this program of the nodes.
    fn with_grouped_host(
        nodes: &[u32],
        shape: GroupShape,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let elf = build_once(
            "host",
            &ProgramSource::Supervisor(SupervisorTarget::Groups(shape)),
            tools,
            &builds.join("firmware"),
        )?;
        let unfit = |why: String| FirmwareError::Unfit { program: "the host".into(), why };
        let image = ElfImage::from_elf(&elf).map_err(|e| unfit(e.to_string()))?;
        let host = image.words(4 << GROUPED_HOST_BITS);
        let host = host.map_err(|e| unfit(e.to_string()))?;
        let mut words = nodes.to_vec();
        words.resize(PROGRAM_WORDS as usize, 0);
        words.extend(host);
        Ok(BoardMemory { words })
    }

    /// Memory of the comparison: nodes and supervisor beside a CM-1
    /// ([`HostedComparison`](rtl::hosted::HostedComparison)).
    ///
    /// # Errors
    /// If they do not compile.
    pub fn comparison(tools: &Toolchain, builds: &Path) -> Result<Self, FirmwareError> {
        BoardMemory::with_nodes(
            SupervisorTarget::Compare,
            sources::COMPARE,
            NodeKind::CUBE,
            tools,
            builds,
        )
    }

    /// Memory of a byte network: processors and supervisor.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn byte_network(
        network: ByteNetwork,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let (name, source) = (network.name(), ProgramSource::Processor(network));
        let elf = build_once(name, &source, tools, &builds.join("firmware"))?;
        let nodes = Firmware::from_elf(name, &elf, NodeMemory::BOARD)?;
        BoardMemory::with_supervisor(SupervisorTarget::Bytes(network), &nodes, tools, builds)
    }

    /// Memory of a cube of this shape whose programs come over the line. Until then its nodes sleep.
    ///
    /// # Errors
    /// If the supervisor does not compile.
    fn programs(
        shape: HostedShape,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        if let HostedShape::Groups(groups) = shape {
            return BoardMemory::with_grouped_host(&SLEEP_PROGRAM, groups, tools, builds);
        }
        let target = SupervisorTarget::Programs(Metacube::from(shape).bits());
        let mut memory = BoardMemory::supervisor_only(target, tools, builds)?;
        memory.words[..SLEEP_PROGRAM.len()].copy_from_slice(&SLEEP_PROGRAM);
        Ok(memory)
    }

    /// Adds the program in `file`, compiled for this kind of nodes.
    fn with_nodes(
        host: SupervisorTarget,
        file: &'static SourceFile,
        kind: NodeKind,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let nodes = ShippedProgram::compile(file, kind, tools, &builds.join("firmware"))?;
        BoardMemory::with_supervisor(host, &nodes.firmware, tools, builds)
    }

    fn with_supervisor(
        host: SupervisorTarget,
        nodes: &Firmware,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let program = 4 * nodes.words.len() as u64;
        check_size(nodes, "code and constants take", program, Self::PROGRAM)?;
        check_size(nodes, "data takes", nodes.data, Self::DATA - Self::STACK)?;
        let mut memory = BoardMemory::supervisor_only(host, tools, builds)?;
        memory.words[..nodes.words.len()].copy_from_slice(&nodes.words);
        Ok(memory)
    }

    /// Memory with the supervisor's program only.
    fn supervisor_only(
        host: SupervisorTarget,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let elf =
            build_once("host", &ProgramSource::Supervisor(host), tools, &builds.join("firmware"))?;
        let unfit = |why: String| FirmwareError::Unfit { program: "the host".into(), why };
        let image = ElfImage::from_elf(&elf).map_err(|e| unfit(e.to_string()))?;
        let end = match host {
            SupervisorTarget::Programs(3) => PROGRAMS_CONSTANTS + (1 << CONSTANT_BITS),
            SupervisorTarget::Programs(_) => WORDS + MORE_HOST_WORDS,
            _ => WORDS,
        };
        let seen = image.words(4 << WORD_BITS).map_err(|e| unfit(e.to_string()))?;
        let words = (0..end).map(|word| seen[host_address(word) as usize]).collect();
        Ok(BoardMemory { words })
    }
}

/// Checks that a part of a program fits.
fn check_size(
    program: &Firmware,
    what: &'static str,
    bytes: u64,
    limit: u64,
) -> Result<(), FirmwareError> {
    if bytes <= limit {
        return Ok(());
    }
    Err(FirmwareError::TooLarge { program: program.name.clone(), what, bytes, limit, larger: None })
}

// Header for the firmware of a board, with the number of nodes and the memory layout.

/// Path among the sources.
pub const PATH: &str = "include/hosted.h";

/// Header text for a machine of this shape, whose nodes have `2^room` words of data each. The
/// numbers come from the [`layout`](rtl::hosted::layout) of its circuit. Addresses are the
/// supervisor's, which sees its own memory at 0.
pub fn text(shape: Metacube, room: usize) -> String {
    let bits = shape.bits();
    let (nodes, phases) = (shape.nodes(), 2 * shape.links());
    let of_all = bits as usize;
    let slots = ring_slots(of_all);
    let parts = [ring_start(of_all), queues_start(of_all, room), data_start(of_all, room), 0];
    let [ring, queue, data, program] = parts.map(|word| 4 * host_address(word));
    let (data_bytes, program_bytes) = (4 * data_words(room), 4 * PROGRAM_WORDS);
    format!(
        "/* The machine on the board, generated with it. */\n\
         #define HOST_NODES {nodes}\n\
         #define HOST_DIMS {bits} /* bits of an address */\n\
         #define HOST_PHASES {phases} /* of a superframe */\n\
         #define HOST_SLOTS {QUEUE_SLOTS} /* of each node's queue */\n\
         #define HOST_RING {slots} /* slots of the ring */\n\
         #define HOST_RING_AT {ring:#x}\n\
         #define HOST_QUEUE_AT {queue:#x}\n\
         #define HOST_PROGRAM_AT {program:#x} /* of the nodes */\n\
         #define HOST_PROGRAM_BYTES {program_bytes}\n\
         #define HOST_DATA_AT {data:#x} /* of all nodes, one behind the other */\n\
         #define HOST_DATA_BYTES {data_bytes} /* of each */\n"
    )
}

/// Header text for a machine of groups. The host's window to the groups has the parts one behind the
/// other, each for all nodes.
pub fn groups_text(shape: GroupShape) -> String {
    let (cube, sizes) = (shape.cube(), shape.sizes());
    let (nodes, bits, phases) = (cube.nodes(), cube.dims(), 2 * cube.dims());
    let (groups, slots) = (nodes / shape.group_nodes(), 1u64 << sizes.ring_bits());
    let part = |part: u64| 1u64 << WINDOW_BIT | part << WINDOW_PART_BIT;
    let parts = [RING_PART, QUEUE_PART, DATA_PART, PROGRAM_PART].map(part);
    let [ring, queue, data, program] = parts;
    let (data_bytes, program_bytes) = (4 * data_words(sizes.node_data_bits), 4 * PROGRAM_WORDS);
    format!(
        "/* The machine on the board, generated with it. */\n\
         #define HOST_NODES {nodes}\n\
         #define HOST_DIMS {bits} /* bits of an address */\n\
         #define HOST_PHASES {phases} /* of a superframe */\n\
         #define HOST_SLOTS {QUEUE_SLOTS} /* of each node's queue */\n\
         #define HOST_GROUPS {groups} /* of nodes with a core each */\n\
         #define HOST_RING {slots} /* slots of each group's ring */\n\
         #define HOST_RING_AT {ring:#x}\n\
         #define HOST_QUEUE_AT {queue:#x}\n\
         #define HOST_PROGRAM_AT {program:#x} /* of all nodes */\n\
         #define HOST_PROGRAM_BYTES {program_bytes}\n\
         #define HOST_DATA_AT {data:#x} /* of all nodes, one behind the other */\n\
         #define HOST_DATA_BYTES {data_bytes} /* of each */\n"
    )
}

// Byte networks that run on a board.

/// Byte network whose processors can be programs on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteNetwork {
    /// The torus routing chip.
    Torus,
    /// Minimal rotation on the cube.
    Rotation,
}

impl ByteNetwork {
    /// All networks.
    pub const ALL: [Self; 2] = [Self::Torus, Self::Rotation];

    /// Name on boards and in commands.
    pub const fn name(self) -> &'static str {
        match self {
            ByteNetwork::Torus => "torus",
            ByteNetwork::Rotation => "rotation",
        }
    }

    /// C source that writes the addresses of the network's packets.
    pub(super) fn source(self) -> &'static SourceFile {
        match self {
            ByteNetwork::Torus => TORUS,
            ByteNetwork::Rotation => ROTATION,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rtl::hosted::layout::{ring_start, PROGRAM_WORDS};

    /// The linker script contains the numbers of the layout.
    #[test]
    fn the_supervisor_is_linked_at_its_memory_address() {
        let script = include_str!("../../firmware/board/host.ld");
        let ring = 4 * (ring_start(4) - HOST_MEMORY);
        let behind = 4 * HOST_MEMORY + BoardMemory::PROGRAM;
        let room = 4 * PROGRAM_WORDS - BoardMemory::PROGRAM;
        for line in [
            format!("ORIGIN = 0x00000000, LENGTH = 0x{ring:X}\n"),
            format!("ORIGIN = 0x{behind:08X}, LENGTH = 0x{room:X}\n"),
            format!("stack_top = 0x{ring:X};"),
        ] {
            assert!(script.contains(&line), "{line}");
        }
    }

    /// The second part of the supervisor of 16 and more nodes is where the circuit has it.
    #[test]
    fn the_loading_supervisor_is_linked_at_its_memory_addresses() {
        let script = include_str!("../../firmware/board/frames_large.ld");
        let more = 4 * host_address(HOST_MEMORY + HOST_WORDS);
        let length = 4 * MORE_HOST_WORDS;
        let line = format!("ORIGIN = 0x{more:08X}, LENGTH = 0x{length:X}\n");
        assert!(script.contains(&line), "{line}");
        let groups = include_str!("../../firmware/board/frames_groups.ld");
        let line = format!("LENGTH = 0x{:X}\n", 4 << GROUPED_HOST_BITS);
        assert!(groups.contains(&line), "{line}");
    }
}

#[cfg(test)]
mod hosted_header_tests {
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
    fn header_of_loadable_programs_in_a_six_cube() {
        has(
            6,
            PROGRAMS_NODE_DATA_BITS,
            &[
                "HOST_RING_AT 0x1c00\n",
                "HOST_QUEUE_AT 0x4000\n",
                "HOST_PROGRAM_AT 0x1000 ",
                "HOST_DATA_AT 0x8000 ",
                "HOST_DATA_BYTES 512 ",
            ],
        );
        let groups = groups_text(GroupShape::programs(8, 6).unwrap());
        for line in ["HOST_GROUPS 4 ", "HOST_RING 64 ", "HOST_DATA_BYTES 512 "] {
            assert!(groups.contains(line), "{groups}");
        }
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

//! Initial memory of a board: the program of the nodes and the program of their supervisor.

use super::build_cache::build_once;
use super::byte_network::ByteNetwork;
use super::compile::{ProgramSource, SupervisorTarget};
use super::elf::ElfImage;
use super::error::FirmwareError;
use super::firmware::Firmware;
use super::node_kind::NodeKind;
use super::shipped::ShippedProgram;
use super::sources::{self, SourceFile};
use interconnect::topology::Metacube;
use rtl::hosted::layout::{
    data_words, host_address, CONSTANT_BITS, HOST_MEMORY, HOST_WORDS, NODE_DATA_BITS,
    PROGRAMS_CONSTANTS, WORD_BITS,
};
use std::path::Path;
use toolchain::Toolchain;

/// Initial contents of a board's memory: one program for all nodes, and the supervisor's program
/// ([`SharedNodes`](rtl::hosted::SharedNodes),
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

    /// Memory of a cube or metacube whose nodes route for their supervisor. Both programs are
    /// compiled below the folder `builds`.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn routing(
        shape: Metacube,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let host = match shape.class_bits() {
            0 => SupervisorTarget::Cube(shape.bits()),
            _ => SupervisorTarget::Metacube,
        };
        BoardMemory::with_nodes(host, sources::small_router(), shape.into(), tools, builds)
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
        let nodes = Firmware::from_elf(name, &elf)?;
        BoardMemory::with_supervisor(SupervisorTarget::Bytes(network), &nodes, tools, builds)
    }

    /// Memory of the 3-cube whose programs come over the line. Until then its nodes sleep.
    ///
    /// # Errors
    /// If the supervisor does not compile.
    pub fn programs(tools: &Toolchain, builds: &Path) -> Result<Self, FirmwareError> {
        let mut memory = BoardMemory::supervisor_only(SupervisorTarget::Programs, tools, builds)?;
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
        let too_large = |what, bytes, limit| FirmwareError::TooLarge {
            program: nodes.name.clone(),
            what,
            bytes,
            limit,
        };
        let program = 4 * nodes.words.len() as u64;
        if program > Self::PROGRAM {
            return Err(too_large("code and constants", program, Self::PROGRAM));
        }
        let limit = Self::DATA - Self::STACK;
        if nodes.data > limit {
            return Err(too_large("data", nodes.data, limit));
        }
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
        let elf = build_once(
            "host",
            &ProgramSource::Supervisor(host),
            tools,
            &builds.join("firmware"),
        )?;
        let unfit = |why: String| FirmwareError::Unfit {
            program: "the host".into(),
            why,
        };
        let image = ElfImage::from_elf(&elf).map_err(|e| unfit(e.to_string()))?;
        let end = match host {
            SupervisorTarget::Programs => PROGRAMS_CONSTANTS + (1 << CONSTANT_BITS),
            _ => WORDS,
        };
        let seen = image
            .words(4 << WORD_BITS)
            .map_err(|e| unfit(e.to_string()))?;
        let words = (0..end)
            .map(|word| seen[host_address(word) as usize])
            .collect();
        Ok(BoardMemory { words })
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
}

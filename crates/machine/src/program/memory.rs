//! Memories of a node's core: sizes on a board and in a simulation, and the nodes that a program is
//! compiled for.

use super::NodeKind;
use interconnect::topology::number;
use rtl::tdma::{CoreMemory, DATA_BITS, DATA_BITS_MAX, PROGRAM_BITS, PROGRAM_BITS_MAX};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Sizes of the memories of a node, each a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    program_bits: usize,
    data_bits: usize,
}

/// Log2 of the bytes of a word.
const WORD: usize = 2;

impl NodeMemory {
    /// Sizes on a board: 2 KB of program and 512 bytes of data.
    pub const BOARD: Self = NodeMemory { program_bits: PROGRAM_BITS, data_bits: DATA_BITS };

    /// Largest sizes: 64 KB of program and 32 KB of data.
    pub const LARGEST: Self =
        NodeMemory { program_bits: PROGRAM_BITS_MAX, data_bits: DATA_BITS_MAX };

    /// Sizes from those of a board to the largest. Program and data grow together.
    pub fn series() -> impl Iterator<Item = Self> {
        let steps = 0..=PROGRAM_BITS_MAX - PROGRAM_BITS;
        let grown = steps.map(|step| NodeMemory {
            program_bits: PROGRAM_BITS + step,
            data_bits: DATA_BITS + step,
        });
        grown.chain([Self::LARGEST])
    }

    /// Returns the memories of these sizes in bytes, or `None` if there are none.
    pub fn of_sizes(program: u64, data: u64) -> Option<Self> {
        let memory = NodeMemory {
            program_bits: (program.max(1).ilog2() as usize).checked_sub(WORD)?,
            data_bits: data.max(1).ilog2() as usize,
        };
        let exact = memory.program() == program && memory.data() == data;
        let within = (PROGRAM_BITS..=PROGRAM_BITS_MAX).contains(&memory.program_bits)
            && (DATA_BITS..=DATA_BITS_MAX).contains(&memory.data_bits);
        (exact && within).then_some(memory)
    }

    /// Returns the smallest memories that hold a program of these sizes, without its stack. The
    /// result is at least as large as `self`.
    pub(super) fn that_holds(self, program: u64, data: u64) -> Option<Self> {
        let programs = self.program_bits..=PROGRAM_BITS_MAX;
        let data_sizes = self.data_bits..=DATA_BITS_MAX;
        Some(NodeMemory {
            program_bits: programs.into_iter().find(|b| program <= 4 << b)?,
            data_bits: data_sizes.into_iter().find(|b| {
                let memory = NodeMemory { data_bits: *b, ..self };
                data <= memory.static_data()
            })?,
        })
    }

    /// Returns the bytes of the program store.
    pub fn program(self) -> u64 {
        4 << self.program_bits
    }

    /// Returns the bytes of the data memory.
    pub fn data(self) -> u64 {
        1 << self.data_bits
    }

    /// Returns the bytes of the data memory that are reserved for the stack: 256, or an eighth of a
    /// large memory.
    pub fn stack(self) -> u64 {
        (self.data() / 8).max(256)
    }

    /// Returns the bytes of data that a program may allocate statically.
    pub fn static_data(self) -> u64 {
        self.data() - self.stack()
    }

    /// Returns the sizes for the circuit.
    pub fn core(self) -> CoreMemory {
        CoreMemory { program_bits: self.program_bits, data_bits: self.data_bits }
    }

    /// Returns the compiler option that sets the stack; none on a board.
    pub(super) fn macro_flag(self) -> Option<String> {
        (self != Self::BOARD).then(|| format!("-DNODE_DATA_BYTES={}", self.data()))
    }
}

impl Default for NodeMemory {
    fn default() -> Self {
        Self::BOARD
    }
}

/// The text does not name memories of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "accepted: PROGRAM,DATA, each a power of two, program 2K to 64K and data 512 to 32K, \
     such as 16K,4K"
)]
pub struct NotANodeMemory;

/// Reads `16K,4K` or `16384,4096`.
impl FromStr for NodeMemory {
    type Err = NotANodeMemory;

    fn from_str(text: &str) -> Result<Self, NotANodeMemory> {
        let bytes = |text: &str| {
            let (digits, unit) = match text.strip_suffix(['K', 'k']) {
                Some(digits) => (digits, 1024),
                None => (text, 1),
            };
            number::parse(digits).ok()?.checked_mul(unit)
        };
        let sizes = text.split_once(',').and_then(|(program, data)| {
            Self::of_sizes(bytes(program.trim())?, bytes(data.trim())?)
        });
        sizes.ok_or(NotANodeMemory)
    }
}

/// `16K,4K`, in the form that `from_str` reads.
impl fmt::Display for NodeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: u64| match bytes {
            0..1024 => bytes.to_string(),
            _ => format!("{}K", bytes / 1024),
        };
        write!(f, "{},{}", size(self.program()), size(self.data()))
    }
}

impl Serialize for NodeMemory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Nodes that a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTarget {
    pub kind: NodeKind,
    pub memory: NodeMemory,
    /// The core has multiplication and division.
    pub multiplies: bool,
}

/// Nodes with the memories of a board.
impl From<NodeKind> for NodeTarget {
    fn from(kind: NodeKind) -> Self {
        NodeTarget { kind, memory: NodeMemory::BOARD, multiplies: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_printed() {
        let memory: NodeMemory = "16K,2048".parse().unwrap();
        assert_eq!((memory.program(), memory.data()), (16_384, 2048));
        assert_eq!(memory.to_string(), "16K,2K");
        assert_eq!("2048,512".parse(), Ok(NodeMemory::BOARD));
        assert_eq!("64K,32k".parse(), Ok(NodeMemory::LARGEST));
        for memory in [NodeMemory::BOARD, NodeMemory::LARGEST, memory] {
            assert_eq!(memory.to_string().parse(), Ok(memory));
        }
        for text in [
            "",
            "16K",
            "128K,2K",
            "16K,64K",
            "1K,512",
            "16K,256",
            "3K,512",
            "4K,0",
            "9999999999999999999K,1K",
        ] {
            assert_eq!(text.parse::<NodeMemory>(), Err(NotANodeMemory), "{text}");
        }
    }

    #[test]
    fn the_series_goes_from_a_board_to_the_largest() {
        let texts: Vec<String> = NodeMemory::series().map(|m| m.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sizes = ["2K,512", "4K,1K", "8K,2K", "16K,4K", "32K,8K", "64K,16K", "64K,32K"];
        assert_eq!(texts, sizes);
    }

    #[test]
    fn the_next_size_holds_the_program() {
        let holds = |program, data| NodeMemory::BOARD.that_holds(program, data);
        assert_eq!(holds(2048, 256).unwrap(), NodeMemory::BOARD);
        assert_eq!(holds(2049, 256).unwrap().to_string(), "4K,512");
        assert_eq!(holds(5412, 257).unwrap().to_string(), "8K,1K");
        assert_eq!(holds(65_536, 28_672).unwrap(), NodeMemory::LARGEST);
        assert_eq!(holds(65_537, 0), None);
        assert_eq!(holds(0, 28_673), None);
    }
}

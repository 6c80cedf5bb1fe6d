//! Handmade ELF files of RV32 programs.

use phasecube::program::{Firmware, NodeKind, NodeTarget};
use std::fs;
use std::path::Path;

/// Header fields of an ELF file with one segment (System V ABI), and its symbols.
pub struct Elf {
    pub class: u8,
    pub data: u8,
    pub kind: u16,
    pub machine: u16,
    pub entry: u32,
    pub flags: u32,
    pub address: u32,
    pub memory_size: u32,
    pub words: Vec<u32>,
    /// Name and address of each symbol.
    pub symbols: Vec<(&'static str, u32)>,
}

/// Returns an RV32 program linked at address 0.
pub fn program(words: &[u32]) -> Elf {
    Elf {
        class: 1,
        data: 1,
        kind: 2,
        machine: 243,
        entry: 0,
        flags: 0,
        address: 0,
        memory_size: 4 * words.len() as u32,
        words: words.to_vec(),
        symbols: vec![],
    }
}

impl Elf {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0x7F, b'E', b'L', b'F', self.class, self.data, 1];
        bytes.resize(16, 0);
        let half = |bytes: &mut Vec<u8>, half: u16| bytes.extend(half.to_le_bytes());
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        half(&mut bytes, self.kind);
        half(&mut bytes, self.machine);
        // Offset of the section table, number of sections, and index of the section with names.
        let (sections, count, names) = match self.symbols.is_empty() {
            true => (0, 0, 0),
            false => (84 + 4 * self.words.len() as u32, 3, 2),
        };
        for w in [1, self.entry, 52, sections, self.flags] {
            word(&mut bytes, w);
        }
        for h in [52, 32, 1, 40, count, names] {
            half(&mut bytes, h);
        }
        let (address, size) = (self.address, 4 * self.words.len() as u32);
        for w in [1, 84, address, address, size, self.memory_size, 7, 4] {
            word(&mut bytes, w);
        }
        self.words.iter().for_each(|w| word(&mut bytes, *w));
        if sections > 0 {
            self.add_symbols(&mut bytes);
        }
        bytes
    }

    /// Appends three sections with their contents: none, symbols, and symbol names.
    fn add_symbols(&self, bytes: &mut Vec<u8>) {
        let (mut table, mut names) = (vec![0; 16], vec![0]);
        for (name, address) in &self.symbols {
            // Name, value, size, kind (global), section (absolute).
            table.extend((names.len() as u32).to_le_bytes());
            table.extend(address.to_le_bytes());
            table.extend([0, 0, 0, 0, 0x10, 0, 0xF1, 0xFF]);
            names.extend(name.bytes().chain([0]));
        }
        let at = bytes.len() as u32 + 3 * 40;
        let (size, end) = (table.len() as u32, at + table.len() as u32);
        for w in [
            [0; 10],
            [0, 2, 0, 0, at, size, 2, 1, 4, 16],
            [0, 3, 0, 0, end, names.len() as u32, 0, 0, 1, 0],
        ]
        .concat()
        {
            bytes.extend(w.to_le_bytes());
        }
        bytes.extend(table);
        bytes.extend(names);
    }

    pub fn write(&self, dir: &Path, name: &str) {
        fs::write(dir.join(name), self.bytes()).unwrap();
    }
}

/// The message names the instruction set of the nodes, with or without multiplication.
#[test]
fn an_unfit_program_is_refused_with_the_instruction_set() {
    for (multiplies, runs) in [(false, "a node runs RV32I"), (true, "a node runs RV32IM")] {
        let target = NodeTarget { multiplies, ..NodeKind::CUBE.into() };
        for flags in [1, 4] {
            let elf = Elf { flags, ..program(&[0x13]) };
            let refused = Firmware::from_elf_for("p", &elf.bytes(), target).unwrap_err();
            assert!(refused.to_string().ends_with(runs), "{refused}");
        }
    }
}

//! ELF files of RV32 programs.

use object::elf::{FileHeader32, EM_RISCV, ET_EXEC, PT_LOAD, SHT_SYMTAB};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use object::{Endianness, FileKind};
use std::collections::BTreeMap;
use thiserror::Error;

/// Memory contents of an ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfImage {
    /// Address of the first instruction.
    pub entry: u32,
    /// True if the program may contain compressed instructions (16 bits).
    pub compressed: bool,
    /// Non-empty segments in the order of the file.
    pub segments: Vec<Segment>,
    /// Addresses of symbols by name. Empty if the symbol table is missing or damaged, because a
    /// program runs without it.
    pub symbols: BTreeMap<String, u32>,
}

/// Bytes at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Load address (LMA).
    pub address: u32,
    /// Bytes of the file, followed by zeros.
    pub bytes: Vec<u8>,
}

/// The file is not a program for the soft core.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    #[error("it is not an ELF file")]
    NotElf,
    #[error("it is an ELF file for {found}; accepted: 32-bit RISC-V, little-endian")]
    NotRv32 { found: String },
    #[error("it is not linked; accepted: executable ELF files")]
    NotLinked,
    #[error("it has no segment to load")]
    Empty,
    #[error("it loads {bytes} bytes in one segment; accepted: up to {MAX_SEGMENT}")]
    TooLarge { bytes: u32 },
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// A segment is outside of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "it does not fit: 0x{first:08X} to 0x{last:08X} is loaded; accepted: 0x00000000 to 0x{end:08X}"
)]
pub struct DoesNotFit {
    /// First address of the segment. `last` is its last address.
    pub first: u32,
    pub last: u64,
    /// Last address of the memory.
    pub end: u32,
}

/// Largest size of a segment in bytes. The value exceeds every memory here, and limits the memory
/// that a damaged file can allocate.
const MAX_SEGMENT: u32 = 16 << 20;

/// Bit of `e_flags`: the code may have compressed instructions.
const EF_RISCV_RVC: u32 = 1;

fn symbols(
    header: &FileHeader32<Endianness>,
    endian: Endianness,
    file: &[u8],
) -> object::Result<BTreeMap<String, u32>> {
    let sections = header.sections(endian, file)?;
    let table = sections.symbols(endian, file, SHT_SYMTAB)?;
    let mut symbols = BTreeMap::new();
    for symbol in table.iter() {
        let name = symbol.name(endian, table.strings())?;
        let name = String::from_utf8_lossy(name).into_owned();
        symbols.insert(name, symbol.st_value(endian));
    }
    Ok(symbols)
}

impl ElfImage {
    /// Reads the contents of a file.
    ///
    /// # Errors
    /// If the file is not a linked 32-bit RISC-V ELF file, is damaged, or has nothing to load. Also
    /// if a segment is larger than 16 MiB.
    pub fn from_elf(file: &[u8]) -> Result<Self, ElfError> {
        match FileKind::parse(file) {
            Ok(FileKind::Elf32) => {}
            Ok(FileKind::Elf64) => {
                return Err(ElfError::NotRv32 {
                    found: "a 64-bit machine".into(),
                })
            }
            _ => return Err(ElfError::NotElf),
        }
        let damaged = |e: object::Error| ElfError::Damaged(e.to_string());
        let header = FileHeader32::<Endianness>::parse(file).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        let machine = header.e_machine(endian);
        if machine != EM_RISCV || endian != Endianness::Little {
            let found = match machine == EM_RISCV {
                true => "big-endian RISC-V".into(),
                false => format!("machine {machine}"),
            };
            return Err(ElfError::NotRv32 { found });
        }
        if header.e_type(endian) != ET_EXEC {
            return Err(ElfError::NotLinked);
        }
        let mut segments = vec![];
        for segment in header.program_headers(endian, file).map_err(damaged)? {
            let size = segment.p_memsz(endian);
            if segment.p_type(endian) != PT_LOAD || size == 0 {
                continue;
            }
            let address = segment.p_paddr(endian);
            let outside = |()| ElfError::Damaged("a segment lies outside of the file".into());
            let data = segment.data(endian, file).map_err(outside)?;
            if data.len() > size as usize {
                let says = "a segment is smaller in memory than in the file";
                return Err(ElfError::Damaged(says.into()));
            }
            if size > MAX_SEGMENT {
                return Err(ElfError::TooLarge { bytes: size });
            }
            let mut bytes = data.to_vec();
            bytes.resize(size as usize, 0);
            segments.push(Segment { address, bytes });
        }
        if segments.is_empty() {
            return Err(ElfError::Empty);
        }
        Ok(ElfImage {
            entry: header.e_entry(endian),
            compressed: header.e_flags(endian) & EF_RISCV_RVC != 0,
            segments,
            symbols: symbols(header, endian, file).unwrap_or_default(),
        })
    }

    /// Words of a memory of `size` bytes that contains the program and is zero elsewhere. The
    /// memory begins at address zero. `size` is a multiple of four.
    ///
    /// # Errors
    /// If a segment is outside of the memory.
    pub fn words(&self, size: u32) -> Result<Vec<u32>, DoesNotFit> {
        let mut memory = vec![0; size as usize];
        for Segment { address, bytes } in &self.segments {
            let last = u64::from(*address) + bytes.len() as u64 - 1;
            let place = *address as usize..last as usize + 1;
            let Some(place) = memory.get_mut(place) else {
                return Err(DoesNotFit {
                    first: *address,
                    last,
                    end: size - 1,
                });
            };
            place.copy_from_slice(bytes);
        }
        let words = memory.chunks_exact(4);
        Ok(words
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect())
    }
}

//! ELF files of RV32 programs.

use super::symbols::EXCHANGES;
use super::{FirmwareError, NodeKind, NodeMemory, NodeTarget, SourceLines, Symbols};
use crate::bounded::{self, PROGRAM_MAX};
use object::elf::{
    FileHeader32, EF_RISCV_FLOAT_ABI, EM_RISCV, ET_EXEC, PT_LOAD, SHT_SYMTAB, STB_LOCAL, STT_FUNC,
    STT_OBJECT,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};
use object::{Endianness, FileKind, LittleEndian};
use rtl::tdma::{GuardLimits, DATA_BASE, PORT_BASE};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
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
                return Err(ElfError::NotRv32 { found: "a 64-bit machine".into() })
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
                return Err(DoesNotFit { first: *address, last, end: size - 1 });
            };
            place.copy_from_slice(bytes);
        }
        let words = memory.chunks_exact(4);
        Ok(words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
    }
}

// Part of an ELF file that a node stores: its segments, by the addresses of the linker script
// `firmware/runtime/node.ld`.

/// Instruction set extensions that a program may declare, because they have no effect on a node.
const EXTENSIONS: &[&str] = &["rv32i", "rv32e", "zifencei"];

/// Extensions of a core with multiplication.
const MULTIPLICATION: &[&str] = &["m", "zmmul"];

/// Contents of a program.
pub(super) struct NodeImage {
    /// Bytes of the program store from address 0 on.
    pub program: Vec<u8>,
    /// Statically allocated bytes of data memory.
    pub data: u64,
    /// Functions. Empty if their table is missing or damaged.
    pub symbols: Symbols,
}

/// Reads an ELF file of any size, for a core that may have multiplication. The error is the reason
/// why it cannot run.
pub(super) fn read(file: &[u8], multiplies: bool) -> Result<NodeImage, String> {
    let program = ElfImage::from_elf(file).map_err(|error| error.to_string())?;
    let runs = match multiplies {
        true => "a node runs RV32IM",
        false => "a node runs RV32I",
    };
    if program.compressed {
        return Err(format!("it has compressed instructions; {runs}"));
    }
    if program.entry != 0 {
        let entry = program.entry;
        return Err(format!("it begins at 0x{entry:X}; a node begins at 0"));
    }
    // Required by node programs only: the position of the data at run time.
    let broken = |error: object::Error| format!("it is damaged: {error}");
    let endian = LittleEndian;
    let header = FileHeader32::<LittleEndian>::parse(file).map_err(broken)?;
    if header.e_flags(endian) & EF_RISCV_FLOAT_ABI != 0 {
        return Err(format!("it passes numbers in floating-point registers; {runs}"));
    }
    let sections = header.sections(endian, file).map_err(broken)?;
    if let Some((_, section)) = sections.section_by_name(endian, b".riscv.attributes") {
        let attributes = section.data(endian, file).map_err(broken)?;
        if let Some(wrong) = unknown_extension(attributes, multiplies) {
            let cure = match unknown_extension(attributes, true) {
                None => ", and with --multiply a simulated node runs RV32IM",
                Some(_) => "",
            };
            return Err(format!("it is compiled for {wrong}; {runs}{cure}"));
        }
    }
    let mut image = NodeImage {
        program: vec![],
        data: 0,
        symbols: Symbols {
            lines: SourceLines::of_elf(file),
            formats: formats(&sections, file).unwrap_or_default(),
            ..functions(header, file).unwrap_or_default()
        },
    };
    for segment in header.program_headers(endian, file).map_err(broken)? {
        if segment.p_type(endian) == PT_LOAD {
            let bytes = segment.data(endian, file);
            let bytes = bytes.map_err(|()| "it is damaged: a segment".to_owned())?;
            let at = u64::from(segment.p_vaddr(endian));
            let stored = u64::from(segment.p_paddr(endian));
            image.load(at, stored, u64::from(segment.p_memsz(endian)), bytes)?;
        }
    }
    match image.program.is_empty() {
        true => Err("it has no code".into()),
        false => Ok(image),
    }
}

impl NodeImage {
    fn load(&mut self, at: u64, stored: u64, size: u64, bytes: &[u8]) -> Result<(), String> {
        if at >= PORT_BASE {
            return Err(format!("0x{at:X} is outside the memory of a node"));
        }
        if at >= DATA_BASE {
            self.data = self.data.max(at + size - DATA_BASE);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if stored >= DATA_BASE {
            return Err(
                "its data has first values that nothing copies there: link it with node.ld".into(),
            );
        }
        let (from, to) = (stored as usize, stored as usize + bytes.len());
        if self.program.len() < to {
            self.program.resize(to, 0);
        }
        self.program[from..to].copy_from_slice(bytes);
        Ok(())
    }
}

/// Formats of `ctrl_print`: strings that end with a zero, in a section that is not loaded.
fn formats(
    sections: &SectionTable<'_, FileHeader32<LittleEndian>>,
    file: &[u8],
) -> Option<BTreeMap<u32, String>> {
    let (_, section) = sections.section_by_name(LittleEndian, b".ctrl_formats")?;
    let bytes = section.data(LittleEndian, file).ok()?;
    let mut at = section.sh_addr(LittleEndian);
    let mut formats = BTreeMap::new();
    for text in bytes.split_inclusive(|byte| *byte == 0) {
        let format = text.strip_suffix(&[0])?;
        formats.insert(at, String::from_utf8_lossy(format).into_owned());
        at += text.len() as u32;
    }
    Some(formats)
}

/// Functions of C, global symbols of the assembler sources, and the count of exchanges.
fn functions(header: &FileHeader32<LittleEndian>, file: &[u8]) -> object::Result<Symbols> {
    let endian = LittleEndian;
    let sections = header.sections(endian, file)?;
    let table = sections.symbols(endian, file, SHT_SYMTAB)?;
    let mut symbols = Symbols::default();
    for symbol in table.iter() {
        let name = String::from_utf8_lossy(symbol.name(endian, table.strings())?);
        let address = symbol.st_value(endian);
        let shown = symbol.st_type() == STT_FUNC || symbol.st_bind() != STB_LOCAL;
        if shown && !name.is_empty() && u64::from(address) < DATA_BASE {
            symbols.insert(address, &name);
        }
        // The linker makes global variables local.
        if symbol.st_type() == STT_OBJECT && name == EXCHANGES {
            symbols.exchange_count = Some(address);
        }
    }
    Ok(symbols)
}

/// Instruction set in an attributes section, if a node with or without multiplication does not
/// support it. The section contains its name as text, `rv32i2p1_m2p0`.
fn unknown_extension(attributes: &[u8], multiplies: bool) -> Option<String> {
    let start = attributes.windows(4).position(|w| w.starts_with(b"rv"))?;
    let end = attributes[start..].iter().position(|b| *b == 0)?;
    let isa = String::from_utf8_lossy(&attributes[start..start + end]).into_owned();
    let known = |extension: &str| {
        // Versions follow the name: `2p1`.
        let bare = |name: &&&str| {
            let rest = extension.strip_prefix(**name);
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == 'p'))
        };
        let more = MULTIPLICATION.iter().filter(|_| multiplies);
        EXTENSIONS.iter().chain(more).any(|name| bare(&name))
    };
    let all_known = isa.split('_').all(known);
    (!all_known).then_some(isa)
}

// Programs in the form that nodes store.

/// Program in the form that a node stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firmware {
    /// Name of the program, or of its file.
    pub name: String,
    /// Words of the program store, from address 0 on.
    pub words: Vec<u32>,
    /// Statically allocated data in bytes, initialised and zeroed.
    pub data: u64,
    /// Functions of the program.
    pub symbols: Symbols,
    /// Memories of the nodes that run the program.
    pub memory: NodeMemory,
    /// True if the core of these nodes has multiplication and division.
    pub multiplies: bool,
    /// ELF file, for debuggers. Empty if the program is distributed in compiled form.
    pub elf: Vec<u8>,
}

impl Firmware {
    /// Reads an ELF file. `name` appears in messages.
    ///
    /// # Errors
    /// If the file is not a program for a node, or is too large for these memories.
    pub fn from_elf(name: &str, elf: &[u8], memory: NodeMemory) -> Result<Self, FirmwareError> {
        let target = NodeTarget { memory, ..NodeKind::CUBE.into() };
        Self::from_elf_for(name, elf, target)
    }

    /// As [`from_elf`](Self::from_elf), for these nodes, whose kind does not matter.
    ///
    /// # Errors
    /// As [`from_elf`](Self::from_elf).
    pub fn from_elf_for(name: &str, elf: &[u8], target: NodeTarget) -> Result<Self, FirmwareError> {
        let NodeTarget { memory, multiplies, .. } = target;
        let image = read(elf, multiplies)
            .map_err(|why| FirmwareError::Unfit { program: name.to_owned(), why })?;
        let program = image.program.len() as u64;
        let too_large = |what, bytes, limit| FirmwareError::TooLarge {
            program: name.to_owned(),
            what,
            bytes,
            limit,
            larger: memory.that_holds(program, image.data),
        };
        if program > memory.program() {
            return Err(too_large("code and constants take", program, memory.program()));
        }
        if image.data > memory.static_data() {
            return Err(too_large("data takes", image.data, memory.static_data()));
        }
        let mut firmware = Firmware {
            name: name.to_owned(),
            data: image.data,
            symbols: image.symbols,
            memory,
            multiplies,
            elf: elf.to_vec(),
            ..Self::from_bytes(&image.program)
        };
        firmware.symbols.find_calls(&firmware.words);
        Ok(firmware)
    }

    /// Program from the bytes of the program store, from address 0 on. The last word is padded with
    /// zeros.
    pub fn from_bytes(program: &[u8]) -> Self {
        let word = |bytes: &[u8]| {
            let byte = |i: usize| u32::from(bytes.get(i).copied().unwrap_or(0)) << (8 * i);
            (0..4).map(byte).sum()
        };
        Firmware { words: program.chunks(4).map(word).collect(), ..Self::default() }
    }

    /// Bytes of the program store, from address 0 on.
    pub fn bytes(&self) -> Vec<u8> {
        let words = self.words.iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// True if the program only routes, and uses lookahead (`firmware/runtime/ahead.h`).
    pub fn uses_lookahead(&self) -> bool {
        self.symbols.has("acked_forward")
    }

    /// Limits of the accesses of the program.
    pub fn guard_limits(&self) -> GuardLimits {
        GuardLimits { program: 4 * self.words.len() as u32, data: self.data as u32 }
    }

    /// True if the program lets the network run while it computes (`tdma_background`).
    pub fn uses_background(&self) -> bool {
        self.symbols.has("background_release")
    }

    /// True if the program sets the LED of its node (`tdma_led`).
    pub fn uses_led(&self) -> bool {
        self.symbols.has("tdma_led")
    }

    /// True if the code of an ELF file fits in this memory, or the file is not an ELF file.
    pub(super) fn code_fits(elf: &Path, memory: NodeMemory) -> bool {
        let image = read_file(elf).ok().and_then(|elf| read(&elf, true).ok());
        image.is_none_or(|image| image.program.len() as u64 <= memory.program())
    }
}

/// `route: 656 of 2048 bytes of program, 268 of 512 of data`, with the stack
impl fmt::Display for Firmware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {} bytes of program, {} of {} of data",
            self.name,
            4 * self.words.len(),
            self.memory.program(),
            self.data + self.memory.stack(),
            self.memory.data()
        )
    }
}

/// Bytes of a file that is not larger than a program can be.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, FirmwareError> {
    bounded::read(path, PROGRAM_MAX).map_err(|e| FirmwareError::io(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_read_from_the_attributes() {
        let section =
            |isa: &str| [b"A\x20\0\0\0riscv\0\x01\x16\0\0\0\x05", isa.as_bytes(), b"\0"].concat();
        for multiplies in [false, true] {
            let unknown = |isa| unknown_extension(&section(isa), multiplies);
            assert_eq!(unknown("rv32i2p1"), None);
            assert_eq!(unknown("rv32e2p0_zifencei2p0"), None);
            for wrong in ["rv64i2p1", "rv32imac", "rv32i2p1_m2p0_c2p0"] {
                assert_eq!(unknown(wrong).unwrap(), wrong);
            }
            for multiplication in ["rv32i2p1_m2p0", "rv32i2p1_m2p0_zmmul1p0"] {
                assert_eq!(unknown(multiplication).is_none(), multiplies);
            }
            assert_eq!(unknown_extension(b"A", multiplies), None);
        }
    }

    #[test]
    fn a_file_that_is_not_elf_is_rejected() {
        assert!(read(b"int main", false).is_err_and(|why| why == "it is not an ELF file"));
    }
}

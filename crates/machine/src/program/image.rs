//! Part of an ELF file that a node stores: its segments, by the addresses of the linker script
//! `firmware/runtime/node.ld`.

use super::elf;
use super::symbols::Symbols;
use object::elf::{FileHeader32, EF_RISCV_FLOAT_ABI, PT_LOAD, SHT_SYMTAB, STB_LOCAL, STT_FUNC};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::LittleEndian;

/// Address of the data memory.
const DATA_BASE: u64 = 0x1000_0000;

/// Address of the memory-mapped registers, where nothing can be loaded.
const PORT_BASE: u64 = 0x4000_0000;

/// Instruction set extensions that a program may declare, because they have no effect on a node.
const EXTENSIONS: &[&str] = &["rv32i", "rv32e", "zifencei"];

/// Contents of a program.
pub(super) struct NodeImage {
    /// Bytes of the program store from address 0 on.
    pub program: Vec<u8>,
    /// Statically allocated bytes of data memory.
    pub data: u64,
    /// Functions. Empty if their table is missing or damaged.
    pub symbols: Symbols,
}

/// Reads an ELF file of any size. The error is the reason why it cannot run.
pub(super) fn read(file: &[u8]) -> Result<NodeImage, String> {
    let program = elf::ElfImage::from_elf(file).map_err(|error| error.to_string())?;
    if program.compressed {
        return Err("it has compressed instructions; a node runs RV32I".into());
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
        return Err("it passes numbers in floating-point registers; a node runs RV32I".into());
    }
    let sections = header.sections(endian, file).map_err(broken)?;
    if let Some((_, section)) = sections.section_by_name(endian, b".riscv.attributes") {
        let attributes = section.data(endian, file).map_err(broken)?;
        if let Some(wrong) = unknown_extension(attributes) {
            return Err(format!("it is compiled for {wrong}; a node runs RV32I"));
        }
    }
    let mut image = NodeImage {
        program: vec![],
        data: 0,
        symbols: functions(header, file).unwrap_or_default(),
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

/// Functions of C, and global symbols of the assembler sources.
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
    }
    Ok(symbols)
}

/// First extension in an attributes section that a node does not support. The section contains the
/// name of the instruction set as text, `rv32i2p1_m2p0`.
fn unknown_extension(attributes: &[u8]) -> Option<String> {
    let start = attributes.windows(4).position(|w| w.starts_with(b"rv"))?;
    let end = attributes[start..].iter().position(|b| *b == 0)?;
    let isa = String::from_utf8_lossy(&attributes[start..start + end]).into_owned();
    let known = |extension: &str| {
        // Versions follow the name: `2p1`.
        let bare = |name: &&&str| {
            let rest = extension.strip_prefix(**name);
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == 'p'))
        };
        EXTENSIONS.iter().any(|name| bare(&name))
    };
    let all_known = isa.split('_').all(known);
    (!all_known).then_some(isa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_read_from_the_attributes() {
        let section = |isa: &str| {
            [
                b"A\x20\0\0\0riscv\0\x01\x16\0\0\0\x05",
                isa.as_bytes(),
                b"\0",
            ]
            .concat()
        };
        assert_eq!(unknown_extension(&section("rv32i2p1")), None);
        assert_eq!(unknown_extension(&section("rv32e2p0_zifencei2p0")), None);
        for wrong in ["rv32i2p1_m2p0", "rv32i2p1_zmmul1p0", "rv64i2p1", "rv32imac"] {
            assert_eq!(unknown_extension(&section(wrong)).unwrap(), wrong);
        }
        assert_eq!(unknown_extension(b"A"), None);
    }

    #[test]
    fn a_file_that_is_not_elf_is_rejected() {
        assert!(read(b"int main").is_err_and(|why| why == "it is not an ELF file"));
    }
}

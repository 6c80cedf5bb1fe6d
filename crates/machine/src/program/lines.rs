//! Lines of the sources of a program, from the debug information of its ELF file.

use object::elf::FileHeader32;
use object::read::elf::{FileHeader, SectionHeader};
use object::LittleEndian;
use std::fmt;
use std::sync::Arc;

/// Source line of each address of a program. Empty without debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines(Vec<LineRange>);

/// Addresses from `begin` to before `end` that belong to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LineRange {
    begin: u32,
    end: u32,
    file: Arc<str>,
    line: u32,
}

/// Line of a source file: `mine.c:23`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLine<'a> {
    /// Name of the file, without its folder.
    pub file: &'a str,
    pub line: u32,
}

impl fmt::Display for SourceLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl SourceLines {
    /// Reads the lines of an ELF file. They are optional, so a file without them, or with damaged
    /// ones, has none.
    pub(super) fn of_elf(elf: &[u8]) -> Self {
        let mut ranges = ranges(elf).unwrap_or_default();
        ranges.sort_by_key(|range| range.begin);
        SourceLines(ranges)
    }

    /// Returns the line of an address.
    pub fn at(&self, address: u32) -> Option<SourceLine<'_>> {
        let after = self.0.partition_point(|range| range.begin <= address);
        let range = self.0[..after].last()?;
        (address < range.end).then_some(SourceLine { file: &range.file, line: range.line })
    }
}

fn ranges(elf: &[u8]) -> Option<Vec<LineRange>> {
    let header = FileHeader32::<LittleEndian>::parse(elf).ok()?;
    let sections = header.sections(LittleEndian, elf).ok()?;
    let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let section = sections.section_by_name(LittleEndian, id.name().as_bytes());
        let data = section.and_then(|(_, section)| section.data(LittleEndian, elf).ok());
        Ok(gimli::EndianSlice::new(data.unwrap_or_default(), gimli::LittleEndian))
    };
    let context = addr2line::Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok()?;
    let all = context.find_location_range(0, u64::from(u32::MAX)).ok()?;
    let ranges = all.filter_map(|(begin, size, location)| {
        let file = location.file?.rsplit(['/', '\\']).next()?;
        Some(LineRange {
            begin: u32::try_from(begin).ok()?,
            end: u32::try_from(begin + size).ok()?,
            file: file.into(),
            line: location.line?,
        })
    });
    Some(ranges.collect())
}

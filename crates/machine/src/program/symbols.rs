//! Functions, source lines and print formats of a program, by their addresses.

use super::{print_format, SourceLine, SourceLines};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Variable of the StarC runtime (`star_node.h`): the exchanges that a processor has completed.
pub(super) const EXCHANGES: &str = "star_exchanges";

/// Symbol of the linker script (`node.ld`) for the end of code and constants.
const CODE_END: &str = "data_image";

/// Functions of a program by their addresses, and its source lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    pub(super) functions: BTreeMap<u32, String>,
    pub(super) lines: SourceLines,
    /// Addresses that follow a call.
    pub(super) returns: BTreeSet<u32>,
    /// Formats of `ctrl_print`, by their addresses.
    pub(super) formats: BTreeMap<u32, String>,
    pub(super) exchange_count: Option<u32>,
}

/// Position in a program: `main + 0x1C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePosition<'a> {
    pub function: &'a str,
    /// Offset from the start of the function, in bytes.
    pub offset: u32,
}

impl fmt::Display for CodePosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + 0x{:X}", self.function, self.offset)
    }
}

impl CodePosition<'_> {
    /// True if the function belongs to the runtime (`firmware/runtime`).
    pub fn is_runtime(&self) -> bool {
        let prefixes = [
            "tdma_",
            "ahead_",
            "ctrl_",
            "message_buffer_",
            "background_",
            "links_",
            "cm1_",
            "__",
            "mem",
        ];
        let whole = ["_start", "serve", "serve_in_background", "choose", "sleep"];
        prefixes.iter().any(|start| self.function.starts_with(start))
            || whole.contains(&self.function)
    }
}

impl Symbols {
    /// Adds a function. If several have the same address, the alphabetically first one is kept.
    pub fn insert(&mut self, address: u32, name: &str) {
        let known = self.functions.entry(address).or_insert_with(|| name.to_owned());
        if name < known.as_str() {
            name.clone_into(known);
        }
    }

    /// True if the program has a function with this name.
    pub fn has(&self, name: &str) -> bool {
        self.functions.values().any(|known| known == name)
    }

    /// Address of the variable in which a StarC program counts the exchanges that its processor has
    /// completed. `None` for another program.
    pub fn exchange_count(&self) -> Option<u32> {
        self.exchange_count
    }

    /// Position of this address. `None` before the first function, and past the end of the program.
    pub fn at(&self, address: u32) -> Option<CodePosition<'_>> {
        let (from, function) = self.functions.range(..=address).next_back()?;
        (function != CODE_END).then_some(CodePosition { function, offset: address - from })
    }

    /// Source line of this address, if the program has debug information.
    pub fn line(&self, address: u32) -> Option<SourceLine<'_>> {
        self.lines.at(address)
    }

    /// Position of this address with its source line: `main + 0x1C (mine.c:23)`.
    pub fn describe(&self, address: u32) -> Option<String> {
        let position = self.at(address)?;
        Some(match self.line(address) {
            Some(line) => format!("{position} ({line})"),
            None => position.to_string(),
        })
    }

    /// Text of a `ctrl_print` with this format and these arguments, without the line end. The text of
    /// an unknown format shows its number.
    pub fn text(&self, format: u32, words: &[u32]) -> String {
        match self.formats.get(&format) {
            Some(format) => print_format::filled(format, words).trim_end_matches('\n').to_owned(),
            None => format!("text {format:#x} {words:?}"),
        }
    }

    /// Formats of `ctrl_print`, by their addresses.
    pub fn formats(&self) -> &BTreeMap<u32, String> {
        &self.formats
    }

    /// True if this address follows a call, so that a word with this value may be a return address.
    pub fn is_return_address(&self, address: u32) -> bool {
        self.returns.contains(&address)
    }

    /// Finds the calls in a program (`jal ra`, `jalr ra`).
    pub(super) fn find_calls(&mut self, words: &[u32]) {
        let is_call = |word: &u32| matches!(word & 0xFFF, 0x0EF | 0x0E7);
        let calls = (0..).zip(words).filter(|(_, word)| is_call(word));
        self.returns = calls.map(|(index, _)| 4 * index + 4).collect();
    }

    /// All functions, by ascending address.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let functions = self.functions.iter();
        functions.map(|(address, name)| (*address, &**name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_the_preceding_function() {
        let mut symbols = Symbols::default();
        symbols.insert(0x40, "tdma_init");
        symbols.insert(0x10, "main");
        symbols.insert(0x10, "again");
        assert_eq!(symbols.at(0xC), None);
        assert_eq!(symbols.at(0x1C).unwrap().to_string(), "again + 0xC");
        let last = symbols.at(0x1000).unwrap();
        assert_eq!((last.function, last.offset), ("tdma_init", 0xFC0));
        assert!(last.is_runtime() && !symbols.at(0x10).unwrap().is_runtime());
        assert!(symbols.has("tdma_init") && !symbols.has("main"));
        symbols.insert(0x800, "data_image");
        assert_eq!(symbols.at(0x1000), None);
        assert_eq!(symbols.at(0x7FC).unwrap().function, "tdma_init");
    }
}

//! Functions of a program by their addresses.

use std::collections::BTreeMap;
use std::fmt;

/// Functions of a program by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(BTreeMap<u32, String>);

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
            "register_",
            "place_",
            "cm1_",
            "__",
            "mem",
        ];
        let whole = ["_start", "serve", "choose", "sleep", "data_image"];
        prefixes
            .iter()
            .any(|start| self.function.starts_with(start))
            || whole.contains(&self.function)
    }
}

impl Symbols {
    /// Adds a function. If several have the same address, the alphabetically first one is kept.
    pub fn insert(&mut self, address: u32, name: &str) {
        let known = self.0.entry(address).or_insert_with(|| name.to_owned());
        if name < known.as_str() {
            name.clone_into(known);
        }
    }

    /// True if the program has a function with this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.values().any(|known| known == name)
    }

    /// Position of this address. `None` before the first function.
    pub fn at(&self, address: u32) -> Option<CodePosition<'_>> {
        let (from, function) = self.0.range(..=address).next_back()?;
        Some(CodePosition {
            function,
            offset: address - from,
        })
    }

    /// All functions, by ascending address.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.iter().map(|(address, name)| (*address, &**name))
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
    }
}

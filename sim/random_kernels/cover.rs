//! Coverage of constructs in a run. It detects when the test no longer exercises one of them.

use std::collections::BTreeMap;

/// All constructs of the subset that the generator emits.
const CONSTRUCTS: &[&str] = &[
    // operators
    "a + b",
    "a - b",
    "a & b",
    "a | b",
    "a ^ b",
    "!a",
    "word + bool",
    "word op number",
    "number op word",
    "word op bits::<N>(..)",
    "bits::<N>(..) op word",
    "number cut to its word",
    "a << number",
    "a >> number",
    "shift by number beyond the width",
    "a << word",
    "a >> word",
    "a == b",
    "a != b",
    "a < b",
    "a <= b",
    "a > b",
    "a >= b",
    "word compared with number",
    "number compared with word",
    "word compared with bits::<N>(..)",
    "index compared with number",
    "number compared with index",
    "index compared with index",
    "enum compared with variant",
    "variant compared with enum",
    "enum compared with enum",
    "struct compared",
    "bool compared with bool",
    "a && b",
    "a || b",
    "bool & bool",
    "bool | bool",
    "bool ^ bool",
    "!bool",
    // missing parentheses where C would need them or read them differently
    "mixed without parentheses",
    // methods
    "get_bit constant",
    "get_bit dynamic",
    "get_bit of loop index",
    "get_bits constant",
    "get_bits dynamic",
    "get_bits beyond the word",
    "replace_bit constant",
    "replace_bit dynamic",
    "replace_bit of a known word",
    "all",
    "any",
    "xor",
    "index of let",
    "position N - 1",
    "bit_cast wider",
    "bit_cast narrower",
    "bit_cast same",
    "bit_cast from 32 or less to more",
    "bit_cast from more than 32 to 32 or less",
    "bit_cast between words over 32",
    "bit_cast with N",
    "resized",
    "a.times(b)",
    "signed resized",
    "signed times",
    "-signed",
    "signed op number",
    "signed + signed",
    "signed - signed",
    "signed >> number",
    "signed << word",
    "signed >> word",
    "signed compared with number",
    "signed compared with signed",
    "bool.into()",
    "Bits<1>.into()",
    "enum.into()",
    "struct.into()",
    "number.into()",
    "to_bits",
    "constant function",
    // values
    "if as a value",
    "else if as a value",
    "if as operand",
    "if known as a value",
    "field",
    "field of field",
    "Constant",
    "known let",
    // functions
    "function of words",
    "function with a const generic",
    "function of a number",
    "function of a known word",
    "let mut in a function",
    "method by dot",
    // statements
    "assign",
    "assign again",
    "assign after read",
    "assign field",
    "assign field of field",
    "field read between field assignments",
    "let",
    "let in branch",
    "let mut",
    "let mut in branch",
    "variable assigned",
    "variable assigned in branch",
    "variable assigned in loop",
    "reset!",
    "let in loop",
    "let shadows",
    "let of index",
    "let of known word",
    "let of number",
    "let of an array",
    "element at a word",
    "element at a number",
    "if",
    "else if",
    "if without else",
    "if known",
    "block",
    "match enum",
    "match bool",
    "match index",
    "match loop index",
    "or-pattern",
    "guard",
    "guard, last arm",
    "_",
    "no _",
    "constant pattern",
    "arm repeated",
    "arm without braces",
    "empty arm",
    "for a..b",
    "for a..=b",
    "for to N",
    "for to len",
    "for nested",
    "first assigned in if",
    "first assigned in match",
    "first assigned in for",
    "first assigned by fields",
    // blocks
    "dff_setup!",
    "clock!",
    "clock assigned",
    "clock assigned at the end",
    "reg of word",
    "reg of bool",
    "reg of enum",
    "reg of struct",
    "array of regs",
    "array of locals",
    "memory",
    "asynchronous memory",
    "assertion",
    "cover",
    "display!",
    "rom",
    "memory of struct or enum",
    "const generic",
    "const generic of child",
    "const generic passed on",
    "child",
    "array of children",
    "Vec of children",
    "three levels",
    "child chain in loop",
    "combinational child",
    "enum port",
    "struct port",
    "read of own Out",
    "port in a bundle",
    "port in a bundle of a bundle",
    "flat bundle",
    "bundle passed through",
    "list of bundles",
    "link! in for",
    "word over 32",
    "word over 64",
];

#[derive(Default)]
pub struct ConstructCover(BTreeMap<&'static str, usize>);

impl ConstructCover {
    /// Counts a construct.
    pub fn hit(&mut self, construct: &'static str) {
        debug_assert!(CONSTRUCTS.contains(&construct), "{construct}");
        *self.0.entry(construct).or_default() += 1;
    }

    fn count(&self, construct: &str) -> usize {
        self.0.get(construct).copied().unwrap_or(0)
    }

    /// Returns the constructs that occurred less than `least` times.
    pub fn rarer_than(&self, least: usize) -> Vec<String> {
        let counts = CONSTRUCTS.iter().map(|c| (c, self.count(c)));
        let rare = counts.filter(|(_, count)| *count < least);
        rare.map(|(c, count)| format!("{c}: {count}")).collect()
    }
}

/// Prints every construct with its number of occurrences, the rarest first.
impl std::fmt::Display for ConstructCover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut counts: Vec<_> = CONSTRUCTS.iter().map(|c| (self.count(c), c)).collect();
        counts.sort();
        let texts: Vec<String> = counts.iter().map(|(n, c)| format!("{c}: {n}")).collect();
        f.write_str(&texts.join("; "))
    }
}

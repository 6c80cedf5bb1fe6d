//! Ports in bundles, and bundles that are linked through.

use crate::random_kernels::block::{BlockDraft, BlockField, BlockPort, GeneratedBlock};
use crate::random_kernels::statements::CodeLines;
use crate::random_kernels::types::{WordType, WordWidth};
use std::fmt::Write;

/// The bundles of a block: `bus`, and `deep` in it.
#[derive(Default)]
pub struct Bundles {
    pub has_bus: bool,
    pub has_deep: bool,
    /// Members are named without the name of the field.
    pub flat: bool,
    /// A stimulus must be able to set all inputs.
    pub top: bool,
    pub bus: Vec<BlockField>,
    pub deep: Vec<BlockField>,
}

/// A bundle that is linked through.
#[derive(Default)]
pub struct Through {
    pub lines: CodeLines,
    /// Signals that can be read from it when all inputs of the child are driven.
    pub outputs: Vec<(String, WordType)>,
}

impl BlockDraft<'_, '_> {
    /// Chooses the block's bundles, before its ports are created.
    pub fn choose_bundles(&mut self, top: bool) {
        let bundles = &mut self.bundles;
        bundles.top = top;
        bundles.has_bus = self.g.dice.one_in(2);
        bundles.has_deep = bundles.has_bus && self.g.dice.one_in(2);
        // A bundle that is linked through uses the child's names, which are the same in all blocks.
        bundles.flat = bundles.has_bus && top && self.g.dice.one_in(3);
    }

    /// Adds a port to the block itself or to a bundle. Returns its path.
    pub fn bundled(&mut self, field: BlockField) -> String {
        let name = field.name.clone();
        if !self.bundles.has_bus || self.g.dice.one_in(2) {
            self.fields.push(field);
            return name;
        }
        self.g.hit("port in a bundle");
        if self.bundles.has_deep && self.g.dice.one_in(2) {
            self.g.hit("port in a bundle of a bundle");
            self.bundles.deep.push(field);
            return format!("bus.deep.{name}");
        }
        self.bundles.bus.push(field);
        format!("bus.{name}")
    }

    /// Returns the declarations of the block's bundles, and adds them as a field.
    pub fn bundle_texts(&mut self, block: &str) -> String {
        let (generics, args) = match self.g.n {
            Some(_) => ("<const N: usize>", "<N>"),
            None => ("", ""),
        };
        let member = |name: &str, ty: String| BlockField {
            name: name.into(),
            ty,
            init: "Default::default()".into(),
            public: true,
        };
        if !self.bundles.deep.is_empty() {
            let ty = format!("Deep{block}{args}");
            self.bundles.bus.push(member("deep", ty));
        }
        self.bundles.has_bus = !self.bundles.bus.is_empty();
        if !self.bundles.has_bus {
            return String::new();
        }
        self.fields.push(member("bus", format!("Bus{block}{args}")));
        let mut text = String::new();
        for (kind, fields) in [("Deep", &self.bundles.deep), ("Bus", &self.bundles.bus)] {
            if fields.is_empty() {
                continue;
            }
            text += "#[derive(Bundle, Default)]\n";
            if kind == "Bus" && self.bundles.flat {
                self.g.hit("flat bundle");
                text += "#[bundle(flat)]\n";
            }
            writeln!(text, "pub struct {kind}{block}{generics} {{").expect("text");
            for field in fields {
                writeln!(text, "    pub {}: {},", field.name, field.ty).expect("text");
            }
            text += "}\n\n";
        }
        text
    }

    /// Links the bundle of a child, or of all children in an array, through to ports of the block,
    /// or leaves it. `n` is the child's `N`, as written in the block.
    pub fn hand_through(
        &mut self,
        field: &str,
        block: &GeneratedBlock,
        n: Option<WordWidth>,
        length: Option<usize>,
    ) -> Option<Through> {
        let here = |ty: WordType| match (ty, n) {
            (WordType::Bits(WordWidth::N), Some(n)) => WordType::Bits(n),
            (ty, _) => ty,
        };
        let of_bus = |port: &&BlockPort| port.name.starts_with("bus.");
        let members: Vec<&BlockPort> = block.ports.iter().filter(of_bus).collect();
        let word = |ty: WordType| matches!(ty, WordType::Bits(_) | WordType::Bool);
        let can_be_set = members.iter().all(|port| !port.input || word(port.ty));
        let possible = block.has_bus && (can_be_set || !self.bundles.top);
        if !possible || self.g.dice.one_in(3) {
            return None;
        }
        self.g.hit("bundle passed through");
        let through = format!("through_{field}");
        let mut ty = match n {
            Some(n) => format!("Bus{}<{}>", block.name, n.text()),
            None => format!("Bus{}", block.name),
        };
        if let Some(length) = length {
            self.g.hit("list of bundles");
            ty = format!("[{ty}; {length}]");
        }
        self.fields.push(BlockField {
            name: through.clone(),
            ty,
            init: "Default::default()".into(),
            public: true,
        });
        let elements: Vec<String> = match length {
            None => vec![String::new()],
            Some(length) => (0..length).map(|i| format!("[{i}]")).collect(),
        };
        let mut outputs = vec![];
        for element in &elements {
            for port in &members {
                let member = port.name.trim_start_matches("bus.");
                let (name, ty) = (format!("{through}{element}.{member}"), here(port.ty));
                let text = format!("self.{name}.val()");
                match port.input {
                    true => self.g.scope.add_source(self.g.world, &text, ty, None),
                    false => outputs.push((text, ty)),
                }
                self.ports.push(BlockPort { name, ty, input: port.input });
            }
        }
        let link = |at: &str| {
            let (outer, inner) = (format!("{through}{at}"), format!("{field}{at}"));
            match members.iter().map(|port| port.input).collect::<Vec<_>>() {
                inputs if inputs.iter().all(|input| *input) => {
                    format!("link!(self -> {inner}: {outer} -> bus);")
                }
                inputs if inputs.iter().all(|input| !*input) => {
                    format!("link!({inner} -> self: bus -> {outer});")
                }
                _ => format!("link!(self <-> {inner}: {outer} <-> bus);"),
            }
        };
        let lines = match length {
            None => vec![link("")],
            Some(length) if self.g.dice.one_in(2) => {
                self.g.hit("link! in for");
                vec![format!("for i in 0..{length} {{"), format!("    {}", link("[i]")), "}".into()]
            }
            Some(length) => (0..length).map(|i| link(&format!("[{i}]"))).collect(),
        };
        Some(Through { lines, outputs })
    }
}

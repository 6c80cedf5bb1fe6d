//! The types of words.

use crate::random_kernels::dice::Dice;
use crate::random_kernels::functions::Function;
use std::fmt::Write;

pub const WIDTHS: [usize; 19] =
    [1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 128];

/// Sets of values of a const generic `N`.
pub const PARAMS: [&[usize]; 5] =
    [&[1, 2, 3], &[4, 5, 7, 8], &[13, 16, 17], &[31, 32, 33], &[40, 63, 64, 65]];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordWidth {
    Bits(usize),
    /// The const generic `N` of the block.
    N,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordType {
    Bits(WordWidth),
    Bool,
    Enum(usize),
    Struct(usize),
}

impl WordType {
    pub fn bits(width: usize) -> Self {
        WordType::Bits(WordWidth::Bits(width))
    }
}

pub struct Enum {
    pub name: String,
    pub variants: Vec<String>,
    /// A constant that is one of the variants.
    pub constant: (String, usize),
}

pub struct Struct {
    pub name: String,
    pub fields: Vec<(String, WordType)>,
}

/// The enums, structs and functions of a kernel.
#[derive(Default)]
pub struct World {
    pub enums: Vec<Enum>,
    pub structs: Vec<Struct>,
    pub functions: Vec<Function>,
}

impl World {
    pub fn random(dice: &mut Dice) -> Self {
        let mut world = World::default();
        for i in 0..dice.below(3) {
            let count = dice.between(2, 9);
            let variants = ["Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Oak", "Pine", "Yew"];
            let mut variants = variants.map(String::from);
            dice.shuffle(&mut variants);
            world.enums.push(Enum {
                name: format!("Tree{i}"),
                variants: variants[..count].to_vec(),
                constant: (format!("HOME{i}"), dice.below(count)),
            });
        }
        for i in 0..dice.below(3) {
            let fields = (0..dice.between(1, 4)).map(|f| {
                let ty = match dice.below(8) {
                    0 | 1 => WordType::Bool,
                    2 | 3 if !world.enums.is_empty() => {
                        WordType::Enum(dice.below(world.enums.len()))
                    }
                    4 if i > 0 => WordType::Struct(dice.below(i)),
                    _ => WordType::bits(dice.pick(&WIDTHS)),
                };
                (format!("f{f}"), ty)
            });
            let fields = fields.collect();
            let name = format!("Pack{i}");
            world.structs.push(Struct { name, fields });
        }
        world
    }

    /// Returns a type. `None` is for words only.
    pub fn any(&self, dice: &mut Dice, n: bool) -> WordType {
        match dice.below(10) {
            0 | 1 => WordType::Bool,
            2 | 3 if !self.enums.is_empty() => WordType::Enum(dice.below(self.enums.len())),
            4 | 5 if !self.structs.is_empty() => WordType::Struct(dice.below(self.structs.len())),
            _ => self.word(dice, n),
        }
    }

    /// Returns `Bits<..>`, including `N` if there is one.
    pub fn word(&self, dice: &mut Dice, n: bool) -> WordType {
        match n && dice.one_in(2) {
            true => WordType::Bits(WordWidth::N),
            false => WordType::bits(dice.pick(&WIDTHS)),
        }
    }

    /// Returns the width of a type that does not depend on `N`.
    pub fn width(&self, ty: WordType) -> usize {
        match ty {
            WordType::Bits(WordWidth::Bits(width)) => width,
            WordType::Bits(WordWidth::N) => panic!("depends on N"),
            WordType::Bool => 1,
            WordType::Enum(e) => (self.enums[e].variants.len() - 1).ilog2() as usize + 1,
            WordType::Struct(s) => {
                let fields = self.structs[s].fields.iter();
                fields.map(|(_, ty)| self.width(*ty)).sum()
            }
        }
    }

    pub fn text(&self, ty: WordType) -> String {
        match ty {
            WordType::Bits(width) => format!("Bits<{}>", width.text()),
            WordType::Bool => "Bit".into(),
            WordType::Enum(e) => self.enums[e].name.clone(),
            WordType::Struct(s) => self.structs[s].name.clone(),
        }
    }

    pub fn declarations(&self) -> String {
        let mut out = String::new();
        for Enum { name, variants, constant: (constant, value) } in &self.enums {
            let home = &variants[*value];
            let variants = variants.join(", ");
            write!(
                out,
                "#[word]\n\
                 pub enum {name} {{ {variants} }}\n\n\
                 const {constant}: {name} = {name}::{home};\n\n",
            )
            .expect("text");
        }
        for Struct { name, fields } in &self.structs {
            let fields = fields.iter();
            let fields = fields.map(|(f, ty)| format!("pub {f}: {}", self.text(*ty)));
            let fields: Vec<String> = fields.collect();
            write!(
                out,
                "#[word]\n#[derive(Default)]\n\
                 pub struct {name} {{ {} }}\n\n",
                fields.join(", ")
            )
            .expect("text");
        }
        for function in &self.functions {
            out += &function.text;
        }
        out
    }

    /// Returns a value known at generation, for an initial content.
    pub fn value(&self, dice: &mut Dice, ty: WordType, narrowest: usize) -> String {
        match ty {
            WordType::Bits(width) => {
                let bits = match width {
                    WordWidth::Bits(width) => width,
                    WordWidth::N => narrowest,
                };
                format!("{:#x}_u128.to_bits()", dice.number(bits))
            }
            WordType::Bool => dice.one_in(2).to_string(),
            WordType::Enum(e) => {
                let e = &self.enums[e];
                format!("{}::{}", e.name, e.variants[dice.below(e.variants.len())])
            }
            WordType::Struct(s) => {
                let Struct { name, fields } = &self.structs[s];
                let fields = fields.iter();
                let fields =
                    fields.map(|(f, ty)| format!("{f}: {}", self.value(dice, *ty, narrowest)));
                let fields: Vec<String> = fields.collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
        }
    }
}

impl WordWidth {
    pub fn text(self) -> String {
        match self {
            WordWidth::Bits(width) => width.to_string(),
            WordWidth::N => "N".into(),
        }
    }
}

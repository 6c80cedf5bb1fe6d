//! The part of yosys' JSON that the importer reads (`write_json`).

use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Deserialize;

/// A whole design.
#[derive(Deserialize)]
pub struct YosysDesign {
    pub modules: IndexMap<String, YosysModule>,
}

/// A module. After `flatten` the top module has all contents.
#[derive(Deserialize)]
pub struct YosysModule {
    #[serde(default)]
    pub attributes: IndexMap<String, Parameter>,
    #[serde(default)]
    pub ports: IndexMap<String, YosysPort>,
    #[serde(default)]
    pub cells: IndexMap<String, YosysCell>,
    #[serde(default)]
    pub netnames: IndexMap<String, YosysNet>,
}

#[derive(Deserialize)]
pub struct YosysPort {
    pub direction: String,
    pub bits: Vec<Bit>,
}

#[derive(Deserialize)]
pub struct YosysCell {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub parameters: IndexMap<String, Parameter>,
    #[serde(default)]
    pub attributes: IndexMap<String, Parameter>,
    #[serde(default)]
    pub port_directions: IndexMap<String, String>,
    #[serde(default)]
    pub connections: IndexMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
pub struct YosysNet {
    #[serde(default)]
    pub hide_name: u8,
    pub bits: Vec<Bit>,
    #[serde(default)]
    pub attributes: IndexMap<String, Parameter>,
}

/// A bit of a connection: a wire with its number, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "RawBit")]
pub enum Bit {
    Wire(usize),
    /// A constant. Undefined bits are 0.
    Constant(bool),
    /// High impedance.
    Open,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawBit {
    Wire(usize),
    Constant(String),
}

impl TryFrom<RawBit> for Bit {
    type Error = String;

    fn try_from(raw: RawBit) -> Result<Self, String> {
        match raw {
            RawBit::Wire(number) => Ok(Bit::Wire(number)),
            RawBit::Constant(text) => match text.as_str() {
                "0" | "x" => Ok(Bit::Constant(false)),
                "1" => Ok(Bit::Constant(true)),
                "z" => Ok(Bit::Open),
                other => Err(format!("{other:?} is not a bit; accepted: 0, 1, x, z or a number")),
            },
        }
    }
}

/// Value of a parameter or an attribute: a number, or bits with the most significant first.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    Number(u64),
    Text(String),
}

impl Parameter {
    /// Returns the value as text. A number has no useful text.
    pub fn text(&self) -> &str {
        match self {
            Parameter::Number(_) => "",
            Parameter::Text(text) => text,
        }
    }

    /// Returns bit `index`. Undefined and missing bits are 0.
    pub fn bit(&self, index: usize) -> bool {
        match self {
            Parameter::Number(number) => index < 64 && number >> index & 1 == 1,
            Parameter::Text(text) => text.bytes().rev().nth(index) == Some(b'1'),
        }
    }

    /// Returns `width` bits from `offset` up as a number. Undefined and missing bits are 0.
    pub fn word(&self, offset: usize, width: usize) -> BigUint {
        let mut word = BigUint::default();
        let set: Vec<u64> = match self {
            Parameter::Number(_) => {
                (0..width).filter(|i| self.bit(offset + i)).map(|i| i as u64).collect()
            }
            Parameter::Text(text) => {
                let bits = text.bytes().rev().skip(offset).take(width).enumerate();
                bits.filter(|(_, bit)| *bit == b'1').map(|(i, _)| i as u64).collect()
            }
        };
        for bit in set {
            word.set_bit(bit, true);
        }
        word
    }

    /// Returns the value as a number, or `None` if it does not fit.
    pub fn number(&self) -> Option<u64> {
        match self {
            Parameter::Number(number) => Some(*number),
            Parameter::Text(text) => self.word(0, text.len()).try_into().ok(),
        }
    }
}

impl YosysCell {
    /// Returns the position of the cell in the source.
    pub fn place(&self) -> Option<String> {
        place(&self.attributes)
    }

    /// Returns the bits of a port, or an empty list if the port is not connected.
    pub fn port(&self, name: &str) -> &[Bit] {
        self.connections.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns a parameter as a number, or 0.
    pub fn number(&self, name: &str) -> usize {
        let parameter = self.parameters.get(name).and_then(Parameter::number);
        parameter.unwrap_or(0) as usize
    }

    /// Returns whether a one-bit parameter is set.
    pub fn flag(&self, name: &str) -> bool {
        self.bit_of(name, 0)
    }

    /// Returns a bit of a parameter. Missing bits are 0.
    pub fn bit_of(&self, name: &str, index: usize) -> bool {
        self.parameters.get(name).is_some_and(|p| p.bit(index))
    }

    /// Returns `width` bits of a parameter as a number. Missing bits are 0.
    pub fn word(&self, name: &str, offset: usize, width: usize) -> BigUint {
        let parameter = self.parameters.get(name);
        parameter.map_or_else(BigUint::default, |p| p.word(offset, width))
    }
}

/// Returns the first source position in the attribute `src`.
pub fn place(attributes: &IndexMap<String, Parameter>) -> Option<String> {
    let src = attributes.get("src")?.text();
    Some(src.split('|').next().unwrap_or(src).to_owned())
}

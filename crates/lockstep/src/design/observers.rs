//! Cells without hardware, which observe a circuit in simulation: checks and prints.

use super::{CellKind, Design, DesignModule, ModuleId, SignalId, StateCell};
use num_bigint::{BigInt, BigUint};
use std::fmt::Write;

/// Purpose of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckGoal {
    /// The bit must be set in every clock cycle.
    Assert,
    /// The bit should be set in some clock cycle.
    Cover,
}

/// Check of a design, with its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignCheck {
    /// Hierarchical name (`child.no_overflow`).
    pub name: String,
    pub goal: CheckGoal,
    /// Hierarchical name of the bit in the netlist.
    pub holds: String,
}

/// Part of the text of a print statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPart {
    /// Printable ASCII characters, tabs and ends of lines.
    Text(String),
    /// Value of the word with this number.
    Word { word: usize, base: PrintBase },
}

/// Notation of a word in a text. No notation has leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintBase {
    Decimal,
    /// Decimal number in two's complement.
    SignedDecimal,
    Hexadecimal,
    Binary,
}

impl PrintBase {
    /// Appends a value of a word with this many bits to a text.
    fn write(self, text: &mut String, value: &BigUint, width: u32) {
        let _ = match self {
            PrintBase::Decimal => write!(text, "{value}"),
            PrintBase::SignedDecimal => {
                let mut signed = BigInt::from(value.clone());
                if value.bit(u64::from(width) - 1) {
                    signed -= BigInt::from(1u8) << width;
                }
                write!(text, "{signed}")
            }
            PrintBase::Hexadecimal => write!(text, "{value:x}"),
            PrintBase::Binary => write!(text, "{value:b}"),
        };
    }
}

/// Print statement of a design, with its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignPrint {
    /// Hierarchical name (`child.print_1`).
    pub name: String,
    /// Hierarchical name of the enable in the netlist.
    pub enable: String,
    /// Hierarchical names of the words in the netlist, with their widths.
    pub words: Vec<(String, u32)>,
    pub text: Vec<PrintPart>,
}

impl DesignPrint {
    /// Returns the text with these values of the words.
    pub fn text(&self, values: &[BigUint]) -> String {
        let mut text = String::new();
        for part in &self.text {
            match part {
                PrintPart::Text(part) => text.push_str(part),
                PrintPart::Word { word, base } => {
                    base.write(&mut text, &values[*word], self.words[*word].1);
                }
            }
        }
        text
    }
}

impl Design {
    /// Returns the checks of all instances, parents first.
    pub fn checks(&self) -> Vec<DesignCheck> {
        let mut found = vec![];
        self.visit_cells(self.top, "", &mut |prefix, module, cell| {
            if let CellKind::Check { holds, goal } = cell.kind {
                found.push(DesignCheck {
                    name: format!("{prefix}{}", cell.name),
                    goal,
                    holds: format!("{prefix}{}", module.signal(holds).name),
                });
            }
        });
        found
    }

    /// Returns the print statements of all instances, parents first.
    pub fn prints(&self) -> Vec<DesignPrint> {
        let mut found = vec![];
        self.visit_cells(self.top, "", &mut |prefix, module, cell| {
            let CellKind::Print { enable, words, text } = &cell.kind else {
                return;
            };
            let path = |id: SignalId| format!("{prefix}{}", module.signal(id).name);
            let words = words.iter();
            found.push(DesignPrint {
                name: format!("{prefix}{}", cell.name),
                enable: path(*enable),
                words: words.map(|id| (path(*id), module.signal(*id).width())).collect(),
                text: text.clone(),
            });
        });
        found
    }

    /// Visits the cells of an instance and of those in it. `prefix` is empty or ends with a dot.
    fn visit_cells(
        &self,
        id: ModuleId,
        prefix: &str,
        visit: &mut impl FnMut(&str, &DesignModule, &StateCell),
    ) {
        let module = self.module(id);
        for cell in &module.cells {
            visit(prefix, module, cell);
        }
        for instance in &module.instances {
            let prefix = format!("{prefix}{}.", instance.name);
            self.visit_cells(instance.module, &prefix, visit);
        }
    }
}

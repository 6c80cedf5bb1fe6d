//! Rust expressions as text, with their binding strength.

/// Binding strength of Rust's operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bind {
    /// An `if` used as a value.
    If,
    LogicalOr,
    LogicalAnd,
    Compare,
    Or,
    Xor,
    And,
    Shift,
    Sum,
    Not,
    /// Paths, calls, numbers, parentheses.
    Tight,
}

#[derive(Clone, Debug)]
pub struct Code {
    pub text: String,
    pub bind: Bind,
}

impl Code {
    pub fn tight(text: impl Into<String>) -> Self {
        Code {
            text: text.into(),
            bind: Bind::Tight,
        }
    }

    pub fn parenthesised(self) -> Self {
        Code::tight(format!("({})", self.text))
    }

    /// Adds parentheses if the expression binds less strongly than needed.
    pub fn at_least(self, bind: Bind) -> Self {
        match self.bind >= bind {
            true => self,
            false => self.parenthesised(),
        }
    }

    pub fn not(self) -> Self {
        Code {
            text: format!("!{}", self.at_least(Bind::Not).text),
            bind: Bind::Not,
        }
    }

    /// Returns `self.name(args)`.
    pub fn call(self, name: &str, args: &str) -> Self {
        Code::tight(format!(
            "{}.{name}({args})",
            self.at_least(Bind::Tight).text
        ))
    }

    /// Returns `left op right` with only the parentheses that Rust needs.
    pub fn binary(left: Code, op: &str, right: Code) -> Self {
        let bind = match op {
            "+" | "-" => Bind::Sum,
            "<<" | ">>" => Bind::Shift,
            "&" => Bind::And,
            "^" => Bind::Xor,
            "|" => Bind::Or,
            "&&" => Bind::LogicalAnd,
            "||" => Bind::LogicalOr,
            _ => Bind::Compare,
        };
        // Comparisons do not chain. The other operators associate to the left.
        let left = match bind == Bind::Compare && left.bind == bind {
            true => left.parenthesised(),
            false => left.at_least(bind),
        };
        let right = match right.bind == bind {
            true => right.parenthesised(),
            false => right.at_least(bind),
        };
        Code {
            text: format!("{} {op} {}", left.text, right.text),
            bind,
        }
    }

    /// Returns the expression as a condition of `if` or a subject of `match`.
    pub fn head(self) -> String {
        match self.bind {
            Bind::If => self.parenthesised().text,
            _ => self.text,
        }
    }
}

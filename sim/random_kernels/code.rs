//! Rust expressions as text that know how strongly they bind.

/// How strongly Rust's operators bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bind {
    /// `if` as a value.
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

    /// In parentheses, if it does not bind as strongly as needed.
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

    /// `self.name(args)`.
    pub fn call(self, name: &str, args: &str) -> Self {
        Code::tight(format!(
            "{}.{name}({args})",
            self.at_least(Bind::Tight).text
        ))
    }

    /// `left op right` with no more parentheses than Rust needs.
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
        // Comparisons do not chain; the others associate to the left.
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

    /// As a condition of `if` or the subject of `match`.
    pub fn head(self) -> String {
        match self.bind {
            Bind::If => self.parenthesised().text,
            _ => self.text,
        }
    }
}

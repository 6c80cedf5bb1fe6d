//! Rust expressions as text, with their binding strength.

/// Binding strength of Rust's operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BindingStrength {
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
pub struct ExpressionText {
    pub text: String,
    pub bind: BindingStrength,
}

impl ExpressionText {
    pub fn tight(text: impl Into<String>) -> Self {
        ExpressionText { text: text.into(), bind: BindingStrength::Tight }
    }

    pub fn parenthesised(self) -> Self {
        ExpressionText::tight(format!("({})", self.text))
    }

    /// Adds parentheses if the expression binds less strongly than needed.
    pub fn at_least(self, bind: BindingStrength) -> Self {
        match self.bind >= bind {
            true => self,
            false => self.parenthesised(),
        }
    }

    pub fn not(self) -> Self {
        ExpressionText {
            text: format!("!{}", self.at_least(BindingStrength::Not).text),
            bind: BindingStrength::Not,
        }
    }

    /// Returns `self.name(args)`.
    pub fn call(self, name: &str, args: &str) -> Self {
        ExpressionText::tight(format!(
            "{}.{name}({args})",
            self.at_least(BindingStrength::Tight).text
        ))
    }

    /// Returns `left op right` with only the parentheses that Rust needs.
    pub fn binary(left: ExpressionText, op: &str, right: ExpressionText) -> Self {
        let bind = match op {
            "+" | "-" => BindingStrength::Sum,
            "<<" | ">>" => BindingStrength::Shift,
            "&" => BindingStrength::And,
            "^" => BindingStrength::Xor,
            "|" => BindingStrength::Or,
            "&&" => BindingStrength::LogicalAnd,
            "||" => BindingStrength::LogicalOr,
            _ => BindingStrength::Compare,
        };
        // Comparisons do not chain. The other operators associate to the left.
        let left = match bind == BindingStrength::Compare && left.bind == bind {
            true => left.parenthesised(),
            false => left.at_least(bind),
        };
        let right = match right.bind == bind {
            true => right.parenthesised(),
            false => right.at_least(bind),
        };
        ExpressionText { text: format!("{} {op} {}", left.text, right.text), bind }
    }

    /// Returns the expression as a condition of `if` or a subject of `match`.
    pub fn head(self) -> String {
        match self.bind {
            BindingStrength::If => self.parenthesised().text,
            _ => self.text,
        }
    }
}

//! Verilog expressions and their layout on lines of limited length.

/// Maximum line length, unless a line cannot be broken.
pub const LINE_WIDTH: usize = 100;

/// Verilog expression. Its width always equals the width of its context, because operands always
/// have equal widths. Verilog therefore never extends an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum VerilogExpr {
    /// Name, selection from a name, or literal.
    Atom(String),
    Unary(&'static str, Box<VerilogExpr>),
    Binary(&'static str, Box<VerilogExpr>, Box<VerilogExpr>),
    Ternary(Box<VerilogExpr>, Box<VerilogExpr>, Box<VerilogExpr>),
    /// Concatenation, most significant part first.
    Concat(Vec<VerilogExpr>),
}

impl VerilogExpr {
    pub fn atom(text: impl Into<String>) -> VerilogExpr {
        VerilogExpr::Atom(text.into())
    }

    pub fn unary(operator: &'static str, operand: VerilogExpr) -> VerilogExpr {
        VerilogExpr::Unary(operator, Box::new(operand))
    }

    pub fn binary(operator: &'static str, left: VerilogExpr, right: VerilogExpr) -> VerilogExpr {
        VerilogExpr::Binary(operator, Box::new(left), Box::new(right))
    }

    pub fn ternary(cond: VerilogExpr, then: VerilogExpr, otherwise: VerilogExpr) -> VerilogExpr {
        VerilogExpr::Ternary(Box::new(cond), Box::new(then), Box::new(otherwise))
    }

    /// Joins parts, the most significant first. Nested joins are flattened.
    pub fn concat(parts: Vec<VerilogExpr>) -> VerilogExpr {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                VerilogExpr::Concat(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => VerilogExpr::Concat(flat),
        }
    }

    pub fn is_comparison(&self) -> bool {
        matches!(self, VerilogExpr::Binary(operator, ..) if is_comparison(operator))
    }

    /// Collects the names and literals of the expression.
    pub fn atoms<'a>(&'a self, atoms: &mut Vec<&'a str>) {
        match self {
            VerilogExpr::Atom(text) => atoms.push(text),
            VerilogExpr::Unary(_, a) => a.atoms(atoms),
            VerilogExpr::Binary(_, a, b) => [a, b].into_iter().for_each(|x| x.atoms(atoms)),
            VerilogExpr::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|x| x.atoms(atoms)),
            VerilogExpr::Concat(parts) => parts.iter().for_each(|x| x.atoms(atoms)),
        }
    }

    /// Formats the expression on one line.
    pub fn flat(&self) -> String {
        self.layout_within(0, usize::MAX)
    }

    /// Formats the expression starting in column `column`, with line breaks where a line would be
    /// too long.
    pub fn layout(&self, column: usize) -> String {
        self.layout_within(column, LINE_WIDTH - 1)
    }

    fn layout_within(&self, column: usize, width: usize) -> String {
        let flat = self.on_one_line();
        if column.saturating_add(flat.len()) <= width {
            return flat;
        }
        let pad = format!("\n{}", " ".repeat(column));
        match self {
            VerilogExpr::Atom(text) => text.clone(),
            VerilogExpr::Unary(operator, operand) => {
                let open = needs_parentheses_under_unary(operand);
                let inner = operand.layout_within(column + operator.len() + open as usize, width);
                format!("{operator}{}", enclose(inner, open))
            }
            VerilogExpr::Binary(operator, ..) => {
                let mut items = Vec::new();
                self.chain(&mut items);
                let indent = operator.len() + 1;
                let mut text = String::new();
                for (i, (item, open)) in items.into_iter().enumerate() {
                    let start = column + if i == 0 { 0 } else { indent } + open as usize;
                    let item = enclose(item.layout_within(start, width), open);
                    if i == 0 {
                        text = item;
                    } else {
                        text += &format!("{pad}{operator} {item}");
                    }
                }
                text
            }
            VerilogExpr::Ternary(cond, then, otherwise) => {
                let open = needs_parentheses_as_condition(cond);
                let cond = enclose(cond.layout_within(column + open as usize, width), open);
                let last = cond.rsplit('\n').next().unwrap_or("").len();
                let column_then = if cond.contains('\n') { last } else { column + last };
                let open = matches!(**then, VerilogExpr::Ternary(..));
                let then = then.layout_within(column_then + 3 + open as usize, width);
                let otherwise = otherwise.layout_within(column + 2, width);
                format!("{cond} ? {}{pad}: {otherwise}", enclose(then, open))
            }
            VerilogExpr::Concat(parts) => {
                let pad = format!("\n{}", " ".repeat(column + 1));
                let mut text = String::from("{");
                let mut at = column + 1;
                for (i, part) in parts.iter().enumerate() {
                    let length = part.on_one_line().len() + 2;
                    if i > 0 && at + length > width {
                        text = text.trim_end().to_string() + &pad;
                        at = column + 1;
                    }
                    text += &part.layout_within(at, width);
                    at += length;
                    text += if i + 1 == parts.len() { "}" } else { ", " };
                }
                text
            }
        }
    }

    fn on_one_line(&self) -> String {
        match self {
            VerilogExpr::Atom(text) => text.clone(),
            VerilogExpr::Unary(operator, operand) => {
                let open = needs_parentheses_under_unary(operand);
                format!("{operator}{}", enclose(operand.on_one_line(), open))
            }
            VerilogExpr::Binary(operator, ..) => {
                let mut items = Vec::new();
                self.chain(&mut items);
                let mut text = String::new();
                for (i, (item, open)) in items.into_iter().enumerate() {
                    if i > 0 {
                        text += &format!(" {operator} ");
                    }
                    text += &enclose(item.on_one_line(), open);
                }
                text
            }
            VerilogExpr::Ternary(cond, then, otherwise) => format!(
                "{} ? {} : {}",
                enclose(cond.on_one_line(), needs_parentheses_as_condition(cond)),
                enclose(then.on_one_line(), matches!(**then, VerilogExpr::Ternary(..))),
                otherwise.on_one_line()
            ),
            VerilogExpr::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(VerilogExpr::on_one_line).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    /// Collects the operands of a chain of one operator, and whether each has parentheses.
    fn chain<'a>(&'a self, items: &mut Vec<(&'a VerilogExpr, bool)>) {
        let VerilogExpr::Binary(operator, left, right) = self else {
            unreachable!("only binary expressions are chains");
        };
        let associative = matches!(*operator, "&" | "|" | "^" | "+" | "*" | "&&" | "||");
        for side in [&**left, &**right] {
            match side {
                VerilogExpr::Binary(inner, ..) if associative && inner == operator => {
                    side.chain(items)
                }
                side => items.push((side, needs_parentheses(operator, side))),
            }
        }
    }
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=")
}

fn needs_parentheses(outer: &str, operand: &VerilogExpr) -> bool {
    match operand {
        VerilogExpr::Atom(_) | VerilogExpr::Concat(_) => false,
        VerilogExpr::Unary(operator, _) => is_reduction(operator),
        VerilogExpr::Binary(inner, ..) => !(matches!(outer, "&&" | "||") && is_comparison(inner)),
        VerilogExpr::Ternary(..) => true,
    }
}

fn is_reduction(operator: &str) -> bool {
    matches!(operator, "&" | "|" | "^")
}

fn needs_parentheses_under_unary(operand: &VerilogExpr) -> bool {
    !matches!(operand, VerilogExpr::Atom(_) | VerilogExpr::Concat(_))
}

fn needs_parentheses_as_condition(cond: &VerilogExpr) -> bool {
    matches!(cond, VerilogExpr::Binary(..) | VerilogExpr::Ternary(..))
}

fn enclose(text: String, parentheses: bool) -> String {
    if parentheses {
        format!("({text})")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(text: &str) -> VerilogExpr {
        VerilogExpr::atom(text)
    }

    #[test]
    fn parentheses_clarify_precedence() {
        let and = VerilogExpr::binary("&", a("a"), VerilogExpr::binary("&", a("b"), a("c")));
        assert_eq!(and.flat(), "a & b & c");
        let mixed = VerilogExpr::binary("|", a("x"), and.clone());
        assert_eq!(mixed.flat(), "x | (a & b & c)");
        let minus = VerilogExpr::binary("-", a("x"), VerilogExpr::binary("-", a("y"), a("z")));
        assert_eq!(minus.flat(), "x - (y - z)");
        let equal = VerilogExpr::binary("==", a("a"), a("b"));
        assert_eq!(VerilogExpr::binary("&&", equal.clone(), a("c")).flat(), "a == b && c");
        assert_eq!(VerilogExpr::binary("&", equal.clone(), a("c")).flat(), "(a == b) & c");
        assert_eq!(
            VerilogExpr::binary("&", a("a"), VerilogExpr::unary("&", a("b"))).flat(),
            "a & (&b)"
        );
        assert_eq!(VerilogExpr::unary("~", and).flat(), "~(a & b & c)");
        let choice =
            VerilogExpr::ternary(equal, a("x"), VerilogExpr::ternary(a("p"), a("y"), a("z")));
        assert_eq!(choice.flat(), "(a == b) ? x : p ? y : z");
    }

    #[test]
    fn long_lines_are_broken_at_operators() {
        let long = |c: &str| a(&c.repeat(40));
        let sum =
            VerilogExpr::binary("+", VerilogExpr::binary("+", long("a"), long("b")), long("c"));
        let [x, y, z] = ["a", "b", "c"].map(|c| c.repeat(40));
        assert_eq!(sum.layout(4), format!("{x}\n    + {y}\n    + {z}"));
        let choice = VerilogExpr::ternary(long("a"), long("b"), long("c"));
        assert_eq!(choice.layout(2), format!("{x} ? {y}\n  : {z}"));
        let parts = VerilogExpr::concat(vec![long("a"), long("b"), long("c")]);
        assert_eq!(parts.layout(2), format!("{{{x}, {y},\n   {z}}}"));
    }
}

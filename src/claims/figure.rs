//! Where a figure stands in what a check prints: `/hops/0/phase`, `count /hops`.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// A figure of what a command or a computation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// `exit`: the exit code of a command.
    Exit,
    /// `output`: the text that a command prints.
    Output,
    /// A figure in the JSON object: a pointer (RFC 6901) in which `*` stands for all of an
    /// array, and what is made of the values there. After `per` the pointer to what it is
    /// divided by.
    At {
        of: Option<Summary>,
        pointer: String,
        per: Option<String>,
    },
}

/// What is made of the values of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    Count,
    Distinct,
    Least,
    Most,
    Sum,
}

const SUMMARIES: [(&str, Summary); 5] = [
    ("count", Summary::Count),
    ("distinct", Summary::Distinct),
    ("min", Summary::Least),
    ("max", Summary::Most),
    ("sum", Summary::Sum),
];

/// There is no such figure in what a check prints.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no figure {figure:?} in what it says")]
pub struct NoFigure {
    figure: String,
}

impl Figure {
    /// Reads one.
    ///
    /// # Errors
    /// What it is not, and what would be accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "exit" => return Ok(Figure::Exit),
            "output" => return Ok(Figure::Output),
            _ => {}
        }
        let (whole, per) = match text.split_once(" per ") {
            Some((whole, per)) => (whole, Some(per.to_owned())),
            None => (text, None),
        };
        let (word, pointer) = match whole.split_once(' ') {
            Some((word, pointer)) => (Some(word), pointer),
            None => (None, whole),
        };
        let named = |word| SUMMARIES.into_iter().find(|(name, _)| *name == word);
        let of = word.map(named);
        let pointers = [Some(pointer), per.as_deref()];
        let good = pointers.into_iter().flatten().all(|p| p.starts_with('/'));
        if !good || of == Some(None) {
            return Err(format!(
                "{text:?} is no figure; accepted: exit, output, or a JSON pointer, before it \
                 count, distinct, min, max or sum, behind it per and another pointer"
            ));
        }
        Ok(Figure::At {
            of: of.flatten().map(|(_, summary)| summary),
            pointer: pointer.to_owned(),
            per,
        })
    }

    /// Whether it stands in the JSON that a command prints with `--json`.
    pub fn is_of_json(&self) -> bool {
        matches!(self, Figure::At { .. })
    }

    /// The figure in a JSON value.
    ///
    /// # Errors
    /// If it is not there, or what is reckoned with is no number.
    pub fn of(&self, value: &Value) -> Result<Value, NoFigure> {
        let missing = || NoFigure {
            figure: self.to_string(),
        };
        let Figure::At { of, pointer, per } = self else {
            return Err(missing());
        };
        let found = match of {
            None if !pointer.contains('*') => {
                value.pointer(pointer).cloned().ok_or_else(missing)?
            }
            None => Value::Array(all(value, pointer)),
            Some(summary) => summary.of(&spread(value, pointer)).ok_or_else(missing)?,
        };
        let Some(per) = per else {
            return Ok(found);
        };
        let divisor = value.pointer(per).and_then(Value::as_f64);
        match (found.as_f64(), divisor) {
            (Some(found), Some(divisor)) if divisor != 0.0 => Ok(json!(found / divisor)),
            _ => Err(missing()),
        }
    }
}

/// All values that a pointer leads to.
fn all(value: &Value, pointer: &str) -> Vec<Value> {
    match pointer.split_once("/*") {
        None => value.pointer(pointer).cloned().into_iter().collect(),
        Some((before, behind)) => {
            let array = value.pointer(before).and_then(Value::as_array);
            let each = array.into_iter().flatten();
            each.flat_map(|value| all(value, behind)).collect()
        }
    }
}

/// The same; of a pointer to an array what stands in it.
fn spread(value: &Value, pointer: &str) -> Vec<Value> {
    match all(value, pointer).as_slice() {
        [Value::Array(inner)] => inner.clone(),
        values => values.to_vec(),
    }
}

impl Summary {
    fn of(self, values: &[Value]) -> Option<Value> {
        let numbers = || values.iter().map(Value::as_f64).collect::<Option<Vec<_>>>();
        let reckoned = match self {
            Summary::Count => values.len() as f64,
            Summary::Distinct => {
                let texts: BTreeSet<String> = values.iter().map(Value::to_string).collect();
                texts.len() as f64
            }
            Summary::Least => numbers()?.into_iter().reduce(f64::min)?,
            Summary::Most => numbers()?.into_iter().reduce(f64::max)?,
            Summary::Sum => numbers()?.into_iter().sum(),
        };
        Some(match reckoned.fract() == 0.0 {
            true => json!(reckoned as i64),
            false => json!(reckoned),
        })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Exit => f.write_str("exit"),
            Figure::Output => f.write_str("output"),
            Figure::At { of, pointer, per } => {
                if let Some((name, _)) = SUMMARIES.iter().find(|(_, s)| Some(*s) == *of) {
                    write!(f, "{name} ")?;
                }
                f.write_str(pointer)?;
                per.iter().try_for_each(|per| write!(f, " per {per}"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Figure::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Figure;
    use serde_json::{json, Value};

    fn figure(text: &str, value: &Value) -> Option<Value> {
        let figure = Figure::parse(text).unwrap();
        assert_eq!(figure.to_string(), text);
        figure.of(value).ok()
    }

    #[test]
    fn figures_are_found_where_they_stand() {
        let value = json!({"hops": [{"phase": 1}, {"phase": 3}, {"phase": 3}],
                           "loads": [[3, 4], [4, 2]], "all": 4, "none": 0});
        for (text, expected) in [
            ("/all", json!(4)),
            ("/hops/1/phase", json!(3)),
            ("/hops/*/phase", json!([1, 3, 3])),
            ("count /hops", json!(3)),
            ("distinct /hops/*/phase", json!(2)),
            ("min /loads/*/*", json!(2)),
            ("max /loads/0", json!(4)),
            ("sum /loads/*/*", json!(13)),
            ("count /hops per /all", json!(0.75)),
        ] {
            assert_eq!(figure(text, &value), Some(expected), "{text}");
        }
        for text in ["/some", "max /hops", "/all per /none", "min /some"] {
            assert_eq!(figure(text, &value), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        for text in ["hops", "mean /hops", "/all per all", ""] {
            assert!(Figure::parse(text).unwrap_err().contains("accepted"));
        }
    }
}

//! Location of a figure in the output of a check: `/hops/*/phase`, `count /hops`.

use super::pointer::Pointer;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// Figure in the output of a command or computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// `exit`: exit code of a command.
    Exit,
    /// `output`: text that a command prints.
    Output,
    /// Figure in the JSON object: a [`Pointer`] and an optional summary of its values. The word
    /// `per` precedes the pointer to a divisor.
    At {
        of: Option<FigureSummary>,
        pointer: Pointer,
        per: Option<Pointer>,
    },
}

/// Summary of the values of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSummary {
    Count,
    Distinct,
    Min,
    Max,
    Sum,
}

const SUMMARIES: [(&str, FigureSummary); 5] = [
    ("count", FigureSummary::Count),
    ("distinct", FigureSummary::Distinct),
    ("min", FigureSummary::Min),
    ("max", FigureSummary::Max),
    ("sum", FigureSummary::Sum),
];

/// Error: the output of a check does not contain the figure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the output has no figure {figure:?}: {why}")]
pub struct MissingFigure {
    figure: String,
    why: String,
}

impl Figure {
    /// Parses a figure.
    ///
    /// # Errors
    /// Reason why the text is no figure, and the accepted forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "exit" => return Ok(Figure::Exit),
            "output" => return Ok(Figure::Output),
            _ => {}
        }
        let (whole, per) = match text.split_once(" per ") {
            Some((whole, per)) => (whole, Some(per)),
            None => (text, None),
        };
        let wrong = |why: &str| {
            format!(
                "{text:?} is not a figure: {why}; accepted: exit, output, or a JSON pointer, before \
                 it count, distinct, min, max or sum, behind it per and another pointer"
            )
        };
        let (of, whole_pointer) = match whole.split_once(' ') {
            Some((word, pointer)) if !word.starts_with('/') => {
                let named = SUMMARIES.into_iter().find(|(name, _)| *name == word);
                let unknown = || wrong(&format!("there is no {word:?} of values"));
                (Some(named.ok_or_else(unknown)?.1), pointer)
            }
            _ => (None, whole),
        };
        let pointer = |text: &str| Pointer::parse(text).map_err(|why| wrong(&why));
        Ok(Figure::At {
            of,
            pointer: pointer(whole_pointer)?,
            per: per.map(pointer).transpose()?,
        })
    }

    /// Whether the figure is in the JSON that a command prints with `--json`.
    pub fn is_in_json(&self) -> bool {
        matches!(self, Figure::At { .. })
    }

    /// Returns the figure in a JSON value.
    ///
    /// # Errors
    /// If the figure is missing, or a value used in arithmetic is not a number.
    pub fn evaluate(&self, value: &Value) -> Result<Value, MissingFigure> {
        let missing = |why: String| MissingFigure {
            figure: self.to_string(),
            why,
        };
        let Figure::At { of, pointer, per } = self else {
            return Err(missing("it is not in the JSON".to_owned()));
        };
        let values = pointer.values(value).map_err(missing)?;
        let found = match of {
            None if pointer.is_multiple() => Value::Array(values.into_iter().cloned().collect()),
            None => values[0].clone(),
            Some(summary) => {
                let none = || missing("its values are no numbers, or there are none".to_owned());
                summary
                    .compute(&values_to_summarise(&values))
                    .ok_or_else(none)?
            }
        };
        let Some(per) = per else {
            return Ok(found);
        };
        let divisor = per.values(value).map_err(missing)?;
        let divisor = match divisor[..] {
            [divisor] => divisor.as_f64().filter(|divisor| *divisor != 0.0),
            _ => None,
        };
        match (found.as_f64(), divisor) {
            (Some(found), Some(divisor)) => Ok(json!(found / divisor)),
            _ => Err(missing("it cannot be divided".to_owned())),
        }
    }
}

/// Returns the values to summarise. If the pointer leads to one array, these are the elements of
/// the array.
fn values_to_summarise(values: &[&Value]) -> Vec<Value> {
    match values {
        [Value::Array(inner)] => inner.clone(),
        values => values.iter().copied().cloned().collect(),
    }
}

impl FigureSummary {
    fn compute(self, values: &[Value]) -> Option<Value> {
        let numbers = || values.iter().map(Value::as_f64).collect::<Option<Vec<_>>>();
        let reckoned = match self {
            FigureSummary::Count => values.len() as f64,
            FigureSummary::Distinct => {
                let texts: BTreeSet<String> = values.iter().map(Value::to_string).collect();
                texts.len() as f64
            }
            FigureSummary::Min => numbers()?.into_iter().reduce(f64::min)?,
            FigureSummary::Max => numbers()?.into_iter().reduce(f64::max)?,
            FigureSummary::Sum => numbers()?.into_iter().sum(),
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
                write!(f, "{pointer}")?;
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
        figure.evaluate(value).ok()
    }

    #[test]
    fn figures_are_extracted_from_json() {
        let value = json!({"hops": [{"phase": 1}, {"phase": 3}, {"phase": 3}],
                           "loads": [[3, 4], [4, 2]], "all": 4, "none": 0});
        for (text, expected) in [
            ("/all", json!(4)),
            ("/hops/[phase=1]/phase", json!(1)),
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
        for text in [
            "/some",
            "max /hops",
            "/all per /none",
            "min /some",
            "count /some",
            "distinct /hops/*/hop",
            "/hops/*/hop",
            "/hops/[phase=3]/phase",
            "/all per /some",
            "/all per /hops/*/phase",
        ] {
            assert_eq!(figure(text, &value), None, "{text}");
        }
    }

    #[test]
    fn invalid_figures_are_rejected() {
        for text in [
            "hops",
            "mean /hops",
            "/all per all",
            "",
            "/hops/0/phase",
            "count /hops/[phase]",
        ] {
            assert!(Figure::parse(text).unwrap_err().contains("accepted"));
        }
    }
}

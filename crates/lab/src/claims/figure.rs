//! Location of a figure in the output of a check: `/hops/*/phase`, `count /hops`.

use serde::de::Error as _;
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
    At { of: Option<FigureSummary>, pointer: Pointer, per: Option<Pointer> },
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
        Ok(Figure::At { of, pointer: pointer(whole_pointer)?, per: per.map(pointer).transpose()? })
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
        let missing = |why: String| MissingFigure { figure: self.to_string(), why };
        let Figure::At { of, pointer, per } = self else {
            return Err(missing("it is not in the JSON".to_owned()));
        };
        let values = pointer.values(value).map_err(missing)?;
        let found = match of {
            None if pointer.is_multiple() => Value::Array(values.into_iter().cloned().collect()),
            None => values[0].clone(),
            Some(summary) => {
                let none = || missing("its values are no numbers, or there are none".to_owned());
                summary.compute(&values_to_summarise(&values)).ok_or_else(none)?
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

// Pointers into a JSON report: `/hops/*/phase`, `/runs/[machine=TDMA route]/bit_times`.

/// Path of steps from a report to its figures.
///
/// The syntax is RFC 6901 with two more kinds of step. `*` takes all elements of an array.
/// `[key=value&key=value]` takes the one element of an array whose keys have these values. A number
/// takes an element by its position and is allowed as the last step only. Rows are selected by
/// name, because their positions change when a report gets another row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    steps: Vec<PointerStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PointerStep {
    /// Key of an object, or position in an array.
    Key(String),
    /// Every element of an array.
    All,
    /// Element of an array with these values.
    Row(Vec<(String, String)>),
}

impl Pointer {
    /// Parses a pointer.
    ///
    /// # Errors
    /// The problem, and the accepted form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let steps = text.strip_prefix('/').ok_or("it begins with /")?;
        let steps: Vec<PointerStep> =
            steps.split('/').map(PointerStep::parse).collect::<Result<_, _>>()?;
        let before_last = &steps[..steps.len() - 1];
        if let Some(position) = before_last.iter().find(|step| step.is_position()) {
            return Err(format!(
                "/{position} selects a row by its position; accepted: /[key=value]"
            ));
        }
        Ok(Pointer { text: text.to_owned(), steps })
    }

    /// Whether the pointer leads to several values.
    pub fn is_multiple(&self) -> bool {
        self.steps.contains(&PointerStep::All)
    }

    /// Returns all values that the pointer leads to.
    ///
    /// # Errors
    /// The first step without a target.
    pub fn values<'a>(&self, report: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut values = vec![report];
        for step in &self.steps {
            let next = values.into_iter().map(|value| step.select(value));
            values = next.collect::<Result<Vec<_>, _>>()?.concat();
        }
        Ok(values)
    }
}

impl PointerStep {
    fn parse(text: &str) -> Result<Self, String> {
        let row = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        let Some(row) = row else {
            return Ok(match text {
                "*" => PointerStep::All,
                key => PointerStep::Key(key.replace("~1", "/").replace("~0", "~")),
            });
        };
        let conditions = row.split('&').map(|condition| condition.split_once('='));
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let conditions: Option<Vec<_>> = conditions.map(|c| c.map(owned)).collect();
        let conditions = conditions.ok_or_else(|| {
            format!("[{row}] selects no row; accepted: [key=value], with & between several")
        })?;
        Ok(PointerStep::Row(conditions))
    }

    fn is_position(&self) -> bool {
        matches!(self, PointerStep::Key(key) if key.parse::<usize>().is_ok())
    }

    /// Returns the values after one more step.
    fn select<'a>(&self, value: &'a Value) -> Result<Vec<&'a Value>, String> {
        let rows = || {
            let rows = value.as_array();
            rows.ok_or_else(|| format!("/{self} needs an array"))
        };
        match self {
            PointerStep::All => Ok(rows()?.iter().collect()),
            PointerStep::Row(conditions) => {
                let fits = |row: &&Value| conditions.iter().all(|c| row_matches(row, c));
                match rows()?.iter().filter(fits).collect::<Vec<_>>()[..] {
                    [row] => Ok(vec![row]),
                    ref several => Err(format!("/{self} selects {} rows", several.len())),
                }
            }
            PointerStep::Key(key) => {
                let found = match value {
                    Value::Object(map) => map.get(key),
                    Value::Array(array) => key.parse().ok().and_then(|at: usize| array.get(at)),
                    _ => None,
                };
                Ok(vec![found.ok_or_else(|| format!("/{self} leads nowhere"))?])
            }
        }
    }
}

/// Whether a row has this value under this key. Numbers are compared as numbers.
fn row_matches(row: &Value, (key, wanted): &(String, String)) -> bool {
    match row.get(key) {
        Some(Value::String(text)) => text == wanted,
        Some(Value::Number(number)) => number.as_f64() == wanted.parse().ok(),
        Some(Value::Bool(flag)) => wanted.parse() == Ok(*flag),
        _ => false,
    }
}

impl fmt::Display for PointerStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PointerStep::All => f.write_str("*"),
            PointerStep::Key(key) => f.write_str(key),
            PointerStep::Row(conditions) => {
                let conditions = conditions.iter().map(|(key, value)| format!("{key}={value}"));
                write!(f, "[{}]", conditions.collect::<Vec<_>>().join("&"))
            }
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
        for text in
            ["hops", "mean /hops", "/all per all", "", "/hops/0/phase", "count /hops/[phase]"]
        {
            assert!(Figure::parse(text).unwrap_err().contains("accepted"));
        }
    }
}

#[cfg(test)]
mod pointer_tests {
    use super::Pointer;
    use serde_json::{json, Value};

    fn values(pointer: &str) -> Result<Vec<Value>, String> {
        let report = json!({
            "runs": [
                {"machine": "TDMA route", "pattern": "xor:1", "load": 1.0, "of": [7, 8]},
                {"machine": "TDMA route", "pattern": "xor:2", "load": 2, "of": []},
                {"machine": "CM-1", "pattern": "xor:1", "ends": null},
            ],
            "a/b": 3,
        });
        let pointer = Pointer::parse(pointer)?;
        Ok(pointer.values(&report)?.into_iter().cloned().collect())
    }

    #[test]
    fn rows_are_selected_by_name() {
        for (pointer, expected) in [
            ("/runs/[machine=CM-1]/pattern", vec![json!("xor:1")]),
            ("/runs/[machine=TDMA route&pattern=xor:2]/load", vec![json!(2)]),
            ("/runs/[load=1]/of/1", vec![json!(8)]),
            ("/runs/[machine=CM-1]/ends", vec![Value::Null]),
            ("/runs/*/machine", vec![json!("TDMA route"), json!("TDMA route"), json!("CM-1")]),
            ("/a~1b", vec![json!(3)]),
        ] {
            assert_eq!(values(pointer), Ok(expected), "{pointer}");
        }
    }

    /// A pointer without a target is an error, not an empty list. A row must match uniquely.
    #[test]
    fn a_pointer_without_a_target_is_an_error() {
        for (pointer, says) in [
            ("/rows", "/rows leads nowhere"),
            ("/runs/*/load", "/load leads nowhere"),
            ("/a~1b/*", "/* needs an array"),
            ("/runs/[machine=torus]/load", "selects 0 rows"),
            ("/runs/[machine=TDMA route]/load", "selects 2 rows"),
            ("/runs/[load=1]/of/2", "/2 leads nowhere"),
            ("/runs/0/load", "by its position; accepted: /[key=value]"),
            ("/runs/[machine]/load", "accepted: [key=value]"),
            ("runs", "it begins with /"),
        ] {
            let error = values(pointer).unwrap_err();
            assert!(error.contains(says), "{pointer}: {error}");
        }
    }
}

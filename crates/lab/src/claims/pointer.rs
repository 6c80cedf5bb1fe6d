//! Pointers into a JSON report: `/hops/*/phase`, `/runs/[machine=TDMA route]/bit_times`.

use serde_json::Value;
use std::fmt;

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
        let steps: Vec<PointerStep> = steps
            .split('/')
            .map(PointerStep::parse)
            .collect::<Result<_, _>>()?;
        let before_last = &steps[..steps.len() - 1];
        if let Some(position) = before_last.iter().find(|step| step.is_position()) {
            return Err(format!(
                "/{position} selects a row by its position; accepted: /[key=value]"
            ));
        }
        Ok(Pointer {
            text: text.to_owned(),
            steps,
        })
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
                let conditions = conditions
                    .iter()
                    .map(|(key, value)| format!("{key}={value}"));
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
            (
                "/runs/[machine=TDMA route&pattern=xor:2]/load",
                vec![json!(2)],
            ),
            ("/runs/[load=1]/of/1", vec![json!(8)]),
            ("/runs/[machine=CM-1]/ends", vec![Value::Null]),
            (
                "/runs/*/machine",
                vec![json!("TDMA route"), json!("TDMA route"), json!("CM-1")],
            ),
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

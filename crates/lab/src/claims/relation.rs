//! Relations that a claim states for a figure: `= 10`, `in 90..95`.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// Relation between the computed figure and the value in the claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimRelation {
    /// `= 10`, `= [1,2]`, `= true`.
    Is(Value),
    /// `!= 10`.
    IsNot(Value),
    /// `< 10`.
    Below(f64),
    /// `<= 10`.
    AtMost(f64),
    /// `> 10`.
    Above(f64),
    /// `>= 10`.
    AtLeast(f64),
    /// `in 90..95`, with both ends included.
    Within(f64, f64),
    /// `has TEXT`: the figure contains the text.
    Contains(String),
}

/// Accepted forms, for errors.
const ACCEPTED: &str = "accepted: = V, != V, < N, <= N, > N, >= N, in N..N, has TEXT";

impl ClaimRelation {
    /// Parses a relation.
    ///
    /// # Errors
    /// Reason why the text is no relation, and the accepted forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a relation; {ACCEPTED}");
        let (sign, rest) = text.split_once(' ').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let value = || serde_json::from_str(rest).map_err(|_| bad());
        Ok(match sign {
            "=" => ClaimRelation::Is(value()?),
            "!=" => ClaimRelation::IsNot(value()?),
            "<" => ClaimRelation::Below(number(rest)?),
            "<=" => ClaimRelation::AtMost(number(rest)?),
            ">" => ClaimRelation::Above(number(rest)?),
            ">=" => ClaimRelation::AtLeast(number(rest)?),
            "in" => {
                let (least, most) = rest.split_once("..").ok_or_else(bad)?;
                ClaimRelation::Within(number(least)?, number(most)?)
            }
            "has" => ClaimRelation::Contains(rest.to_owned()),
            _ => return Err(bad()),
        })
    }

    /// Whether the relation holds for a figure. For a figure that is not a number, only `=`, `!=`
    /// and `has` can hold.
    pub fn holds(&self, figure: &Value) -> bool {
        let number = figure.as_f64();
        let is = |check: &dyn Fn(f64) -> bool| number.is_some_and(check);
        match self {
            ClaimRelation::Is(value) => values_equal(figure, value),
            ClaimRelation::IsNot(value) => !values_equal(figure, value),
            ClaimRelation::Below(most) => is(&|n| n < *most),
            ClaimRelation::AtMost(most) => is(&|n| n <= *most),
            ClaimRelation::Above(least) => is(&|n| n > *least),
            ClaimRelation::AtLeast(least) => is(&|n| n >= *least),
            ClaimRelation::Within(least, most) => is(&|n| (*least..=*most).contains(&n)),
            ClaimRelation::Contains(text) => {
                figure.as_str().is_some_and(|found| found.contains(text))
            }
        }
    }
}

/// Whether two values are equal. A number may be written as 8 or as 8.0.
fn values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values_equal(a, b))
        }
        _ => a == b,
    }
}

impl fmt::Display for ClaimRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimRelation::Is(value) => write!(f, "= {value}"),
            ClaimRelation::IsNot(value) => write!(f, "!= {value}"),
            ClaimRelation::Below(most) => write!(f, "< {most}"),
            ClaimRelation::AtMost(most) => write!(f, "<= {most}"),
            ClaimRelation::Above(least) => write!(f, "> {least}"),
            ClaimRelation::AtLeast(least) => write!(f, ">= {least}"),
            ClaimRelation::Within(least, most) => write!(f, "in {least}..{most}"),
            ClaimRelation::Contains(text) => write!(f, "has {text}"),
        }
    }
}

impl<'de> Deserialize<'de> for ClaimRelation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ClaimRelation::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::ClaimRelation;
    use serde_json::{json, Value};

    fn holds(relation: &str, figure: Value) -> bool {
        let relation = ClaimRelation::parse(relation).unwrap();
        assert_eq!(
            ClaimRelation::parse(&relation.to_string()),
            Ok(relation.clone())
        );
        relation.holds(&figure)
    }

    /// Tests each relation on both sides of its limit.
    #[test]
    fn relations_hold_up_to_their_limits() {
        for (relation, holding, failing) in [
            ("= 10", json!(10.0), json!(9)),
            ("= [1,2]", json!([1, 2]), json!([1])),
            ("!= 10", json!(9), json!(10)),
            ("< 2", json!(1), json!(2)),
            ("<= 2", json!(2), json!(2.5)),
            ("> 2", json!(3), json!(2)),
            (">= 2", json!(2), json!(1)),
            ("in 1..2", json!(1), json!(2.1)),
            ("in 1..2", json!(2), json!(0.9)),
            (
                "has stands still",
                json!("it stands still"),
                json!("it goes"),
            ),
        ] {
            assert!(holds(relation, holding), "{relation}");
            assert!(!holds(relation, failing), "{relation}");
        }
    }

    #[test]
    fn numeric_relations_reject_non_numbers() {
        for relation in ["< 2", "<= 2", "> 2", ">= 2", "in 1..2"] {
            assert!(!holds(relation, json!("1")) && !holds(relation, Value::Null));
        }
    }

    #[test]
    fn invalid_relations_are_rejected() {
        for text in ["10", "~ 10", "< ten", "in 3", "= ten"] {
            assert!(ClaimRelation::parse(text)
                .unwrap_err()
                .contains("accepted: = V"));
        }
    }
}

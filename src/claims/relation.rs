//! Relations that a claim states for a figure: `= 10`, `in 90..95`.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// Relation between the computed figure and the value in the claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
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
    Has(String),
}

/// Accepted forms, for errors.
const ACCEPTED: &str = "accepted: = V, != V, < N, <= N, > N, >= N, in N..N, has TEXT";

impl Relation {
    /// Parses a relation.
    ///
    /// # Errors
    /// Reason why the text is no relation, and the accepted forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is no relation; {ACCEPTED}");
        let (sign, rest) = text.split_once(' ').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let value = || serde_json::from_str(rest).map_err(|_| bad());
        Ok(match sign {
            "=" => Relation::Is(value()?),
            "!=" => Relation::IsNot(value()?),
            "<" => Relation::Below(number(rest)?),
            "<=" => Relation::AtMost(number(rest)?),
            ">" => Relation::Above(number(rest)?),
            ">=" => Relation::AtLeast(number(rest)?),
            "in" => {
                let (least, most) = rest.split_once("..").ok_or_else(bad)?;
                Relation::Within(number(least)?, number(most)?)
            }
            "has" => Relation::Has(rest.to_owned()),
            _ => return Err(bad()),
        })
    }

    /// Whether the relation holds for a figure. For a figure that is not a number, only `=`, `!=`
    /// and `has` can hold.
    pub fn holds(&self, figure: &Value) -> bool {
        let number = figure.as_f64();
        let is = |check: &dyn Fn(f64) -> bool| number.is_some_and(check);
        match self {
            Relation::Is(value) => same(figure, value),
            Relation::IsNot(value) => !same(figure, value),
            Relation::Below(most) => is(&|n| n < *most),
            Relation::AtMost(most) => is(&|n| n <= *most),
            Relation::Above(least) => is(&|n| n > *least),
            Relation::AtLeast(least) => is(&|n| n >= *least),
            Relation::Within(least, most) => is(&|n| (*least..=*most).contains(&n)),
            Relation::Has(text) => figure.as_str().is_some_and(|found| found.contains(text)),
        }
    }
}

/// Whether two values are equal. A number may be written as 8 or as 8.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::Is(value) => write!(f, "= {value}"),
            Relation::IsNot(value) => write!(f, "!= {value}"),
            Relation::Below(most) => write!(f, "< {most}"),
            Relation::AtMost(most) => write!(f, "<= {most}"),
            Relation::Above(least) => write!(f, "> {least}"),
            Relation::AtLeast(least) => write!(f, ">= {least}"),
            Relation::Within(least, most) => write!(f, "in {least}..{most}"),
            Relation::Has(text) => write!(f, "has {text}"),
        }
    }
}

impl<'de> Deserialize<'de> for Relation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Relation::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Relation;
    use serde_json::{json, Value};

    fn holds(relation: &str, figure: Value) -> bool {
        let relation = Relation::parse(relation).unwrap();
        assert_eq!(Relation::parse(&relation.to_string()), Ok(relation.clone()));
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
    fn what_is_no_number_is_not_compared() {
        for relation in ["< 2", "<= 2", "> 2", ">= 2", "in 1..2"] {
            assert!(!holds(relation, json!("1")) && !holds(relation, Value::Null));
        }
    }

    #[test]
    fn what_is_no_relation_is_refused() {
        for text in ["10", "~ 10", "< ten", "in 3", "= ten"] {
            assert!(Relation::parse(text).unwrap_err().contains("accepted: = V"));
        }
    }
}

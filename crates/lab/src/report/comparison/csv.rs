//! Comma-separated values: the numbers of the JSON, with one line per object.

use serde::Serialize;
use serde_json::Value;

/// First columns. The others follow in alphabetical order.
const FIRST: [&str; 3] = ["machine", "pattern", "load"];

/// Formats rows as comma-separated values, after a line of headings. The field `p50` of the object
/// `latency` is `latency.p50`. An unknown value is empty.
pub fn csv(rows: &[impl Serialize]) -> String {
    let rows: Vec<Vec<(String, String)>> = rows
        .iter()
        .map(|row| {
            let mut fields = vec![];
            let value = serde_json::to_value(row).expect("numbers and names are JSON");
            flatten("", &value, &mut fields);
            fields
        })
        .collect();
    let rank = |name: &str| FIRST.iter().position(|first| *first == name);
    let names = rows.iter().flatten();
    let mut headings: Vec<&String> = names.map(|(name, _)| name).collect();
    headings.sort_by_key(|name| (rank(name).unwrap_or(FIRST.len()), *name));
    headings.dedup();
    let line = |cells: Vec<&str>| cells.join(",") + "\n";
    let mut text = line(headings.iter().map(|name| name.as_str()).collect());
    for row in &rows {
        let cell = |heading: &&String| {
            let found = row.iter().find(|(name, _)| name == *heading);
            found.map_or("", |(_, cell)| cell.as_str())
        };
        text += &line(headings.iter().map(cell).collect());
    }
    text
}

fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let cell = match value {
        Value::Object(object) => {
            for (key, value) in object {
                let separator = if name.is_empty() { "" } else { "." };
                flatten(&format!("{name}{separator}{key}"), value, fields);
            }
            return;
        }
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    };
    fields.push((name.into(), cell));
}

/// Quotes the text if it contains a field separator.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        pattern: &'static str,
        count: u32,
        inner: Option<InnerRow>,
    }

    #[derive(Serialize)]
    struct InnerRow {
        a: u32,
        b: Option<f64>,
    }

    #[test]
    fn nested_objects_become_columns() {
        let rows = [
            Row {
                pattern: "file:a,\"b\"",
                count: 7,
                inner: Some(InnerRow { a: 1, b: Some(0.5) }),
            },
            Row {
                pattern: "plain",
                count: 8,
                inner: Some(InnerRow { a: 2, b: None }),
            },
        ];
        let text = "pattern,count,inner.a,inner.b\n\"file:a,\"\"b\"\"\",7,1,0.5\nplain,8,2,\n";
        assert_eq!(csv(&rows), text);
        assert_eq!(csv(&[] as &[Row; 0]), "\n");
    }
}

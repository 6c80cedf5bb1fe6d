//! Grids of runs: points from the axes of a file, shards of them, and their results in a directory.
//!
//! The directory is the cache of the Python package, too: a file for each point, whose name is a
//! digest of the program and of the arguments.

use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, fs, io, process};
use thiserror::Error;
use toml::Spanned;

/// Value of a parameter at a point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterValue {
    Switch(bool),
    /// One value, or the parts of a list.
    Parts(Vec<String>),
}

/// Parameters of a point by name.
pub type Parameters = BTreeMap<String, ParameterValue>;

/// The text is no grid.
#[derive(Debug, Error)]
pub enum GridError {
    #[error("the grid is not TOML: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("line {line}: {name} is an axis without values; accepted: at least one value")]
    Empty { line: usize, name: String },
    #[error("line {line}: {name} is a section or table; accepted: flags of `run` with their values, without a section")]
    Section { line: usize, name: String },
    #[error("line {line}: {name} has the value {value}; accepted: a number, a text, true or false, a list of them as an axis, or a list in an axis as one value of several parts")]
    Value { line: usize, name: String, value: String },
}

/// Reads the points of a grid. Each key is a flag of `run`, with a value or a list of values. Lists
/// are axes. The last one in alphabetical order changes fastest. A list in a list is one value of
/// several parts.
///
/// # Errors
/// If the text is no grid.
pub fn parse_grid(text: &str) -> Result<Vec<Parameters>, GridError> {
    let table: BTreeMap<Spanned<String>, toml::Value> = toml::from_str(text)?;
    let mut points = vec![Parameters::new()];
    for (key, value) in table {
        let line = text[..key.span().start].matches('\n').count() + 1;
        let key = key.into_inner();
        let values = match value {
            toml::Value::Table(_) => return Err(GridError::Section { line, name: key }),
            toml::Value::Array(values) => values,
            value => vec![value],
        };
        if values.is_empty() {
            return Err(GridError::Empty { line, name: key });
        }
        let name = key.replace('-', "_");
        let values = values.into_iter().map(parameter).collect::<Result<Vec<_>, String>>();
        let values = values.map_err(|value| GridError::Value { line, name: key, value })?;
        let with = |point: Parameters| {
            let name = name.clone();
            let extended = move |value: &ParameterValue| {
                let mut point = point.clone();
                point.insert(name.clone(), value.clone());
                point
            };
            values.iter().map(extended).collect::<Vec<_>>()
        };
        points = points.into_iter().flat_map(with).collect();
    }
    Ok(points)
}

/// Reads one value of a flag. Returns a value that no flag has as an error.
fn parameter(value: toml::Value) -> Result<ParameterValue, String> {
    let word = |value: &toml::Value| match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        value => Err(value.to_string()),
    };
    Ok(match value {
        toml::Value::Boolean(on) => ParameterValue::Switch(on),
        toml::Value::Array(parts) => {
            ParameterValue::Parts(parts.iter().map(word).collect::<Result<_, _>>()?)
        }
        value => ParameterValue::Parts(vec![word(&value)?]),
    })
}

/// One of several parts of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the shard, from 1.
    pub number: usize,
    pub shards: usize,
}

impl Shard {
    /// The whole grid.
    pub const WHOLE: Shard = Shard { number: 1, shards: 1 };

    /// True if the shard has the point with this index. Neighbours on an axis, which take similar
    /// time, are in different shards.
    pub fn has(self, point: usize) -> bool {
        Shard::of(point, self.shards) == self
    }

    /// The shard that has the point with this index.
    pub fn of(point: usize, shards: usize) -> Self {
        Shard { number: point % shards + 1, shards }
    }
}

/// `3/16`
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.shards)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = || {
            let (number, shards) = text.split_once('/')?;
            let [number, shards] = [number, shards].map(|word| word.parse().ok());
            let shard = Shard { number: number?, shards: shards? };
            (1..=shard.shards).contains(&shard.number).then_some(shard)
        };
        parsed().ok_or_else(|| format!("{text:?} is no shard; accepted: I/N with I from 1 to N"))
    }
}

/// Results of points in a directory.
pub struct PointResults {
    dir: PathBuf,
    /// Version of the program and digest of its file.
    program: String,
}

/// Result of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum PointResult {
    Report(Value),
    /// Message of the program.
    Error(String),
    /// This file is no result of the point. It was cut off, or another point has its name.
    Broken(PathBuf),
}

/// File with the number of shards.
const SHARDS: &str = "shards.txt";

/// Values of a report that depend on the computer.
const OF_THE_COMPUTER: [&str; 2] = ["wall_seconds", "node_cycles_per_second"];

impl PointResults {
    /// Opens a directory, which may be missing, for the results of this program.
    ///
    /// # Errors
    /// If the file of the program cannot be read.
    pub fn new(dir: PathBuf, version: &str, program: &Path) -> io::Result<Self> {
        let digest = format!("{:x}", Sha256::digest(fs::read(program)?));
        let program = format!("{version}-{}", &digest[..12]);
        Ok(PointResults { dir, program })
    }

    /// File of a point without its extension.
    fn file(&self, line: &[String], extension: &str) -> PathBuf {
        let mut key = vec![&self.program];
        key.extend(line);
        let key = serde_json::to_string(&key).expect("texts are JSON");
        let digest = format!("{:x}", Sha256::digest(key));
        self.dir.join(format!("{}.{extension}", &digest[..32]))
    }

    /// Returns the result of the point with these arguments, if there is one. A report is without the
    /// values that depend on the computer.
    pub fn get(&self, line: &[String]) -> Option<PointResult> {
        let file = self.file(line, "json");
        let Ok(bytes) = fs::read(&file) else {
            let error = fs::read_to_string(self.file(line, "error")).ok();
            return error.map(PointResult::Error);
        };
        let mut entry: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let mut report = entry["report"].take();
        match report.as_object_mut() {
            Some(values) if entry["line"] == json!(line) => {
                values.retain(|key, _| !OF_THE_COMPUTER.contains(&key.as_str()));
                Some(PointResult::Report(report))
            }
            _ => Some(PointResult::Broken(file)),
        }
    }

    /// Returns the number of shards of the last sweep in shards, if there was one.
    pub fn shards(&self) -> Option<usize> {
        let text = fs::read_to_string(self.dir.join(SHARDS)).ok()?;
        text.trim().parse().ok()
    }

    /// Stores the number of shards, for [`shards`](Self::shards).
    ///
    /// # Errors
    /// As [`put_report`](Self::put_report).
    pub fn put_shards(&self, shards: usize) -> io::Result<()> {
        self.put(&self.dir.join(SHARDS), &format!("{shards}\n"))
    }

    /// Stores the report that the point with these arguments printed.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn put_report(&self, line: &[String], report: &str) -> io::Result<()> {
        let [program, line_text] = [json!(self.program), json!(line)];
        // Inserted as text, so that no figure is rounded.
        let report = report.trim();
        let entry = format!(r#"{{"program":{program},"line":{line_text},"report":{report}}}"#);
        self.put(&self.file(line, "json"), &entry)
    }

    /// Stores the message of the point with these arguments, which failed.
    ///
    /// # Errors
    /// As [`put_report`](Self::put_report).
    pub fn put_error(&self, line: &[String], error: &str) -> io::Result<()> {
        self.put(&self.file(line, "error"), error)
    }

    fn put(&self, file: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        // Another shard may write the same point, and this one may be killed.
        let part = file.with_extension(format!("{}.part", process::id()));
        fs::write(&part, text)?;
        fs::rename(part, file)
    }
}

/// Returns the results as CSV: a row for each point with its parameters, the single values of its
/// report, and its error. The values of an object have its name before theirs. Fractions have up to 15
/// digits.
///
/// # Errors
/// None: the table is in memory.
pub fn results_table(points: &[(Parameters, Option<PointResult>)]) -> Result<String, csv::Error> {
    let rows: Vec<Row> = points.iter().map(|(point, result)| row(point, result.as_ref())).collect();
    let mut names: Vec<&String> = vec![];
    for (name, _) in rows.iter().flatten() {
        if name != ERROR && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut table = csv::Writer::from_writer(vec![]);
    table.write_record(names.iter().map(|name| name.as_str()).chain([ERROR]))?;
    for row in &rows {
        let of = |name: &str| row.iter().find(|(known, _)| known == name);
        let cell = |name: &str| match of(name).map(|(_, value)| value) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            // 15 digits survive the reading of the report.
            Some(Value::Number(number)) if number.is_f64() => {
                let digits = number.as_f64().map(|number| format!("{number:.14e}"));
                digits
                    .and_then(|digits| digits.parse::<f64>().ok())
                    .map_or_else(String::new, |n| n.to_string())
            }
            Some(value) => value.to_string(),
        };
        table.write_record(names.iter().map(|name| cell(name)).chain([cell(ERROR)]))?;
    }
    let bytes = table.into_inner().map_err(|e| e.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

const ERROR: &str = "error";

/// Cells of a row with the names of their columns.
type Row = Vec<(String, Value)>;

fn row(point: &Parameters, result: Option<&PointResult>) -> Row {
    let mut row = Row::new();
    for (name, value) in point {
        let value = match value {
            ParameterValue::Switch(on) => json!(on),
            ParameterValue::Parts(parts) => json!(parts.join(",")),
        };
        row.push((name.clone(), value));
    }
    let is_single = |value: &Value| !value.is_array() && !value.is_object();
    match result {
        None => row.push((ERROR.into(), json!("not run yet"))),
        Some(PointResult::Error(text)) => row.push((ERROR.into(), json!(text))),
        Some(PointResult::Broken(_)) => row.push((ERROR.into(), json!("the result is broken"))),
        Some(PointResult::Report(report)) => {
            for (name, value) in report.as_object().into_iter().flatten() {
                let inner = value.as_object().into_iter().flatten();
                let inner = inner.map(|(key, value)| (format!("{name}_{key}"), value));
                let all = inner.chain([(name.clone(), value)]);
                for (name, value) in all.filter(|(_, value)| is_single(value)) {
                    if row.iter().all(|(known, _)| *known != name) {
                        row.push((name, value.clone()));
                    }
                }
            }
        }
    }
    row
}

/// Points without a result, as a merge reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenPoints {
    /// A sentence for each point.
    pub texts: Vec<String>,
    /// Shards of the points, ascending. Empty if the grid did not run in shards.
    pub shards: Vec<Shard>,
}

impl OpenPoints {
    /// Selects the points that have no result or a broken one. `shards` is the number of shards of
    /// the sweep.
    pub fn of<'a>(
        results: impl IntoIterator<Item = (&'a [String], Option<&'a PointResult>)>,
        shards: Option<usize>,
    ) -> Self {
        let mut open = OpenPoints::default();
        for (place, (line, result)) in results.into_iter().enumerate() {
            let why = match result {
                None => "no result".to_owned(),
                Some(PointResult::Broken(file)) => format!("{} is broken", file.display()),
                Some(_) => continue,
            };
            let shard = shards.map(|shards| Shard::of(place, shards));
            let named = shard.map_or(String::new(), |shard| format!("shard {shard}, "));
            open.texts.push(format!("{named}{}: {why}", line.join(" ")));
            open.shards.extend(shard.filter(|shard| !open.shards.contains(shard)));
        }
        open.shards.sort_by_key(|shard| shard.number);
        open
    }
}

/// Counts of a sweep, for its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridCounts {
    pub points: usize,
    /// Points whose results were there.
    pub cached: usize,
    pub failed: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_axes() {
        let points =
            parse_grid("seed = [1, 2]\nradix = [[4, 4], [8, 8]]\ntrace = true\nload = 0.5")
                .unwrap();
        assert_eq!(points.len(), 4);
        let parts = |point: &Parameters, name: &str| match &point[name] {
            ParameterValue::Parts(parts) => parts.join(","),
            ParameterValue::Switch(on) => on.to_string(),
        };
        let all: Vec<_> = points.iter().map(|p| (parts(p, "radix"), parts(p, "seed"))).collect();
        let wanted = [("4,4", "1"), ("4,4", "2"), ("8,8", "1"), ("8,8", "2")];
        assert_eq!(all, wanted.map(|(radix, seed)| (radix.to_owned(), seed.to_owned())));
        assert_eq!(
            (parts(&points[3], "trace"), parts(&points[3], "load")),
            ("true".into(), "0.5".into())
        );
        let refused = |text| parse_grid(text).unwrap_err().to_string();
        assert_eq!(
            refused("seed = []"),
            "line 1: seed is an axis without values; accepted: at least one value"
        );
        assert!(refused("seed = [{a = 1}]").contains("accepted: a number"));
        for section in ["dims = 3\n[run]\nseed = 1", "# run\nrun = {}", "\n[run]", "\n[run.more]"] {
            let printed = refused(section);
            assert!(printed.starts_with("line 2: run is a section or table; "), "{printed}");
        }
        assert!(refused("seed").contains("not TOML"));
    }

    #[test]
    fn each_point_is_in_one_shard() {
        for shards in 1..=5 {
            for point in 0..12 {
                let has = |number| Shard { number, shards }.has(point);
                assert_eq!((1..=shards).filter(|number| has(*number)).count(), 1);
            }
        }
        assert_eq!("3/16".parse(), Ok(Shard { number: 3, shards: 16 }));
        for wrong in ["0/3", "4/3", "3", "1/0", "a/b", "-1/3"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("accepted: I/N"));
        }
    }

    #[test]
    fn open_points_name_their_shard() {
        let lines: Vec<Vec<String>> = (0..6).map(|n| vec![format!("--seed={n}")]).collect();
        let done = PointResult::Report(json!({}));
        let broken = PointResult::Broken("r/a.json".into());
        let results = [Some(&done), None, Some(&broken), Some(&done), None];
        let results = || lines.iter().map(Vec::as_slice).zip(results);
        let open = OpenPoints::of(results(), Some(3));
        assert_eq!(
            open.texts,
            [
                "shard 2/3, --seed=1: no result",
                "shard 3/3, --seed=2: r/a.json is broken",
                "shard 2/3, --seed=4: no result"
            ]
        );
        let shards: Vec<String> = open.shards.iter().map(Shard::to_string).collect();
        assert_eq!(shards, ["2/3", "3/3"]);
        let open = OpenPoints::of(results(), None);
        assert_eq!((open.texts.len(), open.shards.len()), (3, 0));
        assert_eq!(open.texts[0], "--seed=1: no result");
    }

    #[test]
    fn results_are_kept_by_program_and_arguments() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        let results = |text: &str| {
            fs::write(&program, text).unwrap();
            PointResults::new(dir.path().join("r"), "0.1.0", &program).unwrap()
        };
        let line = |seed: &str| vec!["run".to_owned(), format!("--seed={seed}")];
        let report = json!({"hops": 3, "wall_seconds": 0.1, "latency": {"p50": 4, "unit": "steps"}, "log": [1]});
        let one = results("one");
        assert_eq!(one.get(&line("1")), None);
        one.put_report(&line("1"), &report.to_string()).unwrap();
        one.put_error(&line("2"), "no, \"never\"").unwrap();
        let Some(PointResult::Report(kept)) = one.get(&line("1")) else {
            panic!("it was put there");
        };
        assert_eq!(kept, json!({"hops": 3, "latency": {"p50": 4, "unit": "steps"}, "log": [1]}));
        assert_eq!(results("two").get(&line("1")), None);
        let file = one.file(&line("3"), "json");
        let whole = fs::read(one.file(&line("1"), "json")).unwrap();
        for broken in [&whole[..whole.len() / 2], &whole, b"{}", b"\xFF"] {
            fs::write(&file, broken).unwrap();
            let broken = PointResult::Broken(file.clone());
            assert_eq!(one.get(&line("3")), Some(broken));
        }
        fs::remove_file(file).unwrap();
        let one = results("one");
        let points = parse_grid("seed = [1, 2, 3]").unwrap();
        let found = points.into_iter().zip(["1", "2", "3"]);
        let found: Vec<_> = found.map(|(point, seed)| (point, one.get(&line(seed)))).collect();
        assert_eq!(
            results_table(&found).unwrap(),
            "seed,hops,latency_p50,latency_unit,error\n1,3,4,steps,\n2,,,,\"no, \"\"never\"\"\"\n3,,,,not run yet\n"
        );
    }
}

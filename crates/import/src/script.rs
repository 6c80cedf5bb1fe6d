//! Script with which yosys elaborates Verilog for the importer.

use std::fmt::Write;

/// Sources and settings of a design.
///
/// ```
/// let job = import::YosysJob {
///     files: vec!["counter.v".into()],
///     top: Some("counter".into()),
///     parameters: vec![("WIDTH".into(), "12".into())],
///     ..Default::default()
/// };
/// let script = job.script("counter.json");
/// assert!(script.contains("chparam -set WIDTH 12 counter"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct YosysJob {
    /// Verilog and SystemVerilog files, in the order in which they are read.
    pub files: Vec<String>,
    /// Folders in which `include files are searched.
    pub includes: Vec<String>,
    /// Macros, with their values if they have some.
    pub defines: Vec<(String, Option<String>)>,
    /// Name of the top module. If absent, yosys chooses the module that is not instantiated.
    pub top: Option<String>,
    /// Parameters of the top module.
    pub parameters: Vec<(String, String)>,
    /// File for the text after macros and `` `include ``, which [`delays`](super::delays) reads.
    pub preprocessed: Option<String>,
}

/// Passes after the hierarchy.
///
/// Undefined bits become 0 before an optimisation can choose another value. The memory passes require
/// that the controls of an asynchronous read port are undefined, so these become 0 at the end.
/// `opt_mem` is omitted because it gives undefined words an arbitrary value. `opt_dff` finds the
/// enables and resets of registers, which `memory_dff` needs to find clocked read ports.
const PASSES: &str = "\
proc -noopt
flatten
tribuf
setundef -zero -undriven t:$memrd* %n
opt_expr -keepdc
opt_merge
opt_dff -keepdc
opt_clean
opt_mem_priority
opt_mem_feedback
memory_bmux2rom
memory_dff
opt_clean
memory_share -nowiden
opt_clean
memory_collect
setundef -zero
opt_expr -keepdc
opt_clean
";

impl YosysJob {
    /// Returns the script. Yosys writes the JSON to the file `json`.
    pub fn script(&self, json: &str) -> String {
        let mut script = match &self.preprocessed {
            Some(file) => format!("tee -o {} read_verilog -sv -ppdump", quoted(file)),
            None => String::from("read_verilog -sv"),
        };
        for folder in &self.includes {
            write!(script, " -I{}", quoted(folder)).expect("a text grows");
        }
        for (name, value) in &self.defines {
            let value = value.as_ref().map_or(String::new(), |value| format!("={value}"));
            write!(script, " -D{}", quoted(&format!("{name}{value}"))).expect("a text grows");
        }
        for file in &self.files {
            write!(script, " {}", quoted(file)).expect("a text grows");
        }
        script.push('\n');
        match &self.top {
            Some(top) => {
                for (name, value) in &self.parameters {
                    let value = quoted(value);
                    writeln!(script, "chparam -set {name} {value} {top}").expect("a text grows");
                }
                writeln!(script, "hierarchy -check -top {top}").expect("a text grows");
            }
            None => script.push_str("hierarchy -check -auto-top\n"),
        }
        script + PASSES + &format!("write_json {}\n", quoted(json))
    }
}

/// Puts a word between quotation marks if yosys would split it.
fn quoted(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | ';' | '#');
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("\"{}\"", word.replace('"', "\\\"")),
    }
}

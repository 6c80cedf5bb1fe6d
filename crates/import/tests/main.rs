//! Tests of the importer on Verilog that yosys elaborates.

mod rejected;
mod truth;

use import::YosysJob;
use std::path::Path;
use toolchain::{ToolError, Toolchain};

/// Elaborates a source in a folder, and returns the JSON.
fn elaborated(
    source: &str,
    top: &str,
    parameters: &[(&str, u32)],
    dir: &Path,
) -> Result<String, ToolError> {
    std::fs::write(dir.join("source.v"), source).unwrap();
    let value = |(name, value): &(&str, u32)| (name.to_string(), value.to_string());
    let job = YosysJob {
        files: vec!["source.v".into()],
        top: Some(top.into()),
        parameters: parameters.iter().map(value).collect(),
        ..YosysJob::default()
    };
    std::fs::write(dir.join("import.ys"), job.script("import.json")).unwrap();
    let yosys = Toolchain::open()?.yosys()?;
    yosys.run(dir, ["-q", "import.ys"], "yosys.log")?;
    Ok(std::fs::read_to_string(dir.join("import.json")).unwrap())
}

//! Flags of the user's own Verilog, for `simulate` and `bench --verilog`.

use super::CliError;
use anyhow::anyhow;
use clap::Args;
use import::YosysJob;
use machine::verilog::Delays;
use std::path::PathBuf;

/// How yosys reads the files. The files themselves are the argument `verilog` of the command.
#[derive(Clone, Debug, Args)]
pub struct VerilogFlags {
    /// Name of the top module [default: the module that is not instantiated]
    #[arg(long, value_name = "NAME", value_parser = identifier, requires = "verilog")]
    top: Option<String>,

    /// Folder in which `include files are searched; can be repeated
    #[arg(short = 'I', long, value_name = "DIR", requires = "verilog")]
    include: Vec<PathBuf>,

    /// Macro to define; can be repeated
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = definition, requires = "verilog")]
    define: Vec<(String, Option<String>)>,

    /// Parameter of the top module; can be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment, requires_all = ["verilog", "top"])]
    parameters: Vec<(String, String)>,

    /// Ignore delays (#5), as synthesis does; each is a warning
    #[arg(long, requires = "verilog")]
    ignore_delays: bool,
}

impl VerilogFlags {
    /// Describes the sources for yosys.
    ///
    /// # Errors
    /// If a path is not UTF-8.
    pub fn job(&self, files: &[PathBuf]) -> Result<YosysJob, CliError> {
        let path = |path: &PathBuf| match path.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(CliError::BadInput(anyhow!(
                "the path {} is not UTF-8; accepted: a link to it whose path is",
                path.display()
            ))),
        };
        Ok(YosysJob {
            files: files.iter().map(path).collect::<Result<_, _>>()?,
            includes: self.include.iter().map(path).collect::<Result<_, _>>()?,
            defines: self.define.clone(),
            top: self.top.clone(),
            parameters: self.parameters.clone(),
            preprocessed: None,
        })
    }

    /// Returns what becomes of delays.
    pub fn delays(&self) -> Delays {
        match self.ignore_delays {
            true => Delays::Ignore,
            false => Delays::Refuse,
        }
    }
}

fn identifier(text: &str) -> Result<String, String> {
    let good = |(i, c): (usize, char)| {
        c == '_' || c.is_ascii_alphabetic() || i > 0 && (c == '$' || c.is_ascii_digit())
    };
    match !text.is_empty() && text.char_indices().all(good) {
        true => Ok(text.to_owned()),
        false => Err("accepted: a Verilog identifier".into()),
    }
}

/// Splits `NAME=VALUE`.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let (name, value) = parts.ok_or("accepted: NAME=VALUE")?;
    match value.contains(|c: char| c.is_whitespace() || c == ';') {
        true => Err("accepted: NAME=VALUE, with a value without spaces and semicolons".into()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}

fn definition(text: &str) -> Result<(String, Option<String>), String> {
    match text.contains('=') {
        true => assignment(text).map(|(name, value)| (name, Some(value))),
        false => identifier(text).map(|name| (name, None)),
    }
}

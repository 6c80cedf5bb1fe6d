//! `phasecube bench --sizes`: the lockstep engine with memories of several sizes.

use super::{child_command, network_words, print_json, print_row, BenchArgs, Measurement};
use crate::cli::CliError;
use anyhow::{anyhow, Context};
use clap::parser::ValueSource;
use machine::networks::{self, Network, Purpose};
use machine::program::NodeMemory;
use machine::text::MarkdownTable;
use serde::Serialize;
use std::ffi::OsString;
use std::process::Stdio;

/// Row of the table of `--sizes`.
#[derive(Serialize)]
struct SizeMeasurement {
    /// Value of the flag `--memory`. In JSON `memory` is the peak memory of the process.
    sizes: NodeMemory,
    #[serde(flatten)]
    engine: serde_json::Value,
}

/// Measures the lockstep engine with each size of the memories of the nodes.
pub fn memory_sizes(args: &BenchArgs, network: &'static dyn Network) -> Result<String, CliError> {
    let own = networks::network_flags(network, Purpose::Bench).no_binary_name(true);
    let has_memory = own.get_arguments().any(|flag| flag.get_id() == "memory");
    let flags = &args.network.flags.0;
    let given = has_memory && flags.value_source("memory") == Some(ValueSource::CommandLine);
    if !has_memory || given {
        return Err(CliError::BadInput(anyhow!(
            "--sizes sets --memory of nodes that run a program; accepted: --network tdma, without \
             --memory"
        )));
    }
    // Bad input, such as a program that is too large, is found before the first run.
    for &cube in &args.dims {
        for sizes in NodeMemory::series() {
            let mut words = network_words(args, network);
            words.extend(["--memory", &sizes.to_string()].map(OsString::from));
            let flags = own.clone().try_get_matches_from(words);
            let flags = flags.map_err(|e| CliError::BadInput(e.into()))?;
            Measurement::new(network, cube, &flags, args.phases)?;
        }
    }
    let mut rows = vec![];
    for &cube in &args.dims {
        for sizes in NodeMemory::series() {
            let measure = || -> anyhow::Result<Vec<serde_json::Value>> {
                let mut command = child_command(args, network, cube)?;
                command.args(["--engine", "lockstep", "--memory", &sizes.to_string()]);
                let output = command.stderr(Stdio::inherit()).output()?;
                serde_json::from_slice(&output.stdout).with_context(|| output.status.to_string())
            };
            let measured =
                measure().with_context(|| format!("--memory {sizes}")).map_err(CliError::Failed)?;
            for engine in measured {
                let row = SizeMeasurement { sizes, engine };
                if !args.output.json {
                    print_row(&size_table(&row), rows.is_empty())?;
                }
                rows.push(row);
            }
        }
    }
    if args.output.json {
        print_json(&rows)?;
    }
    Ok(String::new())
}

/// Returns the table of `--sizes` with one row.
fn size_table(row: &SizeMeasurement) -> MarkdownTable {
    let headings =
        ["nodes", "--memory", "threads", "start, s", "memory, MB", "million node-cycles/s"];
    let mut table = MarkdownTable::new(2, headings);
    let number = |key: &str| row.engine[key].as_f64().unwrap_or(0.0);
    table.row([
        format!("{}", number("nodes")),
        row.sizes.to_string(),
        format!("{}", number("threads")),
        format!("{:.2}", number("start_seconds")),
        format!("{:.0}", number("memory") / 1e6),
        format!("{:.0}", number("rate")),
    ]);
    table
}

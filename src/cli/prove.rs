//! `phasecube prove`: runs the formal proofs.

use super::{build_dir, output, CliError};
use anyhow::anyhow;
use clap::Args;
use lab::proofs::{ProofError, ProofJob, ProofTable, Property, PROPERTIES};
use machine::flags::OutputFlags;
use rayon::prelude::*;
use serde_json::{json, Value};
use toolchain::progress::ProgressStep;
use toolchain::Toolchain;

/// Prove properties of the circuits, for all inputs, on the emitted Verilog
///
/// Each proof runs yosys, yosys-smtbmc and Bitwuzla, which are fetched if necessary. As many proofs
/// run at once as there are processors. `induction` holds for all time, `depth N` for N clock
/// cycles from the start. A failed proof leaves a waveform (VCD), and the output has its path.
/// Results are kept in target/phasecube/proofs and reused while circuit, property and tools stay
/// the same.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube prove\n  phasecube prove pin-mux --mutants\n  phasecube prove --list"
)]
pub struct ProveArgs {
    /// Properties to prove; --list has the names [default: all]
    #[arg(value_name = "NAME", value_parser = property)]
    names: Vec<&'static Property>,
    /// Run the mutants instead of the proofs: faults in the circuits and removed assumptions, for
    /// which the properties must fail
    #[arg(long)]
    mutants: bool,
    /// List the properties and prove nothing
    #[arg(long, conflicts_with = "mutants")]
    list: bool,
    #[command(flatten)]
    output: OutputFlags,
}

fn property(name: &str) -> Result<&'static Property, String> {
    Property::named(name).ok_or_else(|| {
        let names: Vec<&str> = PROPERTIES.iter().map(|p| p.name).collect();
        format!(
            "there is no property {name:?}; accepted: {}",
            names.join(", ")
        )
    })
}

/// Proves the selected properties and prints the results.
pub fn prove(args: &ProveArgs) -> Result<(), CliError> {
    let chosen: Vec<&'static Property> = match args.names.is_empty() {
        false => args.names.clone(),
        true => PROPERTIES.iter().collect(),
    };
    if args.list {
        return output::print(&property_list(&chosen, args.output.json));
    }
    let tools = Toolchain::open()?;
    let jobs: Vec<ProofJob> = chosen
        .into_iter()
        .flat_map(|property| match args.mutants {
            true => ProofJob::mutants(property),
            false => ProofJob::cases(property),
        })
        .collect();
    let (dir, all) = (build_dir().join("proofs"), jobs.len());
    let activity = ProgressStep::start("proving");
    let proofs = jobs.par_iter().enumerate().map(|(i, job)| {
        activity.step(&format!("{} ({} of {all})", job.description(), i + 1));
        job.run(&tools, &dir)
    });
    let table = ProofTable {
        tools: tools.provers()?,
        proofs: proofs.collect::<Result<_, _>>()?,
    };
    drop(activity);
    output::print(&match args.output.json {
        true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
        false => table.to_string(),
    })?;
    let wrong: Vec<&str> = table.unexpected().map(|record| record.name).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(CliError::Failed(anyhow!(
            "{} of {} proofs have an unexpected result: {}",
            wrong.len(),
            table.proofs.len(),
            wrong.join(", ")
        ))),
    }
}

/// Lists the properties as text or JSON.
fn property_list(properties: &[&Property], as_json: bool) -> String {
    if as_json {
        let list = properties.iter().map(|p| {
            json!({
                "name": p.name,
                "sentence": p.sentence,
                "file": format!("proofs/{}", p.file),
                "method": p.method.to_string(),
                "sizes": p.cases.iter().map(|case| case.sizes).collect::<Vec<_>>(),
                "mutants": p.mutants.iter().map(|mutant| mutant.description).collect::<Vec<_>>(),
            })
        });
        let list: Vec<Value> = list.collect();
        return format!("{}\n", json!({ "properties": list }));
    }
    let lines = properties.iter().map(|p| {
        let mutants = p.mutants.len();
        let (name, method, file, sentence) = (p.name, p.method, p.file, p.sentence);
        format!("{name} ({method}, {mutants} mutants, proofs/{file})\n    {sentence}\n")
    });
    lines.collect()
}

impl From<ProofError> for CliError {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::Tool(error) => error.into(),
            error => CliError::Failed(error.into()),
        }
    }
}

//! `phasecube equivalence`: proves that the forms of a circuit are equivalent.

use super::{build_dir, output, CliError};
use anyhow::anyhow;
use clap::Args;
use interconnect::topology::Hypercube;
use lab::equivalence::{
    circuits, ComparedCircuit, EquivalenceError, EquivalenceRecord, EquivalenceTable, Forms,
    PublishedCircuit, UNPROVED,
};
use lab::proofs::{ProofError, ProofJob, ProofTable, Property, PROPERTIES};
use machine::catalog::CATALOG;
use machine::flags::{listed, parse_cube, OutputFlags};
use machine::text::format_count;
use rayon::prelude::*;
use serde_json::{json, Value};
use toolchain::progress::ProgressStep;
use toolchain::Toolchain;

/// Prove that netlist, Verilog and synthesised circuit are equivalent
///
/// The engines run the netlist. The Verilog is published, and images are made from it. Registers
/// and memories are matched by name. yosys, which is fetched if necessary, compares each output,
/// each next state and each inner signal for all inputs. Results are kept in
/// target/phasecube/equivalence and reused while circuit and yosys stay the same.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube equivalence\n  phasecube equivalence uart 'Node<4>'\n  phasecube equivalence node --dims 6\n  phasecube equivalence --synthesis\n  phasecube equivalence --list"
)]
pub struct EquivalenceArgs {
    /// Circuits to compare; --list has the names [default: those that `verilog --list` lists under
    /// names of their own]
    #[arg(value_name = "NAME", value_parser = listed(circuit, CATALOG.iter().map(|entry| entry.name)), hide_possible_values = true)]
    names: Vec<PublishedCircuit>,
    /// Compare all circuits: every block, and the machines of images
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Dimensions of the circuits, in place of the default of `verilog`. Without NAMEs, compares
    /// all designs that have this number of dimensions
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube, conflicts_with = "all")]
    cube: Option<Hypercube>,
    /// Compare the Verilog with its synthesis for an iCE40 (look-up tables, carries, flip-flops)
    /// instead of the netlist. Memories are taken out before
    #[arg(long)]
    synthesis: bool,
    /// List the circuits and prove nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    output: OutputFlags,
}

fn circuit(name: &str) -> Result<PublishedCircuit, String> {
    let mut all = circuits().into_iter();
    all.find(|circuit| circuit.name == name).ok_or_else(|| {
        format!("there is no circuit {name:?}; accepted: the names that --list lists")
    })
}

/// Returns the selected circuits.
fn selected_circuits(args: &EquivalenceArgs) -> Result<Vec<PublishedCircuit>, CliError> {
    let all = circuits().into_iter();
    let Some(dims) = args.cube.map(Hypercube::dims) else {
        return Ok(match args.names.is_empty() {
            false => args.names.clone(),
            true => {
                all.filter(|circuit| args.all || args.list || circuit.is_named_design()).collect()
            }
        });
    };
    if args.names.is_empty() {
        let there = all.filter_map(|circuit| circuit.for_dims(dims).ok());
        return Ok(there.collect());
    }
    let named = args.names.iter().map(|circuit| circuit.for_dims(dims));
    let named: Result<_, _> = named.collect();
    named.map_err(|e| CliError::BadInput(e.into()))
}

/// Compares the selected circuits and prints the results. Returns what they mean.
pub fn equivalence(args: &EquivalenceArgs) -> Result<Option<String>, CliError> {
    let chosen = selected_circuits(args)?;
    if args.list {
        let names: Vec<&str> = chosen.iter().map(|circuit| &*circuit.name).collect();
        return output::print(&match args.output.json {
            true => format!("{}\n", json!({ "circuits": names })),
            false => names.iter().map(|name| format!("{name}\n")).collect(),
        })
        .map(|()| None);
    }
    let tools = Toolchain::open()?;
    let subjects: Vec<_> = chosen
        .iter()
        .map(|circuit| (&*circuit.name, || circuit.subject(&tools, &build_dir())))
        .collect();
    let out_of_reach: &[(&str, &str)] = if args.all { UNPROVED } else { &[] };
    let forms = match args.synthesis {
        true => Forms::VerilogAndSynthesis,
        false => Forms::NetlistAndVerilog,
    };
    prove_equivalence(&subjects, forms, out_of_reach, args.output.json, &tools)
}

/// Compares the forms of circuits and prints the results. Returns what they mean.
pub(super) fn prove_equivalence(
    subjects: &[(&str, impl Fn() -> Result<ComparedCircuit, EquivalenceError> + Sync)],
    forms: Forms,
    out_of_reach: &[(&str, &str)],
    as_json: bool,
    tools: &Toolchain,
) -> Result<Option<String>, CliError> {
    let dir = build_dir().join("equivalence");
    let activity = ProgressStep::start("comparing");
    let all = subjects.len();
    let proofs = subjects.par_iter().enumerate().map(|(i, (name, subject))| {
        activity.step(&format!("comparing {name} ({} of {all})", i + 1));
        Ok(EquivalenceRecord::compare(name, forms, &subject()?, tools, &dir)?)
    });
    let mut table = EquivalenceTable {
        forms,
        tools: vec![tools.yosys()?.to_string()],
        proofs: proofs.collect::<Result<_, CliError>>()?,
        out_of_reach: out_of_reach
            .iter()
            .map(|(name, why)| ((*name).into(), (*why).into()))
            .collect(),
    };
    drop(activity);
    table.list_memories();
    output::print_json_or(as_json, &table)?;
    let wrong: Vec<&str> = table.differing().map(|proof| &*proof.name).collect();
    match wrong.is_empty() {
        true => Ok(Some(format!(
            "both forms of {} start in the same state and behave alike in every clock cycle, for \
             all inputs. A cone is a bit of an output, of a next state, or of an inner signal.",
            format_count(table.proofs.len() as u64, "circuit")
        ))),
        false => Err(CliError::Failed(anyhow!(
            "{} of {} are not proved equivalent: {}",
            wrong.len(),
            table.proofs.len(),
            wrong.join(", ")
        ))),
    }
}

impl From<EquivalenceError> for CliError {
    fn from(error: EquivalenceError) -> Self {
        match error {
            EquivalenceError::Tool(error) => error.into(),
            error => CliError::Failed(error.into()),
        }
    }
}

// `phasecube prove`: runs the formal proofs.

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
    #[arg(value_name = "NAME", value_parser = listed(property, PROPERTIES.iter().map(|p| p.name)), hide_possible_values = true)]
    names: Vec<&'static Property<'static>>,
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

fn property(name: &str) -> Result<&'static Property<'static>, String> {
    Property::named(name).ok_or_else(|| {
        let names: Vec<&str> = PROPERTIES.iter().map(|p| p.name).collect();
        format!("there is no property {name:?}; accepted: {}", names.join(", "))
    })
}

/// Proves the selected properties and prints the results. Returns what they mean.
pub fn prove(args: &ProveArgs) -> Result<Option<String>, CliError> {
    let chosen: Vec<&Property> = match args.names.is_empty() {
        false => args.names.clone(),
        true => PROPERTIES.iter().collect(),
    };
    if args.list {
        return output::print_text(&property_list(&chosen, args.output.json)).map(|()| None);
    }
    run_proofs(&chosen, args.mutants, args.output.json)
}

/// Runs the proofs of these properties, or their mutants, and prints the results. Returns what they
/// mean.
pub(super) fn run_proofs(
    properties: &[&Property],
    mutants: bool,
    as_json: bool,
) -> Result<Option<String>, CliError> {
    let tools = Toolchain::open()?;
    let jobs: Vec<ProofJob> = properties
        .iter()
        .flat_map(|property| match mutants {
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
    let table = ProofTable { tools: tools.provers()?, proofs: proofs.collect::<Result<_, _>>()? };
    drop(activity);
    output::print_json_or(as_json, &table)?;
    let wrong: Vec<&str> = table.unexpected().map(|record| &*record.name).collect();
    match wrong.is_empty() {
        true => Ok(Some(match mutants {
            true => format!(
                "each of {} made its proof fail, as it must.",
                format_count(table.proofs.len() as u64, "fault")
            ),
            false => format!(
                "the properties hold in all {}, for all inputs.",
                format_count(table.proofs.len() as u64, "proof")
            ),
        })),
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
        let title = format!("{name} ({method}, {mutants} mutants, proofs/{file})");
        format!("{title}\n    {sentence}\n")
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

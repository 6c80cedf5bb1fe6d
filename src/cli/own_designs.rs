//! Command line for the circuits of another crate: Verilog with a test bench, equivalence, cost and
//! proofs.

use super::designs::write_published;
use super::proofs::{prove_equivalence, run_proofs};
use super::{cost_dir, exit_code, interrupt, output, print_help, CliError};
use anyhow::anyhow;
use clap::{Args, Parser, Subcommand};
use hdl::lower::LowerErrors;
use hdl::verilog::{publish, Prefix, Publication};
use lab::equivalence::{ComparedCircuit, Forms};
use lab::kit::publication;
use lab::proofs::{CircuitFn, Property};
use lab::report::CostTable;
use lockstep::design::Design;
use machine::flags::{OutputDir, OutputFlags};
use std::process::ExitCode;
use toolchain::{progress, Toolchain};

/// Circuit of another crate.
#[derive(Clone, Debug)]
pub struct OwnCircuit<'a> {
    /// Name on the command line.
    pub name: &'a str,
    /// Lowers the circuit.
    pub design: CircuitFn,
}

/// Circuits of another crate, and properties of them.
#[derive(Clone, Debug, Default)]
pub struct OwnDesigns<'a> {
    pub circuits: &'a [OwnCircuit<'a>],
    pub properties: &'a [Property<'a>],
    /// Licence of the Verilog as an SPDX expression.
    pub licence: &'a str,
}

/// Tools for the circuits of this crate
#[derive(Debug, Parser)]
#[command(version)]
struct OwnCli {
    #[command(subcommand)]
    command: OwnCommand,
    /// Omit the closing explanation and progress lines
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum OwnCommand {
    /// List the circuits and the properties
    List,
    /// Write a circuit as Verilog
    Verilog(OwnVerilogArgs),
    /// Prove that the simulated netlist, the Verilog and its synthesis are equivalent
    Equivalence {
        #[command(flatten)]
        chosen: Chosen,
        /// Compare the Verilog with its synthesis for an iCE40 instead of the netlist
        #[arg(long)]
        synthesis: bool,
    },
    /// Measure logic cells and clock on an iCE40 HX8K
    Cost {
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Prove the properties, for all inputs, on the Verilog
    Prove {
        #[command(flatten)]
        chosen: Chosen,
        /// Run the mutants instead of the proofs
        #[arg(long)]
        mutants: bool,
    },
}

#[derive(Debug, Args)]
struct OwnVerilogArgs {
    /// Circuit to write; `list` has the names
    #[arg(value_name = "NAME")]
    name: String,
    /// Output directory: gets a file for each module, a self-checking test bench, a Makefile and
    /// files for other flows [default: the modules go to standard output]
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,
    /// Replace files in the output directory that were changed by hand
    #[arg(long)]
    force: bool,
    /// Prefix of the names of all modules [default: none]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<Prefix>,
    /// Frequency of the constrained clock in MHz
    #[arg(long, value_name = "MHZ", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clock: u32,
}

#[derive(Debug, Args)]
struct Chosen {
    /// Names; `list` has them [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Chosen {
    /// Returns the named items, or all of them.
    fn of<'a, T>(
        &self,
        kind: &str,
        all: &'a [T],
        name_of: impl Fn(&T) -> &str,
    ) -> Result<Vec<&'a T>, CliError> {
        if self.names.is_empty() {
            return Ok(all.iter().collect());
        }
        let names = self.names.iter();
        names.map(|name| named(kind, name, all, &name_of)).collect()
    }
}

/// Returns the item with this name.
fn named<'a, T>(
    kind: &str,
    name: &str,
    all: &'a [T],
    name_of: impl Fn(&T) -> &str,
) -> Result<&'a T, CliError> {
    all.iter().find(|item| name_of(item) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(&name_of).collect();
        CliError::BadInput(anyhow!("there is no {kind} {name:?}; accepted: {}", names.join(", ")))
    })
}

impl OwnDesigns<'_> {
    fn run(&self, command: &OwnCommand) -> Result<Option<String>, CliError> {
        match command {
            OwnCommand::List => output::print(&self.list()).map(|()| None),
            OwnCommand::Verilog(args) => self.verilog(args).map(|()| None),
            OwnCommand::Equivalence { chosen, synthesis } => {
                let designs = self.designs(chosen)?;
                let subjects = designs.iter();
                let subjects: Vec<_> = subjects
                    .map(|(name, design)| (&**name, || ComparedCircuit::emitted(design)))
                    .collect();
                let forms = match synthesis {
                    true => Forms::VerilogAndSynthesis,
                    false => Forms::NetlistAndVerilog,
                };
                let tools = Toolchain::open()?;
                prove_equivalence(&subjects, forms, &[], chosen.output.json, &tools)
            }
            OwnCommand::Cost { chosen } => {
                let designs = self.designs(chosen)?;
                let table = CostTable::of_designs(&Toolchain::open()?, &designs, &cost_dir())?;
                output::print_json_or(chosen.output.json, &table).map(|()| None)
            }
            OwnCommand::Prove { chosen, mutants } => {
                let properties = chosen.of("property", self.properties, |p| p.name)?;
                run_proofs(&properties, *mutants, chosen.output.json)
            }
        }
    }

    fn list(&self) -> String {
        let circuits = self.circuits.iter();
        let circuits = circuits.map(|circuit| format!("circuit   {}\n", circuit.name));
        let properties = self.properties.iter();
        let properties = properties.map(|p| format!("property  {}: {}\n", p.name, p.sentence));
        circuits.chain(properties).collect()
    }

    fn designs(&self, chosen: &Chosen) -> Result<Vec<(String, Design)>, CliError> {
        let circuits = chosen.of("circuit", self.circuits, |circuit| circuit.name)?;
        let lowered = circuits.into_iter().map(|circuit| {
            let design = (circuit.design)().map_err(not_lowered)?;
            Ok((circuit.name.to_owned(), design))
        });
        lowered.collect()
    }

    fn verilog(&self, args: &OwnVerilogArgs) -> Result<(), CliError> {
        let circuit = named("circuit", &args.name, self.circuits, |circuit| circuit.name)?;
        let design = (circuit.design)().map_err(not_lowered)?;
        let publication = Publication {
            prefix: args.prefix.clone().unwrap_or_else(Prefix::none),
            licence: match self.licence {
                "" => "NOASSERTION".into(),
                licence => licence.into(),
            },
            clock_mhz: args.clock,
            ..publication()
        };
        let published = publish(&design, &publication);
        let reason = "changed by hand, or of another circuit or version";
        write_published(&published, args.out.as_deref(), args.force, reason)
    }
}

fn not_lowered(errors: LowerErrors) -> CliError {
    CliError::Failed(errors.into())
}

/// Runs the command line of the process for the circuits of another crate. The crate's `main` is
/// this call.
pub fn designs_main(designs: &OwnDesigns) -> ExitCode {
    let cli = match OwnCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit_code(print_help(&error)),
    };
    if cli.quiet {
        progress::suppress_lines();
    }
    interrupt::install();
    let done = designs.run(&cli.command);
    if let (Ok(Some(meaning)), false) = (&done, cli.quiet) {
        progress::note(meaning);
    }
    exit_code(done.map(drop))
}

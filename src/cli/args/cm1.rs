//! The flags of the CM-1, and the machine that they ask for.

use super::{within, Choice};
use crate::cli::Failure;
use crate::machine::cm1::{Cm1Circuit, Cm1Message, Cm1Shape};
use crate::rtl::cm1::{EjectMode, MessageFormat, PetitPlan, PROCESSORS_MAX, ROWS_MAX};
use crate::topology::Hypercube;
use crate::traffic::Message;
use anyhow::anyhow;
use clap::Args;

impl Choice for EjectMode {
    const WHAT: &'static str = "mode of the ejector";
    const READY: &'static [(&'static str, Self)] = &[
        ("or", Self::Or),
        ("per-processor", Self::PerProcessor),
        ("per-chip", Self::PerChip),
    ];
    const PLANNED: &'static [&'static str] = &[];
}

/// Most bits of DATA: those of the longest payload of a TDMA message.
const DATA_BITS_MAX: u64 = 640;

/// Most bits of VP-ADDRESS.
const VP_BITS_MAX: u32 = 16;

/// Most virtual processors of a processor.
const VP_RATIO_MAX: u64 = 1 << VP_BITS_MAX;

/// The CM-1's own arguments.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network cm1")]
pub struct Cm1Args {
    /// Rows of a chip's heart, 2 to 16 [default: 7]
    #[arg(long, value_name = "B", value_parser = parse_rows)]
    pub rows: Option<usize>,

    /// Processors on a chip: 1, 2, 4, 8 or 16; sources and destinations are chip * P + processor
    /// [default: 16]
    #[arg(long, value_name = "P", value_parser = parse_processors)]
    pub processors: Option<usize>,

    /// Bits of a message's VP-ADDRESS, up to 16 [default: as many as --vp-ratio needs]
    #[arg(long, value_name = "BITS", value_parser = within::<u32>(0, VP_BITS_MAX.into()))]
    pub vp_bits: Option<u32>,

    /// Virtual processors per processor, each of which sends the pattern's messages to that of
    /// its number at their destinations, up to 65,536 [default: 1]
    #[arg(long, value_name = "V", value_parser = within::<u32>(1, VP_RATIO_MAX))]
    pub vp_ratio: Option<u32>,

    /// Bits of a message's DATA, up to 640; random payloads have so many whole bytes [default:
    /// those of the longest payload]
    #[arg(long, value_name = "BITS", value_parser = within::<u32>(0, DATA_BITS_MAX))]
    pub data_bits: Option<u32>,

    /// What a chip ejects in a petit cycle: or (everything; what meets is ORed), per-processor or
    /// per-chip (one message) [default: or]
    #[arg(long, value_name = "MODE", value_parser = EjectMode::parse)]
    pub eject: Option<EjectMode>,
}

/// A machine and what it is to carry.
pub struct Cm1Job {
    pub circuit: Cm1Circuit,
    pub messages: Vec<Cm1Message>,
    pub eject: EjectMode,
    /// Messages whose source is their destination.
    pub to_self: u64,
}

impl Cm1Args {
    /// # Errors
    /// If there are any of them: the network is another.
    pub fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--rows", self.rows.is_some()),
            ("--processors", self.processors.is_some()),
            ("--vp-bits", self.vp_bits.is_some()),
            ("--vp-ratio", self.vp_ratio.is_some()),
            ("--data-bits", self.data_bits.is_some()),
            ("--eject", self.eject.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((flag, _)) => Err(bad(format!(
                "{flag} is for the CM-1; accepted: --network cm1, or no {flag}"
            ))),
        }
    }

    pub fn vp_ratio(&self) -> u32 {
        self.vp_ratio.unwrap_or(1)
    }

    /// Bytes of random payload, if the bits of DATA say so.
    pub fn payload(&self) -> Option<usize> {
        self.data_bits.map(|bits| bits as usize / 8)
    }

    /// The processors of a machine on this cube, as a cube of their own.
    pub fn processors(&self, cube: Hypercube) -> Hypercube {
        let bits = cube.dims() + self.processors.unwrap_or(16).ilog2();
        Hypercube::new(bits.into()).expect("12 dimensions and 16 processors are 16 bits")
    }

    /// Bits of VP-ADDRESS.
    pub fn vp_bits(&self) -> Result<u32, Failure> {
        let needed = self.vp_ratio().next_power_of_two().ilog2();
        match self.vp_bits.unwrap_or(needed) {
            bits if bits >= needed => Ok(bits),
            bits => Err(bad(format!(
                "{} virtual processors have no addresses of {bits} bits; accepted: --vp-bits \
                 {needed} to {VP_BITS_MAX}",
                self.vp_ratio()
            ))),
        }
    }

    /// The machine for these rounds of messages: round k is for virtual
    /// processor k.
    pub fn job(&self, cube: Hypercube, rounds: &[Vec<Message>]) -> Result<Cm1Job, Failure> {
        let rows = self.rows.unwrap_or(7);
        let payloads = rounds.iter().flatten().map(|m| m.payload.len());
        let longest = payloads.max().unwrap_or(0) as u32;
        let data_bits = self.data_bits.unwrap_or(8 * longest);
        let vp_bits = self.vp_bits()?;
        let processors = self.processors(cube);
        let shape = Cm1Shape {
            rows,
            format: MessageFormat {
                dims: cube.dims(),
                proc_bits: processors.dims() - cube.dims(),
                vp_bits,
                data_bits,
            },
        };
        let eject = self.eject.unwrap_or(EjectMode::Or);
        let circuit = Cm1Circuit::new(shape, PetitPlan::new(shape.format, eject));
        let circuit = circuit.expect("the flags were checked");
        let mut messages = vec![];
        for (vp, round) in (0..).zip(rounds) {
            let round = shape.messages(round, vp);
            messages.extend(round.map_err(|e| Failure::BadInput(e.into()))?);
        }
        Ok(Cm1Job {
            circuit,
            eject,
            to_self: messages
                .iter()
                .filter(|m| m.source == m.destination)
                .count() as u64,
            messages,
        })
    }
}

/// Reads the number of a heart's rows.
pub fn parse_rows(text: &str) -> Result<usize, String> {
    within(2, ROWS_MAX as u64)(text)
}

/// Reads how many processors a chip or node has.
pub fn parse_processors(text: &str) -> Result<usize, String> {
    let processors: Result<usize, _> = within(1, PROCESSORS_MAX as u64)(text);
    let processors = processors.ok().filter(|number| number.is_power_of_two());
    processors.ok_or_else(|| "accepted: 1, 2, 4, 8 or 16".to_owned())
}

fn bad(message: String) -> Failure {
    Failure::BadInput(anyhow!(message))
}

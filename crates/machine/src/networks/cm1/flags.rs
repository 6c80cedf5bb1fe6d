//! Flags of the CM-1.

use super::machine::Cm1Params;
use super::{Cm1Faults, StuckWire};
use crate::flags::{within, FlagChoice};
use crate::networks::machine::{check_distinct, FaultFlags};
use crate::networks::tdma::cube::DeadMode;
use crate::networks::NetworkError;
use anyhow::Context;
use clap::Args;
use interconnect::topology::{node_at, number, Hypercube};
use rtl::cm1::{EjectMode, BANK_BITS, PROCESSORS_MAX, ROWS_MAX};

/// Maximum bits of DATA, set by the longest payload of a TDMA message.
const DATA_BITS_MAX: u64 = 640;

/// Maximum bits of VP-ADDRESS.
const VP_BITS_MAX: u32 = BANK_BITS as u32;

/// Maximum virtual processors of a processor.
const VP_RATIO_MAX: u64 = 1 << VP_BITS_MAX;

/// Flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct Cm1RunFlags {
    #[command(flatten)]
    pub machine: Cm1MachineFlags,

    #[command(flatten)]
    pub faults: FaultFlags,

    /// Stuck wire from one chip to its neighbour, low or with :high high; can be repeated
    #[arg(help_heading = "With --network cm1", long, value_name = "FROM-TO[:high]", value_parser = parse_broken)]
    pub broken: Vec<([u64; 2], bool)>,

    /// Chip whose heart is printed petit cycle by petit cycle: the message in each row when it
    /// comes to each column; can be repeated
    #[arg(help_heading = "Looking inside", long, value_name = "CHIP", conflicts_with = "json", value_parser = parse_chip)]
    pub hearts: Vec<u64>,
}

/// Flags of `run` and of `bench` that select the machine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network cm1")]
pub struct Cm1MachineFlags {
    /// Rows of a chip's heart, 2 to 16 [default: 7]
    #[arg(long, value_name = "B", value_parser = parse_rows)]
    pub rows: Option<usize>,

    /// Processors on a chip: 1, 2, 4, 8 or 16; sources and destinations are chip * P + processor
    /// [default: 16]
    #[arg(long, value_name = "P", value_parser = parse_processors)]
    pub processors: Option<usize>,

    /// Bits of the VP-ADDRESS of a message, 0 to 16 [default: as many as --vp-ratio needs]
    #[arg(long, value_name = "BITS", value_parser = within::<u32>(0, VP_BITS_MAX.into()))]
    pub vp_bits: Option<u32>,

    /// Virtual processors per processor, 1 to 65,536. Each sends the messages of the pattern to the
    /// virtual processors of its own number at their destinations [default: 1]
    #[arg(long, value_name = "V", value_parser = within::<u32>(1, VP_RATIO_MAX))]
    pub vp_ratio: Option<u32>,

    /// Bits of the DATA of a message, 0 to 640; random payloads fill as many whole bytes [default:
    /// those of the longest payload]
    #[arg(long, value_name = "BITS", value_parser = within::<u32>(0, DATA_BITS_MAX))]
    pub data_bits: Option<u32>,

    /// Messages that a chip ejects in a petit cycle: or (all, and messages for the same processor
    /// are ORed), per-processor (one for each processor), per-chip (one) or bank (one for each
    /// processor, for one virtual processor) [default: or]
    #[arg(long, value_name = "MODE", value_parser = EjectMode::parser(), hide_possible_values = true)]
    pub eject: Option<EjectMode>,
}

impl Cm1RunFlags {
    /// Returns the faults of a machine on this cube.
    ///
    /// # Errors
    /// If a flag names a chip or wire that does not exist.
    pub fn machine_faults(&self, cube: Hypercube, seed: u64) -> Result<Cm1Faults, NetworkError> {
        let mut disturbance = Cm1Faults { noise: self.faults.noise, seed, ..Cm1Faults::default() };
        let node = |flag: &'static str, value: u64| {
            let node = node_at(&cube, value).context(flag);
            node.map_err(NetworkError::BadInput)
        };
        for (value, mode) in &self.faults.dead {
            let chip = node("--dead", *value)? as usize;
            if *mode == DeadMode::Hung {
                return Err(NetworkError::bad(
                    "a chip of the CM-1 has no program that could hang; accepted: --dead \
                     CHIP:silent, CHIP:low or CHIP:high",
                ));
            }
            disturbance.kill(chip, cube.dims(), *mode == DeadMode::High);
        }
        for (ends, high) in &self.broken {
            let [from, to] = [node("--broken", ends[0])?, node("--broken", ends[1])?];
            if !(from ^ to).is_power_of_two() {
                return Err(NetworkError::bad(format!(
                    "--broken: there is no wire from {} to {}; accepted: chips whose numbers \
                     differ in one bit",
                    cube.hex(from),
                    cube.hex(to)
                )));
            }
            disturbance.stuck.push(StuckWire {
                chip: to as usize,
                dim: (from ^ to).ilog2(),
                high: *high,
            });
        }
        let dead = self.faults.dead.iter().map(|(chip, _)| *chip as u32);
        check_distinct("--dead", dead, |chip| cube.hex(chip))?;
        let broken = self.broken.iter().map(|(ends, _)| ends.map(|chip| chip as u32));
        check_distinct("--broken", broken, |ends| ends.map(|chip| cube.hex(chip)).join("-"))?;
        Ok(disturbance)
    }
}

impl Cm1RunFlags {
    /// Returns the chips whose hearts are to be shown.
    ///
    /// # Errors
    /// If a flag names a chip that does not exist.
    pub fn hearts(&self, cube: Hypercube) -> Result<Vec<usize>, NetworkError> {
        let chips = self.hearts.iter().map(|chip| {
            let chip = node_at(&cube, *chip).context("--hearts");
            chip.map(|chip| chip as usize).map_err(NetworkError::BadInput)
        });
        chips.collect()
    }
}

impl Cm1MachineFlags {
    /// Returns the parameters of the machine.
    ///
    /// # Errors
    /// If there are more virtual processors than addresses for them.
    pub fn params(&self) -> Result<Cm1Params, NetworkError> {
        let vp_ratio = self.vp_ratio.unwrap_or(1);
        let needed = vp_ratio.next_power_of_two().ilog2();
        let vp_bits = self.vp_bits.unwrap_or(needed);
        if vp_bits < needed {
            return Err(NetworkError::bad(format!(
                "{vp_ratio} virtual processors do not fit addresses of {vp_bits} bits; accepted: \
                 --vp-bits {needed} to {VP_BITS_MAX}"
            )));
        }
        Ok(Cm1Params {
            rows: self.rows.unwrap_or(7),
            proc_bits: self.processors.unwrap_or(16).ilog2(),
            vp_bits,
            vp_ratio,
            data_bits: self.data_bits,
            eject: self.eject.unwrap_or(EjectMode::Or),
        })
    }
}

/// Parses a wire and the level at which it is stuck.
fn parse_broken(text: &str) -> Result<([u64; 2], bool), String> {
    let (ends, level) = text.split_once(':').unwrap_or((text, "low"));
    let high = match level {
        "low" => false,
        "high" => true,
        _ => return Err("accepted: FROM-TO, FROM-TO:low or FROM-TO:high".to_owned()),
    };
    let (from, to) = ends.split_once('-').ok_or("accepted: FROM-TO, such as 0x1-0x3")?;
    Ok(([parse_chip(from)?, parse_chip(to)?], high))
}

fn parse_chip(text: &str) -> Result<u64, String> {
    number::parse(text).map_err(|error| error.to_string())
}

/// Parses the number of rows of a heart.
pub fn parse_rows(text: &str) -> Result<usize, String> {
    within(2, ROWS_MAX as u64)(text)
}

/// Parses the number of processors of a chip or node.
pub fn parse_processors(text: &str) -> Result<usize, String> {
    let processors: Result<usize, _> = within(1, PROCESSORS_MAX as u64)(text);
    let processors = processors.ok().filter(|number| number.is_power_of_two());
    processors.ok_or_else(|| "accepted: 1, 2, 4, 8 or 16".to_owned())
}

/// Flags of `compare`.
#[derive(Clone, Debug, Args)]
pub struct Cm1CompareFlags {
    /// Rows of a CM-1 chip's heart, 2 to 16 [default: 4 with one processor per node, else 7]
    #[arg(help_heading = "Machine", long, value_name = "B", value_parser = parse_rows)]
    pub rows: Option<usize>,

    /// Messages that a CM-1 chip ejects in a petit cycle: or, per-processor, per-chip or bank
    #[arg(help_heading = "Machine", long, value_name = "MODE", default_value = "per-processor", value_parser = EjectMode::parser(), hide_possible_values = true)]
    pub eject: EjectMode,
}

impl Cm1CompareFlags {
    /// Returns the rows of a heart with 2^`proc_bits` processors on a chip.
    pub fn rows(&self, proc_bits: u32) -> usize {
        self.rows.unwrap_or(match proc_bits {
            0 => 4,
            _ => 7,
        })
    }
}

//! Individual clocks of the nodes: `--skew`, `--skew-tree` and `--ppm`.

use super::cube::{ClockSpread, Skew};
use super::machine::Tdma;
use crate::networks::{NetworkError, RunRequest};
use clap::Args;

/// Flags for the tolerances of the nodes' clocks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clocks of the nodes")]
pub struct ClockFlags {
    /// Give each node its own clock and a phase clock that is 0 to BITS bit-times late, drawn by
    /// --seed; up to 100
    #[arg(long, value_name = "BITS", conflicts_with = "skew_tree", value_parser = parse_bit_times)]
    skew: Option<f64>,

    /// As --skew, by a tree of buffers, each of which drives FAN others or nodes, 2 to 4096. A
    /// branch adds 0 to BITS bit-times, up to 100
    #[arg(long, value_name = "FANxBITS", value_parser = parse_tree)]
    skew_tree: Option<Skew>,

    /// Give each node its own clock, 0 to P millionths slower than the phase clock's; up to 50000
    #[arg(long, value_name = "P", value_parser = parse_ppm)]
    ppm: Option<f64>,
}

/// Parses a number from 0 to `most`.
fn number(text: &str, most: f64, of: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        _ => Err(format!("accepted: 0 to {most} {of}")),
    }
}

fn parse_bit_times(text: &str) -> Result<f64, String> {
    number(text, 100.0, "bit-times, such as 1.5")
}

fn parse_ppm(text: &str) -> Result<f64, String> {
    number(text, 50_000.0, "millionths")
}

fn parse_tree(text: &str) -> Result<Skew, String> {
    let wrong = "accepted: a fan-out of 2 to 4096, x, and 0 to 100 bit-times, such as 16x2";
    let (fan_out, bit_times) = text.split_once('x').ok_or(wrong)?;
    let fan_out = fan_out.parse().ok().filter(|n| (2..=4096).contains(n));
    Ok(Skew::Tree {
        fan_out: fan_out.ok_or(wrong)?,
        bit_times: number(bit_times, 100.0, "bit-times").map_err(|_| wrong)?,
    })
}

impl ClockFlags {
    /// Returns the requested clock spread. `None` if no flag asks for one.
    fn spread(&self) -> Option<ClockSpread> {
        let each = self.skew.map(|bit_times| Skew::Each { bit_times });
        let skew = each.or(self.skew_tree);
        (skew.is_some() || self.ppm.is_some()).then(|| ClockSpread {
            skew: skew.unwrap_or_default(),
            ppm: self.ppm.unwrap_or_default(),
        })
    }

    /// Gives the nodes of a machine the requested clocks.
    ///
    /// # Errors
    /// If the machine does not support individual clocks.
    pub fn apply(&self, machine: &mut Tdma, request: &RunRequest) -> Result<(), NetworkError> {
        let Some(spread) = self.spread() else {
            return Ok(());
        };
        if request.programs.is_some() {
            return Err(NetworkError::bad(
                "--skew, --skew-tree and --ppm are not supported for programs with input data; \
                 accepted: --data without them",
            ));
        }
        if machine.schedule().order().is_some() {
            return Err(NetworkError::bad(
                "nodes with a programmed order have no clocks of their own; accepted: --skew, \
                 --skew-tree and --ppm with superframes",
            ));
        }
        let given = machine.set_node_clocks(spread, request.recipe.seed);
        given.map_err(|late| NetworkError::bad(late.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skew_trees_are_parsed() {
        let tree = Skew::Tree {
            fan_out: 16,
            bit_times: 2.5,
        };
        assert_eq!(parse_tree("16x2.5"), Ok(tree));
        for wrong in ["16", "1x2", "16x-1", "16x2us", "5000x1", "x"] {
            assert!(parse_tree(wrong).unwrap_err().contains("16x2"), "{wrong}");
        }
        assert_eq!(parse_bit_times("0.5"), Ok(0.5));
        for wrong in ["-1", "101", "NaN", ""] {
            assert!(parse_bit_times(wrong).is_err(), "{wrong}");
        }
    }
}

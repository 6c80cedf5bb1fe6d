//! What is wrong with the machine: `--noise`, `--dead`, `--slip`.

use crate::networks::tdma::cube::{Dead, DeadMode, Disturbance, Slip};
use crate::networks::Refusal;
use crate::topology::{node_at, number, Topology};
use anyhow::Context;
use clap::Args;
use std::error::Error;

/// What is wrong with the machine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes wrong")]
pub struct DisturbanceFlags {
    /// Probability that a bit on a wire is inverted, 0 to 0.5
    #[arg(long, value_name = "P", default_value = "0", value_parser = parse_noise)]
    noise: f64,

    /// A node that does not do its part: NODE:silent (the default), NODE:high or NODE:low
    /// (its wires are stuck), NODE:hung (it decides nothing any more, and falls silent after 64
    /// phases); can be repeated. With --network rotation a switch of the 4-cube, past which the
    /// others are wired
    #[arg(long, value_name = "NODE[:MODE]", value_parser = parse_dead)]
    dead: Vec<(u64, DeadMode)>,

    /// A node that misses the beginning of phase T, counted from 0 at the start; can be repeated
    #[arg(long, value_name = "NODE@T", value_parser = parse_slip)]
    slip: Vec<(u64, u64)>,
}

type ParseError = Box<dyn Error + Send + Sync>;

fn parse_noise(text: &str) -> Result<f64, ParseError> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=0.5).contains(&p) => Ok(p),
        _ => Err(
            format!("{text:?} is not a probability that can be used; accepted: 0 to 0.5").into(),
        ),
    }
}

fn parse_dead(text: &str) -> Result<(u64, DeadMode), ParseError> {
    let (node, mode) = text.split_once(':').unwrap_or((text, "silent"));
    let mode = match mode {
        "silent" => DeadMode::Silent,
        "high" => DeadMode::High,
        "low" => DeadMode::Low,
        "hung" => DeadMode::Hung,
        _ => {
            return Err(format!(
                "a node is not dead by {mode:?}; accepted: silent, high, low, hung"
            )
            .into())
        }
    };
    Ok((number::parse(node)?, mode))
}

fn parse_slip(text: &str) -> Result<(u64, u64), ParseError> {
    let Some((node, t)) = text.split_once('@') else {
        return Err(format!("{text:?} has no @; accepted: NODE@PHASE, such as 0x5@12").into());
    };
    Ok((number::parse(node)?, number::parse(t)?))
}

impl DisturbanceFlags {
    /// The disturbance, its nodes checked against those that there are.
    pub fn checked(&self, topology: &dyn Topology, seed: u64) -> Result<Disturbance, Refusal> {
        let node = |flag: &'static str, value: u64| {
            let node = node_at(topology, value).context(flag);
            node.map_err(Refusal::BadInput)
        };
        let dead = self.dead.iter().map(|(value, mode)| {
            Ok(Dead {
                node: node("--dead", *value)?,
                mode: *mode,
            })
        });
        let slips = self.slip.iter().map(|(value, t)| {
            Ok(Slip {
                node: node("--slip", *value)?,
                t: *t,
            })
        });
        Ok(Disturbance {
            noise: self.noise,
            seed,
            dead: dead.collect::<Result<_, Refusal>>()?,
            slips: slips.collect::<Result<_, Refusal>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    #[test]
    fn dead_nodes_and_slips_are_read() {
        assert_eq!(parse_dead("0x5").unwrap(), (5, DeadMode::Silent));
        assert_eq!(parse_dead("6:hung").unwrap(), (6, DeadMode::Hung));
        assert!(parse_dead("6:ill")
            .unwrap_err()
            .to_string()
            .contains("hung"));
        assert_eq!(parse_slip("0x2@17").unwrap(), (2, 17));
        assert!(parse_slip("2")
            .unwrap_err()
            .to_string()
            .contains("NODE@PHASE"));
        assert_eq!(parse_noise("1e-3").unwrap(), 1e-3);
        for wrong in ["-1", "0.6", "x", "NaN"] {
            assert!(parse_noise(wrong).is_err());
        }
    }

    #[test]
    fn nodes_must_be_in_the_cube() {
        let args = DisturbanceFlags {
            noise: 0.0,
            dead: vec![(8, DeadMode::Low)],
            slip: vec![],
        };
        let refusal = args.checked(&Hypercube::new(3).unwrap(), 1).unwrap_err();
        let Refusal::BadInput(error) = refusal else {
            panic!("{refusal:?}");
        };
        let said = format!("{error:#}");
        assert!(said.starts_with("--dead: 8 (0x8) is outside"), "{said}");
    }
}

//! Faults of nodes and wires that several networks share: `--noise` and `--dead`.

use super::tdma::cube::DeadMode;
use clap::Args;
use interconnect::topology::number;
use std::error::Error;

/// Flags for faults of nodes and wires.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes wrong")]
pub struct FaultFlags {
    /// Probability that a bit on a wire is inverted, 0 to 0.5
    #[arg(long, value_name = "P", default_value = "0", value_parser = parse_noise)]
    pub noise: f64,

    /// Dead node: NODE:silent (the default, drives no wire), NODE:high or NODE:low (its wires are
    /// stuck), NODE:hung (it makes no decisions, and is silent after 64 phases); can be repeated.
    /// With --network rotation, a switch of the 4-cube, which the others bypass; with --network
    /// cm1, a chip
    #[arg(long, value_name = "NODE[:MODE]", value_parser = parse_dead)]
    pub dead: Vec<(u64, DeadMode)>,
}

/// Error type of the flag parsers.
pub(super) type FlagParseError = Box<dyn Error + Send + Sync>;

fn parse_noise(text: &str) -> Result<f64, FlagParseError> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=0.5).contains(&p) => Ok(p),
        _ => Err(format!("the probability {text:?} is not possible; accepted: 0 to 0.5").into()),
    }
}

fn parse_dead(text: &str) -> Result<(u64, DeadMode), FlagParseError> {
    let (node, mode) = text.split_once(':').unwrap_or((text, "silent"));
    let mode = match mode {
        "silent" => DeadMode::Silent,
        "high" => DeadMode::High,
        "low" => DeadMode::Low,
        "hung" => DeadMode::Hung,
        _ => {
            return Err(format!(
                "there is no dead mode {mode:?}; accepted: silent, high, low, hung"
            )
            .into())
        }
    };
    Ok((number::parse(node)?, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_and_dead_flags_are_parsed() {
        assert_eq!(parse_dead("0x5").unwrap(), (5, DeadMode::Silent));
        assert_eq!(parse_dead("6:hung").unwrap(), (6, DeadMode::Hung));
        assert!(parse_dead("6:ill")
            .unwrap_err()
            .to_string()
            .contains("hung"));
        assert_eq!(parse_noise("1e-3").unwrap(), 1e-3);
        for wrong in ["-1", "0.6", "x", "NaN"] {
            assert!(parse_noise(wrong).is_err());
        }
    }
}

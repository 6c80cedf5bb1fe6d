//! Faults of the machine: `--noise`, `--dead` and `--slip`.

use crate::networks::faults::{FaultFlags, FlagParseError};
use crate::networks::tdma::cube::{CubeFaults, DeadNode, Slip};
use crate::networks::NetworkError;
use anyhow::Context;
use clap::Args;
use interconnect::topology::{node_at, number, Topology};

/// Flags for faults of the machine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes wrong")]
pub struct CubeFaultFlags {
    #[command(flatten)]
    pub faults: FaultFlags,

    /// Node that misses the beginning of phase T, counted from 0 at the start; can be repeated
    #[arg(long, value_name = "NODE@T", value_parser = parse_slip)]
    slip: Vec<(u64, u64)>,
}

fn parse_slip(text: &str) -> Result<(u64, u64), FlagParseError> {
    let Some((node, t)) = text.split_once('@') else {
        return Err(format!("{text:?} has no @; accepted: NODE@PHASE, such as 0x5@12").into());
    };
    Ok((number::parse(node)?, number::parse(t)?))
}

impl CubeFaultFlags {
    /// Returns the faults, after a check that their nodes exist.
    pub fn machine_faults(
        &self,
        topology: &dyn Topology,
        seed: u64,
    ) -> Result<CubeFaults, NetworkError> {
        let node = |flag: &'static str, value: u64| {
            let node = node_at(topology, value).context(flag);
            node.map_err(NetworkError::BadInput)
        };
        let dead = self.faults.dead.iter().map(|(value, mode)| {
            Ok(DeadNode {
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
        Ok(CubeFaults {
            noise: self.faults.noise,
            seed,
            dead: dead.collect::<Result<_, NetworkError>>()?,
            slips: slips.collect::<Result<_, NetworkError>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::tdma::cube::DeadMode;
    use interconnect::topology::Hypercube;

    #[test]
    fn slip_flags_are_parsed() {
        assert_eq!(parse_slip("0x2@17").unwrap(), (2, 17));
        assert!(parse_slip("2")
            .unwrap_err()
            .to_string()
            .contains("NODE@PHASE"));
    }

    #[test]
    fn nodes_outside_the_cube_are_rejected() {
        let args = CubeFaultFlags {
            faults: FaultFlags {
                noise: 0.0,
                dead: vec![(8, DeadMode::Low)],
            },
            slip: vec![],
        };
        let refusal = args
            .machine_faults(&Hypercube::new(3).unwrap(), 1)
            .unwrap_err();
        let NetworkError::BadInput(error) = refusal else {
            panic!("{refusal:?}");
        };
        let said = format!("{error:#}");
        assert!(said.starts_with("--dead: 8 (0x8) is outside"), "{said}");
    }
}

//! Flags of the torus.

use super::TorusShape;
use crate::flags::{within, FlagChoice};
use crate::networks::bytes::ByteFlags;
use crate::networks::NetworkError;
use clap::Args;
use interconnect::routing::torus::VcSwitchNode;
use interconnect::topology::Torus;
use rtl::torus::{Tail, TorusPlan};

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network torus")]
pub struct TorusFlags {
    /// Nodes of the ring in each dimension, 2 to 256, separated by commas. They set the number of
    /// nodes, and --dims is ignored [default: two rings of 2^(N/2), the first twice as long if N is
    /// odd]
    #[arg(long, value_name = "K,..", value_delimiter = ',', value_parser = within::<u32>(Torus::MIN_RADIX.into(), Torus::MAX_RADIX.into()))]
    pub radix: Vec<u32>,

    /// Node at which packets change to virtual channel 0: at the node with coordinate 0, or after
    /// it [default: at]
    #[arg(long, value_name = "RULE", value_parser = VcSwitchNode::parser(), hide_possible_values = true)]
    pub switch: Option<VcSwitchNode>,

    /// End mark of a packet: zero (a byte after the addresses), wire (a ninth wire) or naive (the
    /// first zero, as printed; packets are misrouted) [default: zero, with more than 2 dimensions
    /// wire]
    #[arg(long, value_name = "TAIL", value_parser = Tail::parser(), hide_possible_values = true)]
    pub tail: Option<Tail>,

    #[command(flatten)]
    pub bytes: ByteFlags,
}

impl TorusFlags {
    /// Returns the parameters of the machine. Without `--radix` it has 2^`dims` nodes.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn shape(&self, dims: u64) -> Result<TorusShape, NetworkError> {
        let torus = match self.radix.is_empty() {
            true => {
                Torus::of_cube(dims.try_into().unwrap_or(u32::MAX)).map_err(NetworkError::size)?
            }
            false => Torus::new(&self.radix).map_err(NetworkError::bad)?,
        };
        let paper = TorusPlan::new(torus.dims());
        let plan = TorusPlan {
            channels: self.bytes.vcs.unwrap_or(paper.channels),
            queue: self.bytes.queue.unwrap_or(paper.queue),
            tail: self.tail.unwrap_or(paper.tail),
            ..paper
        };
        if plan.channels == 1 && self.switch.is_some() {
            return Err(NetworkError::bad(
                "--switch needs two virtual channels, and --vcs 1 has one; accepted: no --switch, or --vcs 2",
            ));
        }
        let shape = TorusShape::new(torus).switching(self.switch.unwrap_or_default());
        shape
            .with(plan)
            .map_err(|e| NetworkError::BadInput(e.into()))
    }
}

impl FlagChoice for VcSwitchNode {
    const OPTION_NAME: &'static str = "rule";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("at", Self::AtOrigin), ("after", Self::AfterOrigin)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for Tail {
    const OPTION_NAME: &'static str = "tail";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("zero", Self::Zero),
        ("wire", Self::Wire),
        ("naive", Self::Naive),
    ];
    const RESERVED: &'static [&'static str] = &[];
}

//! Flags that the byte-channel networks share.

use crate::flags::within;
use clap::Args;

/// Maximum bytes that a queue holds.
pub const MAX_QUEUE: usize = 64;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network torus or rotation")]
pub struct ByteFlags {
    /// Virtual channels of a channel: 2, or 1, with which packets can wait in a circle
    /// [default: 2]
    #[arg(long, value_name = "V", value_parser = within::<usize>(1, 2))]
    pub vcs: Option<usize>,

    /// Bytes that a queue holds, 1 to 64 [default: 4]
    #[arg(long, value_name = "Q", value_parser = within::<usize>(1, MAX_QUEUE as u64))]
    pub queue: Option<usize>,
}

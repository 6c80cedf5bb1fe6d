//! Flags that the byte-channel networks share.

use crate::flags::within;
use clap::Args;

/// Maximum bytes that a queue holds.
pub const MAX_QUEUE: usize = 64;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network torus or rotation")]
pub struct ByteFlags {
    /// Virtual channels of a channel, 1 or 2. With 1, packets can deadlock [default: 2]
    #[arg(long, value_name = "V", value_parser = within::<usize>(1, 2))]
    pub vcs: Option<usize>,

    /// Size of a queue, 1 to 64 bytes [default: 4]
    #[arg(long, value_name = "Q", value_parser = within::<usize>(1, MAX_QUEUE as u64))]
    pub queue: Option<usize>,
}

//! The CM-1 for the board: the 3-cube, one processor to a chip, as one block beside
//! the soft nodes that are its processors.
//!
//! What a [`Router`](super::Router) does without end, this machine does one petit
//! cycle at a time, when all processors are ready for it. The hearts are the
//! same; injector and ejector are smaller, since there is one processor and no
//! petit cycle begins before the last is over; all chips share one buffer and
//! one table of strobes. In every petit cycle the same messages are in the same
//! rows as in a machine that does not wait, in the mode
//! [`PerChip`](super::EjectMode::PerChip). It has no timeout and does not drain: on
//! the 3-cube no list of messages is known that would need it.

mod lone_chip;
mod lone_ejector;
mod lone_injector;
mod mailbox;
mod petit_table;
mod row_buffer;
mod whole;

pub use lone_chip::LoneChip;
pub use lone_ejector::LoneEjector;
pub use lone_injector::LoneInjector;
pub use mailbox::Mailbox;
pub use petit_table::{PetitStrobes, PetitTable};
pub use row_buffer::RowBuffer;
pub use whole::Cm1Board;

use super::plan::COLUMN;
use crate::ends::nodes;

/// Dimensions of the cube.
pub const BOARD_DIMS: usize = 3;

/// Its chips, which are its processors.
pub const BOARD_CHIPS: usize = nodes(BOARD_DIMS, BOARD_DIMS);

/// Width of the number of a bit's place in a message, MSGP at [`MSGP_PLACE`].
pub const PLACE_BITS: usize = 7;

/// The place of MSGP: so that DATA begins with byte 1 of the mailbox, after
/// MSGP and CUBE-ADDRESS.
pub const MSGP_PLACE: u32 = 8 - (1 + BOARD_DIMS as u32);

/// Places from a bit's at the injectors to what is there while it leaves the
/// hearts, and one more, since a memory answers a clock cycle late.
const BEHIND: u64 = COLUMN as u64 * BOARD_DIMS as u64 + 1;

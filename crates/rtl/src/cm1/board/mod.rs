//! The CM-1 of the board: the 3-cube with one processor per chip, as one block beside the soft
//! nodes that are its processors.
//!
//! A [`Router`](super::Router) runs petit cycles continuously. This machine runs one petit cycle at
//! a time, when all processors are ready. The hearts are the same. Injector and ejector are
//! smaller, because there is one processor and petit cycles do not overlap. All chips share one
//! buffer and one table of strobes. In every petit cycle the same messages are in the same rows as
//! in the continuous machine in the mode [`PerChip`](super::EjectMode::PerChip). The machine has no
//! timeout and does not drain: no list of messages on the 3-cube is known to need it.

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

use super::plan::COLUMN_BIT_TIMES;
use crate::ends::nodes;

/// Dimensions of the cube.
pub const BOARD_DIMS: usize = 3;

/// Number of chips, which is the number of processors.
pub const BOARD_CHIPS: usize = nodes(BOARD_DIMS, BOARD_DIMS);

/// Width of the position of a bit in a message; MSGP is at [`MSGP_POSITION`].
pub const POSITION_BITS: usize = 7;

/// Position of MSGP. DATA thus begins with byte 1 of the mailbox, after MSGP and CUBE-ADDRESS.
pub const MSGP_POSITION: u32 = 8 - (1 + BOARD_DIMS as u32);

/// Distance in positions between a bit at the injectors and the bit that leaves the hearts at the
/// same time, plus one. The extra position covers the memory, which answers one clock cycle late.
const HEART_DELAY: u64 = COLUMN_BIT_TIMES as u64 * BOARD_DIMS as u64 + 1;

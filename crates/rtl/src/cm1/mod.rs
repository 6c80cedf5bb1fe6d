//! The router of the CM-1 (`cm1-message-router`; docs/cm1.md): adaptive,
//! bit-serial, pipelined.
//!
//! A clock cycle is a bit-time. A chip has several rows, and one column per dimension. Messages
//! move along the rows. In each column at most one message crosses the cube wire to the neighbour.
//! A message that has no dimension left after the last column is ejected at its destination. The
//! others are buffered for the next petit cycle.
//!
//! The number of dimensions is at most 16, of rows 2 to [`ROWS_MAX`], and of processors 1 to
//! [`PROCESSORS_MAX`] (a power of two). Lists have the corresponding length. VP-ADDRESS and DATA
//! have any length, which only the [`PetitControl`] depends on.
//!
//! The router of a CM-1 chip. The strobes of the one `PetitControl` reach the injector, the buffer,
//! every column and the ejector:
//!
//! ```text
//!                            stays[ROWS]
//!    +--------------------------------------------------------------------+
//!    |                                                                    |
//!    |                  +-------------------------------------+           |
//!    |     +------------| buffer: MessageBuffer, a delay line |<-+        |
//!    |     | buffered   +-------------------------------------+  |        |
//!    |     |                                                     |        |
//!    v     v                                                     |        |
//! +-------------+       +-- heart: Heart ---------------------+  |  +----------+
//! |             |       |                                     |  |  |          |
//! |             |       | +--------+      +--------+          |  |  |          |
//! |  injector   | row   | | first  |moved |        |          |  |  | ejector  |
//! |  Injector   |------>| | dim 0  |----->|later[0]|---> . .  |--+->| Ejector  |
//! |             |       | |per row:|      | dim 1  |          |exit |          |
//! | a row: its  |       | | 2 FF,  |      |as first|          |     |row: FF of|
//! |  buffered   |       | |a switch|      |        |       +--+---->| address, |
//! |message, else|       | +--------+      +--------+       |  |     | ejects,  |
//! |one from send|       |     |             ^    |         |  |     | delayed  |
//! |             |       |     |             |    |         |  |     |          |
//! |             |       |     |             |    |         |  |     |          |
//! +-------------+       +-----+-------------+----+---------+--+     +----------+
//!   ^   |    |                |             |    |         |               |
//!   |   |    |                v             |    v         |               v
//!   |   v    v          cube_out[0]  cube_in[0] cube_out[1] cube_in[C-1] deliver
//! send  acknowledge,    the wires of the cube; a Chip inverts       parity_error
//!       returned        cube_in where its input flip is set
//! ```

mod board;
mod ejector;
mod heart;
mod injector;
pub mod machine;
mod petit_control;
mod router;

use super::list;
pub use board::{
    Cm1Board, LoneChip, LoneEjector, LoneInjector, Mailbox, PetitStrobes, PetitTable, RowBuffer,
    BOARD_CHIPS, BOARD_DIMS,
};
pub use ejector::{EjectMode, Ejector, EjectorRow};
pub use heart::{BitDelay, CrossingChoice, FirstColumn, Heart, HeartColumn, HeartSite};
pub use injector::{Injector, InjectorRow};
pub use machine::{MessageFormat, PetitPlan};
pub use petit_control::{ColumnTimes, PetitControl, PetitWindow, Pipeline, StrobeDelay};
pub use router::{Chip, MessageBuffer, ProcessorLines, Router, StrobeSource, Strobes};

/// Maximum number of rows of a chip: a word of its buffer has 16 bits.
pub const ROWS_MAX: usize = 16;

/// Maximum number of processors of a chip, as in the paper: the width of its ports.
pub const PROCESSORS_MAX: usize = 16;

/// Width of the number of a bit-time in a petit cycle.
pub const TIME_BITS: usize = 16;

/// Maximum width of VP-ADDRESS, and so of the number of a bank of virtual processors.
pub const BANK_BITS: usize = 16;

/// Width of an address in the buffer.
pub const POINTER_BITS: usize = 12;

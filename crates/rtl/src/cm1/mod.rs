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
//!                             kept[ROWS]
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
//! |one from send|       |     |             ^    |         |  |     | late bit |
//! |             |       |     |             |    |         |  |     |          |
//! |             |       |     |             |    |         |  |     |          |
//! +-------------+       +-----+-------------+----+---------+--+     +----------+
//!   ^   |    |                |             |    |         |               |
//!   |   |    |                v             |    v         |               v
//!   |   v    v          cube_out[0]  cube_in[0] cube_out[1] cube_in[C-1] deliver
//! send  acknowledge,    the wires of the cube; a Chip inverts       parity_error
//!       returned        cube_in where its input flip is set
//! ```

mod bit_delay;
mod board;
mod chip;
mod chip_bundles;
mod crossing_choice;
mod eject_mode;
mod ejector;
mod ejector_row;
mod first_column;
mod heart;
mod heart_column;
mod heart_site;
mod injector;
mod injector_row;
pub mod machine;
mod message_buffer;
mod petit_control;
mod petit_window;
mod pipeline;
mod plan;
mod router;
mod strobe_delay;

use super::list;
pub use bit_delay::BitDelay;
pub use board::{
    Cm1Board, LoneChip, LoneEjector, LoneInjector, Mailbox, PetitStrobes, PetitTable, RowBuffer,
    BOARD_CHIPS, BOARD_DIMS,
};
pub use chip::Chip;
pub use chip_bundles::{ProcessorLines, StrobeSource, Strobes};
pub use crossing_choice::CrossingChoice;
pub use eject_mode::EjectMode;
pub use ejector::Ejector;
pub use ejector_row::EjectorRow;
pub use first_column::FirstColumn;
pub use heart::Heart;
pub use heart_column::HeartColumn;
pub use heart_site::HeartSite;
pub use injector::Injector;
pub use injector_row::InjectorRow;
pub use message_buffer::MessageBuffer;
pub use petit_control::PetitControl;
pub use petit_window::PetitWindow;
pub use pipeline::{ColumnTimes, Pipeline};
pub use plan::{MessageFormat, PetitPlan};
pub use router::Router;
pub use strobe_delay::StrobeDelay;

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

//! How the values of flags are read: one of a few words, a number within limits; and the
//! flags that commands of several layers have.

mod choice;
mod dims;
mod engine;
mod metacube;
mod number;
mod output;
mod paths;
mod pattern;

pub use choice::{Choice, ChoiceError};
pub use dims::{parse_cube, parse_machine, MACHINE_DIMS_MAX};
pub use engine::{EngineFlags, LockstepFlags};
pub use metacube::parse_metacube;
pub use number::within;
pub use output::OutputFlags;
pub use paths::{OutputDir, OutputFile};
pub use pattern::pattern;

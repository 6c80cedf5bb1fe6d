//! Parsers of flag values: one word of a list, or a number within limits. Also holds the flags that
//! commands of several layers share.

mod choice;
mod dims;
mod engine;
mod metacube;
mod number;
mod output;
mod paths;
mod pattern;

pub use choice::{ChoiceError, FlagChoice};
pub use dims::{parse_cube, parse_machine, MACHINE_DIMS_MAX};
pub use engine::{EngineFlags, LockstepFlags};
pub use metacube::parse_metacube;
pub use number::within;
pub use output::OutputFlags;
pub use paths::{OutputDir, OutputFile};
pub use pattern::pattern;

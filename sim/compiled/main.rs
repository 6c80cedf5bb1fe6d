//! Machines that follow compiled schedules as RTL: what they do is what the schedule says,
//! read apart from them, and what goes wrong is told.

mod agreement;
#[path = "../support/array_runs.rs"]
mod array_runs;
mod faults;
mod followed;
mod machine;
mod player;
#[path = "../support/whole_runs.rs"]
mod whole_runs;

//! Machines that follow compiled schedules as RTL: what they do is what the schedule says,
//! read apart from them, and what goes wrong is told.

mod agreement;
mod faults;
mod followed;
mod machine;
mod player;

//! Machines that follow compiled schedules as RTL. They match an independent reading of the
//! schedule file, and faults are reported.

mod agreement;
mod faults;
mod followed;
mod machine;
mod schedule_player;

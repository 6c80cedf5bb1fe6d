//! The TDMA cube as RTL, against truth that was written apart from it: golden
//! logs, the behavioural model, and what must hold under faults.

mod agreement;
mod doorman;
mod exchange;
mod fairness;
mod faults;
mod fleet;
mod golden;
mod lists;
mod lockstep;
#[path = "../support/lockstep_whole.rs"]
mod lockstep_whole;
mod machine;
#[path = "../model/mod.rs"]
mod model;
mod payloads;
mod scale;
mod slips;
#[path = "../support/twins.rs"]
mod twins;
#[path = "../support/whole_runs.rs"]
mod whole_runs;

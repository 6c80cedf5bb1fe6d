//! The TDMA cube as RTL, against truth that was written apart from it: golden
//! logs, the behavioural model, and what must hold under faults.

mod adaptive;
mod adaptive_faults;
mod adaptive_model;
mod agreement;
mod any_wiring;
#[path = "../support/array_runs.rs"]
mod array_runs;
#[path = "../support/as_modelled.rs"]
mod as_modelled;
mod doorman;
mod exchange;
mod fairness;
mod faults;
mod fleet;
mod golden;
mod lists;
mod lockstep;
mod machine;
#[path = "../model/mod.rs"]
mod model;
#[path = "../model_adaptive/mod.rs"]
mod model_adaptive;
mod own_clocks;
mod own_sync;
mod payloads;
mod scale;
mod slips;
#[path = "../support/twins.rs"]
mod twins;
#[path = "../support/whole_runs.rs"]
mod whole_runs;

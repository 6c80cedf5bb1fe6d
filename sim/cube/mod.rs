//! The TDMA cube as RTL, against truth that was written apart from it: golden
//! logs, the behavioural model, and what must hold under faults.

mod adaptive;
mod adaptive_faults;
mod adaptive_model;
mod agreement;
mod any_wiring;
mod doorman;
mod exchange;
mod fairness;
mod faults;
mod fleet;
mod golden;
mod lists;
mod lockstep;
mod machine;
mod own_clocks;
mod own_sync;
mod payloads;
mod scale;
mod slips;

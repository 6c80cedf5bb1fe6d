//! The TDMA cube as RTL, against independent references: golden logs, the behavioural model, and
//! invariants under faults.

mod adaptive;
mod adaptive_faults;
mod adaptive_model;
mod agreement;
mod any_wiring;
mod delivery_counter;
mod exchange;
mod fairness;
mod faults;
mod fleet;
mod golden;
mod lists;
mod local_sync;
mod lockstep;
pub mod machine;
mod node_clocks;
mod payloads;
mod scale;
mod slips;

//! The CM-1 as RTL, against truth that was written apart from it: golden traces,
//! the behavioural model, the formulas of docs/cm1.md; and the model against the
//! golden traces.

mod agreement;
#[path = "../support/array_runs.rs"]
mod array_runs;
mod board;
mod column_rows;
mod drawn;
mod errors;
mod faults;
mod golden;
mod lists;
mod livelock;
mod lockstep;
mod machine;
mod model_golden;
mod pipelines;
mod storage;
mod streams;
mod times;
#[path = "../support/twins.rs"]
mod twins;
#[path = "../support/whole_runs.rs"]
mod whole_runs;

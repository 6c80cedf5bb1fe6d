//! The CM-1 as RTL, against independent references: golden traces, the behavioural model and the
//! formulas of docs/cm1.md. The model is also checked against the golden traces.

mod agreement;
mod board;
mod column_rows;
mod drawn;
mod errors;
mod faults;
mod golden;
mod lists;
mod livelock;
mod lockstep;
pub mod machine;
mod model_golden;
mod pipelines;
mod storage;
mod streams;
mod times;

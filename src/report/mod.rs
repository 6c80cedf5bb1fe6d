//! Reports: traffic on a link, pictures of a schedule period, and tables of circuit costs.

mod agreed_run;
mod bench;
pub mod comparison;
mod cores;
mod cost;
mod ecp5_cost;
mod load_sweep;
mod logic_analyzer;
mod phase_sweep;
mod picture;
mod probe;
mod table;
mod wrap;
mod xml;

pub use agreed_run::{AgreedRun, AgreedRunError, EngineRun};
pub use bench::{Bench, Measured};
pub use cores::{Core, CoreMarkRate, CoreTable, CoresError};
pub use cost::{Cost, CostError, CostTable, BLOCK_RAMS, DEVICE, LOGIC_CELLS};
pub use ecp5_cost::{Ecp5Table, Kind};
pub use load_sweep::{LoadSweep, SweepPoint, SweptMachine};
pub use logic_analyzer::LogicAnalyzer;
pub use phase_sweep::{Axis, PhasePoint, PhaseSweep};
pub use picture::{Hop, Lives, Pictured, Route, Scheduled};
pub use probe::Probe;
pub use wrap::{wrapped, WIDTH};

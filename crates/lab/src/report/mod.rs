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
pub use bench::{EngineBench, EngineMeasurement};
pub use cores::{CoreMarkRate, CoreMeasurement, CoreTable, CoresError};
pub use cost::{Cost, CostError, CostTable, BLOCK_RAMS, DEVICE, LOGIC_CELLS};
pub use ecp5_cost::{Ecp5Table, NodeSharing};
pub use load_sweep::{LoadSweep, SweepPoint, SweptMachine};
pub use logic_analyzer::LogicAnalyzer;
pub use phase_sweep::{Axis, PhasePoint, PhaseSweep};
pub use picture::{MessageHop, MessageRoute, MessageTimeline, SchedulePicture, ScheduledMachine};
pub use probe::OutputProbe;
pub use wrap::{wrapped, WIDTH};

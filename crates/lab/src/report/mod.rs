//! Reports: traffic on a link, pictures of a schedule period, and tables of circuit costs.

pub mod comparison;
mod cores;
mod cost;
mod engines;
mod load_sweep;
mod observers;
mod phase_sweep;
mod picture;

pub use cores::{CoreMarkRate, CoreMeasurement, CoreTable, CoresError};
pub use cost::{
    Cost, CostError, CostTable, Ecp5Table, NodeSharing, BLOCK_RAMS, DEVICE, LOGIC_CELLS,
};
pub use engines::{AgreedRun, AgreedRunError, EngineBench, EngineMeasurement, EngineRun};
pub use load_sweep::{LoadSweep, SweepPoint, SweptMachine};
pub use observers::{LogicAnalyzer, OutputProbe};
pub use phase_sweep::{Axis, PhasePoint, PhaseSweep};
pub use picture::{MessageHop, MessageRoute, MessageTimeline, SchedulePicture, ScheduledMachine};

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

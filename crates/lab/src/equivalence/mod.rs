//! Proves that the forms of a circuit are equivalent: the netlist that is simulated, the emitted
//! Verilog, and the result of its synthesis.
//!
//! Registers and memories are matched by name and removed. Their contents become inputs of the
//! remaining logic, and their next values become outputs. Two circuits are equal for all time under
//! two conditions. Both circuits start with the same state, and each output and each next state is
//! the same function of inputs and state. Yosys therefore needs to compare combinational cones
//! only. `docs/proofs.md` has the details.

mod circuits;
mod cut;
mod ice40;
mod json;
mod record;
mod rtlil;
mod state;
mod subject;
mod synthesis;

pub use circuits::{circuits, PublishedCircuit, UNPROVED};
pub use record::{EquivalenceRecord, EquivalenceTable, Forms};
pub use subject::{ComparedCircuit, EquivalenceError, EquivalenceVerdict};

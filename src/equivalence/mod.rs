//! Proofs that the forms of a circuit are the same: its netlist, which is simulated, the Verilog that is
//! emitted, and what synthesis makes of that.
//!
//! Registers and memories are matched by name and taken out: what they hold is an input of what is left,
//! what they take an output. Two circuits that start alike, and of which each output and each next
//! state is the same function of inputs and state, are the same for all time. So yosys needs to
//! compare combinational cones only. `docs/proofs.md` tells more.

mod circuits;
mod cut;
mod ice40;
mod json;
mod record;
mod rtlil;
mod state;
mod subject;
mod synthesis;

pub use circuits::{circuits, Published, OUT_OF_REACH};
pub use record::{Equivalence, EquivalenceTable, Forms};
pub use subject::{EquivalenceError, Subject, Verdict};

//! Cells that check a circuit and have no hardware.

use crate::lower::{answer_cell, CellRecord};
use crate::rust_hdl::prelude::*;
use crate::rust_hdl::SignalAddress;
use lockstep::design::CheckGoal;

/// Assertion: `holds` must be high at each rising clock edge.
///
/// In a test bench a clock cycle fails if the bit is low. `rust-hdl`'s simulator panics. In Verilog
/// it is an `assert` of SystemVerilog under the macro `FORMAL`, which provers define. The cell is
/// named after the field.
///
/// ```
/// use hdl::prelude::*;
///
/// /// Counts to nine.
/// #[derive(LogicBlock, Circuit, Default)]
/// pub struct Digit {
///     pub clock: Signal<In, Clock>,
///     pub digit: Signal<Out, Bits<4>>,
///     state: Reg<Bits<4>>,
///     in_range: Assertion,
///     at_nine: Cover,
/// }
///
/// impl Logic for Digit {
///     #[kernel]
///     fn update(&mut self) {
///         dff_setup!(self, clock, state);
///         clock!(self, clock, in_range, at_nine);
///         self.state.d.next = self.state.q.val() + 1;
///         if self.state.q.val() == 9 {
///             self.state.d.next = 0.into();
///         }
///         self.in_range.holds.next = self.state.q.val() < 10;
///         self.at_nine.holds.next = self.state.q.val() == 9;
///         self.digit.next = self.state.q.val();
///     }
/// }
///
/// let verilog = hdl::verilog::emit(&lower(&Digit::default()).unwrap()).to_string();
/// assert!(verilog.contains("in_range: assert (in_range_holds);"));
/// ```
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Assertion {
    pub clock: Signal<In, Clock>,
    pub holds: Signal<In, Bit>,
}

impl Logic for Assertion {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            assert!(self.holds.val(), "an assertion does not hold");
        }
    }

    fn connect(&mut self) {}

    fn hdl(&self) -> Verilog {
        answer_cell::<Bit>(|| CellRecord::Check {
            holds: SignalAddress::of(&self.holds),
            goal: CheckGoal::Assert,
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing("assertion")
    }
}

/// Goal: `holds` should be high at some rising clock edge.
///
/// A test bench lists the goals that a test has not reached. In Verilog it is a `cover` of
/// SystemVerilog under the macro `FORMAL`.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Cover {
    pub clock: Signal<In, Clock>,
    pub holds: Signal<In, Bit>,
}

impl Logic for Cover {
    fn update(&mut self) {}

    fn connect(&mut self) {}

    fn hdl(&self) -> Verilog {
        answer_cell::<Bit>(|| CellRecord::Check {
            holds: SignalAddress::of(&self.holds),
            goal: CheckGoal::Cover,
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing("cover")
    }
}

fn timing(name: &str) -> Vec<TimingInfo> {
    vec![TimingInfo {
        name: name.into(),
        clock: "clock".into(),
        inputs: vec!["holds".into()],
        outputs: vec![],
    }]
}

//! Properties of the schedule: pin mux, sequencer, phase clock.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{PhaseClock, PhaseSequencer, PinMux};
use toolchain::Method;

pub const PIN_MUX: Property = property! {
    "pin_mux.sv",
    name: "pin-mux",
    sentence: "A node pulls at most one wire: that of the active dimension, if it drives and its UART sends a low bit, one clock cycle later; every other wire is released. Its UART hears the active wire while the node listens, and a high line else. For all inputs.",
    cases: &[
        case!("4 wires", [PinMux::<4>::default()], DIMS = 4),
        case!("1 wire", [PinMux::<1>::default()], DIMS = 1),
        case!("12 wires", [PinMux::<12>::default()], DIMS = 12),
        case!("16 wires", [PinMux::<16>::default()], DIMS = 16),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "dimension 2 pulls wire 1",
            "pulls_next[2] = !tx;",
            "pulls_next[1] = !tx;",
        ),
        verilog_fault(
            "the pull of wire 3 does not ask the UART",
            "pulls_next[3] = !tx;",
            "pulls_next[3] = 1'b1;",
        ),
        verilog_fault(
            "the pulls do not come from flip-flops",
            "assign pull = pulls;",
            "assign pull = pulls_next;",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

pub const PHASE_SEQUENCER: Property = property! {
    "phase_sequencer.sv",
    name: "phase-sequencer",
    sentence: "In phase 2d the nodes with address bit d clear transmit on link d, in phase 2d + 1 those with the bit set. A node counts every rise of the phase clock; if `sync` and its count disagree there it counts a slip and is muted; it is muted until a rise with `sync`, which is phase 0 to it. A muted node does not transmit. Whatever is on its wires.",
    cases: &[
        case!("3 links", [PhaseSequencer::<3>::default()], LINKS = 3),
        case!("1 link", [PhaseSequencer::<1>::default()], LINKS = 1),
        case!("12 links", [PhaseSequencer::<12>::default()], LINKS = 12),
        case!("16 links", [PhaseSequencer::<16>::default()], LINKS = 16),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a slip does not mute",
            "out_of_step_next = 1'b1;",
            "out_of_step_next = 1'b0;",
        ),
        verilog_fault(
            "a muted node joins at any rise",
            "out_of_step_next = !sync;",
            "out_of_step_next = 1'b0;",
        ),
        verilog_fault(
            "a muted node transmits",
            "assign transmit = !out_of_step & (",
            "assign transmit = (",
        ),
        verilog_fault(
            "the superframe has a phase too many",
            "if (phase_2 == 5'd5)",
            "if (phase_2 == 5'd6)",
        ),
    ],
    mutants_within: 20,
    quick: true,
};

pub const SCHEDULE: Property = property! {
    "schedule.sv",
    name: "schedule",
    sentence: "A node that hears a phase clock is in the clock's phase, one clock cycle later, from the first rise on, and never slips; for every divider, also one that changes. Assumed: the wires are true, and the schedule is not taken away once it runs.",
    cases: &[
        case!(
            "3 dimensions",
            [PhaseClock::<3>::default(), PhaseSequencer::<3>::default()],
            LINKS = 3, STOPS = 0
        ),
        case!(
            "1 dimension",
            [PhaseClock::<1>::default(), PhaseSequencer::<1>::default()],
            LINKS = 1, STOPS = 0
        ),
        case!(
            "12 dimensions",
            [PhaseClock::<12>::default(), PhaseSequencer::<12>::default()],
            LINKS = 12, STOPS = 0
        ),
        case!(
            "16 dimensions",
            [PhaseClock::<16>::default(), PhaseSequencer::<16>::default()],
            LINKS = 16, STOPS = 0
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        missing_assumption("the schedule may be taken away and given back", "STOPS", 1),
        verilog_fault(
            "the phase clock's superframe is a phase short",
            "if (phase_count == 5'd5)",
            "if (phase_count == 5'd4)",
        ),
        verilog_fault(
            "`sync` is not of phase 0",
            "assign sync = running & (phase_count == 5'd0);",
            "assign sync = running & (phase_count == 5'd1);",
        ),
    ],
    mutants_within: 30,
    quick: true,
};

pub const REJOIN: Property = property! {
    "rejoin.sv",
    name: "rejoin",
    sentence: "Whatever was on a node's two wires before: once they are true, the node is in step with the phase clock behind the second beginning of a superframe that it hears, and stays so. Assumed: the wires stay true, and the schedule is not taken away once it runs.",
    cases: &[
        case!(
            "3 dimensions",
            [PhaseClock::<3>::default(), PhaseSequencer::<3>::default()],
            LINKS = 3, CALM = 2
        ),
        case!(
            "12 dimensions",
            [PhaseClock::<12>::default(), PhaseSequencer::<12>::default()],
            LINKS = 12, CALM = 2
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        missing_assumption("one beginning of a superframe must be enough", "CALM", 1),
        verilog_fault(
            "a slip does not mute",
            "out_of_step_next = 1'b1;",
            "out_of_step_next = 1'b0;",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

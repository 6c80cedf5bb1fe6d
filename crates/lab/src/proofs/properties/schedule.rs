//! Properties of the schedule: pin mux, sequencer, phase clock.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{PhaseClock, PhaseSequencer, PinMux};
use toolchain::Method;

pub const PIN_MUX: Property = property! {
    "pin_mux.sv",
    name: "pin-mux",
    sentence: "\
        A node pulls at most one wire: that of the active dimension, one clock cycle after the \
        node drives and its UART sends a low bit. All other wires are released. The UART receives \
        the active wire while the node listens, otherwise a high line. This holds for all inputs.",
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
            "the pull of wire 3 ignores the UART",
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
    sentence: "\
        In phase 2d the nodes with address bit d clear transmit on link d, in phase 2d + 1 those \
        with the bit set. A node counts every rising edge of the phase clock. If `sync` and its \
        count disagree at an edge, it counts a slip and is muted. It stays muted until a rising \
        edge with `sync`, which is its phase 0. A muted node does not transmit. This holds for \
        any signals on its wires.",
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
            "a muted node rejoins at any rising edge",
            "out_of_step_next = !sync;",
            "out_of_step_next = 1'b0;",
        ),
        verilog_fault(
            "a muted node transmits",
            "assign transmit = !out_of_step & (",
            "assign transmit = (",
        ),
        verilog_fault(
            "the superframe has one phase too many",
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
    sentence: "\
        A node that receives a phase clock is in the clock's phase, one clock cycle later, from \
        the first rising edge on, and never slips. This holds for every divider, including one \
        that changes. Assumed: the wires are undisturbed; a running schedule is not stopped.",
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
        missing_assumption("the schedule may be stopped and restarted", "STOPS", 1),
        verilog_fault(
            "the phase clock's superframe lacks one phase",
            "if (phase_count == 5'd5)",
            "if (phase_count == 5'd4)",
        ),
        verilog_fault(
            "`sync` marks phase 1",
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
    sentence: "\
        A node rejoins after any signals on its two wires. Once the wires are undisturbed, it is \
        in sync with the phase clock after the second beginning of a superframe that it receives, \
        and stays in sync. Assumed: the wires stay undisturbed; a running schedule is not \
        stopped.",
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
        missing_assumption("one beginning of a superframe has to suffice", "CALM", 1),
        verilog_fault(
            "a slip does not mute",
            "out_of_step_next = 1'b1;",
            "out_of_step_next = 1'b0;",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

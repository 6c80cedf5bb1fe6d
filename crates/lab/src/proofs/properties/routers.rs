//! Properties of router parts: queue and channel of the byte networks; injector, columns and
//! ejector of the CM-1.

use super::{case, property, verilog_fault};
use crate::proofs::{ProofMutant, Property};
use hdl::lower::lower;
use rtl::bytes::{ByteChannel, ByteFifo};
use rtl::cm1::{EjectMode, Ejector, FirstColumn, HeartColumn, Injector};
use toolchain::Method;

pub const BYTE_FIFO: Property = property! {
    "byte_fifo.sv",
    name: "byte-fifo",
    sentence: "The queue of the byte networks gives the bytes in the order in which they came, each once, and has room as long as it holds fewer than it has places. Assumed: nobody pushes when there is no room, or pops when there is no byte.",
    cases: &[case!("4 places", [ByteFifo::<8>::new(4)],)],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a byte that comes while another goes lands behind the end",
            "places_1_next = places_2;",
            "places_1_next = places_1;",
        ),
        verilog_fault(
            "there is room for a fifth byte",
            "assign room = !taken_3;",
            "assign room = 1'b1;",
        ),
    ],
    mutants_within: 16,
    quick: true,
};

pub const BYTE_CHANNEL: Property = property! {
    "byte_channel.sv",
    name: "byte-channel",
    sentence: "A channel with two virtual channels delivers every byte that it takes, once, unchanged, in order, on its own virtual channel; it takes none before the last one was taken at the other end; request and acknowledge change once for each byte. When a virtual channel that is free has a byte, one is sent. For all inputs.",
    cases: &[case!("2 virtual channels", [ByteChannel::<8, 2>::default()],)],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the latch does not keep the byte",
            "flit = latch;",
            "flit = data;",
        ),
        verilog_fault(
            "a byte is sent before the last one was taken",
            "wire ready_2 = present_0 & !busy[0];",
            "wire ready_2 = present_0;",
        ),
        verilog_fault(
            "both virtual channels are served at once",
            "serve[1] = !last;",
            "serve[1] = 1'b1;",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_INJECTOR: Property = property! {
    "cm1_injector.sv",
    name: "cm1-injector",
    sentence: "The injector of the CM-1 leaves a buffered message in its row; of the others, the lowest empty row takes the message of the lowest processor that offers one, the next the next, as many as there is room for. A processor is acknowledged if and only if a row takes its message; no message gets two rows, no row two messages. In a petit cycle that drains none is taken; each processor gets back the message of the lowest of its rows that has one, and every other keeps its row. Then bit after bit of the same message goes on, until the next decision. For all inputs.",
    cases: &[case!("7 rows, 4 processors", [Injector::new(7, 4)], LAST = 3)],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a row takes an offer though it has a buffered message",
            "served = message;",
            "served = 1'b0;",
        ),
        verilog_fault(
            "an offer that is taken is left to the higher rows",
            "assign rest_1 = offer_1 & !take_2_2;",
            "assign rest_1 = offer_1;",
        ),
        verilog_fault(
            "a row takes two offers",
            "served = served | offer_1;",
            "served = served;",
        ),
        verilog_fault(
            "what row 3 takes is not acknowledged",
            "acknowledge_0 = acknowledge_0 | rows_3_take_0;",
            "acknowledge_0 = acknowledge_0;",
        ),
        verilog_fault(
            "a processor is served in a petit cycle that drains",
            "left_2 = start_2 & send_2 & !drain;",
            "left_2 = start_2 & send_2;",
        ),
        verilog_fault(
            "two messages go back to one processor",
            "back_6 = kept_6_2 & drain & !busy_1;",
            "back_6 = kept_6_2 & drain;",
        ),
        verilog_fault(
            "a message that goes back goes on, too",
            "assign rows_6_message = kept_7 & !back_7;",
            "assign rows_6_message = kept_7;",
        ),
        verilog_fault(
            "a row forgets which processor it took",
            "assign taken_1_next = on_2;",
            "assign taken_1_next = on;",
        ),
    ],
    mutants_within: 5,
    quick: true,
};

pub const CM1_INJECTOR_WIDE: Property = property! {
    "cm1_injector.sv",
    name: "cm1-injector-wide",
    sentence: "The same as `cm1-injector` says, of the paper's 16 processors: then no two rows go back to one. For all inputs.",
    cases: &[case!("7 rows, 16 processors", [Injector::new(7, 16)], LAST = 15, WIDE = 1)],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a row takes two offers",
            "served = served | offer_14;",
            "served = served;",
        ),
        verilog_fault(
            "an offer that is taken is left to the higher rows",
            "assign rest_12 = offer_12 & !take_13_2;",
            "assign rest_12 = offer_12;",
        ),
    ],
    mutants_within: 5,
    quick: false,
};

// Three faults that apply to both kinds of columns.
const HIGHER_CROSSES: ProofMutant = verilog_fault(
    "row 4 crosses though a lower one does",
    "cross_4 = wants_5 & !wanted;",
    "cross_4 = wants_5;",
);
const NOT_DESPERATE: ProofMutant = verilog_fault(
    "none crosses in desperation",
    "if (full && !wanted) begin",
    "if (1'b0) begin",
);
const SAME_PARITY: ProofMutant = verilog_fault("PARITY is not inverted", "turn | parity", "turn");

pub const CM1_FIRST_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-first-column",
    sentence: "The first column of the CM-1's heart sends on every message that comes, once, whatever gaps are between them: the lowest that differs crosses, or if none does and all rows are full the highest; the others fill the lowest rows in order. Then bit after bit of the same message goes on, unchanged but for those inverted on the cube wire: the own CUBE bit and PARITY of a message that crosses. Until the next decision. For all inputs.",
    cases: &[case!("7 rows", [FirstColumn::new(7)], FIRST = 1, SITE_0 = 6, SITE_1 = 5, SITE_2 = 4, SITE_3 = 3)],
    method: Method::Induction(1),
    mutants: &[
        HIGHER_CROSSES,
        verilog_fault(
            "a message falls onto another",
            "sites_5_choice_0 = crossing_stay_5 & place_5;",
            "sites_5_choice_0 = crossing_stay_5;",
        ),
        verilog_fault(
            "a message does not fall from the highest row to the lowest",
            "sites_0_choice_6 = crossing_stay_6 & place_0;",
            "sites_0_choice_6 = 1'b0;",
        ),
        verilog_fault(
            "a message that crosses stays, too",
            "assign stay_3 = message_3 & !cross_3;",
            "assign stay_3 = message_3;",
        ),
        NOT_DESPERATE,
        verilog_fault(
            "the own CUBE bit is not inverted",
            "turn | parity",
            "parity",
        ),
        SAME_PARITY,
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-column",
    sentence: "A column of the CM-1's heart, not the first, sends on every message that comes, once: the lowest that differs crosses, or if none does and all rows are full the highest; the others fill the lowest rows in order. Then bit after bit of the same message goes on, unchanged but for those inverted on the cube wire: the own CUBE bit and PARITY of a message that crosses. Until the next decision. Assumed: the rows come packed when the column decides, but for the highest.",
    cases: &[case!("7 rows", [HeartColumn::new(7)], SITE_0 = 2, SITE_1 = 2, SITE_2 = 2, SITE_3 = 2)],
    method: Method::Induction(1),
    mutants: &[
        HIGHER_CROSSES,
        verilog_fault(
            "the highest row falls onto a message that fell",
            "wire filled_3 = same_3 | falls_3;",
            "wire filled_3 = same_3;",
        ),
        NOT_DESPERATE,
        SAME_PARITY,
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_EJECTOR: Property = property! {
    "cm1_ejector.sv",
    name: "cm1-ejector",
    sentence: "The ejector of the CM-1 takes out messages whose bits of CUBE-ADDRESS are zero, with ejection by banks those of the bank only: all of them, or of those for one processor that in the lowest row, or the one in the lowest row of all, as the mode says. The other messages stay, each in its row; none does both. The processor that a message names, and no other, gets its MSGP and then each bit, a clock cycle late, until it is over; a processor without one gets zeros. With the end it is told whether the bits since MSGP, those of CUBE-ADDRESS too, held an odd number of ones. Assumed: PROC-ADDRESS does not come while messages go out. That none does both holds if `settle` and `sort` come together, or, if processors do not matter, with no bit of CUBE-ADDRESS and no MSGP between.",
    cases: &[
        case!("7 rows, 16 processors, the lowest row for each processor", [Ejector::new(7, 16, EjectMode::PerProcessor)], MODE = 1),
        case!("7 rows, 16 processors, all at once", [Ejector::new(7, 16, EjectMode::Or)], MODE = 0),
        case!("7 rows, 16 processors, the lowest row", [Ejector::new(7, 16, EjectMode::PerChip)], MODE = 2),
        case!("7 rows, 16 processors, by banks", [Ejector::new(7, 16, EjectMode::Bank)], MODE = 3),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the parity leaves CUBE-ADDRESS out",
            "parity_next = parity ^ data_2;",
            "parity_next = parity ^ (data_2 & !cube);",
        ),
        verilog_fault(
            "a processor does not get MSGP",
            "delay_next = data_2 | sort;",
            "delay_next = data_2;",
        ),
        verilog_fault(
            "two messages go to one processor",
            "ONE_PER_PROCESSOR = 1'b1;",
            "ONE_PER_PROCESSOR = 1'b0;",
        ),
        verilog_fault(
            "a message that goes out stays, too",
            "rows_1_message & !eject_2 : keeps_1",
            "rows_1_message : keeps_1",
        ),
        verilog_fault(
            "a message goes on to its processor when it is over",
            "if (over) begin",
            "if (1'b0) begin",
        ),
        verilog_fault(
            "a message for another chip goes out",
            "elsewhere = cube & data_2;",
            "elsewhere = 1'b0;",
        ),
    ],
    mutants_within: 12,
    quick: true,
};

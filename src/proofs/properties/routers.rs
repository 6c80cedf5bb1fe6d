//! Parts of the routers: queue and channel of the byte networks, a column of the CM-1.

use super::{case, fault, property};
use crate::proofs::Property;
use crate::rtl::bytes::{ByteChannel, ByteFifo};
use crate::rtl::cm1::HeartColumn;
use crate::toolchain::Method;
use hdl::lower::lower;

pub const BYTE_FIFO: Property = property! {
    "byte_fifo.sv",
    name: "byte-fifo",
    sentence: "The queue of the byte networks gives the bytes in the order in which they came, each once, and has room as long as it holds fewer than it has places. Assumed: nobody pushes when there is no room, or pops when there is no byte.",
    cases: &[case!("4 places", [ByteFifo::<8>::new(4)],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "a byte that comes while another goes lands behind the end",
            "places_1_next = places_2;",
            "places_1_next = places_1;",
        ),
        fault(
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
        fault(
            "the latch does not keep the byte",
            "flit = latch;",
            "flit = data;",
        ),
        fault(
            "a byte is sent before the last one was taken",
            "wire ready_2 = present_0 & !busy[0];",
            "wire ready_2 = present_0;",
        ),
        fault(
            "both virtual channels are served at once",
            "serve[1] = !last;",
            "serve[1] = 1'b1;",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-column",
    sentence: "A column of the CM-1's heart, not the first, sends on every message that comes, once: the lowest that differs crosses, or if none does and all rows are full the highest; the others fill the lowest rows in order. Then bit after bit of the same message goes on, unchanged but for those inverted on the cube wire: the own CUBE bit and PARITY of a message that crosses. Until the next decision. Assumed: the rows come packed when the column decides, but for the highest.",
    cases: &[case!("7 rows", [HeartColumn::new(7)],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "row 4 crosses though a lower one does",
            "cross_4 = wants_5 & !wanted;",
            "cross_4 = wants_5;",
        ),
        fault(
            "the highest row falls onto a message that fell",
            "wire filled_3 = same_3 | falls_3;",
            "wire filled_3 = same_3;",
        ),
        fault(
            "PARITY is not inverted",
            "turn | parity",
            "turn",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

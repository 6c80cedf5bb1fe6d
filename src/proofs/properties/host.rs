//! Properties of the transfer between a node and its host.

use super::{case, fault, property, without};
use crate::proofs::Property;
use crate::rtl::tdma::Mover;
use crate::toolchain::Method;
use hdl::lower::lower;

pub const MOVER: Property = property! {
    "mover.sv",
    name: "mover",
    sentence: "The mover copies the bytes of a message in order, the length first, and ends with the last one, never with the length. Assumed: the length is not a multiple of 16, so it is not 0.",
    cases: &[case!("registers of 16 bytes", [Mover::<4>::default()], EMPTY = 0)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "the last byte is left out",
            "(remaining_2 == 4'd1)",
            "(remaining_2 == 4'd2)",
        ),
        fault(
            "a message begins where the one before ended",
            "index_next = 4'd0;",
            "index_next = index_2;",
        ),
        without("a message may be empty", "EMPTY", 1),
    ],
    mutants_within: 24,
    quick: true,
};

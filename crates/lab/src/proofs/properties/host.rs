//! Properties of the transfer between a node and its host.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::DmaCopy;
use toolchain::Method;

pub const DMA_COPY: Property = property! {
    "dma_copy.sv",
    name: "dma-copy",
    sentence: "\
        The DMA copy unit copies the bytes of a message in order, the length first. It ends with \
        the last byte, and never with the length. Assumed: the length is not a multiple of 16, so \
        it is not 0.",
    cases: &[case!("buffers of 16 bytes", [DmaCopy::<4>::default()], EMPTY = 0)],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the last byte is omitted",
            "(remaining_2 == 4'd1)",
            "(remaining_2 == 4'd2)",
        ),
        verilog_fault(
            "a message begins where the previous one ended",
            "index_next = 4'd0;",
            "index_next = index_2;",
        ),
        missing_assumption("a message may be empty", "EMPTY", 1),
    ],
    mutants_within: 24,
    quick: true,
};

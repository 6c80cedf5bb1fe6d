//! All properties, in the order in which they are told.

use super::{Case, Change, Mutant, Property};
use crate::rtl::tdma::PinMux;
use crate::toolchain::Method;
use hdl::lower::lower;

/// A file of `proofs/` and what stands in it.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../proofs/", $name)))
    };
}

const PIN_MUX_FILE: (&str, &str) = file!("pin_mux.sv");

/// Every property, what is small before what is made of it.
pub const PROPERTIES: &[Property] = &[PIN_MUX];

const PIN_MUX: Property = Property {
    name: "pin-mux",
    sentence: "A node pulls at most one wire: that of the active dimension, if it drives and its UART sends a low bit, one clock cycle later; every other wire is released. Its UART hears the active wire while the node listens, and a high line else. For all inputs.",
    file: PIN_MUX_FILE.0,
    text: PIN_MUX_FILE.1,
    cases: &[
        Case {
            sizes: "4 wires",
            circuits: &[|| lower(&PinMux::<4>::default())],
            defines: &[("DIMS", 4)],
        },
        Case {
            sizes: "1 wire",
            circuits: &[|| lower(&PinMux::<1>::default())],
            defines: &[("DIMS", 1)],
        },
        Case {
            sizes: "12 wires",
            circuits: &[|| lower(&PinMux::<12>::default())],
            defines: &[("DIMS", 12)],
        },
        Case {
            sizes: "16 wires",
            circuits: &[|| lower(&PinMux::<16>::default())],
            defines: &[("DIMS", 16)],
        },
    ],
    method: Method::Induction(1),
    mutants: &[
        Mutant {
            what: "dimension 2 pulls wire 1",
            change: Change::Verilog {
                from: "pulls_next[2] = !tx;",
                to: "pulls_next[1] = !tx;",
            },
        },
        Mutant {
            what: "the pull of wire 3 does not wait for the UART",
            change: Change::Verilog {
                from: "pulls_next[3] = !tx;",
                to: "pulls_next[3] = 1'b1;",
            },
        },
        Mutant {
            what: "the pulls are not registered",
            change: Change::Verilog {
                from: "assign pull = pulls;",
                to: "assign pull = pulls_next;",
            },
        },
    ],
    mutants_within: 4,
    quick: true,
};

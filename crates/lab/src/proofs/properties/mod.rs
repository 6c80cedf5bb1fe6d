//! All properties, in the order of the reports.
//!
//! * `tdma`: sender in each phase, ownership of a wire, and outcome of frames;
//! * `node`: instructions of the core, messages between a node and its host, and bytes on a wire;
//! * `routers`: parts of the byte networks and of the CM-1, frames that a node sends by adaptive
//!   routing, and routes in a metacube.

mod node;
mod routers;
mod tdma;

use super::{MutantChange, ProofMutant, Property};

/// Every property. A block comes before the larger blocks that contain it.
pub const PROPERTIES: &[Property] = &[
    tdma::PIN_MUX,
    tdma::PHASE_SEQUENCER,
    tdma::SCHEDULE,
    tdma::REJOIN,
    node::UART,
    node::UART_BAUD,
    node::HALF_DUPLEX_UART,
    tdma::LINK_PORT,
    tdma::LINK_NODE,
    tdma::NEXT_LINK,
    routers::METACUBE_LINK,
    tdma::FORWARDER,
    routers::ADAPTIVE_FORWARDER,
    tdma::FRAME_ENGINE,
    tdma::PROTOCOL,
    node::DMA_COPY,
    routers::BYTE_FIFO,
    routers::BYTE_CHANNEL,
    routers::CM1_INJECTOR,
    routers::CM1_INJECTOR_WIDE,
    routers::CM1_FIRST_COLUMN,
    routers::CM1_COLUMN,
    routers::CM1_EJECTOR,
    node::CORE,
    node::CORE_SHIFTS,
    node::CORE_STATE,
    node::CORE_TURNS,
    node::CORE_RESET,
];

/// A property whose file is in `proofs/`.
macro_rules! property {
    ($file:literal, $($field:ident: $value:expr,)*) => {
        $crate::proofs::Property {
            file: $file,
            text: include_str!(concat!("../../../proofs/", $file)),
            $($field: $value,)*
        }
    };
}

/// One size: circuits, and the macros of the file.
macro_rules! case {
    ($sizes:literal, [$($circuit:expr),*], $($define:ident = $value:expr),*) => {
        $crate::proofs::ProofCase {
            sizes: $sizes,
            circuits: &[$(|| lower(&$circuit)),*],
            defines: &[$((stringify!($define), $value)),*],
        }
    };
}

const fn verilog_fault(
    what: &'static str,
    from: &'static str,
    to: &'static str,
) -> ProofMutant<'static> {
    ProofMutant { description: what, change: MutantChange::Verilog { from, to } }
}

/// A missing assumption, or a size out of bounds.
const fn missing_assumption(
    what: &'static str,
    define: &'static str,
    value: u64,
) -> ProofMutant<'static> {
    ProofMutant { description: what, change: MutantChange::Define(define, value) }
}

use case;
use property;

//! The TDMA machine: a node's one UART is given to its links by a time schedule.
//!
//! The schedule (`tdma-hypercube`, section "The Phase Schedule"): `2 * DIMS`
//! phases are a superframe; in phase `2d` the nodes with address bit `d` clear
//! transmit across dimension `d`, in phase `2d + 1` those with the bit set.

mod link;
mod link_port;
mod open_drain_wire;
mod phase_clock;
mod phase_sequencer;
mod pin_mux;

pub use link::Link;
pub use link_port::LinkPort;
pub use open_drain_wire::OpenDrainWire;
pub use phase_clock::PhaseClock;
pub use phase_sequencer::PhaseSequencer;
pub use pin_mux::PinMux;

/// Width of a phase number: 32 phases, for up to 16 dimensions.
pub const PHASE_BITS: usize = 5;

/// Width of a dimension number.
pub const DIM_BITS: usize = 4;

/// Width of the counter of clock cycles in a phase.
pub const DIVIDER_BITS: usize = 16;

/// Width of the counters of superframes and of slips.
pub const COUNT_BITS: usize = 16;

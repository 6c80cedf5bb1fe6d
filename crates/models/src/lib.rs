//! Second models of networks: what the circuits do is compared with these in the tests.
//!
//! They are written from the papers and from the pages of `docs` alone, and they depend on
//! nothing: not on the circuits, not on `phasecube`, and so not on its mistakes.
//!
//! * [`cm1`]: the CM-1, petit cycle by petit cycle;
//! * [`torus`]: the torus routing chip, clock cycle by clock cycle;
//! * [`rotation`]: minimal rotation, clock cycle by clock cycle;
//! * [`bytes`]: what the last two have in common.
//!
//! The models of TDMA machines are in `sim`, since they speak of the messages and events of
//! `phasecube`.

pub mod bytes;
pub mod cm1;
pub mod rotation;
pub mod torus;

//! Reference models of networks. The tests compare the circuits with them.
//!
//! The models are written only from the papers and from the pages in `docs`. The crate has no
//! dependencies. Without the circuits and `phasecube`, the models cannot share their mistakes.
//!
//! * [`cm1`]: the CM-1, petit cycle by petit cycle.
//! * [`torus`]: the torus routing chip, clock cycle by clock cycle.
//! * [`rotation`]: minimal rotation, clock cycle by clock cycle.
//! * [`bytes`]: the parts that `torus` and `rotation` share.
//!
//! The models of TDMA machines are in `sim` because they use the messages and events of
//! `phasecube`.

pub mod bytes;
pub mod cm1;
pub mod rotation;
pub mod torus;

//! Measurements and checks of Phasecube: what its papers claim, what its circuits cost, and whether
//! its circuits and their Verilog are correct.
//!
//! * [`claims`]: the claims of the five papers and of the StarC specification with their computed verdicts;
//! * [`report`]: comparison of networks, cost tables, sweeps, pictures;
//! * [`grid`]: grids of runs, in shards, with their results in a directory;
//! * [`kit`]: Verilog directories of single blocks;
//! * [`equivalence`]: comparison of netlists with what yosys makes of their Verilog;
//! * [`proofs`]: properties of the emitted Verilog, proved by induction;
//! * [`simulate`]: the user's Verilog in many lanes.

pub mod claims;
pub mod equivalence;
pub mod grid;
pub mod kit;
pub mod proofs;
pub mod report;
pub mod simulate;

//! The emitted Verilog as text: a person can read what changed (`golden`), names are
//! declared before their use (`declared`), digests do not depend on names
//! (`canonical`), all simulators print the same lines (`prints`), and Verilator, yosys
//! and slang report nothing (`lint`).

mod canonical;
mod declared;
mod diff;
mod golden;
mod lint;
mod prints;
mod vectors;

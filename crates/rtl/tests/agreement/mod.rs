//! Every block behaves the same in all engines, and behaves as documented.
//!
//! *Agreement*: reference, evaluator and Verilator show the same value on every output in each of
//! 10,000 clock cycles of random stimulus. *Truth*: the outputs are what the block's documentation
//! promises, as modelled here a second time, independently of the circuits. *Mutants*: the truth
//! tests detect faults in blocks.
//!
//! * `engines`, `scripts`: engines of a block and their comparison, and stimulus.
//! * `cells`, `uart`, `tdma`, `cm1`: agreement on the named blocks. `tdma` includes the blocks
//!   around a core.
//! * `bytes`: agreement on the byte channel, the torus and minimal rotation.
//! * `groups`: agreement and truth on groups of nodes.
//! * `bundles`, `time_multiplexed`: the wiring language, and time-multiplexed blocks.
//! * `clock_at_once`: the clock of the reference.
//! * `*_truth`: truth, by subject. `square`: the wires of the 2-cube.
//! * `mutants`: a small run of `examples/mutants`.

mod bundles;
mod bytes;
mod bytes_truth;
mod cells;
#[path = "../../../../examples/mutants/circuits.rs"]
mod circuits;
mod clock_at_once;
mod clocks_truth;
mod cm1;
mod cm1_truth;
mod core_service_truth;
mod engines;
#[path = "../../../../examples/mutants/equivalent.rs"]
mod equivalent;
mod frame_engine_truth;
mod groups;
mod host_registers_truth;
mod hosted_truth;
mod memory_access_truth;
mod mutants;
mod node_truth;
mod reset_truth;
mod rules_truth;
#[path = "../../../../examples/mutants/same.rs"]
mod same;
mod scripts;
mod sequencers_truth;
#[path = "../../../../examples/mutants/sources.rs"]
mod sources;
mod square;
mod tdma;
mod time_multiplexed;
mod torus_truth;
mod uart;
mod uart_truth;
mod wires_truth;

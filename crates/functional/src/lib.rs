//! A TDMA cube whose nodes run programs, without its circuit: the programs on an instruction-set
//! simulator, the frames by the schedule.
//!
//! ```text
//!                    FunctionalEngine: ports, clock cycles
//!                       |                        |
//!             nodes that are awake        frames: exchange_frame
//!                       v                        ^
//!   Node: core (instructions), bus (registers, transfers with the host)
//!                       |                        |
//!                       v                        v
//!                 parking: nodes that repeat a superframe
//! ```
//!
//! [`FunctionalEngine`] has the ports of the circuit that drivers of a machine use, so hosts,
//! bookkeeping and results are those of the other engines. It has no noise, no slips, no clocks of
//! single nodes, and no inner signals.
//!
//! **Time.** An instruction takes the clock cycles of the soft core, and a frame those of the
//! wire. Nodes run separately between meetings (`phase.rs`), at which they exchange frames. In a
//! phase there are five of them.
//!
//! **Waiting.** A program that waits examines its node in each phase, and sleeps before the next one.
//! If the state of a node is the same after a superframe in which nothing happened to it, the node is
//! parked: it would repeat this superframe for ever. When a frame or its host reaches it, the
//! superframe that has begun is simulated up to the present.
//!
//! **Differences from the circuit.** A load from outside the memories halts the core with its register
//! unchanged; the circuit writes a word of the node port to it. A load from the register MOVE leaves
//! its register unchanged; the circuit writes 0. Without guards, an instruction from the registers of
//! the node is 0; the circuit reads the register. The bit for a link that is down appears one clock
//! cycle later than in the circuit. During a jump the circuit already reports the address of the target
//! as that of the running program.

mod bus;
mod core;
mod engine;
mod frames;
mod instruction;
mod node;
mod parking;
mod phase;

pub use self::engine::FunctionalEngine;
pub use node::FunctionalMachine;

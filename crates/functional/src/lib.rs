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
//! bookkeeping and results are shared with the other engines. Noise, slips, separate clocks of nodes
//! and inner signals are not modelled.
//!
//! **Time.** An instruction takes as many clock cycles as in the soft core, and a frame as many as on
//! the wire. A phase has five synchronisation points (`phase.rs`). Nodes run separately between them,
//! and exchange frames at one of them.
//!
//! **Waiting.** A program that waits examines its node in each phase, and sleeps before the next one.
//! A node is parked if its state is the same after a superframe without an event, because it would
//! repeat this superframe for ever. A frame or its host wakes the node. The engine then simulates the
//! present superframe of the node from its beginning.
//!
//! **Differences from the circuit.** A load from outside the memories halts the core with its register
//! unchanged; the circuit writes a word of the node port to it. A load from the register MOVE leaves
//! its register unchanged; the circuit writes 0. Without guards, an instruction from the registers of
//! the node is 0; the circuit reads the register. The bit for a link that is down appears one clock
//! cycle later than in the circuit. During a jump the circuit already reports the address of the target.

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

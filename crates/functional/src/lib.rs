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
//! wire. Nodes run separately between [meetings](phase::Meeting), at which they exchange frames. In a
//! phase there are five of them.
//!
//! **Waiting.** A program that waits examines its node in each phase, and sleeps. If the state of a
//! node is the same after a superframe in which nothing happened to it, the node is parked: it
//! would repeat this superframe for ever. When a frame or its host reaches it, the superframe that
//! has begun is simulated up to the present.

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

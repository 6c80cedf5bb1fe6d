//! Simulates many copies of one circuit, linked to each other, clock cycle by clock cycle.
//!
//! A [`LaneMachine`] runs one [`Netlist`](crate::netlist::Netlist) in up to 65,536 lanes. Every bit of
//! the circuit is a vector with one bit for each lane. One instruction computes a gate for up to
//! 512 lanes. An input is broadcast to all lanes, set for each lane, the lane number, or linked to
//! an output of another lane ([`LaneWiring`]). Clock cycles and results are the same as in the
//! [evaluator](crate::eval), with every [`Backend`] and any number of threads.
//!
//! ```
//! use lockstep::lanes::{LaneMap, LaneMachine, LaneOptions, InputSource, LaneWiring};
//! # use lockstep::netlist::{Name, Net, NetId, Netlist, NetOp, Register};
//! # use lockstep::design::Type;
//! # // `held` takes `load` where it is set, else what the neighbour holds.
//! # let net = |op| Net { op, width: 1 };
//! # let port = |path: &str, net| Name { path: path.into(), net, ty: Type::BIT };
//! # let netlist = Netlist {
//! #     nets: vec![
//! #         net(NetOp::Input(0)),
//! #         net(NetOp::Input(1)),
//! #         net(NetOp::Register(0)),
//! #         net(NetOp::Or(NetId(0), NetId(1))),
//! #     ],
//! #     registers: vec![Register {
//! #         name: "token".into(),
//! #         d: NetId(3),
//! #         q: NetId(2),
//! #         init: 0u8.into(),
//! #     }],
//! #     inputs: vec![port("load", NetId(0)), port("neighbour", NetId(1))],
//! #     outputs: vec![port("held", NetId(2))],
//! #     ..Netlist::default()
//! # };
//! // A ring of 1,000 nodes that hand on a token.
//! let lanes = 1_000;
//! let mut wiring = LaneWiring::new();
//! let before = LaneMap::from_fn(lanes, |lane| (lane + lanes - 1) % lanes);
//! wiring.port("neighbour", InputSource::linked("held", 0, before));
//! let mut ring = LaneMachine::new(netlist, lanes, &wiring, &LaneOptions::default())?;
//!
//! let (load, held) = (ring.input("load")?, ring.probe("held")?);
//! ring.set(load, 17, 1)?;
//! ring.clock();
//! ring.set(load, 17, 0)?;
//! ring.clocks(500);
//! assert_eq!(ring.get(held, 517), 1);
//! assert_eq!(ring.get(held, 17), 0);
//! # Ok::<(), lockstep::lanes::LanesError>(())
//! ```
//!
//! Structure, from the netlist down:
//!
//! 1. `wiring`: connections that the user specifies, and the source of each input bit.
//! 2. `plan`: the gates of one lane, and a slot in the frame for each stored bit.
//!    `asynchronous`: memories with an asynchronous read port.
//! 3. `read_conditions`: the condition under which a memory must be read.
//! 4. `gates`: graph of single-bit gates, its reduction, and the instructions that compute it.
//! 5. `frame`: bit vectors of a chunk, and the allocation of its slots.
//! 6. `schedule`: order of the instructions, and the step at which each slot is stored.
//! 7. `segments`: parts of a clock cycle that are skipped if none of their operands has changed.
//! 8. `jit`: machine code for x86-64 and AArch64, and vector operations on words.
//! 9. `engine`: plan and code for all chunks. `tape`: the interpreter for other processors.
//!    `counts`: the number of instructions, for any backend.
//! 10. `memory`: words of the memories in all lanes of a chunk.
//! 11. `links`: bits that move between lanes, and the values that chunks exchange.
//! 12. `activity`: activity of each instruction, and the times at which segments are partitioned
//!     again.
//! 13. `chunk`: lanes that are computed together, and the choice between skipping and computing.
//! 14. `helper`: circuit beside the lanes, run as a chunk of one lane.
//! 15. `run`: phases of a clock cycle, and the threads that share the work. `thread_choice`: one
//!     thread or all.
//! 16. `machine`: public interface, options, choice of the backend, and errors.
//!     `parts`: measures what a clock cycle spends its time on.
//! 17. `access`: inputs, signals and memories, as the host sets and reads them.
//!
//! This command counts the instructions of all backends, and measures the speed on the present
//! machine: `cargo run --release -p lockstep-rtl --example lanes_speed`.

mod access;
mod activity;
mod asynchronous;
mod chunk;
mod counts;
mod engine;
mod frame;
mod gates;
mod helper;
mod jit;
mod links;
mod machine;
mod memory;
mod parts;
mod plan;
mod read_conditions;
mod run;
mod schedule;
mod segments;
mod tape;
mod thread_choice;
mod wiring;

pub use access::{LaneInput, LaneProbe};
pub use counts::InstructionCounts;
pub use machine::{
    Backend, Keep, LaneMachine, LaneOptions, LaneRunResult, LanesError, StopCondition,
};
pub use parts::CycleParts;
pub use wiring::{InputSource, LaneMap, LaneWiring};

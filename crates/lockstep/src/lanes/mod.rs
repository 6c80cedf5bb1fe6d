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
//! 1. `plan` splits the netlist into single bits (`gates`). `layout` assigns each stored bit a slot
//!    in the frame of a chunk of lanes. `sources` resolves the inputs. `reads` decides when a
//!    memory must be read (`needs`).
//! 2. `order` and `schedule` put the instructions in order. `segments` partitions them into parts
//!    that are skipped when none of their operands has changed.
//! 3. `jit` generates machine code from the instructions. Alternatively, `tape` interprets all of
//!    them, and `apply` computes each result.
//! 4. In a clock cycle (`round`), a `chunk` of lanes computes its frame. `memory` stores words, and
//!    `routes` moves bits between lanes through the `blackboard`. `run` and `thread_pool` divide the work
//!    among threads. A `helper` circuit runs beside the lanes as a chunk of one lane.
//! 5. `activity` measures which instructions are `activity_bits`. `tuning` starts the measurements and
//!    partitions the segments again.
//!
//! This command measures the speed on the present machine:
//! `cargo run --release -p lockstep-rtl --example lanes_speed`.

mod access;
mod activity;
mod chunk;
mod engine;
mod frame;
mod gates;
mod helper;
mod jit;
mod links;
mod machine;
mod memory;
mod plan;
mod read_conditions;
mod run;
mod schedule;
mod segments;
mod wiring;

pub use access::{LaneInput, LaneProbe};
pub use machine::{
    Backend, Keep, LaneMachine, LaneOptions, LaneRunResult, LanesError, StopCondition,
};
pub use wiring::{InputSource, LaneMap, LaneWiring};

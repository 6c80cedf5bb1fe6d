//! Many copies of one circuit, linked to each other, clock cycle by clock cycle.
//!
//! A [`Machine`] runs one [`Netlist`](crate::netlist::Netlist) in up to 65,536
//! lanes: every single bit of it is a vector with one bit for each lane, and a
//! gate is one instruction on 256 or 512 lanes at a time. An input is broadcast
//! to all lanes, set for each lane, the number of the lane, or linked to an output
//! of another lane ([`Wiring`]). What a clock cycle means is what the
//! [evaluator](crate::eval) means by it, and so are the results, with every
//! [`Backend`] and any number of threads.
//!
//! ```
//! use lockstep::lanes::{LaneMap, Machine, Options, Source, Wiring};
//! # use lockstep::netlist::{Name, Net, NetId, Netlist, Op, Register};
//! # use lockstep::design::Type;
//! # // `held` takes `load` where it is set, else what the neighbour holds.
//! # let net = |op| Net { op, width: 1 };
//! # let port = |path: &str, net| Name { path: path.into(), net, ty: Type::BIT };
//! # let netlist = Netlist {
//! #     nets: vec![
//! #         net(Op::Input(0)),
//! #         net(Op::Input(1)),
//! #         net(Op::Register(0)),
//! #         net(Op::Or(NetId(0), NetId(1))),
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
//! let mut wiring = Wiring::new();
//! let before = LaneMap::from_fn(lanes, |lane| (lane + lanes - 1) % lanes);
//! wiring.port("neighbour", Source::linked("held", 0, before));
//! let mut ring = Machine::new(netlist, lanes, &wiring, &Options::default())?;
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
//! How it is made, from the netlist down:
//!
//! 1. `plan` takes it apart into single bits (`gates`). `layout` gives each that is kept a
//!    slot in the frame of a chunk of lanes; `sources` says where inputs come from, `reads` when
//!    a memory must be read (`needs`).
//! 2. `order` and `schedule` put the instructions in order. `segments` cuts them into
//!    parts that are skipped when nothing they depend on has changed.
//! 3. `jit` makes machine code of them, or `tape` runs all of them (`apply` says what each
//!    gives).
//! 4. In a clock cycle (`round`), a `chunk` of lanes computes its frame, `memory` keeps words, and
//!    `routes` moves bits between lanes by way of the `blackboard`; `run` and `crew` are how
//!    threads do it together. A `helper` beside them is made in the same way, for one lane.
//! 5. `activity` finds out which instructions are `busy`; `tuning` says when, and has the
//!    segments cut anew.
//!
//! How fast it is on the machine at hand tells
//! `cargo run --release -p lockstep-rtl --example lanes_speed`.

mod access;
mod activity;
mod apply;
mod backend;
mod blackboard;
mod busy;
mod chunk;
mod crew;
mod engine;
mod error;
mod frame;
mod gates;
mod helper;
mod jit;
mod layout;
mod machine;
mod memory;
mod needs;
mod options;
mod order;
mod pace;
mod plan;
mod program;
mod reads;
mod round;
mod routes;
mod run;
mod schedule;
mod segmented;
mod segments;
mod sources;
mod tape;
mod tuning;
mod wiring;

pub use access::{Input, Probe};
pub use error::LanesError;
pub use machine::{Machine, Run, Watch};
pub use options::{Backend, Keep, Options};
pub use wiring::{LaneMap, Source, Wiring};

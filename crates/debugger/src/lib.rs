//! Instruction trace of a node, and a GDB server for one.
//!
//! ```text
//!   engine -- each clock cycle --> CoreProbe --+--> InstructionTrace --> text, JSON
//!                                              |
//!                                              +--> GdbServer <-- TCP, loopback --> GDB
//! ```
//!
//! * `core`: [`CoreProbe`] finds the instructions of one core, and reads and writes its registers and
//!   its data memory;
//! * `trace`: the instruction trace, and the disassembly;
//! * `target`: the stopped node as GDB sees it;
//! * `server`: the connection, and the observer that stops the machine.
//!
//! Both observers run in the thread of the simulation. An observer that waits stops all nodes.

mod core;
mod server;
mod target;
mod trace;

pub use core::{CoreProbe, CoreStop, NoCore, WATCHED};
pub use server::{DebuggedProgram, GdbServer, GdbServerError};
pub use trace::{disassemble, InstructionTrace, TracedInstruction};

//! The soft core: RV32I, small, for a node of its own or for several in turns.
//!
//! All base instructions; no CSRs, no traps, no interrupts. `fence` and `fence.i`
//! are no-ops. `wfi` stops until `wake`. A misaligned load, store or jump, an
//! illegal instruction, `ecall` and `ebreak` halt with a [`Cause`].
//!
//! **Why this core.** Sixteen nodes with their network are to fit an HX8K of 7,680
//! logic cells: about 430 for a node. A core for each does not fit, not even the
//! smallest: SERV, bit-serial, with its registers in block RAM, takes about 290, the
//! frame engine 240 and memory-mapped registers 80, by earlier measurements. Cores
//! shared in time by many nodes do. Such a core must do an instruction in a few
//! clock cycles (a bit-serial one takes 32 and more, times the number of its nodes)
//! and its state must be cheap to have several times. So this one works on whole words,
//! and all that belongs to a node is in block RAM: 8 contexts of 32 words fill two.
//! With one context the same circuit is a node's own core.
//!
//! **How it works.** One accumulator `a`, one adder, one bitwise unit, one read
//! port and one write port of the register file: a word at a time goes from the
//! register file through the ALU to `a`, and from `a` to the register file. Shifts
//! are serial. In the place of register 0, which needs none, is the program
//! counter: the address of the last instruction that was begun, in bit 1 whether
//! it is done, in bit 0 whether the context sleeps. While an instruction is fetched
//! the adder has a 2 in the place of `a`, so that it gives the address of the next
//! instruction: 2 and the bit make 4, or nothing. So the result of the turn before
//! can wait in `a`, and is written to its register while the fetch begins.
//!
//! **Where to read on.** [`Step`]: what an instruction goes through. [`Decoder`]: which
//! it is. [`Control`]: from step to step. [`Computation`]: what `a` becomes.
//! [`ContextRegisters`]: what is read and written there. [`Access`]: the bus.
//! [`SoftCore`] puts them together, and says how it is used.

mod access;
mod accumulator;
mod alu;
mod bare_node;
mod cause;
mod computation;
mod context_registers;
mod control;
mod decoder;
mod immediate;
mod lanes;
mod operand;
mod own_core;
mod soft_core;
mod step;

pub use access::Access;
pub use accumulator::Accumulator;
pub use alu::Alu;
pub use bare_node::BareNode;
pub use cause::Cause;
pub use computation::Computation;
pub use context_registers::ContextRegisters;
pub use control::Control;
pub use decoder::Decoder;
pub use immediate::{Format, Immediate};
pub use lanes::{LoadLanes, StoreLanes};
pub use operand::Operand;
pub use own_core::OwnCore;
pub use soft_core::SoftCore;
pub use step::Step;

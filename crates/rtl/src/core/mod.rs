//! The soft core: a small RV32I core, for one node or shared by several nodes in time.
//!
//! All base instructions, without CSRs, traps or interrupts. `fence` and `fence.i` are no-ops.
//! `wfi` stops until `wake`. A misaligned load, store or jump, an illegal instruction, `ecall` and
//! `ebreak` halt with a [`Cause`].
//!
//! The soft core, `SoftCore`. `instruction` and the outputs of the decoder reach every other part,
//! and `step` also reaches `access`:
//!
//! ```text
//!    ready, read_data[32]  request, address[32], write_data[32], write_strobe[4]
//!            |                                      ^
//!            v                                      |
//!      +--------------------------------------------------------------+
//! wake |                        access: Access                        | asleep
//! ---->|       FF word: instruction[32]; LoadLanes, StoreLanes        |-->
//!      +--------------------------------------------------------------+
//!         |                       | fetched,    ^              ^
//!         | instruction[32]       | loaded      | read[32]     | a[32], sum[32]
//!         v                       v             |              |
//!  +---------+            +-- registers --+     |     +-- computation ---------+
//!  |         |            |               |-----+---->|    operand: Operand    |
//!  |         |            |2^CONTEXT_BITS | read[32]  |           |            |
//!  | decoder | context -->| x 32 words of |           |           v            |
//!  | Decoder |            |block RAM; word|           |        alu: Alu        |
//!  |         |            |0: the program |           |           |            |
//!  |         | current <--|    counter    | a[32]     |           v            |
//!  |         |            |               |<----------| accumulator: FF a[32]  |
//!  +---------+            +---------------+           +------------------------+
//!         |                       ^                        ^ step,  | distance,
//!         | load, store, jal, ..  | step, begins, ends     | fault  | decides
//!         v                       |                        |        v
//!      +-----------------------------------------------------------------+
//! go   |                        control: Control                         |
//! ---->|                   FF state: InstructionState                    |
//!      +-----------------------------------------------------------------+
//!                                         |
//!                                         v retired, halted, cause[4]
//! ```
//!
//! **Why this core.** Sixteen nodes with their network must fit an HX8K of 7,680 logic cells, about
//! 430 per node. One core per node does not fit. Even SERV, the smallest core (bit-serial, with its
//! registers in block RAM), takes about 290. By earlier measurements the frame engine takes 240 and
//! the memory-mapped registers 80. Cores that many nodes share in time do fit. Such a core must
//! execute an instruction in a few clock cycles. A bit-serial one takes 32 or more, times the
//! number of its nodes. The state of a shared core must also be cheap to replicate. This core
//! therefore works on whole words and keeps all state of a node in block RAM: 8 contexts of 32
//! words fill two. With one context the same circuit is the core of a single node.
//!
//! **How it works.** The core has one accumulator `a`, one adder and one bitwise unit. The register
//! file has one read port and one write port. One word at a time goes from the register file
//! through the ALU to `a`, and from `a` to the register file. Shifts are serial.
//!
//! Register 0 needs no storage, so its word holds the program counter: the address of the
//! instruction begun last. Bit 1 of the word is set when that instruction is done, bit 0 when the
//! context sleeps. During a fetch the adder takes 2 in place of `a` and computes the address of the
//! next instruction. The 2 and the done bit together add 4; without the done bit the address stays
//! the same. The result of the previous turn can therefore wait in `a`. It is written to its
//! register while the fetch begins.
//!
//! **Where to read on.**
//!
//! * `soft_core`: [`SoftCore`] connects the parts and documents the interface. [`ContextRegisters`]
//!   is the register file. [`SingleContextCore`] serves one node, [`BareNode`] runs test programs.
//! * `control`: [`InstructionState`] lists the states of an instruction, [`Decoder`] finds its
//!   kind, and [`Control`] is the state machine. [`Cause`] is the reason for a halt.
//! * `computation`: [`Computation`] finds the next value of `a`. Its parts are [`Operand`], [`Alu`]
//!   and [`Accumulator`].
//! * `multiply`: [`MultiplyingCore`] is the core with multiplication and division, an option of
//!   simulated nodes. [`MultiplyDivide`] does them bit by bit.
//! * `access`: [`Access`] drives the bus. [`LoadLanes`] and [`StoreLanes`] align bytes and
//!   halfwords.

mod access;
mod computation;
mod control;
mod multiply;
mod soft_core;

pub use access::{Access, LoadLanes, StoreLanes};
pub use computation::{Accumulator, Alu, Computation, Immediate, ImmediateFormat, Operand};
pub use control::{Cause, Control, Decoder, InstructionState};
pub use multiply::{MultiplyDivide, MultiplyingCore};
pub use soft_core::{BareNode, ContextRegisters, SingleContextCore, SoftCore};

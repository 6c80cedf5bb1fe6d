//! The states that the soft core goes through in an instruction.

use hdl::lower::word;
use rust_hdl::prelude::*;

/// Where the core is in an instruction. One clock cycle each, but for `Idle`,
/// `Fetch`, `Execute` of a load or store, and `Shift`.
#[word]
pub enum Step {
    /// Waiting for `go`.
    Idle,
    /// The instruction is read; `a` becomes its address. In the first clock cycle
    /// the result of the turn before is written to its register.
    Fetch,
    /// The address is written down; `a` becomes the first operand.
    Operand,
    /// `a` becomes the result. Loads and stores access memory.
    Execute,
    /// `a` is shifted by one bit.
    Shift,
    /// `a` becomes the address of the instruction. A branch not taken is over.
    Recall,
    /// `a` becomes the target of a branch.
    Target,
    /// The target is written down; `a` becomes the address of the instruction.
    Jump,
    /// `a` becomes the return address of a jump; after a branch, the target can be
    /// read again.
    Link,
}

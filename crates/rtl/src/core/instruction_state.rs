//! The states of the soft core.
use hdl::prelude::*;

/// State of the core within an instruction. Each takes one clock cycle, except `Idle`, `Fetch`,
/// `Execute` of a load or store, and `Shift`.
#[word]
pub enum InstructionState {
    /// Waits for `go`.
    Idle,
    /// Reads the instruction, and `a` becomes its address. In the first clock cycle the result of
    /// the previous turn is written to its register.
    Fetch,
    /// Writes the address to the program counter, and `a` becomes the first operand.
    Operand,
    /// `a` becomes the result. Loads and stores access memory.
    Execute,
    /// Shifts `a` by one bit.
    Shift,
    /// `a` becomes the address of the instruction. A branch that is not taken ends.
    Recall,
    /// `a` becomes the target of a branch.
    Target,
    /// Writes the target to the program counter, and `a` becomes the address of the instruction.
    Jump,
    /// `a` becomes the return address of a jump. After a branch this step lets the target be read
    /// again.
    Link,
}

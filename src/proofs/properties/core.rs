//! The soft core does what RV32I says.

use super::{case, fault, property};
use crate::proofs::Property;
use crate::rtl::core::SoftCore;
use crate::toolchain::Method;
use hdl::lower::lower;

pub const CORE: Property = property! {
    "core.sv",
    name: "core",
    sentence: "Every instruction of RV32I that the core does writes the register, the bytes of memory and the program counter that the specification says, with the values that it says, but for the results of shifts; a word that is none, a misaligned access or jump, ecall and ebreak halt with their cause, write no register and no memory, and go nowhere. What a context reads from a register is what it wrote there last, and its instructions follow each other, whatever the other context does between. For all programs, memories, times of the bus, turns and wakings. Assumed: no reset, registers zero at the start.",
    cases: &[case!("2 contexts", [SoftCore::<1, 6>::default()],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "a word is read from an odd half",
            "wire odd_word = funct3[1] & (|offset);",
            "wire odd_word = funct3[1] & offset[0];",
        ),
        fault(
            "`bne` branches when `beq` does",
            "taken_next = decides ^ funct3[0];",
            "taken_next = decides;",
        ),
        fault(
            "register 0 as second operand is not zero",
            "from_register = (|word_2[24:20]) & (register_ | branch);",
            "from_register = register_ | branch;",
        ),
        fault(
            "a result goes to the context that has its turn",
            "wire writer = pending_2 ? previous : owner_2;",
            "wire writer = owner_2;",
        ),
    ],
    mutants_within: 16,
    quick: false,
};

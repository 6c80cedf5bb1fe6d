//! The reasons why a core halts.

use serde::{Serialize, Serializer};
use std::fmt;

/// Reason why a core cannot execute an instruction. The numbers are the codes of `mcause` in the
/// RISC-V Privileged ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A jump or taken branch to an address that is not a multiple of four. `jalr` first clears bit
    /// 0 of the address.
    MisalignedJump = 0,
    IllegalInstruction = 2,
    /// `ebreak`.
    Breakpoint = 3,
    MisalignedLoad = 4,
    MisalignedStore = 6,
    /// `ecall`.
    EnvironmentCall = 11,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 6] = [
        Cause::MisalignedJump,
        Cause::IllegalInstruction,
        Cause::Breakpoint,
        Cause::MisalignedLoad,
        Cause::MisalignedStore,
        Cause::EnvironmentCall,
    ];

    /// Returns the cause with this number, if there is one.
    pub fn from_number(number: u64) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| *cause as u64 == number)
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::MisalignedJump => "misaligned jump",
            Cause::IllegalInstruction => "illegal instruction",
            Cause::Breakpoint => "ebreak",
            Cause::MisalignedLoad => "misaligned load",
            Cause::MisalignedStore => "misaligned store",
            Cause::EnvironmentCall => "ecall",
        })
    }
}

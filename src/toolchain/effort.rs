//! How hard a compiled simulation is optimised.

/// What the compiler is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Effort {
    /// Built in about half a second: for tests with many models.
    #[default]
    Quick,
    /// The fastest simulation: for long runs and for benchmarks.
    Fast,
}

impl Effort {
    /// Flags of the C++ compiler. A model's functions are thousands of stores long, and three passes of GCC
    /// hold each against all others: without them a large model compiles in half the time.
    /// Clang has no such passes and ignores the flags.
    pub fn compiler_flags(self) -> &'static [&'static str] {
        match self {
            Effort::Quick => &[
                "-O1",
                "-fno-tree-fre",
                "-fno-tree-dse",
                "-fno-tree-dominator-opts",
            ],
            Effort::Fast => &["-O3", "-march=native"],
        }
    }

    /// Flags of Verilator.
    pub fn verilator_flags(self) -> &'static [&'static str] {
        match self {
            Effort::Quick => &[],
            Effort::Fast => &["-O3", "--x-assign", "fast", "--x-initial", "fast"],
        }
    }
}

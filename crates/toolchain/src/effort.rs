//! Optimisation level of a compiled simulation.

/// Optimisation level of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum CompileEffort {
    /// Builds in about half a second. For tests with many models.
    #[default]
    Quick,
    /// Makes the fastest simulation. For long runs and for benchmarks.
    Fast,
}

impl CompileEffort {
    /// Flags of the C++ compiler. A model's functions are thousands of stores long, and three
    /// passes of GCC compare each store with all others. Without these passes a large model
    /// compiles in half the time. Clang lacks the passes and ignores the flags.
    pub fn compiler_flags(self) -> &'static [&'static str] {
        match self {
            CompileEffort::Quick => &[
                "-O1",
                "-fno-tree-fre",
                "-fno-tree-dse",
                "-fno-tree-dominator-opts",
            ],
            CompileEffort::Fast => &["-O3", "-march=native"],
        }
    }

    /// Flags of Verilator.
    pub fn verilator_flags(self) -> &'static [&'static str] {
        match self {
            CompileEffort::Quick => &[],
            CompileEffort::Fast => &["-O3", "--x-assign", "fast", "--x-initial", "fast"],
        }
    }
}

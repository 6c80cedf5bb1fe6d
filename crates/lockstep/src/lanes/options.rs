//! User options of a machine: threads, backend, and signals to keep.

/// Options that control how a machine runs and which signals can be read.
#[derive(Clone, Debug)]
pub struct LaneOptions {
    pub backend: Backend,
    /// Number of threads, including the calling thread. Zero counts as one.
    pub threads: usize,
    pub keep: Keep,
    /// Clock cycles before the machine first measures which gates are busy and regenerates its
    /// code. Each later measurement starts at four times the clock cycle in which the previous one
    /// ended. Results are the same.
    pub tune_after: u64,
}

impl Default for LaneOptions {
    fn default() -> Self {
        LaneOptions {
            backend: Backend::default(),
            threads: 0,
            keep: Keep::default(),
            tune_after: 16_384,
        }
    }
}

/// Implementation that runs the gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// The fastest backend that the processor supports.
    #[default]
    Auto,
    /// Portable interpreter.
    Tape,
    /// Machine code for x86-64 with AVX2.
    Avx2,
    /// Machine code for x86-64 with AVX-512 (F, BW, DQ and VL).
    Avx512,
}

/// Signals that can be read besides the outputs. Unused signals are not computed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// No other signals.
    #[default]
    Outputs,
    /// Signals with these hierarchical names.
    Named(Vec<String>),
    /// All named signals.
    All,
}

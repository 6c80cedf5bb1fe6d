//! What the user of a machine chooses: threads, backend, and the signals to look at.

/// How a machine runs, and what can be looked at.
#[derive(Clone, Debug)]
pub struct Options {
    pub backend: Backend,
    /// Threads, counting the one that calls; zero counts as one.
    pub threads: usize,
    pub keep: Keep,
    /// Clock cycles after which the machine begins to find out which gates are busy, to
    /// make its code anew so that it suits them; later again, each time four times as
    /// late. Results are the same.
    pub tune_after: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            backend: Backend::default(),
            threads: 0,
            keep: Keep::default(),
            tune_after: 16_384,
        }
    }
}

/// What runs the gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// The fastest that the processor can run.
    #[default]
    Auto,
    /// A portable interpreter.
    Tape,
    /// Machine code for x86-64 with AVX2.
    Avx2,
    /// Machine code for x86-64 with AVX-512 (F, BW, DQ and VL).
    Avx512,
}

/// The signals that can be looked at besides outputs. What nothing asks for is
/// not computed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// None.
    #[default]
    Outputs,
    /// Those with these hierarchical names.
    Named(Vec<String>),
    /// All that have names.
    All,
}

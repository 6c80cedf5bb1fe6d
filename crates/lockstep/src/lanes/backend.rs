//! Which backends a processor can run, and how large their chunks are.

use super::jit::Isa;
use super::{Backend, LanesError};

impl Backend {
    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        self.resolve().is_ok()
    }

    /// The backend itself, or the fastest one.
    ///
    /// # Errors
    /// If the processor can't run it.
    pub(super) fn resolve(self) -> Result<Backend, LanesError> {
        let (avx2, avx512) = (Isa::Avx2.is_available(), Isa::Avx512.is_available());
        match self {
            Backend::Auto if avx512 => Ok(Backend::Avx512),
            Backend::Auto if avx2 => Ok(Backend::Avx2),
            Backend::Auto => Ok(Backend::Tape),
            Backend::Avx512 if !avx512 => Err(LanesError::Backend("AVX-512")),
            Backend::Avx2 if !avx2 => Err(LanesError::Backend("AVX2")),
            other => Ok(other),
        }
    }

    /// The instruction set for chunks of so many words, if it makes code.
    pub(super) fn isa(self, width: usize) -> Option<Isa> {
        match self {
            Backend::Auto | Backend::Tape => None,
            Backend::Avx2 => Some(Isa::Avx2),
            Backend::Avx512 if width == 2 => Some(Isa::Avx512Quarter),
            Backend::Avx512 if width == 4 => Some(Isa::Avx512Half),
            Backend::Avx512 => Some(Isa::Avx512),
        }
    }

    /// Words of 64 lanes in a chunk of a machine with so many lanes.
    pub(super) fn chunk_words(self, lanes: usize) -> usize {
        match self {
            Backend::Avx512 if lanes <= 128 => 2,
            Backend::Avx2 => 4,
            _ if lanes <= 256 => 4,
            _ => 8,
        }
    }
}

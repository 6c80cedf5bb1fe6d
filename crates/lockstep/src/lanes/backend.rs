//! Selects the backend for the processor and the size of its chunks.

use super::jit::Isa;
use super::{Backend, LanesError};

impl Backend {
    /// Returns true if this processor can run the backend.
    pub fn is_available(self) -> bool {
        self.resolve().is_ok()
    }

    /// Returns the backend itself, or the fastest available one for `Auto`.
    ///
    /// # Errors
    /// If the processor cannot run it.
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

    /// Returns the instruction set for chunks of `width` words, or `None` without machine code.
    pub(super) fn isa(self, width: usize) -> Option<Isa> {
        match self {
            Backend::Auto | Backend::Tape => None,
            Backend::Avx2 => Some(Isa::Avx2),
            Backend::Avx512 if width == 2 => Some(Isa::Avx512Quarter),
            Backend::Avx512 if width == 4 => Some(Isa::Avx512Half),
            Backend::Avx512 => Some(Isa::Avx512),
        }
    }

    /// Returns the number of 64-lane words in a chunk of a machine with this many lanes.
    pub(super) fn chunk_words(self, lanes: usize) -> usize {
        match self {
            Backend::Avx512 if lanes <= 128 => 2,
            Backend::Avx2 => 4,
            _ if lanes <= 256 => 4,
            _ => 8,
        }
    }
}

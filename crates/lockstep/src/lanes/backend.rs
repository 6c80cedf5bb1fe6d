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
        match self {
            Backend::Auto | Backend::Tape => Ok(Backend::Tape),
            Backend::Avx2 => Err(LanesError::Backend("AVX2")),
            Backend::Avx512 => Err(LanesError::Backend("AVX-512")),
        }
    }

    /// Words of 64 lanes in a chunk of a machine with so many lanes.
    pub(super) fn chunk_words(self, lanes: usize) -> usize {
        if lanes <= 256 {
            4
        } else {
            8
        }
    }
}

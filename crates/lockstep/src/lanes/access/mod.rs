//! Host access to inputs, signals and memories.

mod inputs;
mod memories;
mod signals;

pub use inputs::LaneInput;
pub use signals::LaneProbe;

use super::{LaneMachine, LanesError};

impl LaneMachine {
    /// Returns the number of 64-bit words that hold one bit of all lanes.
    pub fn words(&self) -> usize {
        self.lanes().div_ceil(64)
    }

    fn check_plane(&self, found: usize) -> Result<(), LanesError> {
        match found == self.words() {
            true => Ok(()),
            false => Err(LanesError::PlaneLength {
                found,
                wanted: self.words(),
                lanes: self.lanes(),
            }),
        }
    }

    /// Returns the position of a lane: its chunk, the word in the vectors, and its bit as a mask.
    fn locate_lane(&self, lane: usize) -> (usize, usize, u64) {
        let lanes = self.lanes();
        assert!(lane < lanes, "there is no lane {lane}, there are {lanes}");
        let (word, width) = (lane / 64, self.engine.width);
        (word / width, word % width, 1 << (lane % 64))
    }
}

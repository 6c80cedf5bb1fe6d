//! The designs for boards, by name.

use super::{BoardDesign, WrongPorts};
use crate::lower::{lower, LowerErrors};
use crate::rtl::board::Echo;
use thiserror::Error;

/// A design for boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardDesignName {
    /// Answers each byte.
    Echo,
}

/// Why there is no such design.
#[derive(Debug, Error)]
pub enum BoardDesignError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Ports(#[from] WrongPorts),
}

/// What all designs run at: a quarter of the Alchitry Cu's crystal, and a rate
/// that its USB chip makes exactly.
const CLOCK_MHZ: u32 = 25;
const BAUD: u32 = 1_000_000;
const CLOCKS_PER_BIT: usize = (CLOCK_MHZ * 1_000_000 / BAUD) as usize;

impl BoardDesignName {
    /// The cubes that the design can be built for, by their dimensions; none for a
    /// design without a cube.
    pub fn dims(self) -> &'static [u32] {
        match self {
            BoardDesignName::Echo => &[],
        }
    }

    /// The design; `dims` is one of [`BoardDesignName::dims`], or anything if there
    /// are none.
    ///
    /// # Errors
    /// None that a released design has: they are made in the tests.
    pub fn design(self, _dims: u32) -> Result<BoardDesign, BoardDesignError> {
        match self {
            BoardDesignName::Echo => {
                let circuit = lower(&Echo::<CLOCKS_PER_BIT>::default())?;
                Ok(BoardDesign::new("echo", circuit, CLOCK_MHZ, BAUD)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_can_be_made() {
        assert_eq!(BoardDesignName::Echo.design(0).unwrap().name(), "echo");
    }
}

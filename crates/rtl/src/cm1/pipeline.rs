//! Three ways to make a pipeline of the heart, and when their columns do what.

use std::ops::Range;

/// How a column of the heart gets at its bit of CUBE-ADDRESS
/// (`cm1-message-router`, sections 3.4.3 to 3.4.5). The paper builds [`Rotating`](Pipeline::Rotating),
/// and so do we; the other two are there to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// The first bit of the address that comes is the column's own. It waits while the
    /// others overtake it (section 3.4.5).
    Rotating,
    /// The message waits until the column's own bit has come behind the others, in a line of as many
    /// bits as the column's number (section 3.4.3, "the wrong solution").
    Naive,
    /// The first bit of the address that comes is the column's own, and does not go on. A message that may
    /// not cross its wire now can't come back to it, so it is stopped (section 3.4.4). The choice is
    /// oblivious: nothing is sent in desperation.
    Dropping,
}

impl Pipeline {
    pub const ALL: [Self; 3] = [Self::Rotating, Self::Naive, Self::Dropping];

    /// Bits of a row that wait before the switch of a column.
    pub(super) fn waiting(self, column: usize) -> usize {
        match self {
            Self::Naive => column,
            Self::Rotating | Self::Dropping => 0,
        }
    }

    /// Whether the choice stops what may not cross.
    pub(super) fn oblivious(self) -> bool {
        self == Self::Dropping
    }

    /// When the strobes of a column are high, in bit-times since MSGP came to column 0, for
    /// messages of `length` bits on a cube of `dims` dimensions.
    pub fn times(self, column: u32, dims: u32, length: u32) -> ColumnTimes {
        let begin = self.enters(column);
        let at = |time: u32| begin + time..begin + time + 1;
        match self {
            Self::Rotating => ColumnTimes {
                decide: at(1),
                hold: begin + 2..begin + dims + 1,
                turn: at(dims + 1),
                parity: at(length),
            },
            // MSGP is at the end of the line when the column's own bit is before it.
            Self::Naive => ColumnTimes {
                decide: at(column + 1),
                hold: begin..begin,
                turn: at(2 * column + 2),
                parity: at(column + length),
            },
            // What comes behind the own bit overtakes it for good.
            Self::Dropping => ColumnTimes {
                decide: at(1),
                hold: begin + 2..begin + length - column,
                turn: begin..begin,
                parity: at(length - column - 1),
            },
        }
    }

    /// When MSGP comes to a column, in bit-times since it came to column 0; with the number of
    /// dimensions for a column, when it leaves the heart.
    pub fn enters(self, column: u32) -> u32 {
        match self {
            Self::Rotating | Self::Dropping => super::plan::COLUMN * column,
            Self::Naive => (0..column).map(|before| before + 2).sum(),
        }
    }

    /// Bits of a message that leaves the heart.
    pub fn leaves(self, dims: u32, length: u32) -> u32 {
        match self {
            Self::Rotating | Self::Naive => length,
            Self::Dropping => length - dims,
        }
    }
}

/// When the strobes of a column are high, in bit-times. A strobe that never is has no bit-times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTimes {
    /// See [`HeartColumn`](super::HeartColumn) for each of them.
    pub decide: Range<u32>,
    pub hold: Range<u32>,
    pub turn: Range<u32>,
    pub parity: Range<u32>,
}

//! Three pipelines of the heart, and the timing of their columns.

use std::ops::Range;

/// Method by which a column of the heart obtains its CUBE-ADDRESS bit (`cm1-message-router`,
/// sections 3.4.3 to 3.4.5). The paper builds [`Rotating`](Pipeline::Rotating), and this machine
/// does too. The other two exist for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// The first address bit that arrives is the column's own. It waits while the others overtake
    /// it (section 3.4.5).
    Rotating,
    /// The message waits until the column's own bit has arrived after the others. The delay line
    /// has as many bits as the column's number (section 3.4.3, "the wrong solution").
    Naive,
    /// The first address bit that arrives is the column's own, and the column removes it. A message
    /// that may not cross its wire now cannot return to it, so it is stopped (section 3.4.4). The
    /// choice is oblivious: no message is sent in desperation.
    Dropping,
}

impl Pipeline {
    pub const ALL: [Self; 3] = [Self::Rotating, Self::Naive, Self::Dropping];

    /// Number of bits of a row that wait before the switch of a column.
    pub(super) fn waiting(self, column: usize) -> usize {
        match self {
            Self::Naive => column,
            Self::Rotating | Self::Dropping => 0,
        }
    }

    /// Whether the choice stops messages that may not cross.
    pub(super) fn oblivious(self) -> bool {
        self == Self::Dropping
    }

    /// Returns the bit-times in which the strobes of a column are high, counted from MSGP at column
    /// 0. Messages have `length` bits, and the cube has `dims` dimensions.
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
            // MSGP is at the end of the line when the column's own bit is before the line.
            Self::Naive => ColumnTimes {
                decide: at(column + 1),
                hold: begin..begin,
                turn: at(2 * column + 2),
                parity: at(column + length),
            },
            // The bits after the own bit overtake it permanently.
            Self::Dropping => ColumnTimes {
                decide: at(1),
                hold: begin + 2..begin + length - column,
                turn: begin..begin,
                parity: at(length - column - 1),
            },
        }
    }

    /// Returns the bit-time in which MSGP arrives at a column, counted from its arrival at column
    /// 0. With `column` equal to the number of dimensions: the bit-time in which MSGP leaves the
    /// heart.
    pub fn enters(self, column: u32) -> u32 {
        match self {
            Self::Rotating | Self::Dropping => super::plan::COLUMN_BIT_TIMES * column,
            Self::Naive => (0..column).map(|before| before + 2).sum(),
        }
    }

    /// Number of bits of a message that leaves the heart.
    pub fn leaves(self, dims: u32, length: u32) -> u32 {
        match self {
            Self::Rotating | Self::Naive => length,
            Self::Dropping => length - dims,
        }
    }
}

/// Bit-times in which the strobes of a column are high. An unused strobe has an empty range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTimes {
    /// See [`HeartColumn`](super::HeartColumn) for the strobes.
    pub decide: Range<u32>,
    pub hold: Range<u32>,
    pub turn: Range<u32>,
    pub parity: Range<u32>,
}

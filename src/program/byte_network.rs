//! The networks of bytes that go on a board.

use super::sources::{SourceFile, ROTATION, TORUS};

/// A network of bytes whose processors can be programs on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteNetwork {
    /// The torus routing chip.
    Torus,
    /// Minimal rotation on the cube.
    Rotation,
}

impl ByteNetwork {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Torus, Self::Rotation];

    /// What boards and commands call it.
    pub const fn name(self) -> &'static str {
        match self {
            ByteNetwork::Torus => "torus",
            ByteNetwork::Rotation => "rotation",
        }
    }

    /// The C source that writes the addresses of its packets.
    pub(super) fn source(self) -> &'static SourceFile {
        match self {
            ByteNetwork::Torus => TORUS,
            ByteNetwork::Rotation => ROTATION,
        }
    }
}

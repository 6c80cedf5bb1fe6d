//! Byte networks that run on a board.

use super::sources::{SourceFile, ROTATION, TORUS};

/// Byte network whose processors can be programs on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteNetwork {
    /// The torus routing chip.
    Torus,
    /// Minimal rotation on the cube.
    Rotation,
}

impl ByteNetwork {
    /// All networks.
    pub const ALL: [Self; 2] = [Self::Torus, Self::Rotation];

    /// Name on boards and in commands.
    pub const fn name(self) -> &'static str {
        match self {
            ByteNetwork::Torus => "torus",
            ByteNetwork::Rotation => "rotation",
        }
    }

    /// C source that writes the addresses of the network's packets.
    pub(super) fn source(self) -> &'static SourceFile {
        match self {
            ByteNetwork::Torus => TORUS,
            ByteNetwork::Rotation => ROTATION,
        }
    }
}

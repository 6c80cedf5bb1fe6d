//! The kinds of nodes that programs are compiled for.

use crate::topology::Metacube;
use std::fmt;

/// What a node keeps messages in: a program that is compiled for one kind halts in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A register for each link, as e-cube needs it. The address of a node has a class of so many
    /// bits, 0 in a cube.
    Registers(u32),
    /// A pool of places, as adaptive routing needs it. In a cube.
    Pool,
}

impl NodeKind {
    /// All that the project's programs may be compiled for.
    pub const ALL: [Self; 4] = [
        Self::CUBE,
        Self::Registers(1),
        Self::Registers(2),
        Self::Pool,
    ];

    /// A node of a cube that routes by e-cube.
    pub const CUBE: Self = Self::Registers(0);

    /// What the compiler is told of it; nothing of a cube's.
    pub(super) fn defined(self) -> Option<String> {
        match self {
            Self::CUBE => None,
            Self::Registers(k) => Some(format!("-DCLASS_BITS={k}")),
            Self::Pool => Some("-DPOOL".to_owned()),
        }
    }
}

/// By e-cube.
impl From<Metacube> for NodeKind {
    fn from(shape: Metacube) -> Self {
        Self::Registers(shape.class_bits())
    }
}

/// What follows the name of a program that is compiled for it: nothing of a cube's.
impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CUBE => Ok(()),
            Self::Registers(k) => write!(f, "-k{k}"),
            Self::Pool => f.write_str("-pool"),
        }
    }
}

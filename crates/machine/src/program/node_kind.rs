//! Kinds of nodes for which programs are compiled.

use interconnect::topology::Metacube;
use std::fmt;

/// Message storage of a node. A program that is compiled for one kind halts in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// One receive buffer per link, as e-cube needs it. The number is the width in bits of the
    /// class in a node's address, 0 in a cube.
    Buffers(u32),
    /// A pool of slots in a cube, as adaptive routing needs it.
    Pool,
}

impl NodeKind {
    /// All kinds for which the project's programs may be compiled.
    pub const ALL: [Self; 4] = [Self::CUBE, Self::Buffers(1), Self::Buffers(2), Self::Pool];

    /// Node of a cube that routes by e-cube.
    pub const CUBE: Self = Self::Buffers(0);

    /// Compiler macro for this kind. None for a cube.
    pub(super) fn macro_flag(self) -> Option<String> {
        match self {
            Self::CUBE => None,
            Self::Buffers(k) => Some(format!("-DCLASS_BITS={k}")),
            Self::Pool => Some("-DPOOL".to_owned()),
        }
    }
}

/// Kind of a node that routes by e-cube.
impl From<Metacube> for NodeKind {
    fn from(shape: Metacube) -> Self {
        Self::Buffers(shape.class_bits())
    }
}

/// Suffix of the name of a program for this kind. Empty for a cube.
impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CUBE => Ok(()),
            Self::Buffers(k) => write!(f, "-k{k}"),
            Self::Pool => f.write_str("-pool"),
        }
    }
}

//! In which order the links of a compiled schedule are open.

use crate::topology::Metacube;

/// The direction of each superframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// Links ascend in every superframe, as published (tdma-hypercube, "The Phase
    /// Schedule").
    Up,
    /// They ascend in the first superframe, descend in the second, and so on. In two of them
    /// any permutation passes.
    #[default]
    UpDown,
}

impl Sweep {
    /// The links of so many superframes, by pairs of phases.
    pub fn order(self, shape: Metacube, superframes: u32) -> Vec<u32> {
        let links = shape.links();
        let superframe = |number: u32| {
            let down = self == Self::UpDown && number % 2 == 1;
            (0..links).map(move |pair| if down { links - 1 - pair } else { pair })
        };
        (0..superframes).flat_map(superframe).collect()
    }
}

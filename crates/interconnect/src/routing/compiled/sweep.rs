//! Order in which the links of a compiled schedule are open.

use crate::topology::Metacube;

/// Direction of the superframes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepDirection {
    /// Links ascend in every superframe, as published (tdma-hypercube, "The Phase
    /// Schedule").
    Up,
    /// Links ascend in the first superframe, descend in the second, and so on. Two such superframes
    /// pass any permutation.
    #[default]
    UpDown,
}

impl SweepDirection {
    /// Returns the links of `superframes` superframes, one for each pair of phases.
    pub fn order(self, shape: Metacube, superframes: u32) -> Vec<u32> {
        let links = shape.links();
        let superframe = |number: u32| {
            let down = self == Self::UpDown && number % 2 == 1;
            (0..links).map(move |pair| if down { links - 1 - pair } else { pair })
        };
        (0..superframes).flat_map(superframe).collect()
    }
}

//! Routes of the paper, from a table of classes to visit (metacube-total-exchange, section 3.3,
//! Algorithms 2 to 4 and Table 1).

use crate::topology::Metacube;

/// Version of the paper's Table 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassPaths {
    /// The entry for dest 3, type 2 is (2, 2, 3).
    #[default]
    Corrected,
    /// Entry (2, 1, 3) as printed. This path does not visit the class whose field is wrong.
    Printed,
}

/// Table 1, by `dest` and type: classes to visit, relative to class 0. If the entries of a row are
/// identical, the paper prints them once.
const PATHS: [[&[u32]; 4]; 4] = [
    [&[], &[1, 0], &[2, 0], &[1, 3, 2, 0]],
    [&[1], &[2, 3, 1], &[2, 3, 1], &[2, 3, 1]],
    [&[2], &[1, 3, 2], &[1, 3, 2], &[1, 3, 2]],
    [&[1, 3], &[1, 3], &[2, 3], &[1, 3, 2, 3]],
];

impl ClassPaths {
    /// Returns the classes that a message in MC(2, m) visits after its first class, by Algorithm 3
    /// and Table 1.
    fn classes(self, metacube: Metacube, source: u32, destination: u32) -> Vec<u32> {
        let class = metacube.class(source);
        let dest = metacube.class(destination) ^ class;
        let wrong = metacube.differing(source, destination);
        let differs = |by: u32| (wrong >> (by ^ class)) & 1;
        let kind = match dest {
            0 if differs(3) == 1 => 3,
            0 => 2 * differs(2) + differs(1),
            1 => 2 * differs(3) + differs(2),
            2 => 2 * differs(3) + differs(1),
            _ => 2 * differs(2) + differs(1),
        };
        let path = match (self, dest, kind) {
            (ClassPaths::Printed, 3, 2) => &[1, 3],
            _ => PATHS[dest as usize][kind as usize],
        };
        path.iter().map(|by| by ^ class).collect()
    }

    /// Returns the links from source to destination in MC(2, m), by the corrected Algorithms 2 and
    /// 4. With the printed table the route may end at another node.
    ///
    /// # Panics
    /// Panics unless the metacube has four classes.
    pub fn route(self, metacube: Metacube, source: u32, destination: u32) -> Vec<u32> {
        assert_eq!(
            metacube.class_bits(),
            2,
            "the paper's table is of four classes"
        );
        let mut links = vec![];
        let mut here = source;
        let walk_cluster = |here: &mut u32, links: &mut Vec<u32>| {
            let class = metacube.class(*here);
            let wrong = metacube.field(*here, class) ^ metacube.field(destination, class);
            for link in (0..metacube.field_bits()).filter(|bit| wrong >> bit & 1 == 1) {
                links.push(link);
                *here = metacube.neighbour(*here, link);
            }
        };
        walk_cluster(&mut here, &mut links);
        for class in self.classes(metacube, source, destination) {
            let bit = (metacube.class(here) ^ class).trailing_zeros();
            let link = metacube.cross_edge(bit);
            links.push(link);
            here = metacube.neighbour(here, link);
            if here != destination {
                walk_cluster(&mut here, &mut links);
            }
        }
        links
    }
}

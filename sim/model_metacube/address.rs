//! A second implementation of the addresses of the metacube MC(k, m). The top k bits are the class.
//! Below them are 2^k fields of m bits, field 0 lowest (metacube-total-exchange, section 2).

/// Parameters of a metacube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetacubeModelShape {
    /// Parameter k, 1 or 2.
    pub class_bits: u32,
    /// Parameter m, at least 1.
    pub field_bits: u32,
}

impl MetacubeModelShape {
    /// Returns the bits of an address.
    pub fn bits(self) -> u32 {
        self.field_bits * 2u32.pow(self.class_bits) + self.class_bits
    }

    pub fn nodes(self) -> u32 {
        2u32.pow(self.bits())
    }

    /// Returns the links of a node. Those of its cluster come first, then the cross edges.
    pub fn links(self) -> u32 {
        self.field_bits + self.class_bits
    }

    pub fn is_cross(self, link: u32) -> bool {
        link >= self.field_bits
    }

    fn class(self, node: u32) -> u32 {
        node / 2u32.pow(self.bits() - self.class_bits)
    }

    fn field(self, node: u32, number: u32) -> u32 {
        let size = 2u32.pow(self.field_bits);
        node / size.pow(number) % size
    }

    /// Returns the address difference between the two ends of a link.
    fn step(self, node: u32, link: u32) -> u32 {
        let place = match self.is_cross(link) {
            false => self.field_bits * self.class(node) + link,
            true => self.bits() - self.links() + link,
        };
        2u32.pow(place)
    }

    /// Returns the node's side of a link. Side 0 sends in the first phase of the link's pair.
    pub fn side(self, node: u32, link: u32) -> u32 {
        node / self.step(node, link) % 2
    }

    pub fn neighbour(self, node: u32, link: u32) -> u32 {
        match self.side(node, link) {
            0 => node + self.step(node, link),
            _ => node - self.step(node, link),
        }
    }

    /// Returns the link that a message takes next, or `None` at its destination. Only the current
    /// node and the destination matter.
    pub fn next_link(self, here: u32, destination: u32) -> Option<u32> {
        let class = self.class(here);
        let field = |node, by: u32| self.field(node, class ^ by);
        let differs = |by: u32| field(here, by) != field(destination, by);
        if here == destination {
            return None;
        }
        // The own field goes first, at its lowest differing bit.
        let own = field(here, 0) ^ field(destination, 0);
        if let Some(bit) = (0..self.field_bits).find(|bit| own / 2u32.pow(*bit) % 2 == 1) {
            return Some(bit);
        }
        if self.class_bits == 1 {
            return Some(self.field_bits);
        }
        // The other fields that differ, and the classes to visit.
        let second = match (
            class ^ self.class(destination),
            differs(1),
            differs(2),
            differs(3),
        ) {
            // There and back. The second bit is used if only the class across it is needed.
            (0, one, two, three) => two && !one && !three,
            // The longer route is used if a class on it is needed.
            (1, _, two, three) => two || three,
            (2, one, _, three) => !(one || three),
            // To the opposite corner by the needed class, or by the first if both or none are
            // needed.
            (_, one, two, _) => two && !one,
        };
        Some(self.field_bits + u32::from(second))
    }
}

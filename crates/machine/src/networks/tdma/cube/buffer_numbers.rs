//! Numbering of the message buffers of a node.

use interconnect::routing::compiled::NODE_SLOTS;
use interconnect::routing::tdma::Routing;
use interconnect::topology::Metacube;
use rtl::tdma::buffer_numbers::{arrival_buffer, departure_count, injection_buffer, last_buffer};
use rtl::tdma::pool_slots;

/// Numbering of the buffers of the nodes of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferNumbers {
    links: usize,
    bits: usize,
    /// Number of counts of cross edges.
    counts: u32,
    /// Slots of a pool. `None` if the node has a buffer for each link instead.
    slots: Option<usize>,
}

impl BufferNumbers {
    /// Creates the numbering for nodes that distinguish `counts` counts of cross edges and use this
    /// routing. Nodes with a `compiled` schedule do not route.
    pub fn new(shape: Metacube, counts: u32, routing: Routing, compiled: bool) -> Self {
        let links = shape.links() as usize;
        let slots = match routing {
            _ if compiled => Some(NODE_SLOTS),
            Routing::Adaptive => Some(pool_slots(links)),
            Routing::ECube => None,
        };
        BufferNumbers {
            counts,
            links,
            bits: shape.bits() as usize,
            slots,
        }
    }

    /// Returns the size of the number range, which includes unused numbers.
    pub fn count(self) -> usize {
        self.slots
            .unwrap_or_else(|| last_buffer(self.links, self.bits) + 1)
    }

    /// Returns the number of the injection buffer. A node with a pool has no injection buffer.
    /// There the number after the last slot represents the host.
    pub fn injection_buffer(self) -> usize {
        self.slots
            .unwrap_or_else(|| injection_buffer(self.links, self.bits))
    }

    /// Returns the buffer for a message of the host, at a node that processes buffer `at`.
    pub fn buffer_after_injection(self, at: usize) -> usize {
        match self.slots {
            Some(_) => at,
            None => self.injection_buffer(),
        }
    }

    /// Returns the buffer in which a message arrives over this link, after it leaves `buffer`.
    /// `chosen` is the slot that a node with a pool has selected for it.
    pub fn buffer_after_hop(self, buffer: usize, link: u32, chosen: usize) -> usize {
        if self.slots.is_some() {
            return chosen;
        }
        let crossed = departure_count(self.links, self.bits, buffer);
        let crossed = crossed.min(self.counts as usize - 1);
        arrival_buffer(self.links, self.bits, link as usize, crossed)
    }

    /// Returns the name of a buffer.
    pub fn name(self, buffer: usize) -> String {
        match self.slots {
            Some(places) if buffer < places => return format!("place {buffer}"),
            Some(_) => return "host".to_owned(),
            None if buffer == self.injection_buffer() => return "injection".to_owned(),
            None => {}
        }
        let link = buffer % self.links;
        match departure_count(self.links, self.bits, buffer) {
            _ if self.links == self.bits => format!("link {link}"),
            count => format!("link {link}, count {count}"),
        }
    }
}

//! Stall report: the blocked packets and a cycle of packets that wait for each other (deadlock).

/// Packet head that waits for a queue held by another packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelBlockedPacket {
    pub packet: usize,
    /// Node where the packet waits.
    pub node: u32,
    /// Requested queue as dimension and virtual channel, or `None` for the processor's queue.
    pub wants: Option<(usize, usize)>,
    /// Packet that blocks this one.
    pub blocked_by: usize,
}

/// All waiting packets, and one deadlock cycle among them. The cycle begins with its lowest packet
/// number and is empty if there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStall {
    pub waiting: Vec<ModelBlockedPacket>,
    pub cycle: Vec<ModelBlockedPacket>,
}

impl ModelStall {
    pub fn new(mut waiting: Vec<ModelBlockedPacket>) -> Self {
        waiting.sort();
        let of = |packet: usize| waiting.iter().find(|w| w.packet == packet);
        let circle = waiting.iter().find_map(|start| {
            let mut circle = vec![*start];
            loop {
                let next = of(circle.last()?.blocked_by)?;
                if next == start {
                    return Some(circle);
                }
                if circle.contains(next) {
                    return None;
                }
                circle.push(*next);
            }
        });
        ModelStall {
            cycle: circle.unwrap_or_default(),
            waiting,
        }
    }
}

//! When nothing moves: who waits for whom, and the circle in it.

/// The head of a packet waits for a queue that another packet has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    pub packet: usize,
    /// The node where it waits.
    pub node: u32,
    /// What it waits for: dimension and virtual channel; none for the processor.
    pub wants: Option<(usize, usize)>,
    /// The packet that is in the way.
    pub behind: usize,
}

/// All that wait, and a circle of them, beginning with the lowest packet in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standstill {
    pub waiting: Vec<Waiting>,
    pub circle: Vec<Waiting>,
}

impl Standstill {
    pub fn new(mut waiting: Vec<Waiting>) -> Self {
        waiting.sort();
        let of = |packet: usize| waiting.iter().find(|w| w.packet == packet);
        let circle = waiting.iter().find_map(|start| {
            let mut circle = vec![*start];
            loop {
                let next = of(circle.last()?.behind)?;
                if next == start {
                    return Some(circle);
                }
                if circle.contains(next) {
                    return None;
                }
                circle.push(*next);
            }
        });
        Standstill {
            circle: circle.unwrap_or_default(),
            waiting,
        }
    }
}

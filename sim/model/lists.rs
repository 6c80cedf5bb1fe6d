//! Random lists of messages for comparing a machine with the model. Cube and seed determine each
//! list.

use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, SplitMix64};

/// Maximum messages of one source in a list that is not a relation.
pub const PER_SOURCE: u64 = 3;
/// Maximum permutations in a relation.
pub const RELATION: u64 = 4;

/// Kind of list. The seeds cycle through the kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// 0 to 3 messages per node, with uniform destinations.
    Even,
    /// 0 to 3 messages per node, three out of four to one or two nodes.
    Hotspots,
    /// 3 messages per node, all to one node or its neighbours. NAKs need far more traffic on a few
    /// links than the other kinds cause.
    Flood,
    /// 0 to 3 messages per node, half of them to their own source.
    ToSelf,
    /// 0 to 3 messages per node, all to nodes at most two hops away, so that the same few links are
    /// used repeatedly.
    Near,
    /// One permutation.
    Permutation,
    /// Two to four permutations in sequence.
    Relation,
}

impl ListKind {
    pub const ALL: [ListKind; 7] = [
        ListKind::Even,
        ListKind::Hotspots,
        ListKind::Flood,
        ListKind::ToSelf,
        ListKind::Near,
        ListKind::Permutation,
        ListKind::Relation,
    ];

    /// Returns the kind of list for a seed.
    pub fn of_seed(seed: u64) -> Self {
        Self::ALL[(seed % Self::ALL.len() as u64) as usize]
    }
}

/// Returns the list for a seed, with payloads of up to `payload` bytes. A payload begins with the
/// message's index in the list, low byte first, as far as it fits.
pub fn list(cube: Hypercube, seed: u64, payload: usize) -> Vec<Message> {
    let kind = ListKind::of_seed(seed);
    let mut random = SplitMix64::new(seed);
    let mut pairs = match kind {
        ListKind::Permutation => relation(cube, 1, &mut random),
        ListKind::Relation => {
            let count = 2 + random.below(RELATION - 1);
            relation(cube, count, &mut random)
        }
        _ => independent(cube, kind, &mut random),
    };
    // A source keeps the order of its own messages, but other messages may be between them. No
    // machine may rely on them being adjacent.
    random.shuffle(&mut pairs);
    let message = |(place, (source, destination)): (usize, (u32, u32))| {
        let length = random.below(payload as u64 + 1) as usize;
        let drawn = random.next_u64().to_le_bytes().into_iter().cycle();
        let place = [place as u8, (place >> 8) as u8];
        Message {
            source,
            destination,
            payload: place.into_iter().chain(drawn).take(length).collect(),
        }
    };
    pairs.into_iter().enumerate().map(message).collect()
}

/// Returns source and destination of `count` permutations.
fn relation(cube: Hypercube, count: u64, random: &mut SplitMix64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for _ in 0..count {
        let mut destinations: Vec<u32> = cube.addresses().collect();
        random.shuffle(&mut destinations);
        pairs.extend(cube.addresses().zip(destinations));
    }
    pairs
}

/// Draws the number of messages of every source, then their destinations.
fn independent(cube: Hypercube, kind: ListKind, random: &mut SplitMix64) -> Vec<(u32, u32)> {
    let nodes = u64::from(cube.nodes());
    let dims = u64::from(cube.dims());
    let spots = [random.below(nodes), random.below(nodes)];
    let mut pairs = Vec::new();
    for source in 0..nodes {
        let count = match kind {
            ListKind::Flood => PER_SOURCE,
            _ => random.below(PER_SOURCE + 1),
        };
        for _ in 0..count {
            let anywhere = random.below(nodes);
            let destination = match kind {
                ListKind::Hotspots if random.below(4) > 0 => spots[random.below(2) as usize],
                ListKind::Flood if random.below(2) > 0 => spots[0],
                ListKind::Flood => spots[0] ^ (1 << random.below(dims)),
                ListKind::ToSelf if random.below(2) > 0 => source,
                ListKind::Near => source ^ (1 << random.below(dims)) ^ (1 << random.below(dims)),
                _ => anywhere,
            };
            pairs.push((source as u32, destination as u32));
        }
    }
    pairs
}

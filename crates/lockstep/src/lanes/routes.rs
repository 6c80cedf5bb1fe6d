//! Links between lanes as rotations and masks of whole words.

use super::LaneMap;

/// A [`LaneMap`] as moves of bits between words of 64 lanes.
#[derive(Debug)]
pub struct Routes {
    terms: Vec<Term>,
    /// First term of each word, and the end of the last one.
    starts: Vec<u32>,
}

/// Bits of a word that move by the same distance.
#[derive(Clone, Copy, Debug)]
struct Term {
    word: u32,
    rotate: u32,
    /// Mask of the bits after the rotation.
    mask: u64,
}

impl Routes {
    /// Converts a checked map. All lanes must fit in `words`.
    pub fn new(map: &LaneMap, lanes: usize, words: usize) -> Self {
        let mut routes = Routes {
            terms: vec![],
            starts: vec![0],
        };
        for word in 0..words {
            let first = routes.terms.len();
            for bit in (0..64).filter(|bit| 64 * word + bit < lanes) {
                let from = map.from(64 * word + bit);
                let (source, rotate) = ((from / 64) as u32, (bit + 64 - from % 64) as u32 % 64);
                let terms = &mut routes.terms[first..];
                let same = |t: &&mut Term| (t.word, t.rotate) == (source, rotate);
                match terms.iter_mut().find(same) {
                    Some(term) => term.mask |= 1 << bit,
                    None => routes.terms.push(Term {
                        word: source,
                        rotate,
                        mask: 1 << bit,
                    }),
                }
            }
            routes.starts.push(routes.terms.len() as u32);
        }
        routes
    }

    /// Returns a word of the values that lanes receive, computed from the words that they publish.
    pub fn word(&self, word: usize, shown: impl Fn(usize) -> u64) -> u64 {
        let terms = self.starts[word] as usize..self.starts[word + 1] as usize;
        self.terms[terms].iter().fold(0, |seen, term| {
            seen | shown(term.word as usize).rotate_left(term.rotate) & term.mask
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_follow_the_lane_map() {
        let lanes = 200;
        let shown: Vec<u64> = (0..4)
            .map(|i| 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(i + 1))
            .collect();
        let maps = [
            LaneMap::Xor(0),
            LaneMap::Xor(7),
            LaneMap::from_fn(lanes, |i| (i + 1) % lanes),
            LaneMap::from_fn(lanes, |i| (i * 77 + 3) % lanes),
        ];
        let bit = |words: &[u64], lane: usize| words[lane / 64] >> (lane % 64) & 1;
        for map in maps {
            let routes = Routes::new(&map, lanes, 4);
            let seen: Vec<u64> = (0..4).map(|w| routes.word(w, |i| shown[i])).collect();
            for lane in 0..lanes {
                assert_eq!(
                    bit(&seen, lane),
                    bit(&shown, map.from(lane)),
                    "{map:?} {lane}"
                );
            }
            assert_eq!(seen[3] >> 8, 0, "no lanes there");
        }
    }
}

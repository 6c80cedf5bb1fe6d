//! Order in which a node of the cube addresses all others in a total exchange.
//!
//! Every node sends to `node ^ offset` for the same offsets in the same order, so each step is a
//! permutation (docs/traffic.md).

/// Order of the offsets 1 to N-1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExchangeOrder {
    /// Ascending order.
    Xor,
    /// An offset and its complement one after the other, the odd one first. The two share no
    /// dimension, so both fit into one superframe. The exchange takes N/2 superframes, the optimum
    /// for minimal routes.
    #[default]
    Pairs,
}

impl ExchangeOrder {
    /// Returns the offsets for a cube of `nodes` nodes, first to last.
    pub fn offsets(self, nodes: u32) -> Vec<u32> {
        let complement = nodes - 1;
        match self {
            Self::Xor => (1..nodes).collect(),
            Self::Pairs => (1..nodes)
                .step_by(2)
                .flat_map(|odd| [odd, odd ^ complement])
                .filter(|&offset| offset != 0)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::tdma::PhaseSchedule;
    use crate::routing::Schedule;
    use crate::topology::Hypercube;
    use std::collections::BTreeSet;

    #[test]
    fn both_orders_hold_every_offset_once() {
        for nodes in [2, 4, 8, 16, 32, 64] {
            for order in [ExchangeOrder::Xor, ExchangeOrder::Pairs] {
                let mut offsets = order.offsets(nodes);
                offsets.sort_unstable();
                assert_eq!(offsets, (1..nodes).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn xor_ascends() {
        assert_eq!(ExchangeOrder::Xor.offsets(8), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn pairs_are_complements_with_the_odd_one_first() {
        assert_eq!(ExchangeOrder::Pairs.offsets(2), [1]);
        assert_eq!(ExchangeOrder::Pairs.offsets(8), [1, 6, 3, 4, 5, 2, 7]);
    }

    /// docs/traffic.md: in each superframe two offsets use every wire in every phase. The first of
    /// them leaves its source before the second.
    #[test]
    fn pairs_fill_every_superframe() {
        for dims in 1..=6 {
            let cube = Hypercube::new(dims).unwrap();
            let schedule = PhaseSchedule::new(cube);
            let offsets = ExchangeOrder::Pairs.offsets(cube.nodes());
            let superframes = offsets.chunks(2);
            assert_eq!(superframes.len() as u32, cube.nodes() / 2);
            for pair in superframes {
                let mut sent = BTreeSet::new();
                for source in cube.addresses() {
                    let routes = pair
                        .iter()
                        .map(|offset| schedule.hops(source, source ^ offset));
                    let routes: Vec<_> = routes.collect();
                    assert!(routes.is_sorted_by_key(|hops| hops[0].phase));
                    for hop in routes.concat() {
                        assert!(sent.insert((hop.phase, hop.node)));
                    }
                }
                assert_eq!(sent.len() as u32, schedule.period() * cube.nodes() / 2);
            }
        }
    }
}

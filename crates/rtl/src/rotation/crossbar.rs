//! The crossbar of a switch, derived from the routing relation.

use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::rotation::{RotationRouting, RotationRule};
use interconnect::routing::Relation;
use interconnect::topology::Hypercube;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Set of routes that a crossbar is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    Minimal,
    Thacker,
    /// Routes around a failed switch, for every possible failed switch.
    Rewired,
}

/// A virtual channel of a dimension that some packet uses. Each lane is an input and a queue of a
/// switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CrossbarLane {
    pub dim: usize,
    pub vc: usize,
}

/// The crossbar of a switch, with exactly the crosspoints that the routes of all pairs use.
///
/// Inputs and queues are numbered like the lanes, by dimension, virtual channel 0 before 1. The
/// processor's input and queue are the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossbar {
    dims: usize,
    lanes: Vec<CrossbarLane>,
    /// Queues that the packets of each input go to, in the order of [`queues`](Self::queues).
    queues: Vec<Vec<usize>>,
}

impl Crossbar {
    /// Returns the crossbar for a cube of 1 to 16 dimensions with one or two virtual channels.
    ///
    /// # Panics
    /// If no such routes exist.
    pub fn of(scheme: Scheme, channels: usize, dims: usize) -> &'static Crossbar {
        static ALL: [[[OnceLock<Crossbar>; 17]; 2]; 3] =
            [const { [const { [const { OnceLock::new() }; 17] }; 2] }; 3];
        let slot = &ALL[scheme as usize][channels - 1][dims];
        slot.get_or_init(|| {
            let cube = Hypercube::of(dims as u32);
            let channels = channels as u32;
            let of_rule = |rule| RotationRouting { cube, rule, channels };
            match scheme {
                Scheme::Minimal => Crossbar::from_relation(dims, &of_rule(RotationRule::Minimal)),
                Scheme::Thacker => Crossbar::from_relation(dims, &of_rule(RotationRule::Thacker)),
                Scheme::Rewired => {
                    assert_eq!(dims, Rewiring::DIMS as usize, "no such wiring is known");
                    // Another failed switch only translates the nodes, and all nodes have the same
                    // circuit.
                    let failed = 0;
                    Crossbar::from_relation(dims, &RewiredRouting { failed, channels })
                }
            }
        })
    }

    /// Builds the crossbar from the routing relation. If the relation is the same at all nodes up
    /// to translation, the routes of one node are sufficient.
    fn from_relation(dims: usize, relation: &dyn Relation) -> Self {
        let nodes = relation.topology().nodes();
        let sources = if relation.is_translation_invariant() { 1 } else { nodes };
        let pairs = (0..sources).flat_map(|s| (0..nodes).map(move |d| (s, d)));
        // `None` is the processor, as an input or a queue.
        let mut points = BTreeSet::new();
        for (source, destination) in pairs {
            let route = relation.route(source, destination);
            if route.is_empty() {
                continue;
            }
            let lanes = route.iter().map(|channel| CrossbarLane {
                dim: channel.from.port as usize,
                vc: channel.vc as usize,
            });
            let mut from = None;
            for lane in lanes {
                points.insert((from, Some(lane)));
                from = Some(lane);
            }
            points.insert((from, None));
        }
        let lanes: BTreeSet<CrossbarLane> = points.iter().filter_map(|(_, to)| *to).collect();
        let lanes: Vec<CrossbarLane> = lanes.into_iter().collect();
        let number = |lane: CrossbarLane| lanes.binary_search(&lane).expect("it is used");
        let queues = lanes.iter().copied().map(Some).chain([None]);
        let queues = queues.map(|input| {
            let to = points.iter().filter(|(from, _)| *from == input);
            let mut to: Vec<CrossbarLane> = to.filter_map(|(_, to)| *to).collect();
            to.sort_by_key(|lane| match input {
                // The next dimension to the right is first, cyclically.
                Some(from) => (from.dim + dims - lane.dim) % dims,
                None => lane.dim,
            });
            let home = input.map(|_| lanes.len());
            to.into_iter().map(number).chain(home).collect()
        });
        Crossbar { dims, queues: queues.collect(), lanes }
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn lanes(&self) -> &[CrossbarLane] {
        &self.lanes
    }

    /// Number of the processor's input and queue, the highest of all.
    pub fn processor(&self) -> usize {
        self.lanes.len()
    }

    /// Number of virtual channels of a dimension.
    pub fn channels(&self, dim: usize) -> usize {
        self.lanes.iter().filter(|lane| lane.dim == dim).count()
    }

    /// Number of a lane, if it exists.
    pub fn number(&self, dim: usize, vc: usize) -> Option<usize> {
        self.lanes.binary_search(&CrossbarLane { dim, vc }).ok()
    }

    /// Queues of an input: the next dimension to the right first, for the processor's input
    /// dimension 0 first. The processor's queue is the last, except for the processor's own input.
    pub fn queues(&self, input: usize) -> &[usize] {
        &self.queues[input]
    }

    /// Dimensions that packets of an input may leave in, in the order of their queues.
    pub fn dims_of(&self, input: usize) -> Vec<usize> {
        let queues = self.queues[input].iter();
        let lanes = queues.filter_map(|queue| self.lanes.get(*queue));
        lanes.map(|lane| lane.dim).collect()
    }

    /// Inputs from other nodes that lead to other nodes. The remaining inputs lead to the processor
    /// only.
    pub fn through_inputs(&self) -> Vec<usize> {
        let leads = |input: &usize| self.queues[*input].len() > 1;
        (0..self.processor()).filter(leads).collect()
    }

    /// Inputs of a queue in order of priority: by dimension, virtual channel 0 before 1, the
    /// processor last.
    pub fn inputs(&self, queue: usize) -> Vec<usize> {
        let inputs = 0..=self.processor();
        let leads = |input: &usize| self.queues[*input].contains(&queue);
        inputs.filter(leads).collect()
    }

    /// For each dimension, the dimensions in which packets that arrived in it leave, over all
    /// virtual channels. These are the connections of the note.
    pub fn connections(&self) -> Vec<BTreeSet<usize>> {
        let mut connections = vec![BTreeSet::new(); self.dims];
        for (input, lane) in self.lanes.iter().enumerate() {
            connections[lane.dim].extend(self.dims_of(input));
        }
        connections
    }

    /// Number of crosspoints, including the processor's.
    pub fn crosspoints(&self) -> usize {
        self.queues.iter().map(Vec::len).sum()
    }
}

/// Functions for kernels, which handle only numbers. `scheme` is the number of a [`Scheme`].
pub(super) mod kernel {
    use super::{Crossbar, Scheme};

    fn crossbar(scheme: usize, channels: usize, dims: usize) -> &'static Crossbar {
        let schemes = [Scheme::Minimal, Scheme::Thacker, Scheme::Rewired];
        Crossbar::of(schemes[scheme], channels, dims)
    }

    /// Number of virtual channels of a dimension.
    pub fn channels(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        crossbar(scheme, channels, dims).channels(dim)
    }

    /// Number of lower dimensions with the same number of virtual channels as this one.
    pub fn index_of_dim(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let alike = |other: &usize| crossbar.channels(*other) == crossbar.channels(dim);
        (0..dim).filter(alike).count()
    }

    /// Number of the lowest lane of a dimension.
    pub fn first_lane(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        let lane = crossbar(scheme, channels, dims).number(dim, 0);
        lane.expect("a single hop is on virtual channel 0")
    }

    /// Dimension of a lane.
    pub fn dim(scheme: usize, channels: usize, dims: usize, lane: usize) -> usize {
        crossbar(scheme, channels, dims).lanes()[lane].dim
    }

    /// Number of the `n`-th input from another node that leads to another node.
    pub fn through_inputs(scheme: usize, channels: usize, dims: usize, n: usize) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let leading = crossbar.through_inputs();
        leading[n]
    }

    /// Dimension of the `r`-th queue of an input.
    pub fn dim_of(scheme: usize, channels: usize, dims: usize, input: usize, r: usize) -> usize {
        crossbar(scheme, channels, dims).dims_of(input)[r]
    }

    /// Number of the `k`-th input of a queue.
    pub fn input(scheme: usize, channels: usize, dims: usize, queue: usize, k: usize) -> usize {
        crossbar(scheme, channels, dims).inputs(queue)[k]
    }

    /// Index of a queue among the queues of its `k`-th input.
    pub fn queue_index(
        scheme: usize,
        channels: usize,
        dims: usize,
        queue: usize,
        k: usize,
    ) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let queues = crossbar.queues(crossbar.inputs(queue)[k]);
        let index = queues.iter().position(|q| *q == queue);
        index.expect("the input leads to the queue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(scheme: Scheme, dims: usize) -> Vec<Vec<usize>> {
        let sets = Crossbar::of(scheme, 2, dims).connections();
        sets.into_iter().map(Vec::from_iter).collect()
    }

    /// The expected tables were printed by an independent program.
    #[test]
    fn crossbar_has_only_possible_crosspoints() {
        let minimal = |dims| connections(Scheme::Minimal, dims);
        assert_eq!(minimal(3), [vec![2], vec![0], vec![1]]);
        assert_eq!(minimal(4), [vec![3], vec![0, 3], vec![0, 1], vec![2]]);
        let size = |dims| {
            let crossbar = Crossbar::of(Scheme::Minimal, 2, dims);
            (crossbar.lanes().len(), crossbar.crosspoints())
        };
        assert_eq!((size(3), size(4)), ((4, 10), (6, 17)));
    }

    /// Property 2 of the note: an input has at most half as many outputs as there are dimensions.
    /// There are k(k-1)/2 connections in all, which is the minimum.
    #[test]
    fn an_input_reaches_half_of_the_outputs() {
        for dims in 1..=16 {
            let connections = connections(Scheme::Minimal, dims);
            assert!(connections.iter().all(|to| to.len() <= dims / 2));
            let all: usize = connections.iter().map(Vec::len).sum();
            assert_eq!(all, dims * (dims - 1) / 2);
            // A second virtual channel exists only where packets arrive after a wrap.
            let crossbar = Crossbar::of(Scheme::Minimal, 2, dims);
            for dim in 0..dims {
                let wanted = if dim >= 2 { 2 } else { 1 };
                assert_eq!(crossbar.channels(dim), wanted, "{dims}, {dim}");
            }
            assert_eq!(Crossbar::of(Scheme::Minimal, 1, dims).lanes().len(), dims);
        }
    }

    /// Thacker's rule has the property up to four dimensions: one, one, two and two outputs. With
    /// five dimensions an input needs three outputs.
    #[test]
    fn thackers_rule_needs_three_outputs_of_five_dimensions() {
        let most = |dims| connections(Scheme::Thacker, dims).iter().map(Vec::len).max();
        let mut four: Vec<usize> = connections(Scheme::Thacker, 4).iter().map(Vec::len).collect();
        four.sort_unstable();
        assert_eq!(four, [1, 1, 2, 2]);
        assert_eq!((most(4), most(5)), (Some(2), Some(3)));
    }

    #[test]
    fn kernel_functions_match_the_crossbar() {
        for (number, scheme) in [(0, Scheme::Minimal), (1, Scheme::Thacker)] {
            assert_eq!(scheme as usize, number);
            for (dims, channels) in [(1, 1), (3, 2), (4, 1), (5, 2)] {
                let crossbar = Crossbar::of(scheme, channels, dims);
                for queue in 0..=crossbar.processor() {
                    for (k, input) in crossbar.inputs(queue).into_iter().enumerate() {
                        assert_eq!(kernel::input(number, channels, dims, queue, k), input);
                        let index = kernel::queue_index(number, channels, dims, queue, k);
                        assert_eq!(crossbar.queues(input)[index], queue);
                    }
                }
            }
        }
    }
}

//! Which inputs of a switch lead to which queues, as the relation says.

use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::rotation::{RotationRouting, Rule};
use interconnect::routing::Relation;
use interconnect::topology::Hypercube;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The routes that a crossbar is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    Minimal,
    Thacker,
    /// Past a switch that has failed, whichever it is.
    Rewired,
}

/// A virtual channel of a dimension that some packet uses. Each is an input and a queue of a
/// switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    pub dim: usize,
    pub vc: usize,
}

/// The crossbar of a switch: what the routes of all pairs use, and no more.
///
/// Inputs and queues are numbered as the lanes are, by dimension, virtual channel 0 before
/// 1; the processor's input and queue are the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossbar {
    dims: usize,
    lanes: Vec<Lane>,
    /// Of each input the queues that its packets go to, as [`queues`](Self::queues) has them.
    queues: Vec<Vec<usize>>,
}

impl Crossbar {
    /// The crossbar for a cube of so many dimensions, 1 to 16, with one or two virtual channels.
    ///
    /// # Panics
    /// If there are no such routes.
    pub fn of(scheme: Scheme, channels: usize, dims: usize) -> &'static Crossbar {
        static ALL: [[[OnceLock<Crossbar>; 17]; 2]; 3] =
            [const { [const { [const { OnceLock::new() }; 17] }; 2] }; 3];
        let slot = &ALL[scheme as usize][channels - 1][dims];
        slot.get_or_init(|| {
            let cube = Hypercube::of(dims as u32);
            let channels = channels as u32;
            let of_rule = |rule| RotationRouting {
                cube,
                rule,
                channels,
            };
            match scheme {
                Scheme::Minimal => Crossbar::built(dims, &of_rule(Rule::Minimal)),
                Scheme::Thacker => Crossbar::built(dims, &of_rule(Rule::Thacker)),
                Scheme::Rewired => {
                    assert_eq!(dims, Rewiring::DIMS as usize, "no such wiring is known");
                    // Of another failure each node is translated, and all have one circuit.
                    let failed = 0;
                    Crossbar::built(dims, &RewiredRouting { failed, channels })
                }
            }
        })
    }

    /// From the routes out of one node, if all others are the same, translated; else of all.
    fn built(dims: usize, relation: &dyn Relation) -> Self {
        let nodes = relation.topology().nodes();
        let sources = if relation.translates() { 1 } else { nodes };
        let pairs = (0..sources).flat_map(|s| (0..nodes).map(move |d| (s, d)));
        // From the input of `None`, the processor; to the queue of `None`.
        let mut points = BTreeSet::new();
        for (source, destination) in pairs {
            let route = relation.route(source, destination);
            if route.is_empty() {
                continue;
            }
            let lanes = route.iter().map(|channel| Lane {
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
        let lanes: BTreeSet<Lane> = points.iter().filter_map(|(_, to)| *to).collect();
        let lanes: Vec<Lane> = lanes.into_iter().collect();
        let number = |lane: Lane| lanes.binary_search(&lane).expect("it is used");
        let queues = lanes.iter().copied().map(Some).chain([None]);
        let queues = queues.map(|input| {
            let to = points.iter().filter(|(from, _)| *from == input);
            let mut to: Vec<Lane> = to.filter_map(|(_, to)| *to).collect();
            to.sort_by_key(|lane| match input {
                // The next to the right first, round the word.
                Some(from) => (from.dim + dims - lane.dim) % dims,
                None => lane.dim,
            });
            let home = input.map(|_| lanes.len());
            to.into_iter().map(number).chain(home).collect()
        });
        Crossbar {
            dims,
            queues: queues.collect(),
            lanes,
        }
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The number of the processor's input and queue; those of the others are below.
    pub fn processor(&self) -> usize {
        self.lanes.len()
    }

    /// Virtual channels of a dimension.
    pub fn channels(&self, dim: usize) -> usize {
        self.lanes.iter().filter(|lane| lane.dim == dim).count()
    }

    /// The number of a lane.
    pub fn number(&self, dim: usize, vc: usize) -> Option<usize> {
        self.lanes.binary_search(&Lane { dim, vc }).ok()
    }

    /// The queues of an input: of the next dimension to the right first, of the processor's
    /// dimension 0 first; then, but for the processor's input, that to the processor.
    pub fn queues(&self, input: usize) -> &[usize] {
        &self.queues[input]
    }

    /// The dimensions that packets of an input may leave in, in the order of their queues.
    pub fn dims_of(&self, input: usize) -> Vec<usize> {
        let queues = self.queues[input].iter();
        let lanes = queues.filter_map(|queue| self.lanes.get(*queue));
        lanes.map(|lane| lane.dim).collect()
    }

    /// The inputs from other nodes that lead to other nodes; the others lead to the processor
    /// only.
    pub fn leading(&self) -> Vec<usize> {
        let leads = |input: &usize| self.queues[*input].len() > 1;
        (0..self.processor()).filter(leads).collect()
    }

    /// The inputs of a queue in the order of their priority: by dimension, virtual channel
    /// 0 before 1, the processor last.
    pub fn inputs(&self, queue: usize) -> Vec<usize> {
        let inputs = 0..=self.processor();
        let leads = |input: &usize| self.queues[*input].contains(&queue);
        inputs.filter(leads).collect()
    }

    /// The dimensions in which packets leave that came in each dimension, whatever the virtual
    /// channel: the connections of the note.
    pub fn connections(&self) -> Vec<BTreeSet<usize>> {
        let mut connections = vec![BTreeSet::new(); self.dims];
        for (input, lane) in self.lanes.iter().enumerate() {
            connections[lane.dim].extend(self.dims_of(input));
        }
        connections
    }

    /// Crosspoints, those of the processor included.
    pub fn crosspoints(&self) -> usize {
        self.queues.iter().map(Vec::len).sum()
    }
}

/// What kernels ask, which know numbers only: `scheme` is a [`Scheme`] as a number.
pub(super) mod kernel {
    use super::{Crossbar, Scheme};

    fn crossbar(scheme: usize, channels: usize, dims: usize) -> &'static Crossbar {
        let schemes = [Scheme::Minimal, Scheme::Thacker, Scheme::Rewired];
        Crossbar::of(schemes[scheme], channels, dims)
    }

    /// Virtual channels of a dimension.
    pub fn channels(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        crossbar(scheme, channels, dims).channels(dim)
    }

    /// The number of dimensions below this one with as many virtual channels as it has.
    pub fn place_of_dim(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let alike = |other: &usize| crossbar.channels(*other) == crossbar.channels(dim);
        (0..dim).filter(alike).count()
    }

    /// The lowest lane of a dimension.
    pub fn first_lane(scheme: usize, channels: usize, dims: usize, dim: usize) -> usize {
        let lane = crossbar(scheme, channels, dims).number(dim, 0);
        lane.expect("a single hop is on virtual channel 0")
    }

    /// The dimension of a lane.
    pub fn dim(scheme: usize, channels: usize, dims: usize, lane: usize) -> usize {
        crossbar(scheme, channels, dims).lanes()[lane].dim
    }

    /// The `n`-th input from another node that leads to another one.
    pub fn leading(scheme: usize, channels: usize, dims: usize, n: usize) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let leading = crossbar.leading();
        leading[n]
    }

    /// The dimension of the `r`-th queue of an input.
    pub fn dim_of(scheme: usize, channels: usize, dims: usize, input: usize, r: usize) -> usize {
        crossbar(scheme, channels, dims).dims_of(input)[r]
    }

    /// The `k`-th input of a queue.
    pub fn input(scheme: usize, channels: usize, dims: usize, queue: usize, k: usize) -> usize {
        crossbar(scheme, channels, dims).inputs(queue)[k]
    }

    /// The place of a queue among those of its `k`-th input.
    pub fn place(scheme: usize, channels: usize, dims: usize, queue: usize, k: usize) -> usize {
        let crossbar = crossbar(scheme, channels, dims);
        let queues = crossbar.queues(crossbar.inputs(queue)[k]);
        let place = queues.iter().position(|q| *q == queue);
        place.expect("the input leads to the queue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(scheme: Scheme, dims: usize) -> Vec<Vec<usize>> {
        let sets = Crossbar::of(scheme, 2, dims).connections();
        sets.into_iter().map(Vec::from_iter).collect()
    }

    /// The printed tables of another program.
    #[test]
    fn only_what_can_occur_is_there() {
        let minimal = |dims| connections(Scheme::Minimal, dims);
        assert_eq!(minimal(3), [vec![2], vec![0], vec![1]]);
        assert_eq!(minimal(4), [vec![3], vec![0, 3], vec![0, 1], vec![2]]);
        let size = |dims| {
            let crossbar = Crossbar::of(Scheme::Minimal, 2, dims);
            (crossbar.lanes().len(), crossbar.crosspoints())
        };
        assert_eq!((size(3), size(4)), ((4, 10), (6, 17)));
    }

    /// The note's property 2: at most half as many outputs as there are dimensions to an input, and
    /// k(k-1)/2 connections in all, which is the minimum.
    #[test]
    fn an_input_reaches_half_of_the_outputs() {
        for dims in 1..=16 {
            let connections = connections(Scheme::Minimal, dims);
            assert!(connections.iter().all(|to| to.len() <= dims / 2));
            let all: usize = connections.iter().map(Vec::len).sum();
            assert_eq!(all, dims * (dims - 1) / 2);
            // With a second virtual channel only where packets come after a wrap.
            let crossbar = Crossbar::of(Scheme::Minimal, 2, dims);
            for dim in 0..dims {
                let wanted = if dim >= 2 { 2 } else { 1 };
                assert_eq!(crossbar.channels(dim), wanted, "{dims}, {dim}");
            }
            assert_eq!(Crossbar::of(Scheme::Minimal, 1, dims).lanes().len(), dims);
        }
    }

    /// Thacker's rule keeps it up to four dimensions: one, one, two and two outputs; with five
    /// an input needs three.
    #[test]
    fn thackers_rule_needs_three_outputs_of_five_dimensions() {
        let most = |dims| {
            connections(Scheme::Thacker, dims)
                .iter()
                .map(Vec::len)
                .max()
        };
        let mut four: Vec<usize> = connections(Scheme::Thacker, 4)
            .iter()
            .map(Vec::len)
            .collect();
        four.sort_unstable();
        assert_eq!(four, [1, 1, 2, 2]);
        assert_eq!((most(4), most(5)), (Some(2), Some(3)));
    }

    #[test]
    fn kernels_find_the_same() {
        for (number, scheme) in [(0, Scheme::Minimal), (1, Scheme::Thacker)] {
            assert_eq!(scheme as usize, number);
            for (dims, channels) in [(1, 1), (3, 2), (4, 1), (5, 2)] {
                let crossbar = Crossbar::of(scheme, channels, dims);
                for queue in 0..=crossbar.processor() {
                    for (k, input) in crossbar.inputs(queue).into_iter().enumerate() {
                        assert_eq!(kernel::input(number, channels, dims, queue, k), input);
                        let place = kernel::place(number, channels, dims, queue, k);
                        assert_eq!(crossbar.queues(input)[place], queue);
                    }
                }
            }
        }
    }
}

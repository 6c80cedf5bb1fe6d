//! Messages that arrive over time: when processors create them, for whom, and how long they are.
//!
//! All networks and commands take their load from [`OfferedLoad`] (docs/measuring.md).

use super::recipe::{Payloads, Recipe, RecipeError};
use super::{Message, SplitMix64, TrafficPattern, PAYLOAD_MAX};
use crate::topology::AddressSpace;
use std::fmt;
use std::str::FromStr;

/// Number of moments in a period. In each moment every processor may get a message to send.
pub const STEPS_PER_PERIOD: u64 = 16;

/// Random numbers are compared with probabilities as integers below this one.
const ONE: u64 = 1 << 53;

fn threshold(probability: f64) -> u64 {
    (probability * ONE as f64) as u64
}

/// When a processor creates messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Injection {
    /// In each moment with the same probability, independently.
    #[default]
    Bernoulli,
    /// In bursts: a processor is on or off. It changes its state in each moment with a fixed
    /// probability, and creates messages only while it is on.
    Bursty {
        /// Mean length of a burst in periods.
        periods: f64,
        /// Load within a burst, divided by the mean load, at least [`Injection::factor_min`].
        factor: f64,
    },
}

impl Injection {
    /// Largest mean load, in messages per processor and period.
    pub fn load_max(self) -> f64 {
        match self {
            Injection::Bernoulli => STEPS_PER_PERIOD as f64,
            Injection::Bursty { factor, .. } => STEPS_PER_PERIOD as f64 / factor,
        }
    }

    /// Smallest factor for bursts of this mean length. The pauses then have one moment each. Shorter
    /// pauses do not exist.
    pub fn factor_min(periods: f64) -> f64 {
        1.0 + 1.0 / (periods * STEPS_PER_PERIOD as f64)
    }
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const ACCEPTED: &str = "bernoulli, or bursty:P:F with bursts of P periods on average \
                                (0.0625 to 10000) and F times the mean load (1 + 1/(16 P) to 1000)";
        let parsed = || {
            let mut words = text.split(':');
            let injection = match (words.next()?, words.next(), words.next(), words.next()) {
                ("bernoulli", None, ..) => Injection::Bernoulli,
                ("bursty", Some(periods), Some(factor), None) => Injection::Bursty {
                    periods: periods.parse().ok()?,
                    factor: factor.parse().ok()?,
                },
                _ => return None,
            };
            let is_possible = match injection {
                Injection::Bernoulli => true,
                Injection::Bursty { periods, factor } => {
                    (0.0625..=1e4).contains(&periods)
                        && (Injection::factor_min(periods)..=1000.0).contains(&factor)
                }
            };
            is_possible.then_some(injection)
        };
        parsed().ok_or_else(|| format!("{text:?} is no injection process; accepted: {ACCEPTED}"))
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Injection::Bernoulli => f.write_str("bernoulli"),
            Injection::Bursty { periods, factor } => write!(f, "bursty:{periods}:{factor}"),
        }
    }
}

/// Lengths of the payloads in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum PayloadLengths {
    Fixed(usize),
    /// Each length from the first to the last one with the same probability.
    Uniform(usize, usize),
    /// Lengths with their weights.
    Weighted(Vec<(usize, f64)>),
}

impl PayloadLengths {
    /// Longest payload.
    pub fn longest(&self) -> usize {
        match self {
            PayloadLengths::Fixed(length) | PayloadLengths::Uniform(_, length) => *length,
            PayloadLengths::Weighted(lengths) => {
                lengths.iter().map(|(length, _)| *length).max().unwrap_or(0)
            }
        }
    }

    /// Mean length.
    pub fn mean(&self) -> f64 {
        match self {
            PayloadLengths::Fixed(length) => *length as f64,
            PayloadLengths::Uniform(first, last) => (first + last) as f64 / 2.0,
            PayloadLengths::Weighted(lengths) => {
                let sum: f64 = lengths.iter().map(|(_, weight)| weight).sum();
                let all = lengths.iter().map(|(length, w)| *length as f64 * w);
                all.sum::<f64>() / sum
            }
        }
    }

    fn draw(&self, random: &mut SplitMix64) -> usize {
        match self {
            PayloadLengths::Fixed(length) => *length,
            PayloadLengths::Uniform(first, last) => {
                first + random.below((last - first) as u64 + 1) as usize
            }
            PayloadLengths::Weighted(lengths) => {
                let sum: f64 = lengths.iter().map(|(_, weight)| weight).sum();
                let mut left = random.below(ONE) as f64 / ONE as f64 * sum;
                let drawn = lengths.iter().find(|(_, weight)| {
                    left -= weight;
                    left < 0.0
                });
                drawn.or(lengths.last()).map_or(0, |(length, _)| *length)
            }
        }
    }
}

impl FromStr for PayloadLengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = |text: &str| {
            let length = text.parse::<usize>().ok();
            length.filter(|length| *length <= PAYLOAD_MAX)
        };
        let weighted = |part: &str| {
            let (length, weight) = part.split_once(':')?;
            let weight = weight.parse::<f64>().ok();
            let weight = weight.filter(|weight| *weight > 0.0 && weight.is_finite())?;
            Some((bytes(length)?, weight))
        };
        let parsed = || {
            if let Some(length) = bytes(text) {
                return Some(PayloadLengths::Fixed(length));
            }
            if let Some((first, last)) = text.split_once('-') {
                let (first, last) = (bytes(first)?, bytes(last)?);
                return (first < last).then_some(PayloadLengths::Uniform(first, last));
            }
            let parts = text.split(',').map(weighted).collect::<Option<_>>();
            parts.map(PayloadLengths::Weighted)
        };
        parsed().ok_or_else(|| {
            format!(
                "{text:?} are no lengths; accepted: bytes (4), a range (4-20), or lengths with \
                 weights (4:3,64:1), each up to {PAYLOAD_MAX} bytes"
            )
        })
    }
}

impl fmt::Display for PayloadLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PayloadLengths::Fixed(length) => write!(f, "{length}"),
            PayloadLengths::Uniform(first, last) => write!(f, "{first}-{last}"),
            PayloadLengths::Weighted(lengths) => {
                let parts = lengths.iter().map(|(length, w)| format!("{length}:{w}"));
                f.write_str(&parts.collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// Sources that get messages at random.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedLoad {
    /// Messages per node and period, up to [`Injection::load_max`] per processor.
    pub load: f64,
    /// Number of periods.
    pub periods: u64,
    pub seed: u64,
    pub lengths: PayloadLengths,
    pub injection: Injection,
    /// Destinations. A pattern with several messages per processor gives them in turn. Messages to
    /// their own node are not created.
    pub pattern: TrafficPattern,
}

impl OfferedLoad {
    /// Messages of `payload` bytes, at random times to random processors of other nodes.
    pub fn uniform(load: f64, periods: u64, seed: u64, payload: usize) -> Self {
        OfferedLoad {
            load,
            periods,
            seed,
            lengths: PayloadLengths::Fixed(payload),
            injection: Injection::Bernoulli,
            pattern: TrafficPattern::Uniform,
        }
    }

    /// Returns the messages, and the moment in which each arrives, ascending. Processors are
    /// numbered node * P + processor with P = 2^`proc_bits`.
    ///
    /// In every moment each processor draws whether it gets a message, and its destination. The
    /// random numbers come from SplitMix64 with `seed`. Payloads are drawn in the same way as for a
    /// [`Recipe`], and lengths from a third generator.
    ///
    /// # Errors
    /// If the nodes have no such pattern.
    pub fn messages(
        &self,
        nodes: impl Into<AddressSpace>,
        proc_bits: u32,
    ) -> Result<(Vec<Message>, Vec<u64>), RecipeError> {
        let nodes = u64::from(nodes.into().nodes());
        let all = nodes << proc_bits;
        let mut destinations = Destinations::new(&self.pattern, nodes, proc_bits, self.seed)?;
        let mut sources = Sources::new(self.injection, self.load / (1 << proc_bits) as f64, all);
        let mut random = SplitMix64::new(self.seed);
        let mut lengths = SplitMix64::new(self.seed.rotate_left(32) ^ 0x4C45_4E47_5448);
        let mut payloads = Payloads::new(self.seed, self.lengths.longest());
        let (mut messages, mut arrival_steps) = (vec![], vec![]);
        for step in 0..self.periods * STEPS_PER_PERIOD {
            for source in 0..all {
                if !sources.creates(source, &mut random) {
                    continue;
                }
                let Some(destination) = destinations.draw(source, &mut random) else {
                    continue;
                };
                let length = self.lengths.draw(&mut lengths);
                messages.push(Message {
                    source: source as u32,
                    destination: destination as u32,
                    payload: payloads.next()[..length].to_vec(),
                });
                arrival_steps.push(step);
            }
        }
        Ok((messages, arrival_steps))
    }
}

/// The states of all processors.
struct Sources {
    /// Probability of a message in a moment, while the processor is on.
    create: u64,
    /// Probabilities that the processor goes on, and off, in a moment. `None` if it is always on.
    change: Option<[u64; 2]>,
    /// For each processor, whether it is on; empty until it is drawn.
    on: Vec<Option<bool>>,
    /// Share of the processors that are on.
    share: u64,
}

impl Sources {
    /// `load` is in messages per processor and period.
    fn new(injection: Injection, load: f64, processors: u64) -> Self {
        let mean = load / STEPS_PER_PERIOD as f64;
        match injection {
            Injection::Bernoulli => {
                Sources { create: threshold(mean), change: None, on: vec![], share: ONE }
            }
            Injection::Bursty { periods, factor } => {
                let off = 1.0 / (periods * STEPS_PER_PERIOD as f64);
                // In the steady state, a share of 1 / factor is on.
                let on = off / (factor - 1.0);
                Sources {
                    create: threshold(mean * factor),
                    change: Some([threshold(on), threshold(off)]),
                    on: vec![None; processors as usize],
                    share: threshold(1.0 / factor),
                }
            }
        }
    }

    /// Advances a processor by a moment. Returns true if it creates a message.
    fn creates(&mut self, processor: u64, random: &mut SplitMix64) -> bool {
        if let Some([go_on, go_off]) = self.change {
            let state = &mut self.on[processor as usize];
            let is_on = match *state {
                None => random.below(ONE) < self.share,
                Some(true) => random.below(ONE) >= go_off,
                Some(false) => random.below(ONE) < go_on,
            };
            *state = Some(is_on);
            if !is_on {
                return false;
            }
        }
        random.below(ONE) < self.create
    }
}

/// Destinations of each processor's messages.
struct Destinations {
    nodes: u64,
    processors: u64,
    kind: DestinationKind,
}

enum DestinationKind {
    Uniform,
    /// Percentage of the messages for node 0.
    Hotspot(u64),
    /// For each processor, the destinations of its messages in turn, and the next one.
    Lists(Vec<(Vec<u32>, usize)>),
}

impl Destinations {
    fn new(
        pattern: &TrafficPattern,
        nodes: u64,
        proc_bits: u32,
        seed: u64,
    ) -> Result<Self, RecipeError> {
        let kind = match pattern {
            TrafficPattern::Uniform => DestinationKind::Uniform,
            TrafficPattern::HotspotShare(percent) => DestinationKind::Hotspot(*percent),
            pattern => {
                let recipe = Recipe {
                    pattern: pattern.clone(),
                    seed,
                    payload: 0,
                    order: Default::default(),
                };
                let all = AddressSpace::new(nodes << proc_bits)?;
                let mut lists = vec![(vec![], 0); all.nodes() as usize];
                for message in recipe.list(all)?.iter() {
                    lists[message.source as usize].0.push(message.destination);
                }
                DestinationKind::Lists(lists)
            }
        };
        Ok(Destinations { nodes, processors: 1 << proc_bits, kind })
    }

    /// Returns the destination of a processor's next message. `None` if it is on its own node.
    fn draw(&mut self, source: u64, random: &mut SplitMix64) -> Option<u64> {
        let node = source / self.processors;
        let others = self.nodes - 1;
        if others == 0 {
            return None;
        }
        match &mut self.kind {
            DestinationKind::Uniform => Some(self.other(node, random)),
            DestinationKind::Hotspot(percent) => {
                if random.below(100) >= *percent {
                    return Some(self.other(node, random));
                }
                (node != 0).then(|| random.below(self.processors))
            }
            DestinationKind::Lists(lists) => {
                let (list, next) = &mut lists[source as usize];
                let destination = u64::from(*list.get(*next)?);
                *next = (*next + 1) % list.len();
                (destination / self.processors != node).then_some(destination)
            }
        }
    }

    /// Draws a processor of another node.
    fn other(&self, node: u64, random: &mut SplitMix64) -> u64 {
        let away = 1 + random.below(self.nodes - 1);
        (node + away) % self.nodes * self.processors + random.below(self.processors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    fn offered(load: f64, pattern: &str) -> OfferedLoad {
        OfferedLoad { pattern: pattern.parse().unwrap(), ..OfferedLoad::uniform(load, 400, 3, 4) }
    }

    #[test]
    fn offered_load_is_met_and_all_messages_leave_their_node() {
        let cube = Hypercube::new(4).unwrap();
        for (load, proc_bits) in [(0.1, 0), (1.0, 2), (2.0, 0)] {
            let offered = OfferedLoad::uniform(load, 100, 3, 4);
            let (messages, moments) = offered.messages(cube, proc_bits).unwrap();
            let expected = load * 100.0 * 16.0;
            // Five standard deviations of a sum of Bernoulli trials.
            let slack = 5.0 * f64::sqrt(expected);
            assert!((messages.len() as f64 - expected).abs() < slack);
            assert!(moments.is_sorted());
            assert!(*moments.last().unwrap() < 100 * STEPS_PER_PERIOD);
            for m in &messages {
                assert_ne!(m.source >> proc_bits, m.destination >> proc_bits);
                assert!(m.source.max(m.destination) < 16 << proc_bits);
                assert_eq!(m.payload.len(), 4);
            }
            assert_eq!(offered.messages(cube, proc_bits).unwrap().0, messages);
        }
    }

    /// Index of dispersion: the variance of the number of messages in a window, divided by its mean.
    fn dispersion(offered: &OfferedLoad, window: u64) -> (f64, f64) {
        let cube = Hypercube::new(4).unwrap();
        let (messages, moments) = offered.messages(cube, 0).unwrap();
        let windows = offered.periods * STEPS_PER_PERIOD / window;
        let mut counts = vec![0.0; (windows * 16) as usize];
        for (message, moment) in messages.iter().zip(moments) {
            if let Some(count) =
                counts.get_mut((moment / window * 16) as usize + message.source as usize)
            {
                *count += 1.0;
            }
        }
        let n = counts.len() as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / n;
        (mean / window as f64 * STEPS_PER_PERIOD as f64, variance / mean)
    }

    /// Bursts have the mean load of Bernoulli trials, and a larger variance. With bursts that are
    /// long against the window, theory has 1 + m (F - 1) for m messages in the window.
    #[test]
    fn bursts_keep_the_mean_and_raise_the_variance() {
        let smooth = OfferedLoad::uniform(0.5, 4000, 7, 4);
        let bursty = OfferedLoad { injection: "bursty:40:4".parse().unwrap(), ..smooth.clone() };
        let (mean, spread) = dispersion(&smooth, 64);
        assert!((mean - 0.5).abs() < 0.02 && (0.9..1.05).contains(&spread), "{mean} {spread}");
        let (mean, spread) = dispersion(&bursty, 64);
        let theory = 1.0 + 0.5 * 4.0 * 3.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        assert!((spread / theory - 1.0).abs() < 0.15, "{spread} {theory}");
    }

    /// At the bound of the factor every pause has one moment.
    #[test]
    fn bursts_with_the_shortest_pauses_keep_the_mean() {
        for (text, load) in [("bursty:1:1.0625", 8.0), ("bursty:0.0625:2", 4.0)] {
            let bursty = OfferedLoad {
                injection: text.parse().unwrap(),
                ..OfferedLoad::uniform(load, 2000, 7, 4)
            };
            let (mean, _) = dispersion(&bursty, 64);
            assert!((mean / load - 1.0).abs() < 0.01, "{text}: {mean}");
            let below = text.replace(":1.0625", ":1.0624").replace(":2", ":1.99");
            let error = below.parse::<Injection>().unwrap_err();
            assert!(error.contains("(1 + 1/(16 P) to 1000)"), "{error}");
        }
    }

    #[test]
    fn lengths_have_their_distribution() {
        let cube = Hypercube::new(4).unwrap();
        for (text, longest, mean) in
            [("7", 7, 7.0), ("4-20", 20, 12.0), ("4:3,64:1", 64, 19.0), ("0:1,8:1", 8, 4.0)]
        {
            let lengths: PayloadLengths = text.parse().unwrap();
            assert_eq!(lengths.to_string(), text);
            assert_eq!((lengths.longest(), lengths.mean()), (longest, mean));
            let offered = OfferedLoad { lengths, ..OfferedLoad::uniform(1.0, 200, 5, 0) };
            let (messages, _) = offered.messages(cube, 0).unwrap();
            let bytes: usize = messages.iter().map(|m| m.payload.len()).sum();
            let found = bytes as f64 / messages.len() as f64;
            // Six standard deviations of the mean of 3,200 lengths.
            assert!((found - mean).abs() < 6.0 * 30.0 / 3200f64.sqrt(), "{text}: {found}");
            // Neither the times nor the destinations depend on the lengths.
            let fixed = OfferedLoad::uniform(1.0, 200, 5, 4).messages(cube, 0).unwrap().0;
            let ends = |list: &[Message]| -> Vec<(u32, u32)> {
                list.iter().map(|m| (m.source, m.destination)).collect()
            };
            assert_eq!(ends(&messages), ends(&fixed));
        }
        for wrong in ["", "79", "20-4", "4:0", "4:1,x:2", "4-", "-1"] {
            let error = wrong.parse::<PayloadLengths>().unwrap_err();
            assert!(error.contains("accepted: bytes (4)"), "{error}");
        }
    }

    #[test]
    fn injection_processes_round_trip() {
        for text in ["bernoulli", "bursty:2.5:4"] {
            assert_eq!(text.parse::<Injection>().unwrap().to_string(), text);
        }
        assert_eq!("bursty:1:4".parse::<Injection>().unwrap().load_max(), 4.0);
        for wrong in [
            "",
            "bursty",
            "bursty:1",
            "bursty:1:1",
            "bursty:1:1.06",
            "bursty:0.0625:1.9",
            "bursty:0:2",
            "bernoulli:1",
            "bursty:1:2:3",
        ] {
            let error = wrong.parse::<Injection>().unwrap_err();
            assert!(error.contains("accepted: bernoulli, or bursty:P:F"), "{error}");
        }
    }

    #[test]
    fn patterns_select_the_destinations() {
        let cube = Hypercube::new(4).unwrap();
        let messages = |pattern: &str| offered(1.0, pattern).messages(cube, 0).unwrap().0;
        for m in messages("complement") {
            assert_eq!(m.destination, 15 - m.source);
        }
        for m in messages("tornado") {
            assert_eq!(m.destination, (m.source + 7) % 16);
        }
        for m in messages("neighbour:4x4") {
            let [x, y] = [m.source % 4, m.source / 4].map(|digit| (digit + 1) % 4);
            assert_eq!(m.destination, 4 * y + x);
        }
        // Nodes 0 and 15 of a shuffle send to themselves, which is no message.
        assert!(messages("shuffle").iter().all(|m| m.source % 15 != 0));
        // 30 % of the drawn messages are for node 0, except at node 0, which sends none of them. One in
        // 15 of the others is for node 0.
        let hot = messages("hotspot:30");
        let share = hot.iter().filter(|m| m.destination == 0).count() as f64 / hot.len() as f64;
        let (direct, other) = (0.3 * 15.0, 0.7 * 16.0);
        let theory = (direct + other / 16.0) / (direct + other);
        assert!((share - theory).abs() < 0.02, "{share} {theory}");
        // Each of three permutations in turn.
        let recipe = Recipe {
            pattern: TrafficPattern::Relation(3),
            seed: 3,
            payload: 0,
            order: Default::default(),
        };
        let from_5 = |list: Vec<Message>| -> Vec<u32> {
            let list = list.into_iter().filter(|m| m.source == 5 && !m.is_to_self());
            list.map(|m| m.destination).collect()
        };
        let (turns, found) =
            (from_5(recipe.messages(cube).unwrap()), from_5(messages("relation:3")));
        let wanted: Vec<u32> = turns.iter().copied().cycle().take(found.len()).collect();
        assert!(turns.len() > 1 && found.len() > 100);
        assert_eq!(found, wanted);
        let error = offered(1.0, "tornado:3x3").messages(cube, 0).unwrap_err();
        assert!(error.to_string().contains("accepted: radices whose product is 16"), "{error}");
    }
}

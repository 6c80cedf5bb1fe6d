//! Shortest possible phase of two nodes with individual clocks.
//!
//! Each node is a circuit in its own engine, with its own clock. The phase clock reaches one node
//! later than the other. The wire between them is open-drain. Times are in bit-times of a perfect
//! clock.

use crate::networks::tdma::frame::OVERHEAD;
use crate::networks::tdma::TdmaFrame;
use engine::{CircuitEngine, EngineError, EvaluatorEngine, PortId};
use hdl::lower::lower;
use interconnect::traffic::SplitMix64;
use rtl::tdma::SynchronisedPort;
use rtl::uart::BITS_PER_BYTE;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

// Conditions for the test of two nodes with individual clocks.

/// Numbers of clock cycles per bit for which there are circuits.
pub const CLOCKS_PER_BIT: &[u32] = &[4, 8, 16, 32, 64];

/// Conditions of the two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkewConditions {
    /// Clock cycles per bit: one of [`CLOCKS_PER_BIT`].
    pub clocks_per_bit: u32,
    /// Payload of every frame in bytes, up to 80.
    pub payload: u32,
    /// Bit-times by which the phase clock reaches node 1 later than node 0.
    pub skew: f64,
    /// Parts per million by which node 1's clock is slower than node 0's. Each clock is off by half
    /// of this value.
    pub mismatch: f64,
}

impl SkewConditions {
    /// Returns the bit-times of a frame with a perfect clock.
    pub fn frame(&self) -> f64 {
        f64::from(BITS_PER_BYTE * (OVERHEAD as u32 + self.payload))
    }

    /// Returns the bit-times of a clock cycle of a node.
    pub fn clock_cycle(&self, node: usize) -> f64 {
        let off = if node == 0 { -0.5 } else { 0.5 };
        (1.0 + off * self.mismatch * 1e-6) / f64::from(self.clocks_per_bit)
    }

    /// Returns a node's circuit in its initial state.
    ///
    /// # Errors
    /// None occurs, because the tests lower the circuits.
    ///
    /// # Panics
    /// If there is no circuit for this number of clock cycles per bit.
    fn node(&self) -> Result<EvaluatorEngine, EngineError> {
        macro_rules! circuits {
            ($($clocks:literal)*) => {
                match self.clocks_per_bit {
                    $($clocks => lower(&SynchronisedPort::<1, $clocks>::default())?,)*
                    other => panic!("no circuit with {other} clock cycles per bit"),
                }
            };
        }
        EvaluatorEngine::new(&circuits!(4 8 16 32 64))
    }
}

// Calculation of the shortest phase, term by term.

/// Maximum clock cycles that a phase needs for the circuits. From the edge of the phase clock to a
/// pull of the wire are 5 to 6 clock cycles. From there to a byte are 3 to 4, less the early
/// sampling of the receiver. The receiver begins its own phase 3 to 4 after the edge that ends the
/// phase. The exact value depends on the alignment of the clocks.
const LATENCY: f64 = 6.0;

/// Bit-times from the edge of a start bit to the middle of the stop bit.
const LAST_SAMPLE: f64 = 9.5;

/// Term that determines the minimum, in addition to the frame itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Synchronisers and registers on the path.
    Latency,
    /// Later arrival of the phase clock at one node than at the other.
    Skew,
    /// Wait of the sender for a receiver that begins the phase later.
    Guard,
    /// Longer duration of a slow sender's frame.
    Mismatch,
    /// The receiver's last sample is off by half a bit. No phase is long enough.
    UartSampling,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Limit::Latency => "latency",
            Limit::Skew => "skew",
            Limit::Guard => "guard",
            Limit::Mismatch => "frame x mismatch",
            Limit::UartSampling => "UART sampling",
        })
    }
}

/// Calculated minimum for the worst alignment of the clocks, in bit-times. A phase is the sum of
/// its terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// Frame up to the middle of its last stop bit.
    pub frame: f64,
    /// Additional duration with a slow sender.
    pub mismatch: f64,
    pub skew: f64,
    /// Dead time: wait of a sender that begins the phase first. A late receiver still detects a
    /// start bit for half a bit-time, less the share lost to the mismatch.
    pub guard: f64,
    pub latency: f64,
    /// True if the receiver samples the last bit within the bit.
    pub samples_well: bool,
}

impl Expectation {
    pub fn of(conditions: &SkewConditions) -> Self {
        let clock_cycle = 1.0 / f64::from(conditions.clocks_per_bit);
        let mismatch = conditions.mismatch.abs() * 1e-6;
        // An edge is detected up to a clock cycle late, and sampling points are whole clock cycles.
        let slack = 0.5 - LAST_SAMPLE * mismatch;
        let guard = conditions.skew.abs() - slack.max(0.0) - clock_cycle;
        Expectation {
            frame: conditions.frame() - 0.5,
            mismatch: conditions.frame() * mismatch / 2.0,
            skew: conditions.skew.abs(),
            guard: guard.max(0.0),
            latency: LATENCY * clock_cycle,
            samples_well: slack > clock_cycle / 2.0,
        }
    }

    /// Returns the bit-times of the shortest phase.
    pub fn phase(&self) -> f64 {
        self.frame + self.mismatch + self.skew + self.guard + self.latency
    }

    /// Returns the largest term other than the frame.
    pub fn limit(&self) -> Limit {
        if !self.samples_well {
            return Limit::UartSampling;
        }
        let terms = [
            (Limit::Latency, self.latency),
            (Limit::Skew, self.skew),
            (Limit::Guard, self.guard),
            (Limit::Mismatch, self.mismatch),
        ];
        let larger = |a: (Limit, f64), b: (Limit, f64)| if b.1 > a.1 { b } else { a };
        terms.into_iter().fold(terms[0], larger).0
    }
}

// One of the two nodes, with its own clock and a host that checks the received bytes.

/// Node: its circuit, the time of its next clock edge, and its host. The host sends one frame in
/// each of the node's phases and keeps the bytes received in the other node's phases.
struct SkewNode {
    engine: EvaluatorEngine,
    pins: SkewPins,
    /// Time of the next rising clock edge, in bit-times.
    pub next_edge: f64,
    clock_cycle: f64,
    /// Clock cycles that the host waits before it sends.
    guard: u32,
    elapsed: u32,
    frame: Vec<u8>,
    sent: usize,
    /// Bytes received since the phase began. `None` is a framing error.
    pub received: Vec<Option<u8>>,
    /// True if the node pulls the wire.
    pub pull: bool,
}

struct SkewPins {
    phase_clock: SkewInput,
    sync: SkewInput,
    level: SkewInput,
    pull: PortId,
    begin: PortId,
    transmit: PortId,
    tx_data: SkewInput,
    tx_start: SkewInput,
    tx_ready: PortId,
    rx_data: PortId,
    rx_valid: PortId,
    rx_error: PortId,
}

/// Input and its value. Most inputs are constant for many clock cycles. Only a changed input makes
/// the engine recompute.
struct SkewInput {
    port: PortId,
    value: u64,
}

impl SkewInput {
    /// Creates the input with the value 0, which all inputs have initially.
    fn of(engine: &EvaluatorEngine, name: &str) -> Self {
        SkewInput { port: engine.port(name), value: 0 }
    }

    fn set(&mut self, engine: &mut EvaluatorEngine, value: u64) {
        if self.value != value {
            self.value = value;
            engine.set_u64(self.port, value);
        }
    }
}

/// Lines that a node samples at its clock edge.
struct SkewLines {
    pub phase_clock: bool,
    pub sync: bool,
    pub level: bool,
}

impl SkewNode {
    /// Creates a node. `engine` is [`SkewConditions::node`], `first_edge` is in bit-times, `guard` is
    /// in clock cycles of the node.
    pub fn new(
        number: usize,
        conditions: &SkewConditions,
        mut engine: EvaluatorEngine,
        guard: u32,
        first_edge: f64,
    ) -> Self {
        let address = engine.port("address");
        engine.set_u64(address, number as u64);
        let pins = SkewPins {
            phase_clock: SkewInput::of(&engine, "phase_clock"),
            sync: SkewInput::of(&engine, "sync"),
            level: SkewInput::of(&engine, "level"),
            pull: engine.port("pull"),
            begin: engine.port("begin"),
            transmit: engine.port("transmit"),
            tx_data: SkewInput::of(&engine, "tx_data"),
            tx_start: SkewInput::of(&engine, "tx_start"),
            tx_ready: engine.port("tx_ready"),
            rx_data: engine.port("rx_data"),
            rx_valid: engine.port("rx_valid"),
            rx_error: engine.port("rx_error"),
        };
        SkewNode {
            engine,
            pins,
            next_edge: first_edge,
            clock_cycle: conditions.clock_cycle(number),
            guard,
            elapsed: 0,
            frame: vec![],
            sent: 0,
            received: vec![],
            pull: false,
        }
    }

    /// Sets the bytes to send in the node's next own phase.
    pub fn load(&mut self, frame: Vec<u8>) {
        self.frame = frame;
        self.sent = self.frame.len();
    }

    /// Applies the rising clock edge. Returns true if a phase began with the previous clock cycle.
    /// `received` then contains the bytes received in the phase before.
    pub fn clock(&mut self, lines: &SkewLines) -> Result<bool, EngineError> {
        let pins = &mut self.pins;
        let engine = &mut self.engine;
        pins.phase_clock.set(engine, lines.phase_clock.into());
        pins.sync.set(engine, lines.sync.into());
        pins.level.set(engine, lines.level.into());
        engine.settle()?;
        let began = engine.get_u64(pins.begin) == 1;
        if began {
            self.elapsed = 0;
            if engine.get_u64(pins.transmit) == 1 {
                self.sent = 0;
            }
        }
        if engine.get_u64(pins.rx_valid) == 1 {
            self.received.push(Some(engine.get_u64(pins.rx_data) as u8));
        }
        if engine.get_u64(pins.rx_error) == 1 {
            self.received.push(None);
        }
        let open = self.elapsed >= self.guard && engine.get_u64(pins.tx_ready) == 1;
        let start = open && self.sent < self.frame.len();
        if start {
            pins.tx_data.set(engine, self.frame[self.sent].into());
            self.sent += 1;
        }
        pins.tx_start.set(engine, start.into());
        self.elapsed += 1;
        engine.clock()?;
        self.pull = engine.get_u64(pins.pull) == 1;
        self.next_edge += self.clock_cycle;
        Ok(began)
    }
}

// Test whether all frames arrive with a given phase and guard.

/// Transfer of a number of frames with a given phase and guard.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub conditions: SkewConditions,
    /// Bit-times of a phase.
    pub phase: f64,
    /// Clock cycles from a node's begin of a phase to its frame.
    pub guard: u32,
    /// Frames to be delivered.
    pub frames: u64,
    /// Seed of the bytes and of the initial alignment of the clocks.
    pub seed: u64,
}

impl Trial {
    /// Returns true if every frame arrives with exactly the bytes that were sent. Stops at the
    /// first frame that does not.
    ///
    /// # Errors
    /// As an engine.
    pub fn delivers(&self) -> Result<bool, EngineError> {
        self.delivers_on(&self.conditions.node()?)
    }

    /// As [`delivers`](Self::delivers), with a [`SkewConditions::node`] made in advance.
    fn delivers_on(&self, node: &EvaluatorEngine) -> Result<bool, EngineError> {
        let mut random = SplitMix64::new(self.seed);
        let conditions = &self.conditions;
        let mut nodes = Vec::new();
        for number in 0..2 {
            let first = conditions.clock_cycle(number) * random.below(1000) as f64 / 1000.0;
            nodes.push(SkewNode::new(number, conditions, node.clone(), self.guard, first));
        }
        // Frames sent to each node that it has not received yet.
        let mut sent: [VecDeque<Vec<u8>>; 2] = Default::default();
        for number in 0..2 {
            sent[number].push_back(self.frame(number as u32, &mut random));
            nodes[number].load(sent[number][0].clone());
        }
        let mut begun = [0; 2];
        let mut delivered = 0;
        while delivered < self.frames {
            let i = usize::from(nodes[1].next_edge < nodes[0].next_edge);
            let level = !nodes[0].pull && !nodes[1].pull;
            let lines = self.lines(i, nodes[i].next_edge, level);
            if !nodes[i].clock(&lines)? {
                continue;
            }
            let arrived = std::mem::take(&mut nodes[i].received);
            let phase = begun[i];
            begun[i] += 1;
            if phase == 0 {
                continue;
            }
            if phase % 2 != i {
                // The node's own phase is over. The node must not receive anything in it.
                if !arrived.is_empty() {
                    return Ok(false);
                }
                let next = self.frame(i as u32, &mut random);
                nodes[i].load(next.clone());
                sent[i].push_back(next);
            } else {
                let frame = sent[1 - i].pop_front().unwrap_or_default();
                if !arrived.into_iter().eq(frame.into_iter().map(Some)) {
                    return Ok(false);
                }
                delivered += 1;
            }
        }
        Ok(true)
    }

    /// Returns the lines of a node. The phase clock has its own delay to each node.
    fn lines(&self, node: usize, time: f64, level: bool) -> SkewLines {
        let late = if node == 1 { self.conditions.skew } else { 0.0 };
        // The first rise comes after both nodes have been clocked.
        let phases = (time - late) / self.phase - 0.25;
        let (number, within) = (phases.floor(), phases - phases.floor());
        SkewLines {
            phase_clock: number >= 0.0 && within < 0.5,
            sync: number >= 0.0 && number % 2.0 == 0.0,
            level,
        }
    }

    fn frame(&self, sender: u32, random: &mut SplitMix64) -> Vec<u8> {
        let payload = (0..self.conditions.payload).map(|_| random.below(256) as u8);
        let frame = TdmaFrame { header: 0, payload: payload.collect() };
        frame.encode(sender, 0)
    }
}

// Measurement of the shortest phase.

/// Initial alignments of the clocks, all of which are tried for every value.
const ALIGNMENTS: u64 = 4;

/// Shortest values that deliver every frame, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortestTiming {
    /// Time from a node's begin of a phase to its frame, found with a phase that is long enough. In
    /// steps of whole clock cycles.
    pub guard: f64,
    /// Phase with that guard, in steps of a clock cycle.
    pub phase: f64,
}

/// Searches for the shortest guard, and then for the shortest phase with that guard. Each value is
/// tried with `frames` frames in four alignments of the clocks. Below 16 frames, some alignments do
/// not have several frames in both directions. Returns `None` if even long phases lose frames.
///
/// # Errors
/// As an engine.
pub fn measure(
    conditions: &SkewConditions,
    frames: u64,
) -> Result<Option<ShortestTiming>, EngineError> {
    let bit = f64::from(conditions.clocks_per_bit);
    // Far more than needed, in clock cycles.
    let guard_max = ((conditions.skew.abs() + 2.0) * bit).ceil() as u64;
    let enough = Expectation::of(conditions).phase() + conditions.skew.abs() + 6.0 + 16.0 / bit;
    let longest = (enough * bit).ceil() as u64 + guard_max;
    let node = conditions.node()?;
    let delivers = |guard: u64, phase: u64| -> Result<bool, EngineError> {
        for seed in 0..ALIGNMENTS {
            let trial = Trial {
                conditions: *conditions,
                phase: phase as f64 / bit,
                guard: guard as u32,
                frames: frames.div_ceil(ALIGNMENTS),
                seed,
            };
            if !trial.delivers_on(&node)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let Some(guard) = smallest_passing(0, guard_max, |guard| delivers(guard, longest))? else {
        return Ok(None);
    };
    let shortest = conditions.frame() * bit;
    let phase = smallest_passing((shortest * 0.9) as u64, longest, |phase| delivers(guard, phase))?;
    Ok(phase.map(|phase| ShortestTiming { guard: guard as f64 / bit, phase: phase as f64 / bit }))
}

/// Finds by bisection the smallest value in `low..=high` from which on `holds` is true. Returns
/// `None` if `holds` is false for `high`.
fn smallest_passing<E>(
    mut low: u64,
    mut high: u64,
    holds: impl Fn(u64) -> Result<bool, E>,
) -> Result<Option<u64>, E> {
    if !holds(high)? {
        return Ok(None);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_smallest_passing_value() {
        for edge in 3..=17 {
            let found = smallest_passing(3, 17, |value| Ok::<_, ()>(value >= edge));
            assert_eq!(found, Ok(Some(edge)));
        }
        assert_eq!(smallest_passing(3, 17, |_| Ok::<_, ()>(false)), Ok(None));
    }
}

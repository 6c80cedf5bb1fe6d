//! Records signals inside a machine while it runs.
//!
//! A [`WaveRecorder`] writes a waveform file. The observed machine is a [`WaveSubject`], its observable
//! signals are [`Watchable`], and the chosen ones are a [`Selection`]. Signals belong to nodes, to
//! the shared circuit, or to links. Signals of nodes and of the shared circuit have their names in
//! the emitted Verilog. Nodes and links have the names of the text that selected them. The recorder
//! is an [`Observer`](engine::Observer), and takes time only in the steps of its [`Window`].
//!
//! Each network decodes its own links with a [`LinkDecoder`]. The decoder of a TDMA machine is
//! `networks::tdma::wires`. [`decode_uart`] returns the bytes of a wire, like a logic analyser's UART
//! decoder.
//!
//! In a file one nanosecond stands for a clock cycle, counted from the start of the run. The value
//! of a signal is its settled value before the clock edge.
//!
//! * `watch`: texts of `--watch`, the signals that they select, and access to them in an engine;
//! * `recorder`: the recorder, and the names in its file.
//!
//! This file has the observed machine, the time window, the interface of the link decoders and the
//! UART decoder.

mod recorder;
mod watch;

use engine::{NodeEngine, SharedPortId};
use interconnect::routing::Schedule;
use interconnect::topology::{Link, Topology};
pub use recorder::WaveRecorder;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use testbench::wave::{WaveValue, NO_TEXT};
pub use watch::{
    parse_link, Selection, Taps, WatchError, WatchScope, WatchSpec, Watchable, WatchableLinks,
};

// Observed machine, and the units of its time.

/// Machine to be observed.
#[derive(Clone, Debug)]
pub struct WaveSubject {
    pub topology: Arc<dyn Topology>,
    pub steps: Steps,
    /// Output of the shared circuit that rises when a step begins.
    pub mark: &'static str,
    /// Clock cycles per step.
    pub clock_cycles: u64,
    /// Decoder of the links, or `None` in a machine whose links cannot be watched.
    pub links: Option<Arc<dyn LinkDecoder>>,
}

impl WaveSubject {
    /// Machine without a schedule, whose links cannot be watched. `mark` is the output of its
    /// shared circuit that rises at the beginning of each step.
    pub fn without_links(
        topology: Arc<dyn Topology>,
        step: &'static str,
        mark: &'static str,
        clock_cycles: u64,
    ) -> Self {
        let word = StepName { full: step, short: step };
        WaveSubject {
            topology,
            steps: Steps { name: word, period: None },
            mark,
            clock_cycles,
            links: None,
        }
    }
}

/// Steps of a machine, counted from 0 at the start.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Name of a step: `phase`, `petit cycle`.
    pub name: StepName,
    /// Period of the steps, in a machine with a schedule.
    pub period: Option<Period>,
}

/// Period of steps that repeats.
#[derive(Clone, Debug)]
pub struct Period {
    /// Name of a period: `superframe`.
    pub name: StepName,
    pub schedule: Arc<dyn Schedule>,
}

/// Name of a step or a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepName {
    pub full: &'static str,
    /// Short form for limited space.
    pub short: &'static str,
}

impl Period {
    /// Steps in the period, at least one.
    pub fn steps(&self) -> u64 {
        self.schedule.period().max(1).into()
    }

    /// Position in its period of a step that is counted from the start.
    pub fn step(&self, t: u64) -> u32 {
        // The result fits in 32 bits.
        (t % self.steps()) as u32
    }

    /// Period of a step that is counted from the start.
    pub fn number(&self, t: u64) -> u64 {
        t / self.steps()
    }
}

impl StepName {
    /// Name of a variable in a waveform.
    pub fn variable(self) -> String {
        self.full.replace(' ', "_")
    }
}

/// Clock cycle of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimTime {
    /// Clock cycle, counted from the start.
    pub clock: u64,
    /// Step, counted from the start.
    pub t: u64,
    /// Finished clock cycles of the step.
    pub clock_in_step: u64,
}

// Time window in which a machine is observed.

/// Steps in which a machine is observed.
///
/// Until the first step begins, the machine is observed in every clock cycle. After that it is
/// observed only inside the window, because all steps of a machine have the same length.
#[derive(Clone, Debug)]
pub struct Window {
    steps: Range<u64>,
    /// Clock cycles per step.
    clock_cycles: u64,
    /// Output of the shared circuit that is high when a step begins.
    mark: SharedPortId,
    /// Clock cycle in which the first step began.
    start: Option<u64>,
}

impl Window {
    /// Window from the beginning of the first step of the range to its end.
    pub fn new(engine: &mut dyn NodeEngine, subject: &WaveSubject, steps: Range<u64>) -> Self {
        Window {
            mark: engine.shared_port(subject.mark),
            clock_cycles: subject.clock_cycles,
            steps,
            start: None,
        }
    }

    /// First clock cycle from `clock` on in which the machine is observed.
    pub fn next_look(&self, clock: u64) -> Option<u64> {
        let Some(start) = self.start else {
            return Some(clock);
        };
        let begin = |t: u64| t.saturating_mul(self.clock_cycles).saturating_add(start);
        let next = clock.max(begin(self.steps.start));
        (next < begin(self.steps.end)).then_some(next)
    }

    /// Step of this clock cycle, or `None` outside the window.
    pub fn time_at(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Option<SimTime> {
        if self.start.is_none() && engine.get_shared(self.mark) == 1 {
            self.start = Some(clock);
        }
        let since = clock - self.start?;
        let t = since / self.clock_cycles;
        self.steps.contains(&t).then_some(SimTime {
            clock,
            t,
            clock_in_step: since % self.clock_cycles,
        })
    }
}

// Interface through which a network decodes its links.

/// Signal that exists on every link of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSignal {
    /// Name in `--watch` and in a file.
    pub name: &'static str,
    pub shape: SignalType,
    /// True if the value is known only at the end of a step. Until then the signal is undriven, or
    /// has the text [`NO_TEXT`].
    pub at_step_end: bool,
}

/// Type of a variable's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalType {
    /// Numbers of this width in bits.
    Bits(u32),
    /// Texts of up to this number of characters.
    Text(usize),
}

impl LinkSignal {
    /// Value of a late signal while it is unknown.
    pub fn unknown_value(self) -> WaveValue {
        match self.shape {
            SignalType::Bits(_) => WaveValue::Undriven,
            SignalType::Text(_) => WaveValue::Text(NO_TEXT.into()),
        }
    }
}

/// Decoder of a network for the traffic on its links.
pub trait LinkDecoder: fmt::Debug + Send + Sync {
    /// Signals of a link. Elsewhere they are identified by their positions here.
    fn signals(&self) -> Vec<LinkSignal>;

    /// Makes a probe on one link.
    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe>;

    /// Heading for all steps of a link: its name, and when it is used.
    fn heading(&self, link: Link) -> String;
}

/// Probe on one link, which samples it in each clock cycle.
pub trait LinkProbe {
    /// Samples the link. Appends position and value of each changed signal that is not late to
    /// `changes`. If a step begins, returns the previous one.
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        sim_time: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>>;

    /// Returns the present step, as far as it was seen.
    fn end(&mut self) -> Option<Box<dyn LinkStep>>;
}

/// Finished step of a link.
pub trait LinkStep {
    /// Number of the step, counted from the start.
    fn number(&self) -> u64;

    /// True if the schedule permits the use of this link in the step.
    fn is_scheduled(&self) -> bool;

    /// True if the link was idle.
    fn is_idle(&self) -> bool;

    /// Changes of the late signals, each signal in order of time. A change has the clock cycle from
    /// the start, the position of the signal, and its value.
    fn changes(&self) -> Vec<(u64, usize, WaveValue)>;

    /// Traffic of the step, as a logic analyser prints it.
    fn drawing(&self) -> String;
}

// UART decoder of a logic analyser: converts samples of a wire's level to bytes. The decoder
// shares no code with the circuits that sent them.

/// Byte on the wire: 8N1, least significant bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireByte {
    /// First sample of its start bit.
    pub start: usize,
    pub value: u8,
    /// True if the stop bit is high, as required.
    pub stop_bit_high: bool,
}

/// Decodes the bytes on a wire that is idle (high) before the first sample. An incomplete byte at
/// the end is left out.
pub fn decode_uart(levels: &[bool], samples_per_bit: usize) -> Vec<WireByte> {
    let mut bytes = vec![];
    let mut at = 0;
    while let Some(low) = falling_edge(levels, at) {
        let middle = |bit: usize| levels.get(low + bit * samples_per_bit + samples_per_bit / 2);
        let Some(&stopped) = middle(9) else { break };
        if middle(0) == Some(&true) {
            // Too short for a start bit.
            at = low + 1;
            continue;
        }
        let bits = (0..8).map(|bit| u8::from(middle(bit + 1) == Some(&true)) << bit);
        bytes.push(WireByte { start: low, value: bits.sum(), stop_bit_high: stopped });
        // From the middle of the stop bit on, any edge may be a start bit.
        at = low + 9 * samples_per_bit + samples_per_bit / 2;
    }
    bytes
}

/// First low sample at or after `at` whose predecessor is high.
fn falling_edge(levels: &[bool], at: usize) -> Option<usize> {
    (at..levels.len()).find(|&i| !levels[i] && (i == 0 || levels[i - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::traffic::SplitMix64;

    fn send(levels: &mut Vec<bool>, value: u8, samples_per_bit: usize) {
        let bits = [false].into_iter().chain((0..8).map(|bit| value >> bit & 1 == 1)).chain([true]);
        for bit in bits {
            levels.extend(vec![bit; samples_per_bit]);
        }
    }

    #[test]
    fn bytes_are_decoded_with_and_without_gaps() {
        let mut random = SplitMix64::new(1);
        for samples_per_bit in [1, 2, 3, 8, 17] {
            let (mut levels, mut expected) = (vec![], vec![]);
            for _ in 0..300 {
                let gap = random.below(3) * random.below(40);
                levels.extend(vec![true; gap as usize]);
                let value = random.next_u64() as u8;
                expected.push(WireByte { start: levels.len(), value, stop_bit_high: true });
                send(&mut levels, value, samples_per_bit);
            }
            assert_eq!(decode_uart(&levels, samples_per_bit), expected);
        }
    }

    #[test]
    fn glitches_and_incomplete_bytes_are_skipped() {
        let mut levels = vec![true; 20];
        levels[5..8].fill(false);
        send(&mut levels, 0x5A, 8);
        send(&mut levels, 0x33, 8);
        levels.truncate(20 + 80 + 70);
        let bytes = decode_uart(&levels, 8);
        assert_eq!(bytes.len(), 1);
        assert_eq!((bytes[0].start, bytes[0].value), (20, 0x5A));
    }

    #[test]
    fn a_low_stop_bit_is_reported() {
        let mut levels = vec![];
        send(&mut levels, 0, 4);
        levels[36..].fill(false);
        assert!(!decode_uart(&levels, 4)[0].stop_bit_high);
    }
}

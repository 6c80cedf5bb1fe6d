//! Wires of a TDMA machine: frames and answers, sent by UART.
//!
//! A probe [`Capture`]s a wire in each phase, [`Reading`] decodes its bytes, and [`draw`] shows
//! them.

mod reading;

use crate::networks::tdma::PhaseTiming;
use crate::wave::{
    LinkDecoder, LinkProbe, LinkSignal, LinkStep, Period, SignalType, SimTime, StepName, Steps,
    WaveSubject,
};
use engine::agree::Trace;
use engine::{NodeEngine, NodePortId};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use interconnect::topology::{Link, PortEnd, Topology};
use num_bigint::BigUint;
pub use reading::{draw, Answer, FramePart, ReadByte, Reading};
use std::sync::Arc;
use testbench::wave::{WaveValue, NO_TEXT};

/// Maximum number of listed phases of an end.
const PHASES: usize = 8;

/// Returns the name of the period of the phases.
pub fn period_name(schedule: &PhaseSchedule) -> StepName {
    let (full, short) = match schedule.order() {
        None => ("superframe", "sf"),
        Some(_) => ("round", "rd"),
    };
    StepName { full, short }
}

/// Returns the step names: phases and superframes, or rounds of a programmed order.
pub fn steps(schedule: impl Into<PhaseSchedule>) -> Steps {
    let schedule = schedule.into();
    Steps {
        name: StepName { full: "phase", short: "ph" },
        period: Some(Period { name: period_name(&schedule), schedule: Arc::new(schedule) }),
    }
}

/// Returns the description of a TDMA machine with these phases, for observers.
pub fn subject(schedule: impl Into<PhaseSchedule>, timing: PhaseTiming) -> WaveSubject {
    let schedule = schedule.into();
    let shape = schedule.shape();
    WaveSubject {
        topology: Arc::new(shape),
        steps: steps(schedule.clone()),
        mark: "phase_clock",
        clock_cycles: timing.clock_cycles().into(),
        links: Some(Arc::new(FrameDecoder {
            topology: Arc::new(shape),
            period: period_name(&schedule),
            schedule: Arc::new(schedule),
            timing,
        })),
    }
}

/// Decoder of frames on bidirectional wires. The schedule determines which end sends.
#[derive(Clone, Debug)]
pub struct FrameDecoder {
    pub topology: Arc<dyn Topology>,
    pub schedule: Arc<dyn Schedule>,
    /// Name of the period of the phases.
    pub period: StepName,
    pub timing: PhaseTiming,
}

impl FrameDecoder {
    fn name(&self, node: u32) -> String {
        self.topology.node_name(node)
    }
}

impl LinkDecoder for FrameDecoder {
    fn signals(&self) -> Vec<LinkSignal> {
        signals(&*self.topology).into()
    }

    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe> {
        Box::new(WireProbe::new(engine, self.clone(), link))
    }

    fn heading(&self, link: Link) -> String {
        let [from, to] = [link.from, link.to].map(|end| self.name(end.node));
        let sends = |end: PortEnd| {
            let phases = (0..self.schedule.period())
                .filter(|&phase| self.schedule.sends(end.node, phase) == Some(end.port));
            let phases: Vec<String> = phases.map(|phase| phase.to_string()).collect();
            match phases.len() {
                0 => "in none".into(),
                1..=PHASES => format!("in {}", phases.join(", ")),
                more => format!("in {}, .. ({more} in all)", phases[..PHASES].join(", ")),
            }
        };
        format!(
            "Link {from}-{to}, {port}. Of the {phases} phases of a {period} {from} sends \
             {first} and {to} {second}.\n\
             Times are in bit-times since the beginning of the phase.\n",
            port = self.topology.port_name(link.from.port),
            phases = self.schedule.period(),
            period = self.period.full,
            first = sends(link.from),
            second = sends(link.to),
        )
    }
}

/// Wire of a link during one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Phase, counted from the start of the run.
    pub phase: u64,
    /// Dimension of the link.
    pub dim: u32,
    /// Node that sends in this phase.
    pub sender: u32,
    /// Node at the other end.
    pub receiver: u32,
    pub clocks_per_bit: usize,
    /// Level in every clock cycle of the phase.
    pub levels: Vec<bool>,
    /// First clock cycle in which the receiver drives the wire.
    pub answer_start: Option<usize>,
    /// True if the receiver must answer.
    pub acked: bool,
}

impl Capture {
    /// Returns the first phase in which some node pulled the wire, from the outputs of a
    /// [`Link`](rtl::tdma::Link). Returns `None` if no node did.
    ///
    /// # Panics
    /// If the outputs do not belong to a `Link`.
    pub fn first(outputs: &[String], trace: &Trace, clocks_per_bit: usize) -> Option<Self> {
        let column = |name: &str| {
            let found = outputs.iter().position(|output| output == name);
            found.unwrap_or_else(|| panic!("the circuit has no output `{name}`"))
        };
        let (begin, transmit) = (column("begin"), column("transmit"));
        let level = column("level");
        let zero = BigUint::ZERO;
        let begins = |cycle: &Vec<BigUint>| cycle[begin] != zero;
        let first = trace.iter().position(begins)?;
        let phases = trace[first..].chunk_by(|_, next| !begins(next));
        let mut pulled = phases.enumerate().filter_map(|(phase, cycles)| {
            let levels: Vec<bool> = cycles.iter().map(|cycle| cycle[level] != zero).collect();
            let sender = u32::from(cycles[0][transmit].bit(1));
            levels.contains(&false).then(|| Capture {
                phase: phase as u64,
                dim: 0,
                sender,
                receiver: 1 - sender,
                clocks_per_bit,
                levels,
                answer_start: None,
                acked: false,
            })
        });
        pulled.next()
    }
}

// Observes a wire in each phase.

/// Probe on the wire of one link, which records its level and the ends that drive it. Only a
/// simulator knows the driving ends.
struct WireProbe {
    decoder: FrameDecoder,
    link: Link,
    level: NodePortId,
    holds: NodePortId,
    /// Observations in the current phase.
    phase: Option<ObservedPhase>,
    /// Last reported state of the wire.
    reported: Option<WireState>,
}

/// Phase in progress.
struct ObservedPhase {
    begin: SimTime,
    wires: Vec<WireState>,
}

/// State of a wire in one clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WireState {
    /// Level as seen by the first end of the link.
    pub level: bool,
    /// True if the first end drives the wire, pulled or not.
    pub from_holds: bool,
    /// True if the other end drives the wire.
    pub to_holds: bool,
}

/// Completed phase of a wire.
struct WirePhase {
    decoder: FrameDecoder,
    /// Clock cycle in which the phase began, counted from the start.
    begin: u64,
    capture: Capture,
    scheduled: bool,
    /// True if neither end drove the wire and its level was high.
    idle: bool,
}

impl WireProbe {
    pub fn new(engine: &mut dyn NodeEngine, decoder: FrameDecoder, link: Link) -> Self {
        WireProbe {
            decoder,
            link,
            level: engine.port("level"),
            holds: engine.port("holds"),
            phase: None,
            reported: None,
        }
    }

    /// Reports the changes since the last report.
    fn report_changes(&mut self, wire: WireState, changes: &mut Vec<(usize, WaveValue)>) {
        let holders = |wire: WireState| (wire.from_holds, wire.to_holds);
        let reported = self.reported.replace(wire);
        if reported.map(|reported| reported.level) != Some(wire.level) {
            changes.push((WIRE, WaveValue::Bits(wire.level.into())));
        }
        if reported.map(holders) != Some(holders(wire)) {
            let driver = driver(wire, self.link, &*self.decoder.topology);
            changes.push((DRIVER, WaveValue::Text(driver)));
        }
    }
}

impl LinkProbe for WireProbe {
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        sim_time: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>> {
        let mut bit = |port: NodePortId, end: PortEnd| {
            let bits = engine.get(port, end.node as usize);
            bits >> end.port & 1 == 1
        };
        let wire = WireState {
            level: bit(self.level, self.link.from),
            from_holds: bit(self.holds, self.link.from),
            to_holds: bit(self.holds, self.link.to),
        };
        let over = (sim_time.clock_in_step == 0).then(|| self.end()).flatten();
        let phase =
            self.phase.get_or_insert_with(|| ObservedPhase { begin: sim_time, wires: vec![] });
        phase.wires.push(wire);
        self.report_changes(wire, changes);
        over
    }

    fn end(&mut self) -> Option<Box<dyn LinkStep>> {
        let ObservedPhase { begin, wires } = self.phase.take()?;
        let Link { from, to } = self.link;
        let schedule = &self.decoder.schedule;
        // Fits, because the period is a 32-bit number.
        let step = (begin.t % u64::from(schedule.period().max(1))) as u32;
        let sends = |end: PortEnd| schedule.sends(end.node, step) == Some(end.port);
        let (first_sends, second_sends) = (sends(from), sends(to));
        let scheduled = first_sends || second_sends;
        // Outside the phases of the link, the end that drives the wire is the sender. The first end
        // has precedence.
        let first_sends = match scheduled {
            true => first_sends,
            false => !wires.iter().any(|w| w.to_holds && !w.from_holds),
        };
        let (sender, receiver) = match first_sends {
            true => (from, to),
            false => (to, from),
        };
        let answers = |w: &WireState| match first_sends {
            true => w.to_holds,
            false => w.from_holds,
        };
        let timing = self.decoder.timing;
        Some(Box::new(WirePhase {
            decoder: self.decoder.clone(),
            begin: begin.clock,
            scheduled,
            idle: wires.iter().all(|w| w.level && !w.from_holds && !w.to_holds),
            capture: Capture {
                phase: begin.t,
                dim: sender.port,
                sender: sender.node,
                receiver: receiver.node,
                clocks_per_bit: timing.clocks_per_bit as usize,
                levels: wires.iter().map(|w| w.level).collect(),
                answer_start: wires.iter().position(answers),
                acked: timing.acked,
            },
        }))
    }
}

impl LinkStep for WirePhase {
    fn number(&self) -> u64 {
        self.capture.phase
    }

    fn is_scheduled(&self) -> bool {
        self.scheduled
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn changes(&self) -> Vec<(u64, usize, WaveValue)> {
        wire_changes(&self.capture, self.begin, &*self.decoder.topology)
    }

    fn drawing(&self) -> String {
        let mut text = draw(&self.capture, |node| self.decoder.name(node));
        if !self.scheduled {
            text += "The schedule has another dimension in this phase: a node has lost sync.\n";
        }
        text
    }
}

// Observations of a wire, as changes of variables.

/// Index of the level of the wire, as seen by the first end of the link.
const WIRE: usize = 0;

/// Index of the driver of the wire: a node, `both`, or `-`.
const DRIVER: usize = 1;

/// Index of the byte on the wire.
const BYTE: usize = 2;

/// Index of the role of that byte in its frame or answer.
const FIELD: usize = 3;

/// Index of the current frame, from its first byte to the end of its answer: sender, destination
/// and result.
const FRAME: usize = 4;

/// Text for a wire that both ends drive.
const BOTH: &str = "both";

/// Returns the observable signals of a wire, each at its index.
fn signals(topology: &dyn Topology) -> [LinkSignal; 5] {
    let names = (0..topology.nodes()).map(|node| topology.node_name(node).len());
    let node = names.max().unwrap_or(0);
    // A damaged destination on the wire may use all 16 bits.
    let frame = 2 * node + ">_for_0xFFFF_nonsense".len();
    let signal = |name, shape, at_step_end| LinkSignal { name, shape, at_step_end };
    [
        signal("wire", SignalType::Bits(1), false),
        signal("driver", SignalType::Text(node.max(BOTH.len())), false),
        signal("byte", SignalType::Bits(8), true),
        signal("field", SignalType::Text(FramePart::LONGEST_FIELD), true),
        signal("frame", SignalType::Text(frame), true),
    ]
}

/// Returns the changes that are known only at the end of a phase, which began in clock cycle
/// `begin`. Each change has a time, the index of the signal, and a value. The changes of each
/// signal are in order of time.
fn wire_changes(
    capture: &Capture,
    begin: u64,
    topology: &dyn Topology,
) -> Vec<(u64, usize, WaveValue)> {
    let reading = Reading::new(capture);
    let byte_time = 10 * capture.clocks_per_bit;
    let at = |sample: usize| begin + sample as u64;
    let text = |text: &str| WaveValue::Text(text.into());
    let mut changes = vec![];
    for read in &reading.bytes {
        let (from, value) = (at(read.byte.start), WaveValue::Bits(read.byte.value.into()));
        changes.push((from, BYTE, value));
        changes.push((from, FIELD, text(read.part.field())));
        // Separates equal bytes that follow one another.
        let to = from + byte_time as u64 - 1;
        changes.push((to, BYTE, WaveValue::Undriven));
        changes.push((to, FIELD, text(NO_TEXT)));
    }
    if let (Some(first), Some(last)) = (reading.bytes.first(), reading.bytes.last()) {
        let (from, to) = (first.byte.start, last.byte.start + byte_time);
        let frame = frame(capture, &reading, topology);
        changes.push((at(from), FRAME, text(&frame)));
        changes.push((at(to), FRAME, text(NO_TEXT)));
    }
    changes
}

/// Describes a frame in one word: `0x3>0x7_for_0x5_ACK`.
fn frame(capture: &Capture, reading: &Reading, topology: &dyn Topology) -> String {
    let name = |node| topology.node_name(node);
    let ends = format!("{}>{}", name(capture.sender), name(capture.receiver));
    let what = match &reading.frame {
        Err(_) => "_damaged".into(),
        Ok(frame) => match frame.destination() {
            Some(destination) => format!("_for_{}", name(destination)),
            None => String::new(),
        },
    };
    let answer = reading.answer.map_or(String::new(), |a| format!("_{a}"));
    ends + &what + &answer
}

/// Returns the driver of a wire.
fn driver(wire: WireState, link: Link, topology: &dyn Topology) -> String {
    match (wire.from_holds, wire.to_holds) {
        (false, false) => NO_TEXT.into(),
        (true, false) => topology.node_name(link.from.node),
        (false, true) => topology.node_name(link.to.node),
        (true, true) => BOTH.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_returns_the_first_phase_with_a_pull() {
        let outputs = ["transmit", "begin", "level"].map(String::from);
        let cycles = [
            // Before the schedule runs.
            (0, 0, 1),
            (1, 3, 1),
            (1, 0, 1),
            (2, 3, 1),
            (2, 0, 0),
            (2, 0, 1),
            (1, 3, 0),
        ];
        let row = |(t, b, l)| [t, b, l].map(|v: u32| BigUint::from(v)).to_vec();
        let trace: Trace = cycles.into_iter().map(row).collect();
        let found = Capture::first(&outputs, &trace, 8).unwrap();
        assert_eq!((found.phase, found.sender), (1, 1));
        assert_eq!(found.levels, [true, false, true]);
        assert_eq!(Capture::first(&outputs, &trace[..4].to_vec(), 8), None);
    }
}

//! A network that is no cube is observed with its own topology, schedule and decoder.

use crate::foreign_network::your_own_network::RingMachine;
use crate::support::pictures;
use crate::waves::{messages, RecordedWaves, RecordingSettings, SmallCube};
use phasecube::engine::{NodeEngine, NodePortId};
use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::report::{LogicAnalyzer, MessageRoute, SchedulePicture, ScheduledMachine};
use phasecube::routing::Schedule;
use phasecube::testbench::wave::WaveValue;
use phasecube::topology::{links, Link, PortEnd, Topology};
use phasecube::traffic::{Message, MessageList};
use phasecube::wave::{
    LinkDecoder, LinkProbe, LinkSignal, LinkStep, Period, SignalType, SimTime, StepName, Steps,
    WaveSubject,
};
use roxmltree::Document;
use std::collections::HashMap;
use std::sync::Arc;

/// Node `s` sends in turn `s`.
impl Schedule for RingMachine {
    fn period(&self) -> u32 {
        self.0
    }

    fn sends(&self, node: u32, step: u32) -> Option<u32> {
        (node == step).then_some(0)
    }
}

fn steps(ring: RingMachine) -> Steps {
    let word = |full, short| StepName { full, short };
    Steps {
        name: word("turn", "tn"),
        period: Some(Period { name: word("round", "rd"), schedule: Arc::new(ring) }),
    }
}

/// For each link: whether its first end pulls, and how often it pulled in a turn.
#[derive(Debug)]
struct Pulls;

struct PullProbe {
    pull: NodePortId,
    link: Link,
    reported: Option<u64>,
    turn: Option<RingTurn>,
}

#[derive(Clone)]
struct RingTurn {
    begin: SimTime,
    link: Link,
    pulls: u64,
}

impl LinkDecoder for Pulls {
    fn signals(&self) -> Vec<LinkSignal> {
        vec![
            LinkSignal { name: "pulls", shape: SignalType::Bits(1), at_step_end: false },
            LinkSignal { name: "times", shape: SignalType::Bits(16), at_step_end: true },
        ]
    }

    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe> {
        Box::new(PullProbe { pull: engine.port("pull"), link, reported: None, turn: None })
    }

    fn heading(&self, link: Link) -> String {
        format!("From {} to {}.\n", link.from.node, link.to.node)
    }
}

impl LinkProbe for PullProbe {
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        sim_time: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>> {
        let pulls = engine.get(self.pull, self.link.from.node as usize) & 1;
        if self.reported.replace(pulls) != Some(pulls) {
            changes.push((0, WaveValue::Bits(pulls)));
        }
        let over = (sim_time.clock_in_step == 0).then(|| self.end()).flatten();
        let turn = self.turn.get_or_insert(RingTurn { begin: sim_time, link: self.link, pulls: 0 });
        turn.pulls += pulls;
        over
    }

    fn end(&mut self) -> Option<Box<dyn LinkStep>> {
        Some(Box::new(self.turn.take()?))
    }
}

impl LinkStep for RingTurn {
    fn number(&self) -> u64 {
        self.begin.t
    }

    fn is_scheduled(&self) -> bool {
        self.begin.t % 4 == u64::from(self.link.from.node)
    }

    fn is_idle(&self) -> bool {
        self.pulls == 0
    }

    fn changes(&self) -> Vec<(u64, usize, WaveValue)> {
        vec![(self.begin.clock, 1, WaveValue::Bits(self.pulls))]
    }

    fn drawing(&self) -> String {
        format!("Turn {}: {} pulls\n", self.begin.t, self.pulls)
    }
}

/// Returns the nodes of a 2-cube described as a ring. Observers use the description of the
/// connections, not the circuit.
fn small() -> SmallCube {
    let small = SmallCube::new::<2>(true);
    SmallCube {
        subject: WaveSubject {
            topology: Arc::new(RingMachine(4)),
            steps: steps(RingMachine(4)),
            links: Some(Arc::new(Pulls)),
            ..small.subject
        },
        ..small
    }
}

/// The decoder's signals of a link match the file's signals of the node at its first end, with the
/// sum for each turn.
#[test]
fn a_file_has_the_signals_of_the_network_decoder() {
    let small = small();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.vcd");
    let watches = ["link[*].*", "node[*].pull"];
    let shot = RecordingSettings { path: &path, watches: &watches, phases: 0..u64::MAX };
    let mut engine = small.lockstep(&small.choose(&watches));
    let run = small.record(&mut engine, &messages(small.cube), &shot);
    let wave = RecordedWaves::open(&path);
    let clocks = 1..run.clock_cycles;
    let numbers = |name: &str| wave.numbers(&format!("cube.{name}"), clocks.clone());
    let turns = numbers("schedule.t");
    for (name, wanted) in [("turn", 4), ("round", 1)] {
        let found = numbers(&format!("schedule.{name}")).into_iter();
        for (found, t) in found.zip(&turns) {
            let t = t.unwrap();
            assert_eq!(found, Some(if wanted == 4 { t % 4 } else { t / 4 }));
        }
    }
    let mut often = 0;
    for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        let link = format!("link[0x{from}-0x{to}]");
        let pulls = numbers(&format!("{link}.pulls"));
        let node = numbers(&format!("node[0x{from}].pull")).into_iter();
        assert!(pulls.iter().copied().eq(node.map(|v| v.map(|v| v & 1))));
        let mut sums: HashMap<u64, u64> = HashMap::new();
        for (t, pulls) in turns.iter().zip(&pulls) {
            *sums.entry(t.unwrap()).or_default() += pulls.unwrap();
        }
        let mut reported = None;
        for (t, times) in turns.iter().zip(numbers(&format!("{link}.times"))) {
            // A turn without pulls is not reported.
            reported = match sums[&t.unwrap()] {
                0 => reported,
                sum => Some(sum),
            };
            assert_eq!(times, reported, "{link} in turn {t:?}");
        }
        often += sums.values().filter(|sum| **sum > 0).count();
    }
    assert!(often > 10, "{often}");
}

#[test]
fn links_are_chosen_by_the_nodes_that_they_join() {
    let watchable = small().watchable();
    let chosen = |text: &str| watchable.select(&[text.into()]);
    let positions = |text: &str| -> Vec<usize> {
        let links = chosen(text).unwrap().links;
        links.into_keys().collect()
    };
    assert_eq!(positions("link[*].pulls"), [0, 1, 2, 3]);
    assert_eq!(positions("link[1-0].pulls"), [0]);
    assert_eq!(positions("link[0-*].times"), [0, 3]);
    for (text, says) in [
        ("link[0-2].pulls", "no link between 0x0 and 0x2; 0x0 has links to 0x1, 0x3"),
        ("link[4-0].pulls", "4 (0x4) is outside the ring of 4; accepted: 0x0 to 0x3 (0 to 3)"),
        ("link[0-1].wire", "there are times, pulls"),
    ] {
        let error = chosen(text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// A ring in which two links lead from each node to the next.
#[derive(Debug)]
struct DoubledRing(RingMachine);

impl Topology for DoubledRing {
    fn name(&self) -> String {
        format!("doubled {}", self.0.name())
    }

    fn nodes(&self) -> u32 {
        self.0.nodes()
    }

    fn ports(&self) -> u32 {
        2
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        self.0.peer(end)
    }

    fn source(&self, end: PortEnd) -> PortEnd {
        self.0.source(end)
    }
}

#[test]
fn links_that_join_the_same_nodes_have_names_of_their_own() {
    let mut small = small();
    small.subject.topology = Arc::new(DoubledRing(RingMachine(4)));
    let watchable = small.watchable();
    let names: Vec<String> =
        links(&*small.subject.topology).map(|link| watchable.link_name(link)).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[0], "link[0x0-0x1:0]");
    assert_eq!(names[7], "link[0x3-0x0:1]");
    let chosen = watchable.select(&["link[0-1].pulls".into()]).unwrap();
    assert_eq!(chosen.links.into_keys().collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn an_analyzer_prints_what_the_decoder_of_the_network_draws() {
    let small = small();
    let mut engine = small.evaluator();
    let (topology, decoder) = (RingMachine(4), small.subject.links.as_deref().unwrap());
    let link = links(&topology).nth(2).unwrap();
    let watched = (&small.subject, decoder);
    let mut analyzer = LogicAnalyzer::new(&mut engine, watched, link, 0..u64::MAX);
    let run = small.run(&mut engine, &messages(small.cube), vec![&mut analyzer]);
    let text = analyzer.finish();
    assert!(text.starts_with("From 2 to 3.\n"), "{text}");
    let events = run.events.iter();
    // In the cube, node 2 pulls the wire of its port 0 when it sends or answers there.
    let used = events.filter(|e| e.phase < 2 && (e.node == 2 || e.to == 2));
    let turns = used.map(|e| format!("Turn {}: ", e.t));
    let mut turns: Vec<String> = turns.collect();
    turns.dedup();
    assert!(turns.len() > 2);
    for turn in &turns {
        assert!(text.contains(turn), "{turn}{text}");
    }
    assert_eq!(text.matches("Turn ").count(), turns.len(), "{text}");
}

/// Two frames in a round of a ring of 6, and a message that passes nodes 1, 2 and 3.
#[test]
fn a_period_and_a_route_are_drawn() {
    let ring = RingMachine(6);
    let event = |node: u32, what: MessageEventKind| MessageEvent {
        t: u64::from(node) + 6,
        phase: node,
        node,
        from_reg: 0,
        to: node + 1,
        src: 1,
        dst: 3,
        message: 0,
        what,
    };
    let events = [event(1, MessageEventKind::Forwarded), event(2, MessageEventKind::Delivered)];
    let mut list = MessageList::with_capacity(1, 0);
    list.push(Message { source: 1, destination: 3, payload: &[][..] });
    let steps = steps(ring);
    let pictured = SchedulePicture {
        machine: ScheduledMachine {
            topology: &ring,
            step: steps.name,
            period: steps.period.as_ref().unwrap(),
        },
        events: &events,
        number: 1,
        route: MessageRoute::longest(&ring, &list, &events),
    };
    let svg = pictured.svg();
    let document = Document::parse(&svg).unwrap();
    pictures::check(&document, document.root_element());
    for says in [
        "ring of 6, round 1: 2 frames in 6 places",
        "turn 5",
        "Message 0 from 0x1 to 0x3: 2 hops, arrived in turn 8",
        "port 0",
        "rd 1, tn 2",
        "the port, round (rd) and turn (tn) of the hop",
        "turns across",
        "the route of a message through the machine",
    ] {
        assert!(svg.contains(says), "{says}: {svg}");
    }
    // Frames, the positions without a frame, and the legend.
    let count = |class: &str| svg.matches(&format!("<rect class=\"{class}\"")).count();
    assert_eq!((count("taken"), count("may")), (2 + 1, 4));
    // A layer is one node, and the route passes three of the six.
    let circles = |class: &str| {
        let all = document.descendants();
        let circles = all.filter(|n| n.has_tag_name("circle"));
        circles.filter(|n| n.attribute("class") == Some(class)).count()
    };
    assert_eq!((circles("visited"), circles("node")), (3, 3));
}

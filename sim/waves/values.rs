//! Every value in a file equals the value that another engine computes.

use crate::waves::{messages, RecordedWaves, RecordingSettings, SmallCube};
use hdl::verilog::{emit, signals};
use phasecube::engine::{EngineError, NodeEngine, NodePortId, ObservedEngine, Observer};
use phasecube::wave::{SimTime, Watchable, Window};
use std::collections::{HashMap, HashSet};
use std::fs;

/// Independently records all signals of all nodes in all clock cycles.
struct Probes {
    ports: Vec<NodePortId>,
    /// Values by clock cycle, signal and node.
    values: Vec<Vec<Vec<u64>>>,
    phase_clock: Vec<u64>,
}

impl Probes {
    fn new(engine: &mut dyn NodeEngine, watchable: &Watchable) -> Self {
        let port = |path: &str| engine.signal(path).unwrap();
        Probes {
            ports: watchable.node.iter().map(|s| &*s.path).map(port).collect(),
            values: vec![],
            phase_clock: vec![],
        }
    }
}

impl Observer for Probes {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        let nodes = 0..engine.nodes();
        let of = |port: &NodePortId| nodes.clone().map(|n| engine.get(*port, n)).collect();
        let values = self.ports.iter().map(of).collect();
        self.values.push(values);
        let phase_clock = engine.shared_port("phase_clock");
        self.phase_clock.push(engine.get_shared(phase_clock));
        Ok(())
    }
}

/// The whole 2-cube from phase 5 to the end of phase 8, recorded on the lockstep engine and
/// computed on the evaluator.
#[test]
fn all_signals_of_all_nodes_are_those_of_another_engine() {
    let small = SmallCube::new::<2>(true);
    let messages = messages(small.cube);
    let watchable = small.watchable();
    let mut evaluator = small.evaluator();
    let mut probes = Probes::new(&mut evaluator, &watchable);
    let expected = small.run(&mut evaluator, &messages, vec![&mut probes]);

    let dir = tempfile::tempdir().unwrap();
    for name in ["all.vcd", "all.fst"] {
        let path = dir.path().join(name);
        let watches = ["node[*].*", "shared.*"];
        let shot = RecordingSettings { path: &path, watches: &watches, phases: 5..9 };
        let mut lockstep = small.lockstep(&small.choose(&watches));
        let run = small.record(&mut lockstep, &messages, &shot);
        assert_eq!(run.events, expected.events, "nothing has changed by it");
        let wave = RecordedWaves::open(&path);
        let begin = |t: u64| begins(&probes.phase_clock)[t as usize];
        let clocks = begin(5)..begin(9);
        assert_eq!(wave.end(), clocks.end, "{name}");
        let (mut compared, mut alive) = (0, HashSet::new());
        for (i, signal) in watchable.node.iter().enumerate() {
            for node in 0..small.array.nodes {
                let full = format!("cube.node[0x{node:X}].{}", signal.full_name());
                assert_eq!(wave.width(&full), Some(signal.ty.width()));
                let found = wave.numbers(&full, clocks.clone());
                for (clock, found) in clocks.clone().zip(found) {
                    let wanted = probes.values[clock as usize][i][node];
                    assert_eq!(found, Some(wanted), "{name}: {full} in {clock}");
                    compared += 1;
                }
                if wave.changes(&full).len() > 2 {
                    alive.insert(i);
                }
            }
        }
        assert!(alive.len() > watchable.node.len() / 2, "{}", alive.len());
        let all = watchable.node.len() as u64 * 4 * (clocks.end - clocks.start);
        assert_eq!(compared, all);
        let found = wave.numbers("cube.shared.phase_clock", clocks.clone());
        let wanted = &probes.phase_clock[clocks.start as usize..clocks.end as usize];
        assert!(found.iter().copied().eq(wanted.iter().copied().map(Some)));
    }
}

/// Returns the clock cycles in which the phase clock rises.
fn begins(phase_clock: &[u64]) -> Vec<u64> {
    let rises =
        |clock: &usize| phase_clock[*clock] > phase_clock[clock.wrapping_sub(1).min(*clock)];
    let rises = (1..phase_clock.len()).filter(rises);
    rises.map(|clock| clock as u64).collect()
}

/// The variants of an enum are shown beside its number.
#[test]
fn enum_values_are_recorded_as_names() {
    let small = SmallCube::new::<2>(true);
    let dir = tempfile::tempdir().unwrap();
    for name in ["words.vcd", "words.fst"] {
        let path = dir.path().join(name);
        let watches = ["node[1].sent", "node[1].engine.walk.step"];
        let shot = RecordingSettings { path: &path, watches: &watches, phases: 0..4 };
        let mut engine = small.lockstep(&small.choose(&watches));
        small.record(&mut engine, &messages(small.cube), &shot);
        let wave = RecordedWaves::open(&path);
        // The order follows the declaration in `rtl::tdma`.
        let sent = ["Nothing", "Timeout", "Nak", "Accepted"];
        let numbers = wave.changes("cube.node[0x1].node.sent").into_iter();
        let numbers = numbers.filter_map(|(t, v)| Some((t, usize::from_str_radix(&v, 2).ok()?)));
        let wanted: Vec<(u64, String)> = numbers.map(|(t, v)| (t, sent[v].into())).collect();
        assert!(wanted.len() > 2, "{wanted:?}");
        assert_eq!(wave.texts("cube.node[0x1].node.sent_text"), wanted, "{name}");
        let steps = wave.texts("cube.node[0x1].node.node.frames.engine.walk.step_text");
        assert!(steps.iter().any(|(_, step)| step == "Payload"), "{steps:?}");
    }
}

/// Phase, dimension and other derived values are computed by arithmetic.
#[test]
fn derived_time_signals_are_correct() {
    let small = SmallCube::new::<3>(true);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("time.vcd");
    let watches = ["shared.phase", "shared.phase_clock"];
    let shot = RecordingSettings { path: &path, watches: &watches, phases: 0..u64::MAX };
    let mut engine = small.lockstep(&small.choose(&watches));
    let run = small.record(&mut engine, &messages(small.cube), &shot);
    let wave = RecordedWaves::open(&path);
    let clocks = 1..run.clock_cycles;
    let number = |name: &str| wave.numbers(&format!("cube.{name}"), clocks.clone());
    let phase_clock: Vec<u64> = number("shared.phase_clock").into_iter().flatten().collect();
    let mut t = 0;
    let [counted, superframe, phase, dimension, sending] =
        ["t", "superframe", "phase", "dimension", "sending"]
            .map(|name| number(&format!("schedule.{name}")));
    let shared = number("shared.phase");
    for i in 0..phase_clock.len() {
        t += u64::from(i > 0 && phase_clock[i] > phase_clock[i - 1]);
        let reported = [counted[i], superframe[i], phase[i], dimension[i], sending[i], shared[i]];
        let wanted = [t, t / 6, t % 6, t % 6 / 2, t % 2, t % 6];
        assert_eq!(reported, wanted.map(Some), "clock cycle {}", i + 1);
    }
    assert_eq!(t + 1, run.steps);
}

// Names in a file equal the names in the emitted Verilog.

/// Declarations in a module of emitted Verilog.
#[derive(Default)]
struct ModuleDeclarations {
    /// Ports, wires and registers, with their widths.
    signals: HashMap<String, u32>,
    /// The modules of instances.
    instances: HashMap<String, String>,
}

/// Reads declarations and instances, line by line.
fn read(text: &str) -> (String, ModuleDeclarations) {
    let mut module = ModuleDeclarations::default();
    let mut name = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["module", called, ..] = words[..] {
            name = called.into();
            continue;
        }
        let kind = words.iter().position(|w| ["wire", "reg"].contains(w));
        if let Some(kind) = kind.filter(|kind| *kind <= 1) {
            let rest = &words[kind + 1..];
            let (width, rest) = match rest[0].strip_prefix('[') {
                None => (1, rest),
                Some(range) => {
                    let high = range.split(':').next().unwrap();
                    (high.parse::<u32>().unwrap() + 1, &rest[1..])
                }
            };
            let called = rest[0].trim_end_matches([',', ';']);
            module.signals.insert(called.into(), width);
        } else if let ([ty, called, "("], true) = (&words[..], line.ends_with('(')) {
            module.instances.insert(called.to_string(), ty.to_string());
        }
    }
    (name, module)
}

#[test]
fn every_name_is_declared_there_with_its_width() {
    let small = SmallCube::new::<3>(true);
    let design = small.array.whole();
    let files = emit(&design);
    let modules: HashMap<String, ModuleDeclarations> =
        files.modules.iter().map(|m| read(&m.text)).collect();
    let all = signals(&design);
    assert!(all.len() > 8 * 200, "{}", all.len());
    for signal in &all {
        let mut module = files.top().to_owned();
        for scope in &signal.scopes {
            let inside = modules[&module].instances.get(scope);
            module = inside.unwrap_or_else(|| panic!("{module} has no instance {scope}")).clone();
        }
        let found = modules[&module].signals.get(&signal.name);
        let full = signal.full_name();
        assert_eq!(found, Some(&signal.ty.width()), "{full} in {module}");
    }
}

/// A recorder's names for a node's signals equal those in the whole machine. The node itself is
/// named as in `--watch`.
#[test]
fn names_of_nodes_equal_those_in_the_whole_machine() {
    let small = SmallCube::new::<2>(true);
    let whole = signals(&small.array.whole());
    for (node, signal) in
        (0..4).flat_map(|n| small.watchable().node.into_iter().map(move |s| (n, s)))
    {
        let full = format!("nodes_{node}.{}", signal.full_name());
        let path = format!("nodes[{node}].{}", signal.path);
        let found = whole.iter().find(|s| s.path == path).unwrap();
        assert_eq!(found.full_name(), full);
    }
}

// An observer sees every clock cycle that it requests exactly once, however the machine is driven,
// and does not affect the machine.

/// Records the times at which it looks.
struct LookRecorder {
    looks: fn(u64) -> bool,
    seen: Vec<u64>,
}

impl Observer for LookRecorder {
    fn next_look(&self, clock: u64) -> Option<u64> {
        (clock..2_000).find(|clock| (self.looks)(*clock))
    }

    fn look(&mut self, _engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        self.seen.push(clock);
        Ok(())
    }
}

#[test]
fn every_clock_cycle_is_seen_once() {
    let small = SmallCube::new::<2>(true);
    let chosen = small.choose(&["node[0].uart.*"]);
    let mut engine = small.lockstep(&chosen);
    let mut watchman =
        LookRecorder { looks: |clock| clock % 7 == 3 || (500..600).contains(&clock), seen: vec![] };
    let mut second = LookRecorder { looks: |clock| clock % 100 == 99, seen: vec![] };
    let run = small.run(&mut engine, &messages(small.cube), vec![&mut watchman, &mut second]);
    assert!(run.clock_cycles > 2_000);
    let wanted = |looks: fn(u64) -> bool| (0..2_000).filter(|c| looks(*c)).collect::<Vec<u64>>();
    assert_eq!(watchman.seen, wanted(watchman.looks));
    assert_eq!(second.seen, wanted(second.looks));
    let alone = small.run(&mut small.lockstep(&chosen), &messages(small.cube), vec![]);
    assert_eq!(alone.events, run.events);
    assert_eq!(alone.clock_cycles, run.clock_cycles);
}

/// A condition that holds stops the run before the clock edge, whether observed or not.
#[test]
fn conditions_stop_the_run() {
    let small = SmallCube::new::<2>(true);
    for looks in [|_: u64| true, |_: u64| false] {
        let mut engine = small.evaluator();
        let mut watchman = LookRecorder { looks, seen: vec![] };
        let mut observed = ObservedEngine::new(&mut engine, vec![&mut watchman]);
        let keep = observed.port("keep");
        observed.set(keep, 0, 1);
        let port = observed.port("level");
        // The wires are always high, and a node sees that on one of them.
        assert_eq!(observed.clocks_until(50, &[port]).unwrap(), 0);
        let port = observed.port("pull");
        assert_eq!(observed.clocks_until(50, &[port]).unwrap(), 50);
        assert_eq!(watchman.seen.len(), if looks(0) { 50 } else { 0 });
    }
}

#[test]
fn a_window_is_some_whole_phases() {
    let small = SmallCube::new::<2>(true);
    let mut engine = small.evaluator();
    let subject = &small.subject;
    let mut window = Window::new(&mut engine, subject, 2..3);
    for (input, value) in [("divider", small.timing.divider()), ("enable", 1)] {
        let port = engine.shared_port(input);
        engine.set_shared(port, value);
    }
    let mark = engine.shared_port("phase_clock");
    let mut rises = vec![];
    let mut moments: Vec<SimTime> = vec![];
    let mut was_high = false;
    for clock in 0..4 * subject.clock_cycles {
        engine.settle().unwrap();
        if window.next_look(clock) == Some(clock) {
            moments.extend(window.time_at(&mut engine, clock));
        }
        let high = engine.get_shared(mark) == 1;
        if high && !was_high {
            rises.push(clock);
        }
        was_high = high;
        engine.clock().unwrap();
    }
    let clocks: Vec<u64> = moments.iter().map(|m| m.clock).collect();
    assert_eq!(clocks, (rises[2]..rises[3]).collect::<Vec<u64>>());
    assert!(moments.iter().all(|m| m.t == 2));
    assert_eq!((moments[0].clock_in_step, window.next_look(rises[3])), (0, None));
}

// Truncated files.

/// A VCD that ends after any line shows the same values as the complete one up to there.
#[test]
fn a_truncated_vcd_can_be_read() {
    let small = SmallCube::new::<2>(true);
    let dir = tempfile::tempdir().unwrap();
    let (whole, cut) = (dir.path().join("whole.vcd"), dir.path().join("cut.vcd"));
    let watches = ["node[2].uart.*", "link[*].*"];
    let shot = RecordingSettings { path: &whole, watches: &watches, phases: 0..3 };
    let mut engine = small.lockstep(&small.choose(&watches));
    small.record(&mut engine, &messages(small.cube), &shot);
    let bytes = fs::read(&whole).unwrap();
    let full = RecordedWaves::open(&whole);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let header = text.find("$enddefinitions $end").unwrap() + 30;
    let mut some = 0;
    for end in (header..bytes.len()).step_by(bytes.len() / 23) {
        let end = end + text[end..].find('\n').unwrap() + 1;
        fs::write(&cut, &bytes[..end]).unwrap();
        let wave = RecordedWaves::open(&cut);
        for name in full.names() {
            let (mut all, mut there) = (full.changes(name), wave.changes(name));
            // The last clock cycle may be incomplete.
            let last = wave.end();
            all.retain(|(time, _)| *time < last);
            there.retain(|(time, _)| *time < last);
            assert_eq!(there, all, "{name} of a file of {end} bytes");
            some += there.len();
        }
    }
    assert!(some > 1_000, "{some}");
}

//! Every value in a file equals the value that another engine computes.

use crate::waves::file::WaveFile;
use crate::waves::machine::{messages, RecordingSettings, SmallCube};
use phasecube::engine::{EngineError, NodeEngine, NodePortId, Observer};
use phasecube::wave::Watchable;
use std::collections::HashSet;

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
        let shot = RecordingSettings {
            path: &path,
            watches: &watches,
            phases: 5..9,
        };
        let mut lockstep = small.lockstep(&small.choose(&watches));
        let run = small.record(&mut lockstep, &messages, &shot);
        assert_eq!(run.events, expected.events, "nothing has changed by it");
        let wave = WaveFile::open(&path);
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
        let shot = RecordingSettings {
            path: &path,
            watches: &watches,
            phases: 0..4,
        };
        let mut engine = small.lockstep(&small.choose(&watches));
        small.record(&mut engine, &messages(small.cube), &shot);
        let wave = WaveFile::open(&path);
        // The order follows the declaration in `rtl::tdma`.
        let sent = ["Nothing", "Timeout", "Nak", "Accepted"];
        let numbers = wave.changes("cube.node[0x1].node.sent").into_iter();
        let numbers = numbers.filter_map(|(t, v)| Some((t, usize::from_str_radix(&v, 2).ok()?)));
        let wanted: Vec<(u64, String)> = numbers.map(|(t, v)| (t, sent[v].into())).collect();
        assert!(wanted.len() > 2, "{wanted:?}");
        assert_eq!(
            wave.texts("cube.node[0x1].node.sent_text"),
            wanted,
            "{name}"
        );
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
    let shot = RecordingSettings {
        path: &path,
        watches: &watches,
        phases: 0..u64::MAX,
    };
    let mut engine = small.lockstep(&small.choose(&watches));
    let run = small.record(&mut engine, &messages(small.cube), &shot);
    let wave = WaveFile::open(&path);
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
        let told = [
            counted[i],
            superframe[i],
            phase[i],
            dimension[i],
            sending[i],
            shared[i],
        ];
        let wanted = [t, t / 6, t % 6, t % 6 / 2, t % 2, t % 6];
        assert_eq!(told, wanted.map(Some), "clock cycle {}", i + 1);
    }
    assert_eq!(t + 1, run.phases);
}

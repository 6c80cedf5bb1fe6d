//! A waveform contains the behaviour of the machine. Its names equal the names in the emitted
//! Verilog. Its values equal another engine's values in every clock cycle. The decoded signals of a
//! link match a second decoder on its wire and the results of the messages. A truncated file can be
//! read, and observing does not affect the machine. The same holds for a network with its own
//! topology, schedule and decoder.

mod decoded;
mod picture;
mod ring;
mod values;

use crate::support::cube_runs;
use hdl::lower::lower;
use lockstep::lanes::{Keep, LaneOptions};
use phasecube::engine::{
    ByNode, EvaluatorEngine, LockstepEngine, NodeEngine, ObservedEngine, Observer,
};
use phasecube::machine::array::Array;
use phasecube::machine::RunStats;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults};
use phasecube::networks::tdma::{wires as tdma, PhaseTiming};
use phasecube::rtl::tdma::CubeNode;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use phasecube::wave::{Selection, Taps, Watchable, WaveRecorder, WaveSubject, Window};
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use testbench::wave::FileKind;
use wellen::simple::{self, Waveform};
use wellen::{SignalRef, SignalValue};

// Small, fast cubes whose runs are recorded: 4 clock cycles per bit and up to 4 bytes per message.

const CLOCKS: u32 = 4;

struct SmallCube {
    pub array: Array,
    pub cube: Hypercube,
    pub timing: PhaseTiming,
    pub disturbance: CubeFaults,
    /// Description of the machine for observers.
    pub subject: WaveSubject,
}

struct RecordingSettings<'a> {
    pub path: &'a Path,
    pub watches: &'a [&'a str],
    pub phases: Range<u64>,
}

impl SmallCube {
    pub fn new<const D: usize>(acked: bool) -> Self {
        let cube = Hypercube::new(D as u64).unwrap();
        let timing = PhaseTiming::forwarder(CLOCKS, 6, Hypercube::of(D as u32), acked);
        let node = CubeNode::<D, 4, 4, 8>::new(timing.plan());
        SmallCube {
            array: cube_array(cube, &lower(&node).unwrap()).unwrap(),
            cube,
            timing,
            disturbance: CubeFaults::default(),
            subject: tdma::subject(cube, timing),
        }
    }

    pub fn watchable(&self) -> Watchable {
        Watchable::new(&self.array, &self.subject).unwrap()
    }

    pub fn choose(&self, watches: &[&str]) -> Selection {
        let watches: Vec<String> = watches.iter().map(|w| w.to_string()).collect();
        self.watchable().select(&watches).unwrap_or_else(|e| panic!("{e}"))
    }

    pub fn evaluator(&self) -> ByNode<Box<EvaluatorEngine>> {
        let engine = EvaluatorEngine::new(&self.array.whole()).unwrap();
        ByNode::new(Box::new(engine), self.array.nodes)
    }

    /// Returns a lockstep engine that keeps the chosen signals.
    pub fn lockstep(&self, chosen: &Selection) -> LockstepEngine {
        let options = LaneOptions {
            keep: Keep::Named(self.watchable().paths(chosen)),
            ..LaneOptions::default()
        };
        self.array.lockstep(&options).unwrap()
    }

    /// Runs messages under observation.
    pub fn run<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        messages: &[Message],
        observers: Vec<&'a mut dyn Observer>,
    ) -> RunStats {
        let mut observed = ObservedEngine::new(engine, observers);
        let circuit = cube_runs::circuit(self.cube, self.timing);
        cube_runs::run(&mut observed, &circuit, &self.disturbance, messages)
    }

    /// Runs messages and records them.
    pub fn record(
        &self,
        engine: &mut dyn NodeEngine,
        messages: &[Message],
        shot: &RecordingSettings,
    ) -> RunStats {
        let (watchable, chosen) = (self.watchable(), self.choose(shot.watches));
        let taps = Taps::new(engine, &watchable, &chosen).unwrap();
        let window = Window::new(engine, &self.subject, shot.phases.clone());
        let file = FileKind::of(shot.path).unwrap();
        let file = file.begin(File::create(shot.path).unwrap()).unwrap();
        let time = (&self.subject.steps, window);
        let mut recorder = WaveRecorder::new((&watchable, &chosen), taps, time, file).unwrap();
        let run = self.run(engine, messages, vec![&mut recorder]);
        recorder.finish().unwrap();
        run
    }
}

/// Returns two messages from every node: to the opposite node, and to node 0.
fn messages(cube: Hypercube) -> Vec<Message> {
    let message = |source: u32, destination: u32| Message {
        source,
        destination,
        payload: vec![0xA5, source as u8, destination as u8],
    };
    let last = cube.nodes() - 1;
    let both = cube.addresses().flat_map(|n| [message(n, last ^ n), message(n, 0)]);
    both.collect()
}

// Waveforms read by the independent library `wellen`.

/// A file that was read completely.
struct RecordedWaves {
    file: Waveform,
    vars: HashMap<String, (SignalRef, Option<u32>)>,
}

impl RecordedWaves {
    pub fn open(path: &Path) -> Self {
        let mut file = simple::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let hierarchy = file.hierarchy();
        let vars = hierarchy.iter_vars().map(|var| {
            let name = var.full_name(hierarchy);
            (name, (var.signal_ref(), var.length()))
        });
        let vars: HashMap<_, _> = vars.collect();
        let signals: Vec<SignalRef> = vars.values().map(|(signal, _)| *signal).collect();
        file.load_signals(&signals);
        RecordedWaves { file, vars }
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.vars.keys()
    }

    /// Returns the width in bits, or `None` for a text.
    pub fn width(&self, name: &str) -> Option<u32> {
        self.vars[name].1
    }

    /// Returns the time of the last entry.
    pub fn end(&self) -> u64 {
        *self.file.time_table().last().unwrap()
    }

    /// Returns every change of a variable: time and digits or text. A word of characters is
    /// returned as digits.
    pub fn changes(&self, name: &str) -> Vec<(u64, String)> {
        let (signal, _) = self.vars.get(name).unwrap_or_else(|| panic!("no {name}"));
        let signal = self.file.get_signal(*signal).unwrap();
        let times = self.file.time_table();
        let change = |(time, value): (u32, SignalValue)| (times[time as usize], value.to_string());
        signal.iter_changes().map(change).collect()
    }

    /// Returns the changes of a text in either encoding.
    pub fn texts(&self, name: &str) -> Vec<(u64, String)> {
        let text = |digits: String| match self.width(name) {
            None => digits,
            Some(_) => ascii(&digits),
        };
        let changes = self.changes(name).into_iter();
        // An FST also lists every variable at time 0.
        let changes = changes.filter(|(_, value)| !value.starts_with('x'));
        changes.map(|(time, value)| (time, text(value))).collect()
    }

    /// Returns the value of a variable in each of these clock cycles, or `None` where it is no
    /// number.
    pub fn numbers(&self, name: &str, clocks: std::ops::Range<u64>) -> Vec<Option<u64>> {
        let changes = self.changes(name);
        let mut at = 0;
        let mut now = None;
        clocks
            .map(|clock| {
                while changes.get(at).is_some_and(|(time, _)| *time <= clock) {
                    now = u64::from_str_radix(&changes[at].1, 2).ok();
                    at += 1;
                }
                now
            })
            .collect()
    }
}

/// Decodes a word of characters, the first one in the highest bits.
fn ascii(digits: &str) -> String {
    let bytes = digits.as_bytes().chunks(8);
    let bytes = bytes.map(|b| u8::from_str_radix(std::str::from_utf8(b).unwrap(), 2).unwrap());
    bytes.filter(|b| *b != 0).map(char::from).collect()
}

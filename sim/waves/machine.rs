//! Small, fast cubes whose runs are recorded: 4 clock cycles per bit and up to 4 bytes per message.

use hdl::lower::lower;
use lockstep::lanes::{Keep, LaneOptions};
use phasecube::engine::{
    ByNode, EvaluatorEngine, LockstepEngine, NodeEngine, ObservedEngine, Observer,
};
use phasecube::machine::array::Array;
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, CubeMachine, CubeRun};
use phasecube::networks::tdma::wires as tdma;
use phasecube::networks::tdma::PhaseTiming;
use phasecube::rtl::tdma::CubeNode;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use phasecube::wave::{FileKind, Selection, Taps, Watchable, WaveRecorder, WaveSubject, Window};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

const CLOCKS: u32 = 4;

pub struct SmallCube {
    pub array: Array,
    pub cube: Hypercube,
    pub timing: PhaseTiming,
    pub disturbance: CubeFaults,
    /// Description of the machine for observers.
    pub subject: WaveSubject,
}

/// Settings of a recording.
pub struct RecordingSettings<'a> {
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
        self.watchable()
            .select(&watches)
            .unwrap_or_else(|e| panic!("{e}"))
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
    ) -> CubeRun {
        let mut observed = ObservedEngine::new(engine, observers);
        let disturbance = self.disturbance.clone();
        let machine = CubeMachine::new(&mut observed, self.cube, self.timing, disturbance);
        machine.run(messages).unwrap()
    }

    /// Runs messages and records them.
    pub fn record(
        &self,
        engine: &mut dyn NodeEngine,
        messages: &[Message],
        shot: &RecordingSettings,
    ) -> CubeRun {
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
pub fn messages(cube: Hypercube) -> Vec<Message> {
    let message = |source: u32, destination: u32| Message {
        source,
        destination,
        payload: vec![0xA5, source as u8, destination as u8],
    };
    let last = cube.nodes() - 1;
    let both = cube
        .addresses()
        .flat_map(|n| [message(n, last ^ n), message(n, 0)]);
    both.collect()
}

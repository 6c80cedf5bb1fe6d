//! Runs of a simulated board that a panel shows: pauses, rests, stops and failures.

use super::OpenPanel;
use engine::{EngineError, NodeEngine, Observer};
use phasecube::host::message::State;
use phasecube::host::server::Nodes;
use phasecube::host::simulated::{
    RunFlags, RunWatcher, SimulatedBoardConfig, SimulatedNodes, WatchedRun,
};
use phasecube::host::Machine;
use phasecube::networks::tdma::cube::CubeCircuit;
use phasecube::topology::Hypercube;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Program that loops for ever: `j .`.
const LOOP: [u8; 4] = 0x6f_u32.to_le_bytes();

/// Board of 4 nodes with a panel, and a host with the looping program.
fn open_board(args: &[&str]) -> (OpenPanel, Machine) {
    let dir = tempfile::tempdir().unwrap();
    let (open, port) = OpenPanel::board(dir.path(), &[&["--dims", "2"], args].concat());
    let mut host = Machine::connect(&port).unwrap();
    host.load_bytes("loop", &LOOP).unwrap();
    (open, host)
}

fn step(frame: &serde_json::Value) -> u64 {
    frame["step"].as_u64().unwrap()
}

/// The host gets states and stops the run although the page has paused it. The next run is not paused.
#[test]
fn a_paused_board_serves_its_host() {
    let (open, mut host) = open_board(&["--rest", "1000000"]);
    for run in 0..2 {
        host.start().unwrap();
        let (frame, _) = open.wait_for("running");
        assert_eq!(frame["message"], "", "run {run}");
        // A step that is still open at the stop.
        assert_eq!(open.control("{\"action\": \"step\", \"unit\": \"change\"}"), 204);
        host.stop().unwrap();
        let (frame, _) = open.wait_for("stopped");
        assert_eq!(frame["message"], "The host has stopped the run.");
        let start = Instant::now();
        assert_eq!(open.get("/node?address=1").status, 503);
        assert!(start.elapsed() < Duration::from_secs(1));
        host.start().unwrap();
        open.wait_for("running");
        assert_eq!(open.control("{\"action\": \"pause\"}"), 204);
        let before = step(&open.wait_for("paused").0);
        assert_eq!(host.program_states().unwrap().len(), 4);
        // The board ran few phases for the states.
        let start = Instant::now();
        loop {
            let (frame, _) = open.wait_for("paused");
            if step(&frame) > before {
                assert!(step(&frame) < before + 20, "{before} {frame}");
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no phase");
        }
        assert_eq!(host.status().unwrap().state, State::Running);
        host.stop().unwrap();
    }
    host.start().unwrap();
    open.wait_for("running");
    assert_eq!(open.control("{\"action\": \"pause\"}"), 204);
    open.wait_for("paused");
    let done = open.stop("-INT");
    assert_eq!(done.code, Some(130), "{done:?}");
}

/// The clock stops, and the page is paused meanwhile.
#[test]
fn a_resting_board_serves_its_host() {
    let (open, mut host) = open_board(&["--rest", "2"]);
    host.start().unwrap();
    open.wait_for("resting");
    assert_eq!(host.status().unwrap().state, State::Resting);
    let start = Instant::now();
    assert_eq!(open.get("/node?address=1").status, 503);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(open.control("{\"action\": \"pause\"}"), 204);
    assert_eq!(host.program_states().unwrap().len(), 4);
    let done = open.stop("-INT");
    assert_eq!(done.code, Some(130), "{done:?}");
}

/// Watcher whose observer fails at the first look.
#[derive(Default)]
struct Failing(Mutex<Vec<String>>);

struct FailingRun;

impl RunWatcher for Failing {
    fn begin(&self, _: &mut dyn NodeEngine, _: &CubeCircuit, _: &RunFlags) -> Box<dyn WatchedRun> {
        Box::new(FailingRun)
    }

    fn rests(&self) {}

    fn stopped(&self) {
        self.0.lock().unwrap().push("stopped".into());
    }

    fn failed(&self, why: &str) {
        self.0.lock().unwrap().push(why.into());
    }
}

impl WatchedRun for FailingRun {
    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn end(&mut self, _: &mut dyn NodeEngine) {
        // As a panel that waits for the stop.
        loop {
            sleep(Duration::from_secs(1));
        }
    }
}

impl Observer for FailingRun {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, _: &mut dyn NodeEngine, _: u64) -> Result<(), EngineError> {
        Err(EngineError::Observer("no space left".into()))
    }
}

#[test]
fn a_failed_run_is_reported_at_once() {
    let watcher = Arc::new(Failing::default());
    let plan = SimulatedBoardConfig {
        watcher: Some(watcher.clone()),
        ..SimulatedBoardConfig::new(Hypercube::new(1).unwrap())
    };
    let mut nodes = SimulatedNodes::new(plan).unwrap();
    nodes.start(&LOOP);
    let start = Instant::now();
    while nodes.status().state != State::Failed {
        assert!(start.elapsed() < Duration::from_secs(60), "never failed");
        sleep(Duration::from_millis(10));
    }
    assert_eq!(nodes.status().text, "no space left");
    assert_eq!(nodes.program_states(0, 2), []);
    nodes.stop();
    assert_eq!(*watcher.0.lock().unwrap(), ["no space left", "stopped"]);
}

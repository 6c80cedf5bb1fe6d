//! An observer sees every clock cycle that it requests exactly once, however the machine is driven,
//! and does not affect the machine.

use crate::waves::machine::{messages, SmallCube};
use phasecube::engine::{EngineError, NodeEngine, ObservedEngine, Observer};
use phasecube::wave::{SimTime, Window};

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
    let mut watchman = LookRecorder {
        looks: |clock| clock % 7 == 3 || (500..600).contains(&clock),
        seen: vec![],
    };
    let mut second = LookRecorder {
        looks: |clock| clock % 100 == 99,
        seen: vec![],
    };
    let run = small.run(
        &mut engine,
        &messages(small.cube),
        vec![&mut watchman, &mut second],
    );
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
        let mut watchman = LookRecorder {
            looks,
            seen: vec![],
        };
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
    assert_eq!((moments[0].in_step, window.next_look(rises[3])), (0, None));
}

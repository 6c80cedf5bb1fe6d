//! The functional engine against the lockstep engine: the same results, the same log and the same
//! clock cycles, for programs of the project and for random programs.

mod fuzz;

use crate::firmware::{builds, dead, firmware, traffic};
use crate::support::programs::{circuit, values, CASES};
use crate::support::starc::{self, StarcCase};
use lockstep::lanes::LaneOptions;
use phasecube::engine::{EngineError, NodeEngine, NodePortId, ObservedEngine, Observer};
use phasecube::machine::{drive, EndReason, EngineKind, Load, RunControl, RunStats};
use phasecube::networks::tdma::cube::{
    CubeCircuit, CubeDriver, CubeFaults, DeadMode, ProgramDriver, DEADLOCK_AFTER,
};
use phasecube::program::{Firmware, NodeKind, NodeTarget, Symbols};
use phasecube::routing::Schedule;
use phasecube::rtl::CLOCKS_PER_BIT;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, MessageList, SplitMix64, TrafficPattern};
use phasecube::values::{ProgramValue, Values};
use std::fs;

/// The LEDs of all nodes at the end of each phase.
struct LedLog {
    led: NodePortId,
    /// Clock cycles of a phase.
    period: u64,
    phases: Vec<Vec<u64>>,
}

impl LedLog {
    fn new(engine: &mut dyn NodeEngine, circuit: &CubeCircuit) -> Self {
        LedLog {
            led: engine.port("led"),
            period: circuit.timing().clock_cycles().into(),
            phases: vec![],
        }
    }
}

impl Observer for LedLog {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock.next_multiple_of(self.period))
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _: u64) -> Result<(), EngineError> {
        let mut leds = vec![];
        engine.get_all(self.led, &mut leds);
        self.phases.push(leds);
        Ok(())
    }
}

/// Work of a machine.
enum Assigned<'a> {
    Programs(&'a Values, &'a Symbols),
    Messages(&'a [Message]),
}

/// Runs a machine in an engine. Returns its results and LEDs.
fn run_in(
    kind: EngineKind,
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    work: &Assigned,
    superframes: u64,
) -> (RunStats, Vec<Vec<u64>>) {
    let options = LaneOptions::default();
    let mut engine = kind.start(circuit, &options, builds()).unwrap();
    let mut leds = LedLog::new(&mut *engine, circuit);
    let mut observed = ObservedEngine::new(&mut *engine, vec![&mut leds]);
    let control = RunControl {
        limit: superframes,
        ..RunControl::to_end(circuit.schedule().period().into(), Some(DEADLOCK_AFTER))
    };
    let stats = match work {
        Assigned::Programs(given, symbols) => {
            let symbols = (*symbols).clone();
            let driver = ProgramDriver::new(&mut observed, circuit, Some(given), symbols);
            drive(&mut driver.with_faults(faults).with_log(), control)
        }
        Assigned::Messages(messages) => {
            let load = Load { keep_events: true, ..Load::at_once(MessageList::from(*messages)) };
            drive(&mut CubeDriver::new(&mut observed, circuit, faults, &load), control)
        }
    };
    (stats.unwrap(), leds.phases)
}

/// Runs a machine in both engines and compares everything. Returns the results.
fn runs_alike(
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    work: &Assigned,
    superframes: u64,
    what: &str,
) -> RunStats {
    let run = |kind| run_in(kind, circuit, faults, work, superframes);
    let (wanted, wanted_leds) = run(EngineKind::Lockstep);
    let (found, found_leds) = run(EngineKind::Functional);
    for (t, (found, wanted)) in found.events.iter().zip(&wanted.events).enumerate() {
        assert_eq!(found, wanted, "{what}: line {t} of the log");
    }
    // These parts of the results are compared first, for shorter messages.
    assert_eq!(found.traps, wanted.traps, "{what}");
    assert_eq!(found.programs, wanted.programs, "{what}");
    assert_eq!(found_leds, wanted_leds, "{what}: LEDs");
    assert_eq!(found, wanted, "{what}");
    found
}

/// Runs a program with these values in both engines.
fn program_alike(
    program: &Firmware,
    circuit: &CubeCircuit,
    given: &Values,
    limit: u64,
) -> RunStats {
    let none = CubeFaults::default();
    let circuit = circuit.clone().with_guard(program.guard_limits());
    let work = Assigned::Programs(given, &program.symbols);
    runs_alike(&circuit, &none, &work, limit, &program.name.to_string())
}

/// Runs the programs of the project on a cube.
fn cases_alike(n: u32) {
    for case in &CASES {
        // A matrix or a grid needs as many rows as columns.
        if n < 2 && case.name == "life" || n % 2 == 1 && case.name == "transpose" {
            continue;
        }
        let program = firmware(case.name);
        let given = (case.task)(n, &mut SplitMix64::new(n.into())).given;
        let limit = 2 * (case.superframes)(n) + 4;
        let run = program_alike(&program, &circuit(&program, n, 4), &values(&given), limit);
        assert_eq!(run.end, EndReason::Complete, "{}", case.name);
        // The formulas of some programs begin at the 2-cube.
        if n > 1 {
            assert_eq!(run.periods, (case.superframes)(n), "{}", case.name);
        }
    }
}

/// Runs a StarC program on a cube.
fn starc_alike(case: &StarcCase, n: u32) {
    let program = case.firmware(n, builds());
    let machine = case.machine(&program, n);
    let given = match case.given(n, &mut SplitMix64::new(n.into())).as_slice() {
        [] => Values::none(1 << n),
        given => values(&given.iter().map(|x| vec![*x]).collect::<Vec<_>>()),
    };
    let limit = 4 * (case.superframes)(n) + 8;
    let run = program_alike(&program, &machine, &given, limit);
    assert_eq!(run.end, EndReason::Complete, "{}", case.name);
}

#[test]
fn programs_of_the_project_run_alike() {
    cases_alike(3);
    starc_alike(starc::CASES.iter().find(|case| case.name == "life").unwrap(), 4);
}

#[test]
#[ignore = "thorough: all programs on larger cubes"]
fn all_programs_run_alike_on_larger_cubes() {
    for n in [1, 2, 4, 6] {
        cases_alike(n);
    }
    for case in &starc::CASES {
        for n in [4, 6] {
            starc_alike(case, n);
        }
    }
}

/// All exchanges pass the highest link of the 13-cube and of the 16-cube.
#[test]
#[ignore = "thorough: 65,536 nodes"]
fn a_sum_over_large_cubes_runs_alike() {
    let case = CASES.iter().find(|case| case.name == "parallel_sum");
    let case = case.expect("a program of the project");
    let program = firmware(case.name);
    for n in [13, 16] {
        let given = (case.task)(n, &mut SplitMix64::new(n.into())).given;
        let run = program_alike(&program, &circuit(&program, n, 4), &values(&given), 4);
        assert_eq!((run.end, run.periods), (EndReason::Complete, 1), "{n}");
    }
}

/// Compiles a program of a test for nodes with larger memories.
fn compiled(name: &str, source: &str, multiplies: bool) -> Firmware {
    let path = builds().join(name).with_extension("c");
    fs::write(&path, source).unwrap();
    let target = NodeTarget { kind: NodeKind::CUBE, memory: "4K,1K".parse().unwrap(), multiplies };
    let program = Firmware::open(&path, target, &Toolchain::open().unwrap(), builds());
    program.unwrap_or_else(|e| panic!("{e}"))
}

/// A token that visits the nodes in the order of their Gray code. Most nodes wait for many
/// superframes, so they are parked, and woken by a frame.
const RING: &str = r#"
#include "ctrl.h"
#include "tdma.h"

static unsigned gray(unsigned place)
{
    return place ^ place >> 1;
}

static unsigned link(unsigned from, unsigned to)
{
    unsigned dim = 0;
    while (!((from ^ to) >> dim & 1))
        dim++;
    return dim;
}

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init(here, dims);
    BACKGROUND;
    unsigned place = 0;
    while (gray(place) != here)
        place++;
    unsigned nodes = 1u << dims;
    unsigned before = gray((place + nodes - 1) % nodes), after = gray((place + 1) % nodes);
    for (uint32_t token = place == 0; token < ROUNDS * nodes;) {
        if (place != 0 || token > 1) {
            while (tdma_recv(link(here, before), &token, sizeof token) < 0)
                tdma_next_phase();
            token++;
        }
        tdma_led(token);
        ctrl_print("%u", token);
        tdma_send(link(here, after), &token, sizeof token);
        if (place == 0 && token == 1)
            token++;
    }
    ctrl_send(&here, sizeof here);
    return place == 3 ? 7 : 0;
}
"#;

fn ring(rounds: u32, background: &str) -> Firmware {
    let source = RING.replace("BACKGROUND", background);
    let source = source.replace("ROUNDS", &rounds.to_string());
    compiled(&format!("ring_{rounds}_{}", background.len()), &source, false)
}

#[test]
fn a_token_wakes_nodes_that_wait() {
    for background in ["(void)0", "tdma_background()"] {
        let program = ring(2, background);
        let given = Values::none(16);
        let run = program_alike(&program, &circuit(&program, 4, 4), &given, 60);
        assert!(run.hops > 30, "{} hops", run.hops);
        assert!(run.programs.unwrap().prints.len() > 30);
    }
}

/// A program that computes in some phases of each superframe never ends a run, although its state
/// repeats.
#[test]
fn a_program_that_computes_for_ever_keeps_the_run_alive() {
    let source = r#"
        #include "ctrl.h"
        #include "tdma.h"

        int main(void)
        {
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());
            tdma_background();
            for (;;) {
                for (volatile unsigned i = 0; i < 600; i++)
                    ;
                tdma_wait_for_phase(0);
            }
        }
    "#;
    let program = compiled("for_ever", source, false);
    let given = Values::none(8);
    let superframes = 4 * DEADLOCK_AFTER;
    let run = program_alike(&program, &circuit(&program, 3, 4), &given, superframes);
    assert!(matches!(run.end, EndReason::Limit { .. }), "{:?}", run.end);
}

/// Nodes that wait are parked. A message from the host wakes one, in any phase.
#[test]
fn hosts_wake_parked_nodes() {
    let program = firmware("route");
    let circuit = CubeCircuit::new(Hypercube::of(3), 4, true).unwrap();
    let circuit = circuit.with_program(&program);
    let messages = traffic(3, TrafficPattern::Relation(6), 9);
    let phase = u64::from(circuit.timing().clock_cycles()) / CLOCKS_PER_BIT as u64;
    let mut random = SplitMix64::new(77);
    // Most messages are created long after the one before them.
    let mut time = 0;
    let mut created = vec![];
    for _ in &messages {
        time += phase * random.below(40) + random.below(phase);
        created.push(time);
    }
    let run = |kind: EngineKind| {
        let options = LaneOptions::default();
        let mut engine = kind.start(&circuit, &options, builds()).unwrap();
        let load = Load {
            keep_events: true,
            created: created.clone(),
            ..Load::at_once(MessageList::from(&messages[..]))
        };
        let none = CubeFaults::default();
        let control = RunControl::to_end(circuit.schedule().period().into(), None);
        drive(&mut CubeDriver::new(&mut *engine, &circuit, &none, &load), control).unwrap()
    };
    let (wanted, found) = (run(EngineKind::Lockstep), run(EngineKind::Functional));
    assert_eq!(found.events, wanted.events);
    assert_eq!(found, wanted);
    assert!(found.periods > 40, "{}", found.periods);
}

/// Programs that compute for many phases miss their deadlines, and those with a second context do
/// not. A node that halts falls silent, and its links go down.
#[test]
fn programs_that_compute_and_halt_run_alike() {
    let source = r#"
        #include "ctrl.h"
        #include "tdma.h"

        int main(void)
        {
            uint16_t here = tdma_strapped_address();
            unsigned dims = tdma_strapped_dims();
            tdma_init(here, dims);
            BACKGROUND;
            uint32_t word = 0;
            for (unsigned round = 0; round < 3; round++) {
                for (volatile unsigned i = 0; i < 300 + 100 * here; i++)
                    word += i * here;
                tdma_route(7 ^ here, &word, sizeof word);
                tdma_led(round + here);
            }
            if (here == 5)
                *(volatile uint32_t *)0x20000000 = 1;
            while (ctrl_recv(&word, sizeof word))
                ctrl_send(&word, sizeof word);
            for (unsigned taken = 0; taken < 3;)
                if (tdma_recv(dims - 1, &word, sizeof word) < 0)
                    tdma_next_phase();
                else
                    taken += ctrl_send(&word, sizeof word) == 0;
            return 0;
        }
    "#;
    for (name, background) in [("computes", "(void)0"), ("serves", "tdma_background()")] {
        let program = compiled(name, &source.replace("BACKGROUND", background), false);
        let numbers = |node: i32| vec![node, -node, 7];
        let given = values(&(0..8).map(numbers).collect::<Vec<_>>());
        let run = program_alike(&program, &circuit(&program, 3, 4), &given, 150);
        assert_eq!(run.traps.len(), 1, "{name}");
        assert!(run.figure("silences") > 0, "{name}");
    }
}

/// The core with multiplication and division.
#[test]
fn multiplication_runs_alike() {
    let source = r#"
        #include "ctrl.h"
        #include "tdma.h"

        int main(void)
        {
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());
            int32_t x;
            while (ctrl_recv(&x, sizeof x)) {
                int32_t y = x * 0x12345 + x / 7 - x % 11 + (int32_t)((int64_t)x * x >> 32);
                ctrl_send(&y, sizeof y);
            }
            return 0;
        }
    "#;
    let program = compiled("multiplies", source, true);
    assert!(program.multiplies);
    let given = values(&[vec![5, -100_000, i32::MIN], vec![i32::MAX, 0, -1]]);
    let run = program_alike(&program, &circuit(&program, 1, 4), &given, 10);
    let expected = |x: i32| {
        let high = ((i64::from(x) * i64::from(x)) >> 32) as i32;
        let sum = x.wrapping_mul(0x12345).wrapping_add(x / 7);
        ProgramValue::Word(sum.wrapping_sub(x % 11).wrapping_add(high) as u32)
    };
    let returned = run.programs.unwrap().returned.0;
    assert_eq!(returned[0], [5, -100_000, i32::MIN].map(expected));
}

/// The machine of `route`, with these faults.
fn messages_alike(n: u32, acked: bool, faults: &CubeFaults, messages: &[Message], what: &str) {
    let program = firmware("route");
    let circuit = CubeCircuit::new(Hypercube::of(n), 4, acked).unwrap();
    let circuit = circuit.with_program(&program);
    runs_alike(&circuit, faults, &Assigned::Messages(messages), 400, what);
}

#[test]
fn messages_and_dead_nodes_are_alike() {
    let none = CubeFaults::default();
    for acked in [true, false] {
        let messages = traffic(3, TrafficPattern::Relation(6), 4);
        messages_alike(3, acked, &none, &messages, &format!("acked: {acked}"));
    }
    let messages = traffic(3, TrafficPattern::Relation(2), 5);
    for mode in [DeadMode::Silent, DeadMode::High, DeadMode::Low, DeadMode::Hung] {
        messages_alike(3, true, &dead(5, mode), &messages, &format!("{mode:?}"));
    }
}

/// A machine that the engine has no model of is rejected.
#[test]
fn other_machines_are_rejected() {
    let forwarders = CubeCircuit::new(Hypercube::of(2), 4, true).unwrap();
    let program = firmware("route");
    let metacube = phasecube::topology::Metacube::of(1, 1);
    let metacube = CubeCircuit::new(metacube, 4, true).unwrap().with_program(&program);
    for (circuit, reason) in
        [(forwarders, "accepted: --network tdma with"), (metacube, "superframe")]
    {
        let start = EngineKind::Functional.start(&circuit, &LaneOptions::default(), builds());
        let Err(error) = start.map(|_| ()) else {
            panic!("{reason}");
        };
        assert!(error.to_string().contains(reason), "{error}");
    }
}

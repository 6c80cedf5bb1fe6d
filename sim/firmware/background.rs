//! Programs that compute while the network runs (`tdma_background`): nothing is lost or late, and
//! the messages of other nodes pass.

use crate::firmware::{builds, cube, firmware, SmallSoftNode, CLOCKS, PAYLOAD};
use crate::support::array_runs;
use crate::support::programs::{run, values, ProgramRunResults};
use crate::support::whole_runs::OutputTrace;
use phasecube::engine::{ByNode, CircuitEngine, NodeEngine};
use phasecube::machine::array::BlockCircuit;
use phasecube::machine::{drive, EndReason, MachineCircuit, RunControl};
use phasecube::networks::tdma::cube::{cube_array, CubeCircuit, ProgramDriver};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::program::{Firmware, Symbols};
use phasecube::report::OutputProbe;
use phasecube::routing::Schedule;
use phasecube::topology::{Hypercube, Metacube};
use phasecube::values::ProgramValue;
use std::fs;

/// Common part of the programs. `compute` takes this number of phases without waiting.
const HEAD: &str = r#"
#include "ctrl.h"
#include "tdma.h"

static void compute(unsigned phases)
{
    for (unsigned last = tdma_current_phase(); phases;) {
        unsigned now = tdma_current_phase();
        phases -= now != last;
        last = now;
    }
}

static uint32_t wait_for(unsigned dim)
{
    uint32_t word;
    while (tdma_recv(dim, &word, sizeof word) < 0)
        tdma_next_phase();
    return word;
}
"#;

/// Exchanges a word with each neighbour, shows its lowest byte on the LED, and computes for 200 phases after each word that it sends.
/// The host gives the number of rounds.
const EXCHANGE: &str = r#"
int main(void)
{
    uint16_t here = tdma_strapped_address();
    unsigned dims = tdma_strapped_dims();
    tdma_init(here, dims);
    NETWORK;
    uint32_t rounds;
    if (!ctrl_wait(&rounds, sizeof rounds))
        return 1;
    for (uint32_t round = 0; round < rounds; round++)
        for (unsigned dim = 0; dim < dims; dim++) {
            uint32_t word = round << 16 | dim << 8 | here;
            tdma_send(dim, &word, sizeof word);
            compute(200);
            word = wait_for(dim);
            tdma_led((uint8_t)word);
            ctrl_send(&word, sizeof word);
        }
    return 0;
}
"#;

/// Node 0 sends ten words to the node with the highest address. All nodes between them compute for
/// 600 phases, more than the words take. The last node returns the phases until each has arrived.
const PASS: &str = r#"
int main(void)
{
    uint16_t here = tdma_strapped_address();
    unsigned dims = tdma_strapped_dims();
    uint16_t last = (uint16_t)((1u << dims) - 1);
    tdma_init(here, dims);
    NETWORK;
    if (here == 0) {
        for (uint32_t i = 0; i < 10; i++)
            tdma_route(last, &i, sizeof i);
    } else if (here != last) {
        compute(600);
    } else {
        for (uint32_t i = 0, phases = 0; i < 10; i++) {
            uint32_t word;
            for (; tdma_recv(dims - 1, &word, sizeof word) < 0; phases++)
                tdma_next_phase();
            if (word != i)
                return 2;
            ctrl_send(&phases, sizeof phases);
        }
    }
    return 0;
}
"#;

/// Compiles a program, with or without the call.
fn compiled(name: &str, main: &str, background: bool) -> Firmware {
    let call = if background { "tdma_background()" } else { "(void)0" };
    let name = format!("{name}_{background}.c");
    let path = builds().join(name);
    fs::write(&path, format!("{HEAD}{}", main.replace("NETWORK", call))).unwrap();
    let firmware = firmware(path.to_str().unwrap());
    assert_eq!(firmware.uses_background(), background);
    firmware
}

fn words(run: &ProgramRunResults, node: usize) -> Vec<u32> {
    let values = run.programs.returned.0[node].iter();
    let words = values.map(|value| match value {
        ProgramValue::Word(word) => *word,
        ProgramValue::Bytes(bytes) => panic!("{bytes:?}"),
    });
    words.collect()
}

/// Checks the words that each node received from its neighbours.
fn check_exchange(run: &ProgramRunResults, dims: u32, rounds: u32) {
    assert_eq!(run.end, EndReason::Complete);
    for node in 0..1 << dims {
        let rounds = (0..rounds).flat_map(|round| (0..dims).map(move |dim| (round, dim)));
        let expected: Vec<u32> =
            rounds.map(|(round, dim)| round << 16 | dim << 8 | (node ^ 1 << dim)).collect();
        assert_eq!(words(run, node as usize), expected, "{node}");
    }
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn a_program_that_computes_for_200_phases_is_never_late() {
    let rounds = |n: u32| values(&vec![vec![2]; 1 << n]);
    for dims in [1, 3] {
        let with = run(&compiled("exchange", EXCHANGE, true), dims, rounds(dims), 500);
        check_exchange(&with, dims, 2);
        assert_eq!(with.late, 0);
    }
    // Without the call no message is lost either, but the nodes are late.
    let without = run(&compiled("exchange", EXCHANGE, false), 3, rounds(3), 500);
    check_exchange(&without, 3, 2);
    assert!(without.late > 200, "{}", without.late);
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn messages_pass_nodes_that_compute() {
    let run = |background| {
        let firmware = compiled("pass", PASS, background);
        run(&firmware, 3, values(&vec![vec![]; 8]), 130)
    };
    let with = run(true);
    assert_eq!(with.end, EndReason::Complete);
    assert!(with.programs.exits.iter().all(|exit| *exit == Some(0)));
    // A word leaves node 0 in each superframe of six phases. The way takes one superframe.
    let arrivals = words(&with, 7);
    assert!(arrivals.len() == 10 && arrivals[9] < 6 * 12, "{arrivals:?}");
    // Without the call the nodes fall silent, and their links go down.
    let without = words(&run(false), 7);
    assert!(without.len() < 10, "{without:?}");
}

/// At the end of the exchange each LED shows the address of the last neighbour. A program without
/// the call has nodes without an LED.
#[test]
fn leds_show_what_the_programs_set() {
    let mut main = EXCHANGE.replace("compute(200)", "compute(3)");
    for (name, has_led) in [("leds", true), ("dark", false)] {
        if !has_led {
            main = main.replace("tdma_led((uint8_t)word);", "");
        }
        let program = compiled(name, &main, true);
        assert_eq!(program.uses_led(), has_led);
        let circuit = CubeCircuit::new(Hypercube::of(2), PAYLOAD, true).unwrap();
        let circuit = circuit.with_program(&program);
        let array = circuit.array().unwrap();
        let mut engine = array.lockstep(&Default::default()).unwrap();
        let given = values(&vec![vec![1]; 4]);
        let mut driver =
            ProgramDriver::new(&mut engine, &circuit, Some(&given), Symbols::default());
        let control = RunControl::to_end(circuit.schedule().period().into(), Some(192));
        let stats = drive(&mut driver, control).unwrap();
        assert_eq!(stats.end, EndReason::Complete);
        let mut leds = vec![];
        let led = engine.port("led");
        engine.get_all(led, &mut leds);
        let expected = if has_led { [2, 3, 0, 1] } else { [0; 4] };
        assert_eq!(leds, expected);
    }
}

/// Runs the exchange on the 2-cube. Returns all outputs of all nodes in every clock cycle.
fn trace(engine: &mut dyn CircuitEngine, circuit: &CubeCircuit) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 4);
    let given = values(&vec![vec![1]; 4]);
    let mut driver = ProgramDriver::new(&mut nodes, circuit, Some(&given), Symbols::default());
    let period = u64::from(circuit.schedule().period());
    let control = RunControl { limit: 12, ..RunControl::to_end(period, None) };
    let stats = drive(&mut driver, control).unwrap();
    assert_eq!((stats.end, stats.figure("late")), (EndReason::Complete, 0));
    probe.into_trace()
}

/// Reference, evaluator, Verilator and lockstep agree on every output in every clock cycle. The
/// computations are short, because the reference is slow.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn engines_agree_on_nodes_with_two_contexts() {
    let main = EXCHANGE.replace("compute(200)", "compute(3)");
    let program = compiled("agree", &main, true);
    let shape = Metacube::from(Hypercube::of(2));
    let timing = PhaseTiming::software(CLOCKS as u32, PAYLOAD + 2, shape, true);
    let timing = PhaseTiming { service: timing.service + 400, ..timing };
    let (plan, patience, words) = (timing.plan(), timing.patience(shape), program.words.clone());
    assert!(patience > 100);
    let node = BlockCircuit::of(move || {
        let node = SmallSoftNode::<2>::new(plan, &words);
        let node = node.with_background(Some(patience.into()));
        Box::new(node.with_led(true))
    });
    let array = cube_array(cube(2), node.unwrap()).unwrap();
    let circuit = CubeCircuit::new(Hypercube::of(2), PAYLOAD, true).unwrap();
    let circuit = circuit.with_program(&program).with_timing(timing);
    array_runs::agree(&array, |engine| trace(engine, &circuit));
}

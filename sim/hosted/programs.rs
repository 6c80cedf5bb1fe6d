//! The board that loads programs over its line, simulated from the emitted Verilog. A client at the
//! other end of the line loads, runs and collects.

use crate::hosted::PROGRAMS;
use crate::support::programs::{values, CaseData, ProgramCase, CASES};
use hdl::verilog;
use phasecube::board::port::{BoardPort, PortError};
use phasecube::host::message::State;
use phasecube::host::{CarryOutcome, Machine};
use phasecube::machine::{CoreState as Core, RuntimeReport};
use phasecube::networks::tdma::hosted::{HostedCircuit, Terminal};
use phasecube::program::{Firmware, NodeKind, NodeMemory};
use phasecube::rtl::core::Cause;
use phasecube::rtl::hosted::HOST_CLOCKS;
use phasecube::toolchain::{CompileEffort, PortSpec, Simulation, Toolchain};
use phasecube::topology::AddressSpace;
use phasecube::traffic::{ExchangeOrder, MessageList, Recipe, SplitMix64};
use phasecube::values::{ProgramValue, Values};
use std::time::Duration;

/// Line of a board that Verilator simulates from the emitted Verilog. Time passes as on the board.
struct BoardLine {
    simulation: Simulation,
    terminal: Terminal,
    /// Levels of the line from the host.
    levels: Vec<u32>,
}

/// Clock cycles simulated for each read.
const LOOK: usize = 1_000;

impl BoardLine {
    fn new(circuit: &HostedCircuit) -> Self {
        let verilog = verilog::emit(&circuit.design().unwrap());
        let ports = [
            PortSpec::input("clock", 1),
            PortSpec::input("rx", 1),
            PortSpec::output("tx", 1),
            PortSpec::output("led", 8),
        ];
        let (text, top) = (verilog.to_string(), verilog.top());
        let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
        let tools = Toolchain::open().unwrap();
        let model = tools.verilate_with(
            &text,
            top,
            &ports,
            Some("clock"),
            models.as_ref(),
            CompileEffort::Fast,
        );
        BoardLine {
            simulation: model.unwrap().start().unwrap(),
            terminal: Terminal::new(HOST_CLOCKS),
            levels: vec![],
        }
    }
}

impl BoardPort for BoardLine {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        self.terminal.send(bytes);
        Ok(())
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        self.levels.clear();
        for _ in 0..LOOK {
            self.levels.push(self.terminal.level().into());
        }
        let mut shown = Vec::with_capacity(LOOK);
        self.simulation.cycles_words(&self.levels, &mut shown)?;
        for outputs in shown.chunks(2) {
            self.terminal.sample(outputs[0] == 1);
        }
        let took = Duration::from_nanos(LOOK as u64 * 1000 / 25);
        Ok((self.terminal.bytes(), took))
    }
}

pub fn program(name: &str) -> Firmware {
    let builds = env!("CARGO_TARGET_TMPDIR").as_ref();
    Firmware::open(name, NodeKind::CUBE, &Toolchain::open().unwrap(), builds).unwrap()
}

/// Returns a client of a board with this circuit.
pub fn machine_of(circuit: &HostedCircuit) -> Machine {
    Machine::over_port(Box::new(BoardLine::new(circuit))).unwrap()
}

fn machine() -> Machine {
    machine_of(&PROGRAMS)
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn the_board_describes_itself() {
    let machine = machine();
    let about = machine.about();
    assert_eq!((about.dims, about.nodes, about.message), (3, 8, 10));
    let of_node = (NodeMemory::BOARD.program() as u32, NodeMemory::BOARD.data() as u32);
    assert_eq!((about.program, about.data), of_node);
    assert_eq!(about.name, "3-cube on a board");
}

/// Runs one program after another on the same board, each from reset.
#[test]
#[ignore = "thorough: long runs"]
fn every_program_returns_the_result_of_a_plain_computation() {
    let mut machine = machine();
    // The excluded programs need an even number of dimensions, and a grid.
    let others = |case: &&ProgramCase| !["transpose", "life"].contains(&case.name);
    for case in CASES.iter().filter(others) {
        let mut random = SplitMix64::new(5);
        let CaseData { given, expected } = (case.task)(3, &mut random);
        machine.load(&program(case.name)).unwrap();
        let results = machine.run(&values(&given)).unwrap();
        assert_eq!(results.programs.exits, [Some(0); 8], "{}", case.name);
        assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
        let wrong = results.programs.returned.differences(&values(&expected), case.tolerance);
        assert!(wrong.is_empty(), "{}: {wrong:?}", case.name);
    }
}

/// Every message arrives once. Its number of hops equals the number of address bits that differ.
#[test]
#[ignore = "thorough: long runs"]
fn every_message_of_a_list_arrives_once() {
    let mut machine = machine();
    machine.load(&program("route")).unwrap();
    machine.start().unwrap();
    let list = list(machine.addresses(), "relation:3", 9);
    let stats = machine.carry(&list, &mut |_| {}).unwrap();
    let delivered = stats.count(|delivery| matches!(delivery, CarryOutcome::Delivered { .. }));
    assert_eq!((delivered, stats.unexpected.len()), (list.len(), 0));
    assert!(list.len() > 15, "{}", list.len());
    let routes = list.iter().map(|m| u64::from((m.source ^ m.destination).count_ones()));
    assert_eq!(machine.status().unwrap().hops, routes.sum::<u64>());
}

/// Prints more texts than the ring of the host port holds.
const TEXTS: &str = r#"
#include "ctrl.h"
#include "tdma.h"

int main(void)
{
    unsigned here = tdma_strapped_address();
    tdma_init((uint16_t)here, tdma_strapped_dims());
    for (unsigned i = 0; i < 12; i++)
        ctrl_print("%u: %u %u\n", here, i, 1000 * here + i);
    return 0;
}
"#;

/// A node waits for room before each message of a text, so none is lost.
#[test]
#[ignore = "thorough: long runs"]
fn every_text_arrives() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("texts.c");
    std::fs::write(&source, TEXTS).unwrap();
    let mut machine = machine();
    machine.load(&program(source.to_str().unwrap())).unwrap();
    let results = machine.run(&Values::none(8)).unwrap();
    assert_eq!(results.programs.exits, [Some(0); 8]);
    for (here, values) in (0..).zip(&results.programs.returned.0) {
        let reports = values.iter().map(|value| match value {
            ProgramValue::Bytes(bytes) => RuntimeReport::decode(bytes).unwrap(),
            ProgramValue::Word(word) => panic!("{word}"),
        });
        let (formats, arguments): (Vec<_>, Vec<_>) =
            reports.partition(|report| matches!(report, RuntimeReport::Format(_)));
        let expected = (0..12).flat_map(|i| [here, i, 1000 * here + i]);
        let expected: Vec<_> = expected.map(RuntimeReport::Argument).collect();
        assert_eq!((formats.len(), arguments), (12, expected), "node {here}");
    }
}

/// Returns messages that do not go to their own source.
fn list(addresses: AddressSpace, pattern: &str, seed: u64) -> MessageList {
    let recipe =
        Recipe { pattern: pattern.parse().unwrap(), seed, payload: 8, order: ExchangeOrder::Pairs };
    recipe.list(addresses).unwrap().without_messages_to_self()
}

/// Cuts a run while messages are under way or programs hang. The next run is unaffected.
#[test]
#[ignore = "thorough: long runs"]
fn a_run_leaves_no_state_for_the_next() {
    let mut machine = machine();
    machine.load(&program("route")).unwrap();
    for seed in 0..3 {
        machine.start().unwrap();
        for message in list(machine.addresses(), "relation:2", seed).iter() {
            let sent = machine.send_through(message.source, message.destination, message.payload);
            sent.unwrap();
        }
        assert!(machine.status().unwrap().hops > 0);
    }
    // `j .`, which never decides.
    machine.load_bytes("hang", &[0x6F, 0, 0, 0]).unwrap();
    machine.start().unwrap();
    let places = machine.program_states().unwrap();
    assert_eq!(places.len(), 8);
    assert!(places.iter().all(|place| place.state == Core::Awake && place.pc == 0));
    let case = &CASES[1];
    machine.load(&program(case.name)).unwrap();
    let CaseData { given, expected } = (case.task)(3, &mut SplitMix64::new(8));
    for _ in 0..2 {
        let results = machine.run(&values(&given)).unwrap();
        assert_eq!(results.programs.returned, values(&expected));
        // Three words to the neighbour in each of three dimensions.
        assert_eq!(machine.status().unwrap().hops, 8 * 3 * 3);
    }
}

/// Each halted core is reported with its address. In the next run none has halted.
#[test]
#[ignore = "thorough: long runs"]
fn a_trap_is_reported_with_its_location() {
    let mut machine = machine();
    // A nop and an illegal instruction.
    machine.load_bytes("zeros", &[0x13, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let results = machine.run(&Values::none(8)).unwrap();
    assert_eq!(results.state, State::Ended);
    let mut traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
    traps.sort_unstable();
    let all: Vec<_> = (0..8).map(|node| (node, 4)).collect();
    assert_eq!(traps, all);
    for trap in &results.traps {
        assert_eq!((trap.cause, trap.instruction), (Cause::IllegalInstruction, 0));
    }
    // j .+8; nop; a load from an odd address.
    let misaligned = [0x0080_006F, 0x0000_0013, 0x0010_2083u32];
    let image: Vec<u8> = misaligned.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.load_bytes("misaligned", &image).unwrap();
    let results = machine.run(&Values::none(8)).unwrap();
    assert_eq!(results.traps.len(), 8);
    for trap in &results.traps {
        let what = (trap.pc, trap.cause, trap.instruction);
        assert_eq!(what, (8, Cause::MisalignedLoad, misaligned[2]));
    }
    machine.load(&program("all_reduce")).unwrap();
    machine.start().unwrap();
    assert_eq!(machine.status().unwrap().halted, 0);
}

/// Data arrive during the run, and exceed the slots in the nodes' queues and the ring.
#[test]
#[ignore = "thorough: long runs"]
fn data_and_results_stream_during_a_run() {
    let mut machine = machine();
    machine.load(&program("all_reduce")).unwrap();
    let mut random = SplitMix64::new(3);
    let tasks: Vec<CaseData> = (0..12).map(|_| (CASES[1].task)(3, &mut random)).collect();
    let columns = |of: fn(&CaseData) -> &Vec<Vec<i32>>| -> Vec<Vec<i32>> {
        let row = |node: usize| tasks.iter().flat_map(|task| of(task)[node].clone()).collect();
        (0..8).map(row).collect()
    };
    let results = machine.run(&values(&columns(|task| &task.given))).unwrap();
    assert_eq!(results.programs.returned, values(&columns(|task| &task.expected)));
    assert_eq!(results.programs.exits, [Some(0); 8]);
}

//! Boards of more than eight nodes that load programs over their line, simulated from the emitted
//! Verilog. Results are those of a plain computation, and events have the phases of a machine of
//! soft nodes with a core each.

use crate::host::SimulatedBoard;
use crate::hosted::circuit_of;
use crate::hosted::programs::{machine_of, program};
use crate::support::programs::{values, CaseData, CASES};
use phasecube::host::message::{ProgramEvent, State};
use phasecube::host::Machine;
use phasecube::rtl::hosted::groups::GroupShape;
use phasecube::rtl::hosted::HostedShape;
use phasecube::topology::Metacube;
use phasecube::traffic::SplitMix64;

/// Sixteen nodes on one core.
#[test]
#[ignore = "thorough: long runs"]
fn a_session_with_a_4_cube() {
    Session::new(HostedShape::Programs4).all();
}

/// Sixteen nodes in four groups.
#[test]
#[ignore = "thorough: long runs"]
fn a_session_with_four_groups() {
    let groups = GroupShape::programs(4, 2).unwrap();
    Session::new(HostedShape::Groups(groups)).all();
}

/// 64 nodes on one core.
#[test]
#[ignore = "thorough: long runs"]
fn a_session_with_a_6_cube() {
    Session::new(HostedShape::Programs6).events();
}

/// 256 nodes in four groups. The thorough tier skips this test:
///
/// ```text
/// cargo test --release --test sim -- --ignored --nocapture by_command_a_session_with_an_8_cube
/// ```
#[test]
#[ignore = "by command: a quarter of an hour"]
fn by_command_a_session_with_an_8_cube() {
    let mut session = Session::new(HostedShape::programs(8).unwrap());
    session.traps();
    session.events();
}

/// A client of a board.
struct Session {
    machine: Machine,
    dims: u32,
}

impl Session {
    fn new(shape: HostedShape) -> Self {
        let dims = Metacube::from(shape).bits();
        let machine = machine_of(&circuit_of(shape));
        let about = machine.about();
        assert_eq!((about.dims.into(), about.nodes), (dims, 1 << dims));
        assert_eq!((about.program, about.data, about.message), (2048, 512, 10));
        Session { machine, dims }
    }

    fn all(mut self) {
        self.results();
        self.traps();
        self.events();
    }

    /// A program gets data and returns results, twice.
    fn results(&mut self) {
        let case = &CASES[1];
        self.machine.load(&program(case.name)).unwrap();
        for seed in [8, 9] {
            let CaseData { given, expected } = (case.task)(self.dims, &mut SplitMix64::new(seed));
            let results = self.machine.run(&values(&given)).unwrap();
            assert_eq!(results.programs.returned, values(&expected));
            assert_eq!(results.programs.exits, vec![Some(0); 1 << self.dims]);
            assert_eq!((results.state, results.traps.len()), (State::Ended, 0));
            // Three words to the neighbour in each dimension.
            let hops = (3 * u64::from(self.dims)) << self.dims;
            assert_eq!(self.machine.status().unwrap().hops, hops);
        }
    }

    /// An illegal instruction in each node.
    fn traps(&mut self) {
        let image = [0x13, 0, 0, 0, 0, 0, 0, 0];
        self.machine.load_bytes("zeros", &image).unwrap();
        self.machine.start().unwrap();
        let results = self.machine.collect().unwrap();
        let mut traps: Vec<_> = results.traps.iter().map(|t| (t.node, t.pc)).collect();
        traps.sort_unstable();
        let all: Vec<_> = (0..1 << self.dims).map(|node| (node, 4)).collect();
        assert_eq!((traps, results.state), (all, State::Ended));
        // The host asks in different clock cycles of the nodes' turns.
        for _ in 0..20 {
            let states = self.machine.program_states().unwrap();
            let counters: Vec<_> = states.iter().map(|of| (of.node, of.pc)).collect();
            let all: Vec<_> = (0..1 << self.dims).map(|node| (node, 4)).collect();
            assert_eq!(counters, all);
        }
    }

    /// A program that starts on its own: each result has the phase that it has in a simulated board,
    /// which shares neither the host nor the time-multiplexed circuit. The results can fill the ring, so
    /// an end may wait for the PC.
    fn events(mut self) {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("squares.c");
        std::fs::write(&source, SQUARES).unwrap();
        let source = source.to_str().unwrap();
        let found = events(&mut self.machine, source);
        let simulated = SimulatedBoard::new(self.dims.into());
        let expected = events(&mut simulated.connect(), source);
        let is_message = |event: &&ProgramEvent| matches!(event, ProgramEvent::Message { .. });
        let results = |of: &[ProgramEvent]| -> Vec<ProgramEvent> {
            of.iter().filter(is_message).cloned().collect()
        };
        assert_eq!(results(&found), results(&expected));
        assert_eq!(found.len(), 2 << self.dims);
        let nodes = 1u32 << self.dims;
        let sum: u32 = (0..nodes).map(|node| node * node).sum();
        for event in &found {
            match event {
                ProgramEvent::Message { bytes, .. } => assert_eq!(bytes[..], sum.to_le_bytes()),
                ProgramEvent::Ended { node, code, .. } => assert_eq!(u32::from(*code), *node),
                event => panic!("{event:?}"),
            }
        }
        let hops = u64::from(self.dims) << self.dims;
        assert_eq!(self.machine.status().unwrap().hops, hops);
    }
}

/// Adds the squares of all addresses.
const SQUARES: &str = r#"
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    uint32_t square = 0;
    for (unsigned i = 0; i < here; i++)
        square += here;
    uint32_t sum = collective_reduce(dims, collective_add, square);
    ctrl_send(&sum, sizeof sum);
    ctrl_exit((int)here);
}
"#;

/// Returns the events of a program, sorted by phase and node.
fn events(machine: &mut Machine, source: &str) -> Vec<ProgramEvent> {
    machine.load(&program(source)).unwrap();
    machine.start().unwrap();
    let events: Result<Vec<ProgramEvent>, _> = machine.collect_streaming().collect();
    let mut events = events.unwrap();
    assert_eq!(machine.status().unwrap().state, State::Ended);
    events.sort_by_key(|event| match event {
        ProgramEvent::Message { node, phase, .. } => (*phase, *node, 0),
        ProgramEvent::Ended { node, phase, .. } => (*phase, *node, 1),
        ProgramEvent::Trap { phase, trap } => (*phase, trap.node, 2),
    });
    events
}

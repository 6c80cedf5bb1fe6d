//! Cubes that fit only an ECP5. Every hop is in the same phase as with hardware forwarders, and the
//! host reports the same result as the simulator.

use crate::hosted::reports::{messages, run};
use crate::hosted::{circuit_of, Boards};
use crate::support::cube_runs;
use crate::support::cube_runs::same_run;
use phasecube::board::lines::{BoardTextLine, MessageLine};
use phasecube::board::{expected, Transcript};
use phasecube::engine::NodeEngine;
use phasecube::machine::EndReason;
use phasecube::networks::tdma::cube::CubeFaults;
use phasecube::networks::tdma::hosted::HostedCircuit;
use phasecube::rtl::hosted::HostedShape;
use phasecube::topology::{Hypercube, Metacube};
use phasecube::traffic::Message;

/// 32 nodes in one circuit, with messages over the first link.
#[test]
#[ignore = "thorough: long runs"]
fn hops_of_the_five_cube_have_the_phases_of_hardware_forwarders() {
    let mut large = LargeBoards::new(5);
    large.events("xor:1", 3, 1);
    large.run_until_reporting("xor:1", 3);
}

/// 64 nodes in one circuit.
#[test]
#[ignore = "thorough: long runs"]
fn hops_of_the_six_cube_have_the_phases_of_hardware_forwarders() {
    LargeBoards::new(6).events("xor:1", 7, 1);
}

/// Runs to the last message, and checks the host's complete report.
#[test]
#[ignore = "thorough: a whole run of 32 nodes"]
fn a_whole_run_of_the_five_cube_is_reported() {
    let mut large = LargeBoards::new(5);
    large.events("complement", 3, u64::MAX);
    large.check_report();
}

/// Two boards with the same circuit. The first is observed.
pub struct LargeBoards {
    circuit: HostedCircuit,
    dims: u32,
    boards: Boards,
}

impl LargeBoards {
    fn new(dims: u32) -> Self {
        LargeBoards::of(HostedShape::cube(dims).unwrap())
    }

    /// Creates boards of any shape whose nodes run `route`, and waits until they are ready.
    pub fn of(shape: HostedShape) -> Self {
        let mut large = LargeBoards::with(circuit_of(shape), shape);
        let hello = format!("phasecube cube nodes={}", 1 << large.dims);
        assert_eq!(large.boards.until_ready()[0], [&hello, "ready"]);
        large
    }

    /// Creates boards of a circuit of this shape.
    pub fn with(circuit: HostedCircuit, shape: HostedShape) -> Self {
        LargeBoards {
            dims: Metacube::from(shape).bits(),
            boards: Boards::new(&circuit, 2),
            circuit,
        }
    }

    /// Runs a pattern until all messages are delivered, for at most `limit` superframes.
    pub fn events(&mut self, pattern: &str, seed: u64, limit: u64) {
        for terminal in &mut self.boards.terminals {
            terminal.send(format!("{pattern} {seed}\n"));
        }
        self.messages(&messages(self.dims, pattern, seed), limit);
    }

    /// Runs until these messages of the host are delivered, for at most `limit` superframes.
    pub fn messages(&mut self, messages: &[Message], limit: u64) {
        let (cube, timing) = (Hypercube::of(self.dims), self.circuit.timing());
        let (circuit, faults) = (cube_runs::circuit(cube, timing), CubeFaults::default());
        let found = cube_runs::run_for(&mut self.boards, &circuit, &faults, messages, limit);
        assert_eq!(found.end, EndReason::Complete);
        assert_eq!(found.figure("clashes"), 0);
        same_run(&found, &run(self.dims, messages), "board");
    }

    /// Runs until the host has reported a node whose number has two digits.
    fn run_until_reporting(&mut self, pattern: &str, seed: u64) {
        let messages = messages(self.dims, pattern, seed);
        let is_sent = |line: &MessageLine| {
            let payload =
                |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
            messages.iter().any(|m| {
                (u64::from(m.source), u64::from(m.destination)) == (line.from, line.to)
                    && payload(&m.payload) == line.payload
            })
        };
        let mut reported = 0;
        while reported < 0x10 {
            self.boards.clock().unwrap();
            for printed in self.boards.terminals[0].lines() {
                if let BoardTextLine::Message(line) = BoardTextLine::parse(&printed) {
                    assert!(is_sent(&line), "{printed}");
                    reported = line.from;
                }
            }
        }
    }

    /// Runs until the host has reported everything.
    pub fn check_report(&mut self) {
        let mut transcript = Transcript::default();
        for printed in self.boards.until_ready().swap_remove(0) {
            println!("{printed}");
            transcript.push(&BoardTextLine::parse(&printed));
        }
        assert_eq!((transcript.other, transcript.fault()), (0, None));
        let [reported] = &transcript.runs[..] else {
            panic!("one run was requested: {transcript:?}");
        };
        let simulated = expected::expected_run(reported).unwrap();
        assert_eq!(simulated.arrivals.len(), reported.arrivals.len());
        assert_eq!(expected::difference(reported, &simulated), None);
        // The LEDs for the end of a run without an error.
        assert_eq!(self.boards.lights(0) >> 1, 2);
    }
}

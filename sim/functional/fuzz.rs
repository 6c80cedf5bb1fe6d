//! Random programs: the outputs of every node in every clock cycle.

use functional::FunctionalEngine;
use lockstep::lanes::LaneOptions;
use phasecube::engine::{EngineError, NodeEngine, NodePortId, ObservedEngine, Observer};
use phasecube::machine::{drive, EngineKind, MachineCircuit, RunControl, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, ProgramDriver};
use phasecube::program::{Firmware, Symbols};
use phasecube::routing::Schedule;
use phasecube::rtl::tdma::GuardLimits;
use phasecube::topology::Hypercube;
use phasecube::traffic::SplitMix64;
use phasecube::values::{ProgramValue, Values};

use crate::firmware::builds;

/// Output that is compared in each clock cycle, but not at the ends of phases alone: reading it runs the
/// cores through the present clock cycle, and wakes parked nodes.
const RETIRED: &str = "retired";

/// Outputs that are compared in each clock cycle, or at the ends of phases.
const OUTPUTS: [&str; 12] = [
    "asleep",
    "halted",
    "decided",
    "sent",
    "missed_deadline",
    "node_phase",
    "muted",
    "host_index",
    "host_taken",
    "out_valid",
    "out_slot",
    "slips",
];

/// Outputs that are compared at the end of each phase.
const AT_END: [&str; 2] = ["received", "sent_slot"];

/// Values of the outputs of all nodes.
struct WatchedOutputs {
    each: Vec<NodePortId>,
    at_end: Vec<NodePortId>,
    /// Clock cycles of a phase.
    period: u64,
    /// True to record each clock cycle, otherwise the ends of phases.
    always: bool,
    rows: Vec<Vec<u64>>,
}

impl WatchedOutputs {
    fn new(engine: &mut dyn NodeEngine, period: u64, always: bool) -> Self {
        let mut ports = |names: &[&str]| names.iter().map(|name| engine.port(name)).collect();
        let (mut each, at_end): (Vec<_>, _) = (ports(&OUTPUTS), ports(&AT_END));
        if always {
            each.push(engine.port(RETIRED));
        }
        WatchedOutputs { each, at_end, period, always, rows: vec![] }
    }
}

impl Observer for WatchedOutputs {
    fn next_look(&self, clock: u64) -> Option<u64> {
        // The phase clock rises in clock cycle 1.
        Some(match self.always {
            true => clock,
            false => clock.saturating_sub(1).next_multiple_of(self.period) + 1,
        })
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        let mut row = vec![clock];
        let mut values = vec![];
        for port in &self.each {
            engine.get_all(*port, &mut values);
            row.extend(&values);
        }
        if clock % self.period == 1 {
            for port in &self.at_end {
                engine.get_all(*port, &mut values);
                row.extend(&values);
            }
        }
        self.rows.push(row);
        Ok(())
    }
}

/// Writes random programs.
struct Writer {
    random: SplitMix64,
    words: Vec<u32>,
}

/// Registers that random instructions use: x1 to x7 and x10 to x15. x8 has the address of the data.
const DATA: u32 = 8;

impl Writer {
    fn below(&mut self, n: u64) -> u32 {
        self.random.below(n) as u32
    }

    fn register(&mut self) -> u32 {
        match self.below(13) {
            number @ 0..7 => 1 + number,
            number => number + 3,
        }
    }

    fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    fn immediate(&mut self, opcode: u32, funct3: u32, (rd, rs1): (u32, u32), immediate: u32) {
        self.push(immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode);
    }

    fn store(&mut self, funct3: u32, (rs1, rs2): (u32, u32), offset: u32) {
        let upper = offset >> 5 & 0x7F;
        let low = offset & 31;
        self.push(upper << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x23);
    }

    /// Reads a register of the node.
    fn port_read(&mut self, rd: u32, offset: u32) {
        self.immediate(0x03, 2, (rd, 0), 0xF00 | offset);
    }

    fn port_write(&mut self, rs2: u32, offset: u32) {
        self.store(2, (0, rs2), 0xF00 | offset);
    }

    /// Returns the offset of a byte, halfword or word of the data memory.
    fn offset(&mut self, size: u32) -> u32 {
        (self.below(256) >> size) << size
    }

    /// Writes an instruction that halts the core, some of them only with guards.
    fn halt(&mut self) {
        match self.below(8) {
            0 => self.push(0x0010_0073),
            1 => self.push(0x0000_0073),
            2 => self.push(0xFFFF_FFFF),
            3 => self.immediate(0x03, 2, (4, DATA), 2),
            4 => self.store(1, (DATA, 4), 1),
            // A jump to the middle of a word.
            5 => self.push(1 << 21 | 0x6F),
            6 => self.store(2, (0, 4), 0x700),
            _ => self.immediate(0x67, 0, (0, 0), 0x7FC),
        }
    }

    fn constant(&mut self, rd: u32, value: u32) {
        self.immediate(0x13, 0, (rd, 0), value & 0x7FF);
    }

    /// Writes a random decision for the present phase.
    fn decide_at_random(&mut self) {
        let low = self.below(256);
        self.decide(low);
    }

    /// Writes a decision for the present phase.
    fn decide(&mut self, low: u32) {
        self.port_read(1, 0x00);
        self.immediate(0x13, 1, (1, 1), 24);
        self.immediate(0x13, 6, (1, 1), low);
        self.port_write(1, 0x54);
    }

    /// Writes a message to a buffer.
    fn message(&mut self, buffers: u32) {
        let (buffer, length) = (self.below(u64::from(buffers) + 1), 1 + self.below(7));
        self.constant(2, buffer);
        self.port_write(2, 0x18);
        self.constant(3, length | 0x300);
        self.port_write(3, 0x08);
        if self.below(2) == 0 {
            self.constant(2, buffer | 32);
            self.port_write(2, 0x58);
        }
        if self.below(3) > 0 {
            let reopens = self.below(2) << 7;
            self.decide(buffer | 0x20 | reopens);
        }
    }

    fn transfer(&mut self, buffers: u32) {
        let (buffer, operation) = (self.below(u64::from(buffers) + 1), self.below(4));
        self.constant(2, buffer);
        self.port_write(2, 0x18);
        self.port_read(1, 0x00);
        self.immediate(0x13, 1, (1, 1), 24);
        self.immediate(0x13, 6, (1, 1), operation);
        self.port_write(1, 0x50);
    }

    /// Writes an instruction, or a few that belong together.
    fn item(&mut self, buffers: u32) {
        let (rd, rs1, rs2) = (self.register(), self.register(), self.register());
        match self.below(34) {
            0..6 => {
                let (funct3, bit) = (self.below(8), self.below(2));
                let other = (u32::from(funct3 == 0 || funct3 == 5) * bit) << 30;
                self.push(other | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33);
            }
            6..9 => {
                let (funct3, value) = (self.below(8), self.below(4096));
                let value = match funct3 {
                    1 => value & 31,
                    5 => value & 31 | (value & 32) << 5,
                    _ => value,
                };
                self.immediate(0x13, funct3, (rd, rs1), value);
            }
            9..11 => {
                let funct3 = [0, 1, 2, 4, 5][self.below(5) as usize];
                let offset = self.offset(funct3 & 3);
                self.immediate(0x03, funct3, (rd, DATA), offset);
            }
            11..13 => {
                let funct3 = self.below(3);
                let offset = self.offset(funct3);
                self.store(funct3, (DATA, rs2), offset);
            }
            13..15 => {
                // A branch over the next one to three items, which are short.
                let funct3 = [0, 1, 4, 5, 6, 7][self.below(6) as usize];
                let at = self.words.len();
                self.push(0);
                for _ in 0..=self.below(3) {
                    self.item(buffers);
                }
                let offset = 4 * (self.words.len() - at) as u32;
                let fields = (offset >> 5 & 0x3F) << 25 | (offset >> 1 & 0xF) << 8;
                self.words[at] = fields | rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x63;
            }
            15..18 => {
                let offset = self.below(32) * 4;
                // MOVE is not read.
                self.port_read(rd, if offset == 0x50 { 0x4C } else { offset });
            }
            18..20 => {
                let select = self.below(2048);
                self.constant(rd, select);
                self.port_write(rd, 0x18);
            }
            20 => self.port_write(rs2, 0x0C),
            21..23 => self.transfer(buffers),
            23..26 => self.decide_at_random(),
            26 => {
                let value = self.below(64);
                self.constant(rd, value);
                self.port_write(rd, 0x58);
            }
            27..29 => self.message(buffers),
            29 => {
                let held = self.below(3) / 2;
                self.constant(rd, held);
                self.port_write(rd, 0x64);
            }
            30 => self.push(0x0000_000F),
            31 => {
                let upper = self.random.next_u64() as u32 & 0xFFFF_F000;
                self.push(upper | rd << 7 | 0x37);
            }
            32 => {
                // `auipc` and `jalr` jump over an instruction.
                self.push(1 << 7 | 0x17);
                self.immediate(0x67, 0, (rd, 1), 12);
                self.push(0x0010_0073);
            }
            _ => self.push(0x1050_0073),
        }
    }
}

/// Returns a random program for nodes with this number of links. It repeats for ever.
fn program(seed: u64, links: u32) -> Vec<u32> {
    let mut writer = Writer { random: SplitMix64::new(seed), words: vec![] };
    writer.push(0x1000_0000 | DATA << 7 | 0x37);
    let items = 20 + writer.below(70);
    for _ in 0..items {
        writer.item(links);
    }
    if seed % 4 == 1 || seed % 7 == 2 {
        writer.halt();
    }
    let back = 0u32.wrapping_sub(4 * (writer.words.len() as u32 - 1));
    let fields = (back >> 20 & 1) << 31 | (back >> 1 & 0x3FF) << 21 | (back >> 11 & 1) << 20;
    writer.push(fields | back & 0xF_F000 | 0x6F);
    writer.words
}

/// Runs a random program in an engine, and returns the outputs.
fn run(kind: EngineKind, circuit: &CubeCircuit, always: bool) -> (RunStats, Vec<Vec<u64>>) {
    let mut engine: Box<dyn NodeEngine> = match (kind, always) {
        (EngineKind::Functional, true) => {
            let machine = circuit.functional().unwrap();
            Box::new(FunctionalEngine::new(&machine).without_parking())
        }
        _ => kind.start(circuit, &LaneOptions::default(), builds()).unwrap(),
    };
    let period = circuit.timing().clock_cycles().into();
    let mut outputs = WatchedOutputs::new(&mut *engine, period, always);
    let mut observed = ObservedEngine::new(&mut *engine, vec![&mut outputs]);
    let value = |node: u32, i: u32| ProgramValue::Bytes(vec![(node + i) as u8; 1 + i as usize]);
    let nodes = 0..circuit.shape().bits();
    let given = (0..1 << nodes.end).map(|node| (0..5).map(|i| value(node, i)).collect());
    let given = Values(given.collect());
    let mut driver = ProgramDriver::new(&mut observed, circuit, Some(&given), Symbols::default());
    let control =
        RunControl { limit: 12, ..RunControl::to_end(circuit.schedule().period().into(), None) };
    let mut stats = drive(&mut driver, control).unwrap();
    // A jump stores its target in the circuit before it ends.
    for program in stats.programs.iter_mut().flat_map(|p| &mut p.unfinished) {
        program.pc = 0;
    }
    // After the last phase the driver looks at the cores before the observer does.
    let end = stats.steps * u64::from(circuit.timing().clock_cycles()) + 1;
    outputs.rows.retain(|row| row[0] <= end);
    (stats, outputs.rows)
}

/// Compares a random program in both engines.
fn compare(seed: u64) -> RunStats {
    let dims = 1 + (seed % 3) as u32;
    let words = program(seed, dims);
    let length = 4 * words.len() as u32;
    let firmware = Firmware { words, ..Firmware::default() };
    let acked = !seed.is_multiple_of(5);
    let circuit = CubeCircuit::new(Hypercube::of(dims), 4, acked).unwrap();
    let mut circuit = circuit.with_program(&firmware);
    if seed.is_multiple_of(2) {
        circuit = circuit.with_background();
    }
    if seed % 4 > 1 {
        circuit = circuit.with_guard(GuardLimits { program: length, data: 64 });
    }
    // In short windows accesses are interrupted.
    circuit = circuit.with_service([1, 20, 150, 400][(seed / 3 % 4) as usize]);
    let mut stats = None;
    for always in [true, false] {
        let (wanted, wanted_rows) = run(EngineKind::Lockstep, &circuit, always);
        let (found, found_rows) = run(EngineKind::Functional, &circuit, always);
        assert_eq!(found_rows.len(), wanted_rows.len(), "seed {seed}");
        for (found, wanted) in found_rows.iter().zip(&wanted_rows) {
            if found != wanted {
                let nodes = 1 << dims;
                let place = (0..found.len()).find(|i| found[*i] != wanted[*i]).unwrap();
                let port = (place - 1) / nodes;
                let last = always.then_some(&RETIRED);
                let port = OUTPUTS.iter().chain(last).chain(&AT_END).nth(port).unwrap();
                let period = u64::from(circuit.timing().clock_cycles());
                panic!(
                    "seed {seed}: clock cycle {} ({} of a phase; {:?}), {port} of node {}: \
                     lockstep {}, functional {}",
                    wanted[0],
                    (wanted[0] + period - 2) % period,
                    circuit.plan().phase,
                    (place - 1) % nodes,
                    wanted[place],
                    found[place]
                );
            }
        }
        assert_eq!(found.programs, wanted.programs, "seed {seed}");
        assert_eq!(found, wanted, "seed {seed}");
        stats = Some(found);
    }
    stats.unwrap()
}

/// Compares random programs. Together they send frames, are late, exchange messages with their hosts,
/// fall silent and halt.
fn compare_all(seeds: std::ops::Range<u64>) -> Vec<RunStats> {
    let runs: Vec<RunStats> = seeds.map(compare).collect();
    let any = |what: &dyn Fn(&RunStats) -> bool| runs.iter().any(what);
    assert!(any(&|run| run.hops > 0));
    assert!(any(&|run| run.figure("late") > 0));
    assert!(any(&|run| run.figure("silences") > 0));
    let outputs = |run: &RunStats| {
        let programs = run.programs.as_ref().unwrap();
        programs.returned.0.iter().any(|values| !values.is_empty())
    };
    assert!(any(&outputs));
    assert!(any(&|run| !run.traps.is_empty()));
    runs
}

#[test]
fn random_programs_run_alike() {
    compare_all(0..12);
}

#[test]
#[ignore = "thorough: many random programs"]
fn many_random_programs_run_alike() {
    let runs = compare_all(12..200);
    assert!(runs.iter().any(|run| run.figure("refused") > 0));
}

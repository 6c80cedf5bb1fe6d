//! Lanes that read a memory only when its data is used agree with an evaluator that always reads.
//! The circuits are random, and their memories feed each other.

use crate::common::{TestBuilder, TestRandom};
use lockstep::design::*;
use lockstep::eval::Evaluator;
use lockstep::lanes::{Backend, InputSource, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::{flatten, Netlist};
use std::sync::Arc;

const MEMORIES: usize = 3;
const ADDRESS_BITS: u32 = 2;
const WIDTH: u32 = 3;

/// Number of one-bit registers, driven by each other and by the inputs.
const CONTROLS: usize = 5;

/// Number of word registers that take read data.
const HOLDERS: usize = 3;

struct MemoryWeb<'a> {
    random: &'a mut TestRandom,
    m: TestBuilder,
    inputs: Vec<SignalId>,
    controls: Vec<SignalId>,
    words: Vec<SignalId>,
    read: Vec<SignalId>,
}

impl MemoryWeb<'_> {
    fn pick(&mut self, from: fn(&Self) -> &[SignalId]) -> ExprId {
        let signals = from(self).to_vec();
        let signal = signals[self.random.below(signals.len() as u64) as usize];
        self.m.read(signal)
    }

    /// Makes a bit that rarely depends on read data.
    fn bit(&mut self, depth: u32) -> ExprId {
        let choice = self.random.below(if depth == 0 { 9 } else { 16 });
        match choice {
            0..7 => self.pick(|web| &web.controls),
            7 => self.pick(|web| &web.inputs),
            8 => {
                let word = self.word(0);
                self.m.slice(word, 0, 1)
            }
            9..12 => {
                let bit = self.bit(depth - 1);
                self.m.unary(UnaryOp::Not, bit)
            }
            _ => {
                let ops = [BinaryOp::And, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
                let (a, b) = (self.bit(depth - 1), self.bit(depth - 1));
                self.m.binary(ops[choice as usize - 12], a, b)
            }
        }
    }

    /// Makes a word that is often read data, gated by a bit.
    fn word(&mut self, depth: u32) -> ExprId {
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => self.pick(|web| &web.words),
            1..4 => self.pick(|web| &web.read),
            4 => {
                let (a, b) = (self.word(depth - 1), self.word(depth - 1));
                self.m.binary(BinaryOp::Add, a, b)
            }
            _ => {
                let mux = ExprOp::Mux {
                    cond: self.bit(2),
                    then: self.word(depth - 1),
                    otherwise: self.word(depth - 1),
                };
                self.m.expr(mux, WIDTH)
            }
        }
    }

    fn address(&mut self) -> ExprId {
        let word = self.word(2);
        self.m.slice(word, 0, ADDRESS_BITS)
    }
}

/// Makes a circuit with one-bit inputs `in0`.. and word outputs `out0`...
fn web(random: &mut TestRandom) -> Netlist {
    let mut m = TestBuilder::new("web");
    let inputs = (0..2).map(|i| m.input(&format!("in{i}"), 1)).collect();
    let register = |m: &mut TestBuilder, name: String, width, init| m.register(&name, width, init);
    let controls: Vec<_> =
        (0..CONTROLS).map(|i| register(&mut m, format!("control{i}"), 1, i as u64 % 2)).collect();
    let holders: Vec<_> =
        (0..HOLDERS).map(|i| register(&mut m, format!("holder{i}"), WIDTH, i as u64)).collect();
    let mut pins = vec![];
    let is_last_asynchronous = random.below(2) == 0;
    for i in 0..MEMORIES {
        let asynchronous = is_last_asynchronous && i == MEMORIES - 1;
        let name = format!("memory{i}");
        let mut pin =
            |pin: &str, width| m.signal(&format!("{name}.{pin}"), width, SignalKind::PinIn);
        let write = WritePort {
            address: pin("write_address", ADDRESS_BITS),
            data: pin("write_data", WIDTH),
            enable: pin("write_enable", 1),
            disjoint: false,
        };
        let read_address = pin("read_address", ADDRESS_BITS);
        let read_data = m.signal(&format!("{name}.read_data"), WIDTH, SignalKind::PinOut);
        let init = (0..1 << ADDRESS_BITS).map(|_| random.word(WIDTH)).collect();
        pins.push((read_address, read_data, write));
        let kind =
            CellKind::Memory { read_address, read_data, asynchronous, write: Some(write), init };
        m.cell(&name, kind);
    }
    let mut web = MemoryWeb {
        random,
        m,
        inputs,
        controls: controls.iter().map(|c| c.1).collect(),
        words: holders.iter().map(|h| h.1).collect(),
        read: pins.iter().map(|p| p.1).collect(),
    };
    for (d, _) in controls {
        let value = web.bit(2);
        web.m.drive(d, value);
    }
    for (i, (d, q)) in holders.into_iter().enumerate() {
        let mux = ExprOp::Mux { cond: web.bit(1), then: web.word(2), otherwise: web.m.read(q) };
        let value = web.m.expr(mux, WIDTH);
        web.m.drive(d, value);
        let out = web.m.output(&format!("out{i}"), WIDTH);
        web.m.connect(out, q);
    }
    for (i, (read_address, _, write)) in pins.into_iter().enumerate() {
        let value = match is_last_asynchronous && i == MEMORIES - 1 {
            // The address must not depend on the word that it selects.
            true => {
                let word = web.pick(|web| &web.words);
                web.m.slice(word, 0, ADDRESS_BITS)
            }
            false => web.address(),
        };
        web.m.drive(read_address, value);
        let value = web.address();
        web.m.drive(write.address, value);
        let value = web.word(2);
        web.m.drive(write.data, value);
        let value = web.bit(2);
        web.m.drive(write.enable, value);
    }
    flatten(&web.m.design()).unwrap()
}

fn check(seed: u64, lanes: usize, backend: Backend) {
    let mut random = TestRandom(seed);
    let netlist = Arc::new(web(&mut random));
    let mut wiring = LaneWiring::new();
    wiring.port("in0", InputSource::Broadcast);
    let options = LaneOptions { backend, ..LaneOptions::default() };
    let mut machine = LaneMachine::new(netlist.clone(), lanes, &wiring, &options).unwrap();
    let mut evaluators = vec![Evaluator::new(netlist.clone()); lanes];
    for clock_cycle in 0..60 {
        let together = random.below(2);
        let input = machine.input("in0").unwrap();
        machine.set_all(input, together).unwrap();
        let [in0, in1] = ["in0", "in1"].map(|name| netlist.input(name).unwrap());
        for (lane, evaluator) in evaluators.iter_mut().enumerate() {
            let own = random.below(2);
            let input = machine.input("in1").unwrap();
            machine.set(input, lane, own).unwrap();
            evaluator.set(in0, together);
            evaluator.set(in1, own);
            evaluator.settle();
        }
        for output in &netlist.outputs {
            let probe = machine.probe(&output.path).unwrap();
            for (lane, evaluator) in evaluators.iter().enumerate() {
                assert_eq!(
                    machine.get(probe, lane),
                    evaluator.get(output.net),
                    "seed {seed}, clock cycle {clock_cycle}, {}, lane {lane}",
                    output.path
                );
            }
        }
        machine.clock();
        evaluators.iter_mut().for_each(Evaluator::clock);
    }
    for memory in 0..MEMORIES {
        for (lane, evaluator) in evaluators.iter().enumerate() {
            for address in 0..1 << ADDRESS_BITS {
                let found = machine.memory_word(memory, lane, address).unwrap();
                assert_eq!(found, evaluator.memory_word(memory, address), "seed {seed}");
            }
        }
    }
}

#[test]
fn memories_that_feed_each_other() {
    for backend in [Backend::Tape, Backend::Auto] {
        (0..400).for_each(|seed| check(seed, 3, backend));
        (400..420).for_each(|seed| check(seed, 70, backend));
    }
}

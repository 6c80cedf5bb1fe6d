//! How an order of links, and what nodes do by it, are written into a machine, and its
//! schedule begins.

use crate::engine::{NodeEngine, NodePort, SharedPort};
use crate::routing::compiled::{NodeProgram, PhaseWord};
use crate::rtl::tdma::{receives, sends};
use std::sync::Arc;

/// Writes a pair of the order in a clock cycle, and then lets the phase clock run.
pub(super) struct OrderWriter {
    enable: SharedPort,
    /// Of a machine whose order is programmed.
    memory: Option<Memory>,
    /// Of one whose schedule is compiled.
    moves: Option<Moves>,
    /// Clock cycles in which programs get ready.
    start: u32,
    begun: bool,
}

/// What each node does, and where it goes.
struct Moves {
    programs: Arc<[NodeProgram]>,
    /// Words of each program that are written.
    written: Vec<usize>,
    write: NodePort,
    pair: NodePort,
    word: NodePort,
}

impl Moves {
    fn new(engine: &mut dyn NodeEngine, programs: Arc<[NodeProgram]>) -> Self {
        Moves {
            written: vec![0; programs.len()],
            programs,
            write: engine.port("plan_write"),
            pair: engine.port("plan_pair"),
            word: engine.port("plan_word"),
        }
    }

    /// What each node does in this pair of phases, if there is anything.
    fn write(&mut self, engine: &mut dyn NodeEngine, pair: u32) {
        for (node, program) in self.programs.iter().enumerate() {
            let written = &mut self.written[node];
            let now = program[*written..]
                .iter()
                .take_while(|word| word.phase / 2 == pair);
            let words: Vec<u64> = now.map(encoded).collect();
            *written += words.len();
            let word = words.iter().fold(0, |all, word| all | word);
            engine.set(self.write, node, u64::from(word != 0));
            if word != 0 {
                engine.set(self.pair, node, pair.into());
                engine.set(self.word, node, word);
            }
        }
    }

    fn finish(&self, engine: &mut dyn NodeEngine) {
        for node in 0..self.programs.len() {
            engine.set(self.write, node, 0);
        }
    }
}

/// As [`MoveTable`](crate::rtl::tdma::MoveTable) has it.
fn encoded(word: &PhaseWord) -> u64 {
    match word.sends {
        true => sends(word.place, word.ends),
        false => receives(word.place, word.ends),
    }
}

/// The order, and where it goes.
struct Memory {
    order: Arc<[u32]>,
    /// Pairs that are written.
    written: usize,
    write: SharedPort,
    pair: SharedPort,
    link: SharedPort,
    last: SharedPort,
}

impl OrderWriter {
    /// Of an engine that has just been started, whose programs get ready in so many clock
    /// cycles, with the order that it is to have.
    /// In a machine whose schedule is compiled nodes have these programs.
    pub fn new(
        engine: &mut dyn NodeEngine,
        start: u32,
        order: Option<&[u32]>,
        programs: Option<Arc<[NodeProgram]>>,
    ) -> Self {
        let memory = order.map(|order| Memory {
            order: order.into(),
            written: 0,
            write: engine.shared_port("write"),
            pair: engine.shared_port("write_pair"),
            link: engine.shared_port("write_link"),
            last: engine.shared_port("write_last"),
        });
        OrderWriter {
            enable: engine.shared_port("enable"),
            memory,
            moves: programs.map(|programs| Moves::new(engine, programs)),
            start,
            begun: false,
        }
    }

    /// Sets the inputs of the phase clock for a clock cycle; to be asked before each edge.
    pub fn write(&mut self, engine: &mut dyn NodeEngine) {
        if self.begun {
            return;
        }
        if self.start > 0 {
            self.start -= 1;
            return;
        }
        let Some(memory) = &mut self.memory else {
            engine.set_shared(self.enable, 1);
            self.begun = true;
            return;
        };
        match memory.order.get(memory.written) {
            Some(link) => {
                let last = memory.written + 1 == memory.order.len();
                engine.set_shared(memory.write, 1);
                engine.set_shared(memory.pair, memory.written as u64);
                engine.set_shared(memory.link, (*link).into());
                engine.set_shared(memory.last, last.into());
                if let Some(moves) = &mut self.moves {
                    moves.write(engine, memory.written as u32);
                }
                memory.written += 1;
            }
            // In this clock cycle the first word is read.
            None => {
                engine.set_shared(memory.write, 0);
                if let Some(moves) = self.moves.take() {
                    moves.finish(engine);
                }
                self.memory = None;
            }
        }
    }
}

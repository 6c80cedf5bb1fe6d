//! Writes an order of links and the programs of the nodes into a machine, and starts its schedule.

use engine::{NodeEngine, NodePortId, SharedPortId};
use interconnect::routing::compiled::{NodeProgram, PhaseWord};
use rtl::tdma::{receives, sends};
use std::sync::Arc;

/// Writes one pair of the order in each clock cycle, and then starts the phase clock.
pub(super) struct OrderWriter {
    enable: SharedPortId,
    /// Order memory, in a machine whose order is programmed.
    memory: Option<OrderMemory>,
    /// Programs of the nodes, in a machine whose schedule is compiled.
    schedule: Option<ScheduleMemory>,
    /// Remaining clock cycles in which programs initialise.
    start: u32,
    begun: bool,
}

/// Programs of the nodes, and the ports that write them.
struct ScheduleMemory {
    programs: Arc<[NodeProgram]>,
    /// For each program, the number of words written.
    written: Vec<usize>,
    write: NodePortId,
    pair: NodePortId,
    word: NodePortId,
}

impl ScheduleMemory {
    fn new(engine: &mut dyn NodeEngine, programs: Arc<[NodeProgram]>) -> Self {
        ScheduleMemory {
            written: vec![0; programs.len()],
            programs,
            write: engine.port("plan_write"),
            pair: engine.port("plan_pair"),
            word: engine.port("plan_word"),
        }
    }

    /// Writes the entry of each node for this pair of phases, if it has one.
    fn write(&mut self, engine: &mut dyn NodeEngine, pair: u32) {
        for (node, program) in self.programs.iter().enumerate() {
            let written = &mut self.written[node];
            let now = program[*written..]
                .iter()
                .take_while(|word| word.phase / 2 == pair);
            let words: Vec<u64> = now.map(encode_word).collect();
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

/// Returns the word in the format of [`MoveTable`](rtl::tdma::MoveTable).
fn encode_word(word: &PhaseWord) -> u64 {
    match word.sends {
        true => sends(word.slot, word.ends),
        false => receives(word.slot, word.ends),
    }
}

/// Order, and the ports that write it.
struct OrderMemory {
    order: Arc<[u32]>,
    /// Number of pairs written.
    written: usize,
    write: SharedPortId,
    pair: SharedPortId,
    link: SharedPortId,
    last: SharedPortId,
}

impl OrderWriter {
    /// Creates the writer for an engine that has just been started. `start` is the number of clock
    /// cycles in which programs initialise, and `order` is the order to write. With a compiled
    /// schedule the nodes get `programs`.
    pub fn new(
        engine: &mut dyn NodeEngine,
        start: u32,
        order: Option<&[u32]>,
        programs: Option<Arc<[NodeProgram]>>,
    ) -> Self {
        let memory = order.map(|order| OrderMemory {
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
            schedule: programs.map(|programs| ScheduleMemory::new(engine, programs)),
            start,
            begun: false,
        }
    }

    /// Sets the inputs of the phase clock for one clock cycle. Must be called before each clock
    /// edge.
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
                if let Some(moves) = &mut self.schedule {
                    moves.write(engine, memory.written as u32);
                }
                memory.written += 1;
            }
            // The first word is read in this clock cycle.
            None => {
                engine.set_shared(memory.write, 0);
                if let Some(moves) = self.schedule.take() {
                    moves.finish(engine);
                }
                self.memory = None;
            }
        }
    }
}

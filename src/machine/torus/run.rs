//! Runs messages through a torus of chips.

use super::follower::Follower;
use super::ledger::Ledger;
use super::outcome::{TorusEnd, TorusRun};
use super::packet::decode;
use super::pins::Pins;
use super::processors::Processors;
use super::{Standstill, TorusShape};
use crate::engine::{EngineError, NodeEngine};
use crate::rtl::torus::Tail;
use crate::traffic::Message;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A machine and its processors.
///
/// Processors send a byte whenever their channel is free, and take each byte in the
/// clock cycle in which it comes. They have registers, as nodes have: in clock cycle 1 the
/// first bytes are on the ports.
pub struct TorusMachine<'a> {
    pins: Pins<'a>,
    shape: &'a TorusShape,
    /// The run ends after so many clock cycles.
    pub limit: u64,
    /// The run ends when somebody sets this.
    pub stop: Arc<AtomicBool>,
    /// Of each message the clock cycle from which its processor has it; past the end
    /// of the list, from the first.
    pub releases: Vec<u64>,
    /// The way of every packet is noted.
    pub log: bool,
}

impl<'a> TorusMachine<'a> {
    /// Clock cycles without any change of a request or acknowledge after which there will
    /// be none.
    pub const STILL: u64 = 8;

    /// The engine runs the machine of a [`TorusCircuit`](super::TorusCircuit) of this
    /// shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: &'a TorusShape) -> Self {
        TorusMachine {
            pins: Pins::new(engine, shape),
            shape,
            limit: u64::MAX,
            stop: Arc::default(),
            releases: vec![],
            log: false,
        }
    }

    /// Sends all messages and runs until they have arrived or nothing moves any more.
    ///
    /// # Errors
    /// If the circuit does not settle, or the engine's process is gone.
    pub fn run(self, messages: &[Message<&[u8]>]) -> Result<TorusRun, EngineError> {
        self.run_with(messages, |_, _| {})
    }

    /// As [`run`](Self::run), telling in every clock cycle how many are over and how
    /// many messages are left.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        self,
        messages: &[Message<&[u8]>],
        mut progress: impl FnMut(u64, usize),
    ) -> Result<TorusRun, EngineError> {
        let mut running = Running {
            processors: Processors::new(self.shape, messages, &self.releases),
            ledger: Ledger::new(messages),
            follower: Follower::new(self.shape, messages, self.log),
            clock_cycle: 0,
            moved: 0,
            last: None,
            machine: self,
        };
        let end = loop {
            progress(running.clock_cycle, running.ledger.left);
            if let Some(end) = running.ended() {
                break end;
            }
            running.clock()?;
        };
        Ok(running.result(end))
    }
}

/// A run under way.
struct Running<'m, 'a> {
    machine: TorusMachine<'a>,
    processors: Processors<'m>,
    ledger: Ledger,
    follower: Follower<'m>,
    clock_cycle: u64,
    /// The clock cycle in which a wire changed last.
    moved: u64,
    /// The clock cycle in which the last tail was handed over.
    last: Option<u64>,
}

impl Running<'_, '_> {
    /// Before a clock cycle: how the run has ended, if it has.
    fn ended(&self) -> Option<TorusEnd> {
        if self.ledger.left == 0 {
            return Some(TorusEnd::Complete);
        }
        let still = self.clock_cycle > self.moved + TorusMachine::STILL;
        if still && !self.processors.more_to_come(self.clock_cycle) {
            // Packets that the chips take for others cannot be followed.
            return Some(TorusEnd::Standstill(match self.machine.shape.plan().tail {
                Tail::Naive => Standstill::new(vec![]),
                Tail::Zero | Tail::Wire => self.follower.standstill(),
            }));
        }
        let stopped = self.machine.stop.load(Ordering::Relaxed);
        (stopped || self.clock_cycle >= self.machine.limit).then_some(TorusEnd::Limit)
    }

    /// One clock cycle.
    fn clock(&mut self) -> Result<(), EngineError> {
        self.machine.pins.look()?;
        self.follow();
        self.get();
        self.put();
        self.machine.pins.clock()?;
        self.clock_cycle += 1;
        Ok(())
    }

    /// What the wires between nodes tell.
    fn follow(&mut self) {
        let dims = self.machine.shape.torus().dims() * self.machine.shape.plan().channels;
        for queue in self.machine.pins.requests() {
            self.follower.requested(queue, self.clock_cycle);
            self.ledger.counters.bytes += u64::from(queue.1 < dims);
            self.moved = self.clock_cycle;
        }
        for queue in self.machine.pins.acknowledges() {
            self.follower.acknowledged(queue);
            self.moved = self.clock_cycle;
        }
        for (node, _) in self.machine.pins.sent.changed() {
            self.follower.taken_from_processor(node);
            self.moved = self.clock_cycle;
        }
    }

    /// Processors take what comes; they say so in the next clock cycle.
    fn get(&mut self) {
        let received: Vec<_> = self.machine.pins.received.changed().collect();
        for (node, queue) in received {
            self.follower.requested((node, queue), self.clock_cycle);
            let word = self.machine.pins.got(node);
            if let Some(words) = self.processors.get(node, word) {
                // It left the queue in the clock cycle before it is on the port.
                let at = self.clock_cycle - 1;
                let payload = decode(self.machine.shape.plan().tail, &words);
                self.ledger.arrived(node, payload, at);
                self.last = Some(at);
            }
            let request = self.machine.pins.received.word(node);
            self.machine.pins.take(node, request);
            self.moved = self.clock_cycle + 1;
        }
    }

    /// Processors whose channel is free send; it is on their ports in the next clock
    /// cycle.
    fn put(&mut self) {
        for node in 0..self.processors.count() {
            let busy = self.processors.request(node) != (self.machine.pins.sent.word(node) == 1);
            if busy {
                continue;
            }
            let Some(put) = self.processors.put(node, self.clock_cycle) else {
                continue;
            };
            if put.first {
                self.ledger.sent[put.message] = self.clock_cycle + 1;
            }
            self.follower.put(node, put.message);
            let request = self.processors.request(node);
            self.machine.pins.put(node, put.word, request);
            self.moved = self.clock_cycle + 1;
        }
    }

    fn result(self, end: TorusEnd) -> TorusRun {
        let clock_cycles = match end {
            TorusEnd::Complete => self.last.map_or(0, |last| last + 1),
            TorusEnd::Standstill(_) => self.moved,
            TorusEnd::Limit => self.clock_cycle,
        };
        TorusRun {
            fates: self.ledger.fates,
            counters: self.ledger.counters,
            end,
            clock_cycles,
            log: self.follower.log.unwrap_or_default(),
        }
    }
}

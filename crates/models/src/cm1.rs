//! Reference model of the CM-1: routes a list of messages, petit cycle by petit cycle. The model
//! was written only from the paper (`cm1-message-router`, sections 3.1 to 3.4.1) and docs/cm1.md.
//! Messages are indivisible: the model has no bits and no circuit.

use std::collections::{BTreeSet, VecDeque};

/// Messages that the ejector of a chip takes out in one petit cycle.
///
/// `Or` takes all messages that have arrived and ORs those for the same processor. `PerProcessor`
/// takes at most one message for each processor, and `PerChip` at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cm1ModelEject {
    Or,
    PerProcessor,
    PerChip,
    /// At most one message of the open bank for each processor. Message i belongs to bank i modulo
    /// `banks`. In petit cycle n, only bank n modulo `banks` is open.
    Bank {
        banks: usize,
    },
}

/// Parameters of a machine with `2^dims` chips.
#[derive(Clone, Copy, Debug)]
pub struct Cm1ModelMachine {
    pub dims: u32,
    pub rows: usize,
    /// Number of processors on each chip.
    pub processors: usize,
    pub eject: Cm1ModelEject,
    /// Number of petit cycles without an ejection after which the router is drained.
    pub timeout: u64,
}

impl Cm1ModelMachine {
    /// Returns the timeout in petit cycles. With banks it is multiplied by the number of banks, so
    /// that each bank is open during it.
    fn timeout_petit_cycles(&self) -> u64 {
        match self.eject {
            Cm1ModelEject::Bank { banks } => self.timeout * banks as u64,
            _ => self.timeout,
        }
    }
}

/// Events in one column of the hearts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cm1ModelColumn {
    /// For each chip, the message that crossed the wire.
    pub out: Vec<Option<usize>>,
    /// For each chip, whether it sent in desperation.
    pub desperate: Vec<bool>,
    /// For each chip, the rows after the column.
    pub rows: Vec<Vec<Option<usize>>>,
}

/// Events in one petit cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cm1ModelPetit {
    /// Chip, row, message.
    pub injected: Vec<(usize, usize, usize)>,
    /// For each chip, the rows that enter the heart.
    pub rows_in: Vec<Vec<Option<usize>>>,
    pub columns: Vec<Cm1ModelColumn>,
    /// Chip, row, message, processor on the chip.
    pub ejected: Vec<(usize, usize, usize, usize)>,
    /// For each chip, the rows buffered after the ejection.
    pub buffered: Vec<Vec<Option<usize>>>,
}

/// Result of routing a list of messages.
#[derive(Clone, Debug, Default)]
pub struct Cm1ModelRun {
    pub petit_cycle_events: Vec<Cm1ModelPetit>,
    /// For each message, the petit cycle in which it was ejected.
    pub delivered: Vec<Option<u64>>,
    pub hops: u64,
    pub productive: u64,
    pub desperation: u64,
    /// Number of messages ORed onto another one.
    pub collisions: u64,
    /// Number of refused offers, counted in every petit cycle.
    pub refused: u64,
    pub timeouts: u64,
    /// Number of messages returned to a processor.
    pub returned: u64,
    pub petit_cycles: u64,
}

type Cm1ModelQueues = Vec<VecDeque<usize>>;

struct Cm1ModelState<'a> {
    machine: Cm1ModelMachine,
    /// For each message, the XOR of its current chip and its destination chip.
    relative: Vec<u32>,
    /// For each message, the destination processor on its chip.
    processor: Vec<usize>,
    queues: Cm1ModelQueues,
    returned: Cm1ModelQueues,
    held_back: Vec<Cm1ModelQueues>,
    buffers: Vec<Vec<Option<usize>>>,
    draining: bool,
    quiet_since: u64,
    run: &'a mut Cm1ModelRun,
}

/// Runs the machine on messages between processors (number: chip * P + processor). The run ends
/// when all are delivered or after `limit` petit cycles.
pub fn run(machine: Cm1ModelMachine, messages: &[(u32, u32)], limit: u64) -> Cm1ModelRun {
    let chips = 1 << machine.dims;
    let processors = machine.processors as u32;
    let mut run = Cm1ModelRun { delivered: vec![None; messages.len()], ..Cm1ModelRun::default() };
    let mut state = Cm1ModelState {
        machine,
        relative: messages.iter().map(|(s, d)| (s / processors) ^ (d / processors)).collect(),
        processor: messages.iter().map(|(_, d)| (d % processors) as usize).collect(),
        queues: vec![VecDeque::new(); chips * machine.processors],
        returned: vec![VecDeque::new(); chips * machine.processors],
        held_back: vec![],
        buffers: vec![vec![None; machine.rows]; chips],
        draining: false,
        quiet_since: 0,
        run: &mut run,
    };
    for (number, (source, _)) in messages.iter().enumerate() {
        state.queues[*source as usize].push_back(number);
    }
    let mut n = 0;
    while n < limit && state.run.delivered.iter().any(Option::is_none) {
        state.run_petit_cycle(n);
        n += 1;
    }
    run.petit_cycles = run.delivered.iter().flatten().max().map_or(0, |last| last + 1);
    run
}

impl Cm1ModelState<'_> {
    fn run_petit_cycle(&mut self, n: u64) {
        self.update_timeout(n);
        let mut petit = Cm1ModelPetit::default();
        match self.draining {
            true => self.drain(),
            false => self.inject(&mut petit),
        }
        petit.rows_in = self.buffers.clone();
        for dim in 0..self.machine.dims {
            let column = self.column(dim);
            petit.columns.push(column);
        }
        self.eject(n, &mut petit);
        petit.buffered = self.buffers.clone();
        self.run.petit_cycle_events.push(petit);
    }

    /// Updates the timeout and selects the next half of the messages. The front end learns of an
    /// ejection two petit cycles later.
    fn update_timeout(&mut self, n: u64) {
        let ejected = |petit: &Cm1ModelPetit| !petit.ejected.is_empty();
        if n >= 2 && self.run.petit_cycle_events.get(n as usize - 2).is_some_and(ejected) {
            self.quiet_since = n - 1;
        }
        let occupied = self.buffers.iter().flatten().any(Option::is_some);
        if self.draining && !occupied {
            self.draining = false;
            self.hold_back_half();
            self.quiet_since = n;
        }
        let quiet = n.saturating_sub(self.quiet_since + 1);
        if occupied && !self.draining && quiet >= self.machine.timeout_petit_cycles() {
            self.draining = true;
            self.run.timeouts += 1;
        }
        if !occupied && self.queues.iter().all(VecDeque::is_empty) {
            if let Some(half) = self.held_back.pop() {
                self.queues = half;
                self.quiet_since = n;
            }
        }
    }

    /// Holds back every other message until the rest is delivered.
    fn hold_back_half(&mut self) {
        let mut halves = [(); 2].map(|()| vec![VecDeque::new(); self.queues.len()]);
        let mut count = 0;
        let queues = self.queues.iter_mut().zip(&mut self.returned);
        for (p, (queue, returned)) in queues.enumerate() {
            for message in queue.drain(..).chain(returned.drain(..)) {
                halves[count % 2][p].push_back(message);
                count += 1;
            }
        }
        let [now, later] = halves;
        self.queues = now;
        if count > 1 {
            self.held_back.push(later);
        }
    }

    /// Returns the message in row r to processor r modulo P. If several rows share a processor, the
    /// lowest goes first.
    fn drain(&mut self) {
        let processors = self.machine.processors;
        for (chip, rows) in self.buffers.iter_mut().enumerate() {
            let mut served = BTreeSet::new();
            for (r, row) in rows.iter_mut().enumerate() {
                if row.is_some() && served.insert(r % processors) {
                    let message = row.take().expect("a message");
                    self.returned[chip * processors + r % processors].push_back(message);
                    self.run.returned += 1;
                }
            }
        }
    }

    /// Fills empty rows in ascending order from offering processors in ascending order.
    fn inject(&mut self, petit: &mut Cm1ModelPetit) {
        let processors = self.machine.processors;
        for (chip, rows) in self.buffers.iter_mut().enumerate() {
            let offers = (0..processors).map(|p| chip * processors + p);
            let mut offers: VecDeque<usize> =
                offers.filter(|p| !self.queues[*p].is_empty()).collect();
            for (r, row) in rows.iter_mut().enumerate() {
                if row.is_none() {
                    let Some(p) = offers.pop_front() else { break };
                    let message = self.queues[p].pop_front().expect("an offer");
                    *row = Some(message);
                    petit.injected.push((chip, r, message));
                }
            }
            self.run.refused += offers.len() as u64;
        }
    }

    fn column(&mut self, dim: u32) -> Cm1ModelColumn {
        let last = self.machine.rows - 1;
        let mut out = vec![];
        let mut desperate = vec![];
        for rows in &self.buffers {
            let wants = |m: &usize| self.relative[*m] >> dim & 1 == 1;
            let willing = rows.iter().flatten().copied().find(wants);
            let full = rows.iter().all(Option::is_some);
            desperate.push(willing.is_none() && full);
            out.push(match full {
                true => willing.or(rows[last]),
                false => willing,
            });
        }
        for chip in 0..self.buffers.len() {
            let stay = self.buffers[chip].iter().filter(|m| m.is_some() && **m != out[chip]);
            let mut rows: Vec<Option<usize>> = stay.copied().collect();
            rows.resize(last, None);
            rows.push(out[chip ^ 1 << dim]);
            self.buffers[chip] = rows;
        }
        for (message, desperate) in out.iter().zip(&desperate) {
            if let Some(message) = message {
                self.relative[*message] ^= 1 << dim;
                self.run.hops += 1;
                match desperate {
                    true => self.run.desperation += 1,
                    false => self.run.productive += 1,
                }
            }
        }
        Cm1ModelColumn { out, desperate, rows: self.buffers.clone() }
    }

    fn eject(&mut self, n: u64, petit: &mut Cm1ModelPetit) {
        for (chip, rows) in self.buffers.iter_mut().enumerate() {
            let mut served = BTreeSet::new();
            for (r, row) in rows.iter_mut().enumerate() {
                let Some(message) = row.filter(|m| self.relative[*m] == 0) else {
                    continue;
                };
                let p = self.processor[message];
                let taken = served.contains(&p);
                let waits = match self.machine.eject {
                    Cm1ModelEject::Bank { banks } => message % banks != n as usize % banks || taken,
                    Cm1ModelEject::Or => false,
                    Cm1ModelEject::PerProcessor => taken,
                    Cm1ModelEject::PerChip => !served.is_empty(),
                };
                if waits {
                    continue;
                }
                self.run.collisions += u64::from(taken);
                served.insert(p);
                *row = None;
                self.run.delivered[message] = Some(n);
                petit.ejected.push((chip, r, message, p));
            }
        }
    }
}

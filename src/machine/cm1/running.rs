use super::ledger::{Arrival, Ledger};
use super::processors::Processors;
use super::{Cm1End, Cm1Machine, Cm1Message, Cm1Run, Cm1RunError, Pins, Stream};

/// A run under way.
pub(super) struct Running<'a, P> {
    machine: &'a mut Cm1Machine<P>,
    processors: Processors,
    ledger: Ledger,
    messages: usize,
    /// The bit-time in the petit cycle.
    time: u32,
    petit: u64,
    clock_cycles: u64,
    /// Of each processor, the message that it is sending.
    sending: Vec<Option<Stream>>,
    draining: bool,
    /// Of each processor, the message that is coming back.
    coming_back: Vec<Option<Stream>>,
    /// Of each dimension, the chips whose message is on the wire.
    crossing: Vec<Vec<usize>>,
    /// For each bit of a message, of each chip the bits that left its heart.
    exits: Vec<Vec<u16>>,
    /// Of each chip, the rows whose message goes to a processor.
    ejecting: Vec<u16>,
    /// Of each processor, what it is getting.
    getting: Vec<Option<Arrival>>,
    /// Whether anything was ejected, by petit cycle.
    ejected: Vec<bool>,
    /// Nothing is known to have been ejected from this petit cycle on.
    quiet_since: u64,
    /// Petit cycles that began with nothing to do.
    empty_begins: u64,
    last_ejection: Option<u64>,
    heart_bit_times: u64,
    end: Option<Cm1End>,
}

impl<'a, P: Pins> Running<'a, P> {
    pub fn new(machine: &'a mut Cm1Machine<P>, messages: &[Cm1Message]) -> Self {
        let (shape, plan) = (machine.shape, machine.plan);
        let processors = Processors::new(shape, messages);
        let count = processors.count();
        Running {
            processors,
            ledger: Ledger::new(shape, messages),
            messages: messages.len(),
            time: 0,
            petit: 0,
            clock_cycles: 0,
            sending: vec![None; count],
            draining: false,
            coming_back: vec![None; count],
            crossing: vec![vec![]; plan.format.dims as usize],
            exits: vec![vec![0; shape.chips()]; plan.format.length() as usize],
            ejecting: vec![0; shape.chips()],
            getting: (0..count).map(|_| None).collect(),
            ejected: vec![],
            quiet_since: 0,
            empty_begins: 0,
            last_ejection: None,
            heart_bit_times: 0,
            end: messages.is_empty().then_some(Cm1End::Complete),
            machine,
        }
    }

    pub fn goes_on(&self) -> bool {
        self.end.is_none()
    }

    /// At the begin of a petit cycle its number, from 0, and how many messages
    /// have arrived.
    pub fn begins(&self) -> Option<(u64, usize)> {
        (self.time == 0).then_some((self.petit, self.ledger.arrived))
    }

    /// Everything in one bit-time.
    ///
    /// # Errors
    /// As [`Cm1Machine::run`].
    pub fn bit_time(&mut self) -> Result<(), Cm1RunError> {
        if self.time == 0 {
            self.begin_petit();
            if self.end.is_some() {
                return Ok(());
            }
        } else {
            self.send();
        }
        self.flip();
        self.machine.pins.settle()?;
        if self.machine.pins.start() != (self.time == 0) {
            return Err(Cm1RunError::OutOfStep);
        }
        if self.time == 0 {
            self.acknowledged();
        }
        self.come_back();
        self.hops();
        self.deliver();
        self.watch_exits();
        self.machine.pins.clock()?;
        self.clock_cycles += 1;
        self.time += 1;
        if self.time == self.machine.plan.period {
            self.time = 0;
            self.petit += 1;
        }
        Ok(())
    }

    /// Bit-times since `of` in the petit cycle, now or in the one before.
    fn since(&self, of: u32) -> u32 {
        let period = self.machine.plan.period;
        (self.time + 2 * period - of % period) % period
    }

    /// At the begin of a petit cycle: what is offered, and whether it drains.
    fn begin_petit(&mut self) {
        let chips = self.machine.shape.chips();
        let occupied = (0..chips).any(|chip| self.machine.pins.occupied(chip));
        // What is ejected is known for sure two petit cycles later.
        if self.petit >= 2 && self.ejected.get(self.petit as usize - 2) == Some(&true) {
            self.quiet_since = self.petit - 1;
        }
        if self.petit >= self.machine.limit {
            self.end = Some(Cm1End::Limit {
                petit_cycles: self.machine.limit,
            });
            return;
        }
        if self.draining && !occupied {
            self.draining = false;
            self.processors.halve();
            self.quiet_since = self.petit;
        }
        let quiet = (self.petit).saturating_sub(self.quiet_since + 1);
        if occupied && !self.draining && quiet >= self.machine.timeout {
            self.draining = true;
            self.ledger.counters.timeouts += 1;
        }
        if !occupied && self.processors.all_sent() {
            if self.processors.next_half() {
                self.quiet_since = self.petit;
            } else {
                self.empty_begins += 1;
                // By now the last ejection has reached its processor.
                if self.empty_begins > 2 {
                    self.end = Some(Cm1End::Complete);
                    return;
                }
            }
        }
        self.machine.pins.set_drain(self.draining);
        for p in 0..self.processors.count() {
            let offers = !self.draining && self.processors.offer(p).is_some();
            self.machine.pins.set_send(p, offers);
        }
    }

    fn acknowledged(&mut self) {
        for p in 0..self.processors.count() {
            self.sending[p] = None;
            let Some(stream) = self.processors.offer(p) else {
                continue;
            };
            if self.draining {
                continue;
            }
            if self.machine.pins.acknowledge(p) {
                self.sending[p] = Some(stream.clone());
                self.processors.taken(p);
            } else {
                self.ledger.counters.refused += 1;
            }
        }
    }

    /// The next bit of every message on its way to the injector.
    fn send(&mut self) {
        for (p, stream) in self.sending.iter().enumerate() {
            let bit = match stream {
                Some(stream) => stream.get(self.time as usize).copied().unwrap_or(false),
                None => false,
            };
            self.machine.pins.set_send(p, bit);
        }
    }

    /// Inverts the bits that are to be, and no others.
    fn flip(&mut self) {
        let now = self.clock_cycles;
        for flip in &self.machine.flips {
            if flip.bit_time == now {
                self.machine.pins.set_flip(flip.chip, 1 << flip.dim);
            } else if flip.bit_time + 1 == now {
                self.machine.pins.set_flip(flip.chip, 0);
            }
        }
    }

    /// What the router gives back while it drains.
    fn come_back(&mut self) {
        let length = self.machine.plan.format.length();
        if !self.draining || self.time >= length {
            return;
        }
        for p in 0..self.processors.count() {
            if self.time == 0 {
                let comes = self.machine.pins.returned(p);
                self.coming_back[p] = comes.then(Vec::new);
            }
            let Some(stream) = &mut self.coming_back[p] else {
                continue;
            };
            stream.push(self.machine.pins.returned(p));
            if self.time + 1 == length {
                let stream = std::mem::take(stream);
                self.coming_back[p] = None;
                self.processors.came_back(p, stream);
                self.ledger.counters.returned += 1;
            }
        }
    }

    /// Messages on the cube wires: MSGP says that there is one, the own bit of
    /// the dimension, which leaves last of CUBE, whether it is still to cross it.
    fn hops(&mut self) {
        let dims = self.machine.plan.format.dims;
        for d in 0..dims {
            let on_wire = |pins: &mut P, chip: usize| pins.cube_out(chip) >> d & 1 == 1;
            if self.since(2 * d + 2) == 0 {
                let pins = &mut self.machine.pins;
                let chips = 0..self.machine.shape.chips();
                let crossing: Vec<usize> = chips.filter(|chip| on_wire(pins, *chip)).collect();
                self.ledger.counters.hops += crossing.len() as u64;
                self.crossing[d as usize] = crossing;
            }
            if self.since(2 * d + 2 + dims) == 0 {
                for chip in std::mem::take(&mut self.crossing[d as usize]) {
                    let counters = &mut self.ledger.counters;
                    match on_wire(&mut self.machine.pins, chip) {
                        true => counters.desperation_hops += 1,
                        false => counters.productive_hops += 1,
                    }
                }
            }
        }
    }

    /// What the processors get.
    fn deliver(&mut self) {
        let plan = self.machine.plan;
        let since = self.since(plan.sort() + 1);
        let bits = plan.over() - plan.sort();
        if since >= bits {
            return;
        }
        if since == 0 {
            for chip in 0..self.ejecting.len() {
                self.ejecting[chip] = self.machine.pins.ejecting(chip);
            }
        }
        let last = since + 1 == bits;
        for p in 0..self.getting.len() {
            if since == 0 {
                self.getting[p] = self.machine.pins.deliver(p).then(|| Arrival {
                    bits: vec![],
                    parity_error: false,
                });
            }
            if let Some(arrival) = &mut self.getting[p] {
                arrival.bits.push(self.machine.pins.deliver(p));
                arrival.parity_error = last && self.machine.pins.parity_error(p);
            }
        }
        if last {
            self.account();
        }
    }

    /// The messages of a petit cycle have reached the processors.
    fn account(&mut self) {
        let plan = self.machine.plan;
        let Some(since_begin) = self.clock_cycles.checked_sub(plan.over().into()) else {
            return;
        };
        let petit = since_begin / u64::from(plan.period);
        let rows = 0..self.machine.shape.rows;
        let processors = self.machine.shape.processors();
        let mut any = false;
        for chip in 0..self.ejecting.len() {
            let streams: Vec<Stream> = rows
                .clone()
                .filter(|row| self.ejecting[chip] >> row & 1 == 1)
                .map(|row| {
                    self.exits
                        .iter()
                        .map(|bits| bits[chip] >> row & 1 == 1)
                        .collect()
                })
                .collect();
            any |= !streams.is_empty();
            let got = &mut self.getting[chip * processors..(chip + 1) * processors];
            self.ledger.ejected(petit, chip, &streams, got);
        }
        if self.ejected.len() <= petit as usize {
            self.ejected.resize(petit as usize + 1, false);
        }
        self.ejected[petit as usize] = any;
        if any {
            self.last_ejection = Some(petit);
            // PARITY left the hearts in the bit-time before this one.
            self.heart_bit_times = self.clock_cycles;
        }
        if self.ledger.arrived == self.messages {
            self.end = Some(Cm1End::Complete);
        }
    }

    fn watch_exits(&mut self) {
        let since = self.since(self.machine.plan.exit());
        if since < self.machine.plan.format.length() {
            for chip in 0..self.machine.shape.chips() {
                self.exits[since as usize][chip] = self.machine.pins.exit(chip);
            }
        }
    }

    pub fn result(mut self) -> Cm1Run {
        let end = self.end.expect("the run is over");
        if end == Cm1End::Complete {
            self.ledger.close();
        }
        Cm1Run {
            fates: self.ledger.fates,
            counters: self.ledger.counters,
            end,
            petit_cycles: self.last_ejection.map_or(0, |petit| petit + 1),
            heart_bit_times: self.heart_bit_times,
            clock_cycles: self.clock_cycles,
        }
    }
}

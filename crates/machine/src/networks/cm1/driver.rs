//! Driver of the CM-1: simulates its processors and keeps the bookkeeping in every bit-time.

use super::ledger::{Arrival, Cm1Ledger, Cm1Processors};
use super::{BitStream, Cm1Machine, Cm1Message, Cm1Pins, Cm1Run};
use crate::networks::machine::Noise;
use crate::{EndReason, MachineDriver, RunEnd, RunError, RunStats, StepStatus};
use engine::NodePortId;
use rtl::cm1::{EjectMode, PetitPlan};

const LOST_SYNC: RunError = RunError::LostSync("petit cycles do not begin when they should");

/// Run in progress.
pub struct Cm1Driver<'e> {
    machine: Cm1Machine<'e>,
    processors: Cm1Processors,
    /// Faults on the wires. `None` for a machine without faults.
    faults: Option<WireFaults>,
    ledger: Cm1Ledger,
    messages: usize,
    /// Banks of virtual processors. Each is open for one petit cycle in turn.
    banks: u64,
    /// Bit-time in the petit cycle.
    time: u32,
    petit: u64,
    clock_cycles: u64,
    /// For each processor, the message being sent.
    sending: Vec<Option<BitStream>>,
    draining: bool,
    /// For each processor, the message being returned.
    returning: Vec<Option<BitStream>>,
    /// For each dimension, the chips whose message is on the wire.
    crossing: Vec<Vec<usize>>,
    /// For each bit of a message and each chip, the bits that left the heart.
    exits: Vec<Vec<u64>>,
    /// For each chip, the rows whose message goes to a processor.
    ejecting: Vec<u64>,
    /// For each processor, the bits it is receiving.
    receiving: Vec<Option<Arrival>>,
    /// For each petit cycle, whether anything was ejected.
    ejected: Vec<bool>,
    /// First petit cycle from which no ejection is known.
    quiet_since: u64,
    /// Petit cycles that began with nothing to do.
    empty_begins: u64,
    last_ejection: Option<u64>,
    last_hop: Option<u64>,
    /// Delivered messages at the last check. `delivered_at` holds the petit cycle of the last
    /// increase.
    delivered: usize,
    delivered_at: u64,
    heart_bit_times: u64,
    /// True once the first petit cycle has begun.
    started: bool,
    complete: bool,
}

/// Returns the number of banks of virtual processors, up to the highest one with messages. One bank
/// is open at a time. With other modes of the ejector there is one bank.
fn banks(plan: PetitPlan, messages: &[Cm1Message]) -> u64 {
    match plan.mode {
        EjectMode::Bank => messages
            .iter()
            .map(|m| u64::from(m.vp) + 1)
            .max()
            .unwrap_or(1),
        EjectMode::Or | EjectMode::PerProcessor | EjectMode::PerChip => 1,
    }
}

impl<'e> Cm1Driver<'e> {
    pub fn new(machine: Cm1Machine<'e>, messages: &[Cm1Message]) -> Self {
        let (shape, plan) = (machine.shape, machine.plan);
        let processors = Cm1Processors::new(shape, messages, &machine.releases);
        let count = processors.count();
        Cm1Driver {
            processors,
            faults: WireFaults::new(&machine.faults, plan.format.dims, shape.chips()),
            ledger: Cm1Ledger::new(shape, plan, messages),
            messages: messages.len(),
            banks: banks(plan, messages),
            time: 0,
            petit: 0,
            clock_cycles: 0,
            sending: vec![None; count],
            draining: false,
            returning: vec![None; count],
            crossing: vec![vec![]; plan.format.dims as usize],
            exits: vec![vec![0; shape.chips()]; plan.format.length() as usize],
            ejecting: vec![0; shape.chips()],
            receiving: (0..count).map(|_| None).collect(),
            ejected: vec![],
            quiet_since: 0,
            empty_begins: 0,
            last_ejection: None,
            last_hop: None,
            delivered: 0,
            delivered_at: 0,
            heart_bit_times: 0,
            started: false,
            complete: messages.is_empty(),
            machine,
        }
    }

    /// Advances to the bit-time in which the first petit cycle begins.
    fn first_start(&mut self) -> Result<(), RunError> {
        for _ in 0..=self.machine.plan.period {
            self.machine.pins.settle()?;
            if self.machine.pins.start() {
                return Ok(());
            }
            self.machine.pins.clock()?;
        }
        Err(LOST_SYNC)
    }

    /// Returns the bit-times since bit-time `of` of this petit cycle or of the previous one.
    fn bit_times_since(&self, of: u32) -> u32 {
        let period = self.machine.plan.period;
        (self.time + 2 * period - of % period) % period
    }

    /// Begins a petit cycle: selects the messages to offer and decides whether the router drains.
    fn begin_petit(&mut self) {
        self.processors.release(self.petit);
        let occupied = self.machine.pins.occupied;
        let occupied = self.machine.pins.words(occupied).contains(&1);
        // Ejections of a petit cycle are known completely two petit cycles later.
        if self.petit >= 2 && self.ejected.get(self.petit as usize - 2) == Some(&true) {
            self.quiet_since = self.petit - 1;
        }
        if !occupied {
            // An empty router cannot be blocked.
            self.quiet_since = self.quiet_since.max(self.petit);
        }
        if self.draining && !occupied {
            self.draining = false;
            self.processors.halve();
            self.quiet_since = self.petit;
        }
        let quiet = (self.petit).saturating_sub(self.quiet_since + 1);
        if occupied && !self.draining && quiet >= self.machine.timeout.saturating_mul(self.banks) {
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
                    self.complete = true;
                    return;
                }
            }
        }
        self.machine.pins.set_drain(self.draining);
        self.machine.pins.set_bank(self.petit % self.banks);
        let draining = self.draining;
        self.set_send(|run, p| !draining && run.processors.offer(p).is_some());
    }

    /// Sets the output of every processor.
    fn set_send(&mut self, bit: impl Fn(&Self, usize) -> bool) {
        let processors = self.machine.shape.processors();
        for chip in 0..self.machine.shape.chips() {
            let bits = (0..processors).map(|p| u64::from(bit(self, chip * processors + p)) << p);
            let word = bits.sum();
            self.machine.pins.set_send(chip, word);
        }
    }

    /// Returns the words of a port of all chips, as one bit for each processor.
    fn bits(&mut self, port: fn(&Cm1Pins) -> NodePortId) -> Vec<bool> {
        let port = port(&self.machine.pins);
        let words = self.machine.pins.words(port);
        let processors = self.machine.shape.processors();
        let bits = |word: u64| (0..processors).map(move |p| word >> p & 1 == 1);
        words.into_iter().flat_map(bits).collect()
    }

    fn handle_acknowledges(&mut self) {
        let acknowledge = self.bits(|pins| pins.acknowledge);
        for (p, acknowledge) in acknowledge.into_iter().enumerate() {
            let offer = self.processors.offer(p).filter(|_| !self.draining);
            self.sending[p] = offer.filter(|_| acknowledge).cloned();
            if acknowledge {
                self.processors.remove_offered(p);
            } else if offer.is_some() {
                self.ledger.counters.refused += 1;
            }
        }
    }

    /// Sends the next bit of every message to the injector.
    fn send(&mut self) {
        let time = self.time as usize;
        self.set_send(|run, p| match &run.sending[p] {
            Some(stream) => stream.get(time).copied().unwrap_or(false),
            None => false,
        });
    }

    /// Inverts the bits selected by the faults.
    fn inject_faults(&mut self) -> Result<(), RunError> {
        let Some(wires) = &mut self.faults else {
            return Ok(());
        };
        self.machine.pins.settle()?;
        let port = self.machine.pins.cube_out;
        let sent = self.machine.pins.words(port);
        for (chip, inverted) in wires.next(self.clock_cycles, &sent) {
            self.machine.pins.set_flip(chip, inverted);
        }
        Ok(())
    }

    /// Collects the messages that the router returns while it drains.
    fn collect_returned(&mut self) {
        let length = self.machine.plan.format.length();
        if !self.draining || self.time >= length {
            return;
        }
        let returned = self.bits(|pins| pins.returned);
        for (p, bit) in returned.into_iter().enumerate() {
            if self.time == 0 {
                self.returning[p] = bit.then(Vec::new);
            }
            let Some(stream) = &mut self.returning[p] else {
                continue;
            };
            stream.push(bit);
            if self.time + 1 == length {
                let stream = std::mem::take(stream);
                self.returning[p] = None;
                self.processors.store_returned(p, stream);
                self.ledger.counters.returned += 1;
            }
        }
    }

    /// Counts the messages on the cube wires. MSGP marks a message. The last bit of CUBE to leave
    /// is the bit of the wire's own dimension, which tells whether the message still has to cross
    /// it.
    fn count_hops(&mut self) {
        let dims = self.machine.plan.format.dims;
        for d in 0..dims {
            let begins = self.bit_times_since(2 * d + 2) == 0;
            let turned = self.bit_times_since(2 * d + 2 + dims) == 0;
            if !begins && !turned {
                continue;
            }
            let port = self.machine.pins.cube_out;
            let words = self.machine.pins.words(port);
            let on_wire = |chip: &usize| words[*chip] >> d & 1 == 1;
            let counters = &mut self.ledger.counters;
            if begins {
                let crossing: Vec<usize> = (0..words.len()).filter(on_wire).collect();
                counters.hops += crossing.len() as u64;
                if !crossing.is_empty() {
                    // The wire of dimension d lags the petit cycle by 2 d + 2 bit-times.
                    let before = u64::from(self.time < 2 * d + 2);
                    self.last_hop = Some(self.petit.saturating_sub(before));
                }
                self.crossing[d as usize] = crossing;
            } else {
                let crossing = std::mem::take(&mut self.crossing[d as usize]);
                let away = crossing.iter().filter(|chip| on_wire(chip)).count();
                counters.desperation_hops += away as u64;
                counters.productive_hops += (crossing.len() - away) as u64;
            }
        }
    }

    /// Collects the bits that the processors receive.
    fn deliver(&mut self) {
        let plan = self.machine.plan;
        let since = self.bit_times_since(plan.sort() + 1);
        let bits = plan.over() - plan.sort();
        if since >= bits {
            return;
        }
        if since == 0 {
            let port = self.machine.pins.ejecting;
            self.ejecting = self.machine.pins.words(port);
        }
        let last = since + 1 == bits;
        let deliver = self.bits(|pins| pins.deliver);
        for (getting, bit) in self.receiving.iter_mut().zip(deliver) {
            if since == 0 {
                *getting = bit.then(Arrival::default);
            }
            if let Some(arrival) = getting {
                arrival.bits.push(bit);
            }
        }
        if last {
            let wrong = self.bits(|pins| pins.parity_error);
            for (getting, wrong) in self.receiving.iter_mut().zip(wrong) {
                if let Some(arrival) = getting {
                    arrival.parity_error = wrong;
                }
            }
        }
        if last {
            self.record_deliveries();
        }
    }

    /// Accounts for the messages of a petit cycle after they have reached the processors.
    fn record_deliveries(&mut self) {
        let plan = self.machine.plan;
        let Some(since_begin) = self.clock_cycles.checked_sub(plan.over().into()) else {
            return;
        };
        let petit = since_begin / u64::from(plan.period);
        let rows = 0..self.machine.shape.rows;
        let processors = self.machine.shape.processors();
        let mut any = false;
        for chip in 0..self.ejecting.len() {
            let streams: Vec<BitStream> = rows
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
            let got = &mut self.receiving[chip * processors..(chip + 1) * processors];
            self.ledger.record_ejected(petit, chip, &streams, got);
        }
        if self.ejected.len() <= petit as usize {
            self.ejected.resize(petit as usize + 1, false);
        }
        self.ejected[petit as usize] = any;
        if any {
            self.last_ejection = Some(petit);
            // PARITY left the hearts in the previous bit-time.
            self.heart_bit_times = self.clock_cycles;
        }
        // A damaged message may be detected as several messages, or as none.
        let arrived = match self.faults {
            None => self.ledger.arrived,
            Some(_) => self.ledger.delivered,
        };
        self.complete |= arrived == self.messages;
        if self.ledger.delivered != self.delivered {
            self.delivered = self.ledger.delivered;
            self.delivered_at = self.petit;
        }
    }

    fn watch_exits(&mut self) {
        let since = self.bit_times_since(self.machine.plan.exit());
        if since < self.machine.plan.format.length() {
            let port = self.machine.pins.exit;
            self.exits[since as usize] = self.machine.pins.words(port);
        }
    }

    /// Returns the result of the run, which must be over.
    pub fn run(mut self, ran: &RunEnd) -> Cm1Run {
        if ran.end == EndReason::Complete {
            self.ledger.close(self.petit);
        }
        Cm1Run {
            deliveries: self.ledger.deliveries,
            counters: self.ledger.counters,
            end: ran.end,
            petit_cycles: self.last_ejection.map_or(0, |petit| petit + 1),
            petit_cycles_used: self
                .last_ejection
                .max(self.last_hop)
                .map_or(0, |petit| petit + 1),
            heart_bit_times: self.heart_bit_times,
            clock_cycles: ran.clock_cycles,
        }
    }
}

impl MachineDriver for Cm1Driver<'_> {
    fn begin_step(&mut self) -> Result<Option<StepStatus>, RunError> {
        if !self.started {
            self.first_start()?;
            self.started = true;
        }
        if self.time > 0 {
            return Ok(None);
        }
        self.begin_petit();
        Ok(Some(StepStatus {
            open: self.messages - self.ledger.delivered,
            // The router drains and restarts when nothing moves. A router with faults may never
            // become empty.
            steps_since_move: (self.faults.as_ref())
                .map(|_| (self.petit - self.delivered_at) / self.banks),
            steps_since_outcome: None,
            halted: false,
        }))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn work(&mut self) -> Result<(), RunError> {
        if self.time > 0 {
            self.send();
        }
        self.inject_faults()?;
        self.machine.pins.settle()?;
        if self.machine.pins.start() != (self.time == 0) {
            return Err(LOST_SYNC);
        }
        if self.time == 0 {
            self.handle_acknowledges();
        }
        self.collect_returned();
        self.count_hops();
        self.deliver();
        self.watch_exits();
        Ok(())
    }

    fn advance(&mut self) -> Result<u64, RunError> {
        self.machine.pins.clock()?;
        self.clock_cycles += 1;
        self.time += 1;
        if self.time == self.machine.plan.period {
            self.time = 0;
            self.petit += 1;
        }
        Ok(1)
    }

    fn carried_traffic(&self) -> Option<f64> {
        Some(self.ledger.counters.hops as f64)
    }

    fn run_stats(self: Box<Self>, ran: &RunEnd) -> RunStats {
        let plan = self.machine.plan;
        let sound = self.faults.is_none();
        self.run(ran).run_stats(plan, sound)
    }
}

// Faults that a run of the CM-1 can inject: noise, dead chips, broken wires.

/// Faults of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cm1Faults {
    /// Probability with which each bit on each cube wire is inverted.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    /// Single bits to be inverted.
    pub flips: Vec<BitFlip>,
    pub stuck: Vec<StuckWire>,
}

/// Inversion of one bit on a cube wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitFlip {
    /// Bit-time in which the bit arrives, counted from the first MSGP at the injectors.
    pub bit_time: u64,
    /// Chip where the bit arrives.
    pub chip: usize,
    /// Dimension of the wire.
    pub dim: u32,
}

/// Cube wire with a constant level from the start. A low wire never carries a message. A high wire
/// carries a message of ones in every petit cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckWire {
    /// Chip at the receiving end.
    pub chip: usize,
    /// Dimension of the wire.
    pub dim: u32,
    pub high: bool,
}

impl Cm1Faults {
    /// True if the machine has no faults.
    pub fn is_none(&self) -> bool {
        self.noise == 0.0 && self.flips.is_empty() && self.stuck.is_empty()
    }

    /// Marks a chip of a cube with `dims` dimensions as dead. The wires that leave the chip have
    /// the level `high`, and the chip receives nothing.
    pub fn kill(&mut self, chip: usize, dims: u32, high: bool) {
        for dim in 0..dims {
            let neighbour = chip ^ 1 << dim;
            self.stuck.push(StuckWire {
                chip: neighbour,
                dim,
                high,
            });
            self.stuck.push(StuckWire {
                chip,
                dim,
                high: false,
            });
        }
    }
}

/// Applies the faults to the wires in every bit-time.
pub(super) struct WireFaults {
    disturbance: Cm1Faults,
    noise: Option<Noise>,
    dims: u32,
    /// For each chip, the wires whose arriving bit is inverted.
    inverted: Vec<u64>,
}

impl WireFaults {
    /// Returns `None` if the machine has no faults.
    pub fn new(disturbance: &Cm1Faults, dims: u32, chips: usize) -> Option<Self> {
        (!disturbance.is_none()).then(|| WireFaults {
            noise: Noise::new(disturbance.noise, disturbance.seed, chips * dims as usize),
            disturbance: disturbance.clone(),
            dims,
            inverted: vec![0; chips],
        })
    }

    /// Returns each chip whose set of inverted wires changes in this bit-time, with the new set.
    /// `sent` is the output word of each chip.
    pub fn next(&mut self, bit_time: u64, sent: &[u64]) -> Vec<(usize, u64)> {
        let mut inverted = vec![0; self.inverted.len()];
        if let Some(noise) = &mut self.noise {
            let dims = self.dims as usize;
            for (wire, flip) in noise.next_bit().enumerate() {
                inverted[wire / dims] |= u64::from(flip) << (wire % dims);
            }
        }
        for flip in &self.disturbance.flips {
            if flip.bit_time == bit_time {
                inverted[flip.chip] ^= 1 << flip.dim;
            }
        }
        for wire in &self.disturbance.stuck {
            let comes = sent[wire.chip ^ 1 << wire.dim] >> wire.dim & 1;
            let bit = 1 << wire.dim;
            let inverts = comes != u64::from(wire.high);
            let word = &mut inverted[wire.chip];
            *word = *word & !bit | u64::from(inverts) << wire.dim;
        }
        let changed = inverted.iter().zip(&self.inverted).enumerate();
        let changed = changed.filter(|(_, (now, before))| now != before);
        let changed = changed.map(|(chip, (now, _))| (chip, *now)).collect();
        self.inverted = inverted;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn killing_a_chip_sticks_its_wires() {
        let mut disturbance = Cm1Faults::default();
        assert!(WireFaults::new(&disturbance, 2, 4).is_none());
        disturbance.kill(1, 2, true);
        let mut wires = WireFaults::new(&disturbance, 2, 4).unwrap();
        // Chip 1 sends nothing, chip 3 sends a one to chip 1, and chip 0 sends a one to chip 2.
        let sent = [0b10, 0, 0, 0b10];
        let mut seen = wires.next(0, &sent);
        seen.sort_unstable();
        // Both neighbours see a one. Chip 1 does not see the one from chip 3.
        assert_eq!(seen, [(0, 0b01), (1, 0b10), (3, 0b10)]);
        assert_eq!(wires.next(1, &sent), []);
    }
}

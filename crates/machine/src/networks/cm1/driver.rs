//! Driver of the CM-1: simulates its processors and keeps the bookkeeping in every bit-time.

use super::faults::{Cm1Faults, WireFaults};
use super::ledger::{Arrival, Cm1Counters, Cm1Ledger, Cm1Processors};
use super::{BitStream, Cm1Circuit, Cm1Message, Cm1Pins, Cm1Shape};
use crate::text::format_count;
use crate::{
    format_percent, ratio, ChannelUse, Delivery, EndReason, JsonEntry, MachineCircuit,
    MachineDriver, RunError, RunStats, StepStatus,
};
use engine::{NodeEngine, NodePortId};
use rtl::cm1::{EjectMode, PetitPlan};

const LOST_SYNC: RunError = RunError::LostSync("petit cycles do not begin when they should");

/// Run in progress.
pub struct Cm1Driver<'e> {
    pins: Cm1Pins<'e>,
    circuit: Cm1Circuit,
    shape: Cm1Shape,
    plan: PetitPlan,
    /// Petit cycles without an ejection after which the router is drained. With ejection by banks
    /// the count is of petit cycles in which each bank was open.
    pub timeout: u64,
    processors: Cm1Processors,
    /// Faults on the wires. `None` for a machine without faults.
    faults: Option<WireFaults>,
    ledger: Cm1Ledger,
    /// Messages that crossed each cube wire.
    channels: ChannelUse,
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
    /// Messages that had not arrived at the last check. `delivered_at` holds the petit cycle of the
    /// last decrease.
    missing: usize,
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
        EjectMode::Bank => messages.iter().map(|m| u64::from(m.vp) + 1).max().unwrap_or(1),
        EjectMode::Or | EjectMode::PerProcessor | EjectMode::PerChip => 1,
    }
}

impl<'e> Cm1Driver<'e> {
    /// Default timeout in petit cycles. A load that is not blocked ejects a message within this
    /// time.
    pub const TIMEOUT: u64 = 64;

    /// Creates the driver for an engine that has just been started with this circuit. `releases` has
    /// the petit cycle from which each message is at its processor. Messages past its end are there
    /// from the first petit cycle.
    pub fn new(
        engine: &'e mut dyn NodeEngine,
        circuit: &Cm1Circuit,
        faults: &Cm1Faults,
        messages: &[Cm1Message],
        releases: &[u64],
    ) -> Self {
        let (shape, plan) = (circuit.shape(), circuit.plan());
        let processors = Cm1Processors::new(shape, messages, releases);
        let count = processors.count();
        let dims = plan.format.dims as usize;
        Cm1Driver {
            pins: Cm1Pins::new(engine, shape),
            circuit: *circuit,
            shape,
            plan,
            timeout: Self::TIMEOUT,
            processors,
            faults: WireFaults::new(faults, plan.format.dims, shape.chips()),
            ledger: Cm1Ledger::new(shape, plan, messages),
            channels: ChannelUse::new(shape.chips(), dims, "message", "petit cycle"),
            messages: messages.len(),
            banks: banks(plan, messages),
            time: 0,
            petit: 0,
            clock_cycles: 0,
            sending: vec![None; count],
            draining: false,
            returning: vec![None; count],
            crossing: vec![vec![]; dims],
            exits: vec![vec![0; shape.chips()]; plan.format.length() as usize],
            ejecting: vec![0; shape.chips()],
            receiving: (0..count).map(|_| None).collect(),
            ejected: vec![],
            quiet_since: 0,
            empty_begins: 0,
            last_ejection: None,
            last_hop: None,
            missing: messages.len(),
            delivered_at: 0,
            heart_bit_times: 0,
            started: false,
            complete: messages.is_empty(),
        }
    }

    /// Advances to the bit-time in which the first petit cycle begins.
    fn first_start(&mut self) -> Result<(), RunError> {
        for _ in 0..=self.plan.period {
            self.pins.settle()?;
            if self.pins.start() {
                return Ok(());
            }
            self.pins.clock()?;
        }
        Err(LOST_SYNC)
    }

    /// Returns the bit-times since bit-time `of` of this petit cycle or of the previous one.
    fn bit_times_since(&self, of: u32) -> u32 {
        let period = self.plan.period;
        (self.time + 2 * period - of % period) % period
    }

    /// Begins a petit cycle: selects the messages to offer and decides whether the router drains.
    fn begin_petit(&mut self) {
        self.processors.release(self.petit);
        let occupied = self.pins.occupied;
        let occupied = self.pins.words(occupied).contains(&1);
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
        if occupied && !self.draining && quiet >= self.timeout.saturating_mul(self.banks) {
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
        self.pins.set_drain(self.draining);
        self.pins.set_bank(self.petit % self.banks);
        let draining = self.draining;
        self.set_send(|run, p| !draining && run.processors.offer(p).is_some());
    }

    /// Sets the output of every processor.
    fn set_send(&mut self, bit: impl Fn(&Self, usize) -> bool) {
        let processors = self.shape.processors();
        for chip in 0..self.shape.chips() {
            let bits = (0..processors).map(|p| u64::from(bit(self, chip * processors + p)) << p);
            let word = bits.sum();
            self.pins.set_send(chip, word);
        }
    }

    /// Returns the words of a port of all chips, as one bit for each processor.
    fn bits(&mut self, port: fn(&Cm1Pins) -> NodePortId) -> Vec<bool> {
        let port = port(&self.pins);
        let words = self.pins.words(port);
        let processors = self.shape.processors();
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
        self.pins.settle()?;
        let port = self.pins.cube_out;
        let sent = self.pins.words(port);
        for (chip, inverted) in wires.next(self.clock_cycles, &sent) {
            self.pins.set_flip(chip, inverted);
        }
        Ok(())
    }

    /// Collects the messages that the router returns while it drains.
    fn collect_returned(&mut self) {
        let length = self.plan.format.length();
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
        let dims = self.plan.format.dims;
        for d in 0..dims {
            let begins = self.bit_times_since(2 * d + 2) == 0;
            let turned = self.bit_times_since(2 * d + 2 + dims) == 0;
            if !begins && !turned {
                continue;
            }
            let port = self.pins.cube_out;
            let words = self.pins.words(port);
            let on_wire = |chip: &usize| words[*chip] >> d & 1 == 1;
            let counters = &mut self.ledger.counters;
            if begins {
                let crossing: Vec<usize> = (0..words.len()).filter(on_wire).collect();
                for chip in &crossing {
                    self.channels.record(*chip, d as usize);
                }
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
        let plan = self.plan;
        let since = self.bit_times_since(plan.sort() + 1);
        let bits = plan.over() - plan.sort();
        if since >= bits {
            return;
        }
        if since == 0 {
            let port = self.pins.ejecting;
            self.ejecting = self.pins.words(port);
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
        let plan = self.plan;
        let Some(since_begin) = self.clock_cycles.checked_sub(plan.over().into()) else {
            return;
        };
        let petit = since_begin / u64::from(plan.period);
        let rows = 0..self.shape.rows;
        let processors = self.shape.processors();
        let mut any = false;
        for chip in 0..self.ejecting.len() {
            let streams: Vec<BitStream> = rows
                .clone()
                .filter(|row| self.ejecting[chip] >> row & 1 == 1)
                .map(|row| self.exits.iter().map(|bits| bits[chip] >> row & 1 == 1).collect())
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
            Some(_) => self.messages - self.ledger.arrivals.missing,
        };
        self.complete |= arrived == self.messages;
        if self.ledger.arrivals.missing != self.missing {
            self.missing = self.ledger.arrivals.missing;
            self.delivered_at = self.petit;
        }
    }

    fn watch_exits(&mut self) {
        let since = self.bit_times_since(self.plan.exit());
        if since < self.plan.format.length() {
            let port = self.pins.exit;
            self.exits[since as usize] = self.pins.words(port);
        }
    }

    /// Returns the petit cycles up to the last movement.
    fn petit_cycles_in_use(&self) -> u64 {
        let last = self.last_ejection.max(self.last_hop);
        last.map_or(0, |petit| petit + 1)
    }

    /// Returns `hops` as a share of all possible hops: one for each wire, direction and petit cycle
    /// up to the last movement. Returns `None` if nothing moved.
    fn wire_utilisation(&self, hops: u64) -> Option<f64> {
        let cube = self.circuit.topology();
        let wires = u64::from(cube.nodes()) * u64::from(cube.ports());
        ratio(hops, self.petit_cycles_in_use() * wires)
    }

    /// Returns the results of the run, which is over.
    fn stats(&mut self) -> RunStats {
        let (plan, counters) = (self.plan, self.ledger.counters);
        let slots = self.petit_cycles_in_use();
        let channels = self.channels.clone().with_equal_slots(slots);
        let hops = channels.total();
        let all = self.wire_utilisation(hops);
        let productive = self.wire_utilisation(counters.productive_hops);
        let petit_cycles = self.last_ejection.map_or(0, |petit| petit + 1);
        let ejector = u64::from(plan.over() - plan.exit() - plan.format.length() + 1);
        let summary_lines = vec![
            format!(
                "{} of {} bit-times, {} bit-times in all, and {ejector} in the ejector",
                format_count(petit_cycles, "petit cycle"),
                plan.period,
                self.heart_bit_times
            ),
            format!(
                "{}, {} productive and {} in desperation; wires used {}, {} productively",
                format_count(hops, "hop"),
                counters.productive_hops,
                counters.desperation_hops,
                format_percent(all),
                format_percent(productive)
            ),
        ];
        let figures = vec![
            JsonEntry::new("productive_hops", counters.productive_hops),
            JsonEntry::new("desperation_hops", counters.desperation_hops),
            // The CM-1 has no superframes, and no answers on its wires.
            JsonEntry::new("superframes", ()),
            JsonEntry::new("link", ()),
            JsonEntry::new("petit_cycles", petit_cycles),
            JsonEntry::new("petit_period", plan.period),
            JsonEntry::new("ejector_bit_times", ejector),
            JsonEntry::new("wire_utilisation_productive", productive),
            JsonEntry::new("retries", 0),
            JsonEntry::new("returned", counters.returned),
        ];
        let arrivals = &mut self.ledger.arrivals;
        let lost = |delivery: &&Delivery| matches!(delivery, Delivery::Lost { .. });
        RunStats {
            hops,
            duplicated: arrivals.duplicated,
            undetected: arrivals.undetected,
            mixed: counters.collisions,
            unexcused: match self.faults {
                None => arrivals.deliveries.iter().filter(lost).count() as u64,
                Some(_) => 0,
            },
            periods: petit_cycles,
            bit_times: self.heart_bit_times,
            wire_utilisation: all,
            channel_use: Some(channels),
            entries: [figures, count_entries(&counters)].concat(),
            summary_lines,
            deliveries: std::mem::take(&mut arrivals.deliveries),
            ..RunStats::default()
        }
    }
}

/// Describes what was counted beside the hops.
fn count_entries(counters: &Cm1Counters) -> Vec<JsonEntry> {
    let counts = [
        ("refused", counters.refused, "offers of processors that had to wait"),
        ("late", 0, ""),
        ("slips", 0, ""),
        ("collisions", counters.collisions, "messages ORed onto another one"),
        ("timeouts", counters.timeouts, "timeouts that emptied the router"),
        ("parity_errors", counters.parity_errors, "messages with wrong parity, flagged"),
    ];
    counts.map(|(key, count, words)| JsonEntry::count(key, count, words)).to_vec()
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
            open: self.ledger.arrivals.missing,
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
        self.pins.settle()?;
        if self.pins.start() != (self.time == 0) {
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
        self.pins.clock()?;
        self.clock_cycles += 1;
        self.time += 1;
        if self.time == self.plan.period {
            self.time = 0;
            self.petit += 1;
        }
        Ok(1)
    }

    fn carried_traffic(&self) -> Option<f64> {
        Some(self.channels.total() as f64)
    }

    fn run_stats(&mut self, end: EndReason) -> RunStats {
        if end == EndReason::Complete {
            self.ledger.close(self.petit);
        }
        self.stats()
    }
}

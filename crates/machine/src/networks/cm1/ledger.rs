//! Bookkeeping of a CM-1 run: the fate of each message, and the counts.

use super::{decode, Cm1Message, Cm1Shape, StreamFields};
use crate::Delivery;
use rtl::cm1::PetitPlan;
use std::collections::HashMap;

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cm1Counters {
    /// Crossings of cube wires by messages.
    pub hops: u64,
    /// Hops that brought the message nearer to its destination.
    pub productive_hops: u64,
    /// Hops away from the destination, in desperation.
    pub desperation_hops: u64,
    /// Messages ORed onto another message to the same processor.
    pub collisions: u64,
    /// Offers of processors that the router did not take.
    pub refused: u64,
    /// Times that the router was drained after a timeout.
    pub timeouts: u64,
    /// Messages returned to a processor while the router drained.
    pub returned: u64,
    /// Messages that arrived with wrong parity and were flagged.
    pub parity_errors: u64,
    /// Messages that arrived a second time.
    pub duplicated: u64,
    /// Damage that the machine did not detect.
    pub undetected: u64,
}

/// Identifies an arriving message: destination, virtual processor, data.
type Cm1MessageKey = (u32, u32, Vec<u8>);

/// Bits that a processor received in a petit cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrival {
    /// MSGP, VP-ADDRESS, DATA, PARITY. With ejection by banks there is no VP-ADDRESS.
    pub bits: Vec<bool>,
    pub parity_error: bool,
}

/// Records the messages that have arrived.
pub(super) struct Cm1Ledger {
    shape: Cm1Shape,
    plan: PetitPlan,
    pub deliveries: Vec<Delivery>,
    pub counters: Cm1Counters,
    /// Messages that left the machine, correct or not.
    pub arrived: usize,
    /// Messages that were delivered.
    pub delivered: usize,
    missing: HashMap<Cm1MessageKey, Vec<usize>>,
}

impl Cm1Ledger {
    pub fn new(shape: Cm1Shape, plan: PetitPlan, messages: &[Cm1Message]) -> Self {
        let mut missing: HashMap<Cm1MessageKey, Vec<usize>> = HashMap::new();
        for (number, m) in messages.iter().enumerate().rev() {
            let key = (m.destination, m.vp, m.data.clone());
            missing.entry(key).or_default().push(number);
        }
        Cm1Ledger {
            shape,
            plan,
            deliveries: vec![Delivery::UnderWay; messages.len()],
            counters: Cm1Counters::default(),
            arrived: 0,
            delivered: 0,
            missing,
        }
    }

    /// Records the streams that left the heart of a chip for its processors in a petit cycle, in
    /// ascending order of rows. Compares them with the bits that the processors received.
    pub fn record_ejected(
        &mut self,
        petit: u64,
        chip: usize,
        streams: &[Vec<bool>],
        got: &mut [Option<Arrival>],
    ) {
        let format = self.shape.format;
        let mut wanted: HashMap<u32, (Vec<bool>, bool, u64)> = HashMap::new();
        for stream in streams {
            let fields = decode(format, stream);
            self.arrived += 1;
            self.identify(petit, chip, &fields);
            // MSGP replaces the last of the address bits that the ejector evaluates.
            let after = (self.plan.sort() - self.plan.exit()) as usize;
            let mut bits = stream[after..].to_vec();
            bits[0] = true;
            let entry = wanted
                .entry(fields.processor)
                .or_insert_with(|| (vec![false; bits.len()], false, 0));
            for (all, bit) in entry.0.iter_mut().zip(bits) {
                *all |= bit;
            }
            entry.1 |= !fields.parity_good;
            entry.2 += 1;
        }
        for (p, got) in (0..).zip(got) {
            match (wanted.get(&p), got.take()) {
                (None, None) => {}
                (Some((bits, wrong, rows)), Some(arrival)) => {
                    let as_wanted = *bits == arrival.bits && *wrong == arrival.parity_error;
                    self.counters.undetected += u64::from(!as_wanted);
                    self.counters.collisions += rows - 1;
                }
                _ => self.counters.undetected += 1,
            }
        }
    }

    fn identify(&mut self, petit: u64, chip: usize, fields: &StreamFields) {
        let chip = chip as u32 ^ fields.relative;
        let destination = chip << self.shape.format.proc_bits | fields.processor;
        let key = (destination, fields.vp, fields.data.clone());
        match self.missing.get_mut(&key) {
            _ if !fields.parity_good => self.counters.parity_errors += 1,
            Some(numbers) => match numbers.pop() {
                Some(number) => {
                    self.deliveries[number] = Delivery::Delivered { t: petit as u32 };
                    self.delivered += 1;
                }
                None => self.counters.duplicated += 1,
            },
            None => self.counters.undetected += 1,
        }
    }

    /// Marks the missing messages as lost, because the machine is empty in this petit cycle. They
    /// were damaged beyond recognition and cannot arrive any more.
    pub fn close(&mut self, petit: u64) {
        for fate in &mut self.deliveries {
            if *fate == Delivery::UnderWay {
                *fate = Delivery::Lost { t: petit as u32 };
            }
        }
    }
}

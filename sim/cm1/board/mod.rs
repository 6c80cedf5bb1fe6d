//! The CM-1 for the board, through its bus port. It handles messages like the model, and like the
//! machine that does not wait for its processors. All engines agree on it.

mod same;

use crate::support::cm1_bus::{Cm1BusMaster, STATUS};
use phasecube::engine::CircuitEngine;
use phasecube::traffic::{Message, SplitMix64};
use std::collections::VecDeque;

const NODES: usize = 8;

/// Result of a run of messages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BoardRun {
    /// Petit cycle that delivered each message, counted from 0.
    pub delivered: Vec<Option<u64>>,
    /// Received messages that were not expected.
    pub strange: u64,
    /// Received messages flagged with wrong parity.
    pub parity_errors: u64,
    /// Offers that were not accepted.
    pub refused: u64,
    /// Petit cycles as counted by the board.
    pub petits: u64,
    pub last: u64,
    /// For each petit cycle, the clock cycles from the last node's write to its end.
    pub clocks: Vec<u64>,
}

/// Sends all messages, with up to `data_bytes` bytes of payload, until the board reports that it is
/// empty. The order of the nodes differs in each petit cycle.
pub fn run(engine: &mut dyn CircuitEngine, data_bytes: usize, messages: &[Message]) -> BoardRun {
    let mut bus = Cm1BusMaster::new(engine);
    let mut random = SplitMix64::new(messages.len() as u64);
    let mut queues = vec![VecDeque::new(); NODES];
    for (number, message) in messages.iter().enumerate() {
        queues[message.source as usize].push_back(number);
    }
    let mut run = BoardRun { delivered: vec![None; messages.len()], ..BoardRun::default() };
    let mut loaded = [None; NODES];
    let mut order: Vec<usize> = (0..NODES).collect();
    for petit in 0..4_000 {
        random.shuffle(&mut order);
        for node in order.clone() {
            let offer = queues[node].front().copied();
            if let Some(number) = offer.filter(|_| offer != loaded[node]) {
                send(&mut bus, node, data_bytes, &messages[number]);
                loaded[node] = offer;
            }
            bus.idle(random.below(3));
            bus.write(node, STATUS, offer.is_some().into());
        }
        run.clocks.push(wait(&mut bus, petit));
        random.shuffle(&mut order);
        let mut empty = vec![];
        for node in order.clone() {
            let status = bus.read(node, STATUS);
            match (status & 1 == 1, queues[node].is_empty()) {
                (true, _) => drop(queues[node].pop_front().expect("it was offered")),
                (false, false) => run.refused += 1,
                (false, true) => {}
            }
            if status >> 1 & 1 == 1 {
                let data = receive(&mut bus, node, data_bytes);
                let awaited = (0..).zip(messages).position(|(i, m): (usize, _)| {
                    run.delivered[i].is_none()
                        && m.destination as usize == node
                        && padded(m, data_bytes) == data
                });
                match awaited {
                    Some(number) => run.delivered[number] = Some(petit),
                    None => run.strange += 1,
                }
            }
            run.parity_errors += status >> 2 & 1;
            empty.push(status >> 3 & 1 == 1);
            (run.petits, run.last) = (status >> 8 & 0xFFF, status >> 20);
        }
        assert!(empty.iter().all(|e| *e == empty[0]), "{empty:?}");
        if empty[0] {
            return run;
        }
    }
    panic!("the network is not empty after 4,000 petit cycles");
}

fn padded(message: &Message, bytes: usize) -> Vec<u8> {
    let mut data = message.payload.clone();
    data.resize(bytes, 0);
    data
}

/// Writes the bytes of a message.
fn send(
    bus: &mut Cm1BusMaster<&mut dyn CircuitEngine>,
    node: usize,
    bytes: usize,
    message: &Message,
) {
    let relative = (node as u32 ^ message.destination) as u8;
    let data = padded(message, bytes);
    let ones = data.iter().map(|byte| byte.count_ones()).sum::<u32>() + relative.count_ones();
    let header = 0x10 | relative << 5;
    let all = [header].into_iter().chain(data).chain([ones as u8 & 1]);
    for (offset, byte) in (0..).step_by(4).zip(all) {
        bus.write(node, offset, byte.into());
    }
}

/// Reads DATA and PARITY, and checks PARITY.
fn receive(bus: &mut Cm1BusMaster<&mut dyn CircuitEngine>, node: usize, bytes: usize) -> Vec<u8> {
    let mut all: Vec<u8> =
        (1..bytes as u64 + 2).map(|byte| bus.read(node, 4 * byte) as u8).collect();
    let parity = all.pop().expect("PARITY comes last") & 1;
    let ones: u32 = all.iter().map(|byte| byte.count_ones()).sum();
    assert_eq!(u32::from(parity), ones % 2);
    all
}

/// Waits for the end of the petit cycle. Returns the clock cycles taken.
fn wait(bus: &mut Cm1BusMaster<&mut dyn CircuitEngine>, petit: u64) -> u64 {
    let begin = bus.clocks;
    while bus.read(0, STATUS) >> 8 & 0xFFF == petit & 0xFFF {}
    bus.clocks - begin
}

//! An output queue as specified in the paper (torus-routing-chip, section 5). It belongs to one
//! packet from its first byte to its tail. The lowest input has priority, and bytes leave in order.

use crate::agreement::engines;
use crate::agreement::ports::{put, put_all, see, see_all};
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::bytes::OutputQueue;
use std::collections::VecDeque;

/// Checks a queue of `depth` slots with `inputs` inputs, each of `wires` wires.
fn goes_in_order(queue: impl Circuit, wires: u32, depth: usize, inputs: usize) {
    let mut engine = engines::evaluator(&queue);
    let mut random = SplitMix64::new(inputs as u64);
    // The byte of each input, and whether it is a tail.
    let mut offers: Vec<Option<(u64, bool)>> = vec![None; inputs];
    let mut owner = None;
    let mut places = VecDeque::new();
    let (mut passed, mut packets) = (vec![0; inputs], 0);
    for cycle in 0..400 * inputs.max(10) {
        // In 32 clock cycles, the number with arrivals and with departures. The pair changes every
        // 100 clock cycles.
        let [comes, goes] = [[1, 32], [32, 12], [12, 32], [3, 24]][cycle / 100 % 4];
        // The first inputs begin no packet at times, because otherwise they would occupy the queue
        // permanently.
        let begin_from = cycle / 400 % inputs;
        for (i, offer) in offers.iter_mut().enumerate() {
            let may = i >= begin_from || owner == Some(i);
            if may && offer.is_none() && random.below(32) < comes {
                *offer = Some((random.below(1 << wires), random.below(3) == 0));
            }
            // An input that does not request the queue carries a random byte.
            let any = (random.below(1 << wires), random.below(2) == 1);
            let (flit, tail) = offer.unwrap_or(any);
            put(&mut *engine, &format!("want[{i}]"), offer.is_some().into());
            put(&mut *engine, &format!("flit[{i}]"), flit);
            put(&mut *engine, &format!("tail[{i}]"), tail.into());
        }
        let pops = !places.is_empty() && random.below(32) < goes;
        put(&mut *engine, "pop", pops.into());
        engine.settle().unwrap();
        let here = || format!("{inputs} inputs, clock cycle {cycle}");
        assert_eq!(see(&mut *engine, "present") == 1, !places.is_empty());
        if let Some(front) = places.front() {
            assert_eq!(see(&mut *engine, "front"), *front, "{}", here());
        }
        owner = owner.or_else(|| offers.iter().position(Option::is_some));
        // Room is decided at the start of the clock cycle, regardless of departures during it.
        let room = places.len() < depth;
        let takes = owner.filter(|i| offers[*i].is_some() && room);
        let bits = takes.map_or(0, |i| 1 << i);
        assert_eq!(see_all(&mut *engine, "take", inputs), bits, "{}", here());
        if pops {
            places.pop_front();
        }
        if let Some(i) = takes {
            let (flit, tail) = offers[i].take().expect("it has one");
            places.push_back(flit);
            passed[i] += 1;
            if tail {
                owner = None;
                packets += 1;
            }
        }
        engine.clock().unwrap();
    }
    assert!(
        passed.iter().all(|bytes| *bytes > 10) && packets > 50,
        "{passed:?}"
    );
}

/// After power-up a queue is empty and belongs to no packet.
fn begins_with_any(make: impl Fn() -> OutputQueue<8>, inputs: usize) {
    for input in 0..inputs {
        let mut engine = engines::evaluator(&make());
        put_all(&mut *engine, "want", 1 << input, inputs);
        engine.settle().unwrap();
        assert_eq!(see(&mut *engine, "present"), 0);
        assert_eq!(see_all(&mut *engine, "take", inputs), 1 << input);
    }
}

#[test]
pub fn a_queue_does_not_interleave_packets() {
    for (depth, inputs) in [(4, 1), (4, 2), (2, 3), (4, 5), (1, 4)] {
        begins_with_any(|| OutputQueue::new(depth, inputs), inputs);
        goes_in_order(OutputQueue::<8>::new(depth, inputs), 8, depth, inputs);
        goes_in_order(OutputQueue::<9>::new(depth, inputs), 9, depth, inputs);
    }
}

#[test]
fn a_queue_of_many_inputs_does_not_interleave_packets() {
    goes_in_order(OutputQueue::<8>::new(2, 20), 8, 2, 20);
}

//! The sending end of a channel. A byte is sent if its virtual channel is free. If two are ready,
//! the one not served last is chosen, and virtual channel 1 at the start.

use crate::agreement::engines;
use crate::agreement::ports::{put, put_all, see, see_all};
use hdl::lower::Circuit;
use interconnect::traffic::SplitMix64;
use rtl::bytes::OutputMultiplexer;

fn sends_in_turns(multiplexer: &impl Circuit, wires: u32, channels: usize) {
    let mut engine = engines::evaluator(multiplexer);
    let engine = &mut *engine;
    let mut random = SplitMix64::new(5);
    let (mut request, mut acknowledge, mut last) = (0, 0, 0);
    let (mut on_wires, mut together) = (None, 0);
    for cycle in 0..2000 {
        let present = match cycle {
            0 => (1 << channels) - 1,
            _ => random.below(1 << channels),
        };
        let fronts = [(); 2].map(|()| random.below(1 << wires));
        put_all(engine, "present", present, channels);
        for (v, front) in fronts.iter().enumerate().take(channels) {
            put(engine, &format!("front[{v}]"), *front);
        }
        // Acknowledges a random subset of the pending bytes.
        acknowledge ^= (request ^ acknowledge) & random.below(1 << channels);
        put(engine, "acknowledge", acknowledge);
        engine.settle().unwrap();
        let free = !(request ^ acknowledge) & present;
        let serves = match free {
            0b11 => Some(1 - last),
            0 => None,
            _ => Some(free.trailing_zeros() as usize),
        };
        together += u32::from(free == 0b11);
        let here = format!("{channels} channels, clock cycle {cycle}");
        assert_eq!(see(engine, "request"), request, "{here}");
        if let Some(flit) = on_wires {
            assert_eq!(see(engine, "data"), flit, "{here}");
        }
        let pops = serves.map_or(0, |v| 1 << v);
        assert_eq!(see_all(engine, "pop", channels), pops, "{here}");
        engine.clock().unwrap();
        request ^= pops;
        on_wires = serves.map(|v| fronts[v]);
        last = serves.unwrap_or(last);
    }
    assert!(channels == 1 || together > 100, "{together}");
}

#[test]
pub fn the_channel_not_served_last_goes_first() {
    sends_in_turns(&OutputMultiplexer::<8, 1>::default(), 8, 1);
    sends_in_turns(&OutputMultiplexer::<8, 2>::default(), 8, 2);
    sends_in_turns(&OutputMultiplexer::<9, 1>::default(), 9, 1);
    sends_in_turns(&OutputMultiplexer::<9, 2>::default(), 9, 2);
}

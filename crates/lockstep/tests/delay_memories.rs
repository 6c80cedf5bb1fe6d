//! Long delay lines as memories: the same outputs in every clock cycle.

use crate::common::{big, ByName, TestRandom};
use lockstep::design::check::check;
use lockstep::design::*;
use num_bigint::BigUint;

/// Adds a row of registers after `from` and returns the outputs of its places.
fn row(
    m: &mut Builder,
    name: &str,
    from: SignalId,
    width: u32,
    init: &BigUint,
    places: usize,
) -> Vec<SignalId> {
    let mut before = from;
    let mut outputs = vec![];
    for i in 0..places {
        let place = m.register(&format!("{name}[{i}]"), Type::Bits(width), init.clone(), "");
        m.connect(place.d, before);
        outputs.push(place.q);
        before = place.q;
    }
    outputs
}

/// Module that delays its input.
fn delay(name: &str, width: u32, init: &BigUint, places: usize) -> DesignModule {
    let mut m = Builder::new(name, "");
    let d = m.input("d", Type::Bits(width), "");
    let q = m.output("q", Type::Bits(width), "");
    let outputs = row(&mut m, "place", d, width, init, places);
    m.connect(q, outputs[places - 1]);
    m.finish()
}

/// Registers and memories of a design, counted in its modules.
fn cells(design: &Design) -> (usize, usize) {
    let cells = design.modules.iter().flat_map(|module| &module.cells);
    let (registers, others): (Vec<_>, Vec<_>) =
        cells.partition(|cell| matches!(cell.kind, CellKind::Register { .. }));
    (registers.len(), others.len())
}

fn same_outputs(random: &mut TestRandom, plain: &Design, other: &Design) {
    assert_eq!(check(other), Ok(()));
    let ports = |design: &Design| -> Vec<DesignSignal> {
        design.top().ports().map(|(_, port)| port.clone()).collect()
    };
    assert_eq!(ports(plain), ports(other));
    let mut expected = crate::common::evaluator(plain);
    let mut seen = crate::common::evaluator(other);
    for clock in 0..400 {
        for port in ports(plain) {
            if port.kind == SignalKind::Input {
                let value = random.word(port.width());
                expected.put_big(&port.name, &value);
                seen.put_big(&port.name, &value);
            }
        }
        expected.settle();
        seen.settle();
        for port in ports(plain) {
            let values = [&seen, &expected].map(|e| e.at_big(&port.name));
            assert_eq!(values[0], values[1], "clock cycle {clock}: {}", port.name);
        }
        expected.clock();
        seen.clock();
    }
}

#[test]
fn a_delay_line_of_any_length_keeps_its_outputs() {
    let mut random = TestRandom(5);
    for places in [31, 32, 33, 47, 48, 63, 64, 80, 127, 128] {
        let width = 1 + random.below(9) as u32;
        let init = random.word(width);
        let plain = Design::from(delay("ring", width, &init, places));
        let other = plain.with_delay_memories(32);
        let expected = match places {
            // The counter, and what is left of the row.
            32.. => (1 + places % 16, 1),
            _ => (places, 0),
        };
        assert_eq!(cells(&other), expected, "{places} places");
        same_outputs(&mut random, &plain, &other);
    }
}

/// A module with few delay lines takes the counter of its parent. One with many has its own.
#[test]
fn modules_with_few_delay_lines_share_a_counter() {
    let mut random = TestRandom(6);
    let mut library = Library::default();
    let small = library.add_module(delay("small", 3, &big(5), 64));
    let large = library.add_module(delay("large", 20, &big(0), 64));
    let mut pair = Builder::new("pair", "");
    let d = pair.input("d", Type::Bits(3), "");
    let q = pair.output("q", Type::Bits(3), "");
    let first = pair.instance("first", small, library.module(small));
    let second = pair.instance("second", small, library.module(small));
    pair.connect(first[0], d);
    pair.connect(second[0], first[1]);
    pair.connect(q, second[1]);
    let pair = library.add_module(pair.finish());

    let mut m = Builder::new("top", "");
    for (name, id) in [("a", pair), ("b", large), ("c", small), ("d", large)] {
        let ty = library.module(id).signals[0].ty.clone();
        let (d, q) =
            (m.input(&format!("{name}_d"), ty.clone(), ""), m.output(&format!("{name}_q"), ty, ""));
        let pins = m.instance(name, id, library.module(id));
        m.connect(pins[0], d);
        m.connect(q, pins[1]);
    }
    let top = library.add_module(m.finish());
    let plain = library.finish(top);
    let other = plain.with_delay_memories(64);
    let counters: Vec<&str> = (other.modules.iter())
        .filter(|module| module.cells.iter().any(|cell| cell.name == "delay_turn"))
        .map(|module| &*module.name)
        .collect();
    assert_eq!(counters, ["large", "top"]);
    same_outputs(&mut random, &plain, &other);
}

/// Registers that are read elsewhere, assigned conditionally or have another first value end a row.
#[test]
fn a_row_that_is_used_in_the_middle_stays() {
    let mut random = TestRandom(7);
    for fault in ["read", "condition", "init", "none"] {
        let mut m = Builder::new("row", "");
        let d = m.input("d", Type::Bits(4), "");
        let on = m.input("on", Type::BIT, "");
        let q = m.output("q", Type::Bits(4), "");
        let tap = m.output("tap", Type::Bits(4), "");
        let first = row(&mut m, "first", d, 4, &big(3), 20);
        let last = first[19];
        let init = if fault == "init" { 4 } else { 3 };
        let middle = m.register("middle", Type::Bits(4), big(init), "");
        m.connect(middle.d, last);
        if fault == "condition" {
            let on = m.read(on);
            m.if_(on, |m| m.connect(middle.d, d));
        }
        let second = row(&mut m, "second", middle.q, 4, &big(3), 20);
        m.connect(q, second[19]);
        m.connect(tap, if fault == "read" { last } else { d });
        let plain = Design::from(m.finish());
        let other = plain.with_delay_memories(32);
        let expected = if fault == "none" { (1 + 41 % 16, 1) } else { (41, 0) };
        assert_eq!(cells(&other), expected, "{fault}");
        same_outputs(&mut random, &plain, &other);
    }
}

/// The first place may take any expression, and branches of the body may read the last one.
#[test]
fn the_ends_of_a_row_may_be_part_of_any_statement() {
    let mut random = TestRandom(8);
    let mut m = Builder::new("counter", "");
    let (on, start) = (m.input("on", Type::BIT, ""), m.input("start", Type::Bits(6), ""));
    let y = m.output("y", Type::Bits(6), "");
    let first = m.register("state[0]", Type::Bits(6), 9u8, "");
    let rest = row(&mut m, "state_", first.q, 6, &big(9), 63);
    let now = rest[62];
    m.connect(first.d, now);
    m.connect(y, now);
    let taken = m.read(on);
    m.if_else(
        taken,
        |m| {
            let (a, b) = (m.read(now), m.read(start));
            let sum = m.binary(BinaryOp::Add, a, b);
            m.assign(first.d, sum);
        },
        |m| {
            let a = m.read(now);
            let bit = m.slice(a, 0, 1);
            m.assign_slice(first.d, 5, bit);
        },
    );
    let plain = Design::from(m.finish());
    let other = plain.with_delay_memories(32);
    assert_eq!(cells(&other), (1, 1));
    same_outputs(&mut random, &plain, &other);
}

//! Tests of registers, memories and the clock.

use crate::common::generator::circuit;
use crate::common::{big, design, ByName, TestBuilder, TestRandom};
use lockstep::design::*;
use lockstep::eval::Evaluator;
use std::collections::HashSet;

/// Counts up from 250 while enabled.
fn counter() -> TestBuilder {
    let mut m = TestBuilder::new("counter");
    let enable = m.input("enable", 1);
    let count = m.output("count", 8);
    let (d, q) = m.register("count.reg", 8, 250);
    let (cond, otherwise, one) = (m.read(enable), m.read(q), m.constant(1, 8));
    let then = m.binary(BinaryOp::Add, otherwise, one);
    let mux = ExprOp::Mux { cond, then, otherwise };
    let next = m.expr(mux, 8);
    m.drive(d, next);
    m.connect(count, q);
    m
}

#[test]
fn a_register_starts_as_init_and_follows_at_the_edge() {
    let mut evaluator = counter().evaluator();
    assert_eq!(evaluator.at("count"), 250);
    evaluator.put("enable", 1);
    evaluator.settle();
    assert_eq!(evaluator.at("count"), 250, "no edge yet");
    let seen: Vec<u64> = (0..8)
        .map(|_| {
            evaluator.clock();
            evaluator.at("count")
        })
        .collect();
    assert_eq!(seen, [251, 252, 253, 254, 255, 0, 1, 2]);
    assert_eq!(evaluator.at("count.reg.d"), 3, "nets follow the registers");
    evaluator.put("enable", 0);
    evaluator.clock();
    assert_eq!(evaluator.at("count"), 2, "the edge sees the new input");
    evaluator.reset();
    assert_eq!(evaluator.at("count"), 250);
}

#[test]
fn registers_change_at_once() {
    let mut m = TestBuilder::new("swap");
    let (d0, q0) = m.register("r0", 100, 1);
    let (d1, q1) = m.register("r1", 100, 2);
    m.connect(d0, q1);
    m.connect(d1, q0);
    let mut evaluator = m.evaluator();
    for expected in [(2, 1), (1, 2)] {
        evaluator.clock();
        let (r0, r1) = (evaluator.at_big("r0.q"), evaluator.at_big("r1.q"));
        assert_eq!((r0, r1), (big(expected.0), big(expected.1)));
    }
}

/// Makes a memory with all its pins as ports.
fn memory(width: u32, write: bool, init: Vec<u64>) -> TestBuilder {
    let mut m = TestBuilder::new("memory");
    let pins = |m: &mut TestBuilder, name: &str, width| {
        let port = m.input(name, width);
        let pin = m.signal(&format!("ram.{name}"), width, SignalKind::PinIn);
        m.connect(pin, port);
        pin
    };
    let read_address = pins(&mut m, "read_address", 3);
    let write = write.then(|| WritePort {
        address: pins(&mut m, "address", 3),
        data: pins(&mut m, "data", width),
        enable: pins(&mut m, "enable", 1),
        disjoint: false,
    });
    let read_data = m.signal("ram.read_data", width, SignalKind::PinOut);
    let out = m.output("out", width);
    m.connect(out, read_data);
    m.cell(
        "ram",
        CellKind::Memory {
            read_address,
            read_data,
            asynchronous: false,
            write,
            init: init.into_iter().map(big).collect(),
        },
    );
    m
}

#[test]
fn an_asynchronous_read_port_shows_the_word_at_its_address() {
    for width in [8, 64, 65, 200] {
        let mut m = memory(width, true, vec![10, 11, 12]);
        let CellKind::Memory { asynchronous, .. } = &mut m.module.cells[0].kind else {
            unreachable!("its only cell")
        };
        *asynchronous = true;
        let mut evaluator = m.evaluator();
        let high = big(1) << (width - 1);
        assert_eq!(evaluator.at_big("out"), big(10));
        evaluator.put("read_address", 2);
        evaluator.put("address", 2);
        evaluator.put_big("data", &(&high + 5u8));
        evaluator.put("enable", 1);
        evaluator.settle();
        assert_eq!(evaluator.at_big("out"), big(12), "no edge yet");
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), &high + 5u8, "the edge writes");
        evaluator.put("read_address", 7);
        evaluator.settle();
        assert_eq!(evaluator.at_big("out"), big(0), "not initialised");
        evaluator.reset();
        evaluator.put("read_address", 2);
        evaluator.settle();
        assert_eq!(evaluator.at_big("out"), big(12), "the initial word again");
    }
}

#[test]
fn a_memory_reads_the_word_before_the_edge() {
    for width in [8, 64, 65, 200] {
        let mut evaluator = memory(width, true, vec![10, 11, 12]).evaluator();
        let high = big(1) << (width - 1);
        assert_eq!(evaluator.at_big("out"), big(0), "nothing read yet");
        evaluator.put("read_address", 2);
        evaluator.put("address", 2);
        evaluator.put_big("data", &(&high + 5u8));
        evaluator.put("enable", 1);
        evaluator.settle();
        assert_eq!(evaluator.at_big("out"), big(0), "reading takes an edge");
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), big(12), "the old word");
        evaluator.put("enable", 0);
        evaluator.put("data", 99);
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), &high + 5u8, "the new word");
        assert_eq!(evaluator.memory_word(0, 2), &high + 5u8);
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), &high + 5u8, "no write without enable");
        evaluator.put("read_address", 7);
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), big(0), "not initialised");
        evaluator.put("read_address", 1);
        evaluator.clock();
        assert_eq!(evaluator.at_big("out"), big(11), "the neighbour is untouched");
        evaluator.put("address", 6);
        evaluator.put("enable", 1);
        evaluator.clock();
        assert_eq!(evaluator.memory_word(0, 6), big(99));
        evaluator.reset();
        assert_eq!(evaluator.memory_word(0, 6), big(0));
        assert_eq!(evaluator.at_big("out"), big(0));
        assert_eq!(evaluator.memory_word(0, 2), big(12));
    }
}

/// Runs a memory declared `disjoint` that reads and writes these words in one clock cycle.
fn disjoint(read: u64, written: u64) {
    let mut m = memory(8, true, vec![]);
    if let CellKind::Memory { write: Some(write), .. } = &mut m.module.cells[0].kind {
        write.disjoint = true;
    }
    let mut evaluator = m.evaluator();
    evaluator.put("read_address", read);
    evaluator.put("address", written);
    // No word is written in this clock cycle, so the promise holds.
    evaluator.clock();
    evaluator.put("enable", 1);
    evaluator.clock();
}

#[test]
fn a_disjoint_memory_accepts_different_addresses() {
    disjoint(3, 4);
}

#[test]
#[should_panic(expected = "word 3 is read and written in one clock cycle")]
fn a_disjoint_memory_rejects_equal_addresses() {
    disjoint(3, 3);
}

#[test]
fn a_read_only_memory() {
    let words: Vec<u64> = (0..8).map(|i| i * i).collect();
    let mut evaluator = memory(16, false, words.clone()).evaluator();
    for (address, word) in words.into_iter().enumerate() {
        evaluator.put("read_address", address as u64);
        evaluator.clock();
        assert_eq!(evaluator.at("out"), word);
    }
}

/// A memory is written at the address in a register. The edge increments the register and writes at
/// its old value.
#[test]
fn pins_of_a_memory_are_read_before_registers_change() {
    let mut m = TestBuilder::new("log");
    let (d, q) = m.register("pointer", 3, 0);
    let value = m.read(q);
    let one = m.constant(1, 3);
    let next = m.binary(BinaryOp::Add, value, one);
    m.drive(d, next);
    let mut pin = |name: &str, width, value| {
        let pin = m.signal(name, width, SignalKind::PinIn);
        m.drive(pin, value);
        pin
    };
    let (read_address, address, data) =
        (pin("ra", 3, value), pin("wa", 3, value), pin("wd", 3, value));
    let on = m.constant(1, 1);
    let enable = m.signal("we", 1, SignalKind::PinIn);
    m.drive(enable, on);
    let read_data = m.signal("rd", 3, SignalKind::PinOut);
    let write = WritePort { address, data, enable, disjoint: false };
    m.cell(
        "ram",
        CellKind::Memory {
            read_address,
            read_data,
            asynchronous: false,
            write: Some(write),
            init: vec![],
        },
    );
    let mut evaluator = m.evaluator();
    for _ in 0..8 {
        evaluator.clock();
    }
    for address in 0..8 {
        assert_eq!(evaluator.memory_word(0, address), big(address as u64));
    }
}

#[test]
#[should_panic(expected = "0x2 doesn't fit the input enable, which has 1 bits")]
fn a_value_that_is_too_wide() {
    counter().evaluator().put("enable", 2);
}

#[test]
#[should_panic(expected = "0x10000000000000000 doesn't fit the input a, which has 64 bits")]
fn a_big_value_that_is_too_wide() {
    let mut m = TestBuilder::new("wire");
    m.input("a", 64);
    m.evaluator().put_big("a", &(big(1) << 64));
}

#[test]
#[should_panic(expected = "count is not an input, only inputs can be set")]
fn only_inputs_can_be_set() {
    let mut evaluator = counter().evaluator();
    let count = evaluator.netlist().output("count").unwrap();
    evaluator.set(count, 1);
}

#[test]
#[should_panic(expected = "a has 65 bits, more than 64: use get_big")]
fn a_wide_net_as_one_word() {
    let mut m = TestBuilder::new("wire");
    m.input("a", 65);
    m.evaluator().at("a");
}

// A circuit with a disabled clock behaves like the original circuit without that clock edge.

/// Returns the names of all signals that both circuits have.
fn shared_names(one: &Evaluator, other: &Evaluator) -> Vec<String> {
    let of = |evaluator: &Evaluator| -> HashSet<String> {
        let netlist = evaluator.netlist();
        netlist.names.iter().map(|n| n.path.clone()).collect()
    };
    of(one).intersection(&of(other)).cloned().collect()
}

/// The inputs of registers and memories differ because they are held there.
fn is_pin_of_a_cell(name: &str) -> bool {
    let (_, pin) = name.rsplit_once('.').unwrap_or(("", name));
    ["d", "we"].contains(&pin)
}

/// Makes a design with two instances of a random circuit.
fn nested(random: &mut TestRandom) -> Design {
    let child = circuit(random);
    let mut m = TestBuilder::new("top");
    for i in 0..2 {
        let pins = m.instance(&format!("part[{i}]"), 0, &child);
        let ports: Vec<DesignSignal> = child.ports().map(|(_, port)| port.clone()).collect();
        for (pin, port) in pins.into_iter().zip(ports) {
            let name = format!("{}_{i}", port.name);
            match port.kind {
                SignalKind::Input => {
                    let outside = m.input(&name, port.width());
                    m.connect(pin, outside);
                }
                _ => {
                    let outside = m.output(&name, port.width());
                    m.connect(outside, pin);
                }
            }
        }
    }
    design(vec![child, m.module])
}

#[test]
fn a_low_clock_enable_keeps_all_state() {
    let mut random = TestRandom(11);
    for round in 0..60 {
        let plain = nested(&mut random);
        let mut held = crate::common::evaluator(&plain.with_clock_enable("on"));
        let mut expected = crate::common::evaluator(&plain);
        let names = shared_names(&held, &expected);
        assert!(names.iter().any(|name| name.ends_with("ram.rd")));
        for clock in 0..40 {
            let ports = plain.top().ports();
            for (_, port) in ports.filter(|(_, p)| p.kind == SignalKind::Input) {
                let value = random.word(port.width());
                held.put_big(&port.name, &value);
                expected.put_big(&port.name, &value);
            }
            let on = random.below(3) > 0;
            held.put("on", on.into());
            held.settle();
            expected.settle();
            for name in names.iter().filter(|name| !is_pin_of_a_cell(name)) {
                let (seen, due) = (held.at_big(name), expected.at_big(name));
                assert_eq!(seen, due, "round {round}, clock cycle {clock}: {name}");
            }
            held.clock();
            if on {
                expected.clock();
            }
        }
    }
}

#[test]
#[should_panic(expected = "a circuit without state")]
fn clock_enable_rejects_a_circuit_without_state() {
    let mut m = TestBuilder::new("wire");
    let (a, y) = (m.input("a", 1), m.output("y", 1));
    m.connect(y, a);
    let _ = design(vec![m.module]).with_clock_enable("on");
}

//! Tests of the host's access to a machine: setting, reading, stopping, and the errors for missing
//! items.

use crate::common::{big, TestBuilder};
use lockstep::design::*;
use lockstep::eval::Evaluator;
use lockstep::lanes::{
    Backend, InputSource, Keep, LaneMachine, LaneMap, LaneOptions, LaneWiring, LanesError,
};
use lockstep::netlist::{flatten, Netlist};

/// Counter for the tests. `count` goes up by `step` while `enable` is set. `full` is set when
/// `count` is at least 200. `seen` is the `full` of another lane in the previous clock cycle.
fn counter() -> Netlist {
    let mut m = TestBuilder::new("counter");
    let (enable, step) = (m.input("enable", 1), m.input("step", 8));
    let other = m.input("other", 1);
    let outputs = ["full", "seen"].map(|name| m.output(name, 1));
    let count = m.output("count", 8);
    let inner = m.local("inner", 8);
    let (d, q) = m.register("count.reg", 8, 3);
    let (seen_d, seen_q) = m.register("seen.reg", 1, 0);
    let (was, by) = (m.read(q), m.read(step));
    let then = m.binary(BinaryOp::Add, was, by);
    m.drive(inner, then);
    let (cond, otherwise) = (m.read(enable), m.read(q));
    let mux = ExprOp::Mux { cond, then, otherwise };
    let next = m.expr(mux, 8);
    m.drive(d, next);
    m.connect(count, q);
    m.connect(seen_d, other);
    m.connect(outputs[1], seen_q);
    let (now, limit) = (m.read(q), m.constant(200, 8));
    let full = m.binary(BinaryOp::Ge, now, limit);
    m.drive(outputs[0], full);
    flatten(&m.design()).unwrap()
}

fn ring(lanes: usize) -> LaneWiring {
    let mut wiring = LaneWiring::new();
    let before = LaneMap::from_fn(lanes, |lane| (lane + lanes - 1) % lanes);
    wiring
        .port("enable", InputSource::Broadcast)
        .port("other", InputSource::linked("full", 0, before));
    wiring
}

fn machine(lanes: usize, options: &LaneOptions) -> LaneMachine {
    LaneMachine::new(counter(), lanes, &ring(lanes), options).unwrap()
}

fn error(wiring: &LaneWiring) -> String {
    let machine = LaneMachine::new(counter(), 8, wiring, &LaneOptions::default());
    machine.expect_err("a mistake").to_string()
}

/// There are more threads than processors, so some are always behind the others. A thread must
/// ignore a stop condition that others found in a later phase.
#[test]
fn all_threads_stop_in_the_same_clock_cycle() {
    let options = LaneOptions { threads: 8, ..LaneOptions::default() };
    let mut machine = machine(4_096, &options);
    let [enable, step] = ["enable", "step"].map(|name| machine.input(name).unwrap());
    let full = machine.probe("full").unwrap();
    machine.set_all(enable, 1).unwrap();
    machine.set_all(step, 8).unwrap();
    let watch = machine.stop_condition(&[full]).unwrap();
    // `count` goes up by 8 from 3. It is full from 203 to 251, and then 3 again.
    for round in 0..30_000 {
        let run = machine.run(1_000, &watch);
        assert_eq!((run.clock_cycles, run.stopped), (25, true), "round {round}");
        machine.clocks(7);
    }
}

#[test]
fn a_run_stops_before_the_clock_edge() {
    for (backend, threads) in [(Backend::Tape, 1), (Backend::Tape, 2), (Backend::Auto, 2)] {
        let options =
            LaneOptions { backend, threads, keep: Keep::Outputs, ..LaneOptions::default() };
        let mut machine = machine(700, &options);
        let inputs = ["enable", "step"].map(|name| machine.input(name).unwrap());
        let [full, seen, count] =
            ["full", "seen", "count"].map(|name| machine.probe(name).unwrap());
        machine.set_all(inputs[0], 1).unwrap();
        // Lane 650 is full first: 3 + 33 * 6 = 201.
        machine.set_all(inputs[1], 1).unwrap();
        machine.set(inputs[1], 650, 6).unwrap();
        let watch = machine.stop_condition(&[full]).unwrap();
        let run = machine.run(20, &watch);
        assert_eq!((run.clock_cycles, run.stopped), (20, false));
        let run = machine.run(1_000, &watch);
        assert_eq!((run.clock_cycles, run.stopped), (13, true));
        assert!(machine.holds(&watch));
        assert_eq!((machine.get(count, 650), machine.get(full, 650)), (201, 1));
        assert_eq!((machine.get(count, 649), machine.get(full, 649)), (36, 0));
        assert_eq!(machine.run(1_000, &watch).clock_cycles, 0, "it holds already");
        assert_eq!(machine.get(seen, 651), 0, "not yet");
        machine.clock();
        assert_eq!((machine.get(seen, 651), machine.get(seen, 650)), (1, 0));
        machine.reset();
        assert_eq!((machine.get(count, 650), machine.get(seen, 651)), (3, 0));
        machine.clocks(2);
        assert_eq!(machine.get(count, 650), 15, "the inputs are as they were");
    }
}

#[test]
fn planes_are_bits_of_all_lanes() {
    let lanes = 300;
    let mut machine = machine(lanes, &LaneOptions::default());
    let (enable, step) = (machine.input("enable").unwrap(), machine.input("step").unwrap());
    let (count, full) = (machine.probe("count").unwrap(), machine.probe("full").unwrap());
    assert_eq!(machine.words(), 5);
    machine.set_all(enable, 1).unwrap();
    let odd = [0xAAAA_AAAA_AAAA_AAAAu64; 5];
    machine.set_plane(step, 0, &odd).unwrap();
    machine.clock();
    let mut plane = [0; 5];
    // Even lanes have 3, odd lanes have 4.
    machine.plane(count, 2, &mut plane).unwrap();
    assert_eq!(plane[..4], odd[..4]);
    assert_eq!(plane[4], odd[4] & ((1 << 44) - 1), "no bits beyond the last lane");
    machine.plane(full, 0, &mut plane).unwrap();
    assert_eq!(plane, [0; 5]);
    let mut values = vec![7];
    machine.get_all(count, &mut values);
    let wanted: Vec<u64> = (0..300).map(|lane| 3 + lane % 2).collect();
    assert_eq!(values, wanted);
    machine.get_all(full, &mut values);
    assert_eq!(values, [0; 300]);
    let errors = [
        machine.plane(count, 8, &mut plane),
        machine.plane(count, 0, &mut plane[1..]),
        machine.set_plane(step, 9, &odd),
        machine.set_plane(step, 0, &odd[1..]),
        machine.set_plane(enable, 0, &odd),
    ];
    let texts = errors.map(|error| error.unwrap_err().to_string());
    assert_eq!(
        texts,
        [
            "`count` has no bit 8; it has 8 bits",
            "4 words for a bit of 300 lanes; accepted: 5 words",
            "`step` has no bit 9; it has 8 bits",
            "4 words for a bit of 300 lanes; accepted: 5 words",
            "bit 0 of the input `enable` is broadcast, so it can't be set in one lane",
        ]
    );
}

#[test]
fn nonzero_lists_lanes_in_ascending_order() {
    let lanes = 300;
    let mut machine = machine(lanes, &LaneOptions::default());
    let [enable, step] = ["enable", "step"].map(|name| machine.input(name).unwrap());
    let [full, count] = ["full", "count"].map(|name| machine.probe(name).unwrap());
    let mut found = vec![7];
    machine.nonzero(full, &mut found);
    assert_eq!(found, []);
    // All lanes count from 3. Two are full at 3 + 250, and two are zero at 3 + 253.
    machine.set_all(enable, 1).unwrap();
    machine.set_all(step, 1).unwrap();
    for (lane, by) in [(63, 250), (299, 250), (64, 253), (130, 253)] {
        machine.set(step, lane, by).unwrap();
    }
    machine.clock();
    machine.nonzero(full, &mut found);
    assert_eq!(found, [63, 299]);
    machine.nonzero(count, &mut found);
    let all_but = (0..lanes).filter(|lane| ![64, 130].contains(lane));
    assert_eq!(found, all_but.collect::<Vec<_>>());
}

#[test]
fn a_helper_runs_once_for_all_lanes() {
    let lanes = 600;
    let mut wiring = ring(lanes);
    wiring
        .helper(counter())
        .port("enable", InputSource::helper("full"))
        .port("step", InputSource::Constant(big(1)));
    for threads in [1, 2] {
        let options = LaneOptions { threads, ..LaneOptions::default() };
        let mut machine = LaneMachine::new(counter(), lanes, &wiring, &options).unwrap();
        let mut helper = Evaluator::new(counter());
        for (name, value) in [("enable", 1), ("step", 50)] {
            machine.set_helper(name, value).unwrap();
            helper.set(helper.netlist().input(name).unwrap(), value);
        }
        helper.settle();
        let count = machine.probe("count").unwrap();
        let full = helper.netlist().output("full").unwrap();
        let mut expected = 3;
        for _ in 0..30 {
            assert_eq!(machine.get(count, 599), expected);
            assert_eq!(machine.helper_signal("full").unwrap(), big(helper.get(full)));
            expected += helper.get(full);
            helper.clock();
            machine.clock();
        }
        assert!(expected > 5, "the helper was full more than once");
        machine.reset();
        machine.clocks(30);
        assert_eq!(machine.get(count, 0), expected, "the same in one go");
    }
}

#[test]
fn wiring_errors_are_reported() {
    let wire = |port: &str, source: InputSource| {
        let mut wiring = LaneWiring::new();
        wiring.port(port, source);
        error(&wiring)
    };
    let swap = LaneMap::Xor(1);
    assert_eq!(wire("enabel", InputSource::Broadcast), "the circuit has no input `enabel`");
    assert_eq!(
        wire("other", InputSource::linked("ful", 0, swap.clone())),
        "the circuit has no output `ful`"
    );
    assert_eq!(
        wire("other", InputSource::linked("count", 8, swap)),
        "`count` has no bit 8; it has 8 bits"
    );
    assert_eq!(
        wire("step", InputSource::Constant(big(256))),
        "0x100 doesn't fit `step`, which has 8 bits"
    );
    assert_eq!(
        wire("other", InputSource::linked("full", 0, LaneMap::Xor(8))),
        "lane 0 takes its input from lane 8; accepted: lanes below 8"
    );
    let short = LaneMap::from_fn(7, |lane| lane);
    assert_eq!(
        wire("other", InputSource::linked("full", 0, short)),
        "the table has 7 lanes; accepted: 8, as in the machine"
    );
    assert_eq!(wire("other", InputSource::helper("full")), "the machine has no helper circuit");
    let mut wiring = LaneWiring::new();
    wiring.bit("step", 8, InputSource::Broadcast);
    assert_eq!(error(&wiring), "`step` has no bit 8; it has 8 bits");
    for lanes in [0, 1, 65_537] {
        let machine =
            LaneMachine::new(counter(), lanes, &LaneWiring::new(), &LaneOptions::default());
        assert_eq!(machine.err(), Some(LanesError::Lanes(lanes)));
    }
}

#[test]
fn combinational_links_are_rejected() {
    let mut m = TestBuilder::new("wire");
    let (a, b) = (m.input("a", 2), m.output("b", 2));
    m.connect(b, a);
    let netlist = flatten(&m.design()).unwrap();
    let mut wiring = LaneWiring::new();
    wiring.bit("a", 1, InputSource::linked("b", 1, LaneMap::Xor(1)));
    let machine = LaneMachine::new(netlist.clone(), 2, &wiring, &LaneOptions::default());
    assert_eq!(
        machine.unwrap_err().to_string(),
        "bit 1 of the output `b` is linked to other lanes and depends on the linked input `a` \
         without a register in between"
    );
    // Bit 0 does not depend on a linked input.
    let mut wiring = LaneWiring::new();
    wiring.bit("a", 1, InputSource::linked("b", 0, LaneMap::Xor(1)));
    let mut machine = LaneMachine::new(netlist, 2, &wiring, &LaneOptions::default()).unwrap();
    let (a, b) = (machine.input("a").unwrap(), machine.probe("b").unwrap());
    machine.set_plane(a, 0, &[0b10]).unwrap();
    assert_eq!([0, 1].map(|lane| machine.get(b, lane)), [0b10, 0b01]);
    machine.set_plane(a, 0, &[0b01]).unwrap();
    assert_eq!([0, 1].map(|lane| machine.get(b, lane)), [0b01, 0b10]);
}

#[test]
fn host_errors_are_reported() {
    let mut machine = machine(8, &LaneOptions::default());
    let [enable, step, other] = ["enable", "step", "other"].map(|i| machine.input(i).unwrap());
    let errors = [
        machine.set(step, 0, 256),
        machine.set_all(enable, 2),
        machine.set(enable, 0, 1),
        machine.set_all(other, 1),
        machine.set_helper("x", 1),
        machine.input("count").map(|_| ()),
        machine.probe("inner").map(|_| ()),
        machine.probe("outer").map(|_| ()),
        machine.memory("ram").map(|_| ()),
        machine.memory_word(0, 0, 0).map(|_| ()),
    ];
    let texts = errors.map(|error| error.unwrap_err().to_string());
    assert_eq!(
        texts,
        [
            "0x100 doesn't fit `step`, which has 8 bits",
            "0x2 doesn't fit `enable`, which has 1 bits",
            "bit 0 of the input `enable` is broadcast, so it can't be set in one lane",
            "bit 0 of the input `other` is linked to another lane, so it can't be set in all lanes",
            "the machine has no helper circuit",
            "the circuit has no input `count`",
            "`inner` is not kept; kept signals are `full`, `seen`, `count`, `count.reg.q`, `seen.reg.q`, \
             and those that `LaneOptions::keep` names, all of them with `Keep::All`",
            "the circuit has no signal `outer`; similar names are `other` (not kept), \
             `count.reg.d` (not kept), `count.reg.q`, `step` (not kept), `count`",
            "the circuit has no memory `ram`",
            "the circuit has no memory `number 0`",
        ]
    );
    let options = LaneOptions { keep: Keep::Named(vec!["inner".into()]), ..LaneOptions::default() };
    let mut machine = LaneMachine::new(counter(), 8, &ring(8), &options).unwrap();
    let inner = machine.probe("inner").unwrap();
    let step = machine.input("step").unwrap();
    machine.set(step, 5, 40).unwrap();
    assert_eq!([4, 5].map(|lane| machine.get(inner, lane)), [3, 43]);
}

/// Read port of a [`store`].
#[derive(Clone, Copy, PartialEq)]
enum ReadKind {
    Clocked,
    /// The address is a register that starts as 1.
    AtRegister,
    /// The address is the input.
    AtInput,
}

/// Makes a memory whose word at `address` is `out`. The memory is read-only or has an unused write
/// port.
fn store(writes: bool, read: ReadKind, bits: u32) -> Netlist {
    let mut m = TestBuilder::new("store");
    let (address, out) = (m.input("address", bits), m.output("out", 70));
    let read_address = m.signal("ra", bits, SignalKind::PinIn);
    let read_data = m.signal("rd", 70, SignalKind::PinOut);
    let asynchronous = read != ReadKind::Clocked;
    match read {
        ReadKind::AtRegister => {
            let (d, q) = m.register("held", bits, 1);
            m.connect(d, address);
            m.connect(read_address, q);
        }
        _ => m.connect(read_address, address),
    }
    m.connect(out, read_data);
    let mut idle = |name: &str, width| {
        let pin = m.signal(name, width, SignalKind::PinIn);
        let zero = m.constant(0, width);
        m.drive(pin, zero);
        pin
    };
    let write = writes.then(|| WritePort {
        address: idle("wa", bits),
        data: idle("wd", 70),
        enable: idle("we", 1),
        disjoint: false,
    });
    let kind = CellKind::Memory {
        read_address,
        read_data,
        asynchronous,
        write,
        init: vec![big(7), big(8)],
    };
    m.cell("words", kind);
    flatten(&m.design()).unwrap()
}

#[test]
fn the_host_sets_words_of_memories() {
    let lanes = 530;
    let wide = (big(1) << 69) + 5u8;
    for backend in [Backend::Tape, Backend::Auto] {
        for writes in [true, false] {
            let options = LaneOptions { backend, ..LaneOptions::default() };
            let mut machine = LaneMachine::new(
                store(writes, ReadKind::Clocked, 3),
                lanes,
                &LaneWiring::new(),
                &options,
            )
            .unwrap();
            let (address, out) = (machine.input("address").unwrap(), machine.probe("out").unwrap());
            let words = machine.memory("words").unwrap();
            machine.set_all(address, 1).unwrap();
            machine.clocks(3);
            assert_eq!(machine.get_big(out, 529), big(8));
            machine.set_memory_word_all(words, 1, &big(9)).unwrap();
            let one = machine.set_memory_word(words, 529, 1, &wide);
            assert_eq!(machine.get_big(out, 529), big(8), "it is read at the clock edge");
            machine.clock();
            let expected = match writes {
                true => [big(9), wide.clone()],
                false => [big(9), big(9)],
            };
            assert_eq!([0, 529].map(|lane| machine.get_big(out, lane)), expected);
            let word = |lane| machine.memory_word(words, lane, 1).unwrap();
            assert_eq!([0, 529].map(word), expected);
            match writes {
                true => assert_eq!(one, Ok(())),
                false => assert_eq!(
                    one.unwrap_err().to_string(),
                    "memory `words` is shared by all lanes and cannot be written in one"
                ),
            }
            let errors = [
                machine.set_memory_word_all(words, 8, &big(0)),
                machine.set_memory_word_all(words, 0, &(big(1) << 70)),
            ];
            assert_eq!(
                errors.map(|error| error.unwrap_err().to_string()),
                [
                    "memory `words` has no word 8; it has 8 words",
                    "0x400000000000000000 doesn't fit `words`, which has 70 bits",
                ]
            );
        }
    }
}

#[test]
fn an_asynchronous_read_port_shows_the_word_that_the_host_sets() {
    let lanes = 530;
    let wide = (big(1) << 69) + 5u8;
    for backend in [Backend::Tape, Backend::Auto] {
        for (writes, read) in [
            (true, ReadKind::AtRegister),
            (false, ReadKind::AtRegister),
            (true, ReadKind::AtInput),
            (false, ReadKind::AtInput),
        ] {
            let options = LaneOptions { backend, ..LaneOptions::default() };
            let netlist = store(writes, read, 3);
            let mut machine =
                LaneMachine::new(netlist, lanes, &LaneWiring::new(), &options).unwrap();
            let (address, out) = (machine.input("address").unwrap(), machine.probe("out").unwrap());
            let words = machine.memory("words").unwrap();
            let first = if read == ReadKind::AtInput { 7 } else { 8 };
            assert_eq!(machine.get_big(out, 529), big(first), "the initial word");
            machine.set_all(address, 1).unwrap();
            machine.clock();
            assert_eq!(machine.get_big(out, 529), big(8));
            machine.set_memory_word_all(words, 1, &big(9)).unwrap();
            assert_eq!([0, 529].map(|lane| machine.get_big(out, lane)), [big(9), big(9)]);
            if machine.set_memory_word(words, 529, 1, &wide).is_ok() {
                let expected = [big(9), wide.clone()];
                assert_eq!([0, 529].map(|lane| machine.get_big(out, lane)), expected);
                let word = |lane| machine.memory_word(words, lane, 1).unwrap();
                assert_eq!([0, 529].map(word), expected);
            } else {
                assert!(!writes && read == ReadKind::AtRegister, "the lanes share it");
            }
            machine.set_all(address, 0).unwrap();
            machine.clock();
            assert_eq!(machine.get_big(out, 529), big(7));
            machine.reset();
            machine.set_all(address, 1).unwrap();
            assert_eq!(machine.get_big(out, 529), big(8), "the initial word again");
        }
    }
}

/// Makes two memories of equal words, which are the outputs `a` and `b` at the input `address`.
fn equal_stores(writes: bool) -> Netlist {
    let mut m = TestBuilder::new("stores");
    let address = m.input("address", 2);
    for name in ["a", "b"] {
        let out = m.output(name, 8);
        let read_address = m.signal(&format!("{name}.ra"), 2, SignalKind::PinIn);
        let read_data = m.signal(&format!("{name}.rd"), 8, SignalKind::PinOut);
        m.connect(read_address, address);
        m.connect(out, read_data);
        let mut idle = |pin: &str, width| {
            let pin = m.signal(&format!("{name}.{pin}"), width, SignalKind::PinIn);
            let zero = m.constant(0, width);
            m.drive(pin, zero);
            pin
        };
        let write = writes.then(|| WritePort {
            address: idle("wa", 2),
            data: idle("wd", 8),
            enable: idle("we", 1),
            disjoint: false,
        });
        let kind = CellKind::Memory {
            read_address,
            read_data,
            asynchronous: true,
            write,
            init: vec![big(7), big(8)],
        };
        m.cell(&format!("{name}.words"), kind);
    }
    flatten(&m.design()).unwrap()
}

/// The host sets the words of one memory and not of another with the same words and writes. Only
/// copies of one memory are set together.
#[test]
fn only_copies_of_a_memory_share_words() {
    for (writes, are_copies) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut netlist = equal_stores(writes);
        assert_eq!(netlist.memories[0].write, netlist.memories[1].write);
        if are_copies {
            for memory in &mut netlist.memories {
                memory.copy_of = Some("words".into());
            }
        }
        let options = LaneOptions::default();
        let mut machine = LaneMachine::new(netlist, 8, &LaneWiring::new(), &options).unwrap();
        let address = machine.input("address").unwrap();
        let [a, b] = ["a", "b"].map(|name| machine.probe(name).unwrap());
        let words = machine.memory("a.words").unwrap();
        machine.set_all(address, 1).unwrap();
        machine.set_memory_word_all(words, 1, &big(9)).unwrap();
        machine.set_memory_word(words, 5, 1, &big(10)).unwrap();
        let found = [4, 5].map(|lane| [a, b].map(|probe| machine.get(probe, lane)));
        let expected = match are_copies {
            true => [[9, 9], [10, 10]],
            false => [[9, 8], [10, 8]],
        };
        assert_eq!(found, expected, "writes {writes}, copies {are_copies}");
    }
}

#[test]
fn a_large_memory_with_an_asynchronous_read_port_needs_an_address_of_registers() {
    let make = |read| {
        let netlist = store(true, read, 10);
        LaneMachine::new(netlist, 8, &LaneWiring::new(), &LaneOptions::default())
    };
    assert!(make(ReadKind::AtRegister).is_ok());
    assert_eq!(
        make(ReadKind::AtInput).unwrap_err().to_string(),
        "the memory `words` has 71680 bits and is read asynchronously at an address that depends on \
         the input `address`; accepted: an address of registers only, or up to 65536 bits; use a \
         memory with a clocked read port"
    );
}

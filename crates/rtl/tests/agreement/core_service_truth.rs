//! The second context of a core starts when it should, the guard finds each wrong access, and the LED
//! shows what was stored last.

use crate::agreement::engines::{self, agree_but, agree_on, put, see};
use crate::agreement::scripts::rarely;
use engine::{CircuitEngine, Stimulus};
use interconnect::traffic::SplitMix64;
use rtl::core::Cause;
use rtl::tdma::{AccessGuard, ContextSwitch, GuardLimits, LedRegister};

/// Returns addresses of the register, of the memories' limits, and a few others.
fn addresses(random: &mut SplitMix64) -> Vec<u64> {
    const EDGES: [u64; 8] =
        [0xFFFF_FF68, 0x4000_0064, 0x4000_0080, 508, 512, 0x1000_003C, 0x1000_0040, 0x1000_0200];
    vec![match random.below(10) {
        0 => random.below(1 << 32),
        _ => EDGES[random.below(8) as usize],
    }]
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn core_services_agree() {
    let switch =
        |stimulus: Stimulus| stimulus.script(&["address"], addresses).script(&["begin"], rarely(6));
    agree_on(|| ContextSwitch::new(Some(3)), switch);
    let constant = ["context", "due", "reads_one"];
    agree_but(|| ContextSwitch::new(None), switch, &constant);
    // The source register of the instruction is often the stack pointer.
    let instructions = |random: &mut SplitMix64| vec![random.below(4) << 15];
    let guard = |stimulus: Stimulus| {
        stimulus.script(&["address"], addresses).script(&["instruction"], instructions)
    };
    agree_on(|| AccessGuard::new(Some(LIMITS), 9), guard);
    agree_but(|| AccessGuard::new(None, 9), guard, &["wrong", "strays"]);
    let led = |stimulus: Stimulus| stimulus.script(&["address"], addresses);
    agree_on(|| LedRegister::new(true), led);
    agree_but(|| LedRegister::new(false), led, &["led"]);
}

/// Passes a clock cycle with these inputs. Returns `due` and `context` before the edge.
fn pass(engine: &mut dyn CircuitEngine, inputs: &[(&str, u64)]) -> (u64, u64) {
    for name in ["begin", "request", "write", "data", "second", "asleep", "stops", "decided"] {
        put(engine, name, 0);
    }
    put(engine, "open", 1);
    put(engine, "address", 0xFFFF_FF64);
    for (name, value) in inputs {
        put(engine, name, *value);
    }
    engine.settle().unwrap();
    let seen = (see(engine, "due"), see(engine, "context"));
    engine.clock().unwrap();
    seen
}

#[test]
fn the_second_context_serves_an_undecided_phase() {
    let mut engine = engines::evaluator(&ContextSwitch::new(Some(3)));
    let engine = &mut *engine;
    // Held back until the program writes 0.
    assert_eq!(pass(engine, &[("begin", 1)]), (0, 0));
    for _ in 0..6 {
        assert_eq!(pass(engine, &[]), (0, 0));
    }
    let release = [("request", 1), ("write", 1)];
    let other = [("request", 1), ("write", 1), ("address", 0xFFFF_FF60)];
    pass(engine, &other);
    assert_eq!(pass(engine, &[]), (0, 0));
    pass(engine, &release);
    assert_eq!(pass(engine, &[]), (1, 1));
    // It keeps the core after its decision, until it sleeps.
    let decided = ("decided", 1);
    assert_eq!(pass(engine, &[decided]), (0, 1));
    assert_eq!(pass(engine, &[decided, ("second", 1)]), (0, 1));
    assert_eq!(pass(engine, &[decided, ("second", 1), ("asleep", 1)]), (0, 0));
    assert_eq!(pass(engine, &[decided]), (0, 0));
    // The program has three clock cycles of the next phase, and keeps the core if it decides.
    pass(engine, &[("begin", 1), decided]);
    for _ in 0..3 {
        assert_eq!(pass(engine, &[]), (0, 0));
    }
    assert_eq!(pass(engine, &[("open", 0)]), (0, 0));
    assert_eq!(pass(engine, &[decided]), (0, 0));
    // A stopped core shows the context that stopped.
    pass(engine, &[("stops", 1), decided]);
    assert_eq!(pass(engine, &[("stopped", 1)]), (1, 0));
}

#[test]
fn a_switch_without_a_second_context_stays_in_context_0() {
    let mut engine = engines::evaluator(&ContextSwitch::new(None));
    let engine = &mut *engine;
    let release = [("request", 1), ("write", 1)];
    let stop = [("stops", 1), ("second", 1)];
    for inputs in [&release[..], &[("begin", 1)], &stop, &[("stopped", 1)], &[]] {
        for _ in 0..6 {
            assert_eq!(pass(engine, inputs), (0, 0), "{inputs:?}");
        }
    }
}

#[test]
fn a_context_reads_its_number() {
    let mut engine = engines::evaluator(&ContextSwitch::new(Some(3)));
    let engine = &mut *engine;
    for (second, address, expected) in
        [(0, 0xFFFF_FF64, 0), (1, 0xFFFF_FF64, 1), (1, 0x4000_0064, 1), (1, 0x4000_0060, 0)]
    {
        pass(engine, &[("request", 1), ("second", second), ("address", address)]);
        assert_eq!(see(engine, "reads_one"), expected, "{second} {address:#x}");
    }
}

const LIMITS: GuardLimits = GuardLimits { program: 512, data: 64 };

/// Fetches an instruction, and then loads or stores at this address. Returns the cause if the
/// access is wrong.
fn access(
    engine: &mut dyn CircuitEngine,
    instruction: u64,
    store: u64,
    address: u64,
) -> Option<u64> {
    put(engine, "ends", 0);
    put(engine, "request", 1);
    put(engine, "ready", 1);
    put(engine, "store", 0);
    put(engine, "address", 0);
    engine.settle().unwrap();
    assert_eq!((see(engine, "wrong"), see(engine, "strays")), (0, 0));
    engine.clock().unwrap();
    put(engine, "instruction", instruction);
    put(engine, "store", store);
    put(engine, "address", address);
    put(engine, "ends", 1);
    engine.settle().unwrap();
    let seen = (see(engine, "wrong") == 1).then(|| see(engine, "cause"));
    assert_eq!(see(engine, "strays"), 0);
    engine.clock().unwrap();
    seen
}

#[test]
fn the_guard_finds_each_wrong_access() {
    let mut engine = engines::evaluator(&AccessGuard::new(Some(LIMITS), 9));
    let engine = &mut *engine;
    let (by_a0, by_sp) = (10 << 15, 2 << 15);
    let load = Some(Cause::LoadOutside as u64);
    let store = Some(Cause::StoreOutside as u64);
    let overflow = Some(Cause::StackOverflow as u64);
    for (instruction, stores, address, expected) in [
        (by_a0, 0, 0, None),
        (by_a0, 0, 508, None),
        (by_a0, 0, 512, load),
        (by_a0, 1, 4, store),
        (by_a0, 0, 0x0FFF_FFFC, load),
        (by_a0, 0, 0x1000_0000, None),
        (by_a0, 1, 0x1000_01FC, None),
        (by_a0, 1, 0x1000_0200, store),
        (by_a0, 0, 0x2000_0000, load),
        (by_a0, 1, 0x4000_0000, None),
        (by_a0, 0, 0x4000_007C, None),
        (by_a0, 0, 0x4000_0080, load),
        (by_a0, 1, 0xFFFF_FF54, None),
        (by_a0, 0, 0xFFFF_FF80, load),
        (by_sp, 1, 0x1000_0040, None),
        (by_sp, 1, 0x1000_003C, overflow),
        (by_sp, 0, 0x1000_003C, None),
        (by_sp, 1, 0x0FFF_FFFC, overflow),
        (by_a0, 1, 0x1000_003C, None),
    ] {
        let seen = access(engine, instruction, stores, address);
        assert_eq!(seen, expected, "{instruction:#x} {stores} {address:#x}");
    }
    // The stack of the second context is in the static data.
    put(engine, "second", 1);
    assert_eq!(access(engine, by_sp, 1, 0x1000_003C), None);
    // A fetch outside the program.
    put(engine, "ends", 0);
    for (address, strays) in [(508, 0), (512, 1), (0x1000_0000, 1)] {
        put(engine, "address", address);
        engine.settle().unwrap();
        assert_eq!((see(engine, "strays"), see(engine, "wrong")), (strays, 0));
    }
}

#[test]
fn an_led_shows_the_last_store_to_its_register() {
    for has_led in [true, false] {
        for mut engine in engines::both(|| LedRegister::new(has_led)) {
            let engine = &mut *engine;
            let mut shown = 0;
            for (store, address, data) in [
                (0, 0x4000_0068, 0x12),
                (1, 0x4000_0068, 0xABCD),
                (1, 0x4000_0064, 0x34),
                (1, 0x4000_006C, 0x56),
                (1, 0x4000_0060, 0x78),
                (1, 0xFFFF_FF6A, 0x9A),
                (0, 0xFFFF_FF68, 0xBC),
                (1, 0xFFFF_FF48, 0xDE),
                (1, 0xFFFF_FF68, 0),
            ] {
                put(engine, "store", store);
                put(engine, "address", address);
                put(engine, "write_data", data);
                engine.settle().unwrap();
                assert_eq!(see(engine, "led"), shown, "before {address:#x}");
                engine.clock().unwrap();
                if has_led && store == 1 && address & 0x7C == 0x68 {
                    shown = data & 0xFF;
                }
                assert_eq!(see(engine, "led"), shown, "{address:#x}");
            }
        }
    }
}

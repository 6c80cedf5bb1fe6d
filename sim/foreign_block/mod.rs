//! A block from outside the crates passes through all stages: `examples/your_own_block.rs` is
//! lowered, runs in all engines, and is emitted.

#[allow(dead_code, reason = "the example's `main` is not ours to call")]
#[path = "../../examples/your_own_block.rs"]
mod your_own_block;

use hdl::lower::lower;
use hdl::verilog::emit;
use phasecube::engine::agree::{check_all_outputs_change, compare, trace};
use std::path::Path;
use your_own_block::{engines, show, watch, Pwm, LEVELS};

fn models() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/models"))
}

#[test]
fn all_engines_agree_on_it() {
    let traces = engines(models()).unwrap().map(|mut engine| {
        let trace = trace(&mut *engine, 1, 10_000).unwrap();
        (engine.name(), trace)
    });
    let led = ["led".to_string()];
    let [(first, expected), others @ ..] = &traces;
    check_all_outputs_change(&led, expected).unwrap();
    for (second, found) in others {
        compare(&led, (first, expected), (second, found)).unwrap();
    }
}

/// The level goes up the table step by step and down again. The ROM's word is available one clock
/// cycle after its address. In the first cycle of a period the old level counts, and the LED is
/// then on unless that level is zero.
#[test]
fn the_led_level_rises_and_falls() {
    let up_and_down = (0..8).chain((1..7).rev()).cycle();
    let steps: Vec<usize> = up_and_down.take(60).collect();
    let mut expected = vec![0];
    for pair in steps.windows(2) {
        let [old, new] = [LEVELS[pair[0]], LEVELS[pair[1]]];
        expected.push(usize::from(old > 0) + new.saturating_sub(1) as usize);
    }
    for mut engine in engines(models()).unwrap() {
        let shone = watch(&mut *engine, expected.len()).unwrap();
        assert_eq!(shone, expected, "{}", engine.name());
    }
}

#[test]
fn hold_freezes_the_block() {
    for mut engine in engines(models()).unwrap() {
        watch(&mut *engine, 5).unwrap();
        let hold = engine.port("hold");
        engine.set_u64(hold, 1);
        let shone = watch(&mut *engine, 20).unwrap();
        assert_eq!(shone, vec![LEVELS[5] as usize; 20], "{}", engine.name());
    }
}

#[test]
fn its_verilog_keeps_its_names() {
    let pwm = emit(&lower(&Pwm::default()).unwrap()).to_string();
    for text in ["module pwm", "Pulse-width modulation", "input  wire [4:0] level", "count"] {
        assert!(pwm.contains(text), "no {text:?} in\n{pwm}");
    }
}

#[test]
fn the_example_prints_the_led_and_the_verilog() {
    let text = show(models()).unwrap();
    let full = ["################"; 3].join("  ");
    for part in ["reference", "evaluator", "verilator", &full, "module breathing"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

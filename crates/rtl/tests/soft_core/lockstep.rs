//! The core against the model, turn by turn. Compares the end of the turn, the store, the load,
//! every register and the program counter.

use crate::soft_core::bench::SoftCoreBench;
use crate::soft_core::isa::{encode, find, INSTRUCTIONS, MULTIPLICATIONS};
use crate::soft_core::model::{CoreModel, TurnEnd};
use crate::soft_core::program;
use engine::EvaluatorEngine;
use hdl::lower::{lower, Circuit};
use interconnect::traffic::SplitMix64;
use rtl::core::{MultiplyingCore, SoftCore};
use std::collections::BTreeMap;

/// Turns of one program.
const TURNS: usize = 1500;

/// Counts of the executed cases.
#[derive(Default)]
struct Coverage {
    retired: BTreeMap<&'static str, usize>,
    halted: BTreeMap<u32, usize>,
    asleep: usize,
    taken: usize,
    backward: usize,
}

fn engine<C: Circuit + Default>() -> EvaluatorEngine {
    let design = lower(&C::default()).expect("the core is in the subset");
    EvaluatorEngine::new(&design).expect("the core has no loop")
}

/// Returns the registers of a context of the core, program counter first. The low bits of that word
/// say whether the instruction there is done.
fn registers(engine: &EvaluatorEngine, context: usize) -> Vec<u32> {
    let word = |i| engine.evaluator().memory_word(0, 32 * context + i);
    let words = (0..32).map(|i| u32::try_from(word(i)).expect("a register has 32 bits"));
    let mut registers: Vec<u32> = words.collect();
    let count = registers[0];
    registers[0] = (count & !3).wrapping_add(if count & 2 > 0 { 4 } else { 0 });
    registers
}

/// Expected registers of a context after a turn, program counter first.
struct Expected {
    place: String,
    registers: Vec<u32>,
}

impl Expected {
    fn is(&self, found: &[u32]) {
        for (i, (found, expected)) in found.iter().zip(&self.registers).enumerate() {
            let place = &self.place;
            assert_eq!(found, expected, "{place}: x{i} {found:08X} {expected:08X}");
        }
    }
}

/// Replaces half of the instructions with two registers by those of the M extension, in each of the
/// programs.
fn add_multiplications(programs: &mut [Vec<u32>], random: &mut SplitMix64) {
    for word in programs.iter_mut().flatten() {
        let has_two_registers = *word & 0x7F == 0x33 && find(*word).is_some();
        if has_two_registers && random.below(2) == 0 {
            *word = *word & !0xFE00_0000 | 1 << 25;
        }
    }
}

/// Runs programs on the core `C`, with the M extension if `multiplies`.
fn run<C: Circuit + Default>(
    seed: u64,
    contexts: usize,
    multiplies: bool,
    coverage: &mut Coverage,
) {
    let mut random = SplitMix64::new(seed);
    let mut programs: Vec<Vec<u32>> = (0..contexts).map(|_| program::random(&mut random)).collect();
    if multiplies {
        add_multiplications(&mut programs, &mut random);
    }
    let mut models: Vec<CoreModel> = programs.iter().cloned().map(CoreModel::new).collect();
    models.iter_mut().for_each(|model| model.multiplies = multiplies);
    let mut bench = SoftCoreBench::new(engine::<C>(), programs);
    bench.look = Some(registers);
    let mut left: Option<Expected> = None;
    let mut waits = SplitMix64::new(seed ^ 1);
    // Mostly like a synchronous memory, sometimes immediate, sometimes late.
    bench.latency = Box::new(move || match waits.below(8) {
        0 => 0,
        1 => 1 + waits.below(6),
        _ => 1,
    });
    for turn in 0..TURNS {
        let context = turn % contexts;
        let model = &mut models[context];
        bench.wake[context] = random.below(2) == 0;
        let before = model.pc();
        let expected = model.turn(bench.wake[context]);
        let found = bench.turn((turn + 1) % contexts);
        let place = format!(
            "seed {seed}, turn {turn}, context {context}, {before:#010X}: {:08X}",
            bench.memories[context][(before / 4) as usize % crate::soft_core::model::WORDS]
        );
        assert_eq!(found.context, context, "{place}");
        assert_eq!(found.end, expected, "{place}");
        assert_eq!(found.store, model.memory.store, "{place}");
        assert_eq!(found.load, model.memory.load, "{place}");
        // The results of the previous turn are visible after the first clock cycle of this one.
        if let Some(left) = left.replace(Expected {
            place,
            registers: [model.pc()].into_iter().chain((1..32).map(|i| model.register(i))).collect(),
        }) {
            left.is(&bench.seen);
        }
        match expected {
            TurnEnd::Retired => {
                let name = model.last.expect("it is legal").name;
                *coverage.retired.entry(name).or_default() += 1;
                coverage.taken += usize::from(model.pc() != before.wrapping_add(4));
                coverage.backward += usize::from(model.pc() < before);
            }
            TurnEnd::Asleep => coverage.asleep += 1,
            TurnEnd::Halted(cause) => {
                *coverage.halted.entry(cause).or_default() += 1;
                // Usually replaces the instruction by a valid one, so that a halted context
                // continues.
                if random.below(4) > 0 {
                    let at = (before / 4) as usize % crate::soft_core::model::WORDS;
                    let nop = encode("addi", 0, 0, 0, 0);
                    bench.memories[context][at] = nop;
                    model.memory.words[at] = nop;
                }
            }
        }
    }
    for (model, memory) in models.iter().zip(&bench.memories) {
        assert!(&model.memory.words == memory, "seed {seed}: memories differ");
    }
}

fn covers_everything(coverage: &Coverage) {
    for instruction in INSTRUCTIONS {
        if matches!(instruction.name, "ecall" | "ebreak") {
            continue;
        }
        let count = coverage.retired.get(instruction.name).copied();
        assert!(count.unwrap_or(0) >= 40, "{}: {count:?}", instruction.name);
    }
    for cause in [0, 2, 3, 4, 6, 11] {
        let count = coverage.halted.get(&cause).copied();
        assert!(count.unwrap_or(0) >= 10, "cause {cause}: {count:?}");
    }
    assert!(coverage.asleep >= 40 && coverage.taken >= 1000 && coverage.backward >= 100);
}

#[test]
fn one_context_does_what_the_model_does() {
    let mut coverage = Coverage::default();
    for seed in 0..40 {
        run::<SoftCore<3, 8>>(seed, 1, false, &mut coverage);
    }
    covers_everything(&coverage);
}

/// Eight programs take turns, with one instruction each.
#[test]
fn eight_contexts_do_what_eight_models_do() {
    let mut coverage = Coverage::default();
    for seed in 100..140 {
        run::<SoftCore<3, 8>>(seed, 8, false, &mut coverage);
    }
    covers_everything(&coverage);
}

/// The core with the M extension does everything that the soft core does, and multiplies and divides
/// corner cases, among them zero and the least word.
#[test]
fn the_core_with_multiplication_does_what_the_models_do() {
    let mut coverage = Coverage::default();
    for seed in 200..225 {
        run::<MultiplyingCore<3, 8>>(seed, 1, true, &mut coverage);
        run::<MultiplyingCore<3, 8>>(seed, 8, true, &mut coverage);
    }
    covers_everything(&coverage);
    for instruction in MULTIPLICATIONS {
        let count = coverage.retired.get(instruction.name).copied();
        assert!(count.unwrap_or(0) >= 100, "{}: {count:?}", instruction.name);
    }
}

//! Edge cases by hand: instructions that halt, sleep or do nothing, and legal ones. Also tests the
//! clock cycles of each instruction.

use crate::soft_core::bench::{CoreTurn, SoftCoreBench};
use crate::soft_core::isa::{self, encode, InstructionFormat, INSTRUCTIONS};
use crate::soft_core::model::{TurnEnd, WORDS};
use engine::{CircuitEngine, EvaluatorEngine};
use hdl::lower::lower;
use interconnect::traffic::SplitMix64;
use rtl::core::{Decoder, Immediate, ImmediateFormat, SoftCore};

fn bench(program: &[u32]) -> SoftCoreBench<EvaluatorEngine> {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    let mut memory = program.to_vec();
    memory.resize(WORDS, 0);
    SoftCoreBench::new(EvaluatorEngine::new(&design).unwrap(), vec![memory])
}

fn register(bench: &SoftCoreBench<EvaluatorEngine>, i: usize) -> u32 {
    let word = bench.engine.evaluator().memory_word(0, i);
    word.try_into().unwrap()
}

/// Runs one turn, until its result is in its register.
fn turn(bench: &mut SoftCoreBench<EvaluatorEngine>) -> CoreTurn {
    let turn = bench.turn(0);
    bench.rest();
    turn
}

fn li(r: u32, value: i32) -> u32 {
    encode("addi", r, 0, 0, value)
}

/// An instruction that cannot be executed changes nothing. It is retried in every turn, and
/// executed once it can be.
#[test]
fn every_cause_halts_and_changes_nothing() {
    let causes: [(&str, u32, u32); 12] = [
        ("jalr to an odd half", encode("jalr", 5, 1, 0, 2), 0),
        ("jal to an odd half", encode("jal", 5, 0, 0, 6), 0),
        ("a branch to an odd half", encode("beq", 0, 1, 1, -2), 0),
        ("zeros", 0, 2),
        ("a CSR access", 0xC000_22F3, 2),
        ("mul", 0x0210_82B3, 2),
        ("ebreak", encode("ebreak", 0, 0, 0, 0), 3),
        ("lw from an odd half", encode("lw", 5, 1, 0, 2), 4),
        ("lh from an odd byte", encode("lh", 5, 1, 0, -1), 4),
        ("sw to an odd byte", encode("sw", 0, 1, 2, 1), 6),
        ("sh to an odd byte", encode("sh", 0, 1, 2, 3), 6),
        ("ecall", encode("ecall", 0, 0, 0, 0), 11),
    ];
    for (what, word, cause) in causes {
        let mut bench = bench(&[li(1, 0x100), li(5, 7), word, li(6, 1)]);
        for _ in 0..2 {
            assert_eq!(turn(&mut bench).end, TurnEnd::Retired, "{what}");
        }
        for _ in 0..3 {
            let turn = bench.turn(0);
            assert_eq!(turn.end, TurnEnd::Halted(cause), "{what}");
            assert_eq!(bench.halted_at(), [8, word], "{what}");
            assert_eq!((turn.load, turn.store), (None, None), "{what}");
            assert_eq!((register(&bench, 0), register(&bench, 5)), (8, 7), "{what}");
        }
        bench.memories[0][2] = li(5, 9);
        for _ in 0..2 {
            assert_eq!(turn(&mut bench).end, TurnEnd::Retired, "{what}");
        }
        assert_eq!((register(&bench, 5), register(&bench, 6)), (9, 1), "{what}");
    }
}

/// A branch to an odd half-word address halts only if it is taken.
#[test]
fn a_branch_not_taken_may_have_any_target() {
    let mut bench = bench(&[encode("bne", 0, 0, 0, 2), li(1, 1)]);
    for _ in 0..2 {
        assert_eq!(turn(&mut bench).end, TurnEnd::Retired);
    }
    assert_eq!(register(&bench, 1), 1);
}

#[test]
#[should_panic(expected = "an address is context and register")]
fn contexts_must_fit_the_register_file() {
    let _ = SoftCore::<3, 7>::default();
}

#[test]
fn fences_do_nothing() {
    // fence iorw, iorw; fence.tso; fence with rd and rs1; fence.i.
    let mut bench = bench(&[0x0FF0_000F, 0x8330_000F, 0x0FF1_028F, 0x0000_100F, li(1, 1)]);
    for _ in 0..5 {
        assert_eq!(turn(&mut bench).end, TurnEnd::Retired);
    }
    for i in 2..32 {
        assert_eq!(register(&bench, i), 0);
    }
    assert_eq!(register(&bench, 1), 1);
}

/// A sleeping core makes no request and keeps its state. One clock cycle of `wake` ends the sleep,
/// whatever `wake` does afterwards and however slow the memory is.
#[test]
fn a_sleeping_core_is_still_until_it_is_woken() {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    let mut engine = EvaluatorEngine::new(&design).unwrap();
    let port = |engine: &EvaluatorEngine, name: &str| engine.port(name);
    let [go, wake, ready, data] =
        ["go", "wake", "ready", "read_data"].map(|name| port(&engine, name));
    let [request, asleep, retired] =
        ["request", "asleep", "retired"].map(|name| port(&engine, name));
    engine.set_u64(go, 1);
    engine.set_u64(data, encode("wfi", 0, 0, 0, 0).into());
    engine.set_u64(ready, 1);
    for _ in 0..20 {
        engine.clock().unwrap();
    }
    let state = |engine: &EvaluatorEngine| -> Vec<_> {
        let registers = &engine.evaluator().netlist().registers;
        let values = registers.iter().map(|r| engine.evaluator().get_big(r.q));
        values.collect()
    };
    let before = state(&engine);
    for _ in 0..50 {
        assert_eq!((engine.get_u64(asleep), engine.get_u64(request)), (1, 0));
        assert_eq!(state(&engine), before);
        engine.clock().unwrap();
    }
    engine.set_u64(ready, 0);
    engine.set_u64(wake, 1);
    engine.clock().unwrap();
    engine.set_u64(wake, 0);
    for _ in 0..10 {
        engine.settle().unwrap();
        assert_eq!((engine.get_u64(asleep), engine.get_u64(request)), (0, 1));
        engine.clock().unwrap();
    }
    engine.set_u64(data, encode("addi", 0, 0, 0, 0).into());
    engine.set_u64(ready, 1);
    let mut clocks = 0;
    while engine.get_u64(retired) == 0 {
        engine.clock().unwrap();
        clocks += 1;
        assert!(clocks < 10);
    }
}

/// `wfi` with `wake` high takes one turn, as a no-op would.
#[test]
fn wfi_does_not_sleep_while_wake_is_high() {
    let mut bench = bench(&[encode("wfi", 0, 0, 0, 0), li(1, 1)]);
    bench.wake[0] = true;
    assert_eq!(turn(&mut bench).end, TurnEnd::Retired);
    assert_eq!(turn(&mut bench).end, TurnEnd::Retired);
    assert_eq!(register(&bench, 1), 1);
}

/// No turn begins while `go` is low.
#[test]
fn no_turn_begins_without_go() {
    let mut bench = bench(&[li(1, 1), li(1, 2)]);
    let go = bench.engine.port("go");
    bench.engine.set_u64(go, 0);
    assert_eq!(bench.turn(0).end, TurnEnd::Retired);
    let request = bench.engine.port("request");
    for _ in 0..20 {
        assert_eq!(bench.engine.get_u64(request), 0);
        bench.engine.clock().unwrap();
    }
    assert_eq!(register(&bench, 1), 1);
    bench.engine.set_u64(go, 1);
    bench.engine.clock().unwrap();
    assert_eq!(turn(&mut bench).end, TurnEnd::Retired);
    assert_eq!(register(&bench, 1), 2);
}

/// After a reset in any state, a core starts at address 0, awake. The reset takes two clock cycles
/// with one context. With several, it takes one for each context and two more.
#[test]
fn reset_begins_again_at_address_0() {
    let words = [
        li(1, 0x100),
        encode("sw", 0, 1, 1, 0),
        encode("lw", 2, 1, 0, 0),
        encode("slli", 2, 2, 0, 3),
        encode("bne", 0, 1, 0, 8),
        0,
        encode("jal", 3, 0, 0, 4),
        encode("wfi", 0, 0, 0, 0),
    ];
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    for contexts in 1..=2 {
        let mut fetched_again = 0;
        for before in 0..60 * contexts {
            let mut engine = EvaluatorEngine::new(&design).unwrap();
            let ports = ["reset", "context", "go", "ready", "read_data"];
            let [reset, context, go, ready, read_data] = ports.map(|name| engine.port(name));
            let ports = ["current", "request", "address", "asleep"];
            let [current, request, address, asleep] = ports.map(|name| engine.port(name));
            engine.set_u64(go, 1);
            engine.set_u64(ready, 1);
            let clock = |engine: &mut EvaluatorEngine, turn: usize| {
                engine.set_u64(context, (turn % contexts) as u64);
                engine.settle().unwrap();
                let word = engine.get_u64(address) as usize / 4;
                engine.set_u64(read_data, words.get(word).copied().unwrap_or(0).into());
                engine.clock().unwrap();
            };
            (0..before).for_each(|turn| clock(&mut engine, turn));
            engine.set_u64(reset, 1);
            (0..if contexts == 1 { 2 } else { contexts + 2 })
                .for_each(|turn| clock(&mut engine, turn));
            engine.set_u64(reset, 0);
            // The contexts rotate, and each fetches once.
            for turn in 0..contexts {
                let mut clocks = 0;
                loop {
                    engine.set_u64(context, turn as u64);
                    engine.settle().unwrap();
                    assert_eq!(engine.get_u64(asleep), 0, "reset after {before}");
                    if engine.get_u64(request) == 1 && engine.get_u64(current) == turn as u64 {
                        break;
                    }
                    clock(&mut engine, turn);
                    clocks += 1;
                    assert!(clocks < 10, "reset after {before}");
                }
                assert_eq!(engine.get_u64(address), 0, "reset after {before}");
                fetched_again += 1;
            }
        }
        assert_eq!(fetched_again, 60 * contexts * contexts);
    }
}

/// Every opcode with every `funct3` and `funct7`, and every word of SYSTEM that differs from a
/// legal one in one bit. A word is legal exactly if the tables list it.
#[test]
fn legal_instructions_are_those_of_the_tables() {
    let mut engine = EvaluatorEngine::new(&lower(&Decoder::default()).unwrap()).unwrap();
    let [instruction, illegal] = ["instruction", "illegal"].map(|name| engine.port(name));
    let mut legal = 0;
    let mut check = |word: u32| {
        engine.set_u64(instruction, word.into());
        engine.settle().unwrap();
        let expected = isa::find(word).is_none();
        assert_eq!(engine.get_u64(illegal) == 1, expected, "{word:08X}");
        legal += usize::from(!expected);
    };
    for fields in 0..1 << 17 {
        let funct7 = fields >> 10;
        let funct3 = fields >> 7 & 7;
        check(funct7 << 25 | 3 << 20 | 5 << 15 | funct3 << 12 | 7 << 7 | fields & 0x7F);
    }
    for name in ["ecall", "ebreak", "wfi"] {
        let word = encode(name, 0, 0, 0, 0);
        check(word);
        (0..32).for_each(|bit| check(word ^ 1 << bit));
    }
    assert!(legal > 1000);
}

/// Immediates of random words, from the figure of the RISC-V Unprivileged ISA, section 2.3.
#[test]
fn immediates_are_those_of_the_formats() {
    let mut engine = EvaluatorEngine::new(&lower(&Immediate::default()).unwrap()).unwrap();
    let [instruction, format, value] =
        ["instruction", "format", "value"].map(|name| engine.port(name));
    let mut random = SplitMix64::new(15);
    for _ in 0..1000 {
        let word = random.below(1 << 32) as u32;
        // Bits `high` to `low` of the word, from bit `to` of the immediate on.
        let field = |high: u32, low: u32, to: u32| (word << (31 - high) >> (31 - high + low)) << to;
        let sign = |to: u32| ((word as i32 >> 31) as u32) << to;
        let formats = [
            (ImmediateFormat::I, sign(11) | field(30, 20, 0)),
            (ImmediateFormat::S, sign(11) | field(30, 25, 5) | field(11, 7, 0)),
            (ImmediateFormat::B, sign(12) | field(7, 7, 11) | field(30, 25, 5) | field(11, 8, 1)),
            (ImmediateFormat::U, field(31, 12, 12)),
            (
                ImmediateFormat::J,
                sign(20) | field(19, 12, 12) | field(20, 20, 11) | field(30, 21, 1),
            ),
            (ImmediateFormat::Zero, 0),
            (ImmediateFormat::Four, 4),
        ];
        for (kind, wanted) in formats {
            engine.set_u64(instruction, word.into());
            engine.set_u64(format, kind as u64);
            engine.settle().unwrap();
            let found = engine.get_u64(value) as u32;
            assert_eq!(found, wanted, "{word:08X}, format {}", kind as u64);
        }
    }
}

// Each instruction takes the clock cycles that the core's documentation states.

/// Returns the clock cycles of the second instruction of a program, on a memory that answers one
/// clock cycle after the request.
fn clocks(word: u32) -> u64 {
    let design = lower(&SoftCore::<1, 6>::default()).unwrap();
    let mut memory = vec![encode("addi", 1, 0, 0, 0x100), word];
    memory.resize(WORDS, 0);
    let mut bench = SoftCoreBench::new(EvaluatorEngine::new(&design).unwrap(), vec![memory]);
    assert_eq!(bench.turn(0).end, TurnEnd::Retired);
    let turn = bench.turn(0);
    assert_eq!(turn.end, TurnEnd::Retired, "{word:08X}");
    turn.clocks
}

#[test]
fn every_instruction_takes_the_time_that_is_documented() {
    for instruction in INSTRUCTIONS {
        // Operands are x1 = 0x100 and x0. A register equals itself, and the address is valid.
        let word = encode(instruction.name, 5, 1, 0, 8);
        let expected = match (instruction.kind, instruction.name) {
            (_, "ecall" | "ebreak") => continue,
            (InstructionFormat::Load | InstructionFormat::Store, _) => 5,
            (InstructionFormat::Jal | InstructionFormat::Jalr, _) => 6,
            // Shifts by 8, or by the value of x0.
            (InstructionFormat::Shift, _) => 5 + 8,
            (_, "sll" | "srl" | "sra") => 5,
            // 0x100 is neither equal to 0 nor less than it, signed or unsigned.
            (_, "beq" | "blt" | "bltu") => 5,
            (InstructionFormat::Branch, _) => 8,
            _ => 4,
        };
        assert_eq!(clocks(word), expected, "{}", instruction.name);
    }
    for distance in 0..32 {
        let word = encode("srai", 5, 1, 0, distance);
        assert_eq!(clocks(word), 5 + distance as u64);
    }
}

//! Tests every operation on words of one limb and of several against the arithmetic of num-bigint.

use crate::common::{ByName, TestBuilder, TestRandom};
use lockstep::design::*;
use num_bigint::BigUint;
use num_traits::One;

const WIDTHS: [u32; 10] = [1, 2, 8, 31, 63, 64, 65, 100, 128, 200];

/// Tests an operation on two words of each width. `expect` receives the two words and the width.
fn test(
    b_width: impl Fn(u32) -> u32,
    build: impl Fn(&mut TestBuilder, ExprId, ExprId) -> ExprId,
    expect: impl Fn(&BigUint, &BigUint, u32) -> BigUint,
) {
    let mut random = TestRandom(1);
    for width in WIDTHS {
        let mut builder = TestBuilder::new("op");
        let a = builder.input("a", width);
        let b = builder.input("b", b_width(width));
        let (a, b) = (builder.read(a), builder.read(b));
        let result = build(&mut builder, a, b);
        let out = builder.output("out", builder.width(result));
        builder.drive(out, result);
        let mut evaluator = builder.evaluator();
        for round in 0..100 {
            let a = random.word(width);
            // Equal words are the corner case of every comparison.
            let b = match round % 4 {
                0 => &a & Type::Bits(b_width(width)).mask(),
                _ => random.word(b_width(width)),
            };
            evaluator.put_big("a", &a);
            evaluator.put_big("b", &b);
            evaluator.settle();
            let expected = expect(&a, &b, width);
            assert_eq!(evaluator.at_big("out"), expected, "{width} bits: {a:#x} {b:#x}");
        }
    }
}

fn binary(op: BinaryOp, expect: impl Fn(&BigUint, &BigUint, &BigUint) -> BigUint) {
    test(
        |width| width,
        |m, a, b| m.binary(op, a, b),
        |a, b, width| expect(a, b, &(BigUint::one() << width)),
    );
}

fn comparison(op: BinaryOp, expect: impl Fn(&BigUint, &BigUint) -> bool) {
    binary(op, |a, b, _| flag(expect(a, b)));
}

fn unary(op: UnaryOp, expect: impl Fn(&BigUint, u32) -> BigUint) {
    test(|_| 1, |m, a, _| m.unary(op, a), |a, _, width| expect(a, width));
}

fn flag(flag: bool) -> BigUint {
    BigUint::from(u8::from(flag))
}

#[test]
fn bitwise() {
    binary(BinaryOp::And, |a, b, _| a & b);
    binary(BinaryOp::Or, |a, b, _| a | b);
    binary(BinaryOp::Xor, |a, b, _| a ^ b);
    unary(UnaryOp::Not, |a, width| Type::Bits(width).mask() ^ a);
}

#[test]
fn sums_differences_and_products_wrap() {
    binary(BinaryOp::Add, |a, b, modulus| (a + b) % modulus);
    binary(BinaryOp::Sub, |a, b, modulus| (a + modulus - b) % modulus);
    binary(BinaryOp::Mul, |a, b, modulus| (a * b) % modulus);
}

#[test]
fn comparisons_are_unsigned() {
    comparison(BinaryOp::Eq, |a, b| a == b);
    comparison(BinaryOp::Ne, |a, b| a != b);
    comparison(BinaryOp::Lt, |a, b| a < b);
    comparison(BinaryOp::Le, |a, b| a <= b);
    comparison(BinaryOp::Gt, |a, b| a > b);
    comparison(BinaryOp::Ge, |a, b| a >= b);
}

#[test]
fn reductions() {
    unary(UnaryOp::All, |a, width| flag(*a == Type::Bits(width).mask()));
    unary(UnaryOp::Any, |a, _| flag(*a != BigUint::ZERO));
    unary(UnaryOp::Parity, |a, _| flag(a.count_ones() % 2 == 1));
}

fn shl(a: &BigUint, by: u32, width: u32) -> BigUint {
    (a << by) % (BigUint::one() << width)
}

#[test]
fn shifts_by_a_net() {
    let amount = |by: &BigUint| u32::try_from(by).unwrap();
    // A 9-bit amount can exceed the widest word.
    test(
        |_| 9,
        |m, a, by| m.binary(BinaryOp::Shl, a, by),
        |a, by, width| shl(a, amount(by), width),
    );
    test(|_| 9, |m, a, by| m.binary(BinaryOp::Shr, a, by), |a, by, _| a >> amount(by));
}

/// An amount may be wider than a machine word. Only small amounts leave any bits.
#[test]
fn shifts_by_a_wide_net() {
    for (op, expected) in [(BinaryOp::Shl, 0b1000u64), (BinaryOp::Shr, 0b10)] {
        let mut m = TestBuilder::new("shift");
        let (a, by) = (m.input("a", 4), m.input("by", 130));
        let out = m.output("out", 4);
        let (a, by) = (m.read(a), m.read(by));
        let value = m.binary(op, a, by);
        m.drive(out, value);
        let mut evaluator = m.evaluator();
        evaluator.put("a", 0b0100);
        for (by, expected) in [
            (BigUint::one(), expected),
            (BigUint::one() << 64, 0),
            (BigUint::one() << 129, 0),
            ((BigUint::one() << 64) + 1u8, 0),
        ] {
            evaluator.put_big("by", &by);
            evaluator.settle();
            assert_eq!(evaluator.at("out"), expected, "{op:?} by {by}");
        }
    }
}

#[test]
fn shifts_by_a_constant() {
    for by in [0, 1, 5, 63, 64, 65, 127, 199, 200, 5000] {
        test(
            |_| 1,
            |m, a, _| {
                let by = m.constant(by.into(), 20);
                m.binary(BinaryOp::Shl, a, by)
            },
            |a, _, width| shl(a, by, width),
        );
        test(
            |_| 1,
            |m, a, _| {
                let by = m.constant(by.into(), 20);
                m.binary(BinaryOp::Shr, a, by)
            },
            |a, _, _| a >> by,
        );
    }
}

#[test]
fn mux() {
    test(
        |width| width,
        |m, a, b| {
            let cond = m.binary(BinaryOp::Lt, a, b);
            let mux = ExprOp::Mux { cond, then: a, otherwise: b };
            m.expr(mux, m.width(a))
        },
        |a, b, _| a.min(b).clone(),
    );
}

#[test]
fn resize() {
    for to in WIDTHS {
        test(|_| 1, |m, a, _| m.expr(ExprOp::Resize(a), to), |a, _, _| a % (BigUint::one() << to));
    }
}

#[test]
fn slice() {
    // Selects the upper half, rounded up. The word is computed so that the slice is not mere
    // wiring.
    test(
        |width| width,
        |m, a, b| {
            let (word, width) = (m.binary(BinaryOp::Xor, a, b), m.width(a));
            m.slice(word, width / 2, width - width / 2)
        },
        |a, b, width| (a ^ b) >> (width / 2),
    );
    // Selects one bit in the middle of a possible limb.
    test(
        |_| 1,
        |m, a, _| m.slice(a, m.width(a) * 2 / 3, 1),
        |a, _, width| flag(a.bit((width * 2 / 3).into())),
    );
}

/// Returns the width of an index that reaches only existing bits.
fn index_width(width: u32) -> u32 {
    width.ilog2().max(1)
}

/// Widens a one-bit word, because no net is narrow enough for its only index, zero.
fn indexable(m: &mut TestBuilder, a: ExprId) -> ExprId {
    let width = m.width(a).max(2);
    m.expr(ExprOp::Resize(a), width)
}

#[test]
fn bit_at() {
    test(
        index_width,
        |m, a, index| {
            let value = indexable(m, a);
            m.expr(ExprOp::BitAt { value, index }, 1)
        },
        |a, index, _| flag(a.bit(index.try_into().unwrap())),
    );
    test(
        |_| 1,
        |m, value, _| {
            let index = m.constant((m.width(value) - 1).into(), 8);
            m.expr(ExprOp::BitAt { value, index }, 1)
        },
        |a, _, width| flag(a.bit((width - 1).into())),
    );
}

#[test]
fn replace_bit() {
    for new in [false, true] {
        test(
            index_width,
            |m, a, index| {
                let value = indexable(m, a);
                let bit = m.constant(new.into(), 1);
                m.expr(ExprOp::ReplaceBit { value, index, bit }, m.width(value))
            },
            |a, index, _| {
                let mut word = a.clone();
                word.set_bit(index.try_into().unwrap(), new);
                word
            },
        );
        test(
            |_| 1,
            |m, value, _| {
                let index = m.constant((m.width(value) / 2).into(), 8);
                let bit = m.constant(new.into(), 1);
                m.expr(ExprOp::ReplaceBit { value, index, bit }, m.width(value))
            },
            |a, _, width| {
                let mut word = a.clone();
                word.set_bit((width / 2).into(), new);
                word
            },
        );
    }
}

#[test]
fn wide_constants() {
    let mut m = TestBuilder::new("constant");
    let out = m.output("out", 200);
    let value: BigUint = (BigUint::one() << 199) + 5u8;
    let expr = m.expr(ExprOp::Const(value.clone()), 200);
    m.drive(out, expr);
    let evaluator = m.evaluator();
    assert_eq!(evaluator.at_big("out"), value);
}

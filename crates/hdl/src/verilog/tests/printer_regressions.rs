//! Regression tests for errors that the printer once had (`examples/mutants`). Each test prints one
//! output.

use super::builder::{set, set_part, when, PrinterTestBuilder};
use super::inside;
use lockstep::design::*;

/// Inputs and constants of the module that contains the expressions.
struct TestWords {
    b: PrinterTestBuilder,
    x: SignalId,
    n: SignalId,
    far: SignalId,
    bit: SignalId,
    fast: SignalId,
    limit: SignalId,
}

impl TestWords {
    fn new() -> Self {
        let mut b = PrinterTestBuilder::new("m");
        TestWords {
            x: b.input("x", 8),
            n: b.input("n", 3),
            far: b.input("far", 40),
            bit: b.input("bit_in", 1),
            fast: b.signal("fast", 1, SignalKind::Constant(1u32.into())),
            limit: b.signal("limit", 4, SignalKind::Constant(9u32.into())),
            b,
        }
    }

    fn x(&mut self) -> ExprId {
        self.b.read(self.x)
    }

    fn bits(&mut self, value: ExprId, offset: u32, width: u32) -> ExprId {
        self.b.expr(ExprOp::Slice { value, offset }, width)
    }

    fn mux(&mut self, cond: SignalId, then: ExprId, otherwise: ExprId) -> ExprId {
        let cond = self.b.read(cond);
        let ty = super::TestType(self.b.module.expr(then).ty.clone());
        let op = ExprOp::Mux { cond, then, otherwise };
        self.b.expr(op, ty)
    }
}

/// Returns the text for `y = value`, without the lines of unused constants.
fn y(make: impl FnOnce(&mut TestWords) -> ExprId) -> String {
    let mut words = TestWords::new();
    let value = make(&mut words);
    let ty = super::TestType(words.b.module.expr(value).ty.clone());
    let y = words.b.output("y", ty);
    words.b.assign(y, value);
    let text = inside(&words.b.over(vec![]));
    let lines = text.lines().filter(|line| !line.contains("not used here"));
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Claim: selections of words have the requested bits.
#[test]
fn parts() {
    let beyond = y(|w| {
        let x = w.x();
        let wide = w.b.expr(ExprOp::Resize(x), 16);
        w.bits(wide, 8, 4)
    });
    assert_eq!(beyond, "assign y = 4'd0;");
    let of_constant = y(|w| {
        let value = w.b.constant(0xA5, 8);
        w.bits(value, 4, 4)
    });
    assert_eq!(of_constant, "assign y = 4'd10;");
    let of_part = y(|w| {
        let x = w.x();
        let part = w.bits(x, 2, 5);
        w.bits(part, 1, 3)
    });
    assert_eq!(of_part, "assign y = x[5:3];");
    let of_shifted = y(|w| {
        let (x, n) = (w.x(), w.b.read(w.n));
        let shifted = w.b.binary(BinaryOp::Shl, x, n);
        w.bits(shifted, 2, 3)
    });
    assert_eq!(of_shifted, "wire [7:0] y_shifted = x << n; assign y = y_shifted[4:2];");
    let bit = y(|w| {
        let (value, index) = (w.x(), w.b.constant(5, 3));
        w.b.expr(ExprOp::BitAt { value, index }, 1)
    });
    assert_eq!(bit, "assign y = x[5];");
    let replaced = y(|w| {
        let (value, index, bit) = (w.x(), w.b.constant(6, 3), w.b.read(w.bit));
        let replaced = w.b.expr(ExprOp::ReplaceBit { value, index, bit }, 8);
        let x = w.x();
        w.b.binary(BinaryOp::Xor, replaced, x)
    });
    assert_eq!(replaced, "assign y = {x[7], bit_in, x[5:0]} ^ x;");
}

/// Claim: operators, shifts beyond the width, undecided comparisons and conditional operands are
/// printed correctly.
#[test]
fn operators() {
    let order = y(|w| {
        let (x, x_again) = (w.x(), w.x());
        let other = w.b.not(x_again);
        w.b.binary(BinaryOp::Le, x, other)
    });
    assert_eq!(order, "assign y = (x <= ~x);");
    let open = y(|w| {
        let (zero, x) = (w.b.constant(0, 8), w.x());
        w.b.binary(BinaryOp::Ge, zero, x)
    });
    assert_eq!(open, "assign y = (8'd0 >= x);");
    let far = y(|w| {
        let (x, far) = (w.x(), w.b.read(w.far));
        w.b.binary(BinaryOp::Shl, x, far)
    });
    assert_eq!(far, "assign y = |far[39:32] ? 8'd0 : x << far[31:0];");
    let choice = y(|w| {
        let (x, one, again) = (w.x(), w.b.constant(1, 8), w.x());
        let choice = w.mux(w.bit, x, one);
        w.b.binary(BinaryOp::Add, choice, again)
    });
    assert_eq!(choice, "assign y = (bit_in ? x : 8'd1) + x;");
    let twice = y(|w| {
        let (x, one) = (w.x(), w.b.constant(1, 8));
        let sum = w.b.binary(BinaryOp::Add, x, one);
        w.b.binary(BinaryOp::Xor, sum, sum)
    });
    assert_eq!(twice, "wire [7:0] y_sum = x + 8'd1; assign y = y_sum ^ y_sum;");
}

/// Claim: expressions of constants are evaluated as Verilog would evaluate them.
#[test]
fn constant_expressions_are_folded() {
    let choice = y(|w| {
        let (five, six) = (w.b.constant(5, 4), w.b.constant(6, 4));
        w.mux(w.fast, five, six)
    });
    assert_eq!(choice, "assign y = 4'd5;");
    /// Returns whether `if (test) x else 0` becomes `x`.
    fn taken(test: impl FnOnce(&mut TestWords) -> ExprId) -> bool {
        let text = y(|w| {
            let cond = test(w);
            let (then, otherwise) = (w.x(), w.b.constant(0, 8));
            let op = ExprOp::Mux { cond, then, otherwise };
            w.b.expr(op, 8)
        });
        match &text[..] {
            "assign y = x;" => true,
            "assign y = 8'd0;" => false,
            text => panic!("it is settled: {text}"),
        }
    }
    /// Whether an operation on LIMIT, which is 9, and a number gives this result.
    fn gives(op: BinaryOp, number: u32, result: u32) -> bool {
        taken(|w| {
            let (limit, number) = (w.b.read(w.limit), w.b.constant(number, 4));
            let value = w.b.binary(op, limit, number);
            let width = w.b.module.expr(value).width();
            let result = w.b.constant(result, width);
            w.b.binary(BinaryOp::Eq, value, result)
        })
    }
    assert!(gives(BinaryOp::Sub, 9, 0) && gives(BinaryOp::Sub, 10, 15));
    assert!(gives(BinaryOp::Shr, 1, 4) && gives(BinaryOp::Shl, 1, 2));
    assert!(gives(BinaryOp::Lt, 9, 0) && gives(BinaryOp::Lt, 10, 1));
    assert!(!taken(|w| {
        let limit = w.b.read(w.limit);
        w.b.expr(ExprOp::Unary(UnaryOp::All, limit), 1)
    }));
    assert!(taken(|w| {
        let (three, four) = (w.b.constant(3, 4), w.b.constant(4, 4));
        let chosen = w.mux(w.fast, three, four);
        let three = w.b.constant(3, 4);
        w.b.binary(BinaryOp::Eq, chosen, three)
    }));
}

/// Returns the text for statements about `y`, which has `width` bits.
fn statements(width: u32, make: impl FnOnce(&mut TestWords, SignalId) -> Vec<Stmt>) -> String {
    let mut words = TestWords::new();
    let y = words.b.output("y", width);
    let stmts = make(&mut words, y);
    words.b.module.body.extend(stmts);
    let text = inside(&words.b.over(vec![]));
    let lines = text.lines().filter(|line| !line.contains("not used here"));
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Claim: branches and arms match the circuit, and contain no latch.
#[test]
fn branches_and_arms_match_the_circuit() {
    let empty = statements(8, |w, y| {
        let (x, cond, zero) = (w.x(), w.b.read(w.bit), w.b.constant(0, 8));
        vec![set(y, x), when(cond, vec![], vec![set(y, zero)])]
    });
    assert_eq!(empty, "always @* begin y = x; if (!bit_in) begin y = 8'd0; end end");
    let arms = statements(8, |w, y| {
        let (x, subject, zero, one) =
            (w.x(), w.b.read(w.n), w.b.constant(0, 8), w.b.constant(1, 8));
        let arm = |values: &[u32], value| CaseArm {
            values: values.iter().map(|v| (*v).into()).collect(),
            body: vec![set(y, value)],
        };
        vec![Stmt::Case(CaseStmt {
            subject,
            arms: vec![arm(&[1], x), arm(&[1, 2], zero)],
            default: vec![set(y, one)],
            default_values: vec![],
        })]
    });
    assert_eq!(
        arms,
        "always @* begin case (n) 3'd1: y = x; 3'd2: y = 8'd0; default: y = 8'd1; endcase end"
    );
    let temporary = statements(1, |w, y| {
        let (x, one, index) = (w.x(), w.b.constant(1, 8), w.b.read(w.n));
        let value = w.b.binary(BinaryOp::Add, x, one);
        let bit = w.b.expr(ExprOp::BitAt { value, index }, 1);
        let (cond, zero) = (w.b.read(w.bit), w.b.constant(0, 1));
        vec![when(cond, vec![set(y, bit)], vec![set(y, zero)])]
    });
    assert_eq!(
        temporary,
        "reg [7:0] y_sum; always @* begin y_sum = 8'd0; if (bit_in) begin y_sum = x + 8'd1; \
         y = y_sum[n]; end else begin y = 1'b0; end end"
    );
}

/// Claim: a bit is replaced in place only where no statement needs the old word.
#[test]
fn bits_are_replaced_in_place() {
    let late_index = statements(8, |w, y| {
        let (x, other, y_now, bit) = (w.x(), w.x(), w.b.read(y), w.b.read(w.bit));
        let value = w.b.not(other);
        let index = w.bits(y_now, 0, 3);
        let replaced = w.b.expr(ExprOp::ReplaceBit { value, index, bit }, 8);
        vec![set(y, x), set(y, replaced)]
    });
    assert!(!late_index.contains("y[y[2:0]] = bit_in"), "{late_index}");
    let whole = statements(1, |w, y| {
        let bit = w.b.read(w.bit);
        vec![set_part(y, 0, 1, bit)]
    });
    assert_eq!(whole, "assign y = bit_in;");
}

/// Claim: an assignment to a part keeps the other bits.
#[test]
fn part_assignments_keep_the_other_bits() {
    let constant = statements(8, |w, y| {
        let (all, part) = (w.b.constant(0xA5, 8), w.b.constant(6, 4));
        vec![set(y, all), set_part(y, 0, 4, part)]
    });
    assert_eq!(constant, "assign y = 8'd166;");

    let mut child = PrinterTestBuilder::new("inverter");
    let (i, o) = (child.input("i", 8), child.output("o", 8));
    let value = child.read(i);
    let value = child.not(value);
    child.assign(o, value);
    let mut b = PrinterTestBuilder::new("m");
    let (low, high) = (b.input("low", 4), b.input("high", 4));
    let y = b.output("y", 8);
    let pins = b.instance("inv", 0, &child.module);
    let (low, high, result) = (b.read(low), b.read(high), b.read(pins[1]));
    b.module.body.push(set_part(pins[0], 0, 4, low));
    b.module.body.push(set_part(pins[0], 4, 4, high));
    b.assign(y, result);
    let text = inside(&b.over(vec![child.module]));
    for line in ["assign inv_i[3:0] = low;", "assign inv_i[7:4] = high;", ".i (inv_i),"] {
        assert!(text.contains(line), "{text}");
    }
}

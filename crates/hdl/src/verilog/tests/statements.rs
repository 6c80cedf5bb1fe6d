//! Tests how statements are grouped into `assign` and `always`.

use super::builder::{set, set_part, when, PrinterTestBuilder};
use super::inside;
use lockstep::design::*;

/// Claim: independent statements are separate, an intermediate value keeps statements together, and
/// a later reader sees the final value.
#[test]
fn statements_stay_together_only_if_they_must() {
    let mut b = PrinterTestBuilder::new("m");
    let (x, go) = (b.input("x", 4), b.input("go", 1));
    let (early, late) = (b.output("early", 4), b.output("late", 4));
    let sum = b.local("sum", 4);
    let value = b.read(x);
    b.assign(sum, value);
    let value = b.read(sum);
    b.assign(early, value);
    let cond = b.read(go);
    let value = b.constant(3, 4);
    b.module.body.push(when(cond, vec![set(sum, value)], vec![]));
    let value = b.read(sum);
    b.assign(late, value);
    let expected = "
    reg [3:0] sum;

    always @* begin
        sum = x;
        early = sum;
        if (go) begin
            sum = 4'd3;
        end
    end

    assign late = sum;
";
    assert_eq!(inside(&b.over(vec![])), expected);
}

/// Claim: disjoint parts of a word are separate, and replaced bits are assigned in place.
#[test]
fn parts_and_bits() {
    let mut b = PrinterTestBuilder::new("m");
    let (x, n, bit) = (b.input("x", 4), b.input("n", 2), b.input("bit_in", 1));
    let (halves, marked) = (b.output("halves", 8), b.output("marked", 4));
    let value = b.read(x);
    b.module.body.push(set_part(halves, 0, 4, value));
    let value = b.read(x);
    let value = b.not(value);
    b.module.body.push(set_part(halves, 4, 4, value));
    let (value, index, bit) = (b.read(x), b.read(n), b.read(bit));
    let value = b.expr(ExprOp::ReplaceBit { value, index, bit }, 4);
    b.assign(marked, value);
    let expected = "
    assign halves[3:0] = x;
    assign halves[7:4] = ~x;

    always @* begin
        marked = x;
        marked[n] = bit_in;
    end
";
    assert_eq!(inside(&b.over(vec![])), expected);
}

/// Claim: a `let` is a wire at its position. In a branch it is a variable that has a value in the
/// other branches too, which avoids a latch.
#[test]
fn lets() {
    let mut b = PrinterTestBuilder::new("m");
    let (x, go) = (b.input("x", 8), b.input("go", 1));
    let y = b.output("y", 8);
    let outside = b.signal("outside", 8, SignalKind::Let);
    let within = b.signal("within", 8, SignalKind::Let);
    let (value, one) = (b.read(x), b.constant(1, 8));
    let value = b.binary(BinaryOp::Add, value, one);
    b.assign(outside, value);
    let (go, value) = (b.read(go), b.read(outside));
    let double = b.binary(BinaryOp::Add, value, value);
    let (result, otherwise) = (b.read(within), b.read(outside));
    b.module.body.push(when(
        go,
        vec![set(within, double), set(y, result)],
        vec![set(y, otherwise)],
    ));
    let expected = "
    wire [7:0] outside = x + 8'd1;

    reg [7:0] within_;
    always @* begin
        within_ = 8'd0;
        if (go) begin
            within_ = outside + outside;
            y = within_;
        end else begin
            y = outside;
        end
    end
";
    assert_eq!(inside(&b.over(vec![])), expected);
}

/// Claim: an `if` that drives a child and uses its output is split. A block that reads the output
/// and writes the input would appear as a loop.
#[test]
fn blocks_are_split_to_avoid_loops_through_children() {
    let mut child = PrinterTestBuilder::new("inverter");
    let (i, o) = (child.input("i", 1), child.output("o", 1));
    let value = child.read(i);
    let value = child.not(value);
    child.assign(o, value);

    let mut b = PrinterTestBuilder::new("m");
    let (x, go) = (b.input("x", 1), b.input("go", 1));
    let y = b.output("y", 1);
    let pins = b.instance("inv", 0, &child.module);
    let cond = b.read(go);
    let (value, result) = (b.read(x), b.read(pins[1]));
    let (zero, one) = (b.constant(0, 1), b.constant(1, 1));
    b.module.body.push(when(
        cond,
        vec![set(pins[0], value), set(y, result)],
        vec![set(pins[0], zero), set(y, one)],
    ));
    let expected = "
    reg  inv_i;
    wire inv_o;

    always @* begin
        if (go) begin
            y = inv_o;
        end else begin
            y = 1'b1;
        end
    end

    always @* begin
        if (go) begin
            inv_i = x;
        end else begin
            inv_i = 1'b0;
        end
    end

    inverter inv (
        .i (inv_i),
        .o (inv_o)
    );
";
    assert_eq!(inside(&b.over(vec![child.module])), expected);
}

/// Claim: branches that are decided at generation do not appear. An `always @*` without inputs
/// would never run.
#[test]
fn constant_branches_are_not_printed() {
    let mut b = PrinterTestBuilder::new("m");
    let x = b.input("x", 4);
    let (y, z) = (b.output("y", 4), b.output("z", 4));
    let fast = b.signal("fast", 1, SignalKind::Constant(1u32.into()));
    let (value, other) = (b.read(x), b.constant(0, 4));
    let cond = b.read(fast);
    b.module.body.push(when(cond, vec![set(y, value)], vec![set(y, other)]));
    let (five, six) = (b.constant(5, 4), b.constant(6, 4));
    let cond = b.read(fast);
    b.module.body.push(when(cond, vec![set(z, five)], vec![set(z, six)]));
    let expected = "
    // not used here: FAST = 1'b1

    always @* begin
        y = x;
    end

    assign z = 4'd5;
";
    assert_eq!(inside(&b.over(vec![])), expected);
}

/// Claim: a `let` that is read before the block that assigns it is declared at the top. A `let`
/// that is read later is declared at its assignment.
#[test]
fn a_declaration_stands_before_the_first_use() {
    let mut b = PrinterTestBuilder::new("m");
    let (x, go) = (b.input("x", 1), b.input("go", 1));
    let (taken, y, z) = (b.local("taken", 1), b.output("y", 1), b.output("z", 1));
    let (first, plain) =
        (b.signal("first", 1, SignalKind::Let), b.signal("plain", 1, SignalKind::Let));
    let value = b.read(go);
    b.assign(taken, value);
    let (x, now) = (b.read(x), b.read(taken));
    let free = b.not(now);
    let value = b.binary(BinaryOp::And, x, free);
    b.assign(first, value);
    let value = b.not(x);
    b.assign(plain, value);
    // This value is complete before the last statement of the block that assigns `first`.
    let (one, other) = (b.read(first), b.read(plain));
    let value = b.binary(BinaryOp::Or, one, other);
    b.assign(y, value);
    let value = b.binary(BinaryOp::Or, now, x);
    b.assign(taken, value);
    let value = b.read(taken);
    b.assign(z, value);
    let expected = "
    reg taken;
    reg first;

    wire plain = !x;
    assign y = first | plain;

    always @* begin
        taken = go;
        first = x & !taken;
        taken = taken | x;
    end

    assign z = taken;
";
    assert_eq!(inside(&b.over(vec![])), expected);
}

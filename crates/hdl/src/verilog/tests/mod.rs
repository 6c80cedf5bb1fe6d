//! Verilog of small circuits, for human readers. Other tests simulate Verilog to check its
//! semantics.

mod builder;
mod printer_regressions;
mod statements;

use super::emit;
use builder::{set, when, PrinterTestBuilder, TestType};
use lockstep::design::*;
use std::sync::Arc;

/// Returns the top module from its port list on, without its header comment.
fn text(design: &Design) -> String {
    let files = emit(design);
    assert_eq!(files, emit(design), "the text is always the same");
    let text = &files.modules.last().expect("a top module").text;
    text[text.find("\nmodule ").expect("a module") + 1..].to_string()
}

/// Returns the text after the port list.
fn inside(design: &Design) -> String {
    let text = text(design);
    let end = text.find(");\n").expect("a port list") + 3;
    text[end..].replace("\nendmodule\n", "")
}

fn state_type() -> TestType {
    TestType(Type::Enum(Arc::new(EnumType {
        name: "TxState".into(),
        width: 2,
        variants: vec!["Idle".into(), "Run".into(), "WaitAck".into()],
    })))
}

/// Claim: a module reads like handwritten Verilog, with header, named constants, register pairs and
/// one clocked block.
#[test]
fn a_state_machine_in_full() {
    let mut b = PrinterTestBuilder::new("sender");
    b.module.doc = "Sends until it is stopped.".into();
    b.module.params.push(Param { name: "DIMS".into(), value: "4".into() });
    let go = b.input("go", 1);
    b.module.signals[0].doc = "start sending".into();
    let count = b.output("count", 4);
    let limit = b.signal("limit", 4, SignalKind::Constant(9u32.into()));
    let (state_d, state) = b.register("state", state_type(), 0);
    let (ticks_d, ticks) = b.register("ticks", 4, 0);

    let hold = b.read(state);
    b.assign(state_d, hold);
    let one = b.constant(1, 4);
    let now = b.read(ticks);
    let next = b.binary(BinaryOp::Add, now, one);
    b.assign(ticks_d, next);
    let go = b.read(go);
    let run = b.constant(1, state_type());
    let now = b.read(ticks);
    let limit = b.read(limit);
    let done = b.binary(BinaryOp::Eq, now, limit);
    let idle = b.constant(0, state_type());
    let subject = b.read(state);
    b.module.body.push(Stmt::Case(CaseStmt {
        subject,
        arms: vec![
            CaseArm {
                values: vec![0u32.into()],
                body: vec![when(go, vec![set(state_d, run)], vec![])],
            },
            CaseArm { values: vec![2u32.into()], body: vec![set(state_d, idle)] },
        ],
        default: vec![when(done, vec![set(state_d, idle)], vec![])],
        default_values: vec![1u32.into()],
    }));
    let value = b.read(ticks);
    b.assign(count, value);

    let files = emit(&b.over(vec![]));
    assert_eq!(files.top(), "sender");
    assert_eq!(files.to_string(), SENDER);
}

const SENDER: &str = "\
////////////////////////////////////////////////////////////////////////////////
// sender
//
// Sends until it is stopped.
//
// Parameters
//   DIMS = 4
//
// Ports
//   name   direction  width  description
//   clock  input          1  everything changes on its rising edge
//   go     input          1  start sending
//   count  output         4
////////////////////////////////////////////////////////////////////////////////
module sender (
    input  wire       clock,
    input  wire       go,
    output wire [3:0] count
);

    localparam [1:0] TX_STATE_IDLE     = 2'd0;
    localparam [1:0] TX_STATE_RUN      = 2'd1;
    localparam [1:0] TX_STATE_WAIT_ACK = 2'd2;

    localparam [3:0] LIMIT = 4'd9;

    reg  [1:0] state;       // TxState
    reg  [1:0] state_next;
    reg  [3:0] ticks;
    wire [3:0] ticks_next;

    assign ticks_next = ticks + 4'd1;

    always @* begin
        state_next = state;
        case (state)
            TX_STATE_IDLE: begin
                if (go) begin
                    state_next = TX_STATE_RUN;
                end
            end
            TX_STATE_WAIT_ACK: state_next = TX_STATE_IDLE;
            default: begin // TX_STATE_RUN
                if (ticks == LIMIT) begin
                    state_next = TX_STATE_IDLE;
                end
            end
        endcase
    end

    assign count = ticks;

    initial begin
        state = TX_STATE_IDLE;
        ticks = 4'd0;
    end

    always @(posedge clock) begin
        state <= state_next;
        ticks <= ticks_next;
    end

endmodule
";

/// Returns the text of a memory.
fn memory(disjoint: bool) -> String {
    let mut b = PrinterTestBuilder::new("buffer");
    b.module.clock = Some("clock".into());
    let address = b.input("address", 2);
    let data = b.input("data", 8);
    let enable = b.input("write", 1);
    let out = b.output("out", 8);
    let mut pin = |name: &str, width: u32, kind| b.signal(name, width, kind);
    let read_address = pin("ram.read_address", 2, SignalKind::PinIn);
    let read_data = pin("ram.read_data", 8, SignalKind::PinOut);
    let write = WritePort {
        address: pin("ram.write_address", 2, SignalKind::PinIn),
        data: pin("ram.write_data", 8, SignalKind::PinIn),
        enable: pin("ram.write_enable", 1, SignalKind::PinIn),
        disjoint,
    };
    for (pin, from) in [
        (read_address, address),
        (write.address, address),
        (write.data, data),
        (write.enable, enable),
        (out, read_data),
    ] {
        let value = b.read(from);
        b.assign(pin, value);
    }
    b.module.cells.push(StateCell {
        name: "ram".into(),
        doc: "what arrived".into(),
        kind: CellKind::Memory {
            read_address,
            read_data,
            asynchronous: false,
            write: Some(write),
            init: vec![0xAAu32.into(), 7u32.into()],
        },
    });
    inside(&b.over(vec![]))
}

/// Claim: a memory is an array with initial contents and one clocked block.
#[test]
fn memories() {
    let expected = "
    // what arrived
    reg [7:0] ram [0:3];
    integer ram_index;
    wire [1:0] ram_read_address;
    reg  [7:0] ram_read_data;
    wire [1:0] ram_write_address;
    wire [7:0] ram_write_data;
    wire       ram_write_enable;

    assign ram_read_address = address;
    assign ram_write_address = address;
    assign ram_write_data = data;
    assign ram_write_enable = write;
    assign out = ram_read_data;

    initial begin
        ram[0] = 8'haa; ram[1] = 8'h07;
        for (ram_index = 2; ram_index < 4; ram_index = ram_index + 1) begin
            ram[ram_index] = 8'd0;
        end
        ram_read_data = 8'd0;
    end

    always @(posedge clock) begin
        ram_read_data <= ram[ram_read_address];
        if (ram_write_enable) begin
            ram[ram_write_address] <= ram_write_data;
        end
    end
";
    assert_eq!(memory(false), expected);
}

/// Claim: an attribute informs synthesis that the reads and writes of a memory are disjoint.
#[test]
fn disjoint_memories() {
    let text = memory(true);
    for part in [
        "    (* no_rw_check *) reg [7:0] ram [0:3];\n",
        "        `ifndef SYNTHESIS\n        ram_read_data = 8'd0;\n        `endif\n",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

/// Claim: instances are connected by name. A pin that only passes a signal on is connected to that
/// signal.
#[test]
fn instances() {
    let mut child = PrinterTestBuilder::new("reg");
    let d = child.input("d", 4);
    let q = child.output("output", 4);
    let (next, now) = child.register("store", 4, 3);
    let value = child.read(d);
    child.assign(next, value);
    let value = child.read(now);
    child.assign(q, value);

    let mut b = PrinterTestBuilder::new("top");
    let x = b.input("x", 4);
    let y = b.output("y", 4);
    let first = b.instance("stages[0]", 0, &child.module);
    let second = b.instance("stages[1]", 0, &child.module);
    let value = b.read(x);
    b.assign(first[0], value);
    let value = b.read(first[1]);
    let value = b.not(value);
    b.assign(second[0], value);
    let value = b.read(second[1]);
    b.assign(y, value);

    let expected = "\
module top (
    input  wire       clock,
    input  wire [3:0] x,
    output wire [3:0] y
);

    wire [3:0] stages_0_output;

    wire [3:0] stages_1_d;
    wire [3:0] stages_1_output;

    assign stages_1_d = ~stages_0_output;
    assign y = stages_1_output;

    reg_ stages_0 (
        .clock   (clock),
        .d       (x),
        .output_ (stages_0_output)
    );

    reg_ stages_1 (
        .clock   (clock),
        .d       (stages_1_d),
        .output_ (stages_1_output)
    );

endmodule
";
    assert_eq!(text(&b.over(vec![child.module])), expected);
}

/// Claim: every expression has its own width, regardless of its context.
#[test]
fn expressions() {
    use BinaryOp::*;
    let mut b = PrinterTestBuilder::new("words");
    let (a, c) = (b.input("a", 8), b.input("b", 8));
    let (n, flag) = (b.input("n", 3), b.input("flag", 1));
    let mut expected = String::from("\n");
    let mut count = 0;
    let mut claim = |b: &mut PrinterTestBuilder, value: ExprId, text: &str| {
        let width = b.module.expr(value).width();
        let out = b.output(&format!("y{count}"), width);
        b.assign(out, value);
        for line in text.lines() {
            let start = if line.starts_with("wire") { "" } else { "assign " };
            expected += &format!("    {start}{}\n", line.replace('@', &format!("y{count}")));
        }
        count += 1;
    };
    let (a, c, n, flag) = (b.read(a), b.read(c), b.read(n), b.read(flag));

    let sum = b.binary(Add, a, c);
    let greater = b.binary(Gt, sum, c);
    claim(&mut b, greater, "@ = ((a + b) > b);");
    let wide = b.expr(ExprOp::Resize(sum), 12);
    claim(&mut b, wide, "@ = {4'd0, a + b};");
    let low = b.expr(ExprOp::Resize(sum), 4);
    claim(&mut b, low, "@ = a[3:0] + b[3:0];");
    let top = b.expr(ExprOp::Slice { value: sum, offset: 7 }, 1);
    claim(&mut b, top, "wire [7:0] @_sum = a + b;\n@ = @_sum[7];");
    let both = b.binary(And, a, c);
    let middle = b.expr(ExprOp::Slice { value: both, offset: 2 }, 3);
    claim(&mut b, middle, "@ = a[4:2] & b[4:2];");
    let picked = b.expr(ExprOp::BitAt { value: a, index: n }, 1);
    claim(&mut b, picked, "@ = a[n];");
    let narrow = b.expr(ExprOp::Resize(n), 2);
    let picked = b.expr(ExprOp::BitAt { value: a, index: narrow }, 1);
    claim(&mut b, picked, "@ = a[{1'b0, n[1:0]}];");
    let shifted = b.binary(Shl, a, n);
    let replaced = b.expr(ExprOp::ReplaceBit { value: a, index: n, bit: flag }, 8);
    let mixed = b.binary(Xor, shifted, replaced);
    let text = "@ = (a << n) ^ ((a & ~(8'd1 << n)) | ({7'd0, flag} << n));";
    claim(&mut b, mixed, text);
    let not = b.not(flag);
    let choice = b.expr(ExprOp::Mux { cond: not, then: a, otherwise: c }, 8);
    claim(&mut b, choice, "@ = !flag ? a : b;");
    let odd = b.expr(ExprOp::Unary(UnaryOp::Parity, both), 1);
    let either = b.binary(Or, odd, flag);
    claim(&mut b, either, "@ = (^(a & b)) | flag;");
    let large = b.constant(0x12_3456, 80);
    claim(&mut b, large, "@ = 80'h12_3456;");
    let zero = b.constant(0, 8);
    let never = b.binary(Lt, a, zero);
    claim(&mut b, never, "@ = 1'b0;");

    assert_eq!(inside(&b.over(vec![])), expected);
}

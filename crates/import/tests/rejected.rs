//! Designs that a netlist cannot express are rejected with their position in the source.

use crate::elaborated;
use import::import;

/// Returns the faults of a module `top` with these ports and this body.
fn faults(ports: &str, body: &str) -> String {
    let source = format!("module top ({ports});\n{body}\nendmodule\n");
    let dir = tempfile::tempdir().unwrap();
    match elaborated(&source, "top", &[], dir.path()) {
        Ok(json) => import(&json).expect_err(body).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
#[ignore = "thorough: yosys"]
fn several_clocks_are_named() {
    let printed = faults(
        "input a, b, d, output reg p, q",
        "always @(posedge a) p <= d;\nalways @(posedge b) q <= d;",
    );
    assert_eq!(
        printed,
        "the design has several clocks: the rising edge of a (source.v:2.1-2.28), the rising edge \
         of b (source.v:3.1-3.28); accepted: one edge of one clock port"
    );
    let printed = faults(
        "input a, d, output reg p, q",
        "always @(posedge a) p <= d;\nalways @(negedge a) q <= d;",
    );
    assert!(printed.contains("the falling edge of a"), "{printed}");
}

#[test]
#[ignore = "thorough: yosys"]
fn a_clock_passes_no_gate() {
    let gated = faults(
        "input clk, en, d, output reg q",
        "wire gated = clk & en;\nalways @(posedge gated) q <= d;",
    );
    assert!(
        gated.starts_with("source.v:3.1-3.32: the clock gated is not an input port"),
        "{gated}"
    );
    let read = faults(
        "input clk, d, output reg q, output w",
        "always @(posedge clk) q <= d;\nassign w = d & clk;",
    );
    assert!(read.contains("reads the clock as a signal"), "{read}");
    assert!(read.starts_with("source.v:3."), "{read}");
    let repeated = faults(
        "input clk, d, output reg q, output w",
        "always @(posedge clk) q <= d;\nassign w = clk;",
    );
    assert!(repeated.contains("the output w repeats the clock"), "{repeated}");
}

#[test]
#[ignore = "thorough: yosys"]
fn latches_tri_states_and_inout_ports() {
    let latch = faults("input e, d, output reg q", "always @* if (e) q = d;");
    assert!(latch.contains("a latch; accepted:"), "{latch}");
    assert!(latch.starts_with("source.v:2."), "{latch}");
    let open = faults("input e, d, output w", "assign w = e ? d : 1'bz;");
    assert!(open.contains("a tri-state driver; accepted:"), "{open}");
    let both = faults("inout w, output q", "assign q = w;");
    assert_eq!(both, "source.v:1.19-1.20: the port w is inout; accepted: input and output");
}

#[test]
#[ignore = "thorough: yosys"]
fn loops_name_their_signals() {
    let printed = faults(
        "input a, b, output q",
        "wire [1:0] x, y;\nassign x = y + a;\nassign y = x ^ b;\nassign q = ^y;",
    );
    assert!(printed.contains("combinational loop through"), "{printed}");
    assert!(printed.contains('x') && printed.contains('y'), "{printed}");
}

#[test]
#[ignore = "thorough: yosys"]
fn modules_without_contents_and_memories_that_are_too_large() {
    let printed = faults("input a, output q", "black inner (.a(a), .q(q));");
    assert!(printed.contains("black"), "{printed}");
    let source = "endmodule\n(* blackbox *) module black (input a, output q);";
    let printed = faults("input a, output q", &format!("black inner (.a(a), .q(q));\n{source}"));
    assert_eq!(
        printed,
        "source.v:2.7-2.27: inner: the module black has no contents; accepted: its source among the files"
    );
    let large = faults(
        "input clk, we, re, input [11:0] a, b, input [31:0] d, output [31:0] q",
        "reg [31:0] m [0:4095];\nalways @(posedge clk) if (we) m[a] <= d;\n\
         always @(posedge clk) if (re) m[b] <= ~d;\nassign q = m[a];",
    );
    assert!(large.contains("the memory m has 131072 bits"), "{large}");
    assert!(large.contains("accepted: up to 65536 bits"), "{large}");
}

/// The import lists the statements that it leaves out.
#[test]
#[ignore = "thorough: yosys"]
fn assertions_are_noted() {
    let source = "module top (input clk, d, output reg q);\nalways @(posedge clk) begin q <= d; \
                  assert (d || q); end\nendmodule\n";
    let dir = tempfile::tempdir().unwrap();
    let json = elaborated(source, "top", &[], dir.path()).unwrap();
    let imported = import(&json).unwrap();
    assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
    assert!(imported.notes[0].contains("assertions and printing are left out"));
}

#[test]
fn other_texts_are_no_netlist() {
    let printed = |text: &str| import(text).unwrap_err().to_string();
    assert!(printed("module top; endmodule").starts_with("this is not a JSON netlist of yosys"));
    assert!(printed(r#"{"modules": {}}"#).contains("0 modules and 0 top modules"));
    let bit = r#"{"modules": {"m": {"ports": {"a": {"direction": "input", "bits": ["y"]}}}}}"#;
    assert!(printed(bit).contains("is not a bit"), "{}", printed(bit));
}

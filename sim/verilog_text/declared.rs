//! Every name in the emitted Verilog of all designs and blocks is declared before its first use, as
//! the standard requires. The check uses no external tool. It understands the subset of Verilog
//! that the printer writes.

use hdl::lower::Circuit;
use hdl::prelude::*;
use hdl::verilog::{emit, emit_for_placement, publish};
use lockstep::design::Design;
use phasecube::kit::{kit, publication};
use phasecube::machine::catalog::CATALOG;
use phasecube::rtl::tdma::PhaseSequencer;
use phasecube::rtl::uart::Uart;
use std::collections::HashSet;

const KEYWORDS: &[&str] = &[
    "always",
    "assign",
    "begin",
    "case",
    "default",
    "else",
    "end",
    "endcase",
    "endmodule",
    "for",
    "if",
    "initial",
    "input",
    "integer",
    "localparam",
    "module",
    "negedge",
    "output",
    "parameter",
    "posedge",
    "reg",
    "wire",
];

const DECLARE: &[&str] = &["integer", "localparam", "parameter", "reg", "wire"];

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !KEYWORDS.contains(&token)
}

/// Returns words, numbers and single characters, without comments, directives, strings and
/// attributes.
fn tokens(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('`'));
    let code: Vec<&str> = lines.map(|l| l.split("//").next().unwrap()).collect();
    let code = code.join("\n").replace("(*", "\u{1}").replace("*)", "\u{2}");
    let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '\'');
    let mut tokens = vec![];
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => while chars.next_if(|c| *c != '"').is_some() {},
            '\u{1}' => while chars.next().is_some_and(|c| c != '\u{2}') {},
            _ if c.is_whitespace() => {}
            _ => {
                let mut token = String::from(c);
                while in_word(c) && chars.peek().is_some_and(|c| in_word(*c)) {
                    token.extend(chars.next());
                }
                tokens.push(token);
            }
        }
    }
    tokens
}

/// Returns the names that are used before their declaration or without one, with their module.
fn undeclared(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut declared: HashSet<&str> = HashSet::new();
    let mut module = "";
    let mut found = vec![];
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        let next = tokens.get(at + 1).map_or("", String::as_str);
        let before = at.checked_sub(1).map_or("", |at| tokens[at].as_str());
        at += 1;
        if token == "module" {
            module = next;
            // The ports and parameters of the module.
            let end = tokens[at..].iter().position(|token| token == ";").unwrap();
            declared = tokens[at..at + end].iter().map(String::as_str).collect();
            at += end;
        } else if DECLARE.contains(&token) {
            // The range before the name may contain other names.
            let mut depth = 0;
            let name = tokens[at..].iter().find(|token| {
                depth += i32::from(*token == "[") - i32::from(*token == "]");
                depth == 0 && is_name(token)
            });
            declared.insert(name.unwrap());
        } else if is_name(token) && is_name(next) {
            // An instance has the name of its module, which is defined elsewhere, and its own name.
            declared.extend([token, next]);
        } else if is_name(token) && before != "." && !declared.contains(token) {
            found.push(format!("{module}: {token}"));
        }
    }
    found
}

#[track_caller]
fn check(name: &str, text: &str) {
    let found = undeclared(text);
    assert!(found.is_empty(), "{name}: {found:?}\n{text}");
    assert!(text.contains("endmodule"), "{name} has no module");
}

/// Checks a design in all forms in which it is printed.
fn check_design(name: &str, design: &Design) {
    check(name, &emit(design).to_string());
    check(name, &publish(design, &publication()).verilog.to_string());
}

#[test]
fn every_design_declares_before_use() {
    for entry in CATALOG {
        check_design(entry.name, &entry.default_design().unwrap());
    }
}

#[test]
fn a_bench_declares_before_use() {
    fn files<C: Circuit + Default>() -> Vec<(String, String)> {
        kit(&publish(&lower(&C::default()).unwrap(), &publication())).unwrap()
    }
    for files in [files::<PhaseSequencer<3>>(), files::<Uart<8>>()] {
        let benches = files.iter().filter(|(name, _)| name.ends_with("_tb.v"));
        let benches: Vec<_> = benches.collect();
        assert_eq!(benches.len(), 1);
        benches.iter().for_each(|(name, text)| check(name, text));
    }
}

/// The check detects each kind of early use, and accepts correct modules.
#[test]
fn a_name_above_its_declaration_is_found() {
    let module = |body: &str| {
        format!("module t (\n    input wire [3:0] a,\n    output reg q\n);\n{body}\nendmodule\n")
    };
    for body in [
        "wire w = a[0]; always @* q = w;",
        "localparam [1:0] P = 2'd1;\nwire [P:0] w;\nassign w = a[P:0]; // v\nu u_2 (\n    .x (w)\n);",
        "(* no_rw_check *) reg [7:0] m [0:3];\ninteger i;\ninitial for (i = 0; i < 4; i = i + 1) m[i] = 8'h0f;",
        "initial $display(\"v %0d\", a);",
    ] {
        assert_eq!(undeclared(&module(body)), [""; 0], "{body}");
    }
    for body in [
        "wire w = v; wire v = a[0];",
        "wire [V:0] w; localparam v = 1;",
        "always @* begin\n    if (v) q = a[1];\nend\nreg v;",
        "assign v = a[0]; wire v;",
        "u u_2 (\n    .x (v)\n);\nwire v;",
        "always @(posedge v) q <= a[0];",
        "always @* q = a[v];",
    ] {
        let found = undeclared(&module(body));
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert!(found[0].eq_ignore_ascii_case("t: v"), "{body}: {found:?}");
    }
    // A name declared in another module does not count.
    let two = module("wire w = a[0];") + &module("always @* q = w;");
    assert_eq!(undeclared(&two), ["t: w"]);
}

/// Block whose source has a `let` with a number, and one named like a port.
#[derive(LogicBlock, Circuit, Default)]
pub struct Stages {
    pub first: Signal<In, Bits<4>>,
    pub stage: Signal<Out, Bits<4>>,
}

impl Logic for Stages {
    #[kernel]
    fn update(&mut self) {
        let stage = self.first.val() + 1;
        let stage_2 = stage ^ 3;
        let stage = stage_2 + stage;
        self.stage.next = stage;
    }
}

/// A reader finds the names of the source. The text for placement has the names of the design.
#[test]
fn a_let_has_the_name_of_its_source() {
    let design = lower(&Stages::default()).unwrap();
    let read = emit(&design).to_string();
    for line in [
        "wire [3:0] stage_value = first + 4'd1;",
        "wire [3:0] stage_2 = stage_value ^ 4'd3;",
        "wire [3:0] stage_value_2 = stage_2 + stage_value;",
    ] {
        assert!(read.contains(line), "{line}: {read}");
    }
    let placed = emit_for_placement(&design).to_string();
    for name in ["stage_2 = ", "stage_2_2 = ", "stage_3 = "] {
        assert!(placed.contains(name), "{name}: {placed}");
    }
}

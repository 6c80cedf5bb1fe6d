//! The netlist that nextpnr placed and routed for an ECP5, with models of its cells written
//! apart, against the circuit: what stands in for a board whose images are not unpacked here.

use crate::boards::{echo, levels, Chip, CLOCKS};
use crate::tools::{builds, TOOLS};
use crate::twin::Twin;
use phasecube::board::flow::Source;
use phasecube::board::{whole_chip, Board};
use phasecube::traffic::SplitMix64;
use serde_json::Value;
use std::fmt::Write;

/// A cell's pin: its net, or 1 where nothing drives it.
fn net(cell: &Value, pin: &str) -> String {
    match &cell["connections"][pin][0] {
        Value::String(constant) => format!("1'b{constant}"),
        Value::Number(number) => format!("n{number}"),
        _ => "1'b1".into(),
    }
}

fn parameter<'a>(cell: &'a Value, name: &str) -> &'a str {
    cell["parameters"][name]
        .as_str()
        .unwrap_or_default()
        .trim_end()
}

/// A pin that can be inverted, or be a constant, by the cell's own multiplexer.
fn chosen(cell: &Value, multiplexer: &str, pin: &str) -> String {
    match parameter(cell, multiplexer) {
        "INV" => format!("~{}", net(cell, pin)),
        "0" => "1'b0".into(),
        "1" => "1'b1".into(),
        _ => net(cell, pin),
    }
}

/// What nextpnr's `--write` holds, in Verilog, as the module `top`.
fn verilog(written: &Value, top: &str) -> String {
    let module = written["modules"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let mut text = String::new();
    let mut ports = vec![];
    for (name, port) in module["ports"].as_object().unwrap() {
        let bits = port["bits"].as_array().unwrap();
        let width = bits.len() - 1;
        let direction = port["direction"].as_str().unwrap();
        ports.push(format!("{direction} wire [{width}:0] {name}"));
        for (i, bit) in bits.iter().enumerate() {
            let _ = match direction {
                "input" => writeln!(text, "assign n{bit} = {name}[{i}];"),
                _ => writeln!(text, "assign {name}[{i}] = n{bit};"),
            };
        }
    }
    for (i, cell) in module["cells"].as_object().unwrap().values().enumerate() {
        let output = |pin: &str| match &cell["connections"][pin][0] {
            Value::Number(number) => format!("n{number}"),
            _ => String::new(),
        };
        let pins = |names: &[&str]| {
            let pins = names
                .iter()
                .map(|pin| format!(".{pin}({})", net(cell, pin)));
            pins.collect::<Vec<_>>().join(", ")
        };
        let _ = match cell["type"].as_str().unwrap() {
            "TRELLIS_COMB" => {
                let mode = parameter(cell, "MODE");
                assert!(["", "LOGIC", "CCU2"].contains(&mode), "mode {mode}");
                let is = |name, value| u32::from(parameter(cell, name) == value);
                // The multiplexer of four lookup tables and more, not of the cell's own two.
                let wide = !output("FXA").is_empty();
                writeln!(
                    text,
                    "placed_comb #(.INITVAL(16'b{}), .CARRY({}), .INJECT({}), .WIDE({})) c{i} \
                     ({}, .F({}), .FCO({}), .OFX({}));",
                    parameter(cell, "INITVAL"),
                    is("MODE", "CCU2"),
                    is("CCU2_INJECT1", "YES"),
                    u32::from(wide),
                    pins(&["A", "B", "C", "D", "M", "FCI", "F1", "FXA", "FXB"]),
                    output("F"),
                    output("FCO"),
                    output("OFX")
                )
            }
            "TRELLIS_FF" => writeln!(
                text,
                "placed_ff #(.SET({}), .ASYNC({}), .OUTSIDE({})) c{i} (.clock({}), .enable({}), .reset({}), {}, .Q({}));",
                u32::from(parameter(cell, "REGSET") == "SET"),
                u32::from(parameter(cell, "SRMODE") == "ASYNC"),
                u32::from(parameter(cell, "SD") == "0"),
                chosen(cell, "CLKMUX", "CLK"),
                chosen(cell, "CEMUX", "CE"),
                match output("LSR").as_str() {
                    "" => "1'b0".into(),
                    _ => chosen(cell, "LSRMUX", "LSR"),
                },
                pins(&["DI", "M"]),
                output("Q")
            ),
            "TRELLIS_IO" => match parameter(cell, "DIR") {
                "INPUT" => writeln!(text, "assign {} = {};", output("O"), net(cell, "B")),
                "OUTPUT" => writeln!(text, "assign {} = {};", output("B"), net(cell, "I")),
                other => panic!("a pad {other:?}"),
            },
            // What only puts a clock on its net passes it on.
            "DCCA" if output("CE").is_empty() => {
                writeln!(text, "assign {} = {};", output("CLKO"), net(cell, "CLKI"))
            }
            "DCCA" => writeln!(text, "DCCA c{i} ({}, .CLKO({}));", pins(&["CLKI", "CE"]), output("CLKO")),
            "EHXPLLL" => {
                let number = |name: &str| u32::from_str_radix(parameter(cell, name), 2).unwrap();
                writeln!(
                    text,
                    "EHXPLLL #(.CLKOS_ENABLE(\"{}\"), .CLKOP_DIV({}), .CLKOS_DIV({}), .CLKOP_CPHASE({}), \
                     .CLKOS_CPHASE({})) c{i} (.CLKI({}), .RST(1'b0), .STDBY(1'b0), .CLKOP({}), .CLKOS({}), .LOCK({}));",
                    parameter(cell, "CLKOS_ENABLE"),
                    number("CLKOP_DIV"),
                    number("CLKOS_DIV"),
                    number("CLKOP_CPHASE"),
                    number("CLKOS_CPHASE"),
                    net(cell, "CLKI"),
                    output("CLKOP"),
                    output("CLKOS"),
                    output("LOCK")
                )
            }
            other => panic!("a cell of the kind {other}"),
        };
    }
    let nets: std::collections::BTreeSet<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.starts_with('n') && word[1..].parse::<u32>().is_ok())
        .collect();
    let nets: String = nets.iter().map(|net| format!("wire {net};\n")).collect();
    format!(
        "module {top} ({});\n{nets}{text}endmodule\n",
        ports.join(", ")
    )
}

/// In every clock cycle the placed netlist shows what the circuit shows, on bytes and on
/// noise: lookup tables, carries, flip-flops and their starts are what was meant.
#[test]
fn the_placed_netlist_of_an_ecp5_is_the_circuit_in_every_clock_cycle() {
    for (name, low_leds) in [("ulx3s", 0), ("colorlight-i5", 1)] {
        let board = Board::named(name).unwrap();
        let design = echo(board);
        let top = whole_chip(board, &design).unwrap();
        let source = Source {
            verilog: &top.text,
            top: &top.name,
            constraints: board.constraints,
            mhz: design.clock_mhz(),
        };
        let made = board.flow.make(&TOOLS, &source, builds()).unwrap();
        let written = std::fs::read(made.netlist).unwrap();
        let text = verilog(&serde_json::from_slice(&written).unwrap(), &top.name);

        let mut random = SplitMix64::new(7);
        let mut rx = vec![true; 400];
        for _ in 0..40 {
            rx.extend(levels(&[random.next_u64() as u8]));
            rx.extend(vec![true; random.below(60) as usize]);
        }
        for _ in 0..200 {
            let level = random.below(2) == 1;
            rx.extend(vec![level; 1 + random.below(CLOCKS as u64 + 15) as usize]);
        }
        let seen = Chip::of(board, &text, &top.name).run(false, &rx);
        let expected = Twin::new(design.circuit()).run(&rx);
        let mut changes = 0;
        for (i, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(seen.tx, expected.tx, "{name}, in clock cycle {i}");
            assert_eq!(
                seen.led ^ low_leds,
                expected.led,
                "{name}, in clock cycle {i}"
            );
            changes += usize::from(i > 0 && expected.led != 0);
        }
        assert!(changes > 1000, "something was received");
    }
}

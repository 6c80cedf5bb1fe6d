//! The netlist that nextpnr placed and routed for an ECP5, compared with the circuit. The models of
//! its cells are independent of the project. This replaces the check of image bits for boards whose
//! images are not unpacked.

use crate::board::boards::{echo, levels, TopModuleModel, CLOCKS};
use crate::board::virtual_echo::same_session;
use crate::board::{builds, design, BoardReference, TOOLS};
use phasecube::board::flow::FlowInput;
use phasecube::board::lines::BoardTextLine;
use phasecube::board::{
    chip_verilog, expected, Board, BoardDesign, BoardDesignName, Transcript, DEFAULT_SEED,
};
use phasecube::traffic::SplitMix64;
use serde_json::Value;
use std::fmt::Write;

/// Returns the net of a cell's pin, or 1 if nothing drives it.
fn net(cell: &Value, pin: &str) -> String {
    match &cell["connections"][pin][0] {
        Value::String(constant) => format!("1'b{constant}"),
        Value::Number(number) => format!("n{number}"),
        _ => "1'b1".into(),
    }
}

fn parameter<'a>(cell: &'a Value, name: &str) -> &'a str {
    cell["parameters"][name].as_str().unwrap_or_default().trim_end()
}

/// Returns the value of a pin that the cell's own multiplexer can invert or tie to a constant.
fn chosen(cell: &Value, multiplexer: &str, pin: &str) -> String {
    match parameter(cell, multiplexer) {
        "INV" => format!("~{}", net(cell, pin)),
        "0" => "1'b0".into(),
        "1" => "1'b1".into(),
        _ => net(cell, pin),
    }
}

/// Returns the value of a block RAM pin. Its multiplexer has the pin's name.
fn selected(cell: &Value, pin: &str) -> String {
    chosen(cell, &format!("{pin}MUX"), pin)
}

/// Models a block RAM as far as designs use it: one clock, no output registers, no reset, always
/// selected.
fn block_ram(cell: &Value, number: usize) -> String {
    for port in ["A", "B"] {
        let is = |name: &str, value| assert_eq!(parameter(cell, &format!("{name}{port}")), value);
        is("REGMODE_", "NOREG");
        is("CSDECODE_", "0b000");
        assert_eq!(parameter(cell, &format!("CLK{port}MUX")), format!("CLK{port}"));
        for pin in ["RST@", "CS@0", "CS@1", "CS@2"] {
            let pin = pin.replace('@', port);
            assert_eq!(selected(cell, &pin), "~1'b1", "{pin} of a block RAM");
        }
    }
    assert_eq!(net(cell, "CLKA"), net(cell, "CLKB"), "two clocks");
    let bus = |name: &str, width: usize| {
        let pins = (0..width).rev().map(|i| selected(cell, &format!("{name}{i}")));
        pins.collect::<Vec<_>>().join(", ")
    };
    let outputs = |name: &str| {
        let pins = (0..18).rev().map(|i| net(cell, &format!("{name}{i}")));
        pins.collect::<Vec<_>>().join(", ")
    };
    let width = |port| {
        let bits = parameter(cell, &format!("DATA_WIDTH_{port}"));
        u32::from_str_radix(bits, 2).unwrap()
    };
    let hold = |port| match parameter(cell, &format!("WRITEMODE_{port}")) {
        "NORMAL" => 1,
        // A 36-bit port does not read and write at the same time.
        "READBEFOREWRITE" | "" => 0,
        other => panic!("a block RAM's port with {other}"),
    };
    let begins = (0..64).rev().map(|i| {
        let bits = parameter(cell, &format!("INITVAL_{i:02X}"));
        assert_eq!(bits.len(), 320, "bits of sixteen rows");
        bits
    });
    let begins: String = begins.collect();
    let ports = ["a", "b"].map(|port| {
        let pin = port.to_uppercase();
        format!(
            ".enable_{port}({}), .write_{port}({}), .address_{port}({{{}}}), .in_{port}({{{}}}), \
             .out_{port}({{{}}})",
            selected(cell, &format!("CE{pin}")),
            selected(cell, &format!("WE{pin}")),
            bus(&format!("AD{pin}"), 14),
            bus(&format!("DI{pin}"), 18),
            outputs(&format!("DO{pin}"))
        )
    });
    format!(
        "placed_ram #(.INITVAL(20480'b{begins}), .WIDTH_A({}), .WIDTH_B({}), .HOLD_A({}), .HOLD_B({})) \
         c{number} (.clock({}), {});",
        width("A"),
        width("B"),
        hold("A"),
        hold("B"),
        net(cell, "CLKA"),
        ports.join(", ")
    )
}

/// Translates the output of nextpnr's `--write` to Verilog, as the module `top`.
fn verilog(written: &Value, top: &str) -> String {
    let module = written["modules"].as_object().unwrap().values().next().unwrap();
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
            let pins = names.iter().map(|pin| format!(".{pin}({})", net(cell, pin)));
            pins.collect::<Vec<_>>().join(", ")
        };
        let _ = match cell["type"].as_str().unwrap() {
            // A lookup table used as a memory of 16 bits. nextpnr puts bit 0 of its address on D,
            // and bits 1 to 3 on B, C and A.
            "TRELLIS_COMB" if parameter(cell, "MODE") == "DPRAM" => {
                let begins = parameter(cell, "INITVAL");
                // The order of the bits does not matter: all of them are equal.
                assert!(begins == "0".repeat(16) || begins == "1".repeat(16), "{begins}");
                writeln!(
                    text,
                    "placed_bits #(.INITVAL(16'b{begins})) c{i} (.clock({}), .write({}), .write_at({{{}, {}, {}, {}}}), .in({}), \
                     .at({{{}, {}, {}, {}}}), .out({}));",
                    chosen(cell, "WCKMUX", "WCK"),
                    chosen(cell, "WREMUX", "WRE"),
                    net(cell, "WAD3"),
                    net(cell, "WAD2"),
                    net(cell, "WAD1"),
                    net(cell, "WAD0"),
                    net(cell, "WD"),
                    net(cell, "A"),
                    net(cell, "C"),
                    net(cell, "B"),
                    net(cell, "D"),
                    output("F")
                )
            }
            // A lookup table that is occupied by the write port of such a memory.
            "TRELLIS_COMB" if parameter(cell, "MODE") == "RAMW_BLOCK" => {
                assert_eq!(output("F"), "", "it does nothing");
                Ok(())
            }
            // The write data and write address of four of these memories pass through its pins.
            "TRELLIS_RAMW" => {
                let routes = [
                    ("WADO0", "D0"),
                    ("WADO1", "B0"),
                    ("WADO2", "C0"),
                    ("WADO3", "A0"),
                    ("WDO0", "C1"),
                    ("WDO1", "A1"),
                    ("WDO2", "D1"),
                    ("WDO3", "B1"),
                ];
                let routes = routes.iter().filter(|(to, _)| !output(to).is_empty());
                let routes = routes.map(|(to, from)| {
                    format!("assign {} = {};\n", output(to), net(cell, from))
                });
                write!(text, "{}", routes.collect::<String>())
            }
            "TRELLIS_COMB" => {
                let mode = parameter(cell, "MODE");
                assert!(["", "LOGIC", "CCU2"].contains(&mode), "mode {mode}");
                let is = |name, value| u32::from(parameter(cell, name) == value);
                // The multiplexer of four or more lookup tables, not the one of the cell's own two.
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
            "DP16KD" => writeln!(text, "{}", block_ram(cell, i)),
            // A clock buffer that is always enabled passes its clock on.
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
    format!("module {top} ({});\n{nets}{text}endmodule\n", ports.join(", "))
}

/// Places a design for a board and returns a model of the netlist. The image is made from the same
/// netlist.
fn placed(board: &Board, design: &BoardDesign) -> TopModuleModel {
    let top = chip_verilog(board, design).unwrap();
    let source = FlowInput {
        verilog: &top.text,
        top: &top.name,
        constraints: board.constraints,
        mhz: design.clock_mhz(),
        seed: DEFAULT_SEED,
    };
    let made = board.flow.make(&TOOLS, &source, builds()).unwrap();
    let slow = made.placement.too_slow();
    assert_eq!(slow, None, "{} is too slow", top.name);
    let written = std::fs::read(made.netlist).unwrap();
    let text = verilog(&serde_json::from_slice(&written).unwrap(), &top.name);
    TopModuleModel::of(board, &text, &top.name)
}

#[test]
#[ignore = "thorough: places designs"]
fn the_placed_netlist_of_a_3_cube_is_the_circuit_in_every_clock_cycle() {
    placed_cube("colorlight-i5", 3, "complement 7");
}

#[test]
#[ignore = "thorough: places designs"]
fn the_placed_netlist_of_a_5_cube_is_the_circuit_in_every_clock_cycle() {
    placed_cube("colorlight-i5", 5, "complement 7");
}

/// The state of 64 nodes is in memories of lookup tables.
#[test]
#[ignore = "thorough: places designs"]
fn the_placed_netlist_of_a_6_cube_is_the_circuit_in_every_clock_cycle() {
    placed_cube("colorlight-i5", 6, "complement 33");
}

/// Four groups of 64 nodes, and messages over links between groups. Lockstep takes too long for two
/// boards of this size, so the circuit is Verilator's model of its Verilog. The thorough tier skips
/// this test:
///
/// ```text
/// cargo test --release --test sim -- --ignored --nocapture by_command_the_placed_netlist_of_the_8_cube
/// ```
#[test]
#[ignore = "by command: half an hour"]
fn by_command_the_placed_netlist_of_the_8_cube_is_the_circuit_in_every_clock_cycle() {
    let (board, design) = cube("ulx3s", 8);
    let verilog = chip_verilog(board, &design).unwrap();
    let mut circuit = TopModuleModel::of(board, &verilog.text, &verilog.name);
    let mut placed = placed(board, &design);
    let lines = same_session(|rx| circuit.run(rx), |rx| placed.run(rx), &["complement 192"]);
    check_run(&lines);
}

fn cube(board: &str, dims: u32) -> (&'static Board, BoardDesign) {
    (Board::named(board).unwrap(), design(BoardDesignName::Cube, dims))
}

/// Runs messages on a cube with its host and the programs in block RAMs. The placed netlist shows
/// the same outputs as the circuit.
fn placed_cube(board: &str, dims: u32, command: &str) {
    let (board, design) = cube(board, dims);
    let mut circuit = BoardReference::new(design.circuit());
    let mut placed = placed(board, &design);
    let lines = same_session(|rx| circuit.run(rx), |rx| placed.run(rx), &[command]);
    check_run(&lines);
}

/// Checks that a board reported a run, with the same result as the simulated machine, which has
/// neither core nor program.
fn check_run(lines: &[BoardTextLine]) {
    let mut transcript = Transcript::default();
    lines.iter().for_each(|line| transcript.push(line));
    assert_eq!(transcript.fault(), None, "{lines:#?}");
    let [run] = &transcript.runs[..] else {
        panic!("one run was requested: {lines:#?}");
    };
    let simulated = expected::expected_run(run).unwrap();
    assert_eq!(expected::difference(run, &simulated), None);
}

/// In every clock cycle the placed netlist shows the circuit's outputs, on bytes and on noise. This
/// covers lookup tables, carries, flip-flops and their initial values.
#[test]
#[ignore = "thorough: places designs"]
fn the_placed_netlist_of_an_ecp5_is_the_circuit_in_every_clock_cycle() {
    for name in ["ulx3s", "colorlight-i5"] {
        let board = Board::named(name).unwrap();
        let design = echo(board);
        let mut chip = placed(board, &design);

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
        let seen = chip.run(&rx);
        let expected = BoardReference::new(design.circuit()).run(&rx);
        let mut changes = 0;
        for (i, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(seen, expected, "{name}, in clock cycle {i}");
            changes += usize::from(i > 0 && expected.led != 0);
        }
        assert!(changes > 1000, "something was received");
    }
}

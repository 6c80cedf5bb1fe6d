//! Converts the netlist that nextpnr placed and routed to Verilog for Verilator, with its PLL and
//! RAMs.
//!
//! The image was packed from this netlist. The netlist contains each logic cell, block RAM and pin
//! with their connections. The result of packing, the bits, is visible only in
//! [`unpacked`](super::unpacked).

use super::unpacked::{PllSettings, UnpackedImage, UnsupportedImage};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Converts the output of nextpnr's `--write` to the module `top`.
pub fn read(written: &Value, top: &str) -> Result<UnpackedImage, UnsupportedImage> {
    let modules = written["modules"].as_object();
    let module = modules.and_then(|modules| modules.values().next());
    let parts = module.and_then(|module| {
        let (ports, cells) = (module["ports"].as_object()?, module["cells"].as_object()?);
        Some((ports, cells))
    });
    let Some((ports, cells)) = parts else {
        return Err(UnsupportedImage("no cells or ports".into()));
    };
    let mut text = VerilogText::default();
    for (name, port) in ports {
        text.port(name, port)?;
    }
    for (name, cell) in cells {
        text.cell(&NetlistCell { name, cell })?;
    }
    let [pll] = text.plls[..] else {
        let found = text.plls.len();
        return Err(UnsupportedImage(format!("{found} PLLs instead of one")));
    };
    if !text.reloads {
        return Err(UnsupportedImage("no reload signal".into()));
    }
    Ok(UnpackedImage { verilog: text.module(top), pll, rams: text.rams })
}

struct NetlistCell<'a> {
    name: &'a str,
    cell: &'a Value,
}

impl NetlistCell<'_> {
    /// Net at a pin, or `None` if the pin is open.
    fn net(&self, pin: &str) -> Option<String> {
        match &self.cell["connections"][pin][0] {
            Value::String(constant) => Some(format!("1'b{constant}")),
            net => Some(format!("n{}", net.as_u64()?)),
        }
    }

    /// Net at an input, or the default level of an open one.
    fn input(&self, pin: &str, open: &str) -> String {
        self.net(pin).unwrap_or_else(|| open.into())
    }

    /// Nets at the pins `pin_0` .. of a vector of `width` bits, the highest first.
    fn vector(&self, pin: &str, width: usize) -> String {
        let nets: Vec<String> =
            (0..width).rev().map(|i| self.input(&format!("{pin}_{i}"), LOW)).collect();
        format!("{{{}}}", nets.join(", "))
    }

    /// Bits of a parameter, the lowest first, padded with 0.
    fn bits(&self, name: &str, width: usize) -> Vec<bool> {
        let text = self.cell["parameters"][name].as_str().unwrap_or_default();
        let mut bits: Vec<bool> = text.chars().rev().map(|c| c == '1').collect();
        bits.resize(width, false);
        bits
    }

    fn number(&self, name: &str) -> u32 {
        let bits = self.bits(name, 32);
        (0..32).map(|i| u32::from(bits[i]) << i).sum()
    }

    fn is_set(&self, name: &str) -> bool {
        self.bits(name, 1)[0]
    }

    fn unexpected<T>(&self, what: &str) -> Result<T, UnsupportedImage> {
        Err(UnsupportedImage(format!("{what}: {}", self.name)))
    }
}

const LOW: &str = "1'b0";
const HIGH: &str = "1'b1";

/// Parts of the module text.
#[derive(Default)]
struct VerilogText {
    ports: Vec<String>,
    declarations: String,
    body: String,
    /// Nets driven by flip-flops. `wires` are all other driven nets.
    registers: BTreeSet<String>,
    wires: BTreeSet<String>,
    plls: Vec<PllSettings>,
    rams: Vec<Vec<u16>>,
    reloads: bool,
}

impl VerilogText {
    fn assign(&mut self, net: Option<String>, value: &str) {
        if let Some(net) = net {
            let _ = writeln!(self.body, "assign {net} = {value};");
            self.wires.insert(net);
        }
    }

    /// Adds a chip pin for each bit of a port. Bits of a vector are named as in icebox_vlog.
    fn port(&mut self, name: &str, port: &Value) -> Result<(), UnsupportedImage> {
        let (input, bits) = match (port["direction"].as_str(), port["bits"].as_array()) {
            (Some(direction @ ("input" | "output")), Some(bits)) => (direction == "input", bits),
            _ => return Err(UnsupportedImage(format!("a port that cannot be read: {name}"))),
        };
        for (i, bit) in bits.iter().enumerate() {
            let pin = match bits.len() {
                1 => name.to_owned(),
                _ => format!("\\{name}[{i}] "),
            };
            let net = format!("n{bit}");
            if input {
                let _ = writeln!(self.declarations, "input {pin};");
                self.assign(Some(net), &pin);
            } else {
                let _ = writeln!(self.declarations, "output {pin};");
                let _ = writeln!(self.body, "assign {pin} = {net};");
            }
            self.ports.push(pin);
        }
        Ok(())
    }

    fn cell(&mut self, cell: &NetlistCell) -> Result<(), UnsupportedImage> {
        match cell.cell["type"].as_str().unwrap_or_default() {
            "ICESTORM_LC" => self.logic(cell),
            "ICESTORM_RAM" => self.ram(cell),
            "ICESTORM_PLL" => return self.pll(cell),
            "SB_IO" => return self.pad(cell),
            "SB_GB" => self.assign(
                cell.net("GLOBAL_BUFFER_OUTPUT"),
                &cell.input("USER_SIGNAL_TO_GLOBAL_BUFFER", LOW),
            ),
            "SB_WARMBOOT" => {
                let [boot, s1, s0] = ["BOOT", "S1", "S0"].map(|pin| cell.input(pin, LOW));
                let _ = writeln!(self.body, "assign reload = {boot} & ~{s1} & ~{s0};");
                self.reloads = true;
            }
            other => return cell.unexpected(&format!("a cell of the unknown kind {other:?}")),
        }
        Ok(())
    }

    /// Adds a logic cell: carry, lookup table, and flip-flop, which starts as 0.
    fn logic(&mut self, cell: &NetlistCell) {
        let inputs = ["I0", "I1", "I2", "I3"].map(|pin| cell.input(pin, LOW));
        if cell.is_set("CARRY_ENABLE") {
            let carry = match (cell.is_set("CIN_CONST"), cell.is_set("CIN_SET")) {
                (false, _) => cell.input("CIN", LOW),
                (true, false) => LOW.into(),
                (true, true) => HIGH.into(),
            };
            let [_, a, b, _] = &inputs;
            let sum = format!("({a} & {b}) | (({a} | {b}) & {carry})");
            self.assign(cell.net("COUT"), &sum);
        }
        let value = table(&cell.bits("LUT_INIT", 16), &inputs);
        self.assign(cell.net("LO"), &value);
        if !cell.is_set("DFF_ENABLE") {
            return self.assign(cell.net("O"), &value);
        }
        let Some(out) = cell.net("O") else { return };
        let edge = if cell.is_set("NEG_CLK") { "negedge" } else { "posedge" };
        let clock = cell.input("CLK", LOW);
        let set = if cell.is_set("SET_NORESET") { HIGH } else { LOW };
        let enabled = match cell.net("CEN") {
            Some(enable) => format!("if ({enable}) "),
            None => String::new(),
        };
        let _ = match (cell.net("SR"), cell.is_set("ASYNC_SR")) {
            (None, _) => writeln!(self.body, "always @({edge} {clock}) {enabled}{out} <= {value};"),
            (Some(reset), false) => writeln!(
                self.body,
                "always @({edge} {clock}) {enabled}{out} <= {reset} ? {set} : {value};"
            ),
            (Some(reset), true) => writeln!(
                self.body,
                "always @({edge} {clock}, posedge {reset}) \
                 if ({reset}) {out} <= {set}; else {enabled}{out} <= {value};"
            ),
        };
        self.registers.insert(out);
    }

    /// Adds a block RAM as an instance of yosys's model.
    fn ram(&mut self, cell: &NetlistCell) {
        let number = self.rams.len();
        let read = format!("ram_{number}_read");
        let _ = writeln!(self.declarations, "wire [15:0] {read};");
        let mut words = vec![];
        let mut parameters = vec![];
        for name in ["READ_MODE", "WRITE_MODE"] {
            parameters.push(format!(".{name}({})", cell.number(name)));
        }
        for i in 0..16 {
            let row = cell.bits(&format!("INIT_{i:X}"), 256);
            let word = |bits: &[bool]| (0..16).map(|i| u16::from(bits[i]) << i).sum::<u16>();
            let row: Vec<u16> = row.chunks(16).map(word).collect();
            let digits: String = row.iter().rev().map(|word| format!("{word:04x}")).collect();
            parameters.push(format!(".INIT_{i:X}(256'h{digits})"));
            words.extend(row);
        }
        self.rams.push(words);
        let clock = |pin: &str, inverted: &str| match cell.is_set(inverted) {
            true => format!("~{}", cell.input(pin, LOW)),
            false => cell.input(pin, LOW),
        };
        let _ = writeln!(
            self.body,
            "SB_RAM40_4K #({}) ram_{number} (.RDATA({read}), .RCLK({}), .RCLKE({}), .RE({}), .RADDR({}), \
             .WCLK({}), .WCLKE({}), .WE({}), .WADDR({}), .MASK({}), .WDATA({}));",
            parameters.join(", "),
            clock("RCLK", "NEG_CLK_R"),
            cell.input("RCLKE", HIGH),
            cell.input("RE", LOW),
            cell.vector("RADDR", 11),
            clock("WCLK", "NEG_CLK_W"),
            cell.input("WCLKE", HIGH),
            cell.input("WE", LOW),
            cell.vector("WADDR", 11),
            cell.vector("MASK", 16),
            cell.vector("WDATA", 16),
        );
        for i in 0..16 {
            self.assign(cell.net(&format!("RDATA_{i}")), &format!("{read}[{i}]"));
        }
    }

    /// Adds a PLL with simple feedback.
    fn pll(&mut self, cell: &NetlistCell) -> Result<(), UnsupportedImage> {
        if cell.number("FEEDBACK_PATH") != 1 {
            return cell.unexpected("a PLL whose feedback is not simple");
        }
        self.plls.push(PllSettings {
            divr: cell.number("DIVR"),
            divf: cell.number("DIVF"),
            divq: cell.number("DIVQ"),
        });
        self.declarations += "wire pll_out, pll_lock;\n";
        let _ = writeln!(
            self.body,
            "SB_PLL40_CORE pll (.REFERENCECLK({}), .PLLOUTCORE(pll_out), .EXTFEEDBACK(1'b0), \
             .DYNAMICDELAY(8'b0), .LOCK(pll_lock), .BYPASS({}), .RESETB({}), .LATCHINPUTVALUE(1'b0), \
             .SDO(), .SDI(1'b0), .SCLK(1'b0));",
            cell.input("REFERENCECLK", LOW),
            cell.input("BYPASS", LOW),
            cell.input("RESETB", HIGH),
        );
        self.assign(cell.net("PLLOUT_A"), "pll_out");
        self.assign(cell.net("PLLOUT_A_GLOBAL"), "pll_out");
        self.assign(cell.net("LOCK"), "pll_lock");
        Ok(())
    }

    /// Adds a pad without registers.
    fn pad(&mut self, cell: &NetlistCell) -> Result<(), UnsupportedImage> {
        match cell.number("PIN_TYPE") {
            0b000001 => self.assign(cell.net("D_IN_0"), &cell.input("PACKAGE_PIN", LOW)),
            0b011001 => self.assign(cell.net("PACKAGE_PIN"), &cell.input("D_OUT_0", LOW)),
            other => return cell.unexpected(&format!("a pad of the unknown kind {other:06b}")),
        }
        Ok(())
    }

    fn module(&self, top: &str) -> String {
        let mut text = format!("module {top} ({}, reload);\n", self.ports.join(", "));
        text += &self.declarations;
        text += "output reload;\n";
        for net in &self.wires {
            let _ = writeln!(text, "wire {net};");
        }
        for net in &self.registers {
            let _ = writeln!(text, "reg {net} = 1'b0;");
        }
        text + &self.body + "endmodule\n"
    }
}

/// Lookup table as an expression. `bits` has one entry per value of the inputs. The last input is
/// the highest digit.
fn table(bits: &[bool], inputs: &[String]) -> String {
    let Some((last, others)) = inputs.split_last() else {
        return if bits[0] { HIGH } else { LOW }.into();
    };
    let (low, high) = bits.split_at(bits.len() / 2);
    let (low, high) = (table(low, others), table(high, others));
    match (&low[..], &high[..]) {
        _ if low == high => low,
        (LOW, HIGH) => last.clone(),
        (HIGH, LOW) => format!("~{last}"),
        _ => format!("({last} ? {high} : {low})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written() -> Value {
        let logic = |parameters: Value, connections: Value| json!({"type": "ICESTORM_LC", "parameters": parameters, "connections": connections});
        json!({"modules": {"top": {
            "ports": {
                "crystal": {"direction": "input", "bits": [1]},
                "led": {"direction": "output", "bits": [2, 3]}
            },
            "cells": {
                "and": logic(
                    json!({"LUT_INIT": "1000100010001000", "DFF_ENABLE": "0"}),
                    json!({"I0": [4], "I1": [5], "I2": [], "I3": [], "O": [6]})
                ),
                "state": logic(
                    json!({"LUT_INIT": "0101010101010101", "DFF_ENABLE": "1", "SET_NORESET": "1",
                           "NEG_CLK": "1"}),
                    json!({"I0": [6], "O": [7], "CLK": [4], "CEN": [5], "SR": [6]})
                ),
                "carry": logic(
                    json!({"LUT_INIT": "0", "CARRY_ENABLE": "1", "CIN_CONST": "1", "CIN_SET": "1"}),
                    json!({"I1": [6], "I2": [7], "COUT": [8], "O": []})
                ),
                "pll": {"type": "ICESTORM_PLL",
                    "parameters": {"DIVR": "0", "DIVF": "0111", "DIVQ": "101", "FEEDBACK_PATH": "001"},
                    "connections": {"REFERENCECLK": [1], "PLLOUT_A": [4], "LOCK": [5]}},
                "ram": {"type": "ICESTORM_RAM",
                    "parameters": {"READ_MODE": "11", "INIT_1": "10000000000000101"},
                    "connections": {"RDATA_3": [9], "RADDR_0": [7], "RCLK": [4]}},
                "pad": {"type": "SB_IO", "parameters": {"PIN_TYPE": "011001"},
                    "connections": {"PACKAGE_PIN": [2], "D_OUT_0": [7]}},
                "boot": {"type": "SB_WARMBOOT", "parameters": {},
                    "connections": {"BOOT": [8], "S0": [6], "S1": []}}
            }
        }}})
    }

    #[test]
    fn cells_become_plain_verilog() {
        let read = read(&written(), "image").unwrap();
        for line in [
            "module image (crystal, \\led[0] , \\led[1] , reload);",
            "assign n1 = crystal;",
            "assign \\led[0]  = n2;",
            "reg n7 = 1'b0;",
            "assign n6 = (n5 ? n4 : 1'b0);",
            "always @(negedge n4) if (n5) n7 <= n6 ? 1'b1 : ~n6;",
            "assign n8 = (n6 & n7) | ((n6 | n7) & 1'b1);",
            "assign n9 = ram_0_read[3];",
            "assign n2 = n7;",
            "assign reload = n8 & ~1'b0 & ~n6;",
        ] {
            assert!(
                read.verilog.lines().any(|other| other == line),
                "no {line} in\n{}",
                read.verilog
            );
        }
    }

    #[test]
    fn settings_and_contents_are_read() {
        let read = read(&written(), "image").unwrap();
        assert_eq!(read.pll.mhz(100), 25.0);
        assert_eq!(read.rams.len(), 1);
        let mut words = vec![0; 256];
        (words[16], words[17]) = (5, 1);
        assert_eq!(read.rams[0], words);
    }

    #[test]
    fn the_error_names_an_unknown_cell() {
        let changed = |cell: &str, with: Value| {
            let mut written = written();
            written["modules"]["top"]["cells"][cell] = with;
            read(&written, "image").unwrap_err().to_string()
        };
        let error = changed("pad", json!({"type": "SB_MAC16"}));
        assert!(error.contains("SB_MAC16") && error.contains("pad"), "{error}");
        let error = changed("pad", json!({"type": "SB_IO", "parameters": {"PIN_TYPE": "0"}}));
        assert!(error.contains("a pad of the unknown kind 000000"), "{error}");
        let error = changed("pll", json!({"type": "ICESTORM_PLL"}));
        assert!(error.contains("feedback"), "{error}");
        let error = changed("boot", json!({"type": "SB_GB"}));
        assert!(error.contains("no reload signal"), "{error}");
        assert!(read(&json!({}), "image").is_err());
    }
}

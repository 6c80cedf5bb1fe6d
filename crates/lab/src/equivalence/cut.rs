//! Removes the state from the emitted Verilog as yosys reads it. Flip-flops and memories become
//! ports with the same names as in [`rtlil`](super::rtlil).
//!
//! Properties that do not depend on inputs are compared here: the set of flip-flops and memories,
//! their clock, and their initial values.

use super::json::bits;
use super::rtlil::{MemoryName, RegisterName, SharedNames};
use lockstep::netlist::{Netlist, NetlistMemory, Register};
use num_bigint::BigUint;
use serde_json::{json, Map, Value};
use std::collections::{BTreeSet, HashMap};

/// Name of the module.
pub const MODULE: &str = "verilog";

/// Input whose bits replace undefined bits of the Verilog and may have any value.
pub const UNDEFINED_INPUT: &str = "undefined$bits";

/// Verilog without state, in yosys's JSON.
pub struct StatelessVerilog {
    pub json: Value,
    /// Number of undefined bits.
    pub free: u32,
}

/// Cells without state, for which yosys computes one output value for any input.
const COMBINATIONAL: &[&str] = &[
    "$not",
    "$pos",
    "$neg",
    "$and",
    "$or",
    "$xor",
    "$xnor",
    "$reduce_and",
    "$reduce_or",
    "$reduce_xor",
    "$reduce_xnor",
    "$reduce_bool",
    "$shl",
    "$shr",
    "$shiftx",
    "$lt",
    "$le",
    "$eq",
    "$ne",
    "$ge",
    "$gt",
    "$add",
    "$sub",
    "$mul",
    "$logic_not",
    "$logic_and",
    "$logic_or",
    "$mux",
    "$pmux",
];

/// Removes the state from module `top` of yosys's JSON.
///
/// # Errors
/// If the state differs from the netlist's.
pub fn cut(
    written: &mut Value,
    (top, clock): (&str, Option<&str>),
    netlist: &Netlist,
    names: &SharedNames,
) -> Result<StatelessVerilog, Vec<String>> {
    let module = written["modules"][top].take();
    ports(&module, clock, names)?;
    let mut circuit = StateCutter::new(module, clock)?;
    for (register, held) in netlist.registers.iter().zip(&names.state.registers) {
        circuit.register(register, held, netlist.width(register.q));
    }
    for (memory, words) in netlist.memories.iter().zip(&names.state.memories) {
        circuit.memory(memory, words);
    }
    circuit.check_remaining_flip_flops();
    match circuit.errors.is_empty() {
        true => Ok(circuit.finish(names)),
        false => Err(circuit.errors),
    }
}

/// Compares the ports with the netlist's ports and the clock.
fn ports(module: &Value, clock: Option<&str>, names: &SharedNames) -> Result<(), Vec<String>> {
    let printed = |name: &str, input: bool, width: usize| {
        let direction = if input { "input" } else { "output" };
        format!("{direction} {name} of {width} bits")
    };
    let wanted = names.ports.iter();
    let wanted = wanted.map(|port| printed(&port.name, port.input, port.width as usize));
    let wanted: BTreeSet<String> =
        wanted.chain(clock.map(|clock| printed(clock, true, 1))).collect();
    let found = module["ports"].as_object().into_iter().flatten();
    let found: BTreeSet<String> = found
        .map(|(name, port)| printed(name, port["direction"] == "input", bits(&port["bits"]).len()))
        .collect();
    let missing = wanted.difference(&found);
    let missing = missing.map(|port| format!("the Verilog has no {port}"));
    let more = found.difference(&wanted);
    let more = more.map(|port| format!("the netlist has no {port}"));
    let wrong: Vec<String> = missing.chain(more).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong),
    }
}

/// Bits in yosys's JSON: a number, or a string for a constant.
type JsonBits = Vec<Value>;

struct StateCutter {
    nets: Map<String, Value>,
    cells: Map<String, Value>,
    clock: Value,
    /// Input of each flip-flop, by the number of its output.
    flip_flops: HashMap<u64, Value>,
    memories: Vec<Value>,
    inputs: Vec<(String, JsonBits)>,
    outputs: Vec<(String, JsonBits)>,
    next: u64,
    errors: Vec<String>,
}

/// Value of a numeric parameter.
fn number(cell: &Value, name: &str) -> Option<BigUint> {
    let text = cell["parameters"][name].as_str()?;
    BigUint::parse_bytes(text.as_bytes(), 2)
}

/// The lowest `width` bits of a word in yosys's notation, the lowest last.
fn binary(word: &BigUint, width: u32) -> String {
    let bits = (0..width).rev();
    bits.map(|i| if word.bit(i.into()) { '1' } else { '0' }).collect()
}

impl StateCutter {
    fn new(module: Value, clock: Option<&str>) -> Result<StateCutter, Vec<String>> {
        let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let (nets, cells) = (object(&module["netnames"]), object(&module["cells"]));
        let clock = match clock {
            Some(clock) => nets[clock]["bits"][0].clone(),
            None => Value::Null,
        };
        let mut circuit = StateCutter {
            clock,
            flip_flops: HashMap::new(),
            memories: vec![],
            inputs: vec![],
            outputs: vec![],
            next: 1 + highest(&nets),
            errors: vec![],
            nets: Map::new(),
            cells: Map::new(),
        };
        for (name, cell) in cells {
            circuit.sort_cell(name, cell);
        }
        for (name, net) in nets {
            if net["hide_name"] == 0 {
                circuit.nets.insert(name, net);
            }
        }
        match circuit.errors.is_empty() {
            true => Ok(circuit),
            false => Err(circuit.errors),
        }
    }

    /// Keeps a combinational cell, or records the properties of a state cell.
    fn sort_cell(&mut self, name: String, cell: Value) {
        let pins = &cell["connections"];
        match cell["type"].as_str().unwrap_or_default() {
            "$dff" => {
                let rises = cell["parameters"]["CLK_POLARITY"] == "1";
                if !rises || pins["CLK"][0] != self.clock {
                    self.errors.push(format!("the flip-flop {name} has another clock"));
                }
                for (q, d) in bits(&pins["Q"]).iter().zip(bits(&pins["D"])) {
                    if let Some(q) = q.as_u64() {
                        self.flip_flops.insert(q, d);
                    }
                }
            }
            "$mem_v2" => self.memories.push(cell),
            "$scopeinfo" => {}
            kind if COMBINATIONAL.contains(&kind) => {
                if kind == "$shiftx" && !shift_index_in_range(&cell) {
                    let wrong = format!("the index of {name} can lie outside of its word");
                    self.errors.push(wrong);
                }
                self.cells.insert(name, cell);
            }
            kind => self.errors.push(format!("{name} is a {kind}")),
        }
    }

    fn register(&mut self, register: &Register, held: &RegisterName, width: u32) {
        let init = binary(&register.init, width);
        self.flip_flop(held, width, Some(init));
    }

    /// Checks and removes a word of flip-flops with this initial value, or with an arbitrary one.
    fn flip_flop(
        &mut self,
        held: &RegisterName,
        width: u32,
        init: Option<String>,
    ) -> Option<JsonBits> {
        let name = &held.0;
        let Some(net) = self.nets.get(name) else {
            self.errors.push(format!("the Verilog has no register {name}"));
            return None;
        };
        let q = bits(&net["bits"]);
        let starts = net["attributes"]["init"].as_str();
        let starts = starts.map(|text| text.replace('x', ""));
        let starts = starts.filter(|text| !text.is_empty());
        if starts != init {
            let printed = |word: &Option<String>| word.clone().unwrap_or("anything".into());
            self.errors.push(format!(
                "the register {name} starts as {} in the netlist, as {} in the Verilog",
                printed(&init),
                printed(&starts)
            ));
        }
        let d: Option<JsonBits> =
            q.iter().map(|bit| self.flip_flops.remove(&bit.as_u64()?)).collect();
        match d {
            Some(d) if d.len() == width as usize => {
                self.inputs.push((held.now(), q));
                self.outputs.push((held.next(), d.clone()));
                Some(d)
            }
            _ => {
                let wrong = format!("{name} is not a register of {width} bits in the Verilog");
                self.errors.push(wrong);
                None
            }
        }
    }

    fn memory(&mut self, memory: &NetlistMemory, words: &MemoryName) {
        let name = &words.read_data.0;
        let disjoint = memory.write.is_some_and(|write| write.disjoint);
        // The initial output of block RAM is unknown. If nothing depends on it, any value is
        // accepted.
        let init = (!disjoint).then(|| binary(&BigUint::ZERO, memory.width));
        let word = match words.is_asynchronous {
            true => self.nets.get(name).map(|net| bits(&net["bits"])),
            false => self.flip_flop(&words.read_data, memory.width, init),
        };
        let Some(word) = word else {
            return;
        };
        let is_ours = |cell: &Value| bits(&cell["connections"]["RD_DATA"]) == word;
        let Some(place) = self.memories.iter().position(is_ours) else {
            self.errors.push(format!("{name} reads no memory"));
            return;
        };
        let cell = self.memories.remove(place);
        self.check_memory(memory, words, &cell);
        let pins = &cell["connections"];
        self.inputs.push((words.word(), word));
        let read_address = bits(&pins["RD_ADDR"]);
        self.outputs.push((words.read_address(), read_address));
        if memory.write.is_some() {
            let enable = bits(&pins["WR_EN"]);
            let address = bits(&pins["WR_ADDR"]);
            let address = self.masked(address, &enable);
            let data = self.masked(bits(&pins["WR_DATA"]), &enable);
            self.outputs.extend([
                (words.write_enable(), enable),
                (words.write_address(), address),
                (words.write_data(), data),
            ]);
        }
    }

    /// Checks words, width, ports, clock and contents of a memory.
    fn check_memory(&mut self, memory: &NetlistMemory, words: &MemoryName, cell: &Value) {
        let name = &words.read_data.0;
        let writes = u32::from(memory.write.is_some());
        let wanted = [
            ("SIZE", memory.words as u32),
            ("WIDTH", memory.width),
            ("OFFSET", 0),
            ("RD_PORTS", 1),
            ("RD_CLK_ENABLE", 0),
            ("WR_PORTS", writes),
        ];
        for (parameter, wanted) in wanted {
            if number(cell, parameter) != Some(wanted.into()) {
                let found = &cell["parameters"][parameter];
                self.errors
                    .push(format!("the memory of {name} has {parameter} {found}, not {wanted}"));
            }
        }
        let clocked = ["WR_CLK_ENABLE", "WR_CLK_POLARITY"];
        let clocked = clocked.iter().all(|p| number(cell, p) == Some(1u8.into()));
        let clock = &cell["connections"]["WR_CLK"][0];
        if writes == 1 && (!clocked || *clock != self.clock) {
            let wrong = format!("the memory of {name} is written at another clock");
            self.errors.push(wrong);
        }
        let contents = memory.init.iter().map(|word| binary(word, memory.width));
        let zeros = memory.words - memory.init.len();
        let zeros = (0..zeros).map(|_| binary(&BigUint::ZERO, memory.width));
        let contents: Vec<String> = contents.chain(zeros).collect();
        // The last word comes first.
        let contents: String = contents.iter().rev().map(String::as_str).collect();
        if cell["parameters"]["INIT"] != contents {
            let wrong = format!("the memory of {name} starts with other words");
            self.errors.push(wrong);
        }
    }

    /// Yosys adds unnamed flip-flops beside write ports, whose outputs are unused. If one were
    /// read, its value would be arbitrary.
    fn check_remaining_flip_flops(&mut self) {
        let left: BTreeSet<u64> = self.flip_flops.keys().copied().collect();
        for (name, net) in &self.nets {
            let known = bits(&net["bits"]);
            if known.iter().any(|bit| bit.as_u64().is_some_and(|bit| left.contains(&bit))) {
                self.errors.push(format!("the netlist has no register {name}"));
            }
        }
        for cell in &self.memories {
            let wrong = format!("the netlist has no memory {}", cell["parameters"]["MEMID"]);
            self.errors.push(wrong);
        }
    }

    fn fresh(&mut self, count: usize) -> JsonBits {
        let first = self.next;
        self.next += count as u64;
        (first..self.next).map(Value::from).collect()
    }

    fn cell(&mut self, kind: &str, parameters: Value, pins: Value) {
        let name = format!("$cut${}", self.next);
        let output = |pin: &str| if pin == "Y" { "output" } else { "input" };
        let directions = ["A", "B", "Y"].map(|pin| (pin.to_owned(), json!(output(pin))));
        let there = |(pin, _): &(String, Value)| pins.get(pin).is_some();
        let directions: Map<String, Value> = directions.into_iter().filter(there).collect();
        self.cells.insert(
            name,
            json!({"type": kind, "parameters": parameters, "attributes": {},
                   "port_directions": directions, "connections": pins}),
        );
    }

    /// Masks each bit with the enable bit at its position, or with the lowest one.
    fn masked(&mut self, value: JsonBits, enable: &JsonBits) -> JsonBits {
        let width = value.len();
        let mask: JsonBits = match width == enable.len() {
            true => enable.clone(),
            false => vec![enable[0].clone(); width],
        };
        let y = self.fresh(width);
        let parameters = json!({"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": width, "B_WIDTH": width,
                                "Y_WIDTH": width});
        let pins = json!({"A": value, "B": mask, "Y": y});
        self.cell("$and", parameters, pins);
        y
    }

    fn finish(mut self, names: &SharedNames) -> StatelessVerilog {
        for port in &names.ports {
            let bits = bits(&self.nets[&port.name]["bits"]);
            match port.input {
                true => self.inputs.push((port.name.clone(), bits)),
                false => self.outputs.push((port.name.clone(), bits)),
            }
        }
        let mut ports = Map::new();
        for (name, bits) in std::mem::take(&mut self.inputs) {
            self.nets.remove(&name);
            ports.insert(name, json!({"direction": "input", "bits": bits}));
        }
        // Each output gets separate bits, because yosys would otherwise connect ports with each
        // other.
        for (name, bits) in std::mem::take(&mut self.outputs) {
            self.nets.remove(&name);
            let width = bits.len();
            let y = self.fresh(width);
            let parameters = json!({"A_SIGNED": 0, "A_WIDTH": width, "Y_WIDTH": width});
            self.cell("$pos", parameters, json!({"A": bits, "Y": y}));
            ports.insert(name, json!({"direction": "output", "bits": y}));
        }
        let free = self.replace_undefined_bits();
        if !free.is_empty() {
            let port = json!({"direction": "input", "bits": free});
            ports.insert(UNDEFINED_INPUT.into(), port);
        }
        for net in self.nets.values_mut() {
            net["attributes"] = json!({});
        }
        let module = json!({"attributes": {}, "ports": ports, "cells": self.cells,
                            "netnames": self.nets});
        StatelessVerilog { json: json!({"modules": {MODULE: module}}), free: free.len() as u32 }
    }

    /// Replaces each undefined bit by an arbitrary input bit.
    fn replace_undefined_bits(&mut self) -> JsonBits {
        let mut free = vec![];
        let cells = self.cells.values_mut();
        let pins = cells.filter_map(|cell| cell["connections"].as_object_mut());
        let all = pins.flat_map(|pins| pins.values_mut());
        for bit in all.filter_map(Value::as_array_mut).flatten() {
            if *bit == "x" || *bit == "z" {
                *bit = self.next.into();
                self.next += 1;
                free.push(bit.clone());
            }
        }
        free
    }
}

/// Highest bit number.
fn highest(nets: &Map<String, Value>) -> u64 {
    let all = nets.values().flat_map(|net| bits(&net["bits"]));
    all.filter_map(|bit| bit.as_u64()).max().unwrap_or(1)
}

/// True if no index of a `$shiftx` reaches beyond its word.
fn shift_index_in_range(cell: &Value) -> bool {
    let width = |pin: &str| bits(&cell["connections"][pin]).len();
    width("B") < 32 && 1 << width("B") <= width("A")
}

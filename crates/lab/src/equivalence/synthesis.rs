//! Removes the state from a synthesised circuit, and matches it with the Verilog's.
//!
//! Synthesis keeps a register's bit as a flip-flop. The bit may be inverted, because an iCE40's
//! flip-flops start as zero. Synthesis removes bits that never change, that are never read, or that
//! always equal another one.
//!
//! The mapping from register bits to flip-flops is read after flip-flops are mapped, while names
//! still exist. The comparison verifies it.

use super::cut;
use super::json::{bits, highest, replace, JsonModule};
use super::rtlil::{RegisterName, SharedNames};
use lockstep::netlist::Netlist;
use serde_json::{json, Value};
use std::collections::HashMap;

/// Name of the module.
pub const MODULE: &str = "synthesised";

/// Result of the synthesis for a bit of a register.
#[derive(Clone, Debug, PartialEq)]
enum BitMapping {
    /// The bit is in the flip-flop of this name, possibly inverted.
    Kept { cell: String, inverted: bool },
    /// The bit always has its initial value.
    Constant(bool),
    /// The bit is never read.
    Removed,
}

/// Assumption about the upper bits of a word that synthesis has narrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Narrowed {
    Constant,
    Removed,
}

/// Reason why two sides cannot be matched.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchError {
    /// These items differ.
    Differs(Vec<String>),
    /// These flip-flops have lost their register names, so they cannot be matched.
    Unnamed(Vec<String>),
}

/// Register name, and the initial value of each bit. `None` is a bit that hardware may choose.
pub struct InitialValue<'a> {
    register: &'a RegisterName,
    bits: Vec<Option<bool>>,
}

/// All registers, including the output registers of memories.
pub fn initial_values<'a>(netlist: &Netlist, names: &'a SharedNames) -> Vec<InitialValue<'a>> {
    let registers = netlist.registers.iter().zip(&names.state.registers);
    let registers = registers.map(|(register, held)| {
        let bits = 0..netlist.width(register.q);
        let bits = bits.map(|i| Some(register.init.bit(i.into()))).collect();
        InitialValue { register: held, bits }
    });
    let memories = netlist.memories.iter().zip(&names.state.memories);
    let memories = memories.map(|(memory, words)| {
        let disjoint = memory.write.is_some_and(|write| write.disjoint);
        let first = (!disjoint).then_some(false);
        InitialValue { register: &words.read_data, bits: vec![first; memory.width as usize] }
    });
    registers.chain(memories).collect()
}

/// Verilog without its memories as `cut` made it, with its registers restored. This is the input of
/// the synthesis for a circuit with memories.
pub fn without_memories(cut: &Value, starts: &[InitialValue]) -> Value {
    let mut module = cut["modules"][cut::MODULE].clone();
    let mut next = 1 + highest(&module);
    let clock = next;
    next += 1;
    if let Some(free) =
        module["ports"].as_object_mut().and_then(|ports| ports.remove(cut::UNDEFINED_INPUT))
    {
        let undefined = bits(&free["bits"]).into_iter().map(|bit| (bit, json!("x")));
        replace(&mut module, &undefined.collect());
    }
    for start in starts {
        let (now, taken) = (start.register.now(), start.register.next());
        let ports = module["ports"].as_object_mut().expect("a module has ports");
        let (q, d) = (ports.remove(&now), ports.remove(&taken));
        let (Some(q), Some(d)) = (q, d) else { continue };
        let init = start.bits.iter().rev().map(|bit| match bit {
            Some(true) => '1',
            Some(false) => '0',
            None => 'x',
        });
        let init: String = init.collect();
        module["netnames"][&now] =
            json!({"hide_name": 0, "bits": q["bits"], "attributes": {"init": init}});
        module["cells"][format!("$register${next}")] = json!({
            "type": "$dff", "attributes": {},
            "parameters": {"CLK_POLARITY": 1, "WIDTH": start.bits.len()},
            "port_directions": {"CLK": "input", "D": "input", "Q": "output"},
            "connections": {"CLK": [clock], "D": d["bits"], "Q": q["bits"]},
        });
        next += 1;
    }
    module["ports"][CLOCK] = json!({"direction": "input", "bits": [clock]});
    json!({"modules": {MODULE: module}})
}

/// Clock of a circuit whose memories were removed.
pub const CLOCK: &str = "clock$";

/// Makes both sides of the comparison. One is the Verilog as `cut` made it. The other is the
/// synthesis result: `mapped` after the mapping of flip-flops, and `done` at the end.
///
/// # Errors
/// If a register or a flip-flop has no counterpart.
pub fn sides(
    cut: &Value,
    [mapped, done]: [&Value; 2],
    clock: Option<&str>,
    (starts, narrowed): (&[InitialValue], Narrowed),
) -> Result<[Value; 2], MatchError> {
    let mappings: Vec<Vec<BitMapping>> =
        map_bits(mapped, starts, narrowed).map_err(MatchError::Differs)?;
    let emitted = JsonModule::new(cut["modules"][cut::MODULE].clone());
    let mut gates = JsonModule::new(done.clone());
    gates.gates();
    let mut pairing = BitPairing { emitted, gates, first: HashMap::new(), wrong: vec![] };
    for (start, mappings) in starts.iter().zip(&mappings) {
        pairing.register(start, mappings);
    }
    let BitPairing { emitted, mut gates, mut wrong, .. } = pairing;
    let left = gates.flip_flops.keys();
    let nameless: Vec<String> =
        left.map(|name| format!("no register is the flip-flop {name}")).collect();
    gates.without_clock(clock);
    let free = emitted.port(cut::UNDEFINED_INPUT);
    if !free.is_empty() {
        let unread: Vec<Value> = free.iter().map(|_| gates.fresh()).collect();
        gates.module["ports"][cut::UNDEFINED_INPUT] = json!({"direction": "input", "bits": unread});
    }
    wrong.append(&mut gates.errors);
    if !wrong.is_empty() {
        return Err(MatchError::Differs(wrong));
    }
    match nameless.is_empty() {
        true => Ok([emitted.finish(cut::MODULE), gates.finish(MODULE)]),
        false => Err(MatchError::Unnamed(nameless)),
    }
}

/// Both sides while the bits of their registers are paired.
struct BitPairing<'a> {
    emitted: JsonModule,
    gates: JsonModule,
    /// For each flip-flop, the first register bit that it represents: its value in the emitted
    /// Verilog, the flip-flop's next value, and whether the flip-flop stores the inverted bit.
    first: HashMap<&'a str, (Value, Value, bool)>,
    /// Differences in the initial values.
    wrong: Vec<String>,
}

/// A register bit as a port of each side. A value that is `None` is not compared.
struct PairedBit {
    emitted_now: Value,
    emitted_next: Option<Value>,
    gates_now: Value,
    gates_next: Option<Value>,
}

impl<'a> BitPairing<'a> {
    /// Pairs all bits of a register and makes them ports of both sides.
    fn register(&mut self, start: &InitialValue, mappings: &'a [BitMapping]) {
        let now = self.emitted.port(&start.register.now());
        let next = self.emitted.port(&start.register.next());
        let (mut emitted_now, mut emitted_next) = (vec![], vec![]);
        let (mut gates_now, mut gates_next) = (vec![], vec![]);
        for (i, mapping) in mappings.iter().enumerate() {
            let (q, d) = (now[i].clone(), next[i].clone());
            let bit = match mapping {
                BitMapping::Removed => PairedBit {
                    emitted_now: q,
                    emitted_next: None,
                    gates_now: self.gates.fresh(),
                    gates_next: None,
                },
                BitMapping::Constant(value) => {
                    self.check_initial(start, i, *value, "a constant that it does not start as");
                    self.constant(*value, q, d)
                }
                BitMapping::Kept { cell, inverted } => {
                    // A flip-flop of the chip starts as zero.
                    self.check_initial(start, i, *inverted, "a bit that starts as another value");
                    self.kept(cell, *inverted, q, d)
                }
            };
            emitted_now.push(bit.emitted_now);
            emitted_next.extend(bit.emitted_next);
            gates_now.push(bit.gates_now);
            gates_next.extend(bit.gates_next);
        }
        self.emitted.set_ports(start.register, (emitted_now, emitted_next));
        self.gates.set_ports(start.register, (gates_now, gates_next));
    }

    fn check_initial(&mut self, start: &InitialValue, i: usize, value: bool, what: &str) {
        if start.bits[i].is_some_and(|start| start != value) {
            let register = &start.register.0;
            self.wrong.push(format!("{register}[{i}] is synthesised as {what}"));
        }
    }

    /// Pairs a bit that synthesis replaced by a constant.
    fn constant(&mut self, value: bool, q: Value, d: Value) -> PairedBit {
        let constant = json!(if value { "1" } else { "0" });
        self.emitted.replace(q, constant.clone());
        PairedBit {
            emitted_now: self.emitted.fresh(),
            emitted_next: Some(d),
            gates_now: self.gates.fresh(),
            gates_next: Some(constant),
        }
    }

    /// Pairs a bit that the flip-flop `cell` stores.
    fn kept(&mut self, cell: &'a str, inverted: bool, q: Value, d: Value) -> PairedBit {
        if let Some((other, taken, other_inverted)) = self.first.get(cell) {
            let flip = inverted != *other_inverted;
            let same = self.emitted.invert_if(other.clone(), flip);
            let gates_now = self.gates.fresh();
            let taken = self.gates.invert_if(taken.clone(), flip);
            self.emitted.replace(q, same);
            return PairedBit {
                emitted_now: self.emitted.fresh(),
                emitted_next: Some(d),
                gates_now,
                gates_next: Some(taken),
            };
        }
        let Some(flip_flop) = self.gates.flip_flops.remove(cell) else {
            // The flip-flop was removed later, because it is never read.
            return PairedBit {
                emitted_now: q,
                emitted_next: None,
                gates_now: self.gates.fresh(),
                gates_next: None,
            };
        };
        let input = self.gates.fresh();
        let output = self.gates.invert_if(input.clone(), inverted);
        self.gates.replace(flip_flop["Q"][0].clone(), output);
        let taken = self.gates.next_value(cell, inverted, &flip_flop, &input);
        self.first.insert(cell, (q.clone(), taken.clone(), inverted));
        PairedBit {
            emitted_now: q,
            emitted_next: Some(d),
            gates_now: input,
            gates_next: Some(taken),
        }
    }
}

/// Returns the names of the output ports in yosys' JSON of one side.
pub fn outputs(side: &Value) -> Vec<String> {
    let ports = side["modules"][MODULE]["ports"].as_object();
    let ports = ports.into_iter().flatten();
    let outputs = ports.filter(|(_, port)| port["direction"] == "output");
    outputs.map(|(name, _)| name.clone()).collect()
}

/// Result for each bit of each register, from the circuit after the mapping of flip-flops.
fn map_bits(
    mapped: &Value,
    starts: &[InitialValue],
    narrowed: Narrowed,
) -> Result<Vec<Vec<BitMapping>>, Vec<String>> {
    let mut drivers: HashMap<&Value, (&str, &Value)> = HashMap::new();
    for (name, cell) in mapped["cells"].as_object().into_iter().flatten() {
        for (pin, list) in cell["connections"].as_object().into_iter().flatten() {
            if cell["port_directions"][pin] == "output" {
                let bits = list.as_array().into_iter().flatten();
                drivers.extend(bits.map(|bit| (bit, (&**name, cell))));
            }
        }
    }
    let flip_flop = |bit: &Value| {
        let (name, cell) = drivers.get(bit)?;
        let is_one = cell["type"].as_str()?.starts_with("SB_DFF");
        is_one.then(|| (*name).to_owned())
    };
    let mut wrong = vec![];
    let mut delivery = |name: &str, bit: &Value| match (bit.as_str(), drivers.get(bit)) {
        (Some("0"), _) => BitMapping::Constant(false),
        (Some("1"), _) => BitMapping::Constant(true),
        (Some(_), _) | (None, None) => BitMapping::Removed,
        (None, Some((_, driver))) => {
            let inverter = driver["type"] == "$_NOT_";
            let source = if inverter { &driver["connections"]["A"][0] } else { bit };
            match flip_flop(source) {
                Some(cell) => BitMapping::Kept { cell, inverted: inverter },
                None => {
                    let kind = &driver["type"];
                    wrong.push(format!("a bit of {name} is synthesised as the output of a {kind}"));
                    BitMapping::Removed
                }
            }
        }
    };
    let all = starts.iter().map(|start| {
        let name = start.register.now();
        let known = bits(&mapped["netnames"][&name]["bits"]);
        let bits = (0..start.bits.len()).map(|i| match known.get(i) {
            Some(bit) => delivery(&name, bit),
            // The upper bits of a narrowed word never change, or are never read.
            None => match (narrowed, start.bits[i]) {
                (Narrowed::Constant, Some(value)) if !known.is_empty() => {
                    BitMapping::Constant(value)
                }
                _ => BitMapping::Removed,
            },
        });
        bits.collect()
    });
    let all: Vec<Vec<BitMapping>> = all.collect();
    match wrong.is_empty() {
        true => Ok(all),
        false => Err(wrong),
    }
}

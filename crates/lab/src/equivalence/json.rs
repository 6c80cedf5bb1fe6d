//! Modifies modules in yosys's JSON.

use super::rtlil::RegisterName;
use serde_json::{json, Map, Value};
use std::collections::HashMap;

/// Bits in yosys's JSON: a number, or a string for a constant.
pub fn bits(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Highest bit number.
pub fn highest(module: &Value) -> u64 {
    let lists = |part: &str, pins: bool| -> Vec<Value> {
        let all = module[part].as_object().into_iter().flatten();
        all.flat_map(|(_, thing)| match pins {
            true => thing["connections"]
                .as_object()
                .into_iter()
                .flatten()
                .flat_map(|(_, b)| bits(b))
                .collect(),
            false => bits(&thing["bits"]),
        })
        .collect()
    };
    let all = [lists("ports", false), lists("netnames", false), lists("cells", true)];
    all.iter().flatten().filter_map(Value::as_u64).max().unwrap_or(1)
}

/// Replaces bits wherever they are read or driven.
pub fn replace(module: &mut Value, map: &HashMap<Value, Value>) {
    let change = |list: &mut Value| {
        for bit in list.as_array_mut().into_iter().flatten() {
            if let Some(new) = map.get(bit) {
                *bit = new.clone();
            }
        }
    };
    for part in ["ports", "netnames"] {
        for (_, thing) in module[part].as_object_mut().into_iter().flatten() {
            change(&mut thing["bits"]);
        }
    }
    for (_, cell) in module["cells"].as_object_mut().into_iter().flatten() {
        for (_, list) in cell["connections"].as_object_mut().into_iter().flatten() {
            change(list);
        }
    }
}

/// Module in yosys's JSON that is being modified.
pub struct JsonModule {
    pub module: Value,
    /// Replacements that are applied at the end.
    replaced: HashMap<Value, Value>,
    /// Pins of the removed flip-flops.
    pub flip_flops: HashMap<String, Value>,
    pub kinds: HashMap<String, String>,
    pub clocks: Vec<Value>,
    next: u64,
    pub errors: Vec<String>,
}

impl JsonModule {
    pub fn new(mut module: Value) -> JsonModule {
        module["netnames"] = json!({});
        module["attributes"] = json!({});
        JsonModule {
            next: 1 + highest(&module),
            module,
            replaced: HashMap::new(),
            flip_flops: HashMap::new(),
            kinds: HashMap::new(),
            clocks: vec![],
            errors: vec![],
        }
    }

    pub fn port(&self, name: &str) -> Vec<Value> {
        bits(&self.module["ports"][name]["bits"])
    }

    pub fn fresh(&mut self) -> Value {
        self.next += 1;
        self.next.into()
    }

    pub fn replace(&mut self, from: Value, to: Value) {
        self.replaced.insert(from, to);
    }

    pub fn cell(&mut self, kind: &str, parameters: Value, pins: &[(&str, Vec<Value>)]) {
        let directions = pins.iter().map(|(pin, _)| {
            let direction = if *pin == "Y" { "output" } else { "input" };
            ((*pin).to_owned(), json!(direction))
        });
        let directions: Map<String, Value> = directions.collect();
        let pins: Map<String, Value> =
            pins.iter().map(|(pin, bits)| ((*pin).to_owned(), json!(bits))).collect();
        let name = format!("$made${}", self.next);
        self.next += 1;
        self.module["cells"][name] = json!({
            "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": directions, "connections": pins,
        });
    }

    pub fn gate(&mut self, kind: &str, a: Value, b: Value) -> Value {
        let y = self.fresh();
        let parameters =
            json!({"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": 1, "B_WIDTH": 1, "Y_WIDTH": 1});
        self.cell(kind, parameters, &[("A", vec![a]), ("B", vec![b]), ("Y", vec![y.clone()])]);
        y
    }

    /// Multiplexer: `then` if the bit is set.
    pub fn mux(&mut self, cond: Value, then: Value, otherwise: Value) -> Value {
        let y = self.fresh();
        let pins =
            [("A", vec![otherwise]), ("B", vec![then]), ("S", vec![cond]), ("Y", vec![y.clone()])];
        self.cell("$mux", json!({"WIDTH": 1}), &pins);
        y
    }

    pub fn invert_if(&mut self, bit: Value, not: bool) -> Value {
        match not {
            true => self.gate("$xor", bit, json!("1")),
            false => bit,
        }
    }

    /// Adds the ports of a register for the bits that exist on both sides.
    pub fn set_ports(&mut self, held: &RegisterName, (now, next): (Vec<Value>, Vec<Value>)) {
        self.module["ports"][held.now()] = json!({"direction": "input", "bits": now});
        let ports = self.module["ports"].as_object_mut().expect("a module has ports");
        match next.is_empty() {
            true => {
                ports.remove(&held.next());
            }
            false => {
                ports.insert(held.next(), json!({"direction": "output", "bits": next}));
            }
        }
    }

    pub fn finish(mut self, name: &str) -> Value {
        // The replacement of a bit may be replaced itself.
        let last = |bit: &Value| {
            let mut bit = bit;
            while let Some(next) = self.replaced.get(bit) {
                bit = next;
            }
            bit.clone()
        };
        let map: HashMap<Value, Value> =
            self.replaced.iter().map(|(from, to)| (from.clone(), last(to))).collect();
        replace(&mut self.module, &map);
        let ports = self.module["ports"].as_object().cloned().unwrap_or_default();
        for (name, port) in ports {
            if port["direction"] == "output" {
                // Separate bits, because yosys would otherwise connect ports with each other.
                let list = bits(&port["bits"]);
                let y: Vec<Value> = list.iter().map(|_| self.fresh()).collect();
                let parameters = json!({"A_SIGNED": 0, "A_WIDTH": y.len(), "Y_WIDTH": y.len()});
                self.cell("$pos", parameters, &[("A", list), ("Y", y.clone())]);
                self.module["ports"][name]["bits"] = json!(y);
            }
        }
        let mut free = self.next;
        for (_, cell) in self.module["cells"].as_object_mut().into_iter().flatten() {
            for (_, list) in cell["connections"].as_object_mut().into_iter().flatten() {
                for bit in list.as_array_mut().into_iter().flatten() {
                    if *bit == "x" {
                        free += 1;
                        *bit = free.into();
                    }
                }
            }
        }
        json!({"modules": {name: self.module}})
    }
}

// Converts the cells of an iCE40 to yosys cells: look-up tables, carries, flip-flops.

impl JsonModule {
    /// Converts look-up tables and carries to yosys cells, and removes flip-flops.
    pub fn gates(&mut self) {
        let cells = self.module["cells"].take();
        self.module["cells"] = json!({});
        for (name, cell) in cells.as_object().into_iter().flatten() {
            let pin = |name: &str| cell["connections"][name][0].clone();
            match cell["type"].as_str().unwrap_or_default() {
                "SB_LUT4" => {
                    let table = &cell["parameters"]["LUT_INIT"];
                    let parameters = json!({"WIDTH": 4, "LUT": table});
                    let inputs = ["I0", "I1", "I2", "I3"].map(pin).to_vec();
                    self.cell("$lut", parameters, &[("A", inputs), ("Y", vec![pin("O")])]);
                }
                "SB_CARRY" => {
                    let (a, b) = (pin("I0"), pin("I1"));
                    let both = self.gate("$and", a.clone(), b.clone());
                    let any = self.gate("$or", a, b);
                    let carried = self.gate("$and", any, pin("CI"));
                    let carry = self.gate("$or", both, carried);
                    self.replace(pin("CO"), carry);
                }
                kind if kind.starts_with("SB_DFF") => {
                    self.flip_flops.insert(name.clone(), cell["connections"].clone());
                    self.kinds.insert(name.clone(), kind.to_owned());
                    self.clocks.push(pin("C"));
                }
                "$scopeinfo" => {}
                kind => self.errors.push(format!("synthesis makes {name}, a {kind}")),
            }
        }
    }

    /// Next value of a register bit, by the pins of its flip-flop. The cell name is `SB_DFF`, then
    /// `E` with an enable, then `SR` or `SS` with a synchronous reset or set, which the enable
    /// gates.
    pub fn next_value(&mut self, cell: &str, inverted: bool, pins: &Value, now: &Value) -> Value {
        let kind = self.kinds[cell].trim_start_matches("SB_DFF").to_owned();
        let pin = |name: &str| pins[name][0].clone();
        let mut taken = self.invert_if(pin("D"), inverted);
        let (enable, set) = match kind.strip_prefix('E') {
            Some(rest) => (true, rest),
            None => (false, &*kind),
        };
        match set {
            "" => {}
            "SR" | "SS" => {
                let value = if (set == "SS") != inverted { "1" } else { "0" };
                let when = if set == "SS" { pin("S") } else { pin("R") };
                taken = self.mux(when, json!(value), taken);
            }
            _ => self.errors.push(format!("synthesis makes a flip-flop SB_DFF{kind}")),
        }
        match enable {
            true => self.mux(pin("E"), taken, now.clone()),
            false => taken,
        }
    }

    /// Checks that all flip-flops use the clock, and that the remaining logic does not.
    pub fn without_clock(&mut self, clock: Option<&str>) {
        let Some(clock) = clock else { return };
        let bit = self.port(clock);
        if self.clocks.iter().any(|other| Some(other) != bit.first()) {
            self.errors.push("a flip-flop has another clock".into());
        }
        let ports = self.module["ports"].as_object_mut().expect("a module has ports");
        ports.remove(clock);
    }
}

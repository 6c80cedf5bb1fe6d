//! Converts the cells of an iCE40 to yosys cells: look-up tables, carries, flip-flops.

use super::json::JsonModule;
use serde_json::{json, Value};

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
                    self.flip_flops
                        .insert(name.clone(), cell["connections"].clone());
                    self.kinds.insert(name.clone(), kind.to_owned());
                    self.clocks.push(pin("C"));
                }
                "$scopeinfo" => {}
                kind => self
                    .errors
                    .push(format!("synthesis makes {name}, a {kind}")),
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
            _ => self
                .errors
                .push(format!("synthesis makes a flip-flop SB_DFF{kind}")),
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
        let ports = self.module["ports"]
            .as_object_mut()
            .expect("a module has ports");
        ports.remove(clock);
    }
}

//! The importer: wires of a flattened module become nets of a draft.

use super::error::{ImportError, ImportFault};
use super::json::{place, Bit, YosysCell, YosysDesign, YosysModule, YosysPort};
use indexmap::IndexSet;
use lockstep::design::Type;
use lockstep::netlist::{DraftParts, Name, NetDraft, NetId, NetOp, Netlist};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Edge of the clock at which the state changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClockEdge {
    Falling,
    Rising,
}

/// Imported design.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Circuit without its clock port.
    pub netlist: Netlist,
    /// Name of the top module.
    pub top: String,
    /// Name of the clock port and its active edge. `None` if nothing is clocked.
    pub clock: Option<(String, ClockEdge)>,
    /// Assertions and printing statements that the import left out, for a message to the user.
    pub notes: Vec<String>,
    /// Places of the modules of the design in the sources, `file:line.column-line.column`.
    pub modules: Vec<String>,
}

/// Name of the register that [`import_signed`] adds.
pub const SIGNATURE: &str = "$signature";

/// Width of the signature in bits.
const SIGNATURE_BITS: u32 = 64;

/// Imports the JSON that yosys wrote with the script of [`YosysJob`](super::YosysJob).
///
/// # Errors
/// If the text is not such JSON, or a netlist cannot express the design. All faults are reported.
pub fn import(json: &str) -> Result<Imported, ImportError> {
    import_module(json, false)
}

/// Like [`import`], with a register [`SIGNATURE`] of 64 bits that depends on all outputs in all
/// clock cycles so far. Copies with equal outputs have equal signatures. Copies with different
/// outputs have equal signatures with a probability of about 2^-64.
///
/// The register is a multiple-input signature register: at each clock edge it shifts by the
/// polynomial x^64 + x^63 + x^61 + x^60 + 1, and takes the exclusive or with the outputs.
///
/// # Errors
/// As [`import`].
pub fn import_signed(json: &str) -> Result<Imported, ImportError> {
    import_module(json, true)
}

fn import_module(json: &str, signed: bool) -> Result<Imported, ImportError> {
    let design: YosysDesign = serde_json::from_str(json)?;
    let is_top = |module: &YosysModule| module.attributes.get("top").is_some_and(|top| top.bit(0));
    let tops: Vec<_> = design.modules.iter().filter(|(_, m)| is_top(m)).collect();
    let (name, module) = match (&tops[..], design.modules.len()) {
        ([top], _) => *top,
        ([], 1) => design.modules.first().expect("there is one"),
        _ => return Err(ImportError::Top { modules: design.modules.len(), tops: tops.len() }),
    };
    Importer::new(module).run(name, signed)
}

/// Import of one module.
pub(super) struct Importer<'a> {
    module: &'a YosysModule,
    pub draft: NetDraft,
    pub parts: DraftParts,
    /// By number of a wire: the net that drives it, and the bit of the net.
    drivers: Vec<Option<(NetId, u32)>>,
    /// By number of a wire: the multiplexer and the bit that drive it.
    pub multiplexers: HashMap<usize, (&'a YosysCell, usize)>,
    /// By number of a wire: initial values.
    ones: Vec<bool>,
    /// By number of a wire: the position of its first name, public if there is one, and the bit.
    names: Vec<Option<(usize, usize)>>,
    faults: Vec<ImportFault>,
    notes: Vec<String>,
}

/// Cells that have no effect on the circuit.
const WITHOUT_EFFECT: &[&str] = &["$scopeinfo", "$specify2", "$specify3", "$specrule"];

/// Cells of verification and printing, which are left out.
const NOTED: &[&str] = &["$check", "$print", "$assert", "$assume", "$cover", "$live", "$fair"];

impl<'a> Importer<'a> {
    fn new(module: &'a YosysModule) -> Self {
        let bits = module.netnames.values().flat_map(|net| &net.bits);
        let ports = module.ports.values().flat_map(|port| &port.bits);
        let cells = module.cells.values();
        let pins = cells.flat_map(|cell| cell.connections.values().flatten());
        let wires = bits.chain(ports).chain(pins).filter_map(|bit| match bit {
            Bit::Wire(number) => Some(number + 1),
            _ => None,
        });
        let wires = wires.max().unwrap_or(0);
        let mut names = vec![None; wires];
        let mut add_names = |hidden| {
            let nets = module.netnames.values().enumerate();
            for (position, net) in nets.filter(|(_, net)| (net.hide_name == 1) == hidden) {
                for (i, bit) in net.bits.iter().enumerate() {
                    if let Bit::Wire(wire) = bit {
                        names[*wire].get_or_insert((position, i));
                    }
                }
            }
        };
        add_names(false);
        add_names(true);
        let mut ones = vec![false; wires];
        for net in module.netnames.values() {
            let Some(init) = net.attributes.get("init") else {
                continue;
            };
            for (i, bit) in net.bits.iter().enumerate() {
                if let Bit::Wire(wire) = bit {
                    ones[*wire] |= init.bit(i);
                }
            }
        }
        let mut multiplexers = HashMap::new();
        for cell in module.cells.values().filter(|cell| cell.kind == "$mux") {
            for (i, bit) in cell.port("Y").iter().enumerate() {
                if let Bit::Wire(wire) = bit {
                    multiplexers.insert(*wire, (cell, i));
                }
            }
        }
        Importer {
            multiplexers,
            module,
            draft: NetDraft::default(),
            parts: DraftParts::default(),
            drivers: vec![None; wires],
            ones,
            names,
            faults: vec![],
            notes: vec![],
        }
    }

    fn run(mut self, top: &str, signed: bool) -> Result<Imported, ImportError> {
        let clock = self.clock();
        self.add_inputs(clock);
        let cells = self.module.cells.iter();
        let mut filled = vec![];
        for (name, cell) in cells {
            if let Some(outputs) = self.declare(name, cell) {
                filled.push((name.as_str(), cell, outputs));
            }
        }
        self.stop_on_faults()?;
        for (name, cell, outputs) in filled {
            self.fill(name, cell, outputs);
        }
        self.add_names(clock);
        self.stop_on_faults()?;
        if signed {
            self.add_signature();
        }
        let clock = clock.map(|(wire, edge)| (self.clock_name(wire), edge));
        Ok(Imported {
            netlist: self.draft.finish(self.parts)?,
            top: source_name(top).to_owned(),
            clock,
            notes: self.notes,
            modules: places_of_modules(self.module),
        })
    }

    fn stop_on_faults(&mut self) -> Result<(), ImportError> {
        match std::mem::take(&mut self.faults) {
            faults if faults.is_empty() => Ok(()),
            faults => Err(ImportError::Faults(faults)),
        }
    }

    pub fn fault(&mut self, place: Option<String>, what: String) {
        self.faults.push(ImportFault { place, what });
    }

    // The clock.

    /// Returns the wire of the only clock and its active edge. Reports other clocks as faults.
    fn clock(&mut self) -> Option<(usize, ClockEdge)> {
        let mut clocks: BTreeMap<(usize, ClockEdge), Option<String>> = BTreeMap::new();
        let module = self.module;
        for (name, cell) in &module.cells {
            for (bit, edge) in clock_pins(cell) {
                match bit {
                    Bit::Wire(wire) => {
                        clocks.entry((wire, edge)).or_insert_with(|| cell.place());
                    }
                    _ => self.fault(
                        cell.place(),
                        format!("{name} has a constant clock; accepted: a clock port"),
                    ),
                }
            }
        }
        if clocks.len() > 1 {
            let all = clocks.iter().map(|((wire, edge), place)| {
                let edge = match edge {
                    ClockEdge::Rising => "rising",
                    ClockEdge::Falling => "falling",
                };
                let at = place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
                format!("the {edge} edge of {}{at}", self.clock_name(*wire))
            });
            let all = all.collect::<Vec<_>>().join(", ");
            self.fault(
                None,
                format!(
                    "the design has several clocks: {all}; accepted: one edge of one clock port"
                ),
            );
            return None;
        }
        let ((wire, edge), used) = clocks.into_iter().next()?;
        if self.input_port(wire).is_none() {
            let name = self.name_of(wire);
            self.fault(used, format!("the clock {name} is not an input port of one bit; accepted: a clock that enters at a port and passes no gate"));
            return None;
        }
        Some((wire, edge))
    }

    /// Returns the name of the input port of one bit with this wire.
    fn input_port(&self, wire: usize) -> Option<&'a str> {
        let mut ports = self.module.ports.iter();
        let is_it = |port: &YosysPort| port.direction == "input" && port.bits == [Bit::Wire(wire)];
        Some(ports.find(|(_, port)| is_it(port))?.0)
    }

    /// Returns the name of a clock: that of its port, or of one of its wires in the hierarchy.
    fn clock_name(&self, wire: usize) -> String {
        match self.input_port(wire) {
            Some(port) => port.to_owned(),
            None => self.name_of(wire),
        }
    }

    /// Returns the name of a wire.
    fn name_of(&self, wire: usize) -> String {
        self.register_name(&[Bit::Wire(wire)])
    }

    /// Returns the name of consecutive wires, with the range of bits if the name has more.
    pub fn register_name(&self, bits: &[Bit]) -> String {
        let known = match bits.first() {
            Some(Bit::Wire(wire)) => self.names[*wire],
            _ => None,
        };
        let Some((position, low)) = known else {
            return "a wire without a name".into();
        };
        let (name, net) = self.module.netnames.get_index(position).expect("a position in it");
        let high = low + bits.len() - 1;
        match net.bits.len() {
            all if all == bits.len() => name.clone(),
            _ if low == high => format!("{name}[{low}]"),
            _ => format!("{name}[{high}:{low}]"),
        }
    }

    // Wires and words.

    fn add_inputs(&mut self, clock: Option<(usize, ClockEdge)>) {
        for (name, port) in &self.module.ports {
            match port.direction.as_str() {
                "output" => {}
                "input" if clock.is_some_and(|(wire, _)| port.bits == [Bit::Wire(wire)]) => {}
                "input" if port.bits.is_empty() => {}
                "input" => {
                    let op = NetOp::Input(self.parts.inputs.len() as u32);
                    let net = self.draft.net(op, port.bits.len() as u32);
                    self.parts.inputs.push(named(name, net, port.bits.len()));
                    self.drive(name, None, &port.bits, net);
                }
                other => self.fault(
                    self.module.netnames.get(name).and_then(|net| place(&net.attributes)),
                    format!("the port {name} is {other}; accepted: input and output"),
                ),
            }
        }
    }

    /// Records that a net drives these wires.
    pub fn drive(&mut self, name: &str, place: Option<String>, bits: &[Bit], net: NetId) {
        for (i, bit) in bits.iter().enumerate() {
            let Bit::Wire(wire) = *bit else { continue };
            if self.drivers[wire].is_some() {
                let signal = self.name_of(wire);
                self.fault(
                    place.clone(),
                    format!("{signal} has several drivers, {name} among them; accepted: one"),
                );
                return;
            }
            self.drivers[wire] = Some((net, i as u32));
        }
    }

    /// Returns the word of these bits, the least significant first. No bits are the word 0 of one
    /// bit.
    pub fn word(&mut self, bits: &[Bit]) -> NetId {
        let mut parts: Vec<NetId> = vec![];
        let mut i = 0;
        while i < bits.len() {
            let source = self.source(bits[i]);
            let follows = |importer: &Self, k: usize| match (source, importer.source(bits[i + k])) {
                (Some((net, first)), Some(next)) => next == (net, first + k as u32),
                (None, None) => true,
                _ => false,
            };
            let mut count = 1;
            while i + count < bits.len() && follows(self, count) {
                count += 1;
            }
            let part = match source {
                Some((net, first)) => self.draft.slice(net, first, count as u32),
                None => {
                    let ones = bits[i..i + count].iter().enumerate();
                    let ones = ones.filter(|(_, bit)| **bit == Bit::Constant(true));
                    let mut value = BigUint::default();
                    ones.for_each(|(i, _)| value.set_bit(i as u64, true));
                    self.draft.constant(value, count as u32)
                }
            };
            parts.push(part);
            i += count;
        }
        match parts.is_empty() {
            true => self.draft.zero(1),
            false => self.draft.concat(parts),
        }
    }

    /// Returns the net and the bit that drive a wire, or `None` for a constant or an undriven wire.
    fn source(&self, bit: Bit) -> Option<(NetId, u32)> {
        match bit {
            Bit::Wire(wire) => self.drivers[wire],
            Bit::Constant(_) | Bit::Open => None,
        }
    }

    /// Returns the initial value of the wires of a register.
    pub fn initial(&self, bits: &[Bit]) -> BigUint {
        let mut value = BigUint::default();
        for (i, bit) in bits.iter().enumerate() {
            value.set_bit(i as u64, matches!(bit, Bit::Wire(wire) if self.ones[*wire]));
        }
        value
    }

    // Cells.

    /// Declares the outputs of a cell. Returns them if [`Self::fill`] must compute them.
    fn declare(&mut self, name: &str, cell: &'a YosysCell) -> Option<Vec<NetId>> {
        let kind = cell.kind.as_str();
        if WITHOUT_EFFECT.contains(&kind) {
            return None;
        }
        if NOTED.contains(&kind) {
            let place = cell.place().unwrap_or_else(|| name.to_owned());
            self.notes.push(format!("{place}: assertions and printing are left out"));
            return None;
        }
        if let Some(what) = rejected(kind) {
            self.fault(cell.place(), format!("{name}: {what}"));
            return None;
        }
        let outputs = cell.port_directions.iter().filter(|(_, d)| *d == "output");
        let nets = outputs.filter_map(|(port, _)| {
            let bits = cell.port(port);
            let net = (!bits.is_empty()).then(|| self.draft.placeholder(bits.len() as u32))?;
            self.drive(name, cell.place(), bits, net);
            Some(net)
        });
        Some(nets.collect())
    }

    /// Computes the outputs of a cell.
    fn fill(&mut self, name: &str, cell: &'a YosysCell, outputs: Vec<NetId>) {
        let Some(&output) = outputs.first() else {
            return;
        };
        let value = match cell.kind.as_str() {
            "$mem_v2" => self.memory(name, cell),
            kind if kind.contains("ff") => Ok(self.register(cell)),
            _ => self.operation(cell, self.draft.width(output)),
        };
        match value {
            Ok(value) => self.draft.fill(output, value),
            Err(what) => {
                self.fault(cell.place(), format!("{name}: {what}"));
                let zero = self.draft.zero(self.draft.width(output));
                self.draft.fill(output, zero);
            }
        }
    }

    // Names.

    fn add_names(&mut self, clock: Option<(usize, ClockEdge)>) {
        let clock = clock.map(|(wire, _)| Bit::Wire(wire));
        let module = self.module;
        for (name, net) in &module.netnames {
            let is_clock = net.bits.iter().any(|bit| Some(*bit) == clock);
            if net.hide_name == 1 || net.bits.is_empty() || is_clock {
                continue;
            }
            let word = self.word(&net.bits);
            self.parts.names.push(named(name, word, net.bits.len()));
        }
        for (name, port) in module.ports.iter().filter(|(_, p)| p.direction == "output") {
            if !port.bits.is_empty() {
                let word = self.word(&port.bits);
                self.parts.outputs.push(named(name, word, port.bits.len()));
            }
        }
        self.check_clock_is_no_signal(clock);
    }

    fn add_signature(&mut self) {
        let width = SIGNATURE_BITS;
        let state = self.new_register(width as usize);
        let outputs: Vec<NetId> = self.parts.outputs.iter().map(|output| output.net).collect();
        let taps = BigUint::from(0b1101_u8) << (width - 4);
        let taps = self.draft.constant(taps, width);
        let taken = self.draft.net(NetOp::And(state, taps), width);
        let bit = self.draft.net(NetOp::Parity(taken), 1);
        let shifted = self.draft.slice(state, 0, width - 1);
        let mut next = self.draft.concat(vec![bit, shifted]);
        // Each part of the outputs is rotated by another number of bits.
        let mut turn = 0;
        for output in outputs {
            let bits = self.draft.width(output);
            for low in (0..bits).step_by(width as usize) {
                let part = self.draft.slice(output, low, width.min(bits - low));
                let part = self.draft.resize(part, width);
                let part = match turn {
                    0 => part,
                    _ => {
                        let high = self.draft.slice(part, 0, width - turn);
                        let low = self.draft.slice(part, width - turn, turn);
                        self.draft.concat(vec![low, high])
                    }
                };
                next = self.draft.net(NetOp::Xor(next, part), width);
                turn = (turn + 7) % width;
            }
        }
        self.add_register(SIGNATURE.into(), next, state, BigUint::default());
        self.parts.names.push(named(SIGNATURE, state, width as usize));
    }

    /// Reports cells and outputs that read the clock as a signal.
    fn check_clock_is_no_signal(&mut self, clock: Option<Bit>) {
        let Some(clock) = clock else { return };
        let module = self.module;
        for (name, cell) in &module.cells {
            let inputs = cell.connections.iter();
            let reads =
                inputs.filter(|(port, bits)| !port.contains("CLK") && bits.contains(&clock));
            let kind = cell.kind.as_str();
            let has_effect = !WITHOUT_EFFECT.contains(&kind) && !NOTED.contains(&kind);
            if reads.count() > 0 && has_effect {
                self.fault(cell.place(), format!("{name} reads the clock as a signal; accepted: a clock that only clocks registers and memories"));
            }
        }
        for (name, port) in &module.ports {
            if port.direction == "output" && port.bits.contains(&clock) {
                self.fault(None, format!("the output {name} repeats the clock; accepted: a clock that only clocks registers and memories"));
            }
        }
    }
}

/// Returns the places of a flattened module and of all modules in it.
fn places_of_modules(module: &YosysModule) -> Vec<String> {
    let inner = module.cells.values();
    let inner = inner.filter_map(|cell| cell.attributes.get("module_src"));
    let own = module.attributes.get("src");
    let places = own.into_iter().chain(inner).map(|src| src.text());
    let places = places.flat_map(|places| places.split('|'));
    places.map(str::to_owned).collect::<IndexSet<_>>().into_iter().collect()
}

/// Returns the name of a module in the source. yosys calls a module with other parameters
/// `$paramod\name\..` or `$paramod$..\name`.
fn source_name(name: &str) -> &str {
    match name.starts_with("$paramod") {
        true => name.split('\\').nth(1).unwrap_or(name),
        false => name,
    }
}

fn named(path: &str, net: NetId, width: usize) -> Name {
    Name { path: path.to_owned(), net, ty: Type::Bits(width as u32) }
}

/// Returns the clock pins of a cell with their active edges.
fn clock_pins(cell: &YosysCell) -> Vec<(Bit, ClockEdge)> {
    let edge = |rising| match rising {
        true => ClockEdge::Rising,
        false => ClockEdge::Falling,
    };
    let pins = |port: &'static str, enable: Option<&'static str>, polarity: &'static str| {
        let pins = cell.port(port).iter().enumerate();
        let used = pins.filter(move |(i, _)| enable.is_none_or(|enable| cell.bit_of(enable, *i)));
        used.map(move |(i, bit)| (*bit, edge(cell.bit_of(polarity, i))))
    };
    match cell.kind.as_str() {
        "$mem_v2" => {
            let reads = pins("RD_CLK", Some("RD_CLK_ENABLE"), "RD_CLK_POLARITY");
            let writes = pins("WR_CLK", Some("WR_CLK_ENABLE"), "WR_CLK_POLARITY");
            reads.chain(writes).collect()
        }
        kind if kind.contains("ff") => pins("CLK", None, "CLK_POLARITY").collect(),
        _ => vec![],
    }
}

/// Returns the reason why cells of this kind are rejected.
fn rejected(kind: &str) -> Option<String> {
    let what = match kind {
        "$dlatch" | "$adlatch" | "$dlatchsr" | "$sr" => {
            "a latch; accepted: a value on each path of a combinational process, or a clock edge"
        }
        "$tribuf" => "a tri-state driver; accepted: a multiplexer",
        "$ff" => "a register of the global clock; accepted: a clock port",
        "$anyconst" | "$anyseq" | "$allconst" | "$allseq" | "$initstate" => {
            "a value of formal verification; accepted: an input port"
        }
        kind if !kind.starts_with('$') => {
            return Some(format!(
                "the module {kind} has no contents; accepted: its source among the files"
            ))
        }
        _ => return None,
    };
    Some(what.to_owned())
}

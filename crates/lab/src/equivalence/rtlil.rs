//! Prints a netlist as RTLIL, yosys's language, with its state removed.
//!
//! The code is based on the definitions of [`Op`] only. The Verilog printer is independent of it
//! except for the names of ports and registers. The content of a register or memory is an input
//! port, and its next value is an output port. The module is therefore combinational.

use hdl::verilog::{signals, NamedSignal};
use lockstep::design::{CellKind, Design, ModuleId};
use lockstep::netlist::{NetId, NetOp, Netlist};
use num_bigint::BigUint;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// Name of the module.
pub const MODULE: &str = "netlist";

/// Prints a netlist. `free` is the width of an input that is never read.
pub fn print(netlist: &Netlist, names: &SharedNames, free: u32) -> String {
    let mut printer =
        Printer { netlist, wires: String::new(), body: String::new(), ports: 0, cells: 0 };
    printer.ports(names);
    printer.state(&names.state);
    if free > 0 {
        printer.port("input", super::cut::UNDEFINED_INPUT, free);
    }
    for (id, net) in netlist.iter() {
        let _ = writeln!(printer.wires, "  wire width {} {}", net.width, wire(id));
        printer.net(id, &net.op, net.width);
    }
    for (name, net) in &names.inner {
        let width = netlist.width(*net);
        let _ = writeln!(printer.wires, "  wire width {width} \\{name}");
        printer.connect(&format!("\\{name}"), &wire(*net));
    }
    format!("module \\{MODULE}\n{}{}end\n", printer.wires, printer.body)
}

struct Printer<'a> {
    netlist: &'a Netlist,
    wires: String,
    body: String,
    ports: usize,
    cells: usize,
}

fn wire(net: NetId) -> String {
    format!("${}", net.0)
}

fn constant(value: &BigUint, width: u32) -> String {
    let bits = (0..width).rev().map(|i| match value.bit(i.into()) {
        true => '1',
        false => '0',
    });
    format!("{width}'{}", bits.collect::<String>())
}

impl Printer<'_> {
    fn port(&mut self, direction: &str, name: &str, width: u32) {
        self.ports += 1;
        let number = self.ports;
        let _ = writeln!(self.wires, "  wire width {width} {direction} {number} \\{name}");
    }

    fn connect(&mut self, left: &str, right: &str) {
        let _ = writeln!(self.body, "  connect {left} {right}");
    }

    /// Ports of the circuit. Several netlist ports may be parts of one.
    fn ports(&mut self, names: &SharedNames) {
        for port in &names.ports {
            let direction = if port.input { "input" } else { "output" };
            self.port(direction, &port.name, port.width);
        }
        for part in &names.parts {
            let high = part.offset + self.netlist.width(part.net) - 1;
            let place = format!("\\{} [{high}:{}]", part.port, part.offset);
            match part.input {
                true => self.connect(&wire(part.net), &place),
                false => self.connect(&place, &wire(part.net)),
            }
        }
    }

    fn state(&mut self, state: &StateNames) {
        for (register, known) in self.netlist.registers.iter().zip(&state.registers) {
            let width = self.netlist.width(register.q);
            self.port("input", &known.now(), width);
            self.connect(&wire(register.q), &format!("\\{}", known.now()));
            self.port("output", &known.next(), width);
            self.connect(&format!("\\{}", known.next()), &wire(register.d));
        }
        for (memory, known) in self.netlist.memories.iter().zip(&state.memories) {
            let (width, address) = (memory.width, self.netlist.width(memory.read_address));
            let held = &known.read_data;
            let word = format!("\\{}", known.word());
            self.port("input", &known.word(), width);
            if known.is_asynchronous {
                self.connect(&wire(memory.read_data), &word);
            } else {
                self.port("input", &held.now(), width);
                self.connect(&wire(memory.read_data), &format!("\\{}", held.now()));
                self.port("output", &held.next(), width);
                self.connect(&format!("\\{}", held.next()), &word);
            }
            self.port("output", &known.read_address(), address);
            let place = format!("\\{}", known.read_address());
            self.connect(&place, &wire(memory.read_address));
            let Some(write) = memory.write else { continue };
            // Address and data of a write matter only if the enable is set.
            let many = |bits: u32| vec![wire(write.enable); bits as usize].join(" ");
            self.port("output", &known.write_enable(), width);
            let place = format!("\\{}", known.write_enable());
            self.connect(&place, &format!("{{ {} }}", many(width)));
            for (name, net, width) in [
                (known.write_address(), write.address, address),
                (known.write_data(), write.data, width),
            ] {
                self.port("output", &name, width);
                let masked = self.temporary(width);
                let mask = format!("{{ {} }}", many(width));
                self.binary("$and", &masked, (&wire(net), width), (&mask, width), width);
                self.connect(&format!("\\{name}"), &masked);
            }
        }
    }

    /// Declares a new wire.
    fn temporary(&mut self, width: u32) -> String {
        let name = format!("$t{}", self.cells);
        let _ = writeln!(self.wires, "  wire width {width} {name}");
        name
    }

    fn cell(&mut self, kind: &str, parameters: &[(&str, u32)], pins: &[(&str, &str)]) {
        let _ = writeln!(self.body, "  cell {kind} $c{}", self.cells);
        self.cells += 1;
        for (name, value) in parameters {
            let _ = writeln!(self.body, "    parameter \\{name} {value}");
        }
        for (name, signal) in pins {
            let _ = writeln!(self.body, "    connect \\{name} {signal}");
        }
        self.body.push_str("  end\n");
    }

    fn unary(&mut self, kind: &str, y: &str, (a, width): (&str, u32), of: u32) {
        let parameters = [("A_SIGNED", 0), ("A_WIDTH", width), ("Y_WIDTH", of)];
        self.cell(kind, &parameters, &[("A", a), ("Y", y)]);
    }

    fn binary(&mut self, kind: &str, y: &str, a: (&str, u32), b: (&str, u32), of: u32) {
        let parameters =
            [("A_SIGNED", 0), ("B_SIGNED", 0), ("A_WIDTH", a.1), ("B_WIDTH", b.1), ("Y_WIDTH", of)];
        self.cell(kind, &parameters, &[("A", a.0), ("B", b.0), ("Y", y)]);
    }

    fn net(&mut self, id: NetId, op: &NetOp, width: u32) {
        let netlist = self.netlist;
        let y = wire(id);
        let pin = |net: NetId| (wire(net), netlist.width(net));
        let mut unary = |kind: &str, a: NetId| {
            let (a, of) = pin(a);
            self.unary(kind, &y, (&a, of), width);
        };
        let kind = match op {
            // Connected to ports elsewhere.
            NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::MemoryAt { .. } => {
                return
            }
            NetOp::Const(value) => return self.connect(&y, &constant(value, width)),
            NetOp::Not(a) => return unary("$not", *a),
            NetOp::All(a) => return unary("$reduce_and", *a),
            NetOp::Any(a) => return unary("$reduce_or", *a),
            NetOp::Parity(a) => return unary("$reduce_xor", *a),
            NetOp::Mux { cond, then, otherwise } => {
                let pins = [
                    ("A", &*wire(*otherwise)),
                    ("B", &*wire(*then)),
                    ("S", &*wire(*cond)),
                    ("Y", &*y),
                ];
                return self.cell("$mux", &[("WIDTH", width)], &pins);
            }
            NetOp::Slice { value, offset } => {
                let high = offset + width - 1;
                let part = format!("{} [{high}:{offset}]", wire(*value));
                return self.connect(&y, &part);
            }
            NetOp::Concat(parts) => {
                let parts: Vec<String> = parts.iter().rev().map(|part| wire(*part)).collect();
                return self.connect(&y, &format!("{{ {} }}", parts.join(" ")));
            }
            NetOp::ReplaceBit { value, index, bit } => {
                return self.replace_bit(&y, width, *value, *index, *bit)
            }
            NetOp::And(..) => "$and",
            NetOp::Or(..) => "$or",
            NetOp::Xor(..) => "$xor",
            NetOp::Add(..) => "$add",
            NetOp::Sub(..) => "$sub",
            NetOp::Mul(..) => "$mul",
            NetOp::Eq(..) => "$eq",
            NetOp::Lt(..) => "$lt",
            NetOp::Shl(..) => "$shl",
            // The lowest bit of the shifted word is the bit at the index.
            NetOp::Shr(..) | NetOp::BitAt { .. } => "$shr",
        };
        let operands = op.operands();
        let ((a, a_width), (b, b_width)) = (pin(operands[0]), pin(operands[1]));
        self.binary(kind, &y, (&a, a_width), (&b, b_width), width);
    }

    /// Replaces one bit of a word by a new one.
    fn replace_bit(&mut self, y: &str, width: u32, value: NetId, index: NetId, bit: NetId) {
        let one = constant(&BigUint::from(1u8), width);
        let index = (wire(index), self.netlist.width(index));
        let index = (&*index.0, index.1);
        let place = self.temporary(width);
        self.binary("$shl", &place, (&one, width), index, width);
        let others = self.temporary(width);
        self.unary("$not", &others, (&place, width), width);
        let kept = self.temporary(width);
        let value = wire(value);
        self.binary("$and", &kept, (&value, width), (&others, width), width);
        let new = self.temporary(width);
        self.binary("$shl", &new, (&wire(bit), 1), index, width);
        self.binary("$or", y, (&kept, width), (&new, width), width);
    }
}

// Names of a netlist's ports, registers and memories in the emitted Verilog.

/// Names that netlist and Verilog share.
pub struct SharedNames {
    pub ports: Vec<VerilogPort>,
    /// Mapping from the netlist's ports to bits of the Verilog's ports.
    pub parts: Vec<PortSlice>,
    pub state: StateNames,
    /// Other signals, by their names in the Verilog.
    pub inner: Vec<(String, NetId)>,
}

/// Port of the Verilog, except the clock.
pub struct VerilogPort {
    pub name: String,
    pub width: u32,
    pub input: bool,
}

/// Port of the netlist, as bits of a Verilog port.
pub struct PortSlice {
    pub port: String,
    pub offset: u32,
    pub net: NetId,
    pub input: bool,
}

/// Registers and memories, in the order of the netlist.
#[derive(Default)]
pub struct StateNames {
    pub registers: Vec<RegisterName>,
    pub memories: Vec<MemoryName>,
}

/// Word of flip-flops, by its name in the Verilog: instances and signal, joined by dots.
pub struct RegisterName(pub String);

impl RegisterName {
    /// Input port for its present value.
    pub fn now(&self) -> String {
        self.0.clone()
    }

    /// Output port for its next value.
    pub fn next(&self) -> String {
        format!("{}$next", self.0)
    }
}

pub struct MemoryName {
    /// Register for the word that was read last, or wire of an asynchronous read port.
    pub read_data: RegisterName,
    pub is_written: bool,
    pub is_asynchronous: bool,
}

impl MemoryName {
    fn port(&self, what: &str) -> String {
        format!("{}${what}", self.read_data.0)
    }

    /// Input port for the word at the read address.
    pub fn word(&self) -> String {
        self.port("word")
    }

    pub fn read_address(&self) -> String {
        self.port("read_address")
    }

    /// Output port with one enable bit per bit of a word.
    pub fn write_enable(&self) -> String {
        self.port("write_enable")
    }

    /// Output port, zero if nothing is written.
    pub fn write_address(&self) -> String {
        self.port("write_address")
    }

    /// Output port, zero if nothing is written.
    pub fn write_data(&self) -> String {
        self.port("write_data")
    }
}

impl SharedNames {
    /// Names of a design's netlist. `printed` is the printed design: the same, or with vectors in
    /// place of port families. `ports` are its port names in the Verilog.
    pub fn new(
        design: &Design,
        netlist: &Netlist,
        printed: &Design,
        ports: &[String],
    ) -> SharedNames {
        let mut known = HashMap::new();
        for signal in signals(printed) {
            known.insert(signal.path.clone(), signal);
        }
        let mut state = StateNames::default();
        let name = |path: &str| known[path].full_name();
        cells(design, design.top, "", &mut |path, kind| match kind {
            StatePin::Register => state.registers.push(RegisterName(name(path))),
            StatePin::Memory { is_written, is_asynchronous } => state.memories.push(MemoryName {
                read_data: RegisterName(name(path)),
                is_written,
                is_asynchronous,
            }),
        });
        let top = printed.top();
        let ports: Vec<(String, VerilogPort)> = top
            .ports()
            .zip(ports)
            .map(|((_, signal), name)| {
                let port = VerilogPort {
                    name: name.clone(),
                    width: signal.width(),
                    input: matches!(signal.kind, lockstep::design::SignalKind::Input),
                };
                (signal.name.clone(), port)
            })
            .collect();
        let mut parts = vec![];
        let both = [(&netlist.inputs, true), (&netlist.outputs, false)];
        for (list, input) in both {
            for name in list {
                let (port, offset) = locate_port(&name.path, netlist.width(name.net), &ports);
                parts.push(PortSlice { port, offset, net: name.net, input });
            }
        }
        let ports: Vec<VerilogPort> = ports.into_iter().map(|(_, port)| port).collect();
        let inner = inner_signals(netlist, &known, &ports, &state);
        SharedNames { ports, parts, state, inner }
    }
}

impl SharedNames {
    /// Signals that must be equal: outputs, and next values of registers and memories.
    pub fn outputs(&self) -> Vec<String> {
        let ports = self.ports.iter().filter(|port| !port.input);
        let ports = ports.map(|port| port.name.clone());
        let registers = self.state.registers.iter().map(|held| held.next());
        let memories = self.state.memories.iter();
        let memories = memories.flat_map(|words| {
            let write = [words.write_enable(), words.write_address(), words.write_data()];
            let write = write.into_iter().filter(|_| words.is_written);
            let read = (!words.is_asynchronous).then(|| words.read_data.next());
            let read = read.into_iter().chain([words.read_address()]);
            read.chain(write)
        });
        ports.chain(registers).chain(memories).collect()
    }
}

/// Verilog port that contains this netlist port, and the bit position.
fn locate_port(path: &str, width: u32, ports: &[(String, VerilogPort)]) -> (String, u32) {
    let port = |wanted: &str| ports.iter().find(|(name, _)| name == wanted);
    if let Some((_, port)) = port(path) {
        return (port.name.clone(), 0);
    }
    let element = path.strip_suffix(']').and_then(|path| path.split_once('['));
    let (vector, number) = element.expect("a port that is not printed is part of a vector");
    let (_, port) = port(vector).expect("a vector is printed");
    let number: u32 = number.parse().expect("its elements have numbers");
    (port.name.clone(), number * width)
}

/// Signals that are neither ports nor state.
fn inner_signals(
    netlist: &Netlist,
    known: &HashMap<String, NamedSignal>,
    ports: &[VerilogPort],
    state: &StateNames,
) -> Vec<(String, NetId)> {
    let held = state.registers.iter().map(|held| held.now());
    let read = state.memories.iter().map(|words| words.read_data.now());
    let ports = ports.iter().map(|port| port.name.clone());
    let mut taken: BTreeSet<String> = held.chain(read).chain(ports).collect();
    let mut inner = vec![];
    for name in netlist.names.iter() {
        let Some(signal) = known.get(&name.path) else {
            continue;
        };
        let full_name = signal.full_name();
        let same = signal.ty.width() == netlist.width(name.net);
        if same && taken.insert(full_name.clone()) {
            inner.push((full_name, name.net));
        }
    }
    inner
}

/// Pin that outputs a cell's state.
enum StatePin {
    Register,
    Memory { is_written: bool, is_asynchronous: bool },
}

/// Visits every cell of a design in the order of its netlist: parents before children.
fn cells(design: &Design, id: ModuleId, prefix: &str, found: &mut impl FnMut(&str, StatePin)) {
    let module = design.module(id);
    for cell in &module.cells {
        let (signal, pin) = match &cell.kind {
            CellKind::Check { .. } | CellKind::Print { .. } => continue,
            CellKind::Register { q, .. } => (*q, StatePin::Register),
            CellKind::Memory { read_data, write, asynchronous, .. } => {
                let pin = StatePin::Memory {
                    is_written: write.is_some(),
                    is_asynchronous: *asynchronous,
                };
                (*read_data, pin)
            }
        };
        found(&format!("{prefix}{}", module.signal(signal).name), pin);
    }
    for instance in &module.instances {
        let prefix = format!("{prefix}{}.", instance.name);
        cells(design, instance.module, &prefix, found);
    }
}

//! From a netlist back to a module of a design, so that it can be an instance in another design and
//! be emitted as Verilog.

use super::{NetId, NetOp, Netlist};
use crate::design::{
    BinaryOp, Builder, DesignModule, ExprId, ReadPort, RegisterPins, SignalId, Type, UnaryOp,
    WritePort,
};
use std::collections::{HashMap, HashSet};

impl Netlist {
    /// Returns the netlist as a module with the same ports and cells. Each net becomes a signal with
    /// the first of its names, or with a number.
    ///
    /// `name` must be a Verilog identifier. [`flatten`](super::flatten) of the module gives a
    /// netlist with the same behaviour.
    ///
    /// ```
    /// use lockstep::design::{BinaryOp, Builder, Design, Type};
    /// use lockstep::netlist::flatten;
    ///
    /// let mut m = Builder::new("sum", "");
    /// let [a, b] = ["a", "b"].map(|name| m.input(name, Type::Bits(8), ""));
    /// let q = m.output("q", Type::Bits(8), "");
    /// let [a, b] = [a, b].map(|signal| m.read(signal));
    /// let sum = m.binary(BinaryOp::Add, a, b);
    /// m.assign(q, sum);
    /// let netlist = flatten(&Design::from(m.finish())).unwrap();
    ///
    /// let again = flatten(&Design::from(netlist.to_module("again", ""))).unwrap();
    /// assert_eq!(again.nets, netlist.nets);
    /// ```
    pub fn to_module(&self, name: &str, doc: &str) -> DesignModule {
        let mut module = NetlistModule::new(self, name, doc);
        for (id, _) in self.iter() {
            module.add_net(id);
        }
        module.finish()
    }
}

/// Names that the builder gives to pins of registers and memories.
const CELL_PINS: [&str; 7] =
    ["d", "q", "read_address", "read_data", "write_address", "write_data", "write_enable"];

/// Module that is made of a netlist.
struct NetlistModule<'a> {
    netlist: &'a Netlist,
    m: Builder,
    /// Names in use.
    taken: HashSet<String>,
    /// First name of each net.
    names: HashMap<NetId, &'a str>,
    /// Signal of each net so far. A constant has none.
    signals: Vec<Option<SignalId>>,
    inputs: Vec<SignalId>,
    outputs: Vec<SignalId>,
    registers: Vec<RegisterPins>,
    memories: Vec<(ReadPort, Option<WritePort>)>,
}

impl<'a> NetlistModule<'a> {
    /// Declares ports and cells.
    fn new(netlist: &'a Netlist, name: &str, doc: &str) -> Self {
        let mut names = HashMap::new();
        for name in netlist.names.iter() {
            names.entry(name.net).or_insert(name.path.as_str());
        }
        let ports = netlist.inputs.iter().chain(&netlist.outputs);
        let mut module = NetlistModule {
            netlist,
            m: Builder::new(name, doc),
            taken: ports.map(|port| port.path.clone()).collect(),
            names,
            signals: vec![],
            inputs: vec![],
            outputs: vec![],
            registers: vec![],
            memories: vec![],
        };
        for input in &netlist.inputs {
            let signal = module.m.input(&input.path, input.ty.clone(), "");
            module.inputs.push(signal);
        }
        for output in &netlist.outputs {
            let signal = module.m.output(&output.path, output.ty.clone(), "");
            module.outputs.push(signal);
        }
        for register in &netlist.registers {
            let name = module.fresh_cell(&register.name);
            let ty = Type::Bits(netlist.width(register.q));
            let pins = module.m.register(&name, ty, register.init.clone(), "");
            module.registers.push(pins);
        }
        for memory in &netlist.memories {
            let name = module.fresh_cell(&memory.name);
            let (ty, bits) = (Type::Bits(memory.width), netlist.width(memory.read_address));
            let init = memory.init.clone();
            let ports = match &memory.write {
                Some(_) => {
                    let (read, write) = module.m.memory(&name, ty, bits, init, "");
                    (read, Some(write))
                }
                None => (module.m.rom(&name, ty, bits, init, ""), None),
            };
            if memory.is_asynchronous(netlist) {
                module.m.read_asynchronously();
            }
            module.memories.push(ports);
        }
        module
    }

    /// Returns a name that is not in use: `wanted`, or one with a number.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }

    /// Returns a name for a cell, none of whose pins has a name in use.
    fn fresh_cell(&mut self, wanted: &str) -> String {
        let pins = |name: &str| CELL_PINS.map(|pin| format!("{name}.{pin}"));
        let mut name = self.fresh(wanted);
        while pins(&name).iter().any(|pin| self.taken.contains(pin)) {
            name = self.fresh(wanted);
        }
        self.taken.extend(pins(&name));
        name
    }

    /// Reads the value of a net.
    fn value(&mut self, net: NetId) -> ExprId {
        match (self.signals[net.index()], &self.netlist.net(net).op) {
            (Some(signal), _) => self.m.read(signal),
            (None, NetOp::Const(value)) => {
                let width = self.netlist.width(net);
                self.m.constant(value.clone(), width)
            }
            (None, _) => unreachable!("operands come before their users"),
        }
    }

    /// Adds the signal of a net, and its assignment.
    fn add_net(&mut self, id: NetId) {
        let net = self.netlist.net(id);
        let signal = match &net.op {
            NetOp::Const(_) => None,
            NetOp::Input(position) => Some(self.inputs[*position as usize]),
            NetOp::Register(position) => Some(self.registers[*position as usize].q),
            NetOp::MemoryAt { memory, .. } => Some(self.memories[*memory as usize].0.data),
            NetOp::Memory(position) => Some(self.memories[*position as usize].0.data),
            op => {
                let wanted = match self.names.get(&id) {
                    Some(name) => (*name).to_owned(),
                    None => format!("n{}", id.0),
                };
                let name = self.fresh(&wanted);
                let signal = self.m.local(&name, Type::Bits(net.width), "");
                match op {
                    NetOp::Concat(parts) => {
                        let mut offset = 0;
                        for part in parts {
                            let value = self.value(*part);
                            self.m.assign_slice(signal, offset, value);
                            offset += self.netlist.width(*part);
                        }
                    }
                    op => {
                        let value = self.operation(op, net.width);
                        self.m.assign(signal, value);
                    }
                }
                Some(signal)
            }
        };
        self.signals.push(signal);
    }

    fn operation(&mut self, op: &NetOp, width: u32) -> ExprId {
        let operands: Vec<ExprId> = op.operands().into_iter().map(|o| self.value(o)).collect();
        let unary = |m: &mut Builder, op| m.unary(op, operands[0]);
        let binary = |m: &mut Builder, op| m.binary(op, operands[0], operands[1]);
        let m = &mut self.m;
        match op {
            NetOp::Not(_) => unary(m, UnaryOp::Not),
            NetOp::All(_) => unary(m, UnaryOp::All),
            NetOp::Any(_) => unary(m, UnaryOp::Any),
            NetOp::Parity(_) => unary(m, UnaryOp::Parity),
            NetOp::And(..) => binary(m, BinaryOp::And),
            NetOp::Or(..) => binary(m, BinaryOp::Or),
            NetOp::Xor(..) => binary(m, BinaryOp::Xor),
            NetOp::Add(..) => binary(m, BinaryOp::Add),
            NetOp::Sub(..) => binary(m, BinaryOp::Sub),
            NetOp::Mul(..) => binary(m, BinaryOp::Mul),
            NetOp::Eq(..) => binary(m, BinaryOp::Eq),
            NetOp::Lt(..) => binary(m, BinaryOp::Lt),
            NetOp::Shl(..) => binary(m, BinaryOp::Shl),
            NetOp::Shr(..) => binary(m, BinaryOp::Shr),
            NetOp::Mux { .. } => m.mux(operands[0], operands[1], operands[2]),
            NetOp::Slice { offset, .. } => m.slice(operands[0], *offset, width),
            NetOp::BitAt { .. } => m.bit_at(operands[0], operands[1]),
            NetOp::ReplaceBit { .. } => m.replace_bit(operands[0], operands[1], operands[2]),
            NetOp::Input(_)
            | NetOp::Register(_)
            | NetOp::Memory(_)
            | NetOp::MemoryAt { .. }
            | NetOp::Const(_)
            | NetOp::Concat(_) => unreachable!("`add_net` handles these"),
        }
    }

    /// Connects cells and outputs.
    fn finish(mut self) -> DesignModule {
        let netlist = self.netlist;
        let mut ends: Vec<(SignalId, NetId)> = vec![];
        let outputs = self.outputs.iter().zip(&netlist.outputs);
        ends.extend(outputs.map(|(signal, output)| (*signal, output.net)));
        let registers = self.registers.iter().zip(&netlist.registers);
        ends.extend(registers.map(|(pins, register)| (pins.d, register.d)));
        for ((read, write), memory) in self.memories.iter().zip(&netlist.memories) {
            ends.push((read.address, memory.read_address));
            if let (Some(pins), Some(write)) = (write, &memory.write) {
                ends.push((pins.address, write.address));
                ends.push((pins.data, write.data));
                ends.push((pins.enable, write.enable));
            }
        }
        for (signal, net) in ends {
            let value = self.value(net);
            self.m.assign(signal, value);
        }
        self.m.finish()
    }
}

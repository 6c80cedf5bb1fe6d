//! Names of a netlist's ports, registers and memories in the emitted Verilog.

use hdl::verilog::{signals, NamedSignal};
use lockstep::design::{CellKind, Design, ModuleId};
use lockstep::netlist::{NetId, Netlist};
use std::collections::{BTreeSet, HashMap};

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

/// Memory.
pub struct MemoryName {
    /// Register for the word that was read last.
    pub read_data: RegisterName,
    pub is_written: bool,
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
            StatePin::Memory { is_written } => state.memories.push(MemoryName {
                read_data: RegisterName(name(path)),
                is_written,
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
                parts.push(PortSlice {
                    port,
                    offset,
                    net: name.net,
                    input,
                });
            }
        }
        let ports: Vec<VerilogPort> = ports.into_iter().map(|(_, port)| port).collect();
        let inner = inner_signals(netlist, &known, &ports, &state);
        SharedNames {
            ports,
            parts,
            state,
            inner,
        }
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
            let write = [
                words.write_enable(),
                words.write_address(),
                words.write_data(),
            ];
            let write = write.into_iter().filter(|_| words.is_written);
            [words.read_data.next(), words.read_address()]
                .into_iter()
                .chain(write)
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
    Memory { is_written: bool },
}

/// Visits every cell of a design in the order of its netlist: parents before children.
fn cells(design: &Design, id: ModuleId, prefix: &str, found: &mut impl FnMut(&str, StatePin)) {
    let module = design.module(id);
    for cell in &module.cells {
        let (signal, pin) = match &cell.kind {
            CellKind::Register { q, .. } => (*q, StatePin::Register),
            CellKind::Memory {
                read_data, write, ..
            } => {
                let is_written = write.is_some();
                (*read_data, StatePin::Memory { is_written })
            }
        };
        found(&format!("{prefix}{}", module.signal(signal).name), pin);
    }
    for instance in &module.instances {
        let prefix = format!("{prefix}{}.", instance.name);
        cells(design, instance.module, &prefix, found);
    }
}

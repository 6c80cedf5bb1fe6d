//! What the emitted Verilog calls the ports, registers and memories of a netlist.

use hdl::verilog::{signals, NamedSignal};
use lockstep::design::{CellKind, Design, ModuleId};
use lockstep::netlist::{NetId, Netlist};
use std::collections::{BTreeSet, HashMap};

/// The names that netlist and Verilog share.
pub struct Names {
    pub ports: Vec<Port>,
    /// How the netlist's ports make up those of the Verilog.
    pub parts: Vec<Part>,
    pub state: State,
    /// Other signals, by their names in the Verilog.
    pub inner: Vec<(String, NetId)>,
}

/// A port of the Verilog, the clock not among them.
pub struct Port {
    pub name: String,
    pub width: u32,
    pub input: bool,
}

/// A port of the netlist, as bits of one of the Verilog's.
pub struct Part {
    pub port: String,
    pub offset: u32,
    pub net: NetId,
    pub input: bool,
}

/// Registers and memories, in the order of the netlist.
#[derive(Default)]
pub struct State {
    pub registers: Vec<Held>,
    pub memories: Vec<Words>,
}

/// A word of flip-flops, by its name in the Verilog: instances and signal, joined by dots.
pub struct Held(pub String);

impl Held {
    /// The port by which it comes in.
    pub fn now(&self) -> String {
        self.0.clone()
    }

    /// The port by which its next value goes out.
    pub fn next(&self) -> String {
        format!("{}$next", self.0)
    }
}

/// A memory.
pub struct Words {
    /// The register that holds the word read last.
    pub read_data: Held,
    pub is_written: bool,
}

impl Words {
    fn port(&self, what: &str) -> String {
        format!("{}${what}", self.read_data.0)
    }

    /// The port by which the word at the read address comes in.
    pub fn word(&self) -> String {
        self.port("word")
    }

    pub fn read_address(&self) -> String {
        self.port("read_address")
    }

    /// A bit for each of a word.
    pub fn write_enable(&self) -> String {
        self.port("write_enable")
    }

    /// Zero if nothing is written.
    pub fn write_address(&self) -> String {
        self.port("write_address")
    }

    /// Zero if nothing is written.
    pub fn write_data(&self) -> String {
        self.port("write_data")
    }
}

impl Names {
    /// Those of the netlist of a design; `printed` is the design that was printed, which is the same or
    /// has vectors where this one has families of ports; `ports` are its ports as the Verilog calls them.
    pub fn new(design: &Design, netlist: &Netlist, printed: &Design, ports: &[String]) -> Names {
        let mut known = HashMap::new();
        for signal in signals(printed) {
            known.insert(signal.path.clone(), signal);
        }
        let mut state = State::default();
        let name = |path: &str| known[path].full_name();
        cells(design, design.top, "", &mut |path, kind| match kind {
            Pin::Register => state.registers.push(Held(name(path))),
            Pin::Memory { is_written } => state.memories.push(Words {
                read_data: Held(name(path)),
                is_written,
            }),
        });
        let top = printed.top();
        let ports: Vec<(String, Port)> = top
            .ports()
            .zip(ports)
            .map(|((_, signal), name)| {
                let port = Port {
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
                let (port, offset) = place(&name.path, netlist.width(name.net), &ports);
                parts.push(Part {
                    port,
                    offset,
                    net: name.net,
                    input,
                });
            }
        }
        let ports: Vec<Port> = ports.into_iter().map(|(_, port)| port).collect();
        let inner = inner(netlist, &known, &ports, &state);
        Names {
            ports,
            parts,
            state,
            inner,
        }
    }
}

impl Names {
    /// What is to be the same: outputs, and what registers and memories take.
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

/// The port that has this one of the netlist, and where in it.
fn place(path: &str, width: u32, ports: &[(String, Port)]) -> (String, u32) {
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
fn inner(
    netlist: &Netlist,
    known: &HashMap<String, NamedSignal>,
    ports: &[Port],
    state: &State,
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

/// The pin by which a cell's state comes out.
enum Pin {
    Register,
    Memory { is_written: bool },
}

/// Every cell of a design in the order of its netlist: parents before children.
fn cells(design: &Design, id: ModuleId, prefix: &str, found: &mut impl FnMut(&str, Pin)) {
    let module = design.module(id);
    for cell in &module.cells {
        let (signal, pin) = match &cell.kind {
            CellKind::Register { q, .. } => (*q, Pin::Register),
            CellKind::Memory {
                read_data, write, ..
            } => {
                let is_written = write.is_some();
                (*read_data, Pin::Memory { is_written })
            }
        };
        found(&format!("{prefix}{}", module.signal(signal).name), pin);
    }
    for instance in &module.instances {
        let prefix = format!("{prefix}{}.", instance.name);
        cells(design, instance.module, &prefix, found);
    }
}

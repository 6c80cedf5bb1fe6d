//! Core of the user in the place of a node's own core.
//!
//! ```text
//!            +-- replaces soft_core -----------------------------+
//!   wake     |         +----------------------+                  | asleep
//!   -------->|-------->| module of the user   |-- sleep -------->|-------->
//!   ready    |         |                      |-- halted ------->| halted
//!   -------->|-------->|                      |-- request ------>|-------->
//!   read_data|         |                      |-- address ------>| address
//!   -------->|-------->|                      |-- write_data --->| write_data
//!            |  reset >|                      |-- write_strobe ->| write_strobe
//!            |    |    +----------------------+    |             |
//!            |  high in the first             address, read_data |
//!            |  clock cycles                       v             | program_counter
//!            |                           address of the last     |-------->
//!            |                           fetch from the program  | instruction
//!            +---------------------------------------------------+
//! ```

use crate::flags::CoreFlags;
use crate::program::Firmware;
use crate::verilog::{elaborate, Delays, ElaborateError, ElaborateOptions};
use import::{ClockEdge, Imported, YosysJob};
use lockstep::design::{BinaryOp, Builder, Design, Library, SignalId, SignalKind, Type};
use std::collections::HashMap;
use std::path::Path;
use thiserror::Error;
use toolchain::Toolchain;

/// Clock of a core.
const CLOCK: &str = "clock";

/// Ports of a core besides its clock: name, width in bits, and whether it is an input of the core.
const PORTS: &[(&str, u32, bool)] = &[
    ("reset", 1, true),
    ("wake", 1, true),
    ("sleep", 1, false),
    ("request", 1, false),
    ("address", 32, false),
    ("write_data", 32, false),
    ("write_strobe", 4, false),
    ("ready", 1, true),
    ("read_data", 32, true),
    ("halted", 1, false),
];

/// Module of the soft core, which another core can replace.
pub const SOFT_CORE: &str = "soft_core";

/// Clock cycles at the start in which `reset` is high.
const RESET_CYCLES: u8 = 4;

/// Cause that a halted core of the user reports: an illegal instruction.
const CAUSE: u8 = 2;

/// Reason why a core cannot be used.
#[derive(Debug, Error)]
pub enum UserCoreError {
    #[error(transparent)]
    Elaborate(#[from] ElaborateError),
    /// A port is missing, or differs from that of the bus.
    #[error("the core {top}: {what}; accepted: {accepted}")]
    Port { top: String, what: String, accepted: String },
    /// The program needs a core with two contexts.
    #[error(
        "{program} calls tdma_background, which needs the second context of the node's own core; \
         accepted: a program without this call, or no --core"
    )]
    Background { program: String },
}

/// A core in Verilog that replaces the soft core of each node (`--core`).
#[derive(Clone, Debug)]
pub struct UserCore {
    top: String,
    design: Design,
    /// What yosys and the importer report about the sources.
    pub notes: Vec<String>,
}

impl UserCore {
    /// Elaborates the module with yosys and checks its ports. Files of yosys go to `work_dir`.
    ///
    /// # Errors
    /// If the sources cannot be elaborated, or the module has not the bus of a node.
    pub fn open(
        flags: &CoreFlags,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, UserCoreError> {
        let path = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        let job = YosysJob {
            files: flags.core.iter().map(path).collect(),
            top: flags.core_top.clone(),
            ..YosysJob::default()
        };
        let options = ElaborateOptions { delays: Delays::Ignore, has_signature: false };
        let elaborated = elaborate(&job, options, tools, work_dir)?;
        let imported = elaborated.imported;
        check_ports(&imported)?;
        let doc = "Core of the user, made of the netlist that yosys elaborated.";
        Ok(UserCore {
            design: imported.netlist.to_module(&imported.top, doc).into(),
            top: imported.top,
            notes: [elaborated.warnings, imported.notes].concat(),
        })
    }

    /// Checks that a core with one context can run this program.
    ///
    /// # Errors
    /// If the program needs two contexts.
    pub fn check_program(firmware: &Firmware) -> Result<(), UserCoreError> {
        match firmware.uses_background() {
            true => Err(UserCoreError::Background { program: firmware.name.clone() }),
            false => Ok(()),
        }
    }

    /// Returns the name of the module.
    pub fn top(&self) -> &str {
        &self.top
    }

    /// Returns the circuit of the core alone.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Returns the circuit with this core in place of each soft core of one context.
    ///
    /// # Panics
    /// If the circuit has no soft core.
    pub fn placed_in(&self, circuit: &Design) -> Design {
        let replaced = circuit.modules.iter();
        let mut replaced = replaced.filter(|module| module.name == SOFT_CORE);
        let module = replaced.next().expect("the circuit has a soft core");
        let ports: Vec<_> = module.ports().map(|(_, port)| port.clone()).collect();
        let mut adapter = Adapter::new(&ports);
        let mut library = Library::default();
        let core = adapter.m.instantiate_design(&mut library, "core", &self.design);
        adapter.connect(&core);
        let adapter = library.add_module(adapter.m.finish());
        circuit.with_module(SOFT_CORE, &library.finish(adapter))
    }
}

/// Checks that a module has the ports of a core and no other inputs.
fn check_ports(imported: &Imported) -> Result<(), UserCoreError> {
    let netlist = &imported.netlist;
    let fault = |what: String, accepted: String| UserCoreError::Port {
        top: imported.top.clone(),
        what,
        accepted,
    };
    match &imported.clock {
        Some((name, ClockEdge::Rising)) if name == CLOCK => {}
        Some((name, edge)) => {
            let edge = match edge {
                ClockEdge::Rising => "rising",
                ClockEdge::Falling => "falling",
            };
            let what = format!("its clock is the {edge} edge of {name}");
            return Err(fault(what, "the rising edge of clock".into()));
        }
        None => return Err(fault("it has no clock".into(), "the rising edge of clock".into())),
    }
    let port = |width: u32, is_input: bool, name: &str| {
        let direction = if is_input { "input" } else { "output" };
        match width {
            1 => format!("{direction} {name}"),
            _ => format!("{direction} [{}:0] {name}", width - 1),
        }
    };
    for (name, width, is_input) in PORTS {
        let accepted = port(*width, *is_input, name);
        let found = match (netlist.input(name), netlist.output(name)) {
            (Some(net), _) => Some((netlist.width(net), true)),
            (_, Some(net)) => Some((netlist.width(net), false)),
            (None, None) => None,
        };
        match found {
            Some(found) if found == (*width, *is_input) => {}
            Some((width, is_input)) => {
                let what = format!("its port is {}", port(width, is_input, name));
                return Err(fault(what, accepted));
            }
            None => return Err(fault(format!("it has no port {name}"), accepted)),
        }
    }
    let known = |name: &str| PORTS.iter().any(|(port, ..)| *port == name);
    match netlist.inputs.iter().find(|input| !known(&input.path)) {
        Some(input) => {
            let names = PORTS.iter().filter(|(_, _, is_input)| *is_input);
            let names = names.map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
            let what = format!("nothing drives its input {}", input.path);
            Err(fault(what, format!("the inputs {CLOCK}, {names}")))
        }
        None => Ok(()),
    }
}

/// Module with the ports of the soft core around a core of the user.
struct Adapter {
    m: Builder,
    ports: HashMap<String, SignalId>,
}

impl Adapter {
    fn new(ports: &[lockstep::design::DesignSignal]) -> Self {
        let doc = "A core of the user with the ports of the soft core.";
        let mut m = Builder::new("user_core_adapter", doc);
        let ports = ports.iter().map(|port| {
            let (name, ty) = (&port.name, port.ty.clone());
            let signal = match port.kind {
                SignalKind::Input => m.input(name, ty, &port.doc),
                _ => m.output(name, ty, &port.doc),
            };
            (name.clone(), signal)
        });
        let ports = ports.collect();
        Adapter { m, ports }
    }

    /// Connects the pins of the core and drives all outputs.
    fn connect(&mut self, core: &HashMap<String, SignalId>) {
        let count = Type::Bits(3);
        let start = self.m.register("start", count, 0u8, "Clock cycles since the start.");
        let m = &mut self.m;
        let port = |name: &str| self.ports[name];

        // Reset in the first clock cycles.
        let now = m.read(start.q);
        let (last, one) = (m.constant(RESET_CYCLES, 3), m.constant(1u8, 3));
        let starts = m.binary(BinaryOp::Lt, now, last);
        let later = m.binary(BinaryOp::Add, now, one);
        let next = m.mux(starts, later, now);
        m.assign(start.d, next);
        let reset = m.read(port("reset"));
        let reset = m.binary(BinaryOp::Or, reset, starts);
        m.assign(core["reset"], reset);
        for name in ["wake", "ready", "read_data"] {
            m.connect(core[name], port(name));
        }

        // The bus. A core that is reset requests nothing.
        let (request, running) = (m.read(core["request"]), m.not(reset));
        let request = m.binary(BinaryOp::And, request, running);
        m.assign(port("request"), request);
        let address = m.read(core["address"]);
        let word = m.constant(0xFFFF_FFFCu32, 32);
        let address = m.binary(BinaryOp::And, address, word);
        m.assign(port("address"), address);
        for name in ["write_data", "write_strobe", "halted"] {
            m.connect(port(name), core[name]);
        }
        m.connect(port("asleep"), core["sleep"]);
        let (none, cause) = (m.constant(0u8, 1), m.constant(CAUSE, 4));
        m.assign(port("current"), none);
        m.assign(port("cause"), cause);

        // A read of the program counts as the fetch of an instruction.
        let region = m.slice(address, 28, 4);
        let elsewhere = m.unary(lockstep::design::UnaryOp::Any, region);
        let strobe = m.read(core["write_strobe"]);
        let writes = m.unary(lockstep::design::UnaryOp::Any, strobe);
        let other = m.binary(BinaryOp::Or, elsewhere, writes);
        let (ready, fetch) = (m.read(port("ready")), m.not(other));
        let fetched = m.binary(BinaryOp::And, request, ready);
        let fetched = m.binary(BinaryOp::And, fetched, fetch);
        m.assign(port("retired"), fetched);
        let read_data = m.read(port("read_data"));
        for (name, value) in [("program_counter", address), ("instruction", read_data)] {
            let word = Type::Bits(32);
            let last = m.register(&format!("last.{name}"), word, 0u8, "Of the last fetch.");
            m.connect(last.d, last.q);
            m.if_(fetched, |m| m.assign(last.d, value));
            m.connect(port(name), last.q);
        }
    }
}

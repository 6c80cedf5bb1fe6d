//! Circuits that are synthesised to measure the cost of a network.

use hdl::lower::{lower, LowerErrors};
use lockstep::design::{CellKind, Design, DesignModule, SignalId, SignalKind};
use rtl::core::SingleContextCore;
use rtl::tdma::{DATA_BITS, PROGRAM_BITS};
use serde::Serialize;

/// Circuit that is synthesised alone.
#[derive(Clone, Debug)]
pub struct SynthesisUnit {
    /// Name in a table.
    pub name: String,
    pub design: Design,
}

/// Circuits of a node, and the shared circuit of the machine.
#[derive(Clone, Debug)]
pub struct Silicon {
    /// Router without the processors.
    pub router: SynthesisUnit,
    pub node: WholeNode,
    /// Circuit that distributes the time to all nodes, if the machine needs one. The machine
    /// contains it once.
    pub shared: Option<SynthesisUnit>,
}

/// Router and processors.
#[derive(Clone, Debug)]
pub enum WholeNode {
    /// Router and processors in one circuit.
    One(SynthesisUnit),
    /// The router beside this number of cores. The connections between them are not counted.
    Cores { core: SynthesisUnit, count: usize },
}

impl WholeNode {
    /// This number of the soft node's cores.
    pub fn cores(count: usize) -> Result<Self, LowerErrors> {
        let core = SynthesisUnit {
            name: "SingleContextCore".into(),
            design: lower(&SingleContextCore::default())?,
        };
        Ok(WholeNode::Cores { core, count })
    }

    /// Bits of program store and data memory of a core, as in the soft node.
    pub const CORE_MEMORY_BITS: u64 = (32 << PROGRAM_BITS) + (8 << DATA_BITS);

    /// Number of block RAMs of 4 kbit for these memories, as in the soft node.
    pub const CORE_BLOCK_RAMS: usize = (Self::CORE_MEMORY_BITS / 4096) as usize;
}

/// Returns the declared size of all memories of a circuit, in bits.
pub fn memory_bits(design: &Design) -> u64 {
    let mut bits: Vec<u64> = vec![];
    // Children come before their parents.
    for module in &design.modules {
        let cells = module.cells.iter().map(|cell| match &cell.kind {
            CellKind::Register { .. } | CellKind::Check { .. } | CellKind::Print { .. } => 0,
            CellKind::Memory { read_address, read_data, .. } => {
                let width = u64::from(module.signal(*read_data).width());
                width << module.signal(*read_address).width()
            }
        });
        let children = module.instances.iter().map(|i| bits[i.module.index()]);
        let all = cells.chain(children).sum();
        bits.push(all);
    }
    bits[design.top.index()]
}

/// Dimensions of the cubes whose nodes are synthesised.
pub const SYNTHESISED_DIMS: [u32; 2] = [3, 4];

// Trims a circuit to the part that would be on a chip, before synthesis.

/// Changes of a circuit before synthesis. Names refer to the top module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trim<'a> {
    /// Outputs for the simulation only, which are left open.
    pub open: &'a [&'a str],
    /// Inputs for the simulation only, which are set low.
    pub low: &'a [&'a str],
    /// Blocks and memories that are removed. Their pins become ports.
    pub without: &'a [&'a str],
}

impl Trim<'_> {
    /// Applies the changes.
    ///
    /// # Panics
    /// If the design lacks an item of such a name.
    pub fn apply(&self, mut design: Design) -> Design {
        let top = design.top.index();
        let module = &mut design.modules[top];
        for name in self.open {
            *port(module, name) = SignalKind::Local;
        }
        for name in self.low {
            *port(module, name) = SignalKind::Constant(0u8.into());
        }
        for name in self.without {
            for pin in remove_block(module, name) {
                let kind = &mut module.signals[pin.index()].kind;
                *kind = match kind {
                    SignalKind::PinIn => SignalKind::Output,
                    _ => SignalKind::Input,
                };
            }
        }
        design
    }
}

fn port<'m>(module: &'m mut DesignModule, name: &str) -> &'m mut SignalKind {
    let (id, _) = module.port(name).expect("the circuit has this port");
    &mut module.signals[id.index()].kind
}

/// Removes the block or memory of this name and returns its pins.
fn remove_block(module: &mut DesignModule, name: &str) -> Vec<SignalId> {
    if let Some(at) = module.instances.iter().position(|i| i.name == name) {
        return module.instances.remove(at).pins;
    }
    let at = module.cells.iter().position(|c| c.name == name);
    let mut cell = module.cells.remove(at.expect("the circuit has this part"));
    cell.kind.pins_mut().into_iter().map(|pin| *pin).collect()
}

// Time and wires of a machine, in comparable units.

/// Time of a machine, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timebase {
    /// Clock cycles per bit-time.
    pub clocks_per_bit: u64,
    /// Length of a step in bit-times: a phase, or a petit cycle. Messages depart and arrive in
    /// steps.
    pub step: u64,
    /// Length of a period in bit-times: a superframe, or a petit cycle. In a period every wire can
    /// carry one message in each direction.
    pub period: u64,
    /// Name of the network's period in reports, such as `superframe`.
    pub period_name: &'static str,
    /// Name of the network's step in reports, such as `phase`.
    #[serde(skip)]
    pub step_name: &'static str,
    /// Plural name of steps.
    #[serde(skip)]
    pub steps_name: &'static str,
    /// Bit-times from the beginning of the step of an arrival until the message is available.
    #[serde(skip)]
    pub arrival: u64,
}

impl Timebase {
    /// Timebase of a machine without a schedule, whose bit-times are clock cycles. A period is a
    /// step of `clock_cycles`, in which every channel can carry one message.
    pub const fn unscheduled(
        step_name: &'static str,
        steps_name: &'static str,
        clock_cycles: u64,
    ) -> Self {
        Timebase {
            clocks_per_bit: 1,
            step: clock_cycles,
            period: clock_cycles,
            period_name: step_name,
            step_name,
            steps_name,
            arrival: clock_cycles,
        }
    }

    /// Steps per period.
    pub fn steps(self) -> u64 {
        self.period / self.step
    }

    /// Clock cycles per step.
    pub fn clock_cycles(self) -> u64 {
        self.step * self.clocks_per_bit
    }

    /// Time of an arrival in step `t`, in bit-times from the start.
    pub fn arrival_time(self, t: u32) -> u64 {
        u64::from(t) * self.step + self.arrival
    }
}

/// Wires of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WireCounts {
    /// Wires between nodes, divided by the number of nodes.
    pub per_node: f64,
    /// Number of wire ends at a node.
    pub pins: u32,
}

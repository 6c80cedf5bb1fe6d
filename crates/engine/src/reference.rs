//! The reference: `rust-hdl`'s own simulator, for one block and for a circuit of many blocks.
//!
//! ```text
//!                       nets between the blocks          blocks, each in
//!                   +---------------------------+    rust-hdl's own simulator
//!                   | EvaluatorEngine           |        +---------+
//!   inputs -------->|                      pins |<------>| node 0  |
//!                   |                           |        +---------+
//!   outputs <-------|                      pins |<------>| node 1  |
//!                   |                           |        +---------+
//!                   |                      pins |<------>| shared  |
//!                   +---------------------------+        +---------+
//! ```
//!
//! A [`BlockCircuit`] is described once. The other engines take its [`design`](BlockCircuit::design).
//! The reference takes the same wiring, and replaces each block of the design by the `rust-hdl`
//! block itself. A fault in lowering, evaluation, or emission of a block therefore appears as a
//! difference. A wrong connection between blocks does not, because all engines share the wiring.
//! Second models and golden vectors detect such a connection.

use super::{ports, CircuitEngine, EngineError, EnginePort, EvaluatorEngine, PortId};
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::Topology;
use lockstep::design::{Builder, Design, DesignModule, Library, SignalId, SignalKind};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Number of rounds after which a circuit counts as oscillating. Deep hierarchies need one round
/// for every level and for every step of a combinational path.
pub const MAX_ROUNDS: u32 = 1000;

/// `rust-hdl`'s own simulator in a direct loop, with one block.
///
/// A round updates the whole block, so unnecessary rounds are avoided. An input that keeps its
/// value does not require a round. The clock rises and falls everywhere at once. The falling edge
/// shares its rounds with the next inputs, because no block reacts to it.
pub struct ReferenceEngine {
    block: Box<dyn Circuit>,
    ports: Vec<EnginePort>,
    /// Last value of each port that was set.
    set: Vec<Option<BigUint>>,
    /// Level of the clock.
    high: bool,
    /// True if the block has settled for the inputs and that level.
    settled: bool,
}

impl ReferenceEngine {
    /// Takes ownership of the block and settles it.
    ///
    /// The block is lowered only to get the list of its ports.
    ///
    /// # Errors
    /// If the block leaves the subset or does not settle.
    pub fn new(block: impl Circuit + 'static) -> Result<Self, EngineError> {
        ReferenceEngine::boxed(Box::new(block))
    }

    /// Takes a block of unknown type.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn boxed(block: Box<dyn Circuit>) -> Result<Self, EngineError> {
        let ports = ports(&lower(&*block)?);
        ReferenceEngine::with_ports(block, ports)
    }

    fn with_ports(
        mut block: Box<dyn Circuit>,
        ports: Vec<EnginePort>,
    ) -> Result<Self, EngineError> {
        block.connect_all();
        let mut reference = ReferenceEngine {
            block,
            set: vec![None; ports.len()],
            ports,
            high: false,
            settled: false,
        };
        reference.settle()?;
        Ok(reference)
    }

    /// Settles the block for the inputs and this level of the clock.
    fn settle_with(&mut self, clock: bool) -> Result<(), EngineError> {
        self.high = clock;
        self.block.drive_clock(clock);
        self.settled = (0..MAX_ROUNDS).any(|_| {
            self.block.update_all();
            !self.block.has_changed()
        });
        match self.settled {
            true => Ok(()),
            false => Err(EngineError::Unsettled { rounds: MAX_ROUNDS }),
        }
    }
}

impl CircuitEngine for ReferenceEngine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        let set = &mut self.set[port.0];
        if set.as_ref() == Some(value) {
            return;
        }
        let name = &self.ports[port.0].name;
        assert!(self.block.poke(name, value), "`{name}` is not an input whose type is a word");
        *set = Some(value.clone());
        self.settled = false;
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        match self.settled {
            true => Ok(()),
            false => self.settle_with(false),
        }
    }

    fn get(&mut self, port: PortId) -> BigUint {
        let name = &self.ports[port.0].name;
        self.block.peek(name).unwrap_or_else(|| panic!("`{name}` is not a port"))
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        if self.high || !self.settled {
            self.settle_with(false)?;
        }
        self.settle_with(true)
    }
}

/// Largest number of nodes on the reference simulator, which is the slowest engine.
pub const REFERENCE_NODES: u32 = 16;

/// The machine is too large for the reference engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the reference engine runs machines of up to {REFERENCE_NODES} nodes, the {machine} has {nodes}; accepted: a smaller machine, or another --engine")]
pub struct TooLarge {
    pub machine: String,
    pub nodes: u32,
}

impl TooLarge {
    /// Checks the size of the machine.
    ///
    /// # Errors
    /// If the reference engine does not run machines of this size.
    pub fn check(topology: &dyn Topology) -> Result<(), TooLarge> {
        match topology.nodes() {
            ..=REFERENCE_NODES => Ok(()),
            nodes => Err(TooLarge { machine: topology.name(), nodes }),
        }
    }
}

// Circuit of several blocks.

type BlockMaker = Arc<dyn Fn() -> Box<dyn Circuit> + Send + Sync>;

/// Circuit of `rust-hdl` blocks: one block, or several and the nets between them.
#[derive(Clone)]
pub struct BlockCircuit {
    /// Lowered circuit.
    pub design: Design,
    /// Blocks by the names of their instances in the top module. A circuit of one block is the only
    /// entry, without a name. Empty if the blocks are not known.
    blocks: HashMap<String, BlockMaker>,
}

impl fmt::Debug for BlockCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlockCircuit").field(&self.design).finish()
    }
}

/// Circuit whose blocks are not known. All engines except the reference run it.
impl From<&Design> for BlockCircuit {
    fn from(design: &Design) -> Self {
        BlockCircuit { design: design.clone(), blocks: HashMap::new() }
    }
}

impl BlockCircuit {
    /// Lowers the block that `make` returns. The reference makes one block per instance.
    ///
    /// # Errors
    /// If the block leaves the subset.
    pub fn of(
        make: impl Fn() -> Box<dyn Circuit> + Send + Sync + 'static,
    ) -> Result<Self, LowerErrors> {
        let design = lower(&*make())?;
        let make: BlockMaker = Arc::new(make);
        Ok(BlockCircuit { design, blocks: HashMap::from([(String::new(), make)]) })
    }

    /// Returns the circuit without its blocks, whose pins become ports, and the blocks.
    fn open(&self) -> Result<OpenCircuit, EngineError> {
        let top = self.design.top();
        let known = |instance: &str| {
            let block = self.blocks.get(instance).cloned();
            block.ok_or_else(|| EngineError::NoBlock(format!("{} {instance}", top.name)))
        };
        if self.blocks.contains_key("") {
            let mut library = Library::default();
            let mut around = Builder::new(&top.name, &top.doc);
            let pins = around.instantiate_design(&mut library, BLOCK, &self.design);
            for (_, port) in top.ports() {
                around.export_port(pins[&port.name], port, &port.name);
            }
            let around = library.add_module(around.finish());
            let around = library.finish(around);
            return Ok(open(&around, [known("")?].into()));
        }
        let blocks = top.instances.iter().map(|part| known(&part.name));
        Ok(open(&self.design, blocks.collect::<Result<_, _>>()?))
    }
}

/// Name of the instance of a circuit that is one block.
const BLOCK: &str = "block";

/// Circuit without its blocks.
struct OpenCircuit {
    design: Design,
    blocks: Vec<OpenBlock>,
}

struct OpenBlock {
    make: BlockMaker,
    /// Ports of the block, each with the name of the port of the circuit that replaces its pin.
    ports: Vec<(EnginePort, String)>,
}

/// Opens a circuit at all its instances, whose blocks are given in order.
fn open(design: &Design, makers: Vec<BlockMaker>) -> OpenCircuit {
    let mut top: DesignModule = design.top().clone();
    let mut blocks = vec![];
    for (instance, make) in std::mem::take(&mut top.instances).into_iter().zip(makers) {
        let child = Design { top: instance.module, ..design.clone() };
        let mut pins = vec![];
        for (port, pin) in ports(&child).into_iter().zip(&instance.pins) {
            let pin = &mut top.signals[pin.index()];
            pin.kind = match port.input {
                true => SignalKind::Output,
                false => SignalKind::Input,
            };
            pins.push((port, pin.name.clone()));
        }
        blocks.push(OpenBlock { make, ports: pins });
    }
    if top.cells.is_empty() {
        top.clock = None;
    }
    OpenCircuit { design: top.into(), blocks }
}

/// Builds a [`BlockCircuit`] of several blocks.
pub struct BlockCircuitBuilder {
    /// Top module, for nets and ports.
    pub top: Builder,
    library: Library,
    blocks: HashMap<String, BlockMaker>,
}

impl BlockCircuitBuilder {
    /// Input that [`instantiate_gated`](Self::instantiate_gated) adds to a block.
    pub const CLOCK_ENABLE: &'static str = "clock_enable";

    pub fn new(name: &str, doc: &str) -> Self {
        BlockCircuitBuilder {
            top: Builder::new(name, doc),
            library: Library::default(),
            blocks: HashMap::new(),
        }
    }

    /// Instantiates a circuit of one block. Returns its pins by the names of its ports.
    pub fn instantiate(&mut self, name: &str, block: &BlockCircuit) -> HashMap<String, SignalId> {
        self.instantiate_as(name, block, &block.design)
    }

    /// Instantiates a circuit of one block. The block has a clock edge only if the additional input
    /// [`CLOCK_ENABLE`](Self::CLOCK_ENABLE) is high.
    pub fn instantiate_gated(
        &mut self,
        name: &str,
        block: &BlockCircuit,
    ) -> HashMap<String, SignalId> {
        let gated = block.design.with_clock_enable(Self::CLOCK_ENABLE);
        self.instantiate_as(name, block, &gated)
    }

    fn instantiate_as(
        &mut self,
        name: &str,
        block: &BlockCircuit,
        design: &Design,
    ) -> HashMap<String, SignalId> {
        if let Some(make) = block.blocks.get("") {
            self.blocks.insert(name.into(), make.clone());
        }
        let (top, library) = (&mut self.top, &mut self.library);
        top.instantiate_design(library, name, design)
    }

    pub fn finish(mut self) -> BlockCircuit {
        let top = self.library.add_module(self.top.finish());
        BlockCircuit { design: self.library.finish(top), blocks: self.blocks }
    }
}

/// Machine in the reference: its nets in the evaluator, and each block in `rust-hdl`'s simulator.
pub struct ReferenceMachine {
    nets: EvaluatorEngine,
    ports: Vec<EnginePort>,
    /// Port of the nets for each port of the machine. The other ports of the nets are pins.
    outside: Vec<PortId>,
    blocks: Vec<PlacedBlock>,
}

/// Block in the reference. Each pin is a port of the nets and a port of the block.
struct PlacedBlock {
    engine: ReferenceEngine,
    inputs: Vec<(PortId, PortId)>,
    outputs: Vec<(PortId, PortId)>,
    /// Pin that is high if the block has a clock edge. Absent if it always has.
    enable: Option<PortId>,
    /// True if the nets do not have the block's outputs yet.
    stale: bool,
}

impl ReferenceMachine {
    /// Makes the blocks of a machine: `nodes` times those of `node`, then those of `shared`.
    /// `wire` wires the machine from such circuits. In it, a port `p` of `shared` is a port `p`, and
    /// a port `p` of node `i` that no wire drives is a port `p[i]`.
    ///
    /// # Errors
    /// If a block is not known, or the machine does not settle.
    pub fn new(
        node: &BlockCircuit,
        nodes: usize,
        shared: &BlockCircuit,
        wire: impl FnOnce(&Design, &Design) -> Design,
    ) -> Result<Self, EngineError> {
        let (node, shared) = (node.open()?, shared.open()?);
        let nets = EvaluatorEngine::new(&wire(&node.design, &shared.design))?;
        let names = (0..).zip(nets.ports());
        let names = names.map(|(i, port)| (port.name.clone(), PortId(i)));
        let mut pins: HashMap<String, PortId> = names.collect();
        let mut blocks = vec![];
        for i in 0..nodes {
            for block in &node.blocks {
                blocks.push(block.instantiate(|pin| pins.remove(&format!("{pin}[{i}]")))?);
            }
        }
        for block in &shared.blocks {
            blocks.push(block.instantiate(|pin| pins.remove(pin))?);
        }
        let mut outside: Vec<PortId> = pins.into_values().collect();
        outside.sort();
        let mut machine = ReferenceMachine {
            ports: outside.iter().map(|id| nets.ports()[id.0].clone()).collect(),
            outside,
            nets,
            blocks,
        };
        machine.settle()?;
        Ok(machine)
    }
}

impl OpenBlock {
    /// Makes the block. `pin` returns the port of the nets for the name of a pin.
    fn instantiate(
        &self,
        mut pin: impl FnMut(&str) -> Option<PortId>,
    ) -> Result<PlacedBlock, EngineError> {
        let block = (self.make)();
        let (mut inputs, mut outputs, mut enable) = (vec![], vec![], None);
        for (i, (port, name)) in self.ports.iter().enumerate() {
            let pins = (pin(name).expect("every pin is a port"), PortId(i));
            match port.input {
                true if port.name == BlockCircuitBuilder::CLOCK_ENABLE => enable = Some(pins.0),
                true => inputs.push(pins),
                false => outputs.push(pins),
            }
        }
        let ports = self.ports.iter().map(|(port, _)| port.clone()).collect();
        Ok(PlacedBlock {
            engine: ReferenceEngine::with_ports(block, ports)?,
            inputs,
            outputs,
            enable,
            stale: true,
        })
    }
}

impl CircuitEngine for ReferenceMachine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn ports(&self) -> &[EnginePort] {
        &self.ports
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        self.nets.set(self.outside[port.0], value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        for _ in 0..MAX_ROUNDS {
            self.nets.settle()?;
            let mut changed = false;
            for block in &mut self.blocks {
                for (pin, port) in &block.inputs {
                    block.engine.set(*port, &self.nets.get(*pin));
                }
                if block.engine.settled && !block.stale {
                    continue;
                }
                block.engine.settle()?;
                for (pin, port) in &block.outputs {
                    self.nets.set(*pin, &block.engine.get(*port));
                }
                (block.stale, changed) = (false, true);
            }
            if !changed {
                return Ok(());
            }
        }
        Err(EngineError::Unsettled { rounds: MAX_ROUNDS })
    }

    fn get(&mut self, port: PortId) -> BigUint {
        self.nets.get(self.outside[port.0])
    }

    /// All blocks settle before the first clock edge. No block reads another one until all have had
    /// their clock edges.
    fn clock(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        for block in &mut self.blocks {
            if block.enable.is_none_or(|pin| self.nets.get_u64(pin) == 1) {
                block.engine.clock()?;
                block.stale = true;
            }
        }
        self.nets.clock()?;
        self.settle()
    }
}

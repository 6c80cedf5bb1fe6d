//! Adaptive bit-serial router of the CM-1 (`cm1-message-router`).
//!
//! [`Cm1Circuit`] is the machine as a circuit. [`Cm1Driver`] drives the processors' lines on any
//! engine, tracks every message and checks the outputs.
//!
//! * `machine`: builds a machine for given messages;
//! * `driver`: simulates the processors in every bit-time, and returns the results;
//! * `faults`: noise, dead chips and broken wires;
//! * `ledger`: messages, queues of the processors, and outcomes of the messages;
//! * `hearts`: rows of a chip to look at, messages as bits, and a single heart on its own;
//! * `flags`: flags of the commands;
//! * `figure12`: the command that measures the paper's Figure 12.

mod driver;
mod faults;
mod figure12;
mod flags;
mod hearts;
mod ledger;
mod machine;

use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkCommand, NetworkError,
    NetworkHop, NetworkNotes, NetworkRoute, Purpose, RunRequest,
};
use crate::array::{Array, BlockCircuit, InputWiring};
use crate::flags::FlagChoice;
use crate::text::format_count;
use crate::{JsonEntry, MachineCircuit};
use clap::{ArgMatches, Args, Command, FromArgMatches};
pub use driver::Cm1Driver;
use engine::{EngineError, NodeEngine, NodePortId, SharedPortId};
pub use faults::{BitFlip, Cm1Faults, StuckWire};
pub use flags::{parse_processors, parse_rows};
use flags::{Cm1CompareFlags, Cm1MachineFlags, Cm1RunFlags};
use hdl::lower::{Circuit, LowerErrors};
pub use hearts::{
    decode, encode, BitStream, HeartError, HeartOutput, StandaloneHeart, StreamFields,
};
use interconnect::routing::hypercube::lone_message_hops;
use interconnect::topology::{Hypercube, Topology};
pub use ledger::{Cm1Message, Cm1Shape, TrafficError};
pub use machine::{Cm1, Cm1Params};
use rtl::cm1::machine::{chip, petit_control};
use rtl::cm1::{EjectMode, PetitPlan, PROCESSORS_MAX, ROWS_MAX};

/// The CM-1 network.
pub struct Cm1Network;

pub const CM1: Cm1Network = Cm1Network;

impl FlagChoice for EjectMode {
    const OPTION_NAME: &'static str = "eject mode";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("or", Self::Or),
        ("per-processor", Self::PerProcessor),
        ("per-chip", Self::PerChip),
        ("bank", Self::Bank),
    ];
    const RESERVED: &'static [&'static str] = &[];
}

impl Network for Cm1Network {
    fn name(&self) -> &'static str {
        "cm1"
    }

    fn title(&self) -> &'static str {
        "CM-1"
    }

    fn about(&self) -> &'static str {
        "the adaptive bit-serial router of the CM-1"
    }

    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        match purpose {
            Purpose::Run => Cm1RunFlags::augment_args(command),
            Purpose::Bench => Cm1MachineFlags::augment_args(command),
            Purpose::Compare => Cm1CompareFlags::augment_args(command),
            Purpose::Route => command,
        }
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = Cm1RunFlags::from_arg_matches(request.flags)?;
        let disturbance = flags.machine_faults(request.cube, request.recipe.seed)?;
        let hearts = flags.hearts(request.cube)?;
        build_job(flags.machine.params()?, request, disturbance, hearts)
    }

    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = Cm1MachineFlags::from_arg_matches(request.flags)?;
        build_job(flags.params()?, request, Cm1Faults::default(), vec![])
    }

    /// Returns one machine. Its messages are as long as the longest payload.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        let wanted = Cm1Params {
            rows: flags.rows(setting.proc_bits),
            proc_bits: setting.proc_bits,
            vp_bits: 0,
            vp_ratio: 1,
            data_bits: Some(8 * setting.payload as u32),
            eject: flags.eject,
        };
        let machine = wanted.machine(setting.cube, &Default::default())?;
        Ok(vec![Box::new(machine)])
    }

    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        Ok(vec![
            JsonEntry::new("rows", flags.rows(setting.proc_bits)),
            JsonEntry::new("eject", flags.eject.name()),
        ])
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        Ok(NetworkNotes {
            parameters: Some(format!(
                "CM-1 with {} rows and {} ejection",
                flags.rows(setting.proc_bits),
                flags.eject.name()
            )),
            terms: "In a petit cycle the routers of a CM-1 take their messages past every dimension \
                    once; a message crosses those that it still has to, where the wire is free, and \
                    what has not arrived takes part in the next one. Messages are ORed if a chip \
                    hands several to one processor at once: their bits are mixed, and none can be \
                    read.",
            silicon_excludes: "A CM-1 router would be a chip of its own. A CM-1 bit-time is one clock cycle \
                    that both ends and the petit-cycle control must share. A CM-1 chip flags \
                    damage and cannot repeat.",
            time_includes: "",
            wire_definition: "A CM-1 wire is used one way; its steps and its periods are petit cycles.",
            arrival: "Those of the CM-1 end when the last bit of the last message reaches its \
                      processor; addresses, parity, the time in the hearts and hops in desperation \
                      are in.",
        })
    }

    /// In a petit cycle a message passes every dimension of its chip. A single message finds all
    /// wires free.
    fn route(
        &self,
        dims: u64,
        _: &ArgMatches,
        ends: [u64; 2],
    ) -> Result<NetworkRoute, NetworkError> {
        let cube = Hypercube::new(dims).map_err(|e| NetworkError::BadInput(e.into()))?;
        let [source, destination] = super::request::check_ends(&cube, ends)?;
        let hops = lone_message_hops(source, destination);
        Ok(NetworkRoute {
            title: format!(
                "chip {} to chip {} of a CM-1 on the {dims}-cube",
                cube.hex(source),
                cube.hex(destination)
            ),
            summary: format!(
                "{}, 1 petit cycle\n\
                 Alone it crosses them all in petit cycle 0. Among others it may wait, or go another \
                 way:\nwhat it then does depends on them, and `phasecube run --network cm1` shows \
                 it.",
                format_count(hops.len(), "hop")
            ),
            settings: vec![JsonEntry::new("dims", dims)],
            columns: vec!["dim", "bit", "petit cycle"],
            hops: hops
                .iter()
                .map(|hop| NetworkHop {
                    node: hop.node,
                    next: hop.next,
                    names: [hop.node, hop.next].map(|node| cube.hex(node)),
                    cells: vec![
                        JsonEntry::new("dim", hop.dim),
                        JsonEntry::new("bit", hop.bit),
                        JsonEntry::new("petit_cycle", hop.petit_cycle),
                    ],
                })
                .collect(),
        })
    }

    fn deadlock_model(&self, _: u64, _: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        Err(NetworkError::bad(
            "messages of the CM-1 do not wait for channels: in a petit cycle all messages move at \
             once, and a message without a free wire stays or is deflected; accepted: a network \
             whose messages wait for channels",
        ))
    }

    fn commands(&self) -> &'static [NetworkCommand] {
        &[figure12::COMMAND]
    }
}

/// Returns a machine and its messages.
fn build_job(
    wanted: Cm1Params,
    request: &RunRequest,
    disturbance: Cm1Faults,
    hearts: Vec<usize>,
) -> Result<MachineJob, NetworkError> {
    if wanted.vp_ratio > 1 && request.writes_messages {
        return Err(NetworkError::bad(
            "a file of messages has no virtual processors; accepted: --vp-ratio 1, or no \
             --dump-traffic",
        ));
    }
    let messages = wanted.messages(request.cube, &request.recipe)?;
    let mut machine = wanted.machine(request.cube, &messages)?;
    machine.faults = disturbance;
    machine.hearts = hearts;
    let addresses = wanted.processors(request.cube)?;
    Ok(MachineJob::new(Box::new(machine), messages, addresses))
}

// Circuit of a CM-1 of given shape, in the form that each engine takes.

/// Parameters of the circuit of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Cm1Circuit {
    cube: Hypercube,
    shape: Cm1Shape,
    plan: PetitPlan,
}

impl Cm1Circuit {
    /// Largest cube for which there is a chip.
    pub const MAX_DIMS: u32 = Hypercube::MAX_DIMS;

    /// Creates the parameters. Returns `None` for more than [`MAX_DIMS`](Self::MAX_DIMS)
    /// dimensions, for more than 16 processors on a chip, or for a number of rows outside 2 to 16.
    pub fn new(shape: Cm1Shape, plan: PetitPlan) -> Option<Self> {
        let possible = shape.format.dims <= Self::MAX_DIMS
            && shape.processors() <= PROCESSORS_MAX
            && (2..=ROWS_MAX).contains(&shape.rows);
        let cube = Hypercube::new(shape.format.dims.into()).ok()?;
        possible.then_some(Cm1Circuit { cube, shape, plan })
    }

    pub fn shape(&self) -> Cm1Shape {
        self.shape
    }

    pub fn plan(&self) -> PetitPlan {
        self.plan
    }

    /// Returns the block of a chip.
    fn chip(&self) -> Box<dyn Circuit> {
        chip(self.cube.dims(), self.shape.rows, self.plan)
    }

    /// Returns the block of the petit-cycle control.
    pub fn control(&self) -> Box<dyn Circuit> {
        petit_control(self.cube.dims(), self.plan)
    }
}

impl MachineCircuit for Cm1Circuit {
    fn topology(&self) -> &dyn Topology {
        &self.cube
    }

    /// Returns the machine as an array of chips. Bit d of a chip's `cube_in` is bit d of `cube_out`
    /// of its neighbour across dimension d. All chips share the petit-cycle control.
    fn array(&self) -> Result<Array, LowerErrors> {
        let circuit = *self;
        let node = BlockCircuit::of(move || circuit.chip())?;
        let shared = BlockCircuit::of(move || circuit.control())?;
        let mut wiring = vec![InputWiring::links("cube_in", "cube_out", &self.cube)];
        // Each output of the control drives the chip input of the same name.
        for (_, strobe) in shared.design.top().ports() {
            if node.design.top().port(&strobe.name).is_some() {
                wiring.push(InputWiring::shared(&strobe.name, &strobe.name));
            }
        }
        Ok(Array {
            name: "cm1".into(),
            doc: format!("The CM-1: {} chips and the petit-cycle control.", self.shape.chips()),
            node,
            nodes: self.shape.chips(),
            shared,
            wiring,
        })
    }
}

// Engine ports between the CM-1's chips and their processors.

/// Pins that the processors of a machine use, and observed outputs: the ports of
/// [`Chip`](rtl::cm1::Chip) for each chip.
struct Cm1Pins<'a> {
    engine: &'a mut dyn NodeEngine,
    start: SharedPortId,
    drain: SharedPortId,
    open_bank: SharedPortId,
    send: NodePortId,
    /// Last values sent. Inputs are set only when they change.
    sent: Vec<u64>,
    flip: NodePortId,
    pub acknowledge: NodePortId,
    pub deliver: NodePortId,
    pub parity_error: NodePortId,
    pub returned: NodePortId,
    pub occupied: NodePortId,
    pub exit: NodePortId,
    pub ejecting: NodePortId,
    pub cube_out: NodePortId,
}

impl<'a> Cm1Pins<'a> {
    /// Finds the pins of the machine in the engine.
    ///
    /// # Panics
    /// If the engine has no machine of this shape.
    pub fn new(engine: &'a mut dyn NodeEngine, shape: Cm1Shape) -> Self {
        assert_eq!(engine.nodes(), shape.chips());
        Cm1Pins {
            start: engine.shared_port("start"),
            drain: engine.shared_port("drain"),
            open_bank: engine.shared_port("open_bank"),
            send: engine.port("send"),
            sent: vec![0; shape.chips()],
            flip: engine.port("flip"),
            acknowledge: engine.port("acknowledge"),
            deliver: engine.port("deliver"),
            parity_error: engine.port("parity_error"),
            returned: engine.port("returned"),
            occupied: engine.port("occupied"),
            exit: engine.port("exit"),
            ejecting: engine.port("ejecting"),
            cube_out: engine.port("cube_out"),
            engine,
        }
    }

    pub fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    pub fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.clock()
    }

    pub fn start(&mut self) -> bool {
        self.engine.get_shared(self.start) == 1
    }

    pub fn set_drain(&mut self, drain: bool) {
        self.engine.set_shared(self.drain, drain.into());
    }

    /// Selects the open bank of virtual processors.
    pub fn set_bank(&mut self, bank: u64) {
        self.engine.set_shared(self.open_bank, bank);
    }

    /// Sets the outputs of the processors of a chip.
    pub fn set_send(&mut self, chip: usize, bits: u64) {
        if self.sent[chip] != bits {
            self.sent[chip] = bits;
            self.engine.set(self.send, chip, bits);
        }
    }

    /// Inverts the arriving bits of a chip on these wires.
    pub fn set_flip(&mut self, chip: usize, wires: u64) {
        self.engine.set(self.flip, chip, wires);
    }

    /// Returns the words of a port of all chips.
    pub fn words(&mut self, port: NodePortId) -> Vec<u64> {
        let mut words = vec![];
        self.engine.get_all(port, &mut words);
        words
    }
}

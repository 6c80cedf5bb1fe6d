//! Status of a board, and states of its programs, with their encoding.

use crate::host::wire::Reader;
use machine::Trap;
use rtl::core::Cause;
use rtl::tdma::DeliveryReason;
use std::fmt;

/// State of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No program is loaded.
    #[default]
    Empty,
    /// A part of a program is loaded.
    Loading,
    /// A complete program is loaded and does not run.
    Loaded,
    /// The machine is being prepared for the run.
    Starting,
    Running,
    /// Nothing has moved for some time, so only a message from the host can change that. The clock
    /// stops until a message comes.
    Resting,
    /// Every program has ended or halted.
    Ended,
    /// The machine cannot continue. [`Status::text`] gives the reason.
    Failed,
}

impl State {
    const ALL: [State; 8] = [
        State::Empty,
        State::Loading,
        State::Loaded,
        State::Starting,
        State::Running,
        State::Resting,
        State::Ended,
        State::Failed,
    ];

    /// True if programs can still report events without further input.
    pub fn is_active(self) -> bool {
        matches!(self, State::Starting | State::Running)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Empty => "no program is loaded",
            State::Loading => "a program is partly loaded",
            State::Loaded => "a program is loaded and does not run",
            State::Starting => "the machine is starting",
            State::Running => "running",
            State::Resting => "nothing moves any more",
            State::Ended => "every program has ended",
            State::Failed => "the machine has failed",
        })
    }
}

/// Status of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub state: State,
    /// Number of programs that ended. `halted` is the number of cores that halted.
    pub ended: u32,
    pub halted: u32,
    /// Number of messages that wait for delivery to the machine. `uncollected` is the number of events
    /// that were not collected.
    pub waiting: u32,
    pub uncollected: u32,
    /// Phases that ended since the start. `clock_cycles` and `hops` count from the start, too. A
    /// hop is a frame that a node accepted.
    pub phases: u64,
    pub clock_cycles: u64,
    pub hops: u64,
    /// CRC-32 of the loaded program, or 0 if there is none.
    pub crc: u32,
    /// Reason of a failure.
    pub text: String,
}

/// Where the program of a node is: asleep, awake or halted, and at which address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeProgramState {
    pub node: u32,
    pub state: machine::CoreState,
    pub pc: u32,
}

impl Status {
    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        payload.push(self.state as u8);
        for number in [self.ended, self.halted, self.waiting, self.uncollected] {
            payload.extend(number.to_le_bytes());
        }
        for number in [self.phases, self.clock_cycles, self.hops] {
            payload.extend(number.to_le_bytes());
        }
        payload.extend(self.crc.to_le_bytes());
        payload.extend(self.text.bytes().take(200));
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        let state = payload.u8()?;
        Some(Status {
            state: *State::ALL.get(usize::from(state))?,
            ended: payload.u32()?,
            halted: payload.u32()?,
            waiting: payload.u32()?,
            uncollected: payload.u32()?,
            phases: payload.u64()?,
            clock_cycles: payload.u64()?,
            hops: payload.u64()?,
            crc: payload.u32()?,
            text: payload.text(),
        })
    }
}

impl NodeProgramState {
    /// Encoded length in bytes.
    pub(in crate::host) const LENGTH: usize = 9;

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        use machine::CoreState;
        let (node, state) = (payload.u32()?, payload.u8()?);
        let states = [CoreState::Asleep, CoreState::Awake, CoreState::Halted];
        Some(NodeProgramState { node, state: *states.get(usize::from(state))?, pc: payload.u32()? })
    }
}

/// Description of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Largest frame payload that the board accepts, in bytes.
    pub payload: u16,
    /// Number of dimensions of the cube.
    pub dims: u8,
    pub nodes: u32,
    /// Size of a node's program store in bytes. `data` is the size of its data memory, which
    /// includes the stack.
    pub program: u32,
    pub data: u32,
    /// Largest message between a node and its host, in bytes.
    pub message: u8,
    /// Network as on the command line, such as `tdma`. `name` describes it in words.
    pub network: String,
    pub name: String,
}

impl About {
    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        payload.extend(self.payload.to_le_bytes());
        payload.push(self.dims);
        for number in [self.nodes, self.program, self.data] {
            payload.extend(number.to_le_bytes());
        }
        payload.push(self.message);
        payload.push(self.network.len() as u8);
        payload.extend(self.network.bytes());
        payload.extend(self.name.bytes());
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        Some(About {
            payload: payload.u16()?,
            dims: payload.u8()?,
            nodes: payload.u32()?,
            program: payload.u32()?,
            data: payload.u32()?,
            message: payload.u8()?,
            network: {
                let length = payload.u8()?.into();
                String::from_utf8_lossy(payload.bytes(length)?).into_owned()
            },
            name: payload.text(),
        })
    }
}

/// Event that a program reports to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEvent {
    /// Message sent with `ctrl_send`. From a router, a message that has arrived.
    Message {
        node: u32,
        /// Number of phases that had ended.
        phase: u32,
        why: DeliveryReason,
        bytes: Vec<u8>,
    },
    /// The program ended with this code.
    Ended { node: u32, phase: u32, code: u8 },
    /// The core halted.
    Trap { phase: u32, trap: Trap },
}

impl ProgramEvent {
    /// Encoded length in bytes.
    pub(in crate::host) fn encoded_length(&self) -> usize {
        let mut bytes = vec![];
        self.write(&mut bytes);
        bytes.len()
    }

    pub fn node(&self) -> u32 {
        match self {
            ProgramEvent::Message { node, .. } | ProgramEvent::Ended { node, .. } => *node,
            ProgramEvent::Trap { trap, .. } => trap.node,
        }
    }

    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        let mut begin = |tag: u8, node: u32, phase: u32| {
            payload.push(tag);
            payload.extend(node.to_le_bytes());
            payload.extend(phase.to_le_bytes());
        };
        match self {
            ProgramEvent::Message { node, phase, why, bytes } => {
                begin(*why as u8, *node, *phase);
                payload.push(bytes.len() as u8);
                payload.extend(bytes);
            }
            ProgramEvent::Ended { node, phase, code } => {
                begin(3, *node, *phase);
                payload.push(*code);
            }
            ProgramEvent::Trap { phase, trap } => {
                begin(4, trap.node, *phase);
                payload.extend(trap.pc.to_le_bytes());
                payload.push(trap.cause as u8);
                payload.extend(trap.instruction.to_le_bytes());
            }
        }
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        let (tag, node, phase) = (payload.u8()?, payload.u32()?, payload.u32()?);
        let why = match tag {
            3 => {
                let code = payload.u8()?;
                return Some(ProgramEvent::Ended { node, phase, code });
            }
            4 => {
                let trap = Trap {
                    node,
                    pc: payload.u32()?,
                    cause: Cause::from_number(payload.u8()?.into())?,
                    instruction: payload.u32()?,
                };
                return Some(ProgramEvent::Trap { phase, trap });
            }
            reason => DeliveryReason::of_number(reason.into())?,
        };
        let length = payload.u8()?.into();
        Some(ProgramEvent::Message { node, phase, why, bytes: payload.bytes(length)?.to_vec() })
    }
}

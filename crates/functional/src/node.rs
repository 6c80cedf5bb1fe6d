//! A node: the state of its core, its registers and its links.

use crate::instruction::Instruction;
use crate::phase::{PhaseTimes, NEVER};
use rtl::core::Cause;
use rtl::tdma::{CoreMemory, EnginePlan, GuardLimits, ReceiveResult, SendResult};

/// Bytes of a message buffer.
pub const BUFFER_BYTES: usize = 128;

/// Byte of a buffer that stores the turn of its link. The next one stores the number of timeouts.
pub const TURN: usize = BUFFER_BYTES - 4;
pub const TIMEOUTS: usize = TURN + 1;

/// Parameters of a machine: a cube whose nodes run a program.
#[derive(Clone, Debug)]
pub struct FunctionalMachine {
    /// Dimensions of the cube.
    pub dims: u32,
    pub plan: EnginePlan,
    /// Words of the program store.
    pub program: Vec<u32>,
    pub memory: CoreMemory,
    /// The core has multiplication and division.
    pub multiplies: bool,
    /// Clock cycles of a phase after which the second context decides; `None` if there is none.
    pub background: Option<u64>,
    /// Limits of the core's accesses; `None` if they are not checked.
    pub guard: Option<GuardLimits>,
    /// The nodes have an LED.
    pub led: bool,
}

/// Parameters and decoded program that all nodes share.
#[derive(Debug)]
pub struct Common {
    pub links: u32,
    pub plan: EnginePlan,
    pub times: PhaseTimes,
    pub instructions: Vec<Instruction>,
    /// Words of the program store, as data.
    pub words: Vec<u32>,
    /// Mask of the addresses that the program store decodes.
    pub program_mask: u32,
    /// The same for the data memory.
    pub data_mask: u32,
    pub multiplies: bool,
    pub background: Option<u64>,
    pub guard: Option<GuardLimits>,
    pub led: bool,
    /// Mask of the numbers of buffers. The message memory has room for each number.
    pub buffer_mask: u32,
}

impl Common {
    pub fn new(machine: &FunctionalMachine) -> Self {
        let decode = |word: &u32| Instruction::decode(*word, machine.multiplies);
        let buffers = machine.dims + 1;
        Common {
            links: machine.dims,
            plan: machine.plan,
            times: PhaseTimes::new(&machine.plan),
            instructions: machine.program.iter().map(decode).collect(),
            words: machine.program.clone(),
            program_mask: (4 << machine.memory.program_bits) - 1,
            data_mask: (1 << machine.memory.data_bits) - 1,
            multiplies: machine.multiplies,
            background: machine.background,
            guard: machine.guard,
            led: machine.led,
            buffer_mask: buffers.next_power_of_two() - 1,
        }
    }

    /// Word of the program store; 0 past the end of the program.
    pub fn program_word(&self, address: u32) -> u32 {
        let at = (address & self.program_mask) >> 2;
        self.words.get(at as usize).copied().unwrap_or(0)
    }

    /// Number of the injection buffer.
    pub fn injection(&self) -> u32 {
        self.links
    }
}

/// State that a node keeps from phase to phase, without times. A node whose state is the same after
/// a superframe without an event repeats that superframe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Registers of both contexts of the core; register 0 is 0.
    pub registers: [[u32; 32]; 2],
    /// Address of the next instruction of each context.
    pub next_pc: [u32; 2],
    /// Address of the instruction of each context that began last.
    pub last_pc: [u32; 2],
    pub asleep: [bool; 2],
    /// Context of the next turn of the core.
    pub context: usize,
    /// The program allows context 1 to start.
    pub released: bool,
    pub data: Vec<u8>,
    /// Message memory.
    pub messages: Vec<u8>,
    /// Full buffers, one bit each.
    pub full: u32,
    /// Selected buffer, and the next byte in it.
    pub selection: u32,
    pub next_byte: u32,
    /// Buffer of the last decision.
    pub choice: u32,
    /// Sequence bit of the next new frame to, and from, each neighbour.
    pub sequences: u32,
    pub expected: u32,
    /// Links that must repeat a frame, and links that are down.
    pub pending: u32,
    pub down: u32,
    pub led: u8,
}

/// Core that has halted.
#[derive(Clone, Copy, Debug)]
pub struct Halt {
    pub cause: Cause,
    /// First clock cycle in which the halt is visible.
    pub visible: u64,
}

/// State of a transfer between a node and its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferState {
    Idle,
    Take,
    Fetch,
    Deliver,
    Done,
}

/// Transfer of a message between a node and its host, which a store to MOVE has begun.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub state: TransferState,
    /// First clock cycle of the store instruction.
    pub started: u64,
    pub command: u32,
    /// Index of the next byte, and the number of bytes left; both 7 bits.
    pub index: u8,
    pub left: u8,
    /// Byte for the host.
    pub byte: u8,
}

/// A node. `time` is its first clock cycle that is not simulated, or the first one of an instruction
/// that does not end before the next synchronisation point.
#[derive(Debug)]
pub struct Node {
    pub address: u32,
    pub state: NodeState,
    pub time: u64,
    /// Clock cycle after the last completed instruction.
    pub retired: u64,
    /// Word of the last instruction.
    pub instruction: u32,
    pub halt: Option<Halt>,
    pub transfer: Option<Transfer>,
    /// Clock cycle after a transfer in which the node still shows this index.
    pub shown_index: (u64, u8),
    /// Clock cycles in which the message memory is open to the core. It is closed during `masked`.
    pub open: (u64, u64),
    pub masked: (u64, u64),
    /// The phase is decided from this clock cycle on.
    pub decided: u64,
    /// Clock cycle of the last write of a decision.
    pub decision: u64,
    /// Context 1 may decide from this clock cycle on.
    pub due: u64,
    /// The memory opens again in the answer slot.
    pub reopens: bool,
    pub sends: bool,
    /// First clock cycle of the counter of clock cycles.
    pub counted_from: u64,
    /// Consecutive phases without a decision, up to 64.
    pub undecided: u32,
    /// The node listens in this phase if it receives.
    pub listens: bool,
    pub sent: SendResult,
    /// The outcome of the sent frame once it is known, from this clock cycle on.
    pub answer: (u64, SendResult),
    pub received: ReceiveResult,
    pub missed: bool,
    /// A buffer becomes free, or full, in this clock cycle.
    pub frees: (u64, u32),
    pub fills: (u64, u32),
    /// Closing of the memory up to which the bytes of an interrupted write were written.
    pub interrupted: u64,
    pub host_valid: bool,
    pub host_data: u8,
    /// Links whose level reaches the node.
    pub keep: u32,
    /// No phase begins for the software.
    pub hangs: bool,
    /// Nothing has happened to the node since the beginning of the superframe, except waiting.
    pub quiet: bool,
    /// State at the beginning of the last quiet superframe.
    pub snapshot: Option<Box<NodeState>>,
    /// The node repeats the superframe of its state, and is not simulated.
    pub parked: bool,
}

impl Node {
    pub fn new(address: u32, common: &Common) -> Self {
        Node {
            address,
            state: NodeState {
                registers: [[0; 32]; 2],
                next_pc: [0; 2],
                last_pc: [0; 2],
                asleep: [false; 2],
                context: 0,
                released: false,
                data: vec![0; common.data_mask as usize + 1],
                messages: vec![0; (common.buffer_mask as usize + 1) * BUFFER_BYTES],
                full: 0,
                selection: 0,
                next_byte: 0,
                choice: 0,
                sequences: 0,
                expected: 0,
                pending: 0,
                down: 0,
                led: 0,
            },
            // The core waits in its first clock cycle.
            time: 1,
            retired: 0,
            instruction: 0,
            halt: None,
            transfer: None,
            shown_index: (NEVER, 0),
            open: (0, 0),
            masked: (0, 0),
            decided: 0,
            decision: NEVER,
            due: 0,
            reopens: false,
            sends: false,
            counted_from: 0,
            undecided: 0,
            listens: true,
            sent: SendResult::Nothing,
            answer: (NEVER, SendResult::Nothing),
            received: ReceiveResult::Nothing,
            missed: false,
            frees: (NEVER, 0),
            fills: (NEVER, 0),
            interrupted: NEVER,
            host_valid: false,
            host_data: 0,
            keep: u32::MAX,
            hangs: false,
            quiet: false,
            snapshot: None,
            parked: false,
        }
    }

    /// True from the opening of the message memory to its closing, also during `masked`.
    pub fn is_open(&self, t: u64) -> bool {
        self.open.0 <= t && t < self.open.1
    }

    /// First clock cycle from `t` on in which the message memory is open, as far as is known.
    pub fn next_open(&self, t: u64) -> u64 {
        let mut t = t.max(self.open.0);
        if self.masked.0 <= t && t < self.masked.1 {
            t = self.masked.1;
        }
        match t < self.open.1 {
            true => t,
            false => NEVER,
        }
    }

    /// True if the core can access the message memory in clock cycle `t`.
    pub fn is_accessible(&self, t: u64) -> bool {
        self.next_open(t) == t
    }

    /// First clock cycle from `t` on in which the message memory is closed.
    pub fn next_closed(&self, t: u64) -> u64 {
        match t <= self.masked.0 && self.masked.0 < self.masked.1 {
            true => self.open.1.min(self.masked.0),
            false => self.open.1,
        }
    }

    /// True if the program has work to do.
    pub fn wakes(&self, t: u64) -> bool {
        self.is_open(t) || t < self.decided
    }

    /// True if context 1 has a phase to decide in one of the clock cycles from `from` to `to`.
    pub fn is_due(&self, from: u64, to: u64) -> bool {
        let from = from.max(self.due).max(self.open.0);
        let to = to.min(self.open.1.saturating_sub(1)).min(self.decided.saturating_sub(1));
        self.state.released && from <= to
    }

    /// Applies the changes of buffers up to clock cycle `t`.
    pub fn settle_buffers(&mut self, t: u64) {
        if self.frees.0 <= t {
            self.state.full &= !(1 << self.frees.1);
            self.frees.0 = NEVER;
        }
        if self.fills.0 <= t {
            self.state.full |= 1 << self.fills.1;
            self.fills.0 = NEVER;
        }
    }
}

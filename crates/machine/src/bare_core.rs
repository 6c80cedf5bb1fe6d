//! One core with a memory in software. Runs programs that report their verdict.

use engine::{EngineError, NodeEngine, NodePortId};
use rtl::core::Cause;
use std::fmt;

/// Default size of the memory in bytes, and its largest size. The memory begins at address 0.
pub const BARE_MEMORY: u32 = 64 << 10;
pub const BARE_MEMORY_MAX: u32 = 16 << 20;

/// A store to this address ends the run. The value 1 means that the program passed. The value
/// `(test << 1) | 1` means that this test failed.
const VERDICT_ADDRESS: u32 = 0x8000_0000;

/// A store to this address prints its lowest byte.
const CONSOLE_ADDRESS: u32 = 0x8000_0004;

/// Clock cycles between two progress reports.
const PROGRESS_INTERVAL: u64 = 1 << 18;

/// Largest code size of a wait loop, in bytes.
const WAIT_LOOP_MAX: u32 = 256;

/// One core ([`BareNode`](rtl::core::BareNode)) with a flat memory in software. Every word
/// is ready one clock cycle after the request.
pub struct BareCore<'a> {
    engine: &'a mut dyn NodeEngine,
    ports: BareCorePorts,
    /// Memory as words.
    memory: Vec<u32>,
    /// Address of the latest fetch.
    pc: u32,
    clock_cycles: u64,
    /// Number of instructions that were started.
    instructions_started: u64,
    wait: WaitLoop,
}

struct BareCorePorts {
    wanted: NodePortId,
    fetch: NodePortId,
    address: NodePortId,
    write_data: NodePortId,
    write_strobe: NodePortId,
    read_data: NodePortId,
    asleep: NodePortId,
    halted: NodePortId,
    cause: NodePortId,
    instruction: NodePortId,
}

/// Report of a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareProgress {
    /// The program prints this byte.
    Byte(u8),
    /// The program has run for this number of clock cycles.
    ClockCycles(u64),
}

/// Verdict, statistics and memory of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareRun {
    pub verdict: BareVerdict,
    /// Number of finished instructions.
    pub instructions: u64,
    pub clock_cycles: u64,
    /// Words of the memory after the run.
    pub memory: Vec<u32>,
}

/// Code range in which a program has stayed recently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitLoop {
    /// First clock cycle in the range.
    since: u64,
    /// First and last instruction address in the range.
    from: u32,
    to: u32,
    reads: WaitReads,
}

/// Addresses that a waiting program has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WaitReads {
    #[default]
    Nothing,
    /// Only this address.
    One(u32),
    Several,
}

/// Outcome of a program. `Display` completes "FAIL name: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareVerdict {
    Passed,
    Failed {
        test: u32,
    },
    /// The verdict is neither passed nor failed.
    Unclear {
        value: u32,
    },
    Halted {
        cause: Cause,
        pc: u32,
        instruction: u32,
    },
    /// The program sleeps and has no wake-up source.
    Asleep {
        pc: u32,
    },
    /// The program accesses an address outside of the memory.
    Outside {
        address: u32,
        pc: u32,
    },
    TimedOut {
        clock_cycles: u64,
        pc: u32,
        instruction: u32,
        wait: WaitLoop,
    },
}

impl fmt::Display for BareVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BareVerdict::Passed => write!(f, "passed"),
            BareVerdict::Failed { test } => write!(f, "test {test}"),
            BareVerdict::Unclear { value } => {
                write!(f, "the verdict 0x{value:08X} is neither 1 (pass) nor (test << 1) | 1")
            }
            BareVerdict::Halted { cause, pc, instruction } => {
                write!(f, "halted at 0x{pc:08X}: {cause} (0x{instruction:08X})")
            }
            BareVerdict::Asleep { pc } => {
                write!(f, "asleep after 0x{pc:08X}, with nothing to wake it")
            }
            BareVerdict::Outside { address, pc } => {
                write!(f, "access to 0x{address:08X} at 0x{pc:08X}, where there is no memory")
            }
            BareVerdict::TimedOut { clock_cycles, pc, instruction, wait } => {
                let WaitLoop { since, from, to, .. } = *wait;
                write!(f, "no verdict within {clock_cycles} clock cycles; ")?;
                write!(f, "now at 0x{pc:08X} (0x{instruction:08X})")?;
                write!(f, ", for {} clock cycles ", clock_cycles - since)?;
                match from == to {
                    true => write!(f, "nowhere else")?,
                    false => write!(f, "from 0x{from:08X} to 0x{to:08X}")?,
                }
                match wait.reads {
                    WaitReads::Nothing => write!(f, ", reading nothing"),
                    WaitReads::One(address) => write!(f, ", reading 0x{address:08X}"),
                    WaitReads::Several => Ok(()),
                }
            }
        }
    }
}

impl WaitLoop {
    /// Records the start of an instruction.
    fn at(&mut self, pc: u32, clock_cycle: u64) {
        let (from, to) = (self.from.min(pc), self.to.max(pc));
        if to - from >= WAIT_LOOP_MAX {
            *self = WaitLoop { since: clock_cycle, from: pc, to: pc, reads: WaitReads::Nothing };
        } else {
            (self.from, self.to) = (from, to);
        }
    }

    fn reads(&mut self, address: u32) {
        self.reads = match self.reads {
            WaitReads::Nothing => WaitReads::One(address),
            WaitReads::One(before) if before == address => WaitReads::One(address),
            _ => WaitReads::Several,
        };
    }
}

impl<'a> BareCore<'a> {
    /// `engine` runs cores that have not started yet, of which the first is used. `memory` contains
    /// the program and has at least one word.
    pub fn new(engine: &'a mut dyn NodeEngine, memory: Vec<u32>) -> Self {
        let ports = BareCorePorts {
            wanted: engine.port("wanted"),
            fetch: engine.port("fetch"),
            address: engine.port("address"),
            write_data: engine.port("write_data"),
            write_strobe: engine.port("write_strobe"),
            read_data: engine.port("read_data"),
            asleep: engine.port("asleep"),
            halted: engine.port("halted"),
            cause: engine.port("cause"),
            instruction: engine.port("instruction"),
        };
        let reset = engine.port("reset");
        for other in 1..engine.nodes() {
            engine.set(reset, other, 1);
        }
        BareCore {
            engine,
            ports,
            memory,
            pc: 0,
            clock_cycles: 0,
            instructions_started: 0,
            wait: WaitLoop::default(),
        }
    }

    /// Runs the program to its verdict, or for `watchdog` clock cycles. Reports its progress
    /// meanwhile.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn run(
        mut self,
        watchdog: u64,
        mut tell: impl FnMut(BareProgress),
    ) -> Result<BareRun, EngineError> {
        let stops = [self.ports.wanted, self.ports.asleep, self.ports.halted];
        let mut reported = 0;
        let verdict = loop {
            if self.clock_cycles >= reported + PROGRESS_INTERVAL {
                reported = self.clock_cycles;
                tell(BareProgress::ClockCycles(reported));
            }
            let left = watchdog.saturating_sub(self.clock_cycles);
            if left == 0 {
                break BareVerdict::TimedOut {
                    clock_cycles: watchdog,
                    pc: self.pc,
                    instruction: self.instruction_at(self.pc),
                    wait: self.wait,
                };
            }
            let done = self.engine.clocks_until(left, &stops)?;
            self.clock_cycles += done;
            if done < left {
                if let Some(verdict) = self.handle_stop(&mut tell) {
                    break verdict;
                }
                self.engine.clock()?;
                self.clock_cycles += 1;
            }
        };
        // The last instruction is finished only if it is the one that sleeps.
        let open = u64::from(!matches!(verdict, BareVerdict::Asleep { .. }));
        Ok(BareRun {
            verdict,
            instructions: self.instructions_started - open.min(self.instructions_started),
            clock_cycles: self.clock_cycles,
            memory: self.memory,
        })
    }

    /// Handles a request of the core, its sleep, or its halt.
    fn handle_stop(&mut self, tell: &mut impl FnMut(BareProgress)) -> Option<BareVerdict> {
        if self.get(self.ports.wanted) == 1 {
            return self.execute_access(tell);
        }
        let pc = self.pc;
        if self.get(self.ports.asleep) == 1 {
            return Some(BareVerdict::Asleep { pc });
        }
        let cause = u64::from(self.get(self.ports.cause));
        Some(BareVerdict::Halted {
            cause: Cause::from_number(cause).expect("the core knows its causes"),
            pc,
            instruction: self.get(self.ports.instruction),
        })
    }

    /// Executes the memory access that the core requests.
    fn execute_access(&mut self, tell: &mut impl FnMut(BareProgress)) -> Option<BareVerdict> {
        let address = self.get(self.ports.address);
        let strobe = self.get(self.ports.write_strobe);
        let data = self.get(self.ports.write_data);
        if self.get(self.ports.fetch) == 1 {
            self.pc = address;
            self.instructions_started += 1;
            self.wait.at(address, self.clock_cycles);
        } else if strobe == 0 {
            self.wait.reads(address);
        }
        let lanes = (0..4).map(|i| ((strobe >> i & 1) * 0xFF) << (8 * i));
        let lanes: u32 = lanes.sum();
        if address == VERDICT_ADDRESS && strobe != 0 {
            // The store ends in the next clock cycle.
            self.clock_cycles += 2;
            return Some(match data & lanes {
                1 => BareVerdict::Passed,
                value if value % 2 == 1 => BareVerdict::Failed { test: value >> 1 },
                value => BareVerdict::Unclear { value },
            });
        }
        if address == CONSOLE_ADDRESS && strobe != 0 {
            if strobe & 1 == 1 {
                tell(BareProgress::Byte(data as u8));
            }
            return None;
        }
        let Some(word) = self.memory.get_mut(address as usize / 4) else {
            let pc = self.pc;
            return Some(BareVerdict::Outside { address, pc });
        };
        *word = *word & !lanes | data & lanes;
        let word = u64::from(*word);
        self.engine.set(self.ports.read_data, 0, word);
        None
    }

    fn instruction_at(&self, pc: u32) -> u32 {
        self.memory.get(pc as usize / 4).copied().unwrap_or(0)
    }

    fn get(&mut self, port: NodePortId) -> u32 {
        self.engine.get(port, 0) as u32
    }
}

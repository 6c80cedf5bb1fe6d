use crate::engine::{Engine, EngineError, PortId};
use crate::rtl::core::Cause;
use std::fmt;

/// Bytes of the memory, which begins at address 0.
pub const BARE_MEMORY: u32 = 64 << 10;

/// A store to this address ends the run: 1 says that the program passed,
/// `(test << 1) | 1` that this test of it failed.
const VERDICT: u32 = 0x8000_0000;

/// One core ([`OwnCore`](crate::rtl::core::OwnCore)) with a flat memory in
/// software, in which every word is ready one clock cycle after the request. Runs
/// programs that tell their verdict themselves.
pub struct BareCore<'a> {
    engine: &'a mut dyn Engine,
    ports: Ports,
    /// In words.
    memory: Vec<u32>,
    /// The address that was fetched from last.
    pc: u32,
    /// The instruction of this turn has been read.
    fetched: bool,
    /// The core has waited for one clock cycle.
    requested: bool,
    clock_cycles: u64,
    instructions: u64,
}

struct Ports {
    ready: PortId,
    read_data: PortId,
    request: PortId,
    address: PortId,
    write_data: PortId,
    write_strobe: PortId,
    retired: PortId,
    asleep: PortId,
    halted: PortId,
    cause: PortId,
}

/// How a run of a program ended, and what it took until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareRun {
    pub verdict: Verdict,
    /// Instructions that were finished.
    pub instructions: u64,
    pub clock_cycles: u64,
}

/// What became of a program. Its `Display` completes "FAIL name: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed {
        test: u32,
    },
    /// The verdict is neither of the two.
    Unclear {
        value: u32,
    },
    Halted {
        cause: Cause,
        pc: u32,
    },
    /// It sleeps, and nothing will wake it.
    Asleep {
        pc: u32,
    },
    /// It wants memory that is not there.
    Outside {
        address: u32,
        pc: u32,
    },
    TimedOut {
        clock_cycles: u64,
        pc: u32,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed => write!(f, "passed"),
            Verdict::Failed { test } => write!(f, "test {test}"),
            Verdict::Unclear { value } => write!(
                f,
                "the verdict 0x{value:08X} is neither 1 (pass) nor (test << 1) | 1"
            ),
            Verdict::Halted { cause, pc } => write!(f, "halted at 0x{pc:08X}: {cause}"),
            Verdict::Asleep { pc } => write!(f, "asleep after 0x{pc:08X}, with nothing to wake it"),
            Verdict::Outside { address, pc } => write!(
                f,
                "access to 0x{address:08X} at 0x{pc:08X}, where there is no memory"
            ),
            Verdict::TimedOut { clock_cycles, pc } => write!(
                f,
                "no verdict within {clock_cycles} clock cycles; now at 0x{pc:08X}"
            ),
        }
    }
}

/// What memory does with an access.
enum Answer {
    Word(u32),
    Ends(Verdict),
}

impl<'a> BareCore<'a> {
    /// `engine` runs a core that has not begun yet; `memory` has the words of
    /// [`BARE_MEMORY`], the program among them.
    ///
    /// # Panics
    /// If the memory is of another size.
    pub fn new(engine: &'a mut dyn Engine, memory: Vec<u32>) -> Self {
        assert_eq!(memory.len(), BARE_MEMORY as usize / 4);
        let ports = Ports {
            ready: engine.port("ready"),
            read_data: engine.port("read_data"),
            request: engine.port("request"),
            address: engine.port("address"),
            write_data: engine.port("write_data"),
            write_strobe: engine.port("write_strobe"),
            retired: engine.port("retired"),
            asleep: engine.port("asleep"),
            halted: engine.port("halted"),
            cause: engine.port("cause"),
        };
        BareCore {
            engine,
            ports,
            memory,
            pc: 0,
            fetched: false,
            requested: false,
            clock_cycles: 0,
            instructions: 0,
        }
    }

    /// Runs the program to its verdict, or to the end of patience.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn run(mut self, watchdog: u64) -> Result<BareRun, EngineError> {
        let verdict = loop {
            if let Some(verdict) = self.clock_cycle()? {
                break verdict;
            }
            if self.clock_cycles >= watchdog {
                break Verdict::TimedOut {
                    clock_cycles: watchdog,
                    pc: self.pc,
                };
            }
        };
        Ok(BareRun {
            verdict,
            instructions: self.instructions,
            clock_cycles: self.clock_cycles,
        })
    }

    /// One clock cycle; the verdict if it ends the run.
    fn clock_cycle(&mut self) -> Result<Option<Verdict>, EngineError> {
        self.engine.set_u64(self.ports.ready, 0);
        self.engine.settle()?;
        let mut verdict = None;
        let requests = self.get(self.ports.request) == 1;
        if requests && self.requested {
            match self.answer() {
                Answer::Word(word) => self.engine.set_u64(self.ports.read_data, word.into()),
                Answer::Ends(end) => verdict = Some(end),
            }
            self.engine.set_u64(self.ports.ready, 1);
            self.engine.settle()?;
        }
        self.requested = requests && !self.requested;
        if self.get(self.ports.retired) == 1 {
            self.instructions += 1;
            self.fetched = false;
        }
        if self.get(self.ports.asleep) == 1 {
            verdict = Some(Verdict::Asleep { pc: self.pc });
        }
        if self.get(self.ports.halted) == 1 {
            let number = self.get(self.ports.cause);
            let cause = Cause::from_number(number).expect("the core knows its causes");
            verdict = Some(Verdict::Halted { cause, pc: self.pc });
        }
        self.engine.clock()?;
        self.clock_cycles += 1;
        Ok(verdict)
    }

    /// Does the access that the core wants.
    fn answer(&mut self) -> Answer {
        let address = self.get(self.ports.address) as u32;
        let strobe = self.get(self.ports.write_strobe);
        let data = self.get(self.ports.write_data) as u32;
        if !self.fetched {
            self.pc = address;
            self.fetched = true;
        }
        let lanes = (0..4).map(|i| ((strobe as u32 >> i & 1) * 0xFF) << (8 * i));
        let lanes: u32 = lanes.sum();
        if address == VERDICT && strobe != 0 {
            return Answer::Ends(match data & lanes {
                1 => Verdict::Passed,
                value if value % 2 == 1 => Verdict::Failed { test: value >> 1 },
                value => Verdict::Unclear { value },
            });
        }
        let Some(word) = self.memory.get_mut(address as usize / 4) else {
            let pc = self.pc;
            return Answer::Ends(Verdict::Outside { address, pc });
        };
        *word = *word & !lanes | data & lanes;
        Answer::Word(*word)
    }

    fn get(&mut self, port: PortId) -> u64 {
        self.engine.get_u64(port)
    }
}

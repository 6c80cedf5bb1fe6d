//! The stopped node as GDB sees it.
//!
//! GDB reads copies of registers and data memory, which are made when the node stops. Writes change
//! the copies and are recorded, and the server applies them to the engine.

use crate::core::CoreProbe;
use engine::NodeEngine;
use gdbstub::common::Signal;
use gdbstub::target::ext::base::single_register_access::{
    SingleRegisterAccess, SingleRegisterAccessOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadRangeStepping, SingleThreadRangeSteppingOps, SingleThreadResume,
    SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, SwBreakpoint, SwBreakpointOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use gdbstub_arch::riscv::reg::id::RiscvRegId;
use gdbstub_arch::riscv::reg::RiscvCoreRegs;
use gdbstub_arch::riscv::Riscv32;
use machine::program::NodeMemory;
use rtl::tdma::DATA_BASE;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::Range;

/// How the node continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// To the next breakpoint.
    Continue,
    /// To the next instruction outside these addresses. An empty range is a single step.
    Step(Range<u32>),
}

/// Write by GDB.
enum Write {
    Register { number: usize, value: u32 },
    Data { address: u32, value: u8 },
}

/// Copy of a stopped node, and the requests of GDB.
pub struct GdbTarget {
    memory: NodeMemory,
    /// Bytes of the program store, from address 0 on.
    program: Vec<u8>,
    registers: [u32; 32],
    pc: u32,
    /// Context of the core to which the registers belong.
    context: usize,
    data: Vec<u8>,
    writes: Vec<Write>,
    pub breakpoints: BTreeSet<u32>,
    pub resume: Resume,
}

impl GdbTarget {
    pub fn new(program: Vec<u8>, memory: NodeMemory) -> Self {
        GdbTarget {
            memory,
            program,
            registers: [0; 32],
            pc: 0,
            context: 0,
            data: vec![],
            writes: vec![],
            breakpoints: BTreeSet::new(),
            resume: Resume::Continue,
        }
    }

    /// Copies registers and data of the node.
    pub fn read(&mut self, engine: &mut dyn NodeEngine, probe: &CoreProbe) {
        self.context = probe.context(engine);
        let registers = probe.registers(engine, self.context);
        self.registers = registers.unwrap_or_default();
        self.pc = std::mem::take(&mut self.registers[0]);
        self.data = probe.data(engine, self.memory);
    }

    /// Applies the writes of GDB to the node.
    pub fn apply(&mut self, engine: &mut dyn NodeEngine, probe: &CoreProbe) {
        for write in self.writes.drain(..) {
            match write {
                Write::Register { number, value } => {
                    probe.set_register(engine, self.context, number, value);
                }
                Write::Data { address, value } => probe.set_data(engine, address, value),
            }
        }
    }

    fn set_register(&mut self, number: usize, value: u32) {
        if number > 0 && self.registers[number] != value {
            self.registers[number] = value;
            self.writes.push(Write::Register { number, value });
        }
    }

    /// Byte at an address of the program store or the data memory.
    fn byte(&self, address: u32) -> Option<u8> {
        match address.checked_sub(DATA_BASE as u32) {
            Some(offset) => self.data.get(offset as usize).copied(),
            None => self.program.get(address as usize).copied(),
        }
    }
}

impl Target for GdbTarget {
    type Arch = Riscv32;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for GdbTarget {
    fn read_registers(&mut self, registers: &mut RiscvCoreRegs<u32>) -> TargetResult<(), Self> {
        registers.x = self.registers;
        registers.pc = self.pc;
        Ok(())
    }

    /// The program counter cannot be written, because the next instruction has been fetched.
    fn write_registers(&mut self, registers: &RiscvCoreRegs<u32>) -> TargetResult<(), Self> {
        if registers.pc != self.pc {
            return Err(TargetError::NonFatal);
        }
        for (number, value) in registers.x.iter().enumerate() {
            self.set_register(number, *value);
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    /// The registers of the node are not readable, because a read of some has an effect.
    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        for (i, to) in (0..).zip(data.iter_mut()) {
            let address = start.checked_add(i);
            match address.and_then(|address| self.byte(address)) {
                Some(byte) => *to = byte,
                None if i == 0 => return Err(TargetError::NonFatal),
                None => return Ok(i as usize),
            }
        }
        Ok(data.len())
    }

    /// The program store is read-only.
    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        let offset = start.checked_sub(DATA_BASE as u32).map(|o| o as usize);
        let target = offset.and_then(|from| self.data.get_mut(from..from + data.len()));
        let target = target.ok_or(TargetError::NonFatal)?;
        target.copy_from_slice(data);
        for (address, value) in (start..).zip(data) {
            self.writes.push(Write::Data { address, value: *value });
        }
        Ok(())
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for GdbTarget {
    fn read_register(
        &mut self,
        (): (),
        register: RiscvRegId<u32>,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let value = match register {
            RiscvRegId::Gpr(number) => self.registers[usize::from(number)],
            RiscvRegId::Pc => self.pc,
            _ => return Err(TargetError::NonFatal),
        };
        buffer[..4].copy_from_slice(&value.to_le_bytes());
        Ok(4)
    }

    fn write_register(
        &mut self,
        (): (),
        register: RiscvRegId<u32>,
        value: &[u8],
    ) -> TargetResult<(), Self> {
        let value = value.try_into().map_err(|_| TargetError::NonFatal)?;
        let value = u32::from_le_bytes(value);
        match register {
            RiscvRegId::Gpr(number) => self.set_register(number.into(), value),
            RiscvRegId::Pc if value == self.pc => {}
            _ => return Err(TargetError::NonFatal),
        }
        Ok(())
    }
}

impl SingleThreadResume for GdbTarget {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.resume = Resume::Continue;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for GdbTarget {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.resume = Resume::Step(0..0);
        Ok(())
    }
}

impl SingleThreadRangeStepping for GdbTarget {
    fn resume_range_step(&mut self, start: u32, end: u32) -> Result<(), Infallible> {
        self.resume = Resume::Step(start..end);
        Ok(())
    }
}

/// Breakpoints are addresses that the server compares, so both kinds are the same, and their number
/// has no limit.
impl Breakpoints for GdbTarget {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for GdbTarget {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok((address as usize) < self.program.len() && {
            self.breakpoints.insert(address);
            true
        })
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.breakpoints.remove(&address))
    }
}

impl HwBreakpoint for GdbTarget {
    fn add_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

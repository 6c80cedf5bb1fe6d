//! Cores that have halted: which, where, and why.

use crate::engine::{NodeEngine, NodePort};
use crate::rtl::core::Cause;
use serde::Serialize;
use std::fmt;

/// A core that met an instruction that it cannot do, and does nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Trap {
    pub node: u32,
    /// The address of the instruction.
    pub pc: u32,
    pub cause: Cause,
    /// The word there.
    pub instruction: u32,
}

impl fmt::Display for Trap {
    /// Where and why, without the node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "halted at 0x{:08X}: {} (0x{:08X})",
            self.pc, self.cause, self.instruction
        )
    }
}

/// The cores of a machine, if its nodes have any.
pub struct Cores {
    ports: Option<Ports>,
    /// All that can halt have done so, at the latest look.
    all_halted: bool,
}

struct Ports {
    halted: NodePort,
    cause: NodePort,
    program_counter: NodePort,
    instruction: NodePort,
}

impl Cores {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let ports = |engine: &mut dyn NodeEngine| {
            Some(Ports {
                halted: engine.signal("halted")?,
                cause: engine.signal("cause")?,
                program_counter: engine.signal("program_counter")?,
                instruction: engine.signal("instruction")?,
            })
        };
        Cores {
            ports: ports(engine),
            all_halted: false,
        }
    }

    /// Looks at the cores at the beginning of a phase. Whether all had halted in the
    /// phase before already, but for those that stand still anyway: then no program
    /// does anything any more, and what the last decision sent has arrived.
    pub fn are_over(
        &mut self,
        engine: &mut dyn NodeEngine,
        stands_still: impl Fn(u32) -> bool,
    ) -> bool {
        let Some(ports) = &self.ports else {
            return false;
        };
        let mut halted = vec![];
        engine.get_all(ports.halted, &mut halted);
        let all = (0..).zip(&halted).all(|(i, h)| *h == 1 || stands_still(i));
        let any = halted.contains(&1);
        std::mem::replace(&mut self.all_halted, all && any) && self.all_halted
    }

    /// Those that have halted, by node.
    pub fn traps(&self, engine: &mut dyn NodeEngine) -> Vec<Trap> {
        let Some(ports) = &self.ports else {
            return vec![];
        };
        let mut halted = vec![];
        engine.get_all(ports.halted, &mut halted);
        let nodes = (0..halted.len()).filter(|node| halted[*node] == 1);
        let mut trap = |node: usize| Trap {
            node: node as u32,
            pc: engine.get(ports.program_counter, node) as u32,
            cause: Cause::from_number(engine.get(ports.cause, node))
                .expect("the core knows its causes"),
            instruction: engine.get(ports.instruction, node) as u32,
        };
        nodes.map(&mut trap).collect()
    }
}

//! What a run is to carry, and the machine for it.

use crate::networks::tdma::{Program, Tdma};
use crate::networks::{Job, Machine, Refusal, Request};
use crate::routing::metacube::MetacubeRouting;
use crate::topology::{Addresses, Metacube};
use crate::traffic::{MessageList, Pattern};

/// Messages, when their sources have them, and the order of links that suits them.
pub struct Traffic {
    pub messages: MessageList,
    pub addresses: Addresses,
    /// What they are, if not what the recipe says.
    pub pattern: Option<Pattern>,
    /// Of each message the phase in which its source has it; past the end of the list, from
    /// the first.
    pub releases: Vec<u64>,
    /// By pairs of phases; `None` for superframes.
    pub order: Option<Vec<u32>>,
}

impl Traffic {
    /// What the recipe says, or the list.
    ///
    /// # Errors
    /// If the recipe does not fit this metacube.
    pub fn of(request: &Request, metacube: Metacube) -> Result<Self, Refusal> {
        let addresses = Addresses::from(metacube);
        Ok(Traffic {
            messages: request.messages(addresses)?,
            addresses,
            pattern: None,
            releases: vec![],
            order: None,
        })
    }

    /// A machine for it, whose nodes run this program or have forwarders; if programs are
    /// given data, for messages of up to so many bytes between them.
    ///
    /// # Errors
    /// If there is none of this size.
    pub fn machine(
        &self,
        routing: MetacubeRouting,
        programs: Option<usize>,
        program: Option<Program>,
    ) -> Result<Tdma, Refusal> {
        let order = self.order.as_deref();
        let payload = self.messages.longest().max(programs.unwrap_or(0));
        super::machine(routing, payload, order, program)
    }

    /// The job of this machine.
    pub fn job(self, machine: Tdma) -> Job {
        let phase = machine.timebase().step;
        Job {
            pattern: self.pattern,
            created: self
                .releases
                .iter()
                .map(|release| release * phase)
                .collect(),
            ..Job::new(Box::new(machine), self.messages, self.addresses)
        }
    }
}

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
        let addresses = addresses(metacube)?;
        Ok(Traffic {
            messages: request.messages(addresses)?,
            addresses,
            pattern: None,
            releases: vec![],
            order: None,
        })
    }

    /// A machine for it, whose nodes run this program or have forwarders.
    ///
    /// # Errors
    /// If there is none of this size.
    pub fn machine(
        &self,
        routing: MetacubeRouting,
        program: Option<Program>,
    ) -> Result<Tdma, Refusal> {
        let order = self.order.as_deref();
        super::machine(routing, self.messages.longest(), order, program)
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

/// The addresses of a metacube.
///
/// # Errors
/// If it has more nodes than messages have addresses for.
pub fn addresses(metacube: Metacube) -> Result<Addresses, Refusal> {
    Addresses::new(metacube.nodes().into()).map_err(|e| Refusal::BadInput(e.into()))
}

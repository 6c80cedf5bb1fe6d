//! Messages of a run, and the machine for them.

use crate::networks::tdma::{ProgramRequest, Tdma};
use crate::networks::{Machine, MachineJob, NetworkError, RunRequest};
use interconnect::routing::metacube::MetacubeRouting;
use interconnect::topology::{AddressSpace, Metacube};
use interconnect::traffic::{MessageList, TrafficPattern};

/// Messages, the times at which their sources have them, and a suitable order of links.
pub struct Traffic {
    pub messages: MessageList,
    pub addresses: AddressSpace,
    /// Pattern of the messages, if it differs from the recipe.
    pub pattern: Option<TrafficPattern>,
    /// For each message, the phase in which its source has it. Messages past the end of the list
    /// are available from the first phase.
    pub releases: Vec<u64>,
    /// Order of links by pairs of phases. `None` for superframes.
    pub order: Option<Vec<u32>>,
}

impl Traffic {
    /// Returns the messages of the recipe, or the given list.
    ///
    /// # Errors
    /// If the recipe does not fit this metacube.
    pub fn of(request: &RunRequest, metacube: Metacube) -> Result<Self, NetworkError> {
        let addresses = AddressSpace::from(metacube);
        Ok(Traffic {
            messages: request.messages(addresses)?,
            addresses,
            pattern: None,
            releases: vec![],
            order: None,
        })
    }

    /// Returns a machine for this traffic, whose nodes run this program or have forwarders.
    /// `programs` is the maximum payload in bytes of the messages between programs that are given
    /// data.
    ///
    /// # Errors
    /// If there is no machine of this size.
    pub fn machine(
        &self,
        routing: MetacubeRouting,
        programs: Option<usize>,
        program: Option<ProgramRequest>,
    ) -> Result<Tdma, NetworkError> {
        let order = self.order.as_deref();
        let payload = self.messages.longest().max(programs.unwrap_or(0));
        super::machine(routing, payload, order, program)
    }

    /// Returns the job for this machine.
    pub fn job(self, machine: Tdma) -> MachineJob {
        let phase = machine.timebase().step;
        MachineJob {
            pattern: self.pattern,
            created: self
                .releases
                .iter()
                .map(|release| release * phase)
                .collect(),
            ..MachineJob::new(Box::new(machine), self.messages, self.addresses)
        }
    }
}

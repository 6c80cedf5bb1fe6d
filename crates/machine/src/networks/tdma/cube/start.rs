//! Complete runs of the TDMA cube.

use super::driver::CubeDriver;
use super::run::{CubeMachine, CubeRun};
use crate::{drive, RunControl, RunError};
use interconnect::routing::Schedule;
use interconnect::traffic::{Message, MessageList};
use std::sync::Arc;

impl<'a> CubeMachine<'a> {
    /// Returns the driver of the machine with these messages.
    pub fn driver(self, messages: Arc<MessageList>) -> CubeDriver<'a> {
        CubeDriver::new(self, messages)
    }

    /// Sends all messages and runs until each is accounted for.
    ///
    /// # Errors
    /// If the circuit does not settle, or the schedule stalls.
    pub fn run(self, messages: &[Message]) -> Result<CubeRun, RunError> {
        self.run_with(messages, &mut |_, _| {})
    }

    /// Runs as [`run`](Self::run). After each phase it reports the number of completed phases and
    /// of messages in flight.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with(
        self,
        messages: &[Message],
        progress: &mut dyn FnMut(u64, usize),
    ) -> Result<CubeRun, RunError> {
        let control = RunControl {
            period: self.schedule.period().into(),
            deadlock_after: Some(self.deadlock_after),
            limit: self.limit,
            stop: self.stop.clone(),
            progress,
            print_line: &mut |_| {},
        };
        let mut driver = self.driver(Arc::new(messages.into()));
        let ran = drive(&mut driver, control)?;
        Ok(driver.run(&ran))
    }
}

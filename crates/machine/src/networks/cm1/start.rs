//! Complete runs of the CM-1.

use super::driver::Cm1Driver;
use super::{Cm1Machine, Cm1Message, Cm1Run};
use crate::{drive, RunControl, RunError};

impl<'a> Cm1Machine<'a> {
    /// Returns the driver of the machine with these messages.
    pub fn driver(self, messages: &[Cm1Message]) -> Cm1Driver<'a> {
        Cm1Driver::new(self, messages)
    }

    /// Sends all messages and runs until the machine is empty.
    ///
    /// # Errors
    /// If the circuit does not settle, or its control loses sync.
    pub fn run(self, messages: &[Cm1Message]) -> Result<Cm1Run, RunError> {
        let control = RunControl {
            period: 1,
            deadlock_after: None,
            limit: self.limit,
            stop: self.stop.clone(),
            progress: &mut |_, _| {},
            print_line: &mut |_| {},
        };
        let mut driver = self.driver(messages);
        let ran = drive(&mut driver, control)?;
        Ok(driver.run(&ran))
    }
}

//! Relays bytes in both directions between a port and a board that implements the protocol itself.

use super::listen::BoardEnd;
use crate::port::{BoardPort, PortError};
use std::io;
use std::time::Duration;

/// Line to a board, such as a [virtual board](crate::virtual_board). The clock of a virtual
/// board advances only while its line is read.
pub struct Relay {
    port: Box<dyn BoardPort>,
    greeting: Vec<u8>,
}

/// Longest wait for the greeting of a board after its start, in the board's time.
const GREETING_TIMEOUT: Duration = Duration::from_millis(100);

impl Relay {
    /// Uses the line to a board that has just been switched on. The first text from the board is
    /// its greeting.
    ///
    /// # Errors
    /// If the line fails.
    pub fn new(mut port: Box<dyn BoardPort>) -> Result<Self, PortError> {
        let (mut greeting, mut waited) = (vec![], Duration::ZERO);
        while waited < GREETING_TIMEOUT && !greeting.ends_with(b"ready\n") {
            let (came, took) = port.receive()?;
            greeting.extend(came);
            waited += took;
        }
        Ok(Relay { port, greeting })
    }
}

impl BoardEnd for Relay {
    /// A short wait, because the board advances only while its line is read.
    const READ_TIMEOUT: Duration = Duration::from_millis(1);

    fn greeting(&self) -> Vec<u8> {
        self.greeting.clone()
    }

    fn receive(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.port.send(bytes).map_err(io::Error::other)?;
        let (came, _) = self.port.receive().map_err(io::Error::other)?;
        Ok(came)
    }

    /// Does nothing, because the board itself finds the start of the next frame.
    fn disconnected(&mut self) {}
}

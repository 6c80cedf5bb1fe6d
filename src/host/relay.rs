//! A board that speaks the protocol itself, behind a port: what comes is handed on, both ways.

use super::listen::BoardEnd;
use crate::board::port::{HostPort, PortError};
use std::io;
use std::time::Duration;

/// A line to a board, such as that of a [virtual board](crate::board::virtual_board). Its clock
/// stands still while nobody looks at it.
pub struct Relay {
    port: Box<dyn HostPort>,
    greeting: Vec<u8>,
}

/// How long a board may be silent after its start, in its own time.
const PATIENCE: Duration = Duration::from_millis(100);

impl Relay {
    /// On a line to a board that has just been switched on: what it says first is its greeting.
    ///
    /// # Errors
    /// If the line fails.
    pub fn new(mut port: Box<dyn HostPort>) -> Result<Self, PortError> {
        let (mut greeting, mut waited) = (vec![], Duration::ZERO);
        while waited < PATIENCE && !greeting.ends_with(b"ready\n") {
            let (came, took) = port.receive()?;
            greeting.extend(came);
            waited += took;
        }
        Ok(Relay { port, greeting })
    }
}

impl BoardEnd for Relay {
    /// It moves on with each look.
    const LOOK: Duration = Duration::from_millis(1);

    fn greeting(&self) -> Vec<u8> {
        self.greeting.clone()
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.port.send(bytes).map_err(io::Error::other)?;
        let (came, _) = self.port.receive().map_err(io::Error::other)?;
        Ok(came)
    }

    /// The board finds the next frame by itself.
    fn hang_up(&mut self) {}
}

//! Safe functions over the runtime of a node (`tdma.h`, `ctrl.h`).
//!
//! ```
//! #![no_std]
//! use phasecube_node::Node;
//!
//! phasecube_node::program!(run);
//!
//! /// Returns the exit code.
//! fn run(node: &mut Node) -> u8 {
//!     0
//! }
//! ```

#![no_std]

use core::panic::PanicInfo;

mod runtime {
    unsafe extern "C" {
        pub fn tdma_init(address: u16, dims: u32);
        pub fn tdma_current_phase() -> u32;
        pub fn tdma_next_phase();
        pub fn tdma_background();
        pub fn tdma_send(dim: u32, payload: *const u8, len: u32) -> i32;
        pub fn tdma_recv(dim: u32, buf: *mut u8, max: u32) -> i32;
        pub fn tdma_route(dest: u16, payload: *const u8, len: u32) -> i32;
        pub fn tdma_strapped_address() -> u16;
        pub fn tdma_strapped_dims() -> u32;
        pub fn ctrl_send(buf: *const u8, len: u32) -> i32;
        pub fn ctrl_wait(buf: *mut u8, max: u32) -> i32;
        pub fn ctrl_exit(code: i32) -> !;
    }
}

/// Declares the function that the node runs: `fn(&mut Node) -> u8`. Its result is the exit code, and 0
/// means success.
#[macro_export]
macro_rules! program {
    ($run:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn main() -> i32 {
            $crate::start($run)
        }
    };
}

#[doc(hidden)]
pub fn start(run: fn(&mut Node) -> u8) -> i32 {
    // SAFETY: the functions have no preconditions.
    let mut node = unsafe {
        Node {
            address: runtime::tdma_strapped_address(),
            dims: runtime::tdma_strapped_dims(),
        }
    };
    // SAFETY: the arguments are the values of this node.
    unsafe { runtime::tdma_init(node.address, node.dims) };
    run(&mut node).into()
}

/// A panic ends the program with the exit code 101.
#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    // SAFETY: the function has no preconditions.
    unsafe { runtime::ctrl_exit(101) }
}

/// The message is longer than the machine's payload, or a message to the host is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLength;

/// The node that runs the program. Whenever a function waits, the node forwards the messages of other
/// nodes.
pub struct Node {
    address: u16,
    dims: u32,
}

impl Node {
    /// Returns the address. The neighbour across dimension d differs in bit d.
    pub fn address(&self) -> u16 {
        self.address
    }

    /// Returns the number of dimensions of the cube.
    pub fn dims(&self) -> u32 {
        self.dims
    }

    /// Returns the current phase, 0 to 2 * dims - 1.
    pub fn phase(&self) -> u32 {
        // SAFETY: the function has no preconditions after `tdma_init`.
        unsafe { runtime::tdma_current_phase() }
    }

    /// Waits for the next phase.
    pub fn next_phase(&mut self) {
        // SAFETY: as in `phase`.
        unsafe { runtime::tdma_next_phase() }
    }

    /// Lets the network run by itself while the program computes, on nodes that can do so. Call it
    /// once.
    pub fn background(&mut self) {
        // SAFETY: as in `phase`.
        unsafe { runtime::tdma_background() }
    }

    /// Sends a message to the neighbour across a dimension. Waits while an earlier message of this
    /// node has not left.
    ///
    /// # Errors
    /// If the message is too long.
    ///
    /// # Panics
    /// If the cube has no such dimension.
    pub fn send(&mut self, dim: u32, message: &[u8]) -> Result<(), BadLength> {
        assert!(dim < self.dims);
        // SAFETY: the runtime reads the bytes of the slice.
        checked(unsafe { runtime::tdma_send(dim, message.as_ptr(), message.len() as u32) })
    }

    /// Sends a message to any node; otherwise like [`send`](Self::send).
    ///
    /// # Errors
    /// If the message is too long.
    pub fn route(&mut self, to: u16, message: &[u8]) -> Result<(), BadLength> {
        // SAFETY: as in `send`.
        checked(unsafe { runtime::tdma_route(to, message.as_ptr(), message.len() as u32) })
    }

    /// Takes a message that arrived across a dimension, without waiting. The value `dims` instead of a
    /// dimension selects a message that this node routed to itself. Returns the number of bytes. The
    /// rest of a message that is longer than the buffer is dropped.
    ///
    /// # Panics
    /// If the cube has no such dimension.
    pub fn receive(&mut self, dim: u32, buffer: &mut [u8]) -> Option<usize> {
        assert!(dim <= self.dims);
        // SAFETY: the runtime writes no more bytes than the slice has.
        let length = unsafe { runtime::tdma_recv(dim, buffer.as_mut_ptr(), buffer.len() as u32) };
        usize::try_from(length).ok().map(|len| len.min(buffer.len()))
    }

    /// Exchanges a word with the neighbour across a dimension. Exchanges in ascending order of
    /// dimensions share a superframe.
    ///
    /// # Panics
    /// If the cube has no such dimension.
    pub fn exchange(&mut self, dim: u32, word: u32) -> u32 {
        let _ = self.send(dim, &word.to_le_bytes());
        let mut other = [0; 4];
        while self.receive(dim, &mut other).is_none() {
            self.next_phase();
        }
        // A long computation could miss the deadline for this node's word.
        if self.phase() == 2 * dim + 1 {
            self.next_phase();
        }
        u32::from_le_bytes(other)
    }

    /// Waits for a message from the host. Returns the number of its bytes, or `None` after the last
    /// one. The rest of a message that is longer than the buffer is dropped.
    pub fn host_receive(&mut self, buffer: &mut [u8]) -> Option<usize> {
        // SAFETY: as in `receive`.
        let length = unsafe { runtime::ctrl_wait(buffer.as_mut_ptr(), buffer.len() as u32) };
        let length = usize::try_from(length).ok().filter(|length| *length > 0);
        length.map(|length| length.min(buffer.len()))
    }

    /// Sends a message to the host.
    ///
    /// # Errors
    /// If the message is too long or empty.
    pub fn host_send(&mut self, message: &[u8]) -> Result<(), BadLength> {
        // SAFETY: as in `send`.
        checked(unsafe { runtime::ctrl_send(message.as_ptr(), message.len() as u32) })
    }
}

fn checked(result: i32) -> Result<(), BadLength> {
    match result {
        0 => Ok(()),
        _ => Err(BadLength),
    }
}

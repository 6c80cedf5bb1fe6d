//! The memory of a node's messages.

use super::MemorySide;
use hdl::cells::Memory;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A memory of `2^ADDRESS_BITS` bytes that two blocks have in turn: a router, which works
/// before the frame window or beside the answer, and the frame engine, which works from the frame
/// window on.
#[derive(LogicBlock, Circuit, Default)]
pub struct MessageMemory<const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The router has the memory, else the frame engine.
    pub routes: Signal<In, Bit>,
    pub router: MemorySide<ADDRESS_BITS>,
    pub frames: MemorySide<ADDRESS_BITS>,
    bytes: Memory<Bits<8>, ADDRESS_BITS>,
}

impl<const ADDRESS_BITS: usize> MessageMemory<ADDRESS_BITS> {
    /// No byte is read in the clock cycle in which it is written: neither block does that.
    pub fn new() -> Self {
        MessageMemory {
            bytes: Memory::default().disjoint(),
            ..Default::default()
        }
    }
}

impl<const ADDRESS_BITS: usize> Logic for MessageMemory<ADDRESS_BITS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, bytes);
        if self.routes.val() {
            link!(self.router, bytes, read_address, write_address);
            link!(self.router, bytes, write_data, write_enable);
        } else {
            link!(self.frames, bytes, read_address, write_address);
            link!(self.frames, bytes, write_data, write_enable);
        }
        link!(self.router, bytes, read_data);
        link!(self.frames, bytes, read_data);
    }
}

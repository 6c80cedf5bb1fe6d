//! The message memory of a node.

use super::MemorySide;
use hdl::prelude::*;

/// A memory of `2^ADDRESS_BITS` bytes that a router and the frame engine use alternately. The
/// router works before the frame window or beside the answer, the frame engine from the frame
/// window on.
#[derive(LogicBlock, Circuit, Default)]
pub struct MessageMemory<const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The router has the memory, otherwise the frame engine.
    pub routes: Signal<In, Bit>,
    pub router: MemorySide<ADDRESS_BITS>,
    pub frames: MemorySide<ADDRESS_BITS>,
    bytes: Memory<Bits<8>, ADDRESS_BITS>,
}

impl<const ADDRESS_BITS: usize> MessageMemory<ADDRESS_BITS> {
    /// Makes an empty memory. Neither user reads a byte in the clock cycle in which it writes it.
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

//! The pin mux: connects one UART to one link of a node at a time.

use super::DIM_BITS;
use hdl::prelude::*;

/// Connects a node's one UART to the wire of the active dimension.
///
/// The wires are open-drain and pulled up: a node pulls a wire low or leaves it
/// alone. Every wire but that of `dim` is left alone, always. The pulls and
/// `rx` come from flip-flops, so nothing that happens while `dim` changes can
/// look like a start bit, and no pull depends on a level within a clock cycle.
/// `tx` reaches the wire, and a level reaches `rx`, one clock cycle later.
#[derive(LogicBlock, Circuit, Default)]
pub struct PinMux<const DIMS: usize> {
    pub clock: Signal<In, Clock>,
    /// The active dimension; at `DIMS` and above there is none.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node may pull the active wire; else it listens to it.
    pub drive: Signal<In, Bit>,
    /// The UART's line out, high when idle.
    pub tx: Signal<In, Bit>,
    /// The UART's line in; high while driving or without an active dimension.
    pub rx: Signal<Out, Bit>,
    /// The levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    pulls: Reg<Bits<DIMS>>,
    /// The active wire is low and the node listens.
    heard_low: Reg<Bit>,
}

impl<const DIMS: usize> Logic for PinMux<DIMS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, pulls, heard_low);
        self.pulls.d.next = 0.into();
        self.heard_low.d.next = false;
        for d in 0..DIMS {
            if self.dim.val() == d as u64 {
                if self.drive.val() {
                    self.pulls.d.next = bits::<DIMS>(0).replace_bit(d, !self.tx.val());
                } else {
                    self.heard_low.d.next = !self.level.val().get_bit(d);
                }
            }
        }
        self.pull.next = self.pulls.q.val();
        self.rx.next = !self.heard_low.q.val();
    }
}

//! The circuit of the design `compare3`.

use super::SharedCube;
use crate::cm1::Cm1Board;
use crate::tdma::EnginePlan;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Bytes of a message's payload.
const DATA_BYTES: usize = 8;

/// [`SharedCube`] with a CM-1 beside it, as it goes on a board: each node is the
/// processor of a chip ([`Cm1Board`]).
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedComparison {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: the schedule runs, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    cube: SharedCube,
    cm1: Cm1Board,
}

impl HostedComparison {
    /// Dimensions of the cube.
    pub const DIMS: usize = 3;

    /// Chips with so many rows; the other arguments are those of
    /// [`SharedCube::new`].
    ///
    /// # Panics
    /// As [`SharedCube::new`] and [`Cm1Board::new`].
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32], rows: usize) -> Self {
        HostedComparison {
            cube: SharedCube::new(plan, divider, memory),
            cm1: Cm1Board::new(rows, DATA_BYTES),
            ..Default::default()
        }
    }
}

impl Logic for HostedComparison {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cube, cm1);
        link!(self, cube, rx, tx, led);
        self.cm1.request.next = self.cube.device_request.val();
        self.cm1.node.next = self.cube.device_node.val();
        self.cm1.offset.next = self.cube.device_offset.val();
        self.cm1.write.next = self.cube.device_write.val();
        self.cm1.write_data.next = self.cube.device_write_data.val();
        self.cube.device_ready.next = self.cm1.ready.val();
        self.cube.device_read_data.next = self.cm1.read_data.val();
    }
}

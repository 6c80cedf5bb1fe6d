//! The circuit of the design `compare3`.

use super::SharedCube;
use crate::cm1::Cm1Board;
use crate::tdma::EnginePlan;
use hdl::prelude::*;

/// Payload of a message in bytes.
const DATA_BYTES: usize = 8;

/// [`SharedCube`] and a CM-1 as a board design. Each node is also the processor of a chip
/// ([`Cm1Board`]).
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedComparison {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    cube: SharedCube,
    cm1: Cm1Board,
}

impl HostedComparison {
    /// Number of dimensions of the cube.
    pub const DIMS: usize = 3;

    /// Makes the circuit, with `rows` rows per chip. See [`SharedCube::new`] for the other
    /// arguments.
    ///
    /// # Panics
    /// Under the conditions of [`SharedCube::new`] and [`Cm1Board::new`].
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

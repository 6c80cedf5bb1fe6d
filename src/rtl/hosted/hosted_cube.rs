//! The circuit of the design `cube3`.

use super::SharedCube;
use crate::rtl::tdma::EnginePlan;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// [`SharedCube`] as it goes on a board: what only a simulation looks at is left
/// open.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedCube {
    pub clock: Signal<In, Clock>,
    /// The line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// The line to the PC.
    pub tx: Signal<Out, Bit>,
    /// Lights: the schedule runs, an error, a run is over.
    pub led: Signal<Out, Bits<8>>,
    cube: SharedCube,
}

impl HostedCube {
    /// The arguments are those of [`SharedCube::new`].
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedCube {
            cube: SharedCube::new(plan, divider, memory),
            ..Default::default()
        }
    }
}

impl Logic for HostedCube {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cube);
        self.cube.rx.next = self.rx.val();
        self.tx.next = self.cube.tx.val();
        self.led.next = self.cube.led.val();
        // No device.
        self.cube.device_ready.next = false;
        self.cube.device_read_data.next = 0.into();
    }
}

//! The circuit of the designs `cube3` to `cube6`, `metacube` and `programs`.

use super::host_port::{ARRIVAL_COUNT_BITS, OUTCOME_COUNT_BITS, RING_SLOT_BITS};
use super::layout::{FIRST_BANK_BITS, NODE_DATA_BITS, WORD_BITS};
use super::SharedNodes;
use crate::tdma::{EnginePlan, DIVIDER_BITS};
use hdl::prelude::*;

/// [`SharedNodes`] as a board design, without the ports that only a simulation uses.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedNodes<
    const LINKS: usize,
    const BITS: usize,
    const NODES: usize,
    const REGISTERS: usize,
    const CONTEXT_BITS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BANK_BITS,
    const WORD: usize = WORD_BITS,
    const DIVIDER: usize = DIVIDER_BITS,
    const ARRIVAL: usize = RING_SLOT_BITS,
    const CAME: usize = ARRIVAL_COUNT_BITS,
    const TOLD: usize = OUTCOME_COUNT_BITS,
    const ROOM: usize = NODE_DATA_BITS,
    const LINE: usize = 1,
> {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    nodes: SharedNodes<
        LINKS,
        BITS,
        NODES,
        REGISTERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        TOLD,
        ROOM,
        LINE,
    >,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const REGISTERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
        const ROOM: usize,
        const LINE: usize,
    >
    HostedNodes<
        LINKS,
        BITS,
        NODES,
        REGISTERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        TOLD,
        ROOM,
        LINE,
    >
{
    /// Makes the circuit; see [`SharedNodes::new`] for the arguments.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedNodes {
            nodes: SharedNodes::new(plan, divider, memory),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const REGISTERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const TOLD: usize,
        const ROOM: usize,
        const LINE: usize,
    > Logic
    for HostedNodes<
        LINKS,
        BITS,
        NODES,
        REGISTERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        TOLD,
        ROOM,
        LINE,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, nodes);
        link!(self, nodes, rx, tx, led);
        // There is no device.
        self.nodes.device_ready.next = false;
        self.nodes.device_read_data.next = 0.into();
    }
}

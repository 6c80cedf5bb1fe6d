//! The TDMA cube whose nodes forward in hardware, as one block.

use super::{EnginePlan, Node, OpenDrainWire, PhaseClock, Reason, Received, Sent};
use super::{COUNT_BITS, DIVIDER_BITS, PHASE_BITS, SLOT_BITS};
use crate::lower::{kernel, Circuit};
use crate::topology::{Hypercube, Link};
use rust_hdl::prelude::*;

/// The machine: `2^DIMS` nodes, a wire for every link, and the phase clock.
///
/// Lists are by node. A wire can be disturbed: what an end of it sees is its
/// level, if `keep`, inverted if `flip`.
#[derive(LogicBlock, Circuit)]
pub struct Cube<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one.
    pub divider: Signal<In, Bits<DIVIDER_BITS>>,
    /// The phase under way.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Superframes that have ended; wraps.
    pub frame: Signal<Out, Bits<COUNT_BITS>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// The node does not see the phase clock: it misses a phase.
    pub skip: Vec<Signal<In, Bit>>,
    /// The node's forwarder stands still.
    pub hang: Vec<Signal<In, Bit>>,
    /// The host of the node has a message.
    pub host_valid: Vec<Signal<In, Bit>>,
    /// Its byte `host_index`.
    pub host_data: Vec<Signal<In, Bits<8>>>,
    /// The byte wanted.
    pub host_index: Vec<Signal<Out, Bits<8>>>,
    /// The message was taken.
    pub host_taken: Vec<Signal<Out, Bit>>,
    /// A byte for the host.
    pub out_valid: Vec<Signal<Out, Bit>>,
    /// The byte.
    pub out_data: Vec<Signal<Out, Bits<8>>>,
    /// It is the last one of the message.
    pub out_last: Vec<Signal<Out, Bit>>,
    /// Why the message comes.
    pub out_reason: Vec<Signal<Out, Reason>>,
    /// The register that it was in.
    pub out_slot: Vec<Signal<Out, Bits<SLOT_BITS>>>,
    /// What became of the frame that the node sent.
    pub sent: Vec<Signal<Out, Sent>>,
    /// The register that it came from.
    pub sent_slot: Vec<Signal<Out, Bits<SLOT_BITS>>>,
    /// What became of the frame that the node received.
    pub received: Vec<Signal<Out, Received>>,
    /// The node was not ready when the frame window opened.
    pub late: Vec<Signal<Out, Bit>>,
    /// The phase under way, as far as the node knows.
    pub node_phase: Vec<Signal<Out, Bits<PHASE_BITS>>>,
    /// The node is out of step.
    pub muted: Vec<Signal<Out, Bit>>,
    /// Times it fell out of step.
    pub slips: Vec<Signal<Out, Bits<COUNT_BITS>>>,
    /// The levels of the wires reach this end of them.
    pub keep: Vec<Signal<In, Bits<DIMS>>>,
    /// They reach it inverted.
    pub flip: Vec<Signal<In, Bits<DIMS>>>,
    /// What the node sees.
    pub level: Vec<Signal<Out, Bits<DIMS>>>,
    /// Both ends hold the wire at once.
    pub clash: Vec<Signal<Out, Bits<DIMS>>>,
    /// The node pulls its wires.
    pub pull: Vec<Signal<Out, Bits<DIMS>>>,
    /// The node holds its wires.
    pub holds: Vec<Signal<Out, Bits<DIMS>>>,
    phases: PhaseClock<DIMS>,
    nodes: Vec<Node<DIMS, CLOCKS, OFFSET, A>>,
    lines: Vec<OpenDrainWire>,
    wires: Vec<Signal<Local, Bits<DIMS>>>,
    others: Vec<Signal<Local, Bits<DIMS>>>,
}

fn link(dims: usize, number: usize) -> Link {
    topology(dims).link(number)
}

pub(in crate::rtl) fn low_end(dims: usize, number: usize) -> usize {
    link(dims, number).from.node as usize
}

pub(in crate::rtl) fn high_end(dims: usize, number: usize) -> usize {
    link(dims, number).to.node as usize
}

pub(in crate::rtl) fn dimension(dims: usize, number: usize) -> usize {
    link(dims, number).from.port as usize
}

pub(in crate::rtl) fn link_at(dims: usize, node: usize, dim: usize) -> usize {
    topology(dims).link_number(node as u32, dim as u32)
}

fn topology(dims: usize) -> Hypercube {
    Hypercube::new(dims as u64).expect("DIMS is a number of dimensions")
}

pub(super) fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}

impl<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize>
    Cube<DIMS, CLOCKS, OFFSET, A>
{
    /// The arguments are those of [`Node::new`].
    pub fn new(plan: EnginePlan) -> Self {
        let nodes = 1 << DIMS;
        let links = DIMS << (DIMS - 1);
        Cube {
            clock: Signal::default(),
            enable: Signal::default(),
            divider: Signal::default(),
            phase: Signal::default(),
            frame: Signal::default(),
            phase_clock: Signal::default(),
            skip: list(nodes),
            hang: list(nodes),
            host_valid: list(nodes),
            host_data: list(nodes),
            host_index: list(nodes),
            host_taken: list(nodes),
            out_valid: list(nodes),
            out_data: list(nodes),
            out_last: list(nodes),
            out_reason: list(nodes),
            out_slot: list(nodes),
            sent: list(nodes),
            sent_slot: list(nodes),
            received: list(nodes),
            late: list(nodes),
            node_phase: list(nodes),
            muted: list(nodes),
            slips: list(nodes),
            keep: list(nodes),
            flip: list(nodes),
            level: list(nodes),
            clash: list(nodes),
            pull: list(nodes),
            holds: list(nodes),
            phases: PhaseClock::default(),
            nodes: (0..nodes).map(|_| Node::new(plan)).collect(),
            lines: list(links),
            wires: list(nodes),
            others: list(nodes),
        }
    }
}

impl<const DIMS: usize, const CLOCKS: usize, const OFFSET: usize, const A: usize> Logic
    for Cube<DIMS, CLOCKS, OFFSET, A>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        self.phases.enable.next = self.enable.val();
        self.phases.divider.next = self.divider.val();
        self.phase.next = self.phases.phase.val();
        self.frame.next = self.phases.frame.val();
        self.phase_clock.next = self.phases.phase_clock.val();
        for i in 0..self.nodes.len() {
            self.nodes[i].clock.next = self.clock.val();
            self.nodes[i].phase_clock.next = self.phases.phase_clock.val() & !self.skip[i].val();
            self.nodes[i].sync.next = self.phases.sync.val();
            self.nodes[i].address.next = bits::<DIMS>(i as u64);
            self.nodes[i].hang.next = self.hang[i].val();
            self.nodes[i].host_valid.next = self.host_valid[i].val();
            self.nodes[i].host_data.next = self.host_data[i].val();
            self.host_index[i].next = self.nodes[i].host_index.val();
            self.host_taken[i].next = self.nodes[i].host_taken.val();
            self.out_valid[i].next = self.nodes[i].out_valid.val();
            self.out_data[i].next = self.nodes[i].out_data.val();
            self.out_last[i].next = self.nodes[i].out_last.val();
            self.out_reason[i].next = self.nodes[i].out_reason.val();
            self.out_slot[i].next = self.nodes[i].out_slot.val();
            self.sent[i].next = self.nodes[i].sent.val();
            self.sent_slot[i].next = self.nodes[i].sent_slot.val();
            self.received[i].next = self.nodes[i].received.val();
            self.late[i].next = self.nodes[i].late.val();
            self.node_phase[i].next = self.nodes[i].phase.val();
            self.muted[i].next = self.nodes[i].muted.val();
            self.slips[i].next = self.nodes[i].slips.val();
        }
        for l in 0..self.lines.len() {
            let low = low_end(DIMS, l);
            let high = high_end(DIMS, l);
            let dim = dimension(DIMS, l);
            self.lines[l].pull_a.next = self.nodes[low].pull.val().get_bit(dim);
            self.lines[l].pull_b.next = self.nodes[high].pull.val().get_bit(dim);
        }
        for i in 0..self.nodes.len() {
            self.wires[i].next = 0.into();
            self.others[i].next = 0.into();
            for d in 0..DIMS {
                self.wires[i].next = self.wires[i]
                    .val()
                    .replace_bit(d, self.lines[link_at(DIMS, i, d)].level.val());
                self.others[i].next = self.others[i]
                    .val()
                    .replace_bit(d, self.nodes[i ^ (1 << d)].holds.val().get_bit(d));
            }
            self.level[i].next = (self.wires[i].val() & self.keep[i].val()) ^ self.flip[i].val();
            self.nodes[i].level.next = self.level[i].val();
            self.pull[i].next = self.nodes[i].pull.val();
            self.holds[i].next = self.nodes[i].holds.val();
            self.clash[i].next = self.nodes[i].holds.val() & self.others[i].val();
        }
    }
}

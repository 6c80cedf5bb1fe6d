//! Of whom the core does the next instruction.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Chooses the next context of the core that `NODES` nodes share with their host, whose
/// context comes after theirs, and says whether the one under way is awake.
///
/// They follow each other. When all nodes sleep the host goes on alone until there is
/// something for one to do, or somebody looks at one.
#[derive(LogicBlock, Circuit, Default)]
pub struct ContextChoice<const BITS: usize, const NODES: usize, const CONTEXT_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The node whose turn it is, beside the core.
    pub turn: Signal<In, Bits<BITS>>,
    /// The node whose turn it is has something to do.
    pub node_wake: Signal<In, Bit>,
    /// The host has no turn.
    pub excluded: Signal<In, Bit>,
    /// Who sleeps has its turns, too, though all nodes do.
    pub in_full: Signal<In, Bit>,
    /// There is something to do for the host.
    pub host_wake: Signal<In, Bit>,
    /// The context under way in the core.
    pub current: Signal<In, Bits<CONTEXT_BITS>>,
    /// The turn of `current` ends with an instruction.
    pub retired: Signal<In, Bit>,
    /// The turn of `current` ends because it sleeps.
    pub asleep: Signal<In, Bit>,
    /// It need not sleep.
    pub wake: Signal<Out, Bit>,
    /// The next one.
    pub context: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The context under way is the host's.
    pub is_host: Signal<Out, Bit>,
    /// If the context under way is not the host's: the node that it is of.
    pub node: Signal<Out, Bits<BITS>>,
    /// Since the host's last turn no node has done an instruction.
    quiet: Reg<Bit>,
    /// Nodes that have something to do, from the one whose turn it is on.
    awake: Reg<Bits<NODES>>,
}

impl<const BITS: usize, const NODES: usize, const CONTEXT_BITS: usize> Logic
    for ContextChoice<BITS, NODES, CONTEXT_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, quiet, awake);
        let current = self.current.val();
        let is_host = current == NODES as u64;
        let node = current.resized::<BITS>();
        let awake = self.awake.q.val();
        let retired = self.retired.val();
        if is_host & (retired | self.asleep.val()) {
            self.quiet.d.next = true;
        } else if retired & !is_host {
            self.quiet.d.next = false;
        }
        let nodes_sleep = self.quiet.q.val() & is_host & !awake.any();
        let excluded = self.excluded.val();
        let last = current == (NODES - 1) as u64;
        self.context.next = if nodes_sleep & !excluded & !self.in_full.val() {
            bits::<CONTEXT_BITS>(NODES as u64)
        } else if is_host | (last & excluded) {
            bits::<CONTEXT_BITS>(0)
        } else {
            current + 1
        };
        // What a node has decided is seen here when its next turn is over, before which the
        // core is not back at it: all other contexts have had a clock cycle.
        let place_of_node = node - self.turn.val();
        self.wake.next = if is_host {
            self.host_wake.val()
        } else {
            awake.get_bit(place_of_node.index())
        };
        self.awake.d.next = (awake >> 1).replace_bit(NODES - 1, self.node_wake.val());
        self.is_host.next = is_host;
        self.node.next = node;
    }
}

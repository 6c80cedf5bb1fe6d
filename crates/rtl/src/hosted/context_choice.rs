//! The scheduler of the shared core.
use hdl::prelude::*;

/// Selects the next context of the core that `NODES` nodes share with their host, and reports
/// whether the current one is awake. The host's context follows the contexts of the nodes.
///
/// The contexts take turns in ascending order. When all nodes sleep, the host has every turn. The
/// nodes get turns again when one of them has work to do or is being watched.
#[derive(LogicBlock, Circuit, Default)]
pub struct ContextChoice<const BITS: usize, const NODES: usize, const CONTEXT_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose clock cycle it is, outside the core.
    pub turn: Signal<In, Bits<BITS>>,
    /// Node `turn` has work to do.
    pub node_wake: Signal<In, Bit>,
    /// The host gets no turn.
    pub excluded: Signal<In, Bit>,
    /// Sleeping nodes get their turns even when all nodes sleep.
    pub in_full: Signal<In, Bit>,
    /// The host has work to do.
    pub host_wake: Signal<In, Bit>,
    /// Current context of the core.
    pub current: Signal<In, Bits<CONTEXT_BITS>>,
    /// The turn of `current` ends with an instruction.
    pub retired: Signal<In, Bit>,
    /// The turn of `current` ends because it sleeps.
    pub asleep: Signal<In, Bit>,
    /// Wakes the current context.
    pub wake: Signal<Out, Bit>,
    /// Next context.
    pub context: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The current context is the host's.
    pub is_host: Signal<Out, Bit>,
    /// Node of the current context; valid if `is_host` is low.
    pub node: Signal<Out, Bits<BITS>>,
    /// No node has executed an instruction since the host's last turn.
    quiet: Reg<Bit>,
    /// Nodes that have work to do, beginning with node `turn`.
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
        // A decision of a node is visible here after the node's next clock cycle. The core returns
        // to the node later than that, because all other contexts have had a clock cycle by then.
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

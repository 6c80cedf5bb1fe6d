//! What the host can see of a node's program.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// What a program did in the latest turn that it has had of the core.
const ASLEEP: u64 = 1;
const AWAKE: u64 = 2;
const HALTED: u64 = 3;

/// Watches the turns that the program of one node has of the core that all share.
///
/// What is `seen` is zero until the program has had a turn. Then it has, from bit 0 on: what the
/// program did in its latest turn, 2 bits, never 0; why the core could not do its instruction, if it could not,
/// 4 bits ([`Cause`](crate::core::Cause)); and from bit 16 on the lower 16 bits of the
/// program counter at the beginning of that turn.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgramWatch<const BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// The node whose program is watched.
    pub watched: Signal<In, Bits<BITS>>,
    /// From now on: what was seen is forgotten.
    pub begins: Signal<In, Bit>,
    /// The context under way in the core is the host's, else that of this node.
    pub is_host: Signal<In, Bit>,
    pub node: Signal<In, Bits<BITS>>,
    /// As the core ([`SoftCore`](crate::core::SoftCore)) shows them.
    pub request: Signal<In, Bit>,
    pub program_counter: Signal<In, Bits<32>>,
    pub retired: Signal<In, Bit>,
    pub asleep: Signal<In, Bit>,
    pub halted: Signal<In, Bit>,
    pub cause: Signal<In, Bits<4>>,
    pub seen: Signal<Out, Bits<32>>,
    /// Nothing was seen yet.
    pub waits: Signal<Out, Bit>,
    /// The turn under way has fetched.
    fetched: Reg<Bit>,
    counter: Reg<Bits<16>>,
    reason: Reg<Bits<4>>,
    did: Reg<Bits<2>>,
}

impl<const BITS: usize> Logic for ProgramWatch<BITS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, fetched, counter, reason, did);
        let asleep = self.asleep.val();
        let halted = self.halted.val();
        let ends = asleep | halted | self.retired.val();
        let request = self.request.val();
        let fetched = self.fetched.q.val();
        self.fetched.d.next = (fetched | request) & !ends;
        if !self.is_host.val() & (self.node.val() == self.watched.val()) {
            // With the first access of a turn, the fetch, the core reads its program counter.
            if asleep | (request & !fetched) {
                self.counter.d.next = self.program_counter.val().resized();
            }
            if ends {
                self.reason.d.next = self.cause.val();
                self.did.d.next = if asleep {
                    ASLEEP.into()
                } else if halted {
                    HALTED.into()
                } else {
                    AWAKE.into()
                };
            }
        }
        if self.begins.val() {
            self.did.d.next = 0.into();
            self.reason.d.next = 0.into();
            self.counter.d.next = 0.into();
        }
        self.waits.next = self.did.q.val() == 0;
        self.seen.next = (self.counter.q.val().resized::<32>() << 16)
            | (self.reason.q.val().resized::<32>() << 2)
            | self.did.q.val().resized::<32>();
    }
}

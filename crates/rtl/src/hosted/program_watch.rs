//! The observation of a node's program by the host.
use hdl::prelude::*;

/// State of a program after its latest turn of the core.
const ASLEEP: u64 = 1;
const AWAKE: u64 = 2;
const HALTED: u64 = 3;

/// Watches the turns that the program of one node has on the shared core.
///
/// `seen` is zero until the program has had a turn. Then bits 1:0 are the state after its latest
/// turn, never 0. Bits 5:2 are the reason why the core could not execute its instruction, if it
/// could not ([`Cause`](crate::core::Cause)). Bits 31:16 are the lower 16 bits of the program
/// counter at the beginning of that turn.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgramWatch<const BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Node whose program is watched.
    pub watched: Signal<In, Bits<BITS>>,
    /// Starts watching and clears `seen`.
    pub begins: Signal<In, Bit>,
    /// The current context of the core is the host's, otherwise it belongs to `node`.
    pub is_host: Signal<In, Bit>,
    pub node: Signal<In, Bits<BITS>>,
    /// Ports of the core ([`SoftCore`](crate::core::SoftCore)).
    pub request: Signal<In, Bit>,
    pub program_counter: Signal<In, Bits<32>>,
    pub retired: Signal<In, Bit>,
    pub asleep: Signal<In, Bit>,
    pub halted: Signal<In, Bit>,
    pub cause: Signal<In, Bits<4>>,
    pub seen: Signal<Out, Bits<32>>,
    /// Nothing has been observed yet.
    pub waits: Signal<Out, Bit>,
    /// The current turn has fetched its instruction.
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
            // The core reads its program counter for the first access of a turn, the fetch.
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

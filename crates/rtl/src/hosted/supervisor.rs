//! The host's control of the programs of the nodes.

use hdl::prelude::*;

/// Watches the turns that programs have on the shared core, and restarts all programs. Consists of
/// a [`ProgramWatch`] and a [`Restart`].
#[derive(LogicBlock, Circuit, Default)]
pub struct Supervisor<const BITS: usize, const ADDRESS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: all nodes must restart.
    pub restart: Signal<In, Bit>,
    /// Node whose program is watched.
    pub watched: Signal<In, Bits<BITS>>,
    /// High for one clock cycle: watching begins.
    pub looks: Signal<In, Bit>,
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
    /// A round of the time-multiplexed nodes ends.
    pub last: Signal<In, Bit>,
    /// A program has halted since the restart.
    pub stopped: Signal<Out, Bit>,
    /// Observed state of the program; see [`ProgramWatch`].
    pub seen: Signal<Out, Bits<32>>,
    /// The program has not been observed yet.
    pub in_full: Signal<Out, Bit>,
    /// The restart is not complete: the host has no turn.
    pub restarts: Signal<Out, Bit>,
    /// Reset of the core.
    pub core_reset: Signal<Out, Bit>,
    /// Reset of the nodes, and the address in their message memory that is cleared.
    pub reset: Signal<Out, Bit>,
    pub reset_address: Signal<Out, Bits<ADDRESS>>,
    watch: ProgramWatch<BITS>,
    starter: Restart<ADDRESS>,
    has_stopped: Reg<Bit>,
}

impl<const BITS: usize, const ADDRESS: usize> Logic for Supervisor<BITS, ADDRESS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, watch, starter);
        dff_setup!(self, clock, has_stopped);
        let reset = self.starter.nodes.val();
        if self.halted.val() {
            self.has_stopped.d.next = true;
        }
        if reset {
            self.has_stopped.d.next = false;
        }
        self.stopped.next = self.has_stopped.q.val();

        link!(self -> watch: watched, looks -> begins, is_host, node);
        link!(self -> watch: request, program_counter, retired, asleep, halted, cause);
        link!(watch -> self: seen, waits -> in_full);

        link!(self -> starter: restart -> requested, is_host, last);
        link!(starter -> self: waits -> restarts);
        self.starter.ends.next = self.retired.val() | self.asleep.val() | self.halted.val();
        link!(starter -> self: core -> core_reset, address -> reset_address);
        self.reset.next = reset;
    }
}

// The observation of a node's program by the host.

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

/// Starts a [`ProgramWatch`] for a host with a core of its own, which can select another node in the
/// middle of that node's turn. The rest of such a turn has no fetch, and so no program counter.
#[derive(LogicBlock, Circuit, Default)]
pub struct WatchStart {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: the host selects a node.
    pub looks: Signal<In, Bit>,
    /// The turn of the current context ends.
    pub ends: Signal<In, Bit>,
    /// Starts watching with `looks`, and again at the end of the turn.
    pub begins: Signal<Out, Bit>,
    in_turn: Reg<Bit>,
}

impl Logic for WatchStart {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, in_turn);
        let looks = self.looks.val();
        let ends = self.ends.val();
        let in_turn = self.in_turn.q.val();
        self.begins.next = looks | (in_turn & ends);
        self.in_turn.d.next = (looks | in_turn) & !ends;
    }
}

// The restart of all nodes while their host keeps running.

/// Resets time-multiplexed nodes ([`time_multiplexed`](hdl::cells::time_multiplexed)) and their contexts of the
/// core that they share with the host.
///
/// The core must not be reset in a turn of the host, and must not show the host's context during
/// the reset. The block therefore waits until a node's turn ends, and the host has no turn until
/// the restart is complete.
#[derive(LogicBlock, Circuit, Default)]
pub struct Restart<const ADDRESS: usize> {
    pub clock: Signal<In, Clock>,
    /// High for one clock cycle: restart. Allowed only while no phase is in progress.
    pub requested: Signal<In, Bit>,
    /// The current context of the core is the host's.
    pub is_host: Signal<In, Bit>,
    /// The turn of the current context ends.
    pub ends: Signal<In, Bit>,
    /// A round of the time-multiplexed nodes ends.
    pub last: Signal<In, Bit>,
    /// The restart is not complete: the host has no turn.
    pub waits: Signal<Out, Bit>,
    /// Reset of the core.
    pub core: Signal<Out, Bit>,
    /// Reset of the nodes, from the beginning of a round to the end of a round.
    pub nodes: Signal<Out, Bit>,
    /// Address in the message memories; each value lasts for one round.
    pub address: Signal<Out, Bits<ADDRESS>>,
    waiting: Reg<Bit>,
    held: Reg<Bit>,
    clears: Reg<Bit>,
    rounds: Reg<Bits<ADDRESS>>,
}

impl<const ADDRESS: usize> Logic for Restart<ADDRESS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting, held, clears, rounds);
        let waiting = self.waiting.q.val();
        let held = self.held.q.val();
        let clears = self.clears.q.val();
        let rounds = self.rounds.q.val();
        if self.requested.val() {
            self.waiting.d.next = true;
        }
        if waiting & !self.is_host.val() & self.ends.val() {
            self.held.d.next = true;
        }
        if held & self.last.val() {
            self.clears.d.next = true;
            if clears {
                self.rounds.d.next = rounds + 1;
                if rounds.all() {
                    self.waiting.d.next = false;
                    self.held.d.next = false;
                    self.clears.d.next = false;
                }
            }
        }
        self.waits.next = waiting;
        self.core.next = held;
        self.nodes.next = clears;
        self.address.next = rounds;
    }
}

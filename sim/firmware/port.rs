//! The rules of the node's registers (`firmware/include/node_port.h`), clock cycle
//! by clock cycle.
use hdl::prelude::*;
use phasecube::engine::{CircuitEngine, EvaluatorEngine};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::rtl::tdma::{NodePort, ServiceState, PHASE_BITS, SLOT_BITS};
use phasecube::topology::Hypercube;

/// The registers of a node, with the commands that they issue.
#[derive(LogicBlock, Circuit, Default)]
struct NodeRegisters {
    pub clock: Signal<In, Clock>,
    pub request: Signal<In, Bit>,
    pub offset: Signal<In, Bits<7>>,
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<32>>,
    pub begin: Signal<In, Bit>,
    pub window: Signal<In, Bit>,
    pub answer_open: Signal<In, Bit>,
    pub records: Signal<In, Bit>,
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    pub ready: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub wake: Signal<Out, Bit>,
    pub decided: Signal<Out, Bit>,
    pub send: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    port: NodePort<3, 3, 3>,
    state: ServiceState<4>,
}

impl NodeRegisters {
    fn new() -> Self {
        NodeRegisters {
            port: NodePort::new(PhaseTiming::forwarder(8, 6, Hypercube::of(3), true).plan()),
            state: ServiceState::new(3),
            ..Default::default()
        }
    }
}

impl Logic for NodeRegisters {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, port, state);
        self.port.turn.next = true;
        link!(self -> port: request, offset, write, write_data, begin);
        link!(self -> port.node: phase);
        link!(state -> port.node: open, wake, decided);
        self.port.node.dim.next = 2.into();
        self.port.node.select.next = 4.into();
        self.port.node.transmit.next = true;
        self.port.node.pending.next = false;
        self.port.node.down.next = false;
        self.port.node.all_down.next = 0.into();
        self.port.node.outcome.next = 0.into();
        self.port.superframe.next = 0.into();
        self.port.slips.next = 0.into();
        self.port.address.next = 0.into();
        self.port.node.full.next = 0.into();
        self.port.node.injected.next = false;
        self.port.node.held.next = 0.into();
        self.port.node.crowded.next = false;
        self.port.host_valid.next = false;
        self.port.host_room.next = true;
        self.port.host_crowded.next = false;
        self.state.reset.next = false;
        link!(self -> state: begin, window, answer_open, records);
        self.state.serve.next = true;
        link!(port -> state: decide, sends, reopens, choose, buffer, position);
        self.state.advance.next = false;
        link!(port -> self: ready);
        link!(state -> self: open, wake, decided, send, slot);
    }
}

const FULL: u64 = 0x58;
const DECIDE: u64 = 0x54;
const PHASE: u64 = 4;
const TAG: u64 = PHASE << 24;
const SEND: u64 = 1 << 5;
const REOPEN: u64 = 1 << 7;

struct NodePortBench(EvaluatorEngine);

impl NodePortBench {
    fn new() -> Self {
        let design = lower(&NodeRegisters::new()).unwrap();
        let mut port = NodePortBench(EvaluatorEngine::new(&design).unwrap());
        port.set("phase", PHASE);
        port
    }

    fn set(&mut self, name: &str, value: u64) {
        let id = self.0.port(name);
        self.0.set_u64(id, value);
    }

    fn get(&mut self, name: &str) -> u64 {
        self.0.settle().unwrap();
        let id = self.0.port(name);
        self.0.get_u64(id)
    }

    fn clock(&mut self) {
        self.0.clock().unwrap();
    }

    fn pulse(&mut self, name: &str) {
        self.set(name, 1);
        self.clock();
        self.set(name, 0);
    }

    /// Writes a register. Returns the clock cycles taken, or `None` after 20.
    fn write(&mut self, offset: u64, value: u64) -> Option<u32> {
        self.set("request", 1);
        self.set("write", 1);
        self.set("offset", offset);
        self.set("write_data", value);
        self.finish()
    }

    fn finish(&mut self) -> Option<u32> {
        for clocks in 1..=20 {
            let ready = self.get("ready") == 1;
            self.clock();
            if ready {
                self.set("request", 0);
                return Some(clocks);
            }
        }
        None
    }

    /// Returns the signals open, decided, send and slot.
    fn state(&mut self) -> [u64; 4] {
        ["open", "decided", "send", "slot"].map(|name| self.get(name))
    }
}

#[test]
fn a_phase_is_decided_once_and_by_its_own_decision() {
    let mut port = NodePortBench::new();
    assert_eq!(port.state(), [0, 1, 0, 0]);
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 0, 0]);
    // A decision for another phase is ignored.
    assert_eq!(port.write(DECIDE, SEND | 2 | (TAG + (1 << 24))), Some(2));
    assert_eq!(port.state(), [1, 0, 0, 0]);
    assert_eq!(port.write(DECIDE, SEND | 2 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 1, 2]);
    // A second decision is ignored.
    assert_eq!(port.write(DECIDE, 1 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 1, 2]);
    // The next phase sends nothing without a decision.
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 0, 2]);
}

#[test]
fn the_message_memory_closes_with_the_window_and_accesses_wait() {
    let mut port = NodePortBench::new();
    port.pulse("begin");
    assert_eq!(port.write(FULL, 1), Some(2));
    port.pulse("window");
    // The program has not decided, so the core stays awake. The memory belongs to the engine.
    assert_eq!(port.state(), [0, 0, 0, 0]);
    assert_eq!(port.write(FULL, 1), None);
    port.pulse("begin");
    assert!(port.finish().is_some());
}

/// Returns a node that has decided to send buffer 2, with further flags set in the decision.
fn decided(more: u64) -> NodePortBench {
    let mut port = NodePortBench::new();
    port.pulse("begin");
    assert_eq!(port.write(DECIDE, SEND | 2 | more | TAG), Some(2));
    port.pulse("window");
    assert_eq!((port.state(), port.get("wake")), ([0, 1, 1, 2], 0));
    port
}

#[test]
fn the_message_memory_opens_again_in_the_answer_slot_if_it_was_asked_for() {
    let mut port = decided(REOPEN);
    port.pulse("answer_open");
    assert_eq!((port.state(), port.get("wake")), ([1, 1, 1, 2], 1));
    assert_eq!(port.write(FULL, 1), Some(2));
    // The engine may need the memory for a clock cycle.
    port.set("records", 1);
    assert_eq!((port.state(), port.get("wake")), ([0, 1, 1, 2], 1));
    assert_eq!(port.write(FULL, 1), None);
    port.set("records", 0);
    assert!(port.finish().is_some());
    // The memory stays closed in the next phase, which is not decided.
    port.pulse("begin");
    port.pulse("window");
    port.pulse("answer_open");
    assert_eq!((port.state(), port.get("wake")), ([0, 0, 0, 2], 1));

    let mut port = decided(0);
    port.pulse("answer_open");
    assert_eq!((port.state(), port.get("wake")), ([0, 1, 1, 2], 0));
    assert_eq!(port.write(FULL, 1), None);
}

#[test]
fn a_second_decision_closes_the_message_memory() {
    let mut port = decided(REOPEN);
    port.pulse("answer_open");
    // A decision for another phase is ignored.
    assert_eq!(port.write(DECIDE, TAG + (1 << 24)), Some(2));
    assert_eq!(port.state(), [1, 1, 1, 2]);
    assert_eq!(port.write(DECIDE, TAG), Some(2));
    assert_eq!((port.state(), port.get("wake")), ([0, 1, 1, 2], 0));
    assert_eq!(port.write(FULL, 1), None);
}

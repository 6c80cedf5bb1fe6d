//! The rules of the node's registers (`firmware/include/node_port.h`), clock cycle
//! by clock cycle.

use hdl::lower::{kernel, lower, Circuit};
use phasecube::engine::{Engine, EvaluatorEngine};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::rtl::tdma::{NodePort, ServiceState, PHASE_BITS, SLOT_BITS};
use rust_hdl::prelude::*;

/// The registers of a node and what they command.
#[derive(LogicBlock, Circuit)]
struct Registers {
    pub clock: Signal<In, Clock>,
    pub request: Signal<In, Bit>,
    pub offset: Signal<In, Bits<7>>,
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<32>>,
    pub begin: Signal<In, Bit>,
    pub window: Signal<In, Bit>,
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    pub ready: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub decided: Signal<Out, Bit>,
    pub send: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    port: NodePort<3, 3, 3>,
    state: ServiceState<4>,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            clock: Signal::default(),
            request: Signal::default(),
            offset: Signal::default(),
            write: Signal::default(),
            write_data: Signal::default(),
            begin: Signal::default(),
            window: Signal::default(),
            phase: Signal::default(),
            ready: Signal::default(),
            open: Signal::default(),
            decided: Signal::default(),
            send: Signal::default(),
            slot: Signal::default(),
            port: NodePort::new(PhaseTiming::raw(8, 6).plan()),
            state: ServiceState::new(3),
        }
    }
}

impl Logic for Registers {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, port, state);
        self.port.turn.next = true;
        self.port.request.next = self.request.val();
        self.port.offset.next = self.offset.val();
        self.port.write.next = self.write.val();
        self.port.write_data.next = self.write_data.val();
        self.port.begin.next = self.begin.val();
        self.port.phase.next = self.phase.val();
        self.port.open.next = self.state.open.val();
        self.port.decided.next = self.state.decided.val();
        self.port.dim.next = 2.into();
        self.port.select.next = 4.into();
        self.port.transmit.next = true;
        self.port.pending.next = false;
        self.port.down.next = false;
        self.port.sent.next = 0.into();
        self.port.superframe.next = 0.into();
        self.port.slips.next = 0.into();
        self.port.address.next = 0.into();
        self.port.full.next = 0.into();
        self.port.injected.next = false;
        self.port.host_valid.next = false;
        self.port.host_room.next = true;
        self.port.host_crowded.next = false;
        self.port.accessed.next = false;
        self.state.reset.next = false;
        self.state.begin.next = self.begin.val();
        self.state.window.next = self.window.val();
        self.state.serve.next = true;
        self.state.decide.next = self.port.decide.val();
        self.state.sends.next = self.port.sends.val();
        self.state.choose.next = self.port.choose.val();
        self.state.register.next = self.port.register.val();
        self.state.position.next = self.port.position.val();
        self.state.advance.next = false;
        self.ready.next = self.port.ready.val();
        self.open.next = self.state.open.val();
        self.decided.next = self.state.decided.val();
        self.send.next = self.state.send.val();
        self.slot.next = self.state.slot.val();
    }
}

const FULL: u64 = 0x58;
const DECIDE: u64 = 0x54;
const PHASE: u64 = 4;
const TAG: u64 = PHASE << 24;
const SEND: u64 = 1 << 5;

struct Port(EvaluatorEngine);

impl Port {
    fn new() -> Self {
        let design = lower(&Registers::default()).unwrap();
        let mut port = Port(EvaluatorEngine::new(&design).unwrap());
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

    /// Writes a register; the clock cycles until it is done, `None` after 20.
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

    /// Open, decided, send, slot.
    fn state(&mut self) -> [u64; 4] {
        ["open", "decided", "send", "slot"].map(|name| self.get(name))
    }
}

#[test]
fn a_phase_is_decided_once_and_by_its_own_decision() {
    let mut port = Port::new();
    assert_eq!(port.state(), [0, 1, 0, 0]);
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 0, 0]);
    // Of another phase: void.
    assert_eq!(port.write(DECIDE, SEND | 2 | (TAG + (1 << 24))), Some(2));
    assert_eq!(port.state(), [1, 0, 0, 0]);
    assert_eq!(port.write(DECIDE, SEND | 2 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 1, 2]);
    // A second one: void.
    assert_eq!(port.write(DECIDE, 1 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 1, 2]);
    // The next phase sends nothing by itself.
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 0, 2]);
}

#[test]
fn the_message_memory_closes_with_the_window_and_accesses_wait() {
    let mut port = Port::new();
    port.pulse("begin");
    assert_eq!(port.write(FULL, 1), Some(2));
    port.pulse("window");
    // Not decided, so the core stays awake; but the memory is the engine's.
    assert_eq!(port.state(), [0, 0, 0, 0]);
    assert_eq!(port.write(FULL, 1), None);
    port.pulse("begin");
    assert!(port.finish().is_some());
}

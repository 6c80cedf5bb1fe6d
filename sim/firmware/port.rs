//! The rules of the node's registers (`firmware/include/node_port.h`), clock cycle
//! by clock cycle.

use phasecube::engine::{Engine, EvaluatorEngine};
use phasecube::lower::lower;
use phasecube::rtl::tdma::NodePort;

const FULL: u64 = 0x58;
const DECIDE: u64 = 0x54;
const PHASE: u64 = 4;
const TAG: u64 = PHASE << 24;
const SEND: u64 = 1 << 4;

struct Port(EvaluatorEngine);

impl Port {
    fn new() -> Self {
        let design = lower(&NodePort::<3, 4>::new(6)).unwrap();
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

    /// Open, decided, wake, send, slot.
    fn state(&mut self) -> [u64; 5] {
        ["open", "decided", "wake", "send", "slot"].map(|name| self.get(name))
    }
}

#[test]
fn a_phase_is_decided_once_and_by_its_own_decision() {
    let mut port = Port::new();
    assert_eq!(port.state(), [0, 1, 0, 0, 0]);
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 1, 0, 0]);
    // Of another phase: void.
    assert_eq!(port.write(DECIDE, SEND | 2 | (TAG + (1 << 24))), Some(2));
    assert_eq!(port.state(), [1, 0, 1, 0, 0]);
    assert_eq!(port.write(DECIDE, SEND | 2 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 0, 1, 2]);
    // A second one: void.
    assert_eq!(port.write(DECIDE, 1 | TAG), Some(2));
    assert_eq!(port.state(), [0, 1, 0, 1, 2]);
    // The next phase sends nothing by itself.
    port.pulse("begin");
    assert_eq!(port.state(), [1, 0, 1, 0, 2]);
}

#[test]
fn the_message_memory_closes_with_the_window_and_accesses_wait() {
    let mut port = Port::new();
    port.pulse("begin");
    assert_eq!(port.write(FULL, 1), Some(2));
    port.pulse("window");
    // Not decided, so the core stays awake; but the memory is the engine's.
    assert_eq!(port.state(), [0, 0, 1, 0, 0]);
    assert_eq!(port.write(FULL, 1), None);
    port.pulse("begin");
    assert!(port.finish().is_some());
}

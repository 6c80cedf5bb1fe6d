//! A master of the bus of [`Cm1Board`](phasecube::rtl::cm1::Cm1Board). It makes one access at a
//! time, as the core does.

use phasecube::engine::{CircuitEngine, PortId};
use std::ops::DerefMut;

pub const STATUS: u64 = 0x40;

/// The bus master. `E` is an engine, borrowed or boxed.
pub struct Cm1BusMaster<E> {
    engine: E,
    node: PortId,
    request: PortId,
    offset: PortId,
    write: PortId,
    write_data: PortId,
    ready: PortId,
    read_data: PortId,
    /// Clock cycles so far.
    pub clocks: u64,
}

impl<E: DerefMut<Target: CircuitEngine>> Cm1BusMaster<E> {
    pub fn new(engine: E) -> Self {
        Cm1BusMaster {
            node: engine.port("node"),
            request: engine.port("request"),
            offset: engine.port("offset"),
            write: engine.port("write"),
            write_data: engine.port("write_data"),
            ready: engine.port("ready"),
            read_data: engine.port("read_data"),
            engine,
            clocks: 0,
        }
    }

    pub fn read(&mut self, node: usize, offset: u64) -> u64 {
        self.access(node, offset, None)
    }

    pub fn write(&mut self, node: usize, offset: u64, value: u64) {
        self.access(node, offset, Some(value));
    }

    pub fn idle(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.engine.settle().unwrap();
            self.clock();
        }
    }

    fn access(&mut self, node: usize, offset: u64, written: Option<u64>) -> u64 {
        for (port, value) in [
            (self.request, 1),
            (self.node, node as u64),
            (self.offset, offset),
            (self.write, written.is_some().into()),
            (self.write_data, written.unwrap_or(0)),
        ] {
            self.engine.set_u64(port, value);
        }
        for _ in 0..200 {
            self.engine.settle().unwrap();
            let ready = self.engine.get_u64(self.ready) == 1;
            let value = self.engine.get_u64(self.read_data);
            if ready {
                self.clock();
                self.engine.set_u64(self.request, 0);
                return value;
            }
            self.clock();
        }
        panic!("node {node}: no answer at {offset:#x} in 200 clock cycles");
    }

    fn clock(&mut self) {
        self.engine.clock().unwrap();
        self.clocks += 1;
    }
}

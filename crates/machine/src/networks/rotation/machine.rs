//! Cube of rotation switches as a `Machine`.

use super::{RotationCircuit, RotationShape};
use crate::flags::FlagChoice;
use crate::format_count::format_count;
use crate::networks::bytes::{silicon, timebase, ByteDriver};
use crate::networks::Machine;
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts,
};
use engine::{NodeEngine, WordStream};
use hdl::lower::{lower, LowerErrors};
use interconnect::topology::Topology;
use interconnect::traffic::to_node_messages;
use std::sync::Arc;

/// Machine with one switch for each processor, or for several processors.
pub struct RotationMachine {
    circuit: RotationCircuit,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
}

impl RotationMachine {
    /// Creates the machine for messages with `payload` bytes. With several processors to a node a
    /// message has one more byte.
    pub fn new(shape: RotationShape, proc_bits: u32, payload: usize) -> Self {
        RotationMachine {
            circuit: RotationCircuit::new(shape),
            proc_bits,
            payload: payload + usize::from(proc_bits > 0),
        }
    }

    fn shape(&self) -> &RotationShape {
        self.circuit.shape()
    }
}

impl Machine for RotationMachine {
    fn label(&self) -> &'static str {
        "rotation"
    }

    fn headline(&self) -> String {
        let plan = self.shape().plan();
        let cube = self.shape().cube();
        let failed = self.shape().failed();
        let failed = failed.map(|node| format!(", switch {} failed", cube.hex(node)));
        format!(
            "{}, rule {}, {}, queues of {}{}",
            cube.name(),
            plan.rule.name(),
            format_count(plan.channels, "virtual channel"),
            plan.queue,
            failed.unwrap_or_default()
        )
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let plan = self.shape().plan();
        vec![
            JsonEntry::new("dims", plan.dims),
            JsonEntry::new("rule", plan.rule.name()),
            JsonEntry::new("vcs", plan.channels),
            JsonEntry::new("queue", plan.queue),
            JsonEntry::new("first_hop", plan.first.name()),
            JsonEntry::new("dead", self.shape().failed()),
        ]
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        timebase(self.shape().packet(self.payload))
    }

    /// Counts one channel for each dimension. A channel has a byte, and a request and an
    /// acknowledge for each virtual channel that occurs.
    fn wire_counts(&self) -> WireCounts {
        let shape = self.shape();
        let wires = (8 * shape.plan().dims + 2 * shape.crossbar().lanes().len()) as u32;
        WireCounts {
            per_node: wires.into(),
            pins: 2 * wires,
        }
    }

    fn subject(&self) -> WaveSubject {
        let cube = Arc::new(*self.shape().cube());
        WaveSubject::without_links(cube, "clock cycle", "start", 1)
    }

    fn buffer_name(&self, place: u32) -> String {
        match self.shape().crossbar().lanes().get(place as usize) {
            Some(lane) => format!("dim {} vc {}", lane.dim, lane.vc),
            None => "processor".to_owned(),
        }
    }

    /// Returns the number of packet times that contain enough clock cycles.
    fn deadlock_after(&self) -> Option<u64> {
        Some(
            self.shape()
                .quiescent_after()
                .div_ceil(self.timebase().period),
        )
    }

    /// Returns the bytes that processors receive.
    fn stream(&self) -> Option<WordStream> {
        Some(WordStream {
            valid: "receive_request".into(),
            toggles: true,
            data: "receive_data".into(),
            last: None,
        })
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        let load = Load {
            messages: to_node_messages(&load.messages, self.proc_bits),
            ..load
        };
        let period = self.timebase().period;
        let shape = Arc::new(*self.shape());
        let driver = ByteDriver::new(engine, shape, period, &load);
        Ok(Box::new(driver))
    }

    /// Returns the node of the machine, with its processors.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        let name = format!("RotationSwitch<{}>", self.shape().plan().dims);
        let topology = self.circuit.topology();
        silicon(
            topology,
            &name,
            || lower(&*self.circuit.node()),
            1 << self.proc_bits,
        )
    }
}

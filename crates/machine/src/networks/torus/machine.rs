//! Torus of routing chips as a `Machine`.

use super::channels::PacketDecoder;
use super::{TorusCircuit, TorusShape};
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
use rtl::torus::Tail;
use std::sync::Arc;

/// Machine with one node of chips for each processor, or for several processors.
pub struct TorusNetworkMachine {
    circuit: TorusCircuit,
    /// Log2 of the processors of a node.
    proc_bits: u32,
    /// Payload in bytes of the longest message between nodes.
    payload: usize,
}

impl TorusNetworkMachine {
    /// Creates the machine for messages with `payload` bytes. With several processors to a node a
    /// message has one more byte, before its payload, that selects the processor.
    pub fn new(shape: TorusShape, proc_bits: u32, payload: usize) -> Self {
        TorusNetworkMachine {
            circuit: TorusCircuit::new(shape),
            proc_bits,
            payload: payload + usize::from(proc_bits > 0),
        }
    }

    fn shape(&self) -> &TorusShape {
        self.circuit.shape()
    }
}

impl Machine for TorusNetworkMachine {
    fn label(&self) -> &'static str {
        "torus"
    }

    fn headline(&self) -> String {
        let (shape, plan) = (self.shape(), self.shape().plan());
        format!(
            "{}, {}, queues of {}, tail {}",
            shape.torus().name(),
            format_count(plan.channels, "virtual channel"),
            plan.queue,
            plan.tail.name()
        )
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let (shape, plan) = (self.shape(), self.shape().plan());
        vec![
            JsonEntry::new("radix", shape.torus().radices()),
            JsonEntry::new("vcs", plan.channels),
            JsonEntry::new("switch", shape.routing().switch.name()),
            JsonEntry::new("tail", plan.tail.name()),
            JsonEntry::new("queue", plan.queue),
        ]
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        timebase(self.shape().packet(self.payload))
    }

    /// Counts one channel for each dimension. A channel has a byte, and a request and an
    /// acknowledge for each virtual channel.
    fn wire_counts(&self) -> WireCounts {
        let plan = self.shape().plan();
        let channel = plan.tail.data_wires() + 2 * plan.channels;
        let wires = (plan.dims * channel) as u32;
        WireCounts {
            per_node: wires.into(),
            pins: 2 * wires,
        }
    }

    fn subject(&self) -> WaveSubject {
        let torus = Arc::new(self.shape().torus().clone());
        WaveSubject {
            links: Some(Arc::new(PacketDecoder::new(self.shape()))),
            ..WaveSubject::without_links(torus, "clock cycle", "start", 1)
        }
    }

    fn buffer_name(&self, place: u32) -> String {
        let plan = self.shape().plan();
        let (dim, vc) = (place / plan.channels as u32, place % plan.channels as u32);
        match (place as usize) < plan.dims * plan.channels {
            true => format!("dim {dim} vc {vc}"),
            false => "processor".to_owned(),
        }
    }

    /// The chip as printed corrupts packets.
    fn may_lose(&self) -> bool {
        self.shape().plan().tail == Tail::Naive
    }

    /// Returns the number of packet times that contain enough clock cycles.
    fn deadlock_after(&self) -> Option<u64> {
        Some(ByteDriver::QUIESCENT_AFTER.div_ceil(self.timebase().period))
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
        let shape = Arc::new(self.shape().clone());
        let driver = ByteDriver::new(engine, shape, period, &load);
        Ok(Box::new(driver))
    }

    /// Returns the node of the machine, with its processors.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        let name = format!("TorusNode<{}>", self.shape().plan().dims);
        let topology = self.circuit.topology();
        silicon(
            topology,
            &name,
            || lower(&*self.circuit.node()),
            1 << self.proc_bits,
        )
    }
}

//! The hosts of a cube as a person sees them: what they bring to their nodes, and
//! what the programs there tell them. Nothing is routed or checked here.

use crate::engine::{Engine, EngineError, PortId};
use crate::machine::PhaseTiming;
use crate::topology::Hypercube;
use std::collections::VecDeque;

/// A message that a program gave to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The phase, counted from the start.
    pub t: u64,
    pub node: u32,
    pub bytes: Vec<u8>,
}

/// Runs a cube of programs for so many phases. Host `i` brings the messages
/// `brings[i]`, one after the other, as the program takes them.
///
/// # Errors
/// If the circuit does not settle.
pub fn run_console(
    engine: &mut dyn Engine,
    cube: Hypercube,
    timing: PhaseTiming,
    brings: &[Vec<Vec<u8>>],
    phases: u64,
) -> Result<Vec<Told>, EngineError> {
    let mut hosts: Vec<Host> = cube
        .addresses()
        .map(|node| Host::new(engine, node, brings.get(node as usize)))
        .collect();
    for link in 0..cube.link_count() {
        let keep = engine.port(&format!("keep[{link}]"));
        engine.set_u64(keep, 1);
    }
    let (enable, divider) = (engine.port("enable"), engine.port("divider"));
    engine.set_u64(divider, timing.divider());
    engine.set_u64(enable, 1);
    let phase_clock = engine.port("phase_clock");
    let (mut begun, mut was_high) = (0u64, false);
    let mut told = vec![];
    loop {
        engine.settle()?;
        let high = engine.get_u64(phase_clock) == 1;
        begun += u64::from(high && !was_high);
        was_high = high;
        if begun > phases {
            return Ok(told);
        }
        for (node, host) in cube.addresses().zip(&mut hosts) {
            if let Some(bytes) = host.exchange(engine) {
                let t = begun.saturating_sub(1);
                told.push(Told { t, node, bytes });
            }
        }
        engine.clock()?;
    }
}

/// The host of one node.
struct Host {
    /// Messages to be brought, each with its length before it.
    queue: VecDeque<Vec<u8>>,
    coming: Vec<u8>,
    valid: PortId,
    data: PortId,
    index: PortId,
    taken: PortId,
    out_valid: PortId,
    out_data: PortId,
    out_last: PortId,
}

impl Host {
    fn new(engine: &mut dyn Engine, node: u32, brings: Option<&Vec<Vec<u8>>>) -> Self {
        let port = |name: &str| engine.port(&format!("{name}[{node}]"));
        let with_length = |bytes: &Vec<u8>| [&[bytes.len() as u8], &bytes[..]].concat();
        let host = Host {
            queue: brings.into_iter().flatten().map(with_length).collect(),
            coming: vec![],
            valid: port("host_valid"),
            data: port("host_data"),
            index: port("host_index"),
            taken: port("host_taken"),
            out_valid: port("out_valid"),
            out_data: port("out_data"),
            out_last: port("out_last"),
        };
        engine.set_u64(host.valid, u64::from(!host.queue.is_empty()));
        host
    }

    /// One clock cycle at the node's port; a message that has come in it.
    fn exchange(&mut self, engine: &mut dyn Engine) -> Option<Vec<u8>> {
        if let Some(message) = self.queue.front() {
            let index = engine.get_u64(self.index) as usize;
            let byte = message.get(index).copied().unwrap_or(0);
            engine.set_u64(self.data, byte.into());
            if engine.get_u64(self.taken) == 1 {
                self.queue.pop_front();
                engine.set_u64(self.valid, u64::from(!self.queue.is_empty()));
            }
        }
        if engine.get_u64(self.out_valid) == 0 {
            return None;
        }
        self.coming.push(engine.get_u64(self.out_data) as u8);
        let whole = engine.get_u64(self.out_last) == 1;
        // Without the length.
        whole.then(|| self.coming.drain(..).skip(1).collect())
    }
}

//! The hosts of a cube as a person sees them: what they bring to their nodes, and
//! what the programs there tell them. Nothing is routed or checked here.

use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::networks::tdma::PhaseTiming;
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
    engine: &mut dyn NodeEngine,
    cube: Hypercube,
    timing: PhaseTiming,
    brings: &[Vec<Vec<u8>>],
    phases: u64,
) -> Result<Vec<Told>, EngineError> {
    let pins = Pins::new(engine);
    let keep = engine.port("keep");
    let mut hosts = vec![];
    for node in 0..engine.nodes() {
        engine.set(keep, node, cube.all_dims());
        let host = Host::new(brings.get(node));
        engine.set(pins.valid, node, u64::from(!host.queue.is_empty()));
        hosts.push(host);
    }
    let (enable, divider) = (engine.shared_port("enable"), engine.shared_port("divider"));
    engine.set_shared(divider, timing.divider());
    engine.set_shared(enable, 1);
    let phase_clock = engine.shared_port("phase_clock");
    let (mut begun, mut was_high) = (0u64, false);
    let mut told = vec![];
    loop {
        engine.settle()?;
        let high = engine.get_shared(phase_clock) == 1;
        begun += u64::from(high && !was_high);
        was_high = high;
        if begun > phases {
            return Ok(told);
        }
        for (node, host) in hosts.iter_mut().enumerate() {
            if let Some(bytes) = host.exchange(engine, &pins, node) {
                let t = begun.saturating_sub(1);
                let node = node as u32;
                told.push(Told { t, node, bytes });
            }
        }
        engine.clock()?;
    }
}

struct Pins {
    valid: NodePort,
    data: NodePort,
    index: NodePort,
    taken: NodePort,
    out_valid: NodePort,
    out_data: NodePort,
    out_last: NodePort,
}

impl Pins {
    fn new(engine: &mut dyn NodeEngine) -> Self {
        Pins {
            valid: engine.port("host_valid"),
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
        }
    }
}

/// The host of one node.
struct Host {
    /// Messages to be brought, each with its length before it.
    queue: VecDeque<Vec<u8>>,
    /// The last byte shown, which is set only when it changes.
    shown: u8,
    coming: Vec<u8>,
}

impl Host {
    fn new(brings: Option<&Vec<Vec<u8>>>) -> Self {
        let with_length = |bytes: &Vec<u8>| [&[bytes.len() as u8], &bytes[..]].concat();
        Host {
            queue: brings.into_iter().flatten().map(with_length).collect(),
            shown: 0,
            coming: vec![],
        }
    }

    /// One clock cycle at the node's port; a message that has come in it.
    fn exchange(
        &mut self,
        engine: &mut dyn NodeEngine,
        pins: &Pins,
        node: usize,
    ) -> Option<Vec<u8>> {
        if let Some(message) = self.queue.front() {
            let index = engine.get(pins.index, node) as usize;
            let byte = message.get(index).copied().unwrap_or(0);
            if byte != self.shown {
                self.shown = byte;
                engine.set(pins.data, node, byte.into());
            }
            if engine.get(pins.taken, node) == 1 {
                self.queue.pop_front();
                engine.set(pins.valid, node, u64::from(!self.queue.is_empty()));
            }
        }
        if engine.get(pins.out_valid, node) == 0 {
            return None;
        }
        self.coming.push(engine.get(pins.out_data, node) as u8);
        let whole = engine.get(pins.out_last, node) == 1;
        // Without the length.
        whole.then(|| self.coming.drain(..).skip(1).collect())
    }
}

//! Trims a circuit to the part that would be on a chip, before synthesis.

use lockstep::design::{CellKind, Design, DesignModule, SignalId, SignalKind};

/// Changes of a circuit before synthesis. Names refer to the top module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trim<'a> {
    /// Outputs for the simulation only, which are left open.
    pub open: &'a [&'a str],
    /// Inputs for the simulation only, which are set low.
    pub low: &'a [&'a str],
    /// Blocks and memories that are removed. Their pins become ports.
    pub without: &'a [&'a str],
}

impl Trim<'_> {
    /// Applies the changes.
    ///
    /// # Panics
    /// If the design lacks an item of such a name.
    pub fn apply(&self, mut design: Design) -> Design {
        let top = design.top.index();
        let module = &mut design.modules[top];
        for name in self.open {
            *port(module, name) = SignalKind::Local;
        }
        for name in self.low {
            *port(module, name) = SignalKind::Constant(0u8.into());
        }
        for name in self.without {
            for pin in remove_block(module, name) {
                let kind = &mut module.signals[pin.index()].kind;
                *kind = match kind {
                    SignalKind::PinIn => SignalKind::Output,
                    _ => SignalKind::Input,
                };
            }
        }
        design
    }
}

fn port<'m>(module: &'m mut DesignModule, name: &str) -> &'m mut SignalKind {
    let (id, _) = module.port(name).expect("the circuit has this port");
    &mut module.signals[id.index()].kind
}

/// Removes the block or memory of this name and returns its pins.
fn remove_block(module: &mut DesignModule, name: &str) -> Vec<SignalId> {
    if let Some(at) = module.instances.iter().position(|i| i.name == name) {
        return module.instances.remove(at).pins;
    }
    let at = module.cells.iter().position(|c| c.name == name);
    match module
        .cells
        .remove(at.expect("the circuit has this part"))
        .kind
    {
        CellKind::Register { d, q, .. } => vec![d, q],
        CellKind::Memory {
            read_address,
            read_data,
            write,
            ..
        } => {
            let write = write.map(|port| [port.address, port.data, port.enable]);
            let write = write.into_iter().flatten();
            [read_address, read_data].into_iter().chain(write).collect()
        }
    }
}

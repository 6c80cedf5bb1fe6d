//! Adds a clock enable to a circuit, for models of machines with several clocks.

use super::builder::Builder;
use super::*;

impl Design {
    /// Returns the same circuit with a one-bit clock enable input of this name. In a clock cycle in
    /// which it is low, no register and no memory of the circuit changes.
    ///
    /// All cells of a design share one clock. To model circuits with their own clocks, use the
    /// fastest clock for the design and hold the others with this input.
    ///
    /// # Panics
    /// If the circuit has no state, or if a module with state has a signal of this name.
    #[must_use]
    pub fn with_clock_enable(&self, name: &str) -> Design {
        assert!(self.top().clock.is_some(), "a circuit without state");
        let mut modules: Vec<DesignModule> = vec![];
        for module in &self.modules {
            modules.push(match module.clock {
                Some(_) => add_clock_enable(module.clone(), name, &self.modules),
                None => module.clone(),
            });
        }
        Design { modules, ..*self }
    }
}

/// Adds the input to a module and to its instances. `children` are the original modules.
fn add_clock_enable(
    mut module: DesignModule,
    name: &str,
    children: &[DesignModule],
) -> DesignModule {
    let taken = module.signals.iter().any(|signal| signal.name == name);
    assert!(!taken, "`{}` has a signal `{name}`", module.name);
    let body = std::mem::take(&mut module.body);
    let (cells, mut instances) = (module.cells.clone(), module.instances.clone());
    let mut m = Builder::resume(module);
    let enable = m.input(name, Type::BIT, "The clock edge counts.");
    let held_off = cells.iter().any(reads_at_edge).then(|| {
        let held = m.register("held", Type::BIT, 0u8, "The last clock edge did not count.");
        let on = m.read(enable);
        let off = m.not(on);
        m.assign(held.d, off);
        held.q
    });
    for (position, cell) in cells.iter().enumerate() {
        match (&cell.kind, held_off) {
            (CellKind::Memory { read_data, .. }, Some(held)) if reads_at_edge(cell) => {
                hold_read_data(&mut m, position, &cell.name, *read_data, held);
            }
            _ => {}
        }
    }
    m.append(body);
    let on = m.read(enable);
    let off = m.not(on);
    m.if_(off, |m| {
        for cell in &cells {
            match &cell.kind {
                CellKind::Register { d, q, .. } => m.connect(*d, *q),
                // The edge does not count, so an assertion is met and a goal is not.
                CellKind::Check { holds, goal } => {
                    let met = m.constant(u8::from(*goal == CheckGoal::Assert), 1);
                    m.assign(*holds, met);
                }
                CellKind::Print { enable, .. } => {
                    let no = m.constant(0u8, 1);
                    m.assign(*enable, no);
                }
                CellKind::Memory { write, .. } => {
                    if let Some(write) = write {
                        let no = m.constant(0u8, 1);
                        m.assign(write.enable, no);
                    }
                }
            }
        }
    });
    for instance in &mut instances {
        if children[instance.module.index()].clock.is_some() {
            let pin = m.pin(&instance.name, name, Type::BIT);
            m.connect(pin, enable);
            instance.pins.push(pin);
        }
    }
    let mut module = m.finish();
    module.instances = instances;
    module
}

fn reads_at_edge(cell: &StateCell) -> bool {
    matches!(cell.kind, CellKind::Memory { asynchronous, .. } if !asynchronous)
}

/// Keeps the read data of a memory after a disabled clock edge. The memory itself reads in every
/// clock cycle.
fn hold_read_data(
    m: &mut Builder,
    position: usize,
    cell: &str,
    read_data: SignalId,
    held: SignalId,
) {
    let raw = m.replace_read_data_pin(position, cell, read_data);
    let ty = m.module().signal(read_data).ty.clone();
    let kept = m.register(&format!("{cell}.kept"), ty, 0u8, "The word read last.");
    let (now, before) = (m.read(raw), m.read(kept.q));
    let held = m.read(held);
    let word = m.mux(held, before, now);
    m.assign(read_data, word);
    m.connect(kept.d, read_data);
}

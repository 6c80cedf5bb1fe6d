//! Checks signals, cells and instances.

use super::super::check;
use super::{Checker, DesignFault, MAX_ADDRESS_WIDTH};
use crate::design::{
    CellKind, DesignModule, DesignSignal, ExprOp, Instance, PrintPart, SignalId, SignalKind,
    StateCell, Stmt, Type,
};
use num_bigint::BigUint;
use std::collections::HashSet;

impl Checker<'_> {
    /// Checks that every id refers to an existing item. The later checks would panic otherwise.
    pub(super) fn ids_exist(&mut self) -> bool {
        let module = self.module;
        let signal_exists = |id: SignalId| id.index() < module.signals.len();
        let mut wrong = vec![];
        for cell in &module.cells {
            if !pins_of_cell(&cell.kind).iter().all(|(id, _)| signal_exists(*id)) {
                wrong.push(format!("the cell {} has a pin that is not a signal", cell.name));
            }
        }
        for instance in &module.instances {
            if !instance.pins.iter().all(|&id| signal_exists(id)) {
                wrong
                    .push(format!("the instance {} has a pin that is not a signal", instance.name));
            }
            if instance.module.index() >= self.index {
                wrong.push(format!(
                    "the instance {} is of module number {}, this is number {}; \
                     children must stand before their parents",
                    instance.name, instance.module.0, self.index
                ));
            }
        }
        for (i, expr) in module.exprs.iter().enumerate() {
            let reads_nothing = matches!(expr.op, ExprOp::Read(id) if !signal_exists(id));
            if reads_nothing || expr.op.operands().iter().any(|id| id.index() >= i) {
                wrong.push(format!(
                    "expression {i} reads a signal that doesn't exist or an expression that \
                     doesn't stand before it: {:?}",
                    expr.op
                ));
            }
        }
        for stmt in check::stmts(&module.body) {
            let target_exists =
                !matches!(stmt, Stmt::Assign { target, .. } if !signal_exists(*target));
            if !target_exists || check::expr(stmt).index() >= module.exprs.len() {
                wrong.push("a statement has a signal or an expression that doesn't exist".into());
            }
        }
        let fine = wrong.is_empty();
        for what in wrong {
            self.fault(None, None, what);
        }
        fine
    }

    pub(super) fn parts(&mut self) {
        self.names();
        for signal in &self.module.signals {
            self.signal(signal);
        }
        for cell in &self.module.cells {
            self.cell(cell);
        }
        for instance in &self.module.instances {
            self.instance(instance);
        }
        self.pins();
        self.clock();
    }

    fn names(&mut self) {
        let module = self.module;
        let signals = module.signals.iter().map(|s| &s.name);
        let cells = module.cells.iter().map(|c| &c.name);
        let instances = module.instances.iter().map(|i| &i.name);
        for (kind, duplicates) in [
            ("signals", duplicates(signals.chain(&module.clock))),
            ("cells or instances", duplicates(cells.chain(instances))),
        ] {
            for name in duplicates {
                self.faults.push(DesignFault {
                    module: module.name.clone(),
                    signal: Some(name.to_string()),
                    origin: None,
                    what: format!("is the name of two {kind}; names must be unique"),
                });
            }
        }
    }

    fn signal(&mut self, signal: &DesignSignal) {
        if let Some(what) = fault_of_type(&signal.ty) {
            self.fault(Some(signal), None, what);
        }
        if let SignalKind::Constant(value) = &signal.kind {
            self.fits(signal, "the constant", value);
        }
    }

    /// Checks that a value fits its signal.
    fn fits(&mut self, signal: &DesignSignal, what: &str, value: &BigUint) {
        if value.bits() > signal.width().into() {
            let width = signal.width();
            self.fault(Some(signal), None, format!("{what} {value} doesn't fit into {width} bits"));
        }
    }

    fn cell(&mut self, cell: &StateCell) {
        let module = self.module;
        for (pin, kind) in pins_of_cell(&cell.kind) {
            self.kind(module.signal(pin), &kind, &format!("of the cell {}", cell.name));
        }
        match &cell.kind {
            CellKind::Check { holds, .. } => {
                self.one_bit(*holds, &format!("the bit of the check {}", cell.name));
            }
            CellKind::Print { enable, words, text } => {
                self.one_bit(*enable, &format!("the enable of the print {}", cell.name));
                for part in text {
                    if let Some(what) = fault_of_print(part, words.len()) {
                        let what = format!("the text of the print {} {what}", cell.name);
                        self.fault(None, None, what);
                    }
                }
            }
            CellKind::Register { d, q, init } => {
                self.same_width(*d, *q, cell);
                self.fits(module.signal(*q), "the initial value", init);
            }
            CellKind::Memory { read_address, read_data, write, init, .. } => {
                self.words(*read_address, *read_data, init, cell);
                if let Some(write) = write {
                    self.same_width(write.address, *read_address, cell);
                    self.same_width(write.data, *read_data, cell);
                    self.one_bit(write.enable, &format!("the write enable of {}", cell.name));
                }
            }
        }
    }

    /// Checks the number of words of a memory, and the initial words.
    fn words(&mut self, address: SignalId, data: SignalId, init: &[BigUint], cell: &StateCell) {
        let (address, data) = (self.module.signal(address), self.module.signal(data));
        if address.width() > MAX_ADDRESS_WIDTH {
            let what = format!(
                "the address of the memory {} has {} bits; at most {MAX_ADDRESS_WIDTH} are possible",
                cell.name,
                address.width()
            );
            self.fault(Some(address), None, what);
        } else if init.len() > 1 << address.width() {
            let what = format!(
                "the memory {} has {} words and is initialised with {}",
                cell.name,
                1u32 << address.width(),
                init.len()
            );
            self.fault(Some(address), None, what);
        }
        for word in init {
            self.fits(data, "the initial word", word);
        }
    }

    /// Checks that a signal has one bit. `role` describes the signal.
    fn one_bit(&mut self, signal: SignalId, role: &str) {
        let signal = self.module.signal(signal);
        if signal.width() != 1 {
            let what = format!("has {} bits; {role} must have one", signal.width());
            self.fault(Some(signal), None, what);
        }
    }

    fn same_width(&mut self, a: SignalId, b: SignalId, cell: &StateCell) {
        let (a, b) = (self.module.signal(a), self.module.signal(b));
        if a.width() != b.width() {
            let what = format!(
                "has {} bits and {} of the same cell {} has {}; they must be equally wide",
                a.width(),
                b.name,
                cell.name,
                b.width()
            );
            self.fault(Some(a), None, what);
        }
    }

    fn kind(&mut self, pin: &DesignSignal, kind: &SignalKind, of: &str) {
        if pin.kind != *kind {
            let what = format!("is {:?} but the pin {of} must be {kind:?}", pin.kind);
            self.fault(Some(pin), None, what);
        }
    }

    fn instance(&mut self, instance: &Instance) {
        let (name, child) = (&instance.name, self.design.module(instance.module));
        let ports: Vec<&DesignSignal> = child.ports().map(|(_, port)| port).collect();
        if ports.len() != instance.pins.len() {
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            let what = format!(
                "the instance {name} has {} pins but its module {} has {} ports ({})",
                instance.pins.len(),
                child.name,
                ports.len(),
                names.join(", ")
            );
            return self.fault(None, None, what);
        }
        for (&pin, port) in instance.pins.iter().zip(ports) {
            let pin = self.module.signal(pin);
            let kind = match port.kind {
                SignalKind::Input => SignalKind::PinIn,
                _ => SignalKind::PinOut,
            };
            let of = format!("for {} of the instance {name}", port.name);
            self.kind(pin, &kind, &of);
            if pin.width() != port.width() {
                let what = format!(
                    "has {} bits but the port {} of the module {} of {name} has {}; they must \
                     be equally wide",
                    pin.width(),
                    port.name,
                    child.name,
                    port.width()
                );
                self.fault(Some(pin), None, what);
            }
        }
    }

    /// Checks that every pin belongs to a cell or instance. A pin that drives the body must belong
    /// to exactly one.
    fn pins(&mut self) {
        let module = self.module;
        let cells = module.cells.iter().flat_map(|c| pins_of_cell(&c.kind));
        let instances = module.instances.iter().flat_map(|i| &i.pins);
        let mut uses = vec![0; module.signals.len()];
        for id in cells.map(|(id, _)| id).chain(instances.copied()) {
            uses[id.index()] += 1;
        }
        for (signal, uses) in module.signals.iter().zip(uses) {
            let what = match (&signal.kind, uses) {
                (SignalKind::PinIn | SignalKind::PinOut, 0) => {
                    "is a pin of no cell and no instance; a signal of the module itself must be \
                     a Local"
                }
                (SignalKind::PinOut, 2..) => "is driven by more than one cell or instance",
                _ => continue,
            };
            self.fault(Some(signal), None, what.into());
        }
    }

    fn clock(&mut self) {
        let module = self.module;
        if module.clock.is_some() {
            return;
        }
        let clocked = |child: &DesignModule| child.clock.is_some();
        let instances = module.instances.iter();
        let what = match module.cells.first() {
            Some(cell) => Some(format!("the cell {}", cell.name)),
            None => instances
                .filter(|i| clocked(self.design.module(i.module)))
                .map(|i| format!("the instance {}", i.name))
                .next(),
        };
        if let Some(what) = what {
            self.fault(None, None, format!("{what} needs a clock but the module has no clock pin"));
        }
    }
}

/// Returns the pins of a cell and their required kinds.
fn pins_of_cell(cell: &CellKind) -> Vec<(SignalId, SignalKind)> {
    use SignalKind::{PinIn, PinOut};
    match cell {
        CellKind::Check { holds, .. } => vec![(*holds, PinIn)],
        CellKind::Print { enable, words, .. } => {
            let pins = [enable].into_iter().chain(words);
            pins.map(|pin| (*pin, PinIn)).collect()
        }
        CellKind::Register { d, q, .. } => vec![(*d, PinIn), (*q, PinOut)],
        CellKind::Memory { read_address, read_data, write, .. } => {
            let mut pins = vec![(*read_address, PinIn), (*read_data, PinOut)];
            if let Some(write) = write {
                pins.extend([write.address, write.data, write.enable].map(|pin| (pin, PinIn)));
            }
            pins
        }
    }
}

/// Returns the fault of a part of a printed text, if any.
fn fault_of_print(part: &PrintPart, words: usize) -> Option<String> {
    let is_printable = |c: char| c.is_ascii_graphic() || [' ', '\t', '\n'].contains(&c);
    match part {
        PrintPart::Word { word, .. } if *word >= words => {
            Some(format!("has the word {word}; it has {words} words"))
        }
        PrintPart::Text(text) => {
            let other = text.chars().find(|c| !is_printable(*c))?;
            Some(format!(
                "has the character {other:?}; accepted: printable ASCII, tab and end of line"
            ))
        }
        PrintPart::Word { .. } => None,
    }
}

fn duplicates<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut known = HashSet::new();
    names.filter(|name| !known.insert(*name)).collect()
}

/// Returns the fault of a type, if any.
pub(super) fn fault_of_type(ty: &Type) -> Option<String> {
    match ty {
        Type::Struct(ty) => {
            let mut offset = 0;
            for field in &ty.fields {
                if field.offset != offset {
                    return Some(format!(
                        "the field {} of {} begins at bit {}; fields are packed without gaps, \
                         so it must begin at bit {offset}",
                        field.name, ty.name, field.offset
                    ));
                }
                if let Some(what) = fault_of_type(&field.ty) {
                    return Some(format!("the field {} of {}: {what}", field.name, ty.name));
                }
                offset += field.ty.width();
            }
        }
        Type::Enum(ty) => {
            let last = ty.variants.len().saturating_sub(1);
            if BigUint::from(last).bits() > ty.width.into() {
                return Some(format!(
                    "{} has {} variants, too many for {} bits",
                    ty.name,
                    ty.variants.len(),
                    ty.width
                ));
            }
        }
        Type::Bits(_) => {}
    }
    (ty.width() == 0).then(|| "has no bits; a word has at least one bit".into())
}

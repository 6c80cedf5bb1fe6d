//! Converts scopes to modules. Addresses become signals, and identical blocks become one module.

use super::body::{AddressTarget, BodyBuilder};
use super::record::{BlockRecord, CellRecord, KernelRecord};
use super::walk::{AtomInfo, BlockScope};
use super::{Description, LowerError};
use crate::rust_hdl::types::{is_clock, type_of};
use crate::rust_hdl::{AtomKind, SignalAddress};
use lockstep::design::{
    BinaryOp, Builder, CellKind, Design, DesignModule, DesignSignal, Instance, ModuleId, Param,
    SignalId, SignalKind, SourceLocation, StateCell, Type, WritePort,
};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
pub(super) struct DesignLowering {
    modules: Vec<DesignModule>,
    /// Description of the struct of each module.
    descriptions: Vec<Description>,
    /// Modules by the path of their struct.
    by_path: HashMap<&'static str, Vec<ModuleId>>,
    names: BTreeSet<String>,
    errors: Vec<LowerError>,
}

/// Module with the locations of its ports.
struct BuiltModule {
    module: ModuleId,
    clock: Option<String>,
}

impl DesignLowering {
    /// Creates a builder that starts with the errors of the walk.
    pub fn new(errors: Vec<LowerError>) -> Self {
        DesignLowering { errors, ..Default::default() }
    }

    /// Returns the design, and the description of the struct of each module.
    pub fn build(mut self, top: BlockScope) -> Result<(Design, Vec<Description>), Vec<LowerError>> {
        let built = match &top.record {
            Some(BlockRecord::Cell(_)) => {
                let message =
                    format!("{}: a cell alone is not a circuit; put it into a block", top.path);
                self.errors.push(LowerError::new(message));
                None
            }
            _ => self.scope(top, None),
        };
        match built {
            Some(built) if self.errors.is_empty() => {
                let design = Design { modules: self.modules, top: built.module };
                Ok((design, self.descriptions))
            }
            _ => Err(self.errors),
        }
    }

    fn error(
        &mut self,
        origin: Option<SourceLocation>,
        path: &str,
        message: impl std::fmt::Display,
    ) {
        let message = format!("{path}: {message}");
        self.errors.push(LowerError { origin, message });
    }

    /// Builds a scope. `field` is the location of the field that holds the block.
    fn scope(&mut self, scope: BlockScope, field: Option<SourceLocation>) -> Option<BuiltModule> {
        let path = scope.path.clone();
        let Some(BlockRecord::Kernel(kernel)) = scope.record else {
            self.error(
                field,
                &path,
                "this block has no #[kernel]: the lowering cannot know what it does; \
                 write its `update` as a #[kernel], or use a cell of hdl::cells for state",
            );
            return None;
        };
        let description = kernel.description.clone();
        let mut parts = ModuleParts::new(&description, path.clone());
        for atom in &scope.atoms {
            parts.block_atom(atom, self);
        }
        for child in scope.children {
            self.child(child, &mut parts);
        }
        let module = self.module(kernel, parts)?;
        let clock = module.clock.clone();
        Some(BuiltModule { module: self.intern(module, &description), clock })
    }

    fn child(&mut self, child: BlockScope, parts: &mut ModuleParts) {
        let name = child.name.clone();
        let inner = inner_addresses(&child);
        let before = self.errors.len();
        let place = parts.description.origin_of(&name);
        let doc = parts.description.field_doc(&name).to_string();
        let pins: Vec<(AtomKind, SignalId)> = child
            .atoms
            .iter()
            .filter_map(|atom| Some((atom.signal.kind, parts.pin(&name, atom, self)?)))
            .collect();
        for (address, what) in inner {
            let reason = format!(
                "`{what}` lies inside `{name}`; a kernel reaches only the ports of its own fields"
            );
            parts.targets.entry(address).or_insert(AddressTarget::OutOfReach(reason));
        }
        if let Some(BlockRecord::Cell(cell)) = &child.record {
            parts.clocked.push(format!("{name}.clock"));
            if let Some((kind, module)) = parts.replacement_module(cell) {
                parts.instances.push(Instance {
                    name,
                    module: self.intern_made(kind, module),
                    pins: pins.into_iter().map(|(_, id)| id).collect(),
                });
                return;
            }
            match parts.cell_kind(cell) {
                Some(kind) => parts.cells.push(StateCell { name, doc, kind }),
                // Reported only if the pins have caused no error yet.
                None if self.errors.len() == before => {
                    self.error(place, &child.path, "its `hdl` answers for a cell inside it");
                }
                None => {}
            }
            return;
        }
        if let Some(built) = self.scope(child, place) {
            if let Some(clock) = built.clock {
                parts.clocked.push(format!("{name}.{clock}"));
            }
            parts.instances.push(Instance {
                name,
                module: built.module,
                pins: pins.into_iter().map(|(_, id)| id).collect(),
            });
        }
    }

    fn module(&mut self, kernel: KernelRecord, parts: ModuleParts) -> Option<DesignModule> {
        let before = self.errors.len();
        let params = kernel.description.params.iter();
        let mut module = DesignModule {
            name: String::new(),
            doc: kernel.description.doc.to_string(),
            params: params
                .map(|(name, value)| Param { name: name.to_string(), value: value.clone() })
                .collect(),
            clock: None,
            signals: parts.signals,
            cells: parts.cells,
            instances: parts.instances,
            exprs: vec![],
            body: vec![],
        };
        let body = BodyBuilder::new(&kernel, &parts.targets, &parts.path);
        let clocks = body.translate(&mut module, &mut self.errors);
        module.clock = self.clock(&kernel.description, &parts.path, &parts.clocked, clocks);
        if let (None, Some(print)) = (&module.clock, kernel.prints.first()) {
            module.clock = parts.clocks.first().cloned();
            if parts.clocks.len() != 1 {
                let message = "a `display!` prints at clock edges, so its block has one clock; \
                               add `pub clock: Signal<In, Clock>`";
                self.error(Some(print.origin), &parts.path, message);
            }
        }
        (self.errors.len() == before).then_some(module)
    }

    /// Returns the only clock pin of the module, if the module contains clocked parts.
    fn clock(
        &mut self,
        description: &Description,
        path: &str,
        clocked: &[String],
        driven: Vec<(String, String)>,
    ) -> Option<String> {
        let mut clock: Option<String> = None;
        for pin in clocked {
            let place = description.origin_of(pin);
            let mut sources = driven.iter().filter(|(p, _)| p == pin).map(|(_, s)| s);
            match (sources.next(), sources.next()) {
                (Some(source), None) => match &clock {
                    Some(other) if other != source => self.error(
                        place,
                        path,
                        format!("`{pin}` is driven by `{source}` and others by `{other}`; a design has one clock"),
                    ),
                    _ => clock = Some(source.clone()),
                },
                (None, _) => self.error(
                    place,
                    path,
                    format!("`{pin}` is not driven; write `self.{pin}.next = self.clock.val();`"),
                ),
                (Some(_), Some(_)) => {
                    self.error(place, path, format!("`{pin}` is driven twice"))
                }
            }
        }
        clock
    }

    /// Returns an identical existing module, or adds this one under a new name.
    fn intern(&mut self, mut module: DesignModule, description: &Description) -> ModuleId {
        let same_path = self.by_path.entry(description.path).or_default();
        for id in same_path.iter() {
            let existing = &self.modules[id.index()];
            module.name.clone_from(&existing.name);
            if *existing == module {
                return *id;
            }
        }
        let id = ModuleId(self.modules.len() as u32);
        same_path.push(id);
        module.name = self.free_name(description);
        self.modules.push(module);
        self.descriptions.push(description.clone());
        id
    }

    /// Does the same as `intern` for a module that replaces a cell of this kind.
    fn intern_made(&mut self, kind: &'static str, module: DesignModule) -> ModuleId {
        let description =
            Description { name: kind, path: module_path!(), ..Description::default() };
        self.intern(module, &description)
    }

    /// Returns an unused name: `pin_mux`, then `pin_mux_4`, then `pin_mux_4_2` and so on.
    fn free_name(&mut self, description: &Description) -> String {
        let base = snake_case(description.name);
        let mut with_params = base.clone();
        for (_, value) in &description.params {
            with_params.push('_');
            with_params.extend(value.chars().map(|c| match c.is_ascii_alphanumeric() {
                true => c.to_ascii_lowercase(),
                false => '_',
            }));
        }
        let mut name = base;
        let mut count = 2;
        while !self.names.insert(name.clone()) {
            name = match self.names.contains(&with_params) {
                false => with_params.clone(),
                true => format!("{with_params}_{count}"),
            };
            count += 1;
        }
        name
    }
}

/// Declarations of a block while its module is assembled.
struct ModuleParts<'a> {
    description: &'a Description,
    path: String,
    signals: Vec<DesignSignal>,
    cells: Vec<StateCell>,
    instances: Vec<Instance>,
    targets: HashMap<SignalAddress, AddressTarget>,
    /// Clock pins of the clocked parts.
    clocked: Vec<String>,
    /// Clocks that enter the block.
    clocks: Vec<String>,
}

impl<'a> ModuleParts<'a> {
    fn new(description: &'a Description, path: String) -> Self {
        ModuleParts {
            description,
            path,
            signals: vec![],
            cells: vec![],
            instances: vec![],
            targets: HashMap::new(),
            clocked: vec![],
            clocks: vec![],
        }
    }

    fn add(
        &mut self,
        atom: &AtomInfo,
        name: String,
        kind: SignalKind,
        doc: &str,
        b: &mut DesignLowering,
    ) -> Option<SignalId> {
        let ty = match type_of(&atom.signal.descriptor) {
            Ok(ty) => ty,
            Err(message) => {
                let message = format!("{name}: {message}");
                b.error(self.description.origin_of(&name), &self.path, &message);
                self.targets.insert(atom.signal.address, AddressTarget::OutOfReach(message));
                return None;
            }
        };
        let id = SignalId(self.signals.len() as u32);
        self.signals.push(DesignSignal { name, ty, kind, doc: doc.to_string() });
        self.targets.insert(atom.signal.address, AddressTarget::Signal(id));
        Some(id)
    }

    /// Adds a signal or constant of the block itself.
    fn block_atom(&mut self, atom: &AtomInfo, b: &mut DesignLowering) {
        if is_clock(&atom.signal.descriptor) {
            if atom.member_doc.is_some() {
                let name = &atom.name;
                let message =
                    format!("`{name}` is a clock in a bundle; a clock is a port of its own");
                b.error(self.description.origin_of(name), &self.path, message);
            }
            let place = match atom.signal.kind {
                AtomKind::InputParameter => {
                    self.clocks.push(atom.name.clone());
                    AddressTarget::BlockClock(atom.name.clone())
                }
                _ => AddressTarget::OutOfReach(format!(
                    "`{}` would make a clock; clocks only come in (`Signal<In, Clock>`)",
                    atom.name
                )),
            };
            self.targets.insert(atom.signal.address, place);
            return;
        }
        let kind = match atom.signal.kind {
            AtomKind::InputParameter => SignalKind::Input,
            AtomKind::OutputParameter => SignalKind::Output,
            AtomKind::LocalSignal => SignalKind::Local,
            AtomKind::Constant => SignalKind::Constant(atom.signal.value.clone()),
            _ => {
                let message = format!(
                    "`{}` is an InOut; inside a chip use an `Out` that pulls and an `In` that reads",
                    atom.name
                );
                b.error(self.description.origin_of(&atom.name), &self.path, &message);
                self.targets.insert(atom.signal.address, AddressTarget::OutOfReach(message));
                return;
            }
        };
        let doc = match atom.member_doc {
            Some(doc) => doc,
            None => self.description.field_doc(&atom.name),
        };
        self.add(atom, atom.name.clone(), kind, doc, b);
    }

    /// Adds a port of a cell or instance. Returns `None` if the atom is not a port.
    fn pin(&mut self, owner: &str, atom: &AtomInfo, b: &mut DesignLowering) -> Option<SignalId> {
        let name = format!("{owner}.{}", atom.name);
        let kind = match atom.signal.kind {
            AtomKind::InputParameter if is_clock(&atom.signal.descriptor) => {
                let place = AddressTarget::ChildClock(name);
                self.targets.insert(atom.signal.address, place);
                return None;
            }
            AtomKind::InputParameter => SignalKind::PinIn,
            AtomKind::OutputParameter => SignalKind::PinOut,
            _ => {
                let reason = format!("`{name}` is not a port of `{owner}`");
                self.targets.insert(atom.signal.address, AddressTarget::OutOfReach(reason));
                return None;
            }
        };
        self.add(atom, name, kind, "", b)
    }

    /// Returns the module that replaces a cell made in turns, or a memory that ignores address
    /// bits, with its kind.
    fn replacement_module(&self, cell: &CellRecord) -> Option<(&'static str, DesignModule)> {
        let at = |address: SignalAddress| match self.targets.get(&address) {
            Some(AddressTarget::Signal(id)) => Some(&self.signals[id.index()]),
            _ => None,
        };
        match cell {
            CellRecord::Register { q, init, turns, .. } if *turns > 1 => {
                Some(("Ring", time_multiplexed_register(&at(*q)?.ty, init, *turns)))
            }
            CellRecord::Memory {
                read_address,
                read_data,
                asynchronous,
                disjoint,
                turns,
                init,
                ..
            } if *turns > 1 => {
                let storage = MemoryParams {
                    address_width: at(*read_address)?.width(),
                    ty: &at(*read_data)?.ty,
                    asynchronous: *asynchronous,
                    disjoint: *disjoint,
                    init,
                };
                Some(("TurnedMemory", time_multiplexed_memory(&storage, *turns)))
            }
            CellRecord::Memory {
                read_address, read_data, write, disjoint, decoded, init, ..
            } => {
                let storage = MemoryParams {
                    address_width: at(*read_address)?.width(),
                    ty: &at(*read_data)?.ty,
                    asynchronous: false,
                    disjoint: *disjoint,
                    init,
                };
                let decoded = *decoded as u32;
                let narrow = decoded < storage.address_width;
                narrow.then(|| {
                    let module = narrow_memory(&storage, write.is_some(), decoded);
                    ("NarrowMemory", module)
                })
            }
            _ => None,
        }
    }

    /// Returns the kind of the cell; `None` if its pins do not belong to this block.
    fn cell_kind(&self, cell: &CellRecord) -> Option<CellKind> {
        let at = |address: SignalAddress| match self.targets.get(&address) {
            Some(AddressTarget::Signal(id)) => Some(*id),
            _ => None,
        };
        Some(match cell {
            CellRecord::Check { holds, goal } => {
                CellKind::Check { holds: at(*holds)?, goal: *goal }
            }
            CellRecord::Register { d, q, init, .. } => {
                CellKind::Register { d: at(*d)?, q: at(*q)?, init: init.clone() }
            }
            CellRecord::Memory {
                read_address,
                read_data,
                asynchronous,
                write,
                disjoint,
                init,
                ..
            } => CellKind::Memory {
                read_address: at(*read_address)?,
                read_data: at(*read_data)?,
                asynchronous: *asynchronous,
                write: match *write {
                    None => None,
                    Some([address, data, enable]) => Some(WritePort {
                        address: at(address)?,
                        data: at(data)?,
                        enable: at(enable)?,
                        disjoint: *disjoint,
                    }),
                },
                init: init.clone(),
            },
        })
    }
}

/// Returns all addresses below a child's own signals, with their paths.
fn inner_addresses(scope: &BlockScope) -> Vec<(SignalAddress, String)> {
    let mut out = vec![];
    for child in &scope.children {
        for atom in &child.atoms {
            out.push((atom.signal.address, format!("{}.{}", child.path, atom.name)));
        }
        out.extend(inner_addresses(child));
    }
    out
}

/// Converts `PinMux` to `pin_mux`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_uppercase();
        let before_lower = chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        if c.is_uppercase() && i > 0 && (after_lower || before_lower) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

// Modules of plain cells that replace cells made in turns.

/// Builds a register for several turns as a row of one register per turn. Its ports are `d` and
/// `q`, like the pins of the cell.
pub(super) fn time_multiplexed_register(ty: &Type, init: &BigUint, turns: usize) -> DesignModule {
    let mut m = Builder::new(
        "ring",
        "A register of a circuit that is several in turn: each of them has a place of it.",
    );
    m.param("TURNS", turns);
    let d = m.input("d", ty.clone(), "of the circuit whose turn it is");
    let q = m.output("q", ty.clone(), "of the circuit whose turn it is");
    let last = delay_line(&mut m, "place", ty, init, d, turns);
    m.connect(q, last);
    m.finish()
}

/// Parameters of a memory.
pub(super) struct MemoryParams<'a> {
    pub address_width: u32,
    pub ty: &'a Type,
    pub asynchronous: bool,
    pub disjoint: bool,
    pub init: &'a [BigUint],
}

/// Builds a memory with words for each turn. Its ports have the names and order of the cell's pins.
pub(super) fn time_multiplexed_memory(storage: &MemoryParams, turns: usize) -> DesignModule {
    let mut m = Builder::new(
        "turned_memory",
        "A memory of a circuit that is several in turn: each of them has its own words. The word \
         that is read comes when it is its turn again.",
    );
    m.param("TURNS", turns);
    let turn_bits = turns.ilog2();
    let (ty, width) = (storage.ty, storage.address_width);
    let read_address = m.input("read_address", Type::Bits(width), "");
    let read_data = m.output("read_data", ty.clone(), "");
    let write_address = m.input("write_address", Type::Bits(width), "");
    let write_data = m.input("write_data", ty.clone(), "");
    let write_enable = m.input("write_enable", Type::BIT, "");

    let turn = m.register("turn", Type::Bits(turn_bits), 0u8, "the turn that it is");
    let (now, one) = (m.read(turn.q), m.constant(1u8, turn_bits));
    let next = m.binary(BinaryOp::Add, now, one);
    m.assign(turn.d, next);
    let mut init = vec![];
    if storage.init.iter().any(|word| !word.is_zero()) {
        for _ in 0..turns {
            init.extend_from_slice(storage.init);
            init.resize(init.len().next_multiple_of(1 << width), BigUint::zero());
        }
    }
    let (read, write) = m.memory("words", ty.clone(), width + turn_bits, init, "");
    if storage.asynchronous {
        m.read_asynchronously();
    }
    for (whole, own) in [(read.address, read_address), (write.address, write_address)] {
        let (turn, own) = (m.read(turn.q), m.read(own));
        m.assign_slice(whole, 0, own);
        m.assign_slice(whole, width, turn);
    }
    m.connect(write.data, write_data);
    m.connect(write.enable, write_enable);
    let last = match storage.asynchronous {
        true => read.data,
        false => delay_line(&mut m, "later", ty, &BigUint::zero(), read.data, turns - 1),
    };
    m.connect(read_data, last);
    finish_memory(m, storage.disjoint)
}

/// Builds a memory of `2^decoded` words that ignores the upper address bits. Its ports have the
/// names and order of the cell's pins.
fn narrow_memory(storage: &MemoryParams, has_write_port: bool, decoded: u32) -> DesignModule {
    let doc = "A memory that ignores the upper bits of its addresses.";
    let mut m = Builder::new("narrow_memory", doc);
    m.param("DECODED", decoded);
    let (ty, address) = (storage.ty, Type::Bits(storage.address_width));
    let init = storage.init.to_vec();
    let narrow = |m: &mut Builder, pin, wide| {
        let wide = m.read(wide);
        let low = m.slice(wide, 0, decoded);
        m.assign(pin, low);
    };
    if !has_write_port {
        let wide = m.input("address", address, "");
        let data = m.output("data", ty.clone(), "");
        let read = m.rom("words", ty.clone(), decoded, init, "");
        narrow(&mut m, read.address, wide);
        m.connect(data, read.data);
        return m.finish();
    }
    let read_address = m.input("read_address", address.clone(), "");
    let read_data = m.output("read_data", ty.clone(), "");
    let write_address = m.input("write_address", address, "");
    let write_data = m.input("write_data", ty.clone(), "");
    let write_enable = m.input("write_enable", Type::BIT, "");
    let (read, write) = m.memory("words", ty.clone(), decoded, init, "");
    narrow(&mut m, read.address, read_address);
    narrow(&mut m, write.address, write_address);
    m.connect(read_data, read.data);
    m.connect(write.data, write_data);
    m.connect(write.enable, write_enable);
    finish_memory(m, storage.disjoint)
}

/// Finishes a module whose only memory may be disjoint.
fn finish_memory(m: Builder, disjoint: bool) -> DesignModule {
    let mut module = m.finish();
    for cell in &mut module.cells {
        if let CellKind::Memory { write: Some(port), .. } = &mut cell.kind {
            port.disjoint = disjoint;
        }
    }
    module
}

/// Adds a row of registers. The last one shows `from`, delayed by the length of the row in clock
/// cycles.
fn delay_line(
    m: &mut Builder,
    name: &str,
    ty: &Type,
    init: &BigUint,
    from: SignalId,
    places: usize,
) -> SignalId {
    (0..places).fold(from, |before, i| {
        let place = m.register(&format!("{name}[{i}]"), ty.clone(), init.clone(), "");
        m.connect(place.d, before);
        place.q
    })
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn names_of_modules() {
        assert_eq!(snake_case("PinMux"), "pin_mux");
        assert_eq!(snake_case("UartTx"), "uart_tx");
        assert_eq!(snake_case("CM1Router"), "cm1_router");
        assert_eq!(snake_case("ALU"), "alu");
    }
}

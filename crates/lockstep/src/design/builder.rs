//! Builder for modules that a program composes.

use super::*;
use std::collections::HashMap;
use std::panic::Location;

/// Module under construction, for circuits that a program composes.
///
/// The program declares ports, registers, memories and instances, and makes expressions of them.
/// Statements are appended to the body and executed in that order. The builder checks nothing.
/// [`check`](super::check) checks the whole design and reports the line of the program that
/// appended a faulty statement ([`SourceLocation`]).
///
/// Every [`SignalId`] and [`ExprId`] argument must come from the same builder. An id of another
/// builder selects whatever has that number here, or panics.
///
/// ```
/// use lockstep::eval::Evaluator;
/// use lockstep::netlist::flatten;
/// use lockstep::design::{BinaryOp, Builder, Design, Type};
///
/// let mut m = Builder::new("counter", "Counts clock cycles in which `enable` is high.");
/// let enable = m.input("enable", Type::BIT, "");
/// let count = m.output("count", Type::Bits(4), "");
/// let state = m.register("state", Type::Bits(4), 0u8, "");
/// m.connect(count, state.q);
/// m.connect(state.d, state.q);
/// let enable = m.read(enable);
/// m.if_(enable, |m| {
///     let (now, one) = (m.read(state.q), m.constant(1u8, 4));
///     let next = m.binary(BinaryOp::Add, now, one);
///     m.assign(state.d, next);
/// });
///
/// let mut evaluator = Evaluator::new(flatten(&Design::from(m.finish())).unwrap());
/// let enable = evaluator.netlist().input("enable").unwrap();
/// let count = evaluator.netlist().output("count").unwrap();
/// evaluator.set(enable, 1);
/// (0..3).for_each(|_| evaluator.clock());
/// assert_eq!(evaluator.get(count), 3);
/// ```
#[derive(Debug)]
pub struct Builder {
    module: DesignModule,
}

impl Builder {
    /// Creates an empty module. `name` must be a Verilog identifier.
    pub fn new(name: &str, doc: &str) -> Self {
        Builder {
            module: DesignModule { name: name.into(), doc: doc.into(), ..DesignModule::default() },
        }
    }

    /// Continues the construction of a module.
    pub(super) fn resume(module: DesignModule) -> Self {
        Builder { module }
    }

    /// Appends statements that were made for this module.
    pub(super) fn append(&mut self, body: Vec<Stmt>) {
        self.module.body.extend(body);
    }

    /// Adds an input pin of an instance, driven by the body.
    pub(super) fn pin(&mut self, instance: &str, port: &str, ty: Type) -> SignalId {
        self.signal(&format!("{instance}.{port}"), ty, SignalKind::PinIn, "")
    }

    /// Gives the read data of a memory a new pin and returns it. The old pin becomes a local signal
    /// that the body drives. `position` is the memory's position among the cells.
    pub(super) fn replace_read_data_pin(
        &mut self,
        position: usize,
        cell: &str,
        read_data: SignalId,
    ) -> SignalId {
        let ty = self.module.signal(read_data).ty.clone();
        let raw = self.signal(&format!("{cell}.raw"), ty, SignalKind::PinOut, "");
        self.module.signals[read_data.index()].kind = SignalKind::Local;
        if let CellKind::Memory { read_data, .. } = &mut self.module.cells[position].kind {
            *read_data = raw;
        }
        raw
    }

    /// Documents the value of a parameter.
    pub fn param(&mut self, name: &str, value: impl ToString) {
        self.module.params.push(Param { name: name.into(), value: value.to_string() });
    }

    /// Declares an input port.
    pub fn input(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Input, doc)
    }

    /// Declares an output port, driven by the body.
    pub fn output(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Output, doc)
    }

    /// Declares an internal signal, driven by the body.
    pub fn local(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Local, doc)
    }

    fn signal(&mut self, name: &str, ty: Type, kind: SignalKind, doc: &str) -> SignalId {
        self.module.signals.push(DesignSignal { name: name.into(), ty, kind, doc: doc.into() });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    /// Adds an instance of a module. Returns its pins in the order of the ports, named `name.port`.
    /// The clock is connected automatically.
    pub fn instance(&mut self, name: &str, id: ModuleId, child: &DesignModule) -> Vec<SignalId> {
        let pins: Vec<SignalId> = child
            .ports()
            .map(|(_, port)| {
                let kind = match port.kind {
                    SignalKind::Input => SignalKind::PinIn,
                    _ => SignalKind::PinOut,
                };
                self.signal(&format!("{name}.{}", port.name), port.ty.clone(), kind, "")
            })
            .collect();
        if child.clock.is_some() {
            self.clocked();
        }
        self.module.instances.push(Instance { name: name.into(), module: id, pins: pins.clone() });
        pins
    }

    /// Adds a clock pin to the module.
    fn clocked(&mut self) {
        self.module.clock = Some("clock".into());
    }

    /// Returns the module in its present state.
    pub fn module(&self) -> &DesignModule {
        &self.module
    }

    /// Returns the finished module.
    pub fn finish(self) -> DesignModule {
        self.module
    }
}

// Expressions of a module under construction.

impl Builder {
    fn expr(&mut self, op: ExprOp, ty: Type) -> ExprId {
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    fn ty(&self, id: ExprId) -> Type {
        self.module.expr(id).ty.clone()
    }

    /// Makes a constant. The value must fit the width.
    pub fn constant(&mut self, value: impl Into<BigUint>, width: u32) -> ExprId {
        self.expr(ExprOp::Const(value.into()), Type::Bits(width))
    }

    /// Reads a signal. The value is taken at the statement that uses the expression.
    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let ty = self.module.signal(signal).ty.clone();
        self.expr(ExprOp::Read(signal), ty)
    }

    /// Selects one bit of a word. The bit must exist.
    pub fn bit(&mut self, value: ExprId, offset: u32) -> ExprId {
        match self.module.expr(value).width() {
            1 => value,
            _ => self.slice(value, offset, 1),
        }
    }

    /// Selects `width` bits of a word from `offset` up. The bits must exist.
    pub fn slice(&mut self, value: ExprId, offset: u32, width: u32) -> ExprId {
        self.expr(ExprOp::Slice { value, offset }, Type::Bits(width))
    }

    /// Selects one bit of a word. Every value of `index` must be below the width of `value`.
    pub fn bit_at(&mut self, value: ExprId, index: ExprId) -> ExprId {
        self.expr(ExprOp::BitAt { value, index }, Type::BIT)
    }

    /// Replaces one bit of `value`. Every value of `index` must be below its width.
    pub fn replace_bit(&mut self, value: ExprId, index: ExprId, bit: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.expr(ExprOp::ReplaceBit { value, index, bit }, ty)
    }

    /// Zero-extends or truncates a word to this width.
    pub fn resize(&mut self, value: ExprId, width: u32) -> ExprId {
        self.expr(ExprOp::Resize(value), Type::Bits(width))
    }

    /// Inverts every bit.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, a)
    }

    /// Applies a unary operation. The result is as wide as the operand for [`UnaryOp::Not`], one
    /// bit for the others.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let ty = match op {
            UnaryOp::Not => self.ty(a),
            UnaryOp::All | UnaryOp::Any | UnaryOp::Parity => Type::BIT,
        };
        self.expr(ExprOp::Unary(op, a), ty)
    }

    /// Applies a binary operation. The operands must have the widths that the operation requires.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = match op.is_comparison() {
            true => Type::BIT,
            false => self.ty(a),
        };
        self.expr(ExprOp::Binary(op, a, b), ty)
    }

    /// Selects one of two words of the same width. `cond` must have one bit.
    pub fn mux(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.ty(then);
        let op = ExprOp::Mux { cond, then, otherwise };
        self.expr(op, ty)
    }
}

// Statements of a module under construction.

impl Builder {
    /// Appends an assignment to a signal.
    #[track_caller]
    pub fn assign(&mut self, target: SignalId, value: ExprId) {
        self.assign_part(target, None, value);
    }

    /// Appends an assignment to one bit of a signal.
    #[track_caller]
    pub fn assign_bit(&mut self, target: SignalId, offset: u32, value: ExprId) {
        self.assign_slice(target, offset, value);
    }

    /// Appends an assignment to the bits of a signal from `offset` up. The value determines their
    /// number.
    #[track_caller]
    pub fn assign_slice(&mut self, target: SignalId, offset: u32, value: ExprId) {
        let width = self.module.expr(value).width();
        let whole = offset == 0 && width == self.module.signal(target).width();
        self.assign_part(target, (!whole).then_some(Slice { offset, width }), value);
    }

    #[track_caller]
    fn assign_part(&mut self, target: SignalId, slice: Option<Slice>, value: ExprId) {
        let here = Location::caller();
        self.module.body.push(Stmt::Assign {
            target,
            slice,
            value,
            origin: SourceLocation { file: here.file(), line: here.line(), column: here.column() },
        });
    }

    /// Appends the assignment of one signal to another.
    #[track_caller]
    pub fn connect(&mut self, target: SignalId, from: SignalId) {
        let value = self.read(from);
        self.assign(target, value);
    }

    /// Appends statements that are executed if a one-bit condition holds.
    pub fn if_(&mut self, cond: ExprId, then: impl FnOnce(&mut Builder)) {
        self.if_else(cond, then, |_| {});
    }

    /// Appends statements that are executed if a one-bit condition holds, and others that are
    /// executed if it does not.
    pub fn if_else(
        &mut self,
        cond: ExprId,
        then: impl FnOnce(&mut Builder),
        otherwise: impl FnOnce(&mut Builder),
    ) {
        let (then, otherwise) = (self.inner(then), self.inner(otherwise));
        self.module.body.push(Stmt::If { cond, then, otherwise });
    }

    /// Begins a case statement on the value of a word. [`CaseBuilder::otherwise`] ends it.
    ///
    /// ```
    /// # use lockstep::design::{Builder, Type};
    /// # let mut m = Builder::new("m", "");
    /// # let [state, out] = [m.input("state", Type::Bits(2), ""), m.output("out", Type::BIT, "")];
    /// # let [state, on, off] = [m.read(state), m.constant(1u8, 1), m.constant(0u8, 1)];
    /// m.case(state)
    ///     .on([0u8, 3], |m| m.assign(out, on))
    ///     .otherwise(|m| m.assign(out, off));
    /// ```
    pub fn case(&mut self, subject: ExprId) -> CaseBuilder<'_> {
        CaseBuilder { builder: self, subject, arms: vec![] }
    }

    /// Returns the statements that `body` appends, removed from the module's body.
    fn inner(&mut self, body: impl FnOnce(&mut Builder)) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.module.body);
        body(self);
        std::mem::replace(&mut self.module.body, outer)
    }
}

/// Case statement under construction. Only [`otherwise`](Self::otherwise) adds it to the body.
#[derive(Debug)]
#[must_use = "a case is added to the body by `otherwise`"]
pub struct CaseBuilder<'a> {
    builder: &'a mut Builder,
    subject: ExprId,
    arms: Vec<CaseArm>,
}

impl CaseBuilder<'_> {
    /// Adds statements that are executed if the word has one of these values and no earlier arm has
    /// it.
    pub fn on<V: Into<BigUint>>(
        mut self,
        values: impl IntoIterator<Item = V>,
        body: impl FnOnce(&mut Builder),
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        let body = self.builder.inner(body);
        self.arms.push(CaseArm { values, body });
        self
    }

    /// Ends the case with statements that are executed if no arm has the value.
    pub fn otherwise(self, body: impl FnOnce(&mut Builder)) {
        let default = self.builder.inner(body);
        self.builder.module.body.push(Stmt::Case(CaseStmt {
            subject: self.subject,
            arms: self.arms,
            default,
            default_values: vec![],
        }));
    }
}

// Registers and memories of a module under construction.

/// Pins of a register. Both have the width of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPins {
    /// Value of the register after the next clock edge. The body must drive it on every path.
    pub d: SignalId,
    /// Present value of the register.
    pub q: SignalId,
}

/// Pins of a memory's read port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadPort {
    /// Address to read. The body must drive it on every path.
    pub address: SignalId,
    /// Word at the value of `address` at the previous clock edge.
    pub data: SignalId,
}

impl Builder {
    /// Adds a register with the initial value `init`. Its pins are called `name.d` and `name.q`.
    ///
    /// The register keeps its value if the body drives `d` with `q`. To write it conditionally,
    /// connect them first and then assign `d` in an `if`.
    pub fn register(
        &mut self,
        name: &str,
        ty: Type,
        init: impl Into<BigUint>,
        doc: &str,
    ) -> RegisterPins {
        let pins = RegisterPins {
            d: self.cell_pin(name, "d", ty.clone(), SignalKind::PinIn),
            q: self.cell_pin(name, "q", ty, SignalKind::PinOut),
        };
        let RegisterPins { d, q } = pins;
        let init = init.into();
        self.cell(name, doc, CellKind::Register { d, q, init });
        pins
    }

    /// Adds a check of the bit `name.holds`, which the body must drive on every path.
    pub fn check(&mut self, name: &str, goal: CheckGoal, doc: &str) -> SignalId {
        let holds = self.cell_pin(name, "holds", Type::BIT, SignalKind::PinIn);
        self.cell(name, doc, CellKind::Check { holds, goal });
        holds
    }

    /// Adds a memory of `2^address_width` words with one read port and one write port. `init` holds
    /// the first words, and the rest starts as zero. A read in the same clock cycle as a write of
    /// the word returns the old word.
    ///
    /// The pins are called `name.read_address`, `name.read_data`, `name.write_address`,
    /// `name.write_data` and `name.write_enable` (one bit). The body must drive all except
    /// `name.read_data` on every path.
    pub fn memory(
        &mut self,
        name: &str,
        ty: Type,
        address_width: u32,
        init: Vec<BigUint>,
        doc: &str,
    ) -> (ReadPort, WritePort) {
        let read = self.read_port(name, ["read_address", "read_data"], ty.clone(), address_width);
        let (address, input) = (Type::Bits(address_width), SignalKind::PinIn);
        let write = WritePort {
            address: self.cell_pin(name, "write_address", address, input.clone()),
            data: self.cell_pin(name, "write_data", ty, input.clone()),
            enable: self.cell_pin(name, "write_enable", Type::BIT, input),
            disjoint: false,
        };
        self.storage(name, doc, read, Some(write), init);
        (read, write)
    }

    /// Makes the read port of the last memory asynchronous: its read data is the word at its address
    /// at any time. On an iCE40 such a memory consists of flip-flops.
    ///
    /// # Panics
    /// If the last cell is no memory.
    pub fn read_asynchronously(&mut self) {
        match self.module.cells.last_mut().map(|cell| &mut cell.kind) {
            Some(CellKind::Memory { asynchronous, .. }) => *asynchronous = true,
            _ => panic!("the last cell of `{}` is no memory", self.module.name),
        }
    }

    /// Adds a print statement of these words. `words` are their types. The pins are called
    /// `name.enable` (one bit) and `name.word_0`, `name.word_1` and so on. The body must drive all of
    /// them on every path. Returns the enable and the words.
    pub fn print(
        &mut self,
        name: &str,
        words: Vec<Type>,
        text: Vec<PrintPart>,
    ) -> (SignalId, Vec<SignalId>) {
        let enable = self.cell_pin(name, "enable", Type::BIT, SignalKind::PinIn);
        let mut pins = vec![];
        for (number, ty) in words.into_iter().enumerate() {
            pins.push(self.cell_pin(name, &format!("word_{number}"), ty, SignalKind::PinIn));
        }
        let kind = CellKind::Print { enable, words: pins.clone(), text };
        self.cell(name, "", kind);
        (enable, pins)
    }

    /// Adds a read-only memory of `2^address_width` words. `words` holds the first words, and the
    /// rest is zero. The pins are called `name.address` and `name.data`, as in a `Rom` of a kernel.
    pub fn rom(
        &mut self,
        name: &str,
        ty: Type,
        address_width: u32,
        words: Vec<BigUint>,
        doc: &str,
    ) -> ReadPort {
        let read = self.read_port(name, ["address", "data"], ty, address_width);
        self.storage(name, doc, read, None, words);
        read
    }

    fn read_port(
        &mut self,
        name: &str,
        [address_pin, data_pin]: [&str; 2],
        ty: Type,
        address_width: u32,
    ) -> ReadPort {
        let address = Type::Bits(address_width);
        ReadPort {
            address: self.cell_pin(name, address_pin, address, SignalKind::PinIn),
            data: self.cell_pin(name, data_pin, ty, SignalKind::PinOut),
        }
    }

    fn storage(
        &mut self,
        name: &str,
        doc: &str,
        read: ReadPort,
        write: Option<WritePort>,
        init: Vec<BigUint>,
    ) {
        let kind = CellKind::Memory {
            read_address: read.address,
            read_data: read.data,
            asynchronous: false,
            write,
            init,
        };
        self.cell(name, doc, kind);
    }

    fn cell_pin(&mut self, cell: &str, pin: &str, ty: Type, kind: SignalKind) -> SignalId {
        self.signal(&format!("{cell}.{pin}"), ty, kind, "")
    }

    fn cell(&mut self, name: &str, doc: &str, kind: CellKind) {
        self.clocked();
        self.module.cells.push(StateCell { name: name.into(), doc: doc.into(), kind });
    }
}

// Existing circuits inside a module.

impl Builder {
    /// Places a circuit inside the module and adds its modules to the library. Returns its pins by
    /// port name.
    ///
    /// ```
    /// use lockstep::design::{Builder, Design, Library, Type};
    ///
    /// let mut inverter = Builder::new("inverter", "");
    /// let (a, b) = (inverter.input("a", Type::BIT, ""), inverter.output("b", Type::BIT, ""));
    /// let read = inverter.read(a);
    /// let not = inverter.not(read);
    /// inverter.assign(b, not);
    /// let inverter = Design::from(inverter.finish());
    ///
    /// let (mut library, mut top) = (Library::default(), Builder::new("two", ""));
    /// let first = top.instantiate_design(&mut library, "first", &inverter);
    /// let second = top.instantiate_design(&mut library, "second", &inverter);
    /// top.connect(second["a"], first["b"]);
    /// let (_, port) = inverter.top().port("a").unwrap();
    /// top.export_port(first["a"], port, "a");
    /// let top = library.add_module(top.finish());
    /// assert_eq!(library.finish(top).modules.len(), 2);
    /// ```
    pub fn instantiate_design(
        &mut self,
        library: &mut Library,
        name: &str,
        part: &Design,
    ) -> HashMap<String, SignalId> {
        let id = library.add(part);
        let pins = self.instance(name, id, library.module(id));
        let names = part.top().ports().map(|(_, port)| port.name.clone());
        names.zip(pins).collect()
    }

    /// Exports a port of an inner circuit as a port of this module. `pin` is the pin of that
    /// circuit, `name` the new port. Returns the new port.
    #[track_caller]
    pub fn export_port(&mut self, pin: SignalId, port: &DesignSignal, name: &str) -> SignalId {
        if port.kind == SignalKind::Input {
            let outside = self.input(name, port.ty.clone(), &port.doc);
            self.connect(pin, outside);
            outside
        } else {
            let outside = self.output(name, port.ty.clone(), &port.doc);
            self.connect(outside, pin);
            outside
        }
    }
}

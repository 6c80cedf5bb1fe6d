//! Hierarchical word-level description of a synchronous circuit.
//!
//! A [`Design`] is a list of [`DesignModule`]s, children before parents. The behaviour of a module is a
//! list of statements ([`Stmt`]). They are executed from top to bottom whenever one of their inputs
//! changes. The last assignment determines the value of a signal.
//!
//! Only [`StateCell`]s hold state. The rising edge of one clock drives all cells of a design. The clock
//! is therefore not a signal, and a module only records whether it has a clock pin
//! ([`DesignModule::clock`]).
//!
//! All values are unsigned words of a fixed width of at least one bit. A [`Builder`] makes a
//! module, and a [`Library`] makes a design of several modules. [`check`] defines a well-formed
//! design.

mod builder;
pub mod check;
mod clock_enable;
mod delay_memories;
mod observers;

pub use builder::{Builder, CaseBuilder, ReadPort, RegisterPins};
use num_bigint::BigUint;
pub use observers::{CheckGoal, DesignCheck, DesignPrint, PrintBase, PrintPart};
use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// Returns the position in the list to which this id refers.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Position in [`Design::modules`].
    ModuleId
);
id!(
    /// Position in [`DesignModule::signals`].
    SignalId
);

/// Circuit: its modules, children before parents, and the top module.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    pub modules: Vec<DesignModule>,
    pub top: ModuleId,
}

/// Makes a design of one module without instances.
impl From<DesignModule> for Design {
    fn from(module: DesignModule) -> Self {
        Design { modules: vec![module], top: ModuleId(0) }
    }
}

impl Design {
    pub fn module(&self, id: ModuleId) -> &DesignModule {
        &self.modules[id.index()]
    }

    pub fn top(&self) -> &DesignModule {
        self.module(self.top)
    }

    /// Returns the design with another circuit in place of all instances of this module.
    ///
    /// # Panics
    /// If there is no such module, or the other circuit has other ports or another clock.
    #[must_use]
    pub fn with_module(&self, name: &str, other: &Design) -> Design {
        let mut library = Library::default();
        let mut ids: Vec<ModuleId> = vec![];
        let mut found = false;
        for module in &self.modules {
            let mut module = module.clone();
            for instance in &mut module.instances {
                instance.module = ids[instance.module.index()];
            }
            ids.push(match module.name == name {
                true => {
                    found = true;
                    let ports = |module: &DesignModule| -> Vec<_> {
                        let ports = module.ports();
                        ports.map(|(_, p)| (p.name.clone(), p.kind.clone(), p.width())).collect()
                    };
                    assert_eq!(ports(&module), ports(other.top()), "the ports of `{name}`");
                    assert_eq!(module.clock.is_some(), other.top().clock.is_some(), "`{name}`");
                    library.add(other)
                }
                false => library.add_module(module),
            });
        }
        assert!(found, "there is no module `{name}`");
        library.finish(ids[self.top.index()])
    }
}

/// One block of a design, which may have several instances.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DesignModule {
    /// Verilog identifier, unique in the design (`pin_mux`).
    pub name: String,
    /// Description of the block from its doc comment, may be empty.
    pub doc: String,
    /// Parameter values for which the block was generated (`DIMS = 4`).
    pub params: Vec<Param>,
    /// Name of the clock pin, if the module or a module in it has a cell.
    pub clock: Option<String>,
    pub signals: Vec<DesignSignal>,
    pub cells: Vec<StateCell>,
    pub instances: Vec<Instance>,
    /// Expressions of the body. Operands come before their users.
    pub exprs: Vec<Expr>,
    pub body: Vec<Stmt>,
}

impl DesignModule {
    pub fn signal(&self, id: SignalId) -> &DesignSignal {
        &self.signals[id.index()]
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// Returns the ports in order of declaration, without the clock.
    pub fn ports(&self) -> impl Iterator<Item = (SignalId, &DesignSignal)> {
        self.signals
            .iter()
            .enumerate()
            .filter(|(_, s)| matches!(s.kind, SignalKind::Input | SignalKind::Output))
            .map(|(i, s)| (SignalId(i as u32), s))
    }

    /// Returns the port with this name.
    pub fn port(&self, name: &str) -> Option<(SignalId, &DesignSignal)> {
        self.ports().find(|(_, s)| s.name == name)
    }
}

/// Named value for which a module was generated. The value is only documentation because the body
/// already reflects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub value: String,
}

/// Named word in a module.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignSignal {
    /// Name, unique in the module. Dots join the parts of a path (`state.d`, `nodes[3].line`).
    /// [`LET_NUMBER`] comes before the number of a `let`. Backends turn the name into an identifier.
    pub name: String,
    pub ty: Type,
    pub kind: SignalKind,
    /// Doc comment of the field, may be empty.
    pub doc: String,
}

/// Character between the name of a `let` and its number, if the name occurs repeatedly in a module
/// (`sum#2`). A source has no such names, so the number is not part of the name.
pub const LET_NUMBER: char = '#';

impl SignalKind {
    /// Returns true if the signal exists only inside the body, as a `let` with or without `mut`.
    pub fn is_let(&self) -> bool {
        matches!(self, SignalKind::Let | SignalKind::Variable)
    }
}

impl DesignSignal {
    /// Returns the width in bits.
    pub fn width(&self) -> u32 {
        self.ty.width()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// Port driven from outside. The body never assigns it.
    Input,
    /// Port driven by the body.
    Output,
    /// Internal signal driven by the body.
    Local,
    /// A `let`, assigned once before it is read. The assignment is in the statement list of its use
    /// or in an enclosing one.
    Let,
    /// A `let mut`. The body assigns it before each read, and may assign it several times. All
    /// assignments and reads are in the statement list of the first assignment or in inner ones.
    Variable,
    /// Pin of a cell or instance that the body drives and never reads.
    PinIn,
    /// Pin of a cell or instance that drives the body. The body never assigns it.
    PinOut,
    /// Value fixed at generation. The body never assigns it.
    Constant(BigUint),
}

/// Part that holds state. Every cell changes on the rising clock edge.
#[derive(Clone, Debug, PartialEq)]
pub struct StateCell {
    /// Name, unique among the cells and instances of the module.
    pub name: String,
    pub doc: String,
    pub kind: CellKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CellKind {
    /// Register. `q` takes the value of `d` at the edge and starts as `init`. `d` and `q` are
    /// equally wide.
    Register { d: SignalId, q: SignalId, init: BigUint },
    /// Memory of `2^(address width)` words. `read_data` takes the word at `read_address` as it was
    /// before the edge. A write to the same address in the same clock cycle is visible one clock
    /// cycle later. `read_data` starts as zero.
    Memory {
        read_address: SignalId,
        read_data: SignalId,
        /// True if `read_data` is the word at `read_address` at any time, without a clock edge.
        asynchronous: bool,
        /// Absent in a read-only memory.
        write: Option<WritePort>,
        /// First words. The rest starts as zero.
        init: Vec<BigUint>,
    },
    /// Check of `holds` (one bit) before each clock edge. It has no state and no hardware.
    Check { holds: SignalId, goal: CheckGoal },
    /// Print statement: a simulator prints the text at each clock edge before which `enable` (one bit)
    /// is set. It has no state and no hardware.
    Print {
        enable: SignalId,
        /// Words in the text, by number.
        words: Vec<SignalId>,
        text: Vec<PrintPart>,
    },
}

impl CellKind {
    /// Returns all pins for writing. Those of a memory are read address, read data, write address,
    /// write data and write enable.
    pub fn pins_mut(&mut self) -> Vec<&mut SignalId> {
        match self {
            CellKind::Register { d, q, .. } => vec![d, q],
            CellKind::Memory { read_address, read_data, write, .. } => {
                let mut pins = vec![read_address, read_data];
                if let Some(port) = write {
                    pins.extend([&mut port.address, &mut port.data, &mut port.enable]);
                }
                pins
            }
            CellKind::Check { holds, .. } => vec![holds],
            CellKind::Print { enable, words, .. } => [enable].into_iter().chain(words).collect(),
        }
    }
}

/// Write port of a memory. At the clock edge the word at `address` becomes `data` if `enable` (one
/// bit) is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePort {
    pub address: SignalId,
    pub data: SignalId,
    pub enable: SignalId,
    /// Promise that no clock cycle writes the word that it reads, and that nothing depends on
    /// `read_data` before the first edge. Engines check the first half. Both allow smaller
    /// hardware.
    pub disjoint: bool,
}

/// Module inside a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name, unique among the cells and instances of the module (`nodes[3]`).
    pub name: String,
    pub module: ModuleId,
    /// Pin in this module for every port of the child, in the order of [`DesignModule::ports`]. An input
    /// has a `PinIn`, an output a `PinOut`.
    pub pins: Vec<SignalId>,
}

// Types of words: plain bits, enums and structs.

/// Width of a word and its representation for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Unsigned number of this many bits, at least one.
    Bits(u32),
    Enum(Arc<EnumType>),
    Struct(Arc<StructType>),
}

/// Named values. The encoding of a variant is its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    pub name: String,
    pub width: u32,
    pub variants: Vec<String>,
}

/// Fields packed from the least significant bit up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructType {
    pub name: String,
    pub fields: Vec<FieldType>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub name: String,
    /// Position of the least significant bit.
    pub offset: u32,
    pub ty: Type,
}

impl Type {
    /// Type of a single bit.
    pub const BIT: Type = Type::Bits(1);

    /// Returns the width in bits.
    pub fn width(&self) -> u32 {
        match self {
            Type::Bits(width) => *width,
            Type::Enum(e) => e.width,
            Type::Struct(s) => s.fields.iter().map(|f| f.ty.width()).sum(),
        }
    }

    /// Returns the highest value, with all bits set.
    pub fn mask(&self) -> BigUint {
        (BigUint::from(1u8) << self.width()) - 1u8
    }
}

// Expressions of the word-level description.

/// Position in [`DesignModule::exprs`](DesignModule::exprs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

impl ExprId {
    /// Returns the position in the list of expressions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operation and the type of its result.
///
/// An expression belongs to the statement that uses it and is evaluated there.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub op: ExprOp,
    pub ty: Type,
}

impl Expr {
    /// Returns the width of the result in bits.
    pub fn width(&self) -> u32 {
        self.ty.width()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprOp {
    /// Constant that fits the width of the expression.
    Const(BigUint),
    /// Value of a signal at this point of the body.
    Read(SignalId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `cond` has one bit. `then` and `otherwise` have the width of the result.
    Mux {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// Operand zero-extended or truncated to the width of the result.
    Resize(ExprId),
    /// Bits from `offset` up, as many as the result is wide. All of them exist.
    Slice {
        value: ExprId,
        offset: u32,
    },
    /// One bit of `value`. Every value of `index` is below the width of `value`.
    BitAt {
        value: ExprId,
        index: ExprId,
    },
    /// `value` with one bit replaced. Every value of `index` is below its width.
    ReplaceBit {
        value: ExprId,
        index: ExprId,
        bit: ExprId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Inverts every bit. The result is as wide as the operand.
    Not,
    /// One bit: all bits are set.
    All,
    /// One bit: some bit is set.
    Any,
    /// One bit: an odd number of bits is set.
    Parity,
}

/// Binary operation. Both operands are equally wide, except for shifts. The result of the first
/// six is also as wide. Comparisons are unsigned and their result is one bit. Sums, differences and
/// products wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Left shift. The result is as wide as the left operand. The right operand is an unsigned
    /// number of any width. Bits shifted out are lost.
    Shl,
    Shr,
}

impl BinaryOp {
    /// Returns true if the result is one bit for operands of any width.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Returns true if the right operand may differ in width from the left one.
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }
}

impl ExprOp {
    /// Returns the operands, in order.
    pub fn operands(&self) -> Vec<ExprId> {
        match *self {
            ExprOp::Const(_) | ExprOp::Read(_) => vec![],
            ExprOp::Unary(_, a) | ExprOp::Resize(a) | ExprOp::Slice { value: a, .. } => vec![a],
            ExprOp::Binary(_, a, b) => vec![a, b],
            ExprOp::BitAt { value, index } => vec![value, index],
            ExprOp::Mux { cond, then, otherwise } => vec![cond, then, otherwise],
            ExprOp::ReplaceBit { value, index, bit } => vec![value, index, bit],
        }
    }

    /// Returns the same operation with each operand replaced by `new`.
    #[must_use]
    pub fn map_operands(self, new: impl Fn(ExprId) -> ExprId) -> ExprOp {
        match self {
            ExprOp::Const(_) | ExprOp::Read(_) => self,
            ExprOp::Unary(op, a) => ExprOp::Unary(op, new(a)),
            ExprOp::Binary(op, a, b) => ExprOp::Binary(op, new(a), new(b)),
            ExprOp::Mux { cond, then, otherwise } => {
                ExprOp::Mux { cond: new(cond), then: new(then), otherwise: new(otherwise) }
            }
            ExprOp::Resize(a) => ExprOp::Resize(new(a)),
            ExprOp::Slice { value, offset } => ExprOp::Slice { value: new(value), offset },
            ExprOp::BitAt { value, index } => {
                ExprOp::BitAt { value: new(value), index: new(index) }
            }
            ExprOp::ReplaceBit { value, index, bit } => {
                ExprOp::ReplaceBit { value: new(value), index: new(index), bit: new(bit) }
            }
        }
    }
}

// Statements of the word-level description.

/// Source location of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Part of a signal: `width` bits from `offset` up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub offset: u32,
    pub width: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Assign {
        target: SignalId,
        /// Part to assign, or `None` for the whole signal.
        slice: Option<Slice>,
        /// Value, as wide as the part.
        value: ExprId,
        origin: SourceLocation,
    },
    If {
        /// Condition of one bit.
        cond: ExprId,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Case(CaseStmt),
}

/// Case statement that executes the first arm that lists the value of `subject`, or `default` if
/// there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseStmt {
    pub subject: ExprId,
    pub arms: Vec<CaseArm>,
    pub default: Vec<Stmt>,
    /// Values of the default, if the source names them (the last arm of an exhaustive match). They
    /// are only documentation.
    pub default_values: Vec<BigUint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    pub values: Vec<BigUint>,
    pub body: Vec<Stmt>,
}

/// Modules of a design under construction, children before parents.
#[derive(Debug, Default)]
pub struct Library {
    modules: Vec<DesignModule>,
}

impl Library {
    /// Adds all modules of a design and returns its top module. A module that already exists is
    /// shared. A different module of the same name gets a number (`uart_2`).
    pub fn add(&mut self, design: &Design) -> ModuleId {
        let mut ids: Vec<ModuleId> = vec![];
        for module in &design.modules {
            let mut module = module.clone();
            for instance in &mut module.instances {
                instance.module = ids[instance.module.index()];
            }
            ids.push(self.add_module(module));
        }
        ids[design.top.index()]
    }

    /// Adds a module. Its instances must refer to modules of the library.
    pub fn add_module(&mut self, mut module: DesignModule) -> ModuleId {
        let name = module.name.clone();
        for number in 2.. {
            match self.modules.iter().position(|m| m.name == module.name) {
                Some(i) if self.modules[i] == module => return ModuleId(i as u32),
                Some(_) => module.name = format!("{name}_{number}"),
                None => break,
            }
        }
        self.modules.push(module);
        ModuleId(self.modules.len() as u32 - 1)
    }

    pub fn module(&self, id: ModuleId) -> &DesignModule {
        &self.modules[id.index()]
    }

    /// Returns the design with this top module.
    pub fn finish(self, top: ModuleId) -> Design {
        Design { modules: self.modules, top }
    }
}

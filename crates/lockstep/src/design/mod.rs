//! A hierarchical word-level description of a synchronous circuit.
//!
//! A [`Design`] is a list of [`Module`]s, children before parents. The
//! behaviour of a module is a list of statements ([`Stmt`]) executed from top
//! to bottom whenever something they read has changed; what is left in a signal
//! at the end is its value. State lives in [`Cell`]s only and all cells of a
//! design are clocked by the rising edge of one clock, which is therefore not a
//! signal: a module just says whether it has a clock pin ([`Module::clock`]).
//!
//! All values are unsigned words of a fixed width of at least one bit.
//! A [`Builder`] makes a module, a [`Library`] a design of several; [`check`]
//! says what a well-formed design is.

mod builder;
pub mod check;
mod clock_enable;
mod expr;
mod library;
mod stmt;
mod types;

pub use builder::{Builder, CaseBuilder, ReadPort, RegisterPins};
pub use expr::{BinaryOp, Expr, ExprId, Op, UnaryOp};
pub use library::Library;
pub use stmt::{Case, CaseArm, Origin, Slice, Stmt};
pub use types::{EnumType, FieldType, StructType, Type};

use num_bigint::BigUint;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the list that this id points into.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Points into [`Design::modules`].
    ModuleId
);
id!(
    /// Points into [`Module::signals`].
    SignalId
);

/// A circuit: modules, children before parents, and the one on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    pub modules: Vec<Module>,
    pub top: ModuleId,
}

/// A design of one module, which has no instances.
impl From<Module> for Design {
    fn from(module: Module) -> Self {
        Design {
            modules: vec![module],
            top: ModuleId(0),
        }
    }
}

impl Design {
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }

    pub fn top(&self) -> &Module {
        self.module(self.top)
    }
}

/// One distinct block.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Module {
    /// A Verilog identifier, unique in the design (`pin_mux`).
    pub name: String,
    /// What the block is: the text of its doc comment, may be empty.
    pub doc: String,
    /// The values that the block was generated for (`DIMS = 4`).
    pub params: Vec<Param>,
    /// The name of the clock pin, if the module or a module in it has a cell.
    pub clock: Option<String>,
    pub signals: Vec<Signal>,
    pub cells: Vec<Cell>,
    pub instances: Vec<Instance>,
    /// The expressions of the body; operands stand before their users.
    pub exprs: Vec<Expr>,
    pub body: Vec<Stmt>,
}

impl Module {
    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.index()]
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The ports in order of declaration, the clock not among them.
    pub fn ports(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.signals
            .iter()
            .enumerate()
            .filter(|(_, s)| matches!(s.kind, SignalKind::Input | SignalKind::Output))
            .map(|(i, s)| (SignalId(i as u32), s))
    }

    /// The port with this name.
    pub fn port(&self, name: &str) -> Option<(SignalId, &Signal)> {
        self.ports().find(|(_, s)| s.name == name)
    }
}

/// A named value that a module was generated for; documentation only, what
/// follows from it is already in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub value: String,
}

/// A named word in a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Unique in the module. Parts of a path are joined by a dot
    /// (`state.d`, `nodes[3].line`): backends make identifiers of it.
    pub name: String,
    pub ty: Type,
    pub kind: SignalKind,
    /// The doc comment of the field, may be empty.
    pub doc: String,
}

impl Signal {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.ty.width()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A port that the surroundings drive; never assigned in the body.
    Input,
    /// A port that the body drives.
    Output,
    /// Driven by the body.
    Local,
    /// A `let`: assigned once, before it is read, in the statement list where
    /// it is used or in one around it.
    Let,
    /// A pin of a cell or instance that the body drives; never read.
    PinIn,
    /// A pin of a cell or instance that drives the body; never assigned.
    PinOut,
    /// A value fixed at generation; never assigned.
    Constant(BigUint),
}

/// Something that holds state. Every cell changes on the rising clock edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Unique among the cells and instances of the module.
    pub name: String,
    pub doc: String,
    pub kind: CellKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CellKind {
    /// `q` takes the value of `d`; it starts as `init`. `d` and `q` are equally
    /// wide.
    Register {
        d: SignalId,
        q: SignalId,
        init: BigUint,
    },
    /// `2^address width` words. `read_data` takes the word at `read_address` as
    /// it was before the edge (a write to the same address in the same clock
    /// cycle is seen one clock cycle later); it starts as zero.
    Memory {
        read_address: SignalId,
        read_data: SignalId,
        /// Absent in a read-only memory.
        write: Option<WritePort>,
        /// The first words; the rest starts as zero.
        init: Vec<BigUint>,
    },
}

/// The write port of a memory: at the clock edge the word at `address` becomes
/// `data` if the one bit `enable` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePort {
    pub address: SignalId,
    pub data: SignalId,
    pub enable: SignalId,
    /// A promise: the word that is written is never the one that is read in the
    /// same clock cycle, and nothing depends on what `read_data` is before the
    /// first edge. Engines hold the circuit to the first half; hardware may be
    /// smaller for both.
    pub disjoint: bool,
}

/// A module inside a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Unique among the cells and instances of the module (`nodes[3]`).
    pub name: String,
    pub module: ModuleId,
    /// For every port of the child, in the order of [`Module::ports`], the
    /// pin in this module: a `PinIn` for an input, a `PinOut` for an output.
    pub pins: Vec<SignalId>,
}

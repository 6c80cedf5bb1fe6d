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
mod expr;
mod library;
mod stmt;
mod types;

pub use builder::{Builder, CaseBuilder, ReadPort, RegisterPins};
pub use expr::{BinaryOp, Expr, ExprId, ExprOp, UnaryOp};
pub use library::Library;
pub use stmt::{CaseArm, CaseStmt, Slice, SourceLocation, Stmt};
pub use types::{EnumType, FieldType, StructType, Type};

use num_bigint::BigUint;

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
        Design {
            modules: vec![module],
            top: ModuleId(0),
        }
    }
}

impl Design {
    pub fn module(&self, id: ModuleId) -> &DesignModule {
        &self.modules[id.index()]
    }

    pub fn top(&self) -> &DesignModule {
        self.module(self.top)
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
    /// Backends turn it into an identifier.
    pub name: String,
    pub ty: Type,
    pub kind: SignalKind,
    /// Doc comment of the field, may be empty.
    pub doc: String,
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
    Register {
        d: SignalId,
        q: SignalId,
        init: BigUint,
    },
    /// Memory of `2^(address width)` words. `read_data` takes the word at `read_address` as it was
    /// before the edge. A write to the same address in the same clock cycle is visible one clock
    /// cycle later. `read_data` starts as zero.
    Memory {
        read_address: SignalId,
        read_data: SignalId,
        /// Absent in a read-only memory.
        write: Option<WritePort>,
        /// First words. The rest starts as zero.
        init: Vec<BigUint>,
    },
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

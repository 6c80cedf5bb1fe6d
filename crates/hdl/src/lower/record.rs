//! State of a kernel while it runs over symbolic values: the statements and expressions so far.
//! Every operator can access this state.

use super::{Description, LowerError};
use crate::fold;
use crate::rust_hdl::hook::{answer, rejecting_verilog, request, BranchTrace};
use crate::rust_hdl::types::{bits_of, type_of};
use crate::rust_hdl::{Block, SignalAddress, Synth, TypeDescriptor, Verilog};
use lockstep::design::{
    CheckGoal, Expr, ExprId, ExprOp, PrintPart, SignalId, SourceLocation, Stmt, Type,
};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::panic::Location;

/// Meaning of a recorded [`SignalId`] until the block is built.
#[derive(PartialEq)]
pub(crate) enum RecordedSignal {
    At(SignalAddress),
    Let {
        name: String,
        ty: Type,
        /// Whether it is a `let mut`.
        mutable: bool,
    },
    /// Enable or word of the print statement with this number. Words have numbers.
    PrintPin {
        print: usize,
        word: Option<usize>,
        ty: Type,
    },
}

/// Print statement: its pins and its text.
#[derive(PartialEq)]
pub(crate) struct PrintRecord {
    pub enable: SignalId,
    pub words: Vec<SignalId>,
    pub text: Vec<PrintPart>,
    pub origin: SourceLocation,
}

/// Kernel after it was read.
pub(crate) struct KernelRecord {
    pub description: Description,
    pub signals: Vec<RecordedSignal>,
    pub exprs: Vec<Expr>,
    pub body: Vec<Stmt>,
    pub prints: Vec<PrintRecord>,
}

impl KernelRecord {
    fn same_as(&self, other: &Self) -> bool {
        self.signals == other.signals
            && self.exprs == other.exprs
            && self.body == other.body
            && self.prints == other.prints
    }
}

/// State-holding cell: its kind and the addresses of its pins.
pub(crate) enum CellRecord {
    Register {
        d: SignalAddress,
        q: SignalAddress,
        init: BigUint,
        turns: usize,
    },
    Check {
        holds: SignalAddress,
        goal: CheckGoal,
    },
    Memory {
        read_address: SignalAddress,
        read_data: SignalAddress,
        asynchronous: bool,
        write: Option<[SignalAddress; 3]>,
        disjoint: bool,
        /// Number of address bits that select a word.
        decoded: usize,
        turns: usize,
        init: Vec<BigUint>,
    },
}

pub(crate) enum BlockRecord {
    Kernel(KernelRecord),
    Cell(CellRecord),
    Bundle(BundleRecord),
}

/// Bundle: how its members are named, and their documentation.
pub(crate) struct BundleRecord {
    pub flat: bool,
    pub docs: &'static [(&'static str, &'static str)],
}

/// Kernel while it is read.
#[derive(Default)]
pub(crate) struct KernelRecording {
    signals: Vec<RecordedSignal>,
    by_address: HashMap<SignalAddress, SignalId>,
    constants: HashMap<SignalId, BigUint>,
    /// Values of the `let`s that are known at generation.
    lets: HashMap<SignalId, BigUint>,
    exprs: Vec<Expr>,
    /// Value of each expression that is known at generation.
    values: Vec<Option<BigUint>>,
    /// Open statement lists, the innermost last. Never empty.
    lists: Vec<Vec<Stmt>>,
    prints: Vec<PrintRecord>,
    errors: Vec<LowerError>,
    /// For each branch in order, whether it was run.
    taken: VecDeque<bool>,
}

impl KernelRecording {
    fn new() -> Self {
        KernelRecording { lists: vec![vec![]], ..Default::default() }
    }

    /// Returns the value of the expression if it is a constant: a number or a parameter. Such a
    /// condition decides which branch exists.
    pub fn known(&self, e: ExprId) -> Option<&BigUint> {
        match &self.exprs[e.index()].op {
            ExprOp::Const(value) => Some(value),
            ExprOp::Read(signal) => self.constants.get(signal),
            _ => None,
        }
    }

    /// Returns the value of the expression if it is known at generation: a constant, or computed
    /// from constants by operators. Comparisons, positions and `match` use this value.
    pub fn value(&self, e: ExprId) -> Option<&BigUint> {
        self.values[e.index()].as_ref()
    }

    pub fn width(&self, e: ExprId) -> u32 {
        self.exprs[e.index()].width()
    }

    /// Returns the greatest value of the expression, from its known value or its width.
    pub fn max(&self, e: ExprId) -> BigUint {
        match self.value(e) {
            Some(value) => value.clone(),
            None => (BigUint::one() << self.width(e)) - 1u32,
        }
    }

    /// Returns the number of values of the expression's type.
    pub fn count(&self, e: ExprId) -> BigUint {
        count_of(&self.exprs[e.index()].ty)
    }

    pub fn push(&mut self, op: ExprOp, ty: Type) -> ExprId {
        let value = match &op {
            ExprOp::Read(signal) => {
                let constant = self.constants.get(signal);
                constant.or_else(|| self.lets.get(signal)).cloned()
            }
            op => {
                let of = |e| self.value(e).cloned();
                fold::value(op, ty.width(), |e| self.width(e), of)
            }
        };
        // A comparison of known values decides which branch of an `if` exists, as when Rust runs
        // it.
        let op = match (&op, &value) {
            (ExprOp::Binary(comparison, ..), Some(value)) if comparison.is_comparison() => {
                ExprOp::Const(value.clone())
            }
            _ => op,
        };
        self.values.push(value);
        self.exprs.push(Expr { op, ty });
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub fn constant(&mut self, value: BigUint, ty: Type) -> ExprId {
        self.push(ExprOp::Const(value), ty)
    }

    pub fn bit(&mut self, value: bool) -> ExprId {
        self.constant(BigUint::from(value as u8), Type::BIT)
    }

    pub fn signal_at(&mut self, address: SignalAddress) -> SignalId {
        if let Some(id) = self.by_address.get(&address) {
            return *id;
        }
        let id = self.new_signal(RecordedSignal::At(address));
        self.by_address.insert(address, id);
        id
    }

    pub fn constant_signal(&mut self, address: SignalAddress, value: BigUint) -> SignalId {
        let id = self.signal_at(address);
        self.constants.insert(id, value);
        id
    }

    fn new_signal(&mut self, named: RecordedSignal) -> SignalId {
        self.signals.push(named);
        SignalId(self.signals.len() as u32 - 1)
    }

    /// Evaluates the expression at this point and gives it a name.
    pub fn bind(&mut self, name: &str, value: ExprId, origin: SourceLocation) -> ExprId {
        if self.known(value).is_some() {
            return value;
        }
        let ty = self.exprs[value.index()].ty.clone();
        let target = self.new_signal(RecordedSignal::Let {
            name: name.to_string(),
            ty: ty.clone(),
            mutable: false,
        });
        if let Some(known) = self.value(value).cloned() {
            self.lets.insert(target, known);
        }
        self.set(target, value, origin);
        self.push(ExprOp::Read(target), ty)
    }

    /// Creates a variable with this value. Its value is never known at generation, because a branch
    /// may assign it.
    pub fn variable(&mut self, name: &str, value: ExprId, origin: SourceLocation) -> ExprId {
        let ty = self.exprs[value.index()].ty.clone();
        let target = self.new_signal(RecordedSignal::Let {
            name: name.to_string(),
            ty: ty.clone(),
            mutable: true,
        });
        self.set(target, value, origin);
        self.push(ExprOp::Read(target), ty)
    }

    /// Assigns the variable that this expression reads.
    pub fn reassign(&mut self, variable: ExprId, value: ExprId, origin: SourceLocation) {
        match self.exprs[variable.index()].op {
            ExprOp::Read(target) => self.set(target, value, origin),
            _ => self.refuse(origin, "only a `let mut` can be assigned".into()),
        }
    }

    fn set(&mut self, target: SignalId, value: ExprId, origin: SourceLocation) {
        self.statement(Stmt::Assign { target, slice: None, value, origin });
    }

    /// Records a print statement: at this point it is enabled and takes its words. They are 0 where
    /// the point is not reached.
    pub fn print(&mut self, text: Vec<PrintPart>, words: &[ExprId], origin: SourceLocation) {
        let print = self.prints.len();
        let pin =
            |r: &mut Self, word, ty| r.new_signal(RecordedSignal::PrintPin { print, word, ty });
        let enable = pin(self, None, Type::BIT);
        let on = self.bit(true);
        self.set(enable, on, origin);
        let mut pins = vec![];
        for (number, word) in words.iter().enumerate() {
            let ty = self.exprs[word.index()].ty.clone();
            let pin = pin(self, Some(number), ty);
            self.set(pin, *word, origin);
            pins.push(pin);
        }
        self.prints.push(PrintRecord { enable, words: pins, text, origin });
    }

    /// Returns the statements that give the pins of all print statements their value 0.
    fn print_defaults(&mut self) -> Vec<Stmt> {
        let mut defaults = vec![];
        for i in 0..self.prints.len() {
            let PrintRecord { enable, words, origin, .. } = &self.prints[i];
            let (pins, origin) = ([*enable].into_iter().chain(words.clone()), *origin);
            for target in pins.collect::<Vec<_>>() {
                let RecordedSignal::PrintPin { ty, .. } = &self.signals[target.index()] else {
                    unreachable!("a pin of a print statement");
                };
                let value = self.constant(BigUint::zero(), ty.clone());
                defaults.push(Stmt::Assign { target, slice: None, value, origin });
            }
        }
        defaults
    }

    pub fn statement(&mut self, stmt: Stmt) {
        self.lists.last_mut().expect("a list is open").push(stmt);
    }

    /// Records whether the next branch is run, and returns it.
    pub fn take(&mut self, run: bool) -> bool {
        self.taken.push_back(run);
        run
    }

    pub fn open_list(&mut self) {
        self.lists.push(vec![]);
    }

    pub fn close_list(&mut self) -> Vec<Stmt> {
        self.lists.pop().expect("a list is open")
    }

    /// Reports code outside the subset. The recording continues, so that one run finds all errors.
    pub fn refuse(&mut self, origin: SourceLocation, message: String) {
        self.errors.push(LowerError::at(origin, message));
    }
}

fn count_of(ty: &Type) -> BigUint {
    match ty {
        Type::Bits(width) => BigUint::one() << *width,
        Type::Enum(e) => e.variants.len().into(),
        Type::Struct(s) => s.fields.iter().map(|field| count_of(&field.ty)).product(),
    }
}

thread_local! {
    /// Recording of the kernel that is being read.
    static RECORDING: RefCell<Option<KernelRecording>> = const { RefCell::new(None) };
}

/// Returns the location of the caller in the kernel, for functions with `#[track_caller]`.
#[track_caller]
pub(crate) fn here() -> SourceLocation {
    let at = Location::caller();
    SourceLocation { file: at.file(), line: at.line(), column: at.column() }
}

/// Runs `f` on the active recording.
pub(crate) fn with_recording<R>(f: impl FnOnce(&mut KernelRecording) -> R) -> R {
    RECORDING.with_borrow_mut(|recording| match recording {
        Some(recording) => f(recording),
        None => panic!("symbolic words exist only while a kernel is lowered"),
    })
}

/// Answer of a block to the walker.
type BlockAnswer = (BlockRecord, Vec<LowerError>);

/// Reads the record of a block; `None` if the block has no kernel and is not a cell.
pub(crate) fn read_record(block: &dyn Block) -> (Option<BlockRecord>, Vec<LowerError>) {
    match request::<BlockAnswer>(&|| block.hdl()) {
        Some((record, errors)) => (Some(record), errors),
        None => (None, vec![]),
    }
}

/// Body of `hdl` that `#[kernel]` writes.
#[doc(hidden)]
pub fn record(description: fn() -> Description, body: &dyn Fn()) -> Verilog {
    answer::<BlockAnswer>(|| {
        let (record, errors) = kernel_record(description(), body);
        (BlockRecord::Kernel(record), errors)
    });
    answer(|| BranchTrace(run(body).taken));
    rejecting_verilog()
}

fn kernel_record(description: Description, body: &dyn Fn()) -> (KernelRecord, Vec<LowerError>) {
    let read = || {
        let mut recording = run(body);
        let mut body = recording.print_defaults();
        body.extend(recording.close_list());
        let record = KernelRecord {
            description: description.clone(),
            body,
            prints: recording.prints,
            signals: recording.signals,
            exprs: recording.exprs,
        };
        (record, recording.errors)
    };
    let (first, mut errors) = read();
    let (second, again) = read();
    if errors != again || !first.same_as(&second) {
        errors.push(LowerError {
            origin: description.place,
            message: format!(
                "{}: the kernel does something else each time it is read: a function that it calls is not pure",
                description.path
            ),
        });
    }
    (first, errors)
}

/// Runs code that may create symbolic words, and discards the words.
#[doc(hidden)]
pub fn dry_run(body: &mut dyn FnMut()) {
    let before = RECORDING.replace(Some(KernelRecording::new()));
    body();
    RECORDING.set(before);
}

fn run(body: &dyn Fn()) -> KernelRecording {
    let before = RECORDING.replace(Some(KernelRecording::new()));
    body();
    let recording = RECORDING.replace(before);
    recording.expect("the recording was put there above")
}

/// Body of `hdl` for a cell that stores words of type `T`.
pub(crate) fn answer_cell<T: Synth>(cell: impl FnOnce() -> CellRecord) -> Verilog {
    answer::<BlockAnswer>(|| {
        let cell = cell();
        let starts_as_default = matches!(cell, CellRecord::Memory { .. });
        let errors = match starts_as_default && !bits_of(T::default()).is_zero() {
            true => vec![LowerError::new(format!(
                "a memory starts as zero, but the default of {} is not; its words must start as zero",
                std::any::type_name::<T>()
            ))],
            false => vec![],
        };
        (BlockRecord::Cell(cell), errors)
    });
    rejecting_verilog()
}

/// Body of `hdl` for a bundle.
#[doc(hidden)]
pub fn answer_bundle(flat: bool, docs: &'static [(&'static str, &'static str)]) -> Verilog {
    answer::<BlockAnswer>(|| (BlockRecord::Bundle(BundleRecord { flat, docs }), vec![]));
    rejecting_verilog()
}

/// Returns the type of a word. Types outside the subset are rejected.
#[track_caller]
pub(crate) fn checked_type<T: Synth>() -> Type {
    type_or_error(T::descriptor(), T::BITS, here())
}

fn type_or_error(descriptor: TypeDescriptor, width: usize, origin: SourceLocation) -> Type {
    type_of(&descriptor).unwrap_or_else(|message| {
        with_recording(|r| r.refuse(origin, message));
        Type::Bits(width.max(1) as u32)
    })
}

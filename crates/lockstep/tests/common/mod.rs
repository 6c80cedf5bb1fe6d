//! Helpers of the tests: designs built by hand, and random numbers.

pub mod generator;
pub mod interpreter;

use lockstep::design::check::check;
use lockstep::design::*;
use lockstep::eval::Evaluator;
use lockstep::lanes::Backend;
use lockstep::netlist::{flatten, FlattenError};
use num_bigint::BigUint;

/// SplitMix64.
pub struct TestRandom(pub u64);

impl TestRandom {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Returns a random word of this many bits. All zeros, all ones and long runs of either are
    /// frequent.
    pub fn word(&mut self, width: u32) -> BigUint {
        let mask = Type::Bits(width).mask();
        let mut word = BigUint::from(0u8);
        match self.below(8) {
            0 => return word,
            1 => return mask,
            2 => return mask >> self.below(width.into()),
            _ => {}
        }
        for _ in 0..width.div_ceil(64) {
            word = (word << 64) | BigUint::from(self.next());
        }
        word & mask
    }
}

/// Returns the backends that this processor can run.
pub fn backends() -> Vec<Backend> {
    Backend::ALL.into_iter().filter(|b| b.is_available()).collect()
}

pub fn big(value: u64) -> BigUint {
    BigUint::from(value)
}

/// Module under construction.
#[derive(Default)]
pub struct TestBuilder {
    pub module: DesignModule,
    line: u32,
}

impl TestBuilder {
    pub fn new(name: &str) -> Self {
        let mut builder = TestBuilder::default();
        builder.module.name = name.into();
        builder
    }

    pub fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        self.typed(name, Type::Bits(width), kind)
    }

    pub fn typed(&mut self, name: &str, ty: Type, kind: SignalKind) -> SignalId {
        self.module.signals.push(DesignSignal { name: name.into(), ty, kind, doc: String::new() });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    pub fn input(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Input)
    }

    pub fn output(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Output)
    }

    pub fn local(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Local)
    }

    /// Adds a register and returns its pins `d` and `q`.
    pub fn register(&mut self, name: &str, width: u32, init: u64) -> (SignalId, SignalId) {
        let d = self.signal(&format!("{name}.d"), width, SignalKind::PinIn);
        let q = self.signal(&format!("{name}.q"), width, SignalKind::PinOut);
        let init = big(init);
        self.cell(name, CellKind::Register { d, q, init });
        (d, q)
    }

    pub fn cell(&mut self, name: &str, kind: CellKind) {
        self.module.clock = Some("clock".into());
        self.module.cells.push(StateCell { name: name.into(), doc: String::new(), kind });
    }

    /// Adds an instance and returns its pins, named after the ports and in their order.
    pub fn instance(&mut self, name: &str, id: u32, child: &DesignModule) -> Vec<SignalId> {
        let pins: Vec<SignalId> = child
            .ports()
            .map(|(_, port)| {
                let kind = match port.kind {
                    SignalKind::Input => SignalKind::PinIn,
                    _ => SignalKind::PinOut,
                };
                self.typed(&format!("{name}.{}", port.name), port.ty.clone(), kind)
            })
            .collect();
        if child.clock.is_some() {
            self.module.clock = Some("clock".into());
        }
        self.module.instances.push(Instance {
            name: name.into(),
            module: ModuleId(id),
            pins: pins.clone(),
        });
        pins
    }

    pub fn width(&self, id: ExprId) -> u32 {
        self.module.expr(id).width()
    }

    pub fn expr(&mut self, op: ExprOp, width: u32) -> ExprId {
        let ty = Type::Bits(width);
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    pub fn constant(&mut self, value: u64, width: u32) -> ExprId {
        self.expr(ExprOp::Const(big(value)), width)
    }

    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let width = self.module.signal(signal).width();
        self.expr(ExprOp::Read(signal), width)
    }

    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let width = if op == UnaryOp::Not { self.width(a) } else { 1 };
        self.expr(ExprOp::Unary(op, a), width)
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let width = if op.is_comparison() { 1 } else { self.width(a) };
        self.expr(ExprOp::Binary(op, a, b), width)
    }

    pub fn slice(&mut self, value: ExprId, offset: u32, width: u32) -> ExprId {
        self.expr(ExprOp::Slice { value, offset }, width)
    }

    /// Makes an assignment with its own line number in `test.rs`.
    pub fn assign(&mut self, target: SignalId, value: ExprId) -> Stmt {
        self.assign_part(target, None, value)
    }

    pub fn assign_slice(&mut self, target: SignalId, offset: u32, value: ExprId) -> Stmt {
        let width = self.width(value);
        self.assign_part(target, Some(Slice { offset, width }), value)
    }

    fn assign_part(&mut self, target: SignalId, slice: Option<Slice>, value: ExprId) -> Stmt {
        self.line += 1;
        let origin = SourceLocation { file: "test.rs", line: self.line, column: 5 };
        Stmt::Assign { target, slice, value, origin }
    }

    /// Appends an assignment to the body.
    pub fn drive(&mut self, target: SignalId, value: ExprId) {
        let stmt = self.assign(target, value);
        self.module.body.push(stmt);
    }

    /// Appends the assignment of one signal to another.
    pub fn connect(&mut self, target: SignalId, from: SignalId) {
        let value = self.read(from);
        self.drive(target, value);
    }

    pub fn design(self) -> Design {
        design(vec![self.module])
    }

    pub fn evaluator(self) -> Evaluator {
        evaluator(&self.design())
    }

    /// Returns the faults that [`check`] reports for a design of this module alone.
    pub fn faults(self) -> Vec<String> {
        faults(&self.design())
    }
}

pub fn if_(cond: ExprId, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    Stmt::If { cond, then, otherwise }
}

pub fn arm(values: &[u64], body: Vec<Stmt>) -> CaseArm {
    CaseArm { values: values.iter().copied().map(big).collect(), body }
}

pub fn case(subject: ExprId, arms: Vec<CaseArm>, default: Vec<Stmt>) -> Stmt {
    Stmt::Case(CaseStmt { subject, arms, default, default_values: vec![] })
}

/// Makes a design whose top is the last module.
pub fn design(modules: Vec<DesignModule>) -> Design {
    let top = ModuleId(modules.len() as u32 - 1);
    Design { modules, top }
}

pub fn evaluator(design: &Design) -> Evaluator {
    Evaluator::new(flatten(design).unwrap_or_else(|error| panic!("{error}")))
}

pub fn faults(design: &Design) -> Vec<String> {
    let faults = check(design).expect_err("this design has a fault");
    faults.iter().map(|fault| fault.to_string()).collect()
}

pub fn flatten_error(design: &Design) -> FlattenError {
    flatten(design).expect_err("this design can't be flattened")
}

/// Access to ports and signals by name.
pub trait ByName {
    fn put(&mut self, input: &str, value: u64);
    fn put_big(&mut self, input: &str, value: &BigUint);
    fn at(&self, path: &str) -> u64;
    fn at_big(&self, path: &str) -> BigUint;
}

impl ByName for Evaluator {
    fn put(&mut self, input: &str, value: u64) {
        let net = self.netlist().input(input).expect(input);
        self.set(net, value);
    }

    fn put_big(&mut self, input: &str, value: &BigUint) {
        let net = self.netlist().input(input).expect(input);
        self.set_big(net, value);
    }

    fn at(&self, path: &str) -> u64 {
        self.get(self.netlist().find(path).expect(path))
    }

    fn at_big(&self, path: &str) -> BigUint {
        self.get_big(self.netlist().find(path).expect(path))
    }
}

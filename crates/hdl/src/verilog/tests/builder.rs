//! Builder for small test circuits.

use lockstep::design::*;

const ORIGIN: SourceLocation = SourceLocation { file: "by hand", line: 1, column: 1 };

/// Module under construction.
#[derive(Default)]
pub struct PrinterTestBuilder {
    pub module: DesignModule,
}

impl PrinterTestBuilder {
    pub fn new(name: &str) -> PrinterTestBuilder {
        let mut builder = PrinterTestBuilder::default();
        builder.module.name = name.into();
        builder
    }

    pub fn signal(&mut self, name: &str, ty: impl Into<TestType>, kind: SignalKind) -> SignalId {
        self.module.signals.push(DesignSignal {
            name: name.into(),
            ty: ty.into().0,
            kind,
            doc: String::new(),
        });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    pub fn input(&mut self, name: &str, ty: impl Into<TestType>) -> SignalId {
        self.signal(name, ty, SignalKind::Input)
    }

    pub fn output(&mut self, name: &str, ty: impl Into<TestType>) -> SignalId {
        self.signal(name, ty, SignalKind::Output)
    }

    pub fn local(&mut self, name: &str, ty: impl Into<TestType>) -> SignalId {
        self.signal(name, ty, SignalKind::Local)
    }

    /// Adds a register and returns its `d` and `q`.
    pub fn register(
        &mut self,
        name: &str,
        ty: impl Into<TestType>,
        init: u32,
    ) -> (SignalId, SignalId) {
        self.module.clock = Some("clock".into());
        let ty = ty.into();
        let d = self.signal(&format!("{name}.d"), ty.clone(), SignalKind::PinIn);
        let q = self.signal(&format!("{name}.q"), ty, SignalKind::PinOut);
        self.module.cells.push(StateCell {
            name: name.into(),
            doc: String::new(),
            kind: CellKind::Register { d, q, init: init.into() },
        });
        (d, q)
    }

    /// Adds an instance of the module with this position and returns its pins.
    pub fn instance(&mut self, name: &str, position: u32, child: &DesignModule) -> Vec<SignalId> {
        let mut pins = Vec::new();
        for (_, port) in child.ports() {
            let kind = match port.kind {
                SignalKind::Input => SignalKind::PinIn,
                _ => SignalKind::PinOut,
            };
            pins.push(self.signal(
                &format!("{name}.{}", port.name),
                TestType(port.ty.clone()),
                kind,
            ));
        }
        self.module.instances.push(Instance {
            name: name.into(),
            module: ModuleId(position),
            pins: pins.clone(),
        });
        if child.clock.is_some() {
            self.module.clock = Some("clock".into());
        }
        pins
    }

    pub fn expr(&mut self, op: ExprOp, ty: impl Into<TestType>) -> ExprId {
        let ty = ty.into().0;
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    pub fn constant(&mut self, value: u32, ty: impl Into<TestType>) -> ExprId {
        self.expr(ExprOp::Const(value.into()), ty)
    }

    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let ty = self.module.signal(signal).ty.clone();
        self.expr(ExprOp::Read(signal), TestType(ty))
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = match op.is_comparison() {
            true => Type::BIT,
            false => self.module.expr(a).ty.clone(),
        };
        self.expr(ExprOp::Binary(op, a, b), TestType(ty))
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        let ty = self.module.expr(a).ty.clone();
        self.expr(ExprOp::Unary(UnaryOp::Not, a), TestType(ty))
    }

    pub fn assign(&mut self, target: SignalId, value: ExprId) {
        self.module.body.push(set(target, value));
    }

    /// Returns a design with this module on top of `children`.
    pub fn over(self, mut children: Vec<DesignModule>) -> Design {
        children.push(self.module);
        let design = Design { top: ModuleId(children.len() as u32 - 1), modules: children };
        check::check(&design).expect("a well-formed design");
        design
    }
}

/// Type. A number converts to a width in bits.
#[derive(Clone)]
pub struct TestType(pub Type);

impl From<u32> for TestType {
    fn from(width: u32) -> TestType {
        TestType(Type::Bits(width))
    }
}

pub fn set(target: SignalId, value: ExprId) -> Stmt {
    Stmt::Assign { target, slice: None, value, origin: ORIGIN }
}

pub fn set_part(target: SignalId, offset: u32, width: u32, value: ExprId) -> Stmt {
    Stmt::Assign { target, slice: Some(Slice { offset, width }), value, origin: ORIGIN }
}

pub fn when(cond: ExprId, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    Stmt::If { cond, then, otherwise }
}

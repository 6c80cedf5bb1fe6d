use super::*;
use std::panic::Location;

/// A module in the making, for circuits that are composed by a program rather
/// than written by a person.
///
/// Every statement's [`Origin`] is the line of the program that asked for it.
#[derive(Debug)]
pub struct Builder {
    module: Module,
}

impl Builder {
    /// A module without anything in it; `name` is a Verilog identifier.
    pub fn new(name: &str, doc: &str) -> Self {
        Builder {
            module: Module {
                name: name.into(),
                doc: doc.into(),
                ..Module::default()
            },
        }
    }

    /// Names the value of a parameter for the reader.
    pub fn param(&mut self, name: &str, value: impl ToString) {
        self.module.params.push(Param {
            name: name.into(),
            value: value.to_string(),
        });
    }

    pub fn input(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Input, doc)
    }

    pub fn output(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Output, doc)
    }

    pub fn local(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Local, doc)
    }

    fn signal(&mut self, name: &str, ty: Type, kind: SignalKind, doc: &str) -> SignalId {
        self.module.signals.push(Signal {
            name: name.into(),
            ty,
            kind,
            doc: doc.into(),
        });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    /// A module inside; its pins, named after the ports (`name.port`) and in
    /// their order. The clock is passed on.
    pub fn instance(&mut self, name: &str, id: ModuleId, child: &Module) -> Vec<SignalId> {
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
            self.module.clock = Some("clock".into());
        }
        self.module.instances.push(Instance {
            name: name.into(),
            module: id,
            pins: pins.clone(),
        });
        pins
    }

    fn expr(&mut self, op: Op, ty: Type) -> ExprId {
        self.module.exprs.push(Expr { op, ty });
        ExprId(self.module.exprs.len() as u32 - 1)
    }

    fn ty(&self, id: ExprId) -> Type {
        self.module.expr(id).ty.clone()
    }

    pub fn constant(&mut self, value: impl Into<BigUint>, width: u32) -> ExprId {
        self.expr(Op::Const(value.into()), Type::Bits(width))
    }

    pub fn read(&mut self, signal: SignalId) -> ExprId {
        let ty = self.module.signal(signal).ty.clone();
        self.expr(Op::Read(signal), ty)
    }

    /// One bit of a word; it must exist.
    pub fn bit(&mut self, value: ExprId, offset: u32) -> ExprId {
        match self.module.expr(value).width() {
            1 => value,
            _ => self.expr(Op::Slice { value, offset }, Type::BIT),
        }
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.expr(Op::Unary(UnaryOp::Not, a), self.ty(a))
    }

    /// The operands have the widths that the operation asks for.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = match op.is_comparison() {
            true => Type::BIT,
            false => self.ty(a),
        };
        self.expr(Op::Binary(op, a, b), ty)
    }

    /// Appends the assignment of a signal.
    #[track_caller]
    pub fn assign(&mut self, target: SignalId, value: ExprId) {
        self.assign_part(target, None, value);
    }

    /// Appends the assignment of one bit of a signal.
    #[track_caller]
    pub fn assign_bit(&mut self, target: SignalId, offset: u32, value: ExprId) {
        let slice = Slice { offset, width: 1 };
        let whole = self.module.signal(target).width() == 1;
        self.assign_part(target, (!whole).then_some(slice), value);
    }

    #[track_caller]
    fn assign_part(&mut self, target: SignalId, slice: Option<Slice>, value: ExprId) {
        let here = Location::caller();
        self.module.body.push(Stmt::Assign {
            target,
            slice,
            value,
            origin: Origin {
                file: here.file(),
                line: here.line(),
                column: here.column(),
            },
        });
    }

    /// Appends the assignment of one signal to another.
    #[track_caller]
    pub fn connect(&mut self, target: SignalId, from: SignalId) {
        let value = self.read(from);
        self.assign(target, value);
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The finished module.
    pub fn finish(self) -> Module {
        self.module
    }
}

/// The modules of a design in the making, children before parents.
#[derive(Debug, Default)]
pub struct Library {
    modules: Vec<Module>,
}

impl Library {
    /// Adds all modules of a design; its top. A module that is there already is
    /// shared; a different one of the same name gets a number (`uart_2`).
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

    /// Adds a module whose instances are of modules that are there.
    pub fn add_module(&mut self, mut module: Module) -> ModuleId {
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

    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }

    /// The design with this module on top.
    pub fn finish(self, top: ModuleId) -> Design {
        Design {
            modules: self.modules,
            top,
        }
    }
}

//! Modules that are composed by a program.

mod cells;
mod exprs;
mod parts;
mod stmts;

pub use cells::{ReadPort, RegisterPins};
pub use stmts::CaseBuilder;

use super::*;

/// A module in the making, for circuits that are composed by a program.
///
/// Ports, registers, memories and instances are declared, expressions are made
/// of them, and statements are appended to the body, to be executed in that
/// order. Nothing is checked on the way: [`check`](super::check) does that for
/// the whole design, and names the line of the program that asked for a
/// statement ([`Origin`]).
///
/// What is given as a [`SignalId`] or [`ExprId`] comes from the same builder;
/// another one's is taken for whatever has that number here, or panics.
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

    /// Goes on with a module.
    pub(super) fn resume(module: Module) -> Self {
        Builder { module }
    }

    /// Appends statements that were made for this module.
    pub(super) fn append(&mut self, body: Vec<Stmt>) {
        self.module.body.extend(body);
    }

    /// One more pin of an instance, which the body drives.
    pub(super) fn pin(&mut self, instance: &str, port: &str) -> SignalId {
        self.signal(
            &format!("{instance}.{port}"),
            Type::BIT,
            SignalKind::PinIn,
            "",
        )
    }

    /// The word that the memory with this place among the cells reads gets a pin of its
    /// own; what was the pin is now for the body to drive.
    pub(super) fn take_over(
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

    /// Names the value of a parameter for the reader.
    pub fn param(&mut self, name: &str, value: impl ToString) {
        self.module.params.push(Param {
            name: name.into(),
            value: value.to_string(),
        });
    }

    /// A port that the surroundings drive.
    pub fn input(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Input, doc)
    }

    /// A port that the body drives.
    pub fn output(&mut self, name: &str, ty: Type, doc: &str) -> SignalId {
        self.signal(name, ty, SignalKind::Output, doc)
    }

    /// A signal inside that the body drives.
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
            self.clocked();
        }
        self.module.instances.push(Instance {
            name: name.into(),
            module: id,
            pins: pins.clone(),
        });
        pins
    }

    /// Something in here is clocked.
    fn clocked(&mut self) {
        self.module.clock = Some("clock".into());
    }

    /// The module as it is so far.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The finished module.
    pub fn finish(self) -> Module {
        self.module
    }
}

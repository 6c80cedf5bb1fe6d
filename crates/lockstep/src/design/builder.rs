//! Builder for modules that a program composes.

mod cells;
mod exprs;
mod parts;
mod stmts;

pub use cells::{ReadPort, RegisterPins};
pub use stmts::CaseBuilder;

use super::*;

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
            module: DesignModule {
                name: name.into(),
                doc: doc.into(),
                ..DesignModule::default()
            },
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

    /// Adds a one-bit input pin of an instance, driven by the body.
    pub(super) fn pin(&mut self, instance: &str, port: &str) -> SignalId {
        self.signal(
            &format!("{instance}.{port}"),
            Type::BIT,
            SignalKind::PinIn,
            "",
        )
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
        self.module.params.push(Param {
            name: name.into(),
            value: value.to_string(),
        });
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
        self.module.signals.push(DesignSignal {
            name: name.into(),
            ty,
            kind,
            doc: doc.into(),
        });
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
        self.module.instances.push(Instance {
            name: name.into(),
            module: id,
            pins: pins.clone(),
        });
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

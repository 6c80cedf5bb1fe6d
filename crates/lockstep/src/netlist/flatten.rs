//! Flattens a hierarchical design to a netlist.
//!
//! Instances are created one after the other, parents first. The body of an instance is executed
//! once over nets instead of numbers (`BodyFlattener`). Placeholders stand for the outputs of its
//! children until the children are created. A [`NetDraft`] collects the nets.

use super::draft::{DraftError, DraftParts, NetDraft};
use super::{MemoryWrite, Name, NetId, NetOp, Netlist, NetlistMemory, Register};
use crate::design::check::{check, DesignFault};
use crate::design::{
    BinaryOp, CaseStmt, CellKind, Design, DesignModule, Expr, ExprId, ExprOp, Instance, ModuleId,
    SignalId, SignalKind, Slice, StateCell, Stmt, UnaryOp,
};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Reason why a design cannot be flattened.
#[derive(Debug, thiserror::Error)]
pub enum FlattenError {
    /// The design is not well-formed.
    #[error("{}", lines(.0))]
    Faults(Vec<DesignFault>),
    /// A combinational loop, or two signals of the same name.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

fn lines(faults: &[DesignFault]) -> String {
    let faults: Vec<String> = faults.iter().map(|f| f.to_string()).collect();
    faults.join("\n")
}

/// Checks a design ([`check`]) and returns its netlist.
pub fn flatten(design: &Design) -> Result<Netlist, FlattenError> {
    check(design).map_err(FlattenError::Faults)?;
    let top = design.top();
    let mut flattener = Flattener::new(design);
    let inputs: Vec<NetId> = ports(top, SignalKind::Input)
        .enumerate()
        .map(|(i, id)| {
            let width = top.signal(id).width();
            flattener.draft.net(NetOp::Input(i as u32), width)
        })
        .collect();
    let outputs = flattener.instantiate(design.top, "", &inputs);
    Ok(flattener.finish(&inputs, &outputs)?)
}

struct Flattener<'a> {
    design: &'a Design,
    draft: NetDraft,
    registers: Vec<Register>,
    memories: Vec<NetlistMemory>,
    /// Names of nets. A path may occur twice.
    names: Vec<Name>,
}

impl<'a> Flattener<'a> {
    fn new(design: &'a Design) -> Self {
        Flattener {
            design,
            draft: NetDraft::default(),
            registers: vec![],
            memories: vec![],
            names: vec![],
        }
    }

    /// Creates an instance of a module with these input nets and returns its output nets. Both
    /// lists are in the order of the ports. `prefix` is empty or ends with a dot.
    fn instantiate(&mut self, id: ModuleId, prefix: &str, inputs: &[NetId]) -> Vec<NetId> {
        let module = self.design.module(id);

        let mut env: Env = vec![None; module.signals.len()];
        for (port, &net) in ports(module, SignalKind::Input).zip(inputs) {
            env[port.index()] = Some(net);
        }
        for (signal, net) in module.signals.iter().zip(&mut env) {
            if let SignalKind::Constant(value) = &signal.kind {
                *net = Some(self.draft.constant(value.clone(), signal.width()));
            }
        }
        self.add_cell_outputs(module, &mut env);
        for instance in &module.instances {
            for pin in pins(module, instance, SignalKind::PinOut) {
                let width = module.signal(pin).width();
                env[pin.index()] = Some(self.draft.placeholder(width));
            }
        }

        run(module, &mut self.draft, &mut env);

        self.add_names(module, prefix, &env);
        let net = |signal: SignalId| env[signal.index()].expect("checked: assigned");
        for cell in &module.cells {
            self.add_cell(cell, prefix, net);
        }
        for instance in &module.instances {
            let inputs: Vec<NetId> = pins(module, instance, SignalKind::PinIn).map(net).collect();
            let prefix = format!("{prefix}{}.", instance.name);
            let outputs = self.instantiate(instance.module, &prefix, &inputs);
            for (pin, output) in pins(module, instance, SignalKind::PinOut).zip(outputs) {
                self.draft.fill(net(pin), output);
            }
        }
        ports(module, SignalKind::Output).map(net).collect()
    }

    /// Adds the nets that hold the state of a module's cells. [`Self::add_cell`] adds the cells in
    /// the same order when their inputs are known.
    fn add_cell_outputs(&mut self, module: &DesignModule, env: &mut Env) {
        let mut register = self.registers.len() as u32;
        let mut memory = self.memories.len() as u32;
        for cell in &module.cells {
            let (pin, net) = match cell.kind {
                CellKind::Check { .. } | CellKind::Print { .. } => continue,
                CellKind::Register { q, .. } => {
                    register += 1;
                    let op = NetOp::Register(register - 1);
                    (q, self.draft.net(op, module.signal(q).width()))
                }
                CellKind::Memory { read_data, asynchronous, .. } => {
                    memory += 1;
                    let width = module.signal(read_data).width();
                    let net = match asynchronous {
                        // The address is not known yet.
                        true => self.draft.placeholder(width),
                        false => self.draft.net(NetOp::Memory(memory - 1), width),
                    };
                    (read_data, net)
                }
            };
            env[pin.index()] = Some(net);
        }
    }

    fn add_cell(&mut self, cell: &StateCell, prefix: &str, net: impl Fn(SignalId) -> NetId) {
        let name = format!("{prefix}{}", cell.name);
        match &cell.kind {
            // The pins have names in the netlist.
            CellKind::Check { .. } | CellKind::Print { .. } => {}
            CellKind::Register { d, q, init } => {
                self.registers.push(Register { name, d: net(*d), q: net(*q), init: init.clone() })
            }
            CellKind::Memory { read_address, read_data, asynchronous, write, init } => {
                let (address, data) = (net(*read_address), net(*read_data));
                let width = self.draft.width(data);
                if *asynchronous {
                    let memory = self.memories.len() as u32;
                    let word = self.draft.net(NetOp::MemoryAt { memory, address }, width);
                    self.draft.fill(data, word);
                }
                self.memories.push(NetlistMemory {
                    name,
                    words: 1 << self.draft.width(address),
                    width,
                    read_address: address,
                    read_data: data,
                    write: write.as_ref().map(|write| MemoryWrite {
                        address: net(write.address),
                        data: net(write.data),
                        enable: net(write.enable),
                        disjoint: write.disjoint,
                    }),
                    init: init.clone(),
                    copy_of: None,
                })
            }
        }
    }

    fn add_names(&mut self, module: &DesignModule, prefix: &str, env: &Env) {
        for (signal, net) in module.signals.iter().zip(env) {
            let hidden = signal.kind.is_let() || matches!(signal.kind, SignalKind::Constant(_));
            if let (false, Some(net)) = (hidden, *net) {
                self.names.push(Name {
                    path: format!("{prefix}{}", signal.name),
                    net,
                    ty: signal.ty.clone(),
                });
            }
        }
    }

    /// Builds the netlist with these nets as ports of the top module.
    fn finish(self, inputs: &[NetId], outputs: &[NetId]) -> Result<Netlist, DraftError> {
        let top = self.design.top();
        let ports = |kind: SignalKind, nets: &[NetId]| {
            let ports = ports(top, kind).map(|id| top.signal(id)).zip(nets);
            let names = ports.map(|(signal, &net)| Name {
                path: signal.name.clone(),
                net,
                ty: signal.ty.clone(),
            });
            names.collect()
        };
        self.draft.finish(DraftParts {
            inputs: ports(SignalKind::Input, inputs),
            outputs: ports(SignalKind::Output, outputs),
            registers: self.registers,
            memories: self.memories,
            names: self.names,
        })
    }
}

/// Returns the ports of one kind, in order of declaration.
fn ports(module: &DesignModule, kind: SignalKind) -> impl Iterator<Item = SignalId> + '_ {
    let ports = module.ports().filter(move |(_, s)| s.kind == kind);
    ports.map(|(id, _)| id)
}

/// Returns the pins of an instance that are of one kind, in the order of its ports.
fn pins<'a>(
    module: &'a DesignModule,
    instance: &'a Instance,
    kind: SignalKind,
) -> impl Iterator<Item = SignalId> + 'a {
    let pins = instance.pins.iter().copied();
    pins.filter(move |&pin| module.signal(pin).kind == kind)
}

// Executes the statements of a module symbolically, with nets instead of values.

/// Net with the value of each signal at some point of a body. `None` if no bit of the signal is
/// assigned on every path to this point. Unassigned bits are arbitrary because a checked design
/// does not read them.
type Env = Vec<Option<NetId>>;

/// Executes the body of a module. `env` is the initial state and becomes the final one.
fn run(module: &DesignModule, draft: &mut NetDraft, env: &mut Env) {
    let memo = vec![None; module.exprs.len()];
    BodyFlattener { module, draft, memo }.block(&module.body, env);
}

struct BodyFlattener<'a> {
    module: &'a DesignModule,
    draft: &'a mut NetDraft,
    /// Nets of the expressions at their last evaluation. Only those of the current statement are
    /// valid.
    memo: Vec<Option<NetId>>,
}

impl BodyFlattener<'_> {
    fn block(&mut self, stmts: &[Stmt], env: &mut Env) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign { target, slice, value, .. } => {
                    let value = self.value(*value, env);
                    let old = env[target.index()];
                    let width = self.module.signal(*target).width();
                    env[target.index()] = Some(self.assigned(old, width, *slice, value));
                }
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.value(*cond, env);
                    let mut then_env = env.clone();
                    self.block(then, &mut then_env);
                    self.block(otherwise, env);
                    self.merge(cond, &then_env, env);
                }
                Stmt::Case(case) => self.case(case, env),
            }
        }
    }

    /// Returns the value of a signal after an assignment.
    fn assigned(
        &mut self,
        old: Option<NetId>,
        width: u32,
        slice: Option<Slice>,
        value: NetId,
    ) -> NetId {
        match slice {
            None => value,
            Some(slice) => {
                let base = old.unwrap_or_else(|| self.draft.constant(BigUint::zero(), width));
                self.draft.splice(base, slice.offset, value)
            }
        }
    }

    fn case(&mut self, case: &CaseStmt, env: &mut Env) {
        let subject = self.value(case.subject, env);
        let arms: Vec<(NetId, Env)> = case
            .arms
            .iter()
            .map(|arm| {
                let mut env = env.clone();
                self.block(&arm.body, &mut env);
                (self.is_one_of(subject, &arm.values), env)
            })
            .collect();
        self.block(&case.default, env);
        // Merging starts from the last arm, so that the first matching arm wins.
        for (cond, arm) in arms.iter().rev() {
            self.merge(*cond, arm, env);
        }
    }

    fn is_one_of(&mut self, subject: NetId, values: &[BigUint]) -> NetId {
        let width = self.draft.width(subject);
        let mut any = None;
        for value in values {
            let value = self.draft.constant(value.clone(), width);
            let eq = self.draft.net(NetOp::Eq(subject, value), 1);
            any = Some(match any {
                None => eq,
                Some(any) => self.draft.net(NetOp::Or(any, eq), 1),
            });
        }
        any.unwrap_or_else(|| self.draft.constant(BigUint::zero(), 1))
    }

    /// Merges two paths. `env` takes the value of `then` where `cond` is one.
    fn merge(&mut self, cond: NetId, then: &Env, env: &mut Env) {
        for (then, net) in then.iter().zip(env) {
            *net = match (*then, *net) {
                (Some(then), Some(otherwise)) => Some(self.draft.mux(cond, then, otherwise)),
                _ => None,
            };
        }
    }

    /// Returns the net of an expression at this point of the body.
    fn value(&mut self, root: ExprId, env: &Env) -> NetId {
        for id in self.reachable(root) {
            let net = self.expr(self.module.expr(id), env);
            self.memo[id.index()] = Some(net);
        }
        self.memoised(root)
    }

    /// Returns this expression and all its operands, operands before their users.
    fn reachable(&self, root: ExprId) -> BTreeSet<ExprId> {
        let (mut found, mut open) = (BTreeSet::new(), vec![root]);
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(self.module.expr(id).op.operands());
            }
        }
        found
    }

    fn memoised(&self, id: ExprId) -> NetId {
        self.memo[id.index()].expect("operands stand before their users")
    }

    fn expr(&mut self, expr: &Expr, env: &Env) -> NetId {
        let width = expr.width();
        match &expr.op {
            ExprOp::Const(value) => self.draft.constant(value.clone(), width),
            ExprOp::Read(signal) => {
                env[signal.index()].expect("checked: assigned before it is read")
            }
            ExprOp::Unary(op, a) => {
                let a = self.memoised(*a);
                let op = match op {
                    UnaryOp::Not => NetOp::Not(a),
                    UnaryOp::All => NetOp::All(a),
                    UnaryOp::Any => NetOp::Any(a),
                    UnaryOp::Parity => NetOp::Parity(a),
                };
                self.draft.net(op, width)
            }
            ExprOp::Binary(op, a, b) => {
                self.binary(*op, self.memoised(*a), self.memoised(*b), width)
            }
            ExprOp::Mux { cond, then, otherwise } => {
                let (cond, then) = (self.memoised(*cond), self.memoised(*then));
                self.draft.mux(cond, then, self.memoised(*otherwise))
            }
            ExprOp::Resize(a) => self.draft.resize(self.memoised(*a), width),
            ExprOp::Slice { value, offset } => {
                self.draft.slice(self.memoised(*value), *offset, width)
            }
            ExprOp::BitAt { value, index } => {
                let (value, index) = (self.memoised(*value), self.memoised(*index));
                self.draft.bit_at(value, index)
            }
            ExprOp::ReplaceBit { value, index, bit } => {
                let (value, index) = (self.memoised(*value), self.memoised(*index));
                self.draft.replace_bit(value, index, self.memoised(*bit))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: NetId, b: NetId, width: u32) -> NetId {
        let op = match op {
            BinaryOp::And => NetOp::And(a, b),
            BinaryOp::Or => NetOp::Or(a, b),
            BinaryOp::Xor => NetOp::Xor(a, b),
            BinaryOp::Add => NetOp::Add(a, b),
            BinaryOp::Sub => NetOp::Sub(a, b),
            BinaryOp::Mul => NetOp::Mul(a, b),
            BinaryOp::Eq => NetOp::Eq(a, b),
            BinaryOp::Ne => NetOp::Not(self.draft.net(NetOp::Eq(a, b), 1)),
            BinaryOp::Lt => NetOp::Lt(a, b),
            BinaryOp::Gt => NetOp::Lt(b, a),
            BinaryOp::Le => NetOp::Not(self.draft.net(NetOp::Lt(b, a), 1)),
            BinaryOp::Ge => NetOp::Not(self.draft.net(NetOp::Lt(a, b), 1)),
            BinaryOp::Shl => return self.draft.shl(a, b),
            BinaryOp::Shr => return self.draft.shr(a, b),
        };
        self.draft.net(op, width)
    }
}

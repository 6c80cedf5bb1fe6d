//! Combines families of ports into vectors. The ports `offer[0]`, `offer[1]` and so on of a circuit
//! become the port `offer`, with a bit or a word for each.
//!
//! The change affects the printed form only. The signals of the circuit keep the names that engines
//! and waveforms use.

use lockstep::design::{
    CellKind, Design, DesignModule, DesignSignal, Expr, ExprId, ExprOp, Instance, SignalId,
    SignalKind, Slice, Stmt, Type,
};
use std::collections::{HashMap, HashSet};

/// Returns the circuit with a vector for each family of ports. A family has the names `name[0]` to
/// `name[n - 1]`, one direction and one width.
///
/// Element 0 is in the lowest bits.
pub fn with_vectors(design: &Design) -> Design {
    let families: Vec<Vec<Family>> = design.modules.iter().map(families).collect();
    let modules = design.modules.iter().zip(&families);
    Design {
        modules: modules.map(|(module, own)| rewrite(module, own, &families)).collect(),
        top: design.top,
    }
}

/// Ports that become one vector.
struct Family {
    /// Common name without the number.
    name: String,
    /// Positions among the ports, element 0 first.
    members: Vec<usize>,
}

fn families(module: &DesignModule) -> Vec<Family> {
    let ports: Vec<&DesignSignal> = module.ports().map(|(_, port)| port).collect();
    let mut found: Vec<Family> = vec![];
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (position, port) in ports.iter().enumerate() {
        let Some((name, number)) = numbered(&port.name) else {
            continue;
        };
        let index = *by_name.entry(name).or_insert(found.len());
        if index == found.len() {
            let (name, members) = (name.to_owned(), vec![]);
            found.push(Family { name, members });
        }
        // A family with gaps or in another order stays unchanged.
        match number == found[index].members.len() {
            true => found[index].members.push(position),
            false => found[index].members.push(usize::MAX),
        }
    }
    // A `let` with that name can be renamed.
    let others = module.signals.iter().filter(|s| !s.kind.is_let());
    let names: HashSet<&str> = others.map(|s| s.name.as_str()).collect();
    let is_vector = |family: &Family| {
        let Some(first) = ports.get(family.members[0]) else {
            return false;
        };
        let alike = |port: &&DesignSignal| port.kind == first.kind && port.ty == first.ty;
        let all = |at: &usize| ports.get(*at).is_some_and(alike);
        matches!(first.ty, Type::Bits(_))
            && family.members.iter().all(all)
            && !names.contains(family.name.as_str())
    };
    found.retain(is_vector);
    found
}

/// Splits `offer[3]` into `offer` and 3.
fn numbered(name: &str) -> Option<(&str, usize)> {
    let (stem, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((stem, number.parse().ok()?))
}

/// Location of a signal in the new module: the signal, and the offset of the bits if the signal
/// became a part of a vector.
#[derive(Clone, Copy)]
struct VectorLocation {
    signal: SignalId,
    offset: Option<u32>,
}

/// Returns the name and the members of each vector.
fn vectors(
    module: &DesignModule,
    own: &[Family],
    all: &[Vec<Family>],
) -> Vec<(String, Vec<SignalId>)> {
    let ports: Vec<SignalId> = module.ports().map(|(id, _)| id).collect();
    let mut vectors: Vec<(String, Vec<SignalId>)> = vec![];
    let mut add = |name: String, family: &Family, pins: &[SignalId]| {
        vectors.push((name, family.members.iter().map(|at| pins[*at]).collect()));
    };
    for family in own {
        add(family.name.clone(), family, &ports);
    }
    for instance in &module.instances {
        for family in &all[instance.module.index()] {
            let name = format!("{}.{}", instance.name, family.name);
            add(name, family, &instance.pins);
        }
    }
    vectors
}

/// Returns the module with vectors for its own ports and for the ports of its instances.
fn rewrite(module: &DesignModule, own: &[Family], all: &[Vec<Family>]) -> DesignModule {
    let vectors = vectors(module, own, all);
    let mut in_vector = HashMap::new();
    for (vector, (_, members)) in vectors.iter().enumerate() {
        for (element, member) in members.iter().enumerate() {
            in_vector.insert(*member, (vector, element as u32));
        }
    }
    let mut signals: Vec<DesignSignal> = vec![];
    let mut merged: HashMap<usize, SignalId> = HashMap::new();
    let mut places = vec![];
    for (i, signal) in module.signals.iter().enumerate() {
        let next = SignalId(signals.len() as u32);
        let Some((vector, element)) = in_vector.get(&SignalId(i as u32)) else {
            let mut signal = signal.clone();
            if vectors.iter().any(|(name, _)| *name == signal.name) {
                signal.name = free_name(module, &signal.name);
            }
            signals.push(signal);
            places.push(VectorLocation { signal: next, offset: None });
            continue;
        };
        let (name, members) = &vectors[*vector];
        let id = *merged.entry(*vector).or_insert(next);
        if id == next {
            signals.push(vector_of(name, signal, members.len() as u32));
        }
        places.push(VectorLocation {
            signal: id,
            offset: (members.len() > 1).then_some(element * signal.width()),
        });
    }
    let mut exprs =
        ExprRewriter { module, signals: &signals, places: &places, made: vec![], ids: vec![] };
    exprs.rewrite();
    let body = exprs.stmts(&module.body);
    let (made, pin) = (exprs.made, |id: &SignalId| places[id.index()].signal);
    let mut cells = module.cells.clone();
    for cell in &mut cells {
        cell.kind = with_pins(&cell.kind, &pin);
    }
    let instances = module.instances.iter().map(|instance| {
        let mut pins: Vec<SignalId> = instance.pins.iter().map(&pin).collect();
        // The elements of a vector may not be adjacent.
        let mut seen = HashSet::new();
        pins.retain(|id| seen.insert(*id));
        Instance { pins, ..instance.clone() }
    });
    DesignModule {
        signals,
        cells,
        instances: instances.collect(),
        exprs: made,
        body,
        ..module.clone()
    }
}

/// Returns a name that no signal of the module has.
fn free_name(module: &DesignModule, wanted: &str) -> String {
    let mut name = format!("{wanted}_here");
    while module.signals.iter().any(|signal| signal.name == name) {
        name.push('_');
    }
    name
}

fn vector_of(name: &str, first: &DesignSignal, elements: u32) -> DesignSignal {
    let width = first.width();
    let layout = match width {
        1 => String::new(),
        _ => format!("{elements} words of {width} bits, the first one lowest"),
    };
    let is_port = matches!(first.kind, SignalKind::Input | SignalKind::Output);
    let doc = match (first.doc.trim(), layout.as_str()) {
        (doc, "") => doc.to_owned(),
        ("", layout) if is_port => layout.to_owned(),
        (doc, layout) if is_port => format!("{doc} ({layout})"),
        (doc, _) => doc.to_owned(),
    };
    DesignSignal {
        name: name.to_owned(),
        ty: Type::Bits(elements * width),
        kind: first.kind.clone(),
        doc,
    }
}

/// Returns a cell with new signals for its pins.
fn with_pins(kind: &CellKind, pin: &impl Fn(&SignalId) -> SignalId) -> CellKind {
    let mut kind = kind.clone();
    for id in kind.pins_mut() {
        *id = pin(id);
    }
    kind
}

/// Rewrites the expressions and statements of a module, with parts of vectors in place of signals.
struct ExprRewriter<'a> {
    module: &'a DesignModule,
    /// Signals of the new module.
    signals: &'a [DesignSignal],
    places: &'a [VectorLocation],
    made: Vec<Expr>,
    /// New expression for each old one.
    ids: Vec<ExprId>,
}

impl ExprRewriter<'_> {
    fn rewrite(&mut self) {
        for expr in &self.module.exprs {
            let id = self.expr(expr);
            self.ids.push(id);
        }
    }

    fn expr(&mut self, expr: &Expr) -> ExprId {
        if let ExprOp::Read(signal) = expr.op {
            return self.read(signal, &expr.ty);
        }
        let op = expr.op.clone();
        let op = op.map_operands(|id| self.ids[id.index()]);
        self.push(op, expr.ty.clone())
    }

    fn read(&mut self, signal: SignalId, ty: &Type) -> ExprId {
        let place = self.places[signal.index()];
        let Some(offset) = place.offset else {
            return self.push(ExprOp::Read(place.signal), ty.clone());
        };
        let whole = self.signals[place.signal.index()].ty.clone();
        let value = self.push(ExprOp::Read(place.signal), whole);
        self.push(ExprOp::Slice { value, offset }, ty.clone())
    }

    fn push(&mut self, op: ExprOp, ty: Type) -> ExprId {
        self.made.push(Expr { op, ty });
        ExprId(self.made.len() as u32 - 1)
    }

    fn stmts(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        let new = |id: &ExprId| self.ids[id.index()];
        match stmt {
            Stmt::Assign { target, slice, value, origin } => {
                let place = self.places[target.index()];
                let slice = match place.offset {
                    None => *slice,
                    Some(offset) => Some(Slice {
                        offset: offset + slice.map_or(0, |s| s.offset),
                        width: slice.map_or(self.module.signal(*target).width(), |s| s.width),
                    }),
                };
                Stmt::Assign { target: place.signal, slice, value: new(value), origin: *origin }
            }
            Stmt::If { cond, then, otherwise } => Stmt::If {
                cond: new(cond),
                then: self.stmts(then),
                otherwise: self.stmts(otherwise),
            },
            Stmt::Case(case) => {
                let mut case = case.clone();
                case.subject = new(&case.subject);
                for arm in &mut case.arms {
                    arm.body = self.stmts(&arm.body);
                }
                case.default = self.stmts(&case.default);
                Stmt::Case(case)
            }
        }
    }
}

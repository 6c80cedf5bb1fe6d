//! Replaces long delay lines by small memories, for chips whose lookup tables can be memories.

use super::builder::Builder;
use super::*;
use std::collections::{HashMap, HashSet};

/// Clock cycles that a memory delays: the words of a memory in the lookup tables of an ECP5.
const WORDS: u32 = 16;
/// Bits of memory that are worth a counter of their own. One counter for a whole chip would drive
/// thousands of memories.
const BITS_OF_A_COUNTER: u32 = 64;
/// Name of the input that takes the counter to the memories.
const TURN: &str = "delay_turn";
const TURN_TYPE: Type = Type::Bits(WORDS.ilog2());

impl Design {
    /// Returns the same circuit with memories in place of long delay lines.
    ///
    /// A delay line is a row of registers. Each takes the value of the one before it, and nothing
    /// else reads that value. Rows of `shortest` registers and more become memories of 16 words with
    /// an asynchronous read port. Each memory reads and replaces the word of a counter, so its output
    /// is the input 16 clock cycles ago. A memory as wide as several places of the row delays by a
    /// multiple of 16 clock cycles. The remainder of the row stays registers.
    ///
    /// ```text
    ///   row of 64 registers          the same with a memory of 4 words side by side
    ///   d -> [0] -> .. -> [63] -> q  d -> 16 deep -> 16 deep -> 16 deep -> 16 deep -> q
    ///                                        ^ all at the address of a 4-bit counter
    /// ```
    ///
    /// On an ECP5 a row of 64 bits takes one cell of distributed memory (6 logic cells) in place of 64
    /// flip-flops.
    #[must_use]
    pub fn with_delay_memories(&self, shortest: usize) -> Design {
        let mut modules: Vec<DesignModule> = vec![];
        // Bits of memory in each module that still need the counter of a parent.
        let mut open: Vec<u32> = vec![];
        for (i, module) in self.modules.iter().enumerate() {
            let rows = delay_lines(module, shortest);
            let inner = module.instances.iter().map(|of| open[of.module.index()]);
            let bits = rows.iter().map(DelayLine::memory_bits).sum::<u32>() + inner.sum::<u32>();
            if bits == 0 {
                modules.push(module.clone());
                open.push(0);
                continue;
            }
            let counts = bits >= BITS_OF_A_COUNTER || i == self.top.index();
            modules.push(with_memories(module, &rows, counts, &open));
            open.push(if counts { 0 } else { bits });
        }
        Design { modules, ..*self }
    }
}

/// Row of registers in a module.
struct DelayLine {
    /// Pins `d` and `q` of each register.
    places: Vec<(SignalId, SignalId)>,
    init: BigUint,
    width: u32,
}

impl DelayLine {
    /// Number of memory words side by side.
    fn lanes(&self) -> u32 {
        self.places.len() as u32 / WORDS
    }

    fn memory_bits(&self) -> u32 {
        self.lanes() * self.width
    }

    /// Input and output of the memory.
    fn ends(&self) -> (SignalId, SignalId) {
        let row = self.replaced();
        (row[0].0, row[row.len() - 1].1)
    }

    /// Places that the memory replaces.
    fn replaced(&self) -> &[(SignalId, SignalId)] {
        &self.places[..(self.lanes() * WORDS) as usize]
    }
}

/// Finds the rows of at least `shortest` registers.
fn delay_lines(module: &DesignModule, shortest: usize) -> Vec<DelayLine> {
    let registers: Vec<(SignalId, SignalId, &BigUint)> = (module.cells.iter())
        .filter_map(|cell| match &cell.kind {
            CellKind::Register { d, q, init } => Some((*d, *q, init)),
            _ => None,
        })
        .collect();
    if registers.len() < shortest {
        return vec![];
    }
    let followers = followers(module);
    let by_d: HashMap<SignalId, usize> =
        (registers.iter().enumerate()).map(|(i, (d, ..))| (*d, i)).collect();
    let next = |i: usize| -> Option<usize> {
        let (_, q, init) = registers[i];
        let follower = *by_d.get(followers.get(&q)?)?;
        (registers[follower].2 == init).then_some(follower)
    };
    let followed: HashSet<usize> = (0..registers.len()).filter_map(next).collect();
    let first = (0..registers.len()).filter(|i| !followed.contains(i));
    let rows = first.map(|i| std::iter::successors(Some(i), |i| next(*i)).collect::<Vec<_>>());
    let long = rows.filter(|row| row.len() >= shortest.max(2 * WORDS as usize));
    long.map(|row| DelayLine {
        init: registers[row[0]].2.clone(),
        width: module.signal(registers[row[0]].0).width(),
        places: row.iter().map(|i| (registers[*i].0, registers[*i].1)).collect(),
    })
    .collect()
}

/// Returns for each signal that is read exactly once the signal that takes its value, if that is
/// assigned exactly once, as a whole and unconditionally.
fn followers(module: &DesignModule) -> HashMap<SignalId, SignalId> {
    let (mut assigned, mut used) = (HashMap::<_, usize>::new(), HashMap::<_, usize>::new());
    for_each_stmt(&mut module.body.clone(), &mut |stmt| {
        if let Stmt::Assign { target, .. } = stmt {
            *assigned.entry(*target).or_default() += 1;
        }
        *used.entry(*value(stmt)).or_default() += 1;
    });
    let mut reads = HashMap::<SignalId, usize>::new();
    for expr in &module.exprs {
        for operand in expr.op.operands() {
            *used.entry(operand).or_default() += 1;
        }
        if let ExprOp::Read(signal) = expr.op {
            *reads.entry(signal).or_default() += 1;
        }
    }
    let whole = module.body.iter().filter_map(|stmt| match stmt {
        Stmt::Assign { target, slice: None, value, .. }
            if assigned[target] == 1 && used[value] == 1 =>
        {
            match module.expr(*value).op {
                ExprOp::Read(from) if reads[&from] == 1 => Some((from, *target)),
                _ => None,
            }
        }
        _ => None,
    });
    whole.collect()
}

/// Replaces the rows of a module. `counts` is true if the module has a counter of its own. Otherwise
/// it has an input for it. `open` is nonzero for modules with such an input.
fn with_memories(
    module: &DesignModule,
    rows: &[DelayLine],
    counts: bool,
    open: &[u32],
) -> DesignModule {
    let mut module = module.clone();
    let unused = without_rows(&mut module, rows);
    let mut instances = std::mem::take(&mut module.instances);
    let body = std::mem::take(&mut module.body);
    let mut m = Builder::resume(module);
    let turn = match counts {
        true => {
            let turn = m.register(TURN, TURN_TYPE, 0u8, "Word of the delay memories.");
            let (now, one) = (m.read(turn.q), m.constant(1u8, TURN_TYPE.width()));
            let next = m.binary(BinaryOp::Add, now, one);
            m.assign(turn.d, next);
            turn.q
        }
        false => m.input(TURN, TURN_TYPE, "Word of the delay memories."),
    };
    let memories: Vec<_> = (rows.iter().enumerate())
        .map(|(i, row)| add_memory(&mut m, &format!("delay_{i}"), row, turn))
        .collect();
    // The statements of the body read the outputs of the rows and assign their inputs.
    for (row, (read, _)) in rows.iter().zip(&memories) {
        let words = m.read(read.data);
        let last = m.slice(words, row.memory_bits() - row.width, row.width);
        m.assign(row.ends().1, last);
    }
    m.append(body);
    for (row, (read, write)) in rows.iter().zip(&memories) {
        let from = m.read(row.ends().0);
        m.assign_slice(write.data, 0, from);
        let words = m.read(read.data);
        let earlier = m.slice(words, 0, row.memory_bits() - row.width);
        m.assign_slice(write.data, row.width, earlier);
    }
    for instance in &mut instances {
        if open[instance.module.index()] > 0 {
            let pin = m.pin(&instance.name, TURN, TURN_TYPE);
            m.connect(pin, turn);
            instance.pins.push(pin);
        }
    }
    let mut module = m.finish();
    module.instances = instances;
    remove_signals(&mut module, &unused);
    module
}

/// Adds the memory of a row, without its data.
fn add_memory(
    m: &mut Builder,
    name: &str,
    row: &DelayLine,
    turn: SignalId,
) -> (ReadPort, WritePort) {
    let mut word = BigUint::default();
    for _ in 0..row.lanes() {
        word = (word << row.width) | &row.init;
    }
    let words = vec![word; WORDS as usize];
    let ty = Type::Bits(row.memory_bits());
    let (read, write) = m.memory(name, ty, TURN_TYPE.width(), words, "");
    m.read_asynchronously();
    m.connect(read.address, turn);
    m.connect(write.address, turn);
    let always = m.constant(1u8, 1);
    m.assign(write.enable, always);
    (read, write)
}

/// Removes the registers of the rows and the assignments between them. Returns the signals that are
/// unused then.
///
/// The input of a row and the output of its last replaced place become internal signals.
fn without_rows(module: &mut DesignModule, rows: &[DelayLine]) -> HashSet<SignalId> {
    let replaced = || rows.iter().map(DelayLine::replaced);
    let registers: HashSet<SignalId> = replaced().flatten().map(|(_, q)| *q).collect();
    module.cells.retain(|cell| match &cell.kind {
        CellKind::Register { q, .. } => !registers.contains(q),
        _ => true,
    });
    let mut unused = HashSet::new();
    for row in replaced() {
        unused.extend(row[1..].iter().map(|(d, _)| *d));
        unused.extend(row[..row.len() - 1].iter().map(|(_, q)| *q));
    }
    for (d, q) in rows.iter().map(DelayLine::ends) {
        module.signals[d.index()].kind = SignalKind::Local;
        module.signals[q.index()].kind = SignalKind::Local;
    }
    let assigns_unused = |stmt: &Stmt| match stmt {
        Stmt::Assign { target, .. } => unused.contains(target),
        _ => false,
    };
    module.body.retain(|stmt| !assigns_unused(stmt));
    unused
}

/// Removes signals that no statement, cell or instance uses, and expressions without a use.
fn remove_signals(module: &mut DesignModule, unused: &HashSet<SignalId>) {
    let mut moved: HashMap<SignalId, SignalId> = HashMap::new();
    for (i, signal) in std::mem::take(&mut module.signals).into_iter().enumerate() {
        let id = SignalId(i as u32);
        if !unused.contains(&id) {
            moved.insert(id, SignalId(module.signals.len() as u32));
            module.signals.push(signal);
        }
    }
    let mut uses = HashSet::new();
    for_each_stmt(&mut module.body, &mut |stmt| {
        uses.insert(*value(stmt));
    });
    // Operands come before their users.
    for (i, expr) in module.exprs.iter().enumerate().rev() {
        if uses.contains(&ExprId(i as u32)) {
            uses.extend(expr.op.operands());
        }
    }
    let mut exprs: HashMap<ExprId, ExprId> = HashMap::new();
    for (i, expr) in std::mem::take(&mut module.exprs).into_iter().enumerate() {
        let id = ExprId(i as u32);
        if uses.contains(&id) {
            exprs.insert(id, ExprId(module.exprs.len() as u32));
            let op = match expr.op {
                ExprOp::Read(signal) => ExprOp::Read(moved[&signal]),
                op => op.map_operands(|operand| exprs[&operand]),
            };
            module.exprs.push(Expr { op, ty: expr.ty });
        }
    }
    for_each_stmt(&mut module.body, &mut |stmt| {
        if let Stmt::Assign { target, .. } = stmt {
            *target = moved[target];
        }
        let id = value(stmt);
        *id = exprs[id];
    });
    let pins = module.cells.iter_mut().flat_map(|cell| cell.kind.pins_mut());
    let outer = module.instances.iter_mut().flat_map(|of| &mut of.pins);
    pins.chain(outer).for_each(|pin| *pin = moved[pin]);
}

/// Expression that a statement itself uses.
fn value(stmt: &mut Stmt) -> &mut ExprId {
    match stmt {
        Stmt::Assign { value, .. } => value,
        Stmt::If { cond, .. } => cond,
        Stmt::Case(case) => &mut case.subject,
    }
}

fn for_each_stmt(body: &mut [Stmt], visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in body {
        visit(stmt);
        match stmt {
            Stmt::Assign { .. } => {}
            Stmt::If { then, otherwise, .. } => {
                for_each_stmt(then, visit);
                for_each_stmt(otherwise, visit);
            }
            Stmt::Case(case) => {
                for arm in &mut case.arms {
                    for_each_stmt(&mut arm.body, visit);
                }
                for_each_stmt(&mut case.default, visit);
            }
        }
    }
}

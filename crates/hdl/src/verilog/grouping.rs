//! Splits the statements of a body into units. Each unit becomes one `assign` or one `always`
//! block.
//!
//! Statements stay in one unit if and only if one of two conditions holds. They assign a common
//! signal, or one of them reads a signal before it has its final value. A unit can still appear to
//! be part of a combinational loop although none of its individual signals is. An example is a
//! `case` that drives the input of a child and uses its output. Such a unit is split further, into
//! one copy of its `if`s and `case`s for each of its signals.

use super::analysis::{summarize, Accesses};
use lockstep::design::{
    CaseArm, CaseStmt, Design, DesignModule, ModuleId, SignalId, SignalKind, Stmt,
};
use std::collections::{BTreeMap, BTreeSet};

/// Statements that are executed together.
pub struct Unit {
    pub stmts: Vec<Stmt>,
    /// Signals that the statements read from outside.
    pub reads: BTreeSet<SignalId>,
    pub writes: BTreeSet<SignalId>,
    /// Whether the statements may read one of their signals before they assign it.
    pub reads_own: bool,
    /// Whether the unit is a part of a unit that was split further.
    pub is_part: bool,
    /// Position of the last statement in the body.
    last: usize,
}

impl Unit {
    fn new(module: &DesignModule, stmts: Vec<Stmt>, last: usize, is_part: bool) -> Unit {
        let summary = summarize(module, &stmts);
        let own = |signal: &SignalId| summary.writes.contains(signal);
        Unit {
            reads: (summary.reads.iter().copied()).filter(|s| !own(s)).collect(),
            reads_own: summary.reads.iter().any(own),
            writes: summary.writes,
            stmts,
            is_part,
            last,
        }
    }
}

/// Returns the units of every module of a design.
///
/// Units are in the order of their last statements. A unit may therefore read a `let` of a later
/// unit.
///
/// # Panics
///
/// If a signal is read before it is assigned and splitting the statements does not help.
pub fn plan(design: &Design) -> Vec<Vec<Unit>> {
    let mut fine = vec![false; design.modules.len()];
    'again: loop {
        let mut plans = Vec::new();
        let mut paths = Vec::new();
        for (index, module) in design.modules.iter().enumerate() {
            let mut units = group(module);
            if fine[index] {
                split(module, &mut units, |_, _| true);
            }
            let mut net = SignalDependencies::new(module, &units, &paths);
            if net.split_loops(module, &mut units) {
                net = SignalDependencies::new(module, &units, &paths);
            }
            let mut refined = false;
            for child in net.children_in_loops(module) {
                refined |= refine(design, child, &mut fine);
            }
            if refined {
                continue 'again;
            }
            paths.push(net.paths(module));
            plans.push(units);
        }
        return plans;
    }
}

/// Marks a module and the modules in it. Returns whether the module was unmarked.
fn refine(design: &Design, id: ModuleId, fine: &mut [bool]) -> bool {
    let news = !std::mem::replace(&mut fine[id.index()], true);
    for instance in &design.module(id).instances {
        if news {
            refine(design, instance.module, fine);
        }
    }
    news
}

/// Splits by top-level statements, the coarsest split.
fn group(module: &DesignModule) -> Vec<Unit> {
    let summaries: Vec<_> =
        (module.body.iter()).map(|stmt| summarize(module, std::slice::from_ref(stmt))).collect();
    let mut writers: BTreeMap<SignalId, (usize, usize)> = BTreeMap::new();
    let mut sets = DisjointSets::new(summaries.len());
    for (i, summary) in summaries.iter().enumerate() {
        for signal in &summary.writes {
            let (first, last) = writers.entry(*signal).or_insert((i, i));
            *last = i;
            sets.unite(*first, i);
        }
    }
    for (i, summary) in summaries.iter().enumerate() {
        for signal in &summary.reads {
            if let Some(&(first, last)) = writers.get(signal) {
                if first < i && i < last {
                    sets.unite(first, i);
                }
            }
        }
    }
    // Groups that need each other's values become one group, because the order of the statements
    // prevents a loop.
    let mut edges = vec![Vec::new(); summaries.len()];
    for (i, summary) in summaries.iter().enumerate() {
        for (first, _) in summary.reads.iter().filter_map(|s| writers.get(s)) {
            edges[sets.find(*first)].push(sets.find(i));
        }
    }
    let component = components(&edges);
    let mut leaders = vec![None; summaries.len()];
    for i in 0..summaries.len() {
        let root = sets.find(i);
        let leader = *leaders[component[root]].get_or_insert(root);
        sets.unite(leader, root);
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..summaries.len() {
        members.entry(sets.find(i)).or_default().push(i);
    }
    let mut units = Vec::new();
    for list in members.into_values() {
        let stmts = list.iter().map(|i| module.body[*i].clone()).collect();
        let unit = Unit::new(module, stmts, list[list.len() - 1], false);
        // An `if` without assignments has no effect.
        if !unit.writes.is_empty() {
            units.push(unit);
        }
    }
    units.sort_by_key(|unit| unit.last);
    // A signal that is read before its assignment requires a split.
    split(module, &mut units, |unit, _| read_ahead(module, unit).is_some());
    for unit in &units {
        if let Some(signal) = read_ahead(module, unit) {
            panic!(
                "module {}: {} is read before it is assigned",
                module.name,
                module.signal(signal).name
            );
        }
    }
    units
}

/// Returns a signal that a unit reads before its first assignment in the unit.
fn read_ahead(module: &DesignModule, unit: &Unit) -> Option<SignalId> {
    if !unit.reads_own {
        return None;
    }
    let accesses = Accesses::of(module, &unit.stmts);
    let ahead = accesses.reads.iter().find(|read| {
        let writes = accesses.writes.get(&read.signal);
        writes.is_some_and(|points| {
            !points.iter().any(|p| p.leads_to(&read.at))
                && points.iter().any(|p| read.at.leads_to(p))
        })
    });
    ahead.map(|read| read.signal)
}

/// Splits the units selected by `which` (from unit and position). Each new unit has one signal, or
/// a few signals that need each other's intermediate values.
fn split(module: &DesignModule, units: &mut Vec<Unit>, which: impl Fn(&Unit, usize) -> bool) {
    let whole = std::mem::take(units);
    for (i, unit) in whole.into_iter().enumerate() {
        if unit.writes.len() == 1 || unit.is_part || !which(&unit, i) {
            units.push(unit);
            continue;
        }
        for signals in clusters(module, &unit) {
            let stmts = project(&unit.stmts, &signals);
            units.push(Unit::new(module, stmts, unit.last, true));
        }
    }
}

/// Groups the signals of a unit that need each other's intermediate values.
fn clusters(module: &DesignModule, unit: &Unit) -> Vec<BTreeSet<SignalId>> {
    let signals: Vec<SignalId> = unit.writes.iter().copied().collect();
    let index = |signal: &SignalId| signals.binary_search(signal).ok();
    let accesses = Accesses::of(module, &unit.stmts);
    let mut sets = DisjointSets::new(signals.len());
    for read in &accesses.reads {
        let Some(own) = index(&read.signal) else {
            continue;
        };
        let points = &accesses.writes[&read.signal];
        let before = points.iter().any(|p| p.leads_to(&read.at));
        let after = points.iter().any(|p| read.at.leads_to(p));
        if before && after {
            for dependent in read.dependents.iter().filter_map(index) {
                sets.unite(own, dependent);
            }
        }
    }
    let mut clusters: BTreeMap<usize, BTreeSet<SignalId>> = BTreeMap::new();
    for (i, signal) in signals.iter().enumerate() {
        clusters.entry(sets.find(i)).or_default().insert(*signal);
    }
    merge_loops(module, &unit.stmts, clusters.into_values().collect())
}

/// Merges parts that would form a loop because each needs a final value of the next. Orders the
/// resulting parts by their dependencies.
fn merge_loops(
    module: &DesignModule,
    stmts: &[Stmt],
    clusters: Vec<BTreeSet<SignalId>>,
) -> Vec<BTreeSet<SignalId>> {
    let needs: Vec<Vec<usize>> = (clusters.iter())
        .map(|signals| {
            let reads = summarize(module, &project(stmts, signals)).reads;
            let others = clusters.iter().enumerate();
            let needed = others.filter(|(_, other)| !other.is_disjoint(&reads));
            needed.map(|(i, _)| i).collect()
        })
        .collect();
    // Components are numbered in dependency order, providers first.
    let mut merged: BTreeMap<usize, BTreeSet<SignalId>> = BTreeMap::new();
    for (signals, component) in clusters.into_iter().zip(components(&needs)) {
        merged.entry(component).or_default().extend(signals);
    }
    merged.into_values().collect()
}

/// Returns the statements without those that assign none of `signals`.
fn project(stmts: &[Stmt], signals: &BTreeSet<SignalId>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::Assign { target, .. } => {
                if signals.contains(target) {
                    kept.push(stmt.clone());
                }
            }
            Stmt::If { cond, then, otherwise } => {
                let then = project(then, signals);
                let otherwise = project(otherwise, signals);
                if !then.is_empty() || !otherwise.is_empty() {
                    kept.push(Stmt::If { cond: *cond, then, otherwise });
                }
            }
            Stmt::Case(case) => {
                let arms: Vec<CaseArm> = (case.arms.iter())
                    .map(|arm| CaseArm {
                        values: arm.values.clone(),
                        body: project(&arm.body, signals),
                    })
                    .collect();
                let default = project(&case.default, signals);
                if !default.is_empty() || arms.iter().any(|arm| !arm.body.is_empty()) {
                    kept.push(Stmt::Case(CaseStmt {
                        subject: case.subject,
                        arms,
                        default,
                        default_values: case.default_values.clone(),
                    }));
                }
            }
        }
    }
    kept
}

/// For each input port of a module, the output ports that depend on it combinationally. Positions
/// refer to [`DesignModule::ports`].
type CombinationalPaths = Vec<Vec<usize>>;

/// Dependency graph of a module. The nodes are its signals, followed by its units.
struct SignalDependencies {
    edges: Vec<Vec<usize>>,
    /// Strongly connected component of each node.
    component: Vec<usize>,
    sizes: Vec<usize>,
}

impl SignalDependencies {
    fn new(
        module: &DesignModule,
        units: &[Unit],
        paths: &[CombinationalPaths],
    ) -> SignalDependencies {
        let signals = module.signals.len();
        let mut edges = vec![Vec::new(); signals + units.len()];
        for (i, unit) in units.iter().enumerate() {
            for signal in &unit.reads {
                edges[signal.index()].push(signals + i);
            }
            edges[signals + i].extend(unit.writes.iter().map(|s| s.index()));
        }
        for instance in &module.instances {
            for (input, outputs) in paths[instance.module.index()].iter().enumerate() {
                let targets = outputs.iter().map(|o| instance.pins[*o].index());
                edges[instance.pins[input].index()].extend(targets);
            }
        }
        let component = components(&edges);
        let mut sizes = vec![0; edges.len()];
        for c in &component {
            sizes[*c] += 1;
        }
        SignalDependencies { edges, component, sizes }
    }

    fn in_loop(&self, node: usize) -> bool {
        self.sizes[self.component[node]] > 1
    }

    /// Splits the units that are part of loops. Returns whether there were any.
    fn split_loops(&self, module: &DesignModule, units: &mut Vec<Unit>) -> bool {
        let before = units.len();
        split(module, units, |_, i| self.in_loop(module.signals.len() + i));
        units.len() != before
    }

    /// Returns the children that are part of loops.
    fn children_in_loops(&self, module: &DesignModule) -> BTreeSet<ModuleId> {
        let instances = module.instances.iter();
        let looped = |pin: &SignalId| self.in_loop(pin.index());
        (instances.filter(|i| i.pins.iter().any(looped))).map(|i| i.module).collect()
    }

    fn paths(&self, module: &DesignModule) -> CombinationalPaths {
        let outputs = |from: SignalId| {
            let reached = reachable(&self.edges, from.index());
            let ports = module.ports().enumerate();
            ports
                .filter(|(_, (id, s))| s.kind == SignalKind::Output && reached[id.index()])
                .map(|(i, _)| i)
                .collect()
        };
        (module.ports())
            .map(|(id, signal)| match signal.kind {
                SignalKind::Input => outputs(id),
                _ => Vec::new(),
            })
            .collect()
    }
}

struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(size: usize) -> DisjointSets {
        DisjointSets { parent: (0..size).collect() }
    }

    fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Merges two sets. The smallest number represents a set.
    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

// Directed graphs as lists of successors.

/// Returns the number of the strongly connected component of each node (Tarjan).
pub fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let mut order = vec![NONE; count];
    let mut low = vec![0; count];
    let mut component = vec![NONE; count];
    let mut stack = Vec::new();
    let (mut clock, mut found) = (0, 0);
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // Nodes being visited, with the number of edges followed so far.
        let mut visits = vec![(root, 0)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.0;
            if visit.1 == 0 {
                order[node] = clock;
                low[node] = clock;
                clock += 1;
                stack.push(node);
            }
            if let Some(&next) = edges[node].get(visit.1) {
                visit.1 += 1;
                if order[next] == NONE {
                    visits.push((next, 0));
                } else if component[next] == NONE {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            visits.pop();
            if let Some(&(parent, _)) = visits.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// Returns for each node whether it can be reached from `from`.
pub fn reachable(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&edges[node]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_one_component() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![]];
        let component = components(&edges);
        assert_eq!(component[1], component[2]);
        assert_ne!(component[0], component[1]);
        assert_ne!(component[3], component[1]);
        assert_eq!(reachable(&edges, 1), [false, true, true, true]);
    }
}

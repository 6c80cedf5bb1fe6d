//! The text of one module.

use super::analysis::{self, is_whole};
use super::cells;
use super::declarations::{header, range};
use super::exprs::ExprPrinter;
use super::grouping::Unit;
use super::names::ModuleNames;
use super::publish::{declared, sink, ReadBits};
use super::stmts::{replaced_bits, target_name, zero, AlwaysPrinter};
use super::text::{without_comment, IndentedLines};
use lockstep::design::{CellKind, Design, DesignModule, ExprOp, SignalId, SignalKind, Stmt};
use std::collections::{HashMap, HashSet};

/// Name of a module, and the names in it.
pub struct NamedModule {
    pub module: String,
    pub names: ModuleNames,
}

/// Prints the module with this position in the design. With `lint_clean`, a wire reads all signals
/// that are otherwise unread.
pub fn module_text(
    design: &Design,
    index: usize,
    units: &[Unit],
    named: &mut [NamedModule],
    lint_clean: bool,
) -> String {
    // Children precede their parents.
    let (children, rest) = named.split_at_mut(index);
    let NamedModule { module: name, names } = &mut rest[0];
    let module = &design.modules[index];
    let mut text = ModulePrinter {
        exprs: ExprPrinter::new(module, names),
        regs: HashSet::new(),
        declared: HashSet::new(),
        read_early: HashSet::new(),
        direct: HashMap::new(),
    };
    text.find_regs();
    let mut body = IndentedLines::new(1);
    text.find_direct(units);
    text.find_unused(units);
    text.find_read_early(units);
    for unit in units {
        text.unit(&mut body, unit);
    }
    let mut end = IndentedLines::new(1);
    text.instances(&mut end, design, children);
    let cells_begin = end.text.len();
    cells::cells(&mut text.exprs, &mut end);
    let cells_end = end.text.len();
    cells::prints(&text.exprs, &mut end);
    cells::checks(&text.exprs, &mut end);
    // The names used by the other texts are known only at this point.
    let declarations = text.declarations();
    let parameters = text.parameters([&body.text[..], &end.text[..]]);
    let sink = match lint_clean {
        true => text.sink(&declarations, &body.text, &end.text[cells_begin..cells_end]),
        false => String::new(),
    };
    let mut all = header(module, name, text.exprs.names, &text.regs);
    let parts = [&parameters, &declarations, &body.text, &end.text, &sink];
    for part in parts {
        let part = part.trim_matches('\n');
        if !part.is_empty() {
            all += "\n";
            all += part;
            all += "\n";
        }
    }
    all + "\nendmodule\n"
}

/// State while a module is printed.
pub struct ModulePrinter<'a> {
    pub exprs: ExprPrinter<'a>,
    /// Signals that are variables, because blocks assign them.
    pub regs: HashSet<SignalId>,
    /// Signals that are declared where they are assigned.
    pub declared: HashSet<SignalId>,
    /// Signals that a unit reads before the unit that assigns them. Verilog requires a declaration
    /// before the first use, so these are declared at the top.
    read_early: HashSet<SignalId>,
    /// Instance pins without a signal of their own, and the text that they connect to.
    direct: HashMap<SignalId, String>,
}

impl<'a> ModulePrinter<'a> {
    pub fn module(&self) -> &'a DesignModule {
        self.exprs.module
    }

    pub fn name(&self, id: SignalId) -> &str {
        self.exprs.names.signal(id)
    }

    fn find_regs(&mut self) {
        for cell in &self.module().cells {
            match &cell.kind {
                CellKind::Register { q, .. } => {
                    self.regs.insert(*q);
                }
                CellKind::Memory { read_data, asynchronous: false, .. } => {
                    self.regs.insert(*read_data);
                }
                CellKind::Memory { .. } | CellKind::Check { .. } | CellKind::Print { .. } => {}
            }
        }
    }

    /// Finds signals that are never assigned, and therefore never read. None of them is declared.
    fn find_unused(&mut self, units: &[Unit]) {
        let assigned: HashSet<SignalId> = units.iter().flat_map(|u| &u.writes).copied().collect();
        for (i, signal) in self.module().signals.iter().enumerate() {
            let id = SignalId(i as u32);
            let by_body = signal.kind == SignalKind::Local || signal.kind.is_let();
            if by_body && !assigned.contains(&id) {
                self.declared.insert(id);
            }
        }
    }

    fn find_read_early(&mut self, units: &[Unit]) {
        let mut assigned: HashSet<SignalId> = HashSet::new();
        for unit in units {
            // The connection of such a pin is printed after all units.
            if unit.writes.iter().any(|s| self.direct.contains_key(s)) {
                continue;
            }
            let early = unit.reads.iter().filter(|s| !assigned.contains(*s));
            self.read_early.extend(early);
            assigned.extend(&unit.writes);
        }
    }

    /// Whether a signal is declared directly before the unit that assigns it.
    fn is_declared_at(&self, unit: &Unit, signal: SignalId) -> bool {
        let is_let = self.module().signal(signal).kind == SignalKind::Let;
        is_let && !unit.is_part && !self.read_early.contains(&signal)
    }

    /// Finds instance pins that connect directly to a signal or a constant.
    fn find_direct(&mut self, units: &[Unit]) {
        let module = self.module();
        let instances = module.instances.iter();
        let pins: HashSet<SignalId> = instances.flat_map(|i| &i.pins).copied().collect();
        for unit in units {
            let [stmt @ Stmt::Assign { target, value, .. }] = &unit.stmts[..] else {
                continue;
            };
            let simple = matches!(module.expr(*value).op, ExprOp::Read(_) | ExprOp::Const(_));
            if simple && pins.contains(target) && is_whole(module, stmt) {
                let code = self.exprs.value(*value).flat();
                self.direct.insert(*target, code);
                self.declared.insert(*target);
            }
        }
    }

    fn unit(&mut self, lines: &mut IndentedLines, unit: &Unit) {
        let module = self.module();
        let first = *unit.writes.first().expect("a unit assigns something");
        if self.direct.contains_key(&first) {
            return;
        }
        let is_assign = |stmt: &Stmt| matches!(stmt, Stmt::Assign { .. });
        if unit.stmts.iter().all(is_assign) && unit.writes.len() == 1 && !unit.reads_own {
            let replaces = replaced_bits(&self.exprs, &unit.stmts[0]).is_some();
            if unit.stmts.len() == 1 && is_whole(module, &unit.stmts[0]) {
                if !replaces {
                    return self.assigns(lines, unit);
                }
            } else if are_apart(module, &unit.stmts) {
                return self.assigns(lines, unit);
            }
        }
        self.always(lines, unit);
    }

    /// Prints unconditional assignments to a signal or to its parts.
    fn assigns(&mut self, lines: &mut IndentedLines, unit: &Unit) {
        let module = self.module();
        for stmt in &unit.stmts {
            let Stmt::Assign { target, slice, value, .. } = stmt else {
                unreachable!("all statements are assignments");
            };
            let name = self.name(*target).to_string();
            self.exprs.begin(&name, &[*value]);
            let code = self.exprs.value(*value);
            for temporary in self.exprs.take_temporaries() {
                let declaration = declare("wire", temporary.width, &temporary.name);
                lines.assignment(&declaration, &temporary.value);
            }
            let signal = module.signal(*target);
            let whole = is_whole(module, stmt);
            if whole && self.is_declared_at(unit, *target) {
                self.declared.insert(*target);
                let declaration = declare("wire", signal.width(), &name);
                lines.assignment(&declaration, &code);
            } else {
                let place = target_name(&self.exprs, *target, *slice);
                lines.assignment(&format!("assign {place}"), &code);
            }
        }
    }

    fn always(&mut self, lines: &mut IndentedLines, unit: &Unit) {
        let module = self.module();
        let mut body = AlwaysPrinter::new(&mut self.exprs, lines.level + 1);
        body.stmts(&unit.stmts);
        let AlwaysPrinter { lines: inside, temporaries, defaults, .. } = body;
        let words: HashSet<String> = words(&inside.text).collect();
        if !unit.reads.iter().any(|s| words.contains(self.name(*s))) {
            return self.constants(lines, unit);
        }
        lines.gap();
        self.regs.extend(&unit.writes);
        for signal in &unit.writes {
            if self.is_declared_at(unit, *signal) {
                self.declared.insert(*signal);
                let width = module.signal(*signal).width();
                lines.line(&format!("{};", declare("reg", width, self.name(*signal))));
            }
        }
        for (name, width) in &temporaries {
            lines.line(&format!("{};", declare("reg", *width, name)));
        }
        lines.line("always @* begin");
        let mut seen = HashSet::new();
        for (name, width) in defaults {
            if seen.insert(name.clone()) {
                lines.line(&format!("    {name} = {};", zero(width)));
            }
        }
        lines.text += &inside.text;
        lines.line("end");
        lines.gap();
    }

    /// Prints statements without inputs as constants. An `always @*` for them would never run.
    fn constants(&self, lines: &mut IndentedLines, unit: &Unit) {
        let module = self.module();
        let values = analysis::run(module, &unit.stmts);
        for signal in &unit.writes {
            let value = values.get(signal).cloned().unwrap_or_default();
            let code = self.exprs.literal(&value, &module.signal(*signal).ty);
            lines.assignment(&format!("assign {}", self.name(*signal)), &code);
        }
    }

    /// Prints the wire that reads signals that no statement, cell or instance reads.
    fn sink(&mut self, declarations: &str, body: &str, cells: &str) -> String {
        let module = self.module();
        let mut reads = ReadBits::default();
        reads.statements(body);
        reads.statements(cells);
        for pin in module.instances.iter().flat_map(|i| &i.pins) {
            match (self.direct.get(pin), &module.signal(*pin).kind) {
                (Some(connected), _) => reads.name(connected),
                (None, SignalKind::PinIn) => reads.name(self.name(*pin)),
                (None, _) => {}
            }
        }
        let mut signals: Vec<(String, u32)> = vec![];
        for (id, port) in module.ports() {
            match port.kind {
                SignalKind::Input => signals.push((self.name(id).to_owned(), port.width())),
                _ => reads.name(self.name(id)),
            }
        }
        signals.extend(declared(declarations));
        signals.extend(declared(body));
        let unread = |(name, width): &(String, u32)| reads.unread(name, *width);
        let parts: Vec<String> = signals.iter().flat_map(unread).collect();
        match parts.is_empty() {
            true => String::new(),
            false => sink(&self.exprs.names.fresh("unused"), &parts),
        }
    }

    fn instances(&self, lines: &mut IndentedLines, design: &Design, children: &[NamedModule]) {
        let module = self.module();
        for (i, instance) in module.instances.iter().enumerate() {
            let child = &children[instance.module.index()];
            let mut rows: Vec<(&str, &str)> = Vec::new();
            if let Some(clock) = child.names.clock() {
                let own = self.exprs.names.clock();
                rows.push((clock, own.expect("the parent of a clocked module is clocked")));
            }
            let ports = design.module(instance.module).ports();
            for ((port, _), pin) in ports.zip(&instance.pins) {
                let port = child.names.signal(port);
                let connection = self.direct.get(pin).map(String::as_str);
                rows.push((port, connection.unwrap_or_else(|| self.name(*pin))));
            }
            lines.gap();
            let name = self.exprs.names.instance(i);
            lines.line(&format!("{} {name} (", child.module));
            let longest = rows.iter().map(|(port, _)| port.len()).max().unwrap_or(0);
            for (i, (port, pin)) in rows.iter().enumerate() {
                let comma = if i + 1 < rows.len() { "," } else { "" };
                lines.line(&format!("    .{port:longest$} ({pin}){comma}"));
            }
            lines.line(");");
        }
    }
}

/// Returns the names in a text, without those in comments.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let code = text.lines().map(without_comment);
    code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_string)
}

/// Formats a declaration such as `wire [7:0] name`.
fn declare(kind: &str, width: u32, name: &str) -> String {
    match range(width) {
        range if range.is_empty() => format!("{kind} {name}"),
        range => format!("{kind} {range} {name}"),
    }
}

/// Whether the assignments are to disjoint parts of a signal.
fn are_apart(module: &DesignModule, stmts: &[Stmt]) -> bool {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for stmt in stmts {
        if let Stmt::Assign { target, slice, .. } = stmt {
            let width = module.signal(*target).width();
            parts.push(slice.map_or((0, width), |s| (s.offset, s.offset + s.width)));
        }
    }
    parts.sort();
    parts.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}

//! Local parameters and signals declared at the top of a module.

use super::cells;
use super::code::LINE_WIDTH;
use super::exprs::literal;
use super::module::{words, ModulePrinter};
use super::names::ModuleNames;
use super::text::{defuse, without_links, wrap, IndentedLines};
use lockstep::design::{CellKind, DesignModule, SignalId, SignalKind, Type};
use std::collections::HashSet;

impl ModulePrinter<'_> {
    /// Returns the declarations of signals at the top of the module.
    pub fn declarations(&self) -> String {
        let module = self.module();
        let names = &self.exprs.names;
        let mut shown = self.declared.clone();
        shown.extend(module.ports().map(|(id, _)| id));
        let mut lines = IndentedLines::new(1);
        let mut rows = DeclarationRows::default();
        for cell in &module.cells {
            if let CellKind::Register { d, q, .. } = &cell.kind {
                rows.add(self, &mut shown, *q, &cell.doc);
                rows.add(self, &mut shown, *d, "");
            }
        }
        rows.print(&mut lines);
        for (i, cell) in module.cells.iter().enumerate() {
            if let CellKind::Memory { read_address, read_data, write, .. } = &cell.kind {
                lines.gap();
                let (name, counter) = (names.cell(i), names.counter(i));
                lines.comment(&cell.doc);
                cells::storage(&mut lines, name, counter, &cell.kind, module);
                let mut rows = DeclarationRows::default();
                rows.add(self, &mut shown, *read_address, "");
                rows.add(self, &mut shown, *read_data, "");
                if let Some(write) = write {
                    for pin in [write.address, write.data, write.enable] {
                        rows.add(self, &mut shown, pin, "");
                    }
                }
                rows.print(&mut lines);
            }
        }
        let pins = module.instances.iter().flat_map(|i| &i.pins);
        let pins: HashSet<SignalId> = pins.copied().collect();
        lines.gap();
        let mut rows = DeclarationRows::default();
        for (i, signal) in module.signals.iter().enumerate() {
            let id = SignalId(i as u32);
            let constant = matches!(signal.kind, SignalKind::Constant(_));
            if !constant && !pins.contains(&id) {
                rows.add(self, &mut shown, id, "");
            }
        }
        rows.print(&mut lines);
        for instance in &module.instances {
            lines.gap();
            let mut rows = DeclarationRows::default();
            for pin in &instance.pins {
                rows.add(self, &mut shown, *pin, "");
            }
            rows.print(&mut lines);
        }
        lines.text
    }

    /// Returns the local parameters for constants and enum variants that occur in these texts.
    /// Linters report unused parameters.
    pub fn parameters(&self, texts: [&str; 2]) -> String {
        let module = self.module();
        let names = &self.exprs.names;
        let mut used: HashSet<String> = texts.into_iter().flat_map(words).collect();
        let mut constants = Vec::new();
        for (i, signal) in module.signals.iter().enumerate() {
            if let SignalKind::Constant(value) = &signal.kind {
                let name = self.name(SignalId(i as u32)).to_string();
                let value = match used.contains(&name) {
                    true => self.exprs.literal(value, &signal.ty),
                    false => literal(value, signal.width()),
                };
                let value = value.flat();
                used.extend(words(&value));
                constants.push((name, signal.width(), value, description(&signal.doc, &signal.ty)));
            }
        }
        let mut lines = IndentedLines::new(1);
        for known in names.enums() {
            if known.variants.iter().any(|name| used.contains(name)) {
                let rows = known.variants.iter().enumerate().map(|(i, name)| {
                    let width = known.ty.width;
                    let value = literal(&i.into(), width).flat();
                    (name.clone(), width, value, String::new())
                });
                parameter_rows(&mut lines, &rows.collect::<Vec<_>>(), &used);
            }
        }
        parameter_rows(&mut lines, &constants, &used);
        lines.text
    }
}

type ParameterRow = (String, u32, String, String);

/// Prints local parameters in aligned columns. Unused parameters become comments.
fn parameter_rows(lines: &mut IndentedLines, rows: &[ParameterRow], used: &HashSet<String>) {
    let shown = rows.iter().filter(|row| used.contains(&row.0));
    let longest_name = shown.map(|row| row.0.len()).max().unwrap_or(0);
    let longest_range = rows.iter().map(|row| range(row.1).len()).max().unwrap_or(0);
    lines.gap();
    for (name, width, value, doc) in rows {
        let range = range(*width);
        let doc = match &doc[..] {
            "" => String::new(),
            doc => format!("  // {doc}"),
        };
        if used.contains(name) {
            let gap = if longest_range > 0 { " " } else { "" };
            lines.line(&format!(
                "localparam {range:longest_range$}{gap}{name:longest_name$} = {value};{doc}"
            ));
        } else {
            lines.line(&format!("// not used here: {name} = {value}{doc}"));
        }
    }
}

/// Declarations in aligned columns.
#[derive(Default)]
struct DeclarationRows {
    rows: Vec<(&'static str, String, String, String)>,
}

impl DeclarationRows {
    fn add(
        &mut self,
        text: &ModulePrinter,
        shown: &mut HashSet<SignalId>,
        id: SignalId,
        doc: &str,
    ) {
        if !shown.insert(id) {
            return;
        }
        let signal = text.module().signal(id);
        let kind = if text.regs.contains(&id) { "reg" } else { "wire" };
        // The comment of a cell also covers the input of the cell.
        let input = signal.kind == SignalKind::PinIn && signal.doc.is_empty();
        let doc = match doc.trim() {
            "" if input => String::new(),
            "" => description(&signal.doc, &signal.ty),
            doc => description(doc, &signal.ty),
        };
        let name = format!("{};", text.name(id));
        self.rows.push((kind, range(signal.width()), name, doc));
    }

    fn print(self, lines: &mut IndentedLines) {
        let width = |column: fn(&(&str, String, String, String)) -> usize| {
            self.rows.iter().map(column).max().unwrap_or(0)
        };
        let kinds = width(|row| row.0.len());
        let ranges = width(|row| row.1.len());
        let names = width(|row| row.2.len());
        for (kind, range, name, doc) in &self.rows {
            let mut line = format!("{kind:kinds$} ");
            if ranges > 0 {
                line += &format!("{range:ranges$} ");
            }
            let with_doc = format!("{line}{name:names$}  // {doc}");
            if doc.is_empty() {
                lines.line(&format!("{line}{name}"));
            } else if lines.level * 4 + with_doc.len() <= LINE_WIDTH {
                lines.line(&with_doc);
            } else {
                lines.comment(doc);
                lines.line(&format!("{line}{name}"));
            }
        }
    }
}

// Header comment and port list of a module.

const RULE: usize = 80;

/// Port as shown in the header.
struct HeaderPort {
    name: String,
    direction: &'static str,
    is_reg: bool,
    width: u32,
    text: String,
}

/// Formats the header comment and the port list. Outputs in `regs` are variables.
pub fn header(
    module: &DesignModule,
    name: &str,
    names: &ModuleNames,
    regs: &HashSet<SignalId>,
) -> String {
    let mut ports = Vec::new();
    if let Some(clock) = names.clock() {
        ports.push(HeaderPort {
            name: clock.to_string(),
            direction: "input",
            is_reg: false,
            width: 1,
            text: "everything changes on its rising edge".to_string(),
        });
    }
    for (id, signal) in module.ports() {
        let input = signal.kind == SignalKind::Input;
        ports.push(HeaderPort {
            name: names.signal(id).to_string(),
            direction: if input { "input" } else { "output" },
            is_reg: regs.contains(&id),
            width: signal.width(),
            text: description(&signal.doc, &signal.ty),
        });
    }
    let mut lines = IndentedLines::default();
    comment(&mut lines, module, name, &ports);
    declaration(&mut lines, name, &ports);
    lines.text
}

fn comment(lines: &mut IndentedLines, module: &DesignModule, name: &str, ports: &[HeaderPort]) {
    let rule = "/".repeat(RULE);
    lines.line(&rule);
    lines.line(&format!("// {}", defuse(name)));
    if !module.doc.trim().is_empty() {
        lines.line("//");
        lines.comment(&module.doc);
    }
    if !module.params.is_empty() {
        lines.line("//");
        lines.line("// Parameters");
        let longest = module.params.iter().map(|p| p.name.len()).max();
        for param in &module.params {
            let name = format!("{:1$}", param.name, longest.unwrap_or(0));
            let value = param.value.replace('\n', " ");
            lines.line(&format!("//   {}", defuse(&format!("{name} = {value}"))));
        }
    }
    if !ports.is_empty() {
        lines.line("//");
        lines.line("// Ports");
        let longest = ports.iter().map(|p| p.name.len()).max().unwrap_or(0).max(4);
        lines.line(&format!("//   {:longest$}  direction  width  description", "name"));
        for port in ports {
            let before = format!(
                "//   {:longest$}  {:9}  {:5}  ",
                defuse(&port.name),
                port.direction,
                port.width
            );
            let mut text = wrap(&port.text, (RULE + 16 - before.len()).max(30)).into_iter();
            lines.line((before.clone() + &text.next().unwrap_or_default()).trim_end());
            let indent = format!("//{}", " ".repeat(before.len() - 2));
            text.for_each(|more| lines.line((indent.clone() + &more).trim_end()));
        }
    }
    lines.line(&rule);
}

fn declaration(lines: &mut IndentedLines, name: &str, ports: &[HeaderPort]) {
    if ports.is_empty() {
        lines.line(&format!("module {name};"));
        return;
    }
    lines.line(&format!("module {name} ("));
    lines.level = 1;
    let any_output = ports.iter().any(|p| p.direction == "output");
    let direction_width = if any_output { 6 } else { 5 };
    let all_reg = ports.iter().all(|p| p.is_reg);
    let kind_width = if all_reg { 3 } else { 4 };
    let range_width = ports.iter().map(|p| range(p.width).len()).max().unwrap_or(0);
    for (i, port) in ports.iter().enumerate() {
        let kind = if port.is_reg { "reg" } else { "wire" };
        let comma = if i + 1 < ports.len() { "," } else { "" };
        let mut line = format!("{:direction_width$} {kind:kind_width$} ", port.direction);
        if range_width > 0 {
            line += &format!("{:range_width$} ", range(port.width));
        }
        lines.line(&format!("{line}{}{comma}", port.name));
    }
    lines.level = 0;
    lines.line(");");
}

/// Formats the range of a vector. A single bit has no range.
pub fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0]", width - 1),
    }
}

/// Formats documentation on one line, followed by the meaning of the bits.
pub fn description(doc: &str, ty: &Type) -> String {
    let doc = without_links(doc);
    let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
    let layout = match ty {
        Type::Bits(_) => String::new(),
        Type::Enum(e) => e.name.clone(),
        Type::Struct(s) => {
            let fields = s.fields.iter().map(|f| {
                let last = f.offset + f.ty.width() - 1;
                match f.ty.width() {
                    1 => format!("{} [{}]", f.name, f.offset),
                    _ => format!("{} [{last}:{}]", f.name, f.offset),
                }
            });
            format!("{}: {}", s.name, fields.collect::<Vec<_>>().join(", "))
        }
    };
    let text = match (doc.is_empty(), layout.is_empty()) {
        (_, true) => doc,
        (true, _) => layout,
        _ => format!("{doc} ({layout})"),
    };
    defuse(&text)
}

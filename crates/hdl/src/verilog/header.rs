//! Header comment and port list of a module.

use super::comments::{defuse, without_links};
use super::lines::{wrap, IndentedLines};
use super::names::ModuleNames;
use lockstep::design::{DesignModule, SignalId, SignalKind, Type};
use std::collections::HashSet;

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
        lines.line(&format!(
            "//   {:longest$}  direction  width  description",
            "name"
        ));
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
    let range_width = ports
        .iter()
        .map(|p| range(p.width).len())
        .max()
        .unwrap_or(0);
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

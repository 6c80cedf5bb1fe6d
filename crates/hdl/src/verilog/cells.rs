//! Registers, memories, checks and print statements.

use super::code::LINE_WIDTH;
use super::declarations::range;
use super::exprs::ExprPrinter;
use super::stmts::zero;
use super::text::IndentedLines;
use lockstep::design::{
    CellKind, CheckGoal, DesignModule, PrintBase, PrintPart, SignalId, WritePort,
};
use num_bigint::BigUint;
use num_traits::Zero;

/// Prints the blocks that implement registers and memories of the declared names.
pub fn cells(exprs: &mut ExprPrinter, lines: &mut IndentedLines) {
    let module = exprs.module;
    let Some(clock) = exprs.names.clock().map(str::to_string) else {
        return;
    };
    registers(exprs, lines, &clock);
    for (index, cell) in module.cells.iter().enumerate() {
        if let CellKind::Memory { read_address, read_data, asynchronous, write, init } = &cell.kind
        {
            let memory = MemoryPrinter {
                name: exprs.names.cell(index).to_string(),
                counter: exprs.names.counter(index).to_string(),
                read_address: *read_address,
                read_data: *read_data,
                asynchronous: *asynchronous,
                write: write.as_ref(),
                init,
            };
            memory.initial(exprs, lines);
            memory.clocked(exprs, lines, &clock);
        }
    }
}

/// Prints the checks as assertions of SystemVerilog. Provers define `FORMAL`. Verilog-2001 does not
/// know assertions.
pub fn checks(exprs: &ExprPrinter, lines: &mut IndentedLines) {
    let cells = exprs.module.cells.iter().enumerate();
    let rows: Vec<String> = cells
        .filter_map(|(index, cell)| {
            let CellKind::Check { holds, goal } = cell.kind else {
                return None;
            };
            let (label, bit) = (exprs.names.cell(index), exprs.names.signal(holds));
            let word = match goal {
                CheckGoal::Assert => "assert",
                CheckGoal::Cover => "cover",
            };
            Some(format!("    {label}: {word} ({bit});"))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    lines.gap();
    lines.line("`ifdef FORMAL");
    // A prover sees one settled state in each clock cycle. After `posedge`, induction would need
    // another clock cycle.
    lines.line("always @* begin");
    rows.iter().for_each(|row| lines.line(row));
    lines.line("end");
    lines.line("`endif");
}

/// Prints the print statements in one block, so that their order is that of the source.
pub fn prints(exprs: &ExprPrinter, lines: &mut IndentedLines) {
    let Some(clock) = exprs.names.clock() else {
        return;
    };
    let name = |id: SignalId| exprs.names.signal(id);
    let mut rows = vec![];
    for cell in &exprs.module.cells {
        if let CellKind::Print { enable, words, text } = &cell.kind {
            let names: Vec<&str> = words.iter().map(|word| name(*word)).collect();
            let call = display_call(text, &names);
            rows.push(format!("    if ({}) begin", name(*enable)));
            rows.push(format!("        {call}"));
            rows.push("    end".into());
        }
    }
    if rows.is_empty() {
        return;
    }
    lines.gap();
    lines.line("`ifndef SYNTHESIS");
    lines.line(&format!("always @(posedge {clock}) begin"));
    rows.iter().for_each(|row| lines.line(row));
    lines.line("end");
    lines.line("`endif");
}

/// Returns the call of `$display` that prints a text with these words.
fn display_call(text: &[PrintPart], names: &[&str]) -> String {
    let (mut format, mut arguments) = (String::new(), String::new());
    for part in text {
        match part {
            PrintPart::Text(text) => text.chars().for_each(|c| match c {
                '%' => format.push_str("%%"),
                '"' | '\\' => format.extend(['\\', c]),
                '\n' => format.push_str("\\n"),
                '\t' => format.push_str("\\t"),
                c => format.push(c),
            }),
            PrintPart::Word { word, base } => {
                let name = names[*word];
                let (of_base, argument) = match base {
                    PrintBase::Decimal => ("%0d", name.to_owned()),
                    PrintBase::SignedDecimal => ("%0d", format!("$signed({name})")),
                    PrintBase::Hexadecimal => ("%0h", name.to_owned()),
                    PrintBase::Binary => ("%0b", name.to_owned()),
                };
                format.push_str(of_base);
                arguments += &format!(", {argument}");
            }
        }
    }
    format!("$display(\"{format}\"{arguments});")
}

fn registers(exprs: &mut ExprPrinter, lines: &mut IndentedLines, clock: &str) {
    let module = exprs.module;
    let mut rows = Vec::new();
    for cell in &module.cells {
        if let CellKind::Register { d, q, init } = &cell.kind {
            let init = exprs.literal(init, &module.signal(*q).ty).flat();
            let d = exprs.names.signal(*d).to_string();
            rows.push((exprs.names.signal(*q).to_string(), init, d));
        }
    }
    if rows.is_empty() {
        return;
    }
    let longest = rows.iter().map(|(q, ..)| q.len()).max().unwrap_or(0);
    lines.gap();
    lines.line("initial begin");
    for (q, init, _) in &rows {
        lines.line(&format!("    {q:longest$} = {init};"));
    }
    lines.line("end");
    lines.gap();
    lines.line(&format!("always @(posedge {clock}) begin"));
    for (q, _, d) in &rows {
        lines.line(&format!("    {q:longest$} <= {d};"));
    }
    lines.line("end");
}

struct MemoryPrinter<'a> {
    name: String,
    counter: String,
    read_address: SignalId,
    read_data: SignalId,
    asynchronous: bool,
    write: Option<&'a WritePort>,
    init: &'a [BigUint],
}

impl MemoryPrinter<'_> {
    /// Prints the initial words. A loop sets the zeros at the end.
    fn initial(&self, exprs: &mut ExprPrinter, lines: &mut IndentedLines) {
        let module = exprs.module;
        let name = &self.name;
        let width = module.signal(self.read_data).width();
        let depth = words(module.signal(self.read_address).width());
        let used = used_words(self.init);
        lines.gap();
        lines.line("initial begin");
        lines.level += 1;
        let mut line = String::new();
        for (i, word) in self.init[..used].iter().enumerate() {
            let digits = width.div_ceil(4) as usize;
            let word = format!("{width}'h{:0>digits$}", word.to_str_radix(16));
            let text = format!("{name}[{i}] = {word};");
            if !line.is_empty() && lines.level * 4 + line.len() + 1 + text.len() > LINE_WIDTH {
                lines.line(&std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += &text;
        }
        if !line.is_empty() {
            lines.line(&line);
        }
        if BigUint::from(used) < depth {
            let i = &self.counter;
            lines.line(&format!("for ({i} = {used}; {i} < {depth}; {i} = {i} + 1) begin"));
            lines.line(&format!("    {name}[{i}] = {};", zero(width)));
            lines.line("end");
        }
        let disjoint = self.write.is_some_and(|write| write.disjoint);
        if disjoint {
            // The initial output of block RAM is undefined.
            lines.line("`ifndef SYNTHESIS");
        }
        if !self.asynchronous {
            let read_data = exprs.names.signal(self.read_data);
            lines.line(&format!("{read_data} = {};", zero(width)));
        }
        if disjoint {
            lines.line("`endif");
        }
        lines.level -= 1;
        lines.line("end");
    }

    fn clocked(&self, exprs: &ExprPrinter, lines: &mut IndentedLines, clock: &str) {
        let name = |id: SignalId| exprs.names.signal(id);
        let storage = &self.name;
        let word = format!("{storage}[{}]", name(self.read_address));
        lines.gap();
        if self.asynchronous {
            lines.line(&format!("assign {} = {word};", name(self.read_data)));
            if self.write.is_none() {
                return;
            }
            lines.gap();
        }
        lines.line(&format!("always @(posedge {clock}) begin"));
        lines.level += 1;
        if !self.asynchronous {
            lines.line(&format!("{} <= {word};", name(self.read_data)));
        }
        if let Some(write) = self.write {
            lines.line(&format!("if ({}) begin", name(write.enable)));
            lines.line(&format!("    {storage}[{}] <= {};", name(write.address), name(write.data)));
            lines.line("end");
        }
        lines.level -= 1;
        lines.line("end");
    }
}

/// Declares the storage of a memory and the signals that initialise it.
pub fn storage(
    lines: &mut IndentedLines,
    name: &str,
    counter: &str,
    cell: &CellKind,
    module: &DesignModule,
) {
    let CellKind::Memory { read_address, read_data, write, init, .. } = cell else {
        return;
    };
    let depth = words(module.signal(*read_address).width());
    let range = match range(module.signal(*read_data).width()) {
        range if range.is_empty() => String::new(),
        range => format!("{range} "),
    };
    let attribute = match write.as_ref().is_some_and(|write| write.disjoint) {
        true => "(* no_rw_check *) ",
        false => "",
    };
    let words = &depth - 1u32;
    lines.line(&format!("{attribute}reg {range}{name} [0:{words}];"));
    if BigUint::from(used_words(init)) < depth {
        lines.line(&format!("integer {counter};"));
    }
}

/// Returns the number of words up to the last one that is not zero.
fn used_words(init: &[BigUint]) -> usize {
    (init.iter().rposition(|word| !word.is_zero())).map_or(0, |last| last + 1)
}

fn words(address_width: u32) -> BigUint {
    BigUint::from(1u32) << address_width
}

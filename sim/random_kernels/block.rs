//! A block: its fields, its kernel and its text.

use crate::random_kernels::bundles::Bundles;
use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::statements::{indented, CodeLines};
use crate::random_kernels::types::{WordType, WordWidth};
use std::fmt::Write;

/// A port as seen by the parent of a block.
#[derive(Clone)]
pub struct BlockPort {
    /// Its path from the block: `in0`, `bus.in0`, `through1[2].bus.in0`.
    pub name: String,
    pub ty: WordType,
    pub input: bool,
}

/// A block that has been written.
#[derive(Clone)]
pub struct GeneratedBlock {
    pub name: String,
    pub text: String,
    pub ports: Vec<BlockPort>,
    pub clocked: bool,
    /// The values of `N` for which it is generated.
    pub n: Option<&'static [usize]>,
    /// The block has a bundle, `bus`, that a parent can link through.
    pub has_bus: bool,
    /// Levels of nested blocks, including itself.
    pub levels: u32,
}

pub struct BlockField {
    pub name: String,
    pub ty: String,
    pub init: String,
    pub public: bool,
}

/// A step that must occur once in a kernel, for a target, a cell or a child.
pub enum KernelStep {
    /// The first assignment of a target.
    Assign(usize),
    /// The first assignment of all elements of an array: its name, the text after the brackets, the
    /// targets, and whether they can be read.
    AssignAll(String, String, Vec<usize>, bool),
    /// The inputs of a child or an array of children.
    Child(usize),
}

/// A child or an array of children of one kind.
pub struct Child {
    pub field: String,
    pub block: GeneratedBlock,
    /// Its `N`, as written in the parent.
    pub n: Option<WordWidth>,
    pub length: Option<usize>,
}

/// A block under construction.
pub struct BlockDraft<'a, 'b> {
    pub g: &'b mut KernelGenerator<'a>,
    pub fields: Vec<BlockField>,
    pub ports: Vec<BlockPort>,
    pub steps: Vec<KernelStep>,
    pub children: Vec<Child>,
    /// Statements that clock something. Their position is irrelevant.
    pub clocks: Vec<String>,
    /// Registers for `dff_setup!`.
    pub setup: Vec<String>,
    /// Cells and children for `clock!`.
    pub clock: Vec<String>,
    pub bundles: Bundles,
}

impl<'a, 'b> BlockDraft<'a, 'b> {
    pub fn new(g: &'b mut KernelGenerator<'a>) -> Self {
        BlockDraft {
            g,
            fields: vec![],
            ports: vec![],
            steps: vec![],
            children: vec![],
            clocks: vec![],
            setup: vec![],
            clock: vec![],
            bundles: Bundles::default(),
        }
    }

    pub fn field(&mut self, name: &str, ty: String, init: &str) {
        self.fields.push(BlockField { name: name.into(), ty, init: init.into(), public: false });
    }

    pub fn signal(&mut self, name: &str, kind: &str, ty: WordType) {
        let ty = format!("Signal<{kind}, {}>", self.g.world.text(ty));
        self.field(name, ty, "Signal::default()");
        let last = self.fields.last_mut().expect("pushed above");
        last.public = kind != "Local";
    }

    /// Returns the body of the kernel.
    pub fn body(&mut self) -> CodeLines {
        let mut lines = vec![];
        let mut late = vec![];
        self.clock_statements(&mut lines, &mut late);
        let mut steps = std::mem::take(&mut self.steps);
        self.order(&mut steps);
        for step in steps {
            if self.g.dice.one_in(4) {
                lines.extend(self.g.binding());
            }
            match step {
                KernelStep::Assign(target) => lines.extend(self.g.assign_first(target, 2)),
                KernelStep::AssignAll(array, after, targets, readable) => {
                    lines.extend(self.assign_all(&array, &after, &targets, readable));
                }
                KernelStep::Child(child) => lines.extend(self.drive(child)),
            }
            let count = self.g.dice.pick(&[0, 0, 0, 1, 1]);
            lines.extend(self.g.statements(count, 2));
        }
        lines.extend(self.g.statements(2, 3));
        lines.extend(self.checks());
        lines.extend(self.print());
        self.clock_cells(&mut lines, &mut late);
        lines.extend(late);
        lines.extend(self.reset());
        lines
    }

    /// Returns a reset of some registers, sometimes.
    fn reset(&mut self) -> Option<String> {
        let mut port = self.ports.iter().filter(|port| port.name == "in1");
        if self.setup.is_empty() || port.next().is_none() || !self.g.dice.one_in(3) {
            return None;
        }
        self.g.hit("reset!");
        let count = self.g.dice.between(1, self.setup.len());
        Some(format!("reset!(self, in1, {});", self.setup[..count].join(", ")))
    }

    /// Mixes the steps. Children keep their order, because later ones read earlier ones.
    fn order(&mut self, steps: &mut [KernelStep]) {
        self.g.dice.shuffle(steps);
        let places: Vec<usize> =
            (0..steps.len()).filter(|i| matches!(steps[*i], KernelStep::Child(_))).collect();
        for (child, place) in places.into_iter().enumerate() {
            steps[place] = KernelStep::Child(child);
        }
    }

    fn clock_statements(&mut self, lines: &mut CodeLines, late: &mut CodeLines) {
        if !self.setup.is_empty() {
            self.g.hit("dff_setup!");
            lines.push(format!("dff_setup!(self, clock, {});", self.setup.join(", ")));
        }
        self.clock_cells(lines, late);
    }

    fn clock_cells(&mut self, lines: &mut CodeLines, late: &mut CodeLines) {
        if !self.clock.is_empty() {
            self.g.hit("clock!");
            let cells = std::mem::take(&mut self.clock);
            let text = format!("clock!(self, clock, {});", cells.join(", "));
            match self.g.dice.one_in(3) {
                true => late.push(text),
                false => lines.push(text),
            }
        }
        for text in std::mem::take(&mut self.clocks) {
            self.g.hit("clock assigned");
            if self.g.dice.one_in(3) {
                self.g.hit("clock assigned at the end");
                late.push(text);
            } else {
                lines.push(text);
            }
        }
    }

    /// Assigns all elements of an array for the first time, in a loop.
    fn assign_all(
        &mut self,
        array: &str,
        after: &str,
        targets: &[usize],
        readable: bool,
    ) -> CodeLines {
        self.g.hit("first assigned in for");
        let ty = self.g.scope.targets[targets[0]].ty;
        let last = targets.len() - 1;
        let range = match self.g.dice.below(3) {
            0 => {
                self.g.hit("for to len");
                format!("0..self.{array}.len()")
            }
            1 => format!("0..={last}_usize"),
            _ => format!("0..{}_usize", targets.len()),
        };
        let lines = self.g.loop_over(&range, last, |g| {
            let index = g.scope.counts.last().expect("of the loop").text.clone();
            let mut lines = match g.dice.one_in(3) {
                true => g.statements(1, 1),
                false => vec![],
            };
            let depth = g.depth();
            // A `let` may shadow the array's name, but not the loop index.
            let value = g.assignable(ty, depth).text;
            lines.push(format!("self.{array}[{index}]{after}.next = {value};"));
            lines
        });
        for target in targets {
            self.g.scope.assigned(self.g.world, *target);
        }
        if readable {
            let array = (format!("self.{array}"), after.into(), ty, targets.len());
            self.g.scope.arrays.push(array);
        }
        lines
    }

    /// Returns the text of the block.
    pub fn text(mut self, name: &str, levels: u32) -> GeneratedBlock {
        let mut body = self.body();
        body.extend(self.windows());
        let clocked = !self.setup.is_empty() || self.needs_clock(&body);
        if clocked {
            self.field("clock", "Signal<In, Clock>".into(), "Signal::default()");
            self.fields.last_mut().expect("pushed above").public = true;
        }
        let bundles = self.bundle_texts(name);
        let mut fields = std::mem::take(&mut self.fields);
        self.g.dice.shuffle(&mut fields);
        // Ports are numbered in the order of the fields.
        let place = |name: &str| {
            let name = name.split(['.', '[']).next();
            fields.iter().position(|f| Some(&f.name[..]) == name)
        };
        self.ports.sort_by_key(|port| place(&port.name));
        let (generics, args) = match self.g.n {
            Some(_) => ("<const N: usize>", "<N>"),
            None => ("", ""),
        };
        let mut text = bundles;
        let mut write = |line: &str| writeln!(text, "{line}").expect("text");
        write("#[derive(LogicBlock, Circuit)]");
        write(&format!("pub struct {name}{generics} {{"));
        for field in &fields {
            let public = if field.public { "pub " } else { "" };
            write(&format!("    {public}{}: {},", field.name, field.ty));
        }
        write("}\n");
        write(&format!("impl{generics} Default for {name}{args} {{"));
        write("    fn default() -> Self {");
        write(&format!("        {name} {{"));
        for field in &fields {
            write(&format!("            {}: {},", field.name, field.init));
        }
        write("        }\n    }\n}\n");
        write(&format!("impl{generics} Logic for {name}{args} {{"));
        write("    #[kernel]\n    fn update(&mut self) {");
        for line in indented(indented(body).collect()) {
            write(&line);
        }
        write("    }\n}\n");
        GeneratedBlock {
            name: name.into(),
            text,
            ports: self.ports,
            clocked,
            n: self.g.n,
            has_bus: self.bundles.has_bus && !self.bundles.flat,
            levels,
        }
    }

    fn needs_clock(&self, body: &CodeLines) -> bool {
        body.iter().any(|line| {
            line.contains("self.clock.val()")
                || line.contains("clock!(self, clock")
                || line.contains("display!(")
        })
    }
}

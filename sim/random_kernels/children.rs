//! Blocks inside blocks.

use crate::random_kernels::block::{BlockDraft, BlockPort, Child, GeneratedBlock, KernelStep};
use crate::random_kernels::bundles::Through;
use crate::random_kernels::statements::CodeLines;
use crate::random_kernels::types::{WordType, WordWidth};

impl BlockDraft<'_, '_> {
    /// Adds fields for one to three children of these kinds.
    pub fn children(&mut self, kinds: &[GeneratedBlock]) {
        if kinds.is_empty() {
            return;
        }
        for i in 0..self.g.dice.between(1, 3) {
            let block = kinds[self.g.dice.below(kinds.len())].clone();
            let field = format!("child{i}");
            self.g.hit("child");
            let n = block.n.map(|values| self.argument(values));
            let length = match self.g.dice.below(3) {
                0 => Some(self.g.dice.between(2, 3)),
                _ => None,
            };
            let ty = match n {
                Some(width) => format!("{}<{}>", block.name, width.text()),
                None => block.name.clone(),
            };
            match length {
                None => self.field(&field, ty, "Default::default()"),
                Some(length) if self.g.dice.one_in(3) => {
                    self.g.hit("Vec of children");
                    let init = format!("(0..{length}).map(|_| Default::default()).collect()");
                    self.field(&field, format!("Vec<{ty}>"), &init);
                }
                Some(length) => {
                    self.g.hit("array of children");
                    self.field(&field, format!("[{ty}; {length}]"), "Default::default()");
                }
            }
            if !block.clocked {
                self.g.hit("combinational child");
            } else if let Some(length) = length {
                self.clocks.push(format!(
                    "for i in 0..{length} {{ self.{field}[i].clock.next = self.clock.val(); }}"
                ));
            } else {
                self.clocked(&field);
            }
            self.children.push(Child { field, block, n, length });
            self.steps.push(KernelStep::Child(i));
        }
    }

    /// Returns the `N` of a child that is generated for these values.
    fn argument(&mut self, values: &'static [usize]) -> WordWidth {
        self.g.hit("const generic of child");
        if self.g.n == Some(values) {
            self.g.hit("const generic passed on");
            return WordWidth::N;
        }
        WordWidth::Bits(self.g.dice.pick(values))
    }

    /// Drives all inputs of a child. From then on its outputs can be read and its inputs can no
    /// longer be changed.
    pub fn drive(&mut self, child: usize) -> CodeLines {
        let Child { field, block, n, length } = &self.children[child];
        let (field, n, length) = (field.clone(), *n, *length);
        let ports = block.ports.clone();
        let here = |ty: WordType| match (ty, n) {
            (WordType::Bits(WordWidth::N), Some(n)) => WordType::Bits(n),
            (ty, _) => ty,
        };
        let block = block.clone();
        let through = self.hand_through(&field, &block, n, length);
        let driven = through.is_some();
        let Through { mut lines, outputs } = through.unwrap_or_default();
        let first = self.g.scope.targets.len();
        let open = |port: &&BlockPort| port.input && !(driven && port.name.starts_with("bus."));
        for port in ports.iter().filter(open) {
            let ty = here(port.ty);
            match length {
                None => {
                    let text = format!("self.{field}.{}", port.name);
                    let target = self.target(text, ty, false);
                    lines.extend(self.g.assign_first(target, 2));
                }
                Some(length) => {
                    let from = ports.iter().find(|p| !p.input && p.ty == port.ty);
                    let from = from.map(|p| p.name.clone());
                    lines.extend(self.drive_all(&field, length, &port.name, ty, from));
                }
            }
        }
        let count = self.g.dice.below(2);
        lines.extend(self.g.statements(count, 2));
        for target in &mut self.g.scope.targets[first..] {
            target.open = false;
        }
        for (text, ty) in outputs {
            self.g.scope.add_source(self.g.world, &text, ty, None);
        }
        for port in ports.iter().filter(|p| !p.input) {
            let ty = here(port.ty);
            let elements: Vec<String> = match length {
                None => vec![format!("self.{field}")],
                Some(length) => {
                    let array = (format!("self.{field}"), format!(".{}", port.name), ty, length);
                    self.g.scope.arrays.push(array);
                    (0..length).map(|i| format!("self.{field}[{i}]")).collect()
                }
            };
            for element in elements {
                let text = format!("{element}.{}.val()", port.name);
                self.g.scope.add_source(self.g.world, &text, ty, None);
            }
        }
        lines
    }

    /// Drives one input of every element. The source is the output `from` of the previous element,
    /// if there is one.
    fn drive_all(
        &mut self,
        field: &str,
        length: usize,
        port: &str,
        ty: WordType,
        from: Option<String>,
    ) -> CodeLines {
        let range = format!("0..self.{field}.len()");
        let targets: Vec<usize> = (0..length)
            .map(|i| self.target(format!("self.{field}[{i}].{port}"), ty, false))
            .collect();
        self.g.hit("for to len");
        let lines = self.g.loop_over(&range, length - 1, |g| {
            let index = g.scope.counts.last().expect("of the loop").text.clone();
            let depth = g.depth();
            let value = g.assignable(ty, depth).text;
            let next = format!("self.{field}[{index}].{port}.next");
            match from {
                Some(from) if g.dice.one_in(2) => {
                    g.hit("child chain in loop");
                    vec![
                        format!("if {index} == 0 {{"),
                        format!("    {next} = {value};"),
                        "} else {".into(),
                        format!("    {next} = self.{field}[{index} - 1].{from}.val();"),
                        "}".into(),
                    ]
                }
                _ => vec![format!("{next} = {value};")],
            }
        });
        for target in targets {
            self.g.scope.assigned(self.g.world, target);
        }
        lines
    }
}

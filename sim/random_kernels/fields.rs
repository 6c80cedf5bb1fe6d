//! The fields of a block: ports, locals, constants, cells.

use crate::random_kernels::block::{BlockDraft, BlockField, BlockPort, KernelStep};
use crate::random_kernels::scope::AssignTarget;
use crate::random_kernels::statements::CodeLines;
use crate::random_kernels::types::WordType;

impl BlockDraft<'_, '_> {
    /// Adds ports. With `top`, a stimulus must be able to set them.
    pub fn ports(&mut self, top: bool) {
        self.choose_bundles(top);
        let count = self.g.dice.between(3, 5);
        for i in 0..count {
            let n = self.g.n.is_some();
            let ty = match (i, top) {
                (0, _) => self.g.world.word(self.g.dice, n),
                (1, _) => WordType::Bool,
                (_, true) if self.g.dice.one_in(4) => WordType::Bool,
                (_, true) => self.g.world.word(self.g.dice, n),
                (_, false) => self.g.world.any(self.g.dice, n),
            };
            let name = self.port(&format!("in{i}"), ty, true);
            let text = format!("self.{name}.val()");
            self.g.scope.add_source(self.g.world, &text, ty, None);
        }
        let count = self.g.dice.between(1, 3);
        for i in 0..count {
            let n = self.g.n.is_some();
            let ty = self.g.world.any(self.g.dice, n);
            self.output(&format!("out{i}"), ty);
        }
    }

    /// Adds a port. Returns its path.
    fn port(&mut self, name: &str, ty: WordType, input: bool) -> String {
        match ty {
            WordType::Enum(_) => self.g.hit("enum port"),
            WordType::Struct(_) => self.g.hit("struct port"),
            _ => {}
        }
        let direction = if input { "In" } else { "Out" };
        let path = self.bundled(BlockField {
            name: name.into(),
            ty: format!("Signal<{direction}, {}>", self.g.world.text(ty)),
            init: "Signal::default()".into(),
            public: true,
        });
        self.ports.push(BlockPort { name: path.clone(), ty, input });
        path
    }

    fn output(&mut self, name: &str, ty: WordType) -> usize {
        let name = self.port(name, ty, false);
        let target = self.target(format!("self.{name}"), ty, true);
        self.g.scope.targets[target].out = true;
        self.steps.push(KernelStep::Assign(target));
        target
    }

    /// Adds an assignable target. Returns its index.
    pub fn target(&mut self, text: String, ty: WordType, readable: bool) -> usize {
        self.g.scope.targets.push(AssignTarget {
            text,
            ty,
            readable,
            out: false,
            assigned: false,
            open: true,
        });
        self.g.scope.targets.len() - 1
    }

    pub fn locals(&mut self) {
        for i in 0..self.g.dice.between(1, 3) {
            let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
            let name = format!("local{i}");
            self.signal(&name, "Local", ty);
            let target = self.target(format!("self.{name}"), ty, true);
            self.steps.push(KernelStep::Assign(target));
        }
        if self.g.dice.one_in(4) {
            self.g.hit("array of locals");
            let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
            let length = self.g.dice.between(2, 4);
            let word = self.g.world.text(ty);
            self.field("line", format!("[Signal<Local, {word}>; {length}]"), "Default::default()");
            let targets = (0..length).map(|i| self.target(format!("self.line[{i}]"), ty, true));
            let targets = targets.collect();
            let step = KernelStep::AssignAll("line".into(), String::new(), targets, true);
            self.steps.push(step);
        }
        for i in 0..self.g.dice.pick(&[0, 0, 1, 2]) {
            let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
            let name = format!("fixed{i}");
            let init = self.initial(ty);
            let word = self.g.world.text(ty);
            self.field(&name, format!("Constant<{word}>"), &format!("Constant::new({init})"));
            self.g.hit("Constant");
            let text = format!("self.{name}.val()");
            self.g.scope.add_source(self.g.world, &text, ty, None);
        }
    }

    fn initial(&mut self, ty: WordType) -> String {
        let narrowest = self.g.n.map_or(0, |n| n[0]);
        self.g.world.value(self.g.dice, ty, narrowest)
    }

    pub fn registers(&mut self) {
        for i in 0..self.g.dice.pick(&[0, 1, 2, 2, 3]) {
            let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
            self.g.hit(match ty {
                WordType::Bits(_) => "reg of word",
                WordType::Bool => "reg of bool",
                WordType::Enum(_) => "reg of enum",
                WordType::Struct(_) => "reg of struct",
            });
            let (name, word) = (format!("state{i}"), self.g.world.text(ty));
            let init = format!("Reg::new({})", self.initial(ty));
            self.field(&name, format!("Reg<{word}>"), &init);
            let text = format!("self.{name}.q.val()");
            self.g.scope.add_source(self.g.world, &text, ty, None);
            let target = self.target(format!("self.{name}.d"), ty, false);
            if self.g.dice.one_in(3) {
                self.clocked(&name);
                self.steps.push(KernelStep::Assign(target));
            } else {
                self.setup.push(name);
                self.g.scope.assigned(self.g.world, target);
            }
        }
        if self.g.dice.one_in(5) {
            self.register_array();
        }
    }

    fn register_array(&mut self) {
        self.g.hit("array of regs");
        let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
        let length = self.g.dice.between(2, 4);
        let init: Vec<String> =
            (0..length).map(|_| format!("Reg::new({})", self.initial(ty))).collect();
        let word = self.g.world.text(ty);
        let init = format!("[{}]", init.join(", "));
        self.field("bank", format!("[Reg<{word}>; {length}]"), &init);
        let mut targets = vec![];
        for i in 0..length {
            let text = format!("self.bank[{i}].q.val()");
            self.g.scope.add_source(self.g.world, &text, ty, None);
            targets.push(self.target(format!("self.bank[{i}].d"), ty, false));
        }
        let array = ("self.bank".into(), ".q".into(), ty, length);
        self.g.scope.arrays.push(array);
        self.clocks.push(format!(
            "for i in 0..{length} {{ self.bank[i].clock.next = self.clock.val(); }}"
        ));
        let step = KernelStep::AssignAll("bank".into(), ".d".into(), targets, false);
        self.steps.push(step);
    }

    /// Clocks a cell or child, in `clock!` or by an assignment.
    pub fn clocked(&mut self, name: &str) {
        match self.g.dice.one_in(2) {
            true => self.clock.push(name.into()),
            false => self.clocks.push(format!("self.{name}.clock.next = self.clock.val();")),
        }
    }

    pub fn memories(&mut self) {
        if self.g.dice.one_in(4) {
            self.memory("store", true);
        }
        if self.g.dice.one_in(6) {
            self.memory("table", false);
        }
        if self.g.dice.one_in(4) {
            self.asynchronous_memory();
        }
    }

    /// Adds a memory with an asynchronous read port. The read address depends on inputs and
    /// registers, so that it is known everywhere in the kernel.
    fn asynchronous_memory(&mut self) {
        self.g.hit("asynchronous memory");
        let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
        let address = self.g.dice.between(1, 4);
        let count = self.g.dice.between(0, 1 << address);
        let words: Vec<String> = (0..count).map(|_| self.initial(ty)).collect();
        let text = self.g.world.text(ty);
        let init = format!("AsyncMemory::new([{}])", words.join(", "));
        self.field("file", format!("AsyncMemory<{text}, {address}>"), &init);
        self.clocked("file");
        let depth = self.g.depth();
        let value = self.g.assignable(WordType::bits(address), depth).text;
        self.clocks.push(format!("self.file.read_address.next = {value};"));
        let pins = [
            ("write_address", WordType::bits(address)),
            ("write_data", ty),
            ("write_enable", WordType::Bool),
        ];
        for (pin, ty) in pins {
            let target = self.target(format!("self.file.{pin}"), ty, false);
            self.steps.push(KernelStep::Assign(target));
        }
        let text = "self.file.read_data.val()";
        self.g.scope.add_source(self.g.world, text, ty, None);
    }

    /// Adds checks. An assertion compares a value with itself, so that it holds. A goal has the value
    /// of an output, with which the runner compares it.
    pub fn checks(&mut self) -> CodeLines {
        let mut lines = vec![];
        if self.g.dice.one_in(8) {
            self.g.hit("assertion");
            self.field("must", "Assertion".into(), "Default::default()");
            self.clocked("must");
            let depth = self.g.depth();
            let value = self.g.bool(depth).head();
            lines.push(format!("self.must.holds.next = ({value}) == ({value});"));
        }
        if self.g.dice.one_in(8) {
            self.g.hit("cover");
            self.field("goal", "Cover".into(), "Default::default()");
            self.clocked("goal");
            let depth = self.g.depth();
            let value = self.g.bool(depth).head();
            let shown = self.port("goal_holds", WordType::Bool, false);
            lines.push(format!("self.goal.holds.next = {value};"));
            lines.push(format!("self.{shown}.next = {value};"));
        }
        lines
    }

    /// Adds a print statement under a random condition, with outputs that show when and what it
    /// prints.
    pub fn print(&mut self) -> CodeLines {
        let width = self.g.any_width();
        let ty = WordType::Bits(width);
        if !self.g.dice.one_in(8) {
            return vec![];
        }
        self.g.hit("display!");
        let depth = self.g.depth();
        let (cond, value) = (self.g.condition(depth), self.g.value(ty, depth).text);
        let prints = self.port("prints", WordType::Bool, false);
        let printed = self.port("printed", ty, false);
        vec![
            format!("self.{prints}.next = false;"),
            format!("self.{printed}.next = {};", self.initial(ty)),
            format!("if {cond} {{"),
            format!("    self.{prints}.next = true;"),
            format!("    self.{printed}.next = {value};"),
            format!("    let it = {value};"),
            "    display!(\"{}% \\\"{it:x}\\\" {:b}\", it, it);".into(),
            "}".into(),
        ]
    }

    fn memory(&mut self, name: &str, writable: bool) {
        let ty = self.g.world.any(self.g.dice, self.g.n.is_some());
        if matches!(ty, WordType::Enum(_) | WordType::Struct(_)) {
            self.g.hit("memory of struct or enum");
        }
        self.g.hit(if writable { "memory" } else { "rom" });
        let address = self.g.dice.between(1, 5);
        let count = self.g.dice.between(0, 1 << address);
        let words: Vec<String> = (0..count).map(|_| self.initial(ty)).collect();
        let (kind, text) = (if writable { "Memory" } else { "Rom" }, self.g.world.text(ty));
        let init = format!("{kind}::new([{}])", words.join(", "));
        self.field(name, format!("{kind}<{text}, {address}>"), &init);
        self.clocked(name);
        let (read_address, read_data) = match writable {
            true => ("read_address", "read_data"),
            false => ("address", "data"),
        };
        let mut pins = vec![(read_address, WordType::bits(address))];
        if writable {
            pins.push(("write_address", WordType::bits(address)));
            pins.push(("write_data", ty));
            pins.push(("write_enable", WordType::Bool));
        }
        for (pin, ty) in pins {
            let target = self.target(format!("self.{name}.{pin}"), ty, false);
            self.steps.push(KernelStep::Assign(target));
        }
        let text = format!("self.{name}.{read_data}.val()");
        self.g.scope.add_source(self.g.world, &text, ty, None);
    }

    /// Adds outputs that show the final values of locals and `let`s.
    pub fn windows(&mut self) -> Vec<String> {
        let locals = self.g.scope.targets.iter().filter(|t| t.readable && !t.out);
        let locals = locals.map(|t| (format!("{}.val()", t.text), t.ty));
        let lets = self.g.scope.sources.iter();
        let lets = lets.filter(|s| s.depth == 0 && !s.text.starts_with("self."));
        let lets = lets.map(|s| (s.text.clone(), s.ty));
        let seen: Vec<(String, WordType)> = locals.chain(lets).collect();
        let mut lines = vec![];
        for (i, (text, ty)) in seen.into_iter().enumerate() {
            let name = format!("seen{i}");
            let name = self.port(&name, ty, false);
            lines.push(format!("self.{name}.next = {text};"));
        }
        lines
    }
}

//! Legal, unique Verilog names for everything in a module.

use lockstep::design::{
    CellKind, Design, DesignModule, EnumType, Instance, ModuleId, SignalId, SignalKind, Type,
    LET_NUMBER,
};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// Names of `let`s in Verilog.
#[derive(Clone, Copy)]
pub enum LetNames {
    /// A `let` that is named like a port or another signal ends in `_value`.
    Readable,
    /// Names of the design, where such a `let` has a number.
    OfDesign,
}

/// Names of one module.
///
/// Ports are named first, so that nothing inside a module changes their names. Cells and instances,
/// which readers search for, follow. The rest is named last.
pub struct ModuleNames {
    taken: HashSet<String>,
    constants: HashSet<String>,
    signals: Vec<String>,
    clock: Option<String>,
    cells: Vec<String>,
    counters: Vec<String>,
    instances: Vec<String>,
    enums: Vec<EnumNames>,
}

/// Enum type and the names of its variants.
pub struct EnumNames {
    pub ty: Arc<EnumType>,
    pub variants: Vec<String>,
}

impl ModuleNames {
    pub fn new(module: &DesignModule, lets: LetNames) -> ModuleNames {
        let mut names = ModuleNames {
            taken: HashSet::new(),
            constants: HashSet::new(),
            signals: vec![String::new(); module.signals.len()],
            clock: None,
            cells: Vec::new(),
            counters: Vec::new(),
            instances: Vec::new(),
            enums: Vec::new(),
        };
        let clock = module.clock.as_ref();
        names.clock = clock.map(|clock| names.fresh(&identifier(clock)));
        for (id, port) in module.ports() {
            names.name_signal(id, &identifier(&port.name));
        }
        for cell in &module.cells {
            let name = names.name_cell(module, &identifier(&cell.name), &cell.kind);
            names.cells.push(name);
        }
        for instance in &module.instances {
            let name = names.fresh(&identifier(&instance.name));
            names.instances.push(name);
        }
        for (i, cell) in module.cells.iter().enumerate() {
            let name = match cell.kind {
                CellKind::Memory { .. } => names.fresh(&format!("{}_index", names.cells[i])),
                _ => String::new(),
            };
            names.counters.push(name);
        }
        // `let`s are the last signals of a module.
        let mut of_lets = HashSet::new();
        for (i, signal) in module.signals.iter().enumerate() {
            let constant = matches!(signal.kind, SignalKind::Constant(_));
            let name = identifier(&signal.name);
            let name = match lets {
                LetNames::Readable if signal.kind.is_let() => names.of_let(&signal.name, &of_lets),
                _ if constant => upper_snake(&name),
                _ => name,
            };
            let id = SignalId(i as u32);
            names.name_signal(id, &name);
            if signal.kind.is_let() {
                of_lets.insert(names.signal(id).to_string());
            }
            if constant {
                let name = names.signal(id).to_string();
                names.constants.insert(name);
            }
        }
        let types = module.signals.iter().map(|s| &s.ty);
        for ty in types.chain(module.exprs.iter().map(|e| &e.ty)) {
            names.name_enums(ty);
        }
        names
    }

    /// Returns a name that is unique in the module: `wanted`, if possible.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        if is_keyword(&name) {
            name.push('_');
        }
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }

    /// Returns the name of a `let` in the source, or `phase_value` if a port or another signal is
    /// called `phase`. The design calls it `phase#2` if the signal has the same name there. A `let`
    /// that the source calls `phase_2` keeps its name. `phase#2` beside signals `phase_1` and `phase_2`
    /// is `phase_2_value`. `of_lets` are the names of `let`s.
    fn of_let(&self, name: &str, of_lets: &HashSet<String>) -> String {
        let is_other = |name: &str| {
            let keyword = format!("{name}_");
            let name = if is_keyword(name) { &keyword } else { name };
            self.taken.contains(name) && !of_lets.contains(name)
        };
        let numbered = name.rsplit_once(LET_NUMBER);
        let numbered = numbered.filter(|(_, number)| number.parse::<usize>().is_ok());
        let base = identifier(numbered.map_or(name, |(base, _)| base));
        if is_other(&base) {
            return format!("{base}_value");
        }
        // Signals of an array end in a number, too.
        match numbered.map(|(_, number)| format!("{base}_{number}")) {
            Some(name) if is_other(&name) => format!("{name}_value"),
            _ => base,
        }
    }

    /// Whether the name is in use.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    pub fn signal(&self, id: SignalId) -> &str {
        &self.signals[id.index()]
    }

    pub fn clock(&self) -> Option<&str> {
        self.clock.as_deref()
    }

    /// Returns the name of the cell with this position: its output or its storage.
    pub fn cell(&self, index: usize) -> &str {
        &self.cells[index]
    }

    /// Returns the name of the variable that counts through the words of a memory.
    pub fn counter(&self, cell: usize) -> &str {
        &self.counters[cell]
    }

    pub fn instance(&self, index: usize) -> &str {
        &self.instances[index]
    }

    /// Returns the enum types that occur in the module, in order of appearance.
    pub fn enums(&self) -> &[EnumNames] {
        &self.enums
    }

    /// Returns the name of a variant.
    pub fn variant(&self, ty: &EnumType, index: usize) -> Option<&str> {
        let names = self.enums.iter().find(|e| *e.ty == *ty)?;
        names.variants.get(index).map(String::as_str)
    }

    /// Whether a constant has this name.
    pub fn is_constant(&self, name: &str) -> bool {
        self.constants.contains(name)
    }

    fn name_signal(&mut self, id: SignalId, wanted: &str) {
        if self.signals[id.index()].is_empty() {
            self.signals[id.index()] = self.fresh(wanted);
        }
    }

    /// Names a cell and its pins. The pins of a register become `state` and `state_next`.
    fn name_cell(&mut self, module: &DesignModule, name: &str, kind: &CellKind) -> String {
        let pin = |names: &mut ModuleNames, id: SignalId, wanted: String| {
            let kind = &module.signal(id).kind;
            if matches!(kind, SignalKind::PinIn | SignalKind::PinOut) {
                names.name_signal(id, &wanted);
            }
        };
        match kind {
            CellKind::Check { holds, .. } => {
                let label = self.fresh(name);
                pin(self, *holds, format!("{name}_holds"));
                label
            }
            CellKind::Print { enable, words, .. } => {
                pin(self, *enable, format!("{name}_enable"));
                for (number, word) in words.iter().enumerate() {
                    pin(self, *word, format!("{name}_word_{number}"));
                }
                name.to_owned()
            }
            CellKind::Register { d, q, .. } => {
                pin(self, *q, name.to_string());
                pin(self, *d, format!("{name}_next"));
                self.signal(*q).to_string()
            }
            CellKind::Memory { read_address, read_data, write, .. } => {
                let storage = self.fresh(name);
                pin(self, *read_address, format!("{name}_read_address"));
                pin(self, *read_data, format!("{name}_read_data"));
                if let Some(write) = write {
                    pin(self, write.address, format!("{name}_write_address"));
                    pin(self, write.data, format!("{name}_write_data"));
                    pin(self, write.enable, format!("{name}_write_enable"));
                }
                storage
            }
        }
    }

    fn name_enums(&mut self, ty: &Type) {
        match ty {
            Type::Bits(_) => {}
            Type::Struct(s) => s.fields.iter().for_each(|f| self.name_enums(&f.ty)),
            Type::Enum(e) => {
                if self.enums.iter().any(|known| known.ty == *e) {
                    return;
                }
                let prefix = upper_snake(&identifier(&e.name));
                let full: Vec<String> =
                    (e.variants.iter()).map(|v| upper_snake(&identifier(v))).collect();
                // If two types have the same name, all variants of the second type change.
                let mut unique = prefix.clone();
                let mut number = 2;
                while (full.iter()).any(|v| self.taken.contains(&format!("{unique}_{v}"))) {
                    unique = format!("{prefix}_{number}");
                    number += 1;
                }
                let variants = full.iter().map(|v| self.fresh(&format!("{unique}_{v}")));
                let variants: Vec<String> = variants.collect();
                self.constants.extend(variants.iter().cloned());
                self.enums.push(EnumNames { ty: e.clone(), variants });
            }
        }
    }
}

/// Converts `a.b[3].c` to `a_b_3_c`.
pub fn identifier(path: &str) -> String {
    let mut name = String::new();
    let mut gap = false;
    for c in path.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            if gap && !name.is_empty() {
                name.push('_');
            }
            gap = false;
            name.push(c);
        } else {
            gap = true;
        }
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    name
}

/// Converts `TxState` and `tx_state` to `TX_STATE`.
fn upper_snake(name: &str) -> String {
    let mut text = String::new();
    let mut previous = '_';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|n| n.is_ascii_lowercase());
        let word = previous.is_ascii_lowercase() || previous.is_ascii_digit();
        let acronym_ends = previous.is_ascii_uppercase() && next_is_lower;
        if c.is_ascii_uppercase() && (word || acronym_ends) {
            text.push('_');
        }
        text.push(c.to_ascii_uppercase());
        previous = c;
    }
    text
}

/// Keywords of Verilog, SystemVerilog and C++. Verilator reads every file as SystemVerilog and
/// warns about C++ keywords. Icarus Verilog adds `wreal`.
const KEYWORDS: &str = "
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
    checker class clocking cmos config const constraint context continue cover covergroup
    coverpoint cross deassign default defparam design disable dist do edge else end endcase
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable
    endtask enum event eventually expect export extends extern final first_match for force foreach
    forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins
    illegal_bins implements implies import incdir include initial inout input inside instance int
    integer interconnect interface intersect join join_any join_none large let liblist library
    local localparam logic longint macromodule matches medium modport module nand negedge nettype
    new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter
    pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real
    realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
    s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout
    time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef
    union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wone wor wreal xnor xor

    alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool
    catch char char16_t char32_t char8_t co_await co_return co_yield compl concept const_cast
    consteval constexpr constinit decltype delete double dynamic_cast explicit false float friend
    goto inline long mutable namespace noexcept not_eq nullptr operator or_eq override private
    public reflexpr register reinterpret_cast requires short sizeof static_assert static_cast
    switch synchronized template thread_local throw transaction_safe transaction_safe_dynamic true
    try typeid typename using volatile wchar_t xor_eq
";

/// Whether `word` is reserved and cannot be a name in Verilog.
pub fn is_keyword(word: &str) -> bool {
    static SET: OnceLock<HashSet<&str>> = OnceLock::new();
    let set = SET.get_or_init(|| KEYWORDS.split_whitespace().collect());
    set.contains(word)
}

/// Signal of a design with its name in the netlist and its name in Verilog.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSignal {
    /// Hierarchical name in the netlist (`node.sequencer.slip_count.d`).
    pub path: String,
    /// Names in Verilog of the enclosing instances, from the top down.
    pub scopes: Vec<String>,
    /// Name of the signal in Verilog (`slip_count_next`).
    pub name: String,
    pub ty: Type,
}

impl NamedSignal {
    /// Returns the names of instances and signal, joined by dots.
    pub fn full_name(&self) -> String {
        let parts: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        [&parts[..], &[&self.name]].concat().join(".")
    }
}

/// Returns the ports, locals and cell pins of every instance: a module's own first, then the ones
/// in its instances. A pin of an instance appears as a port of the instance's module.
pub fn signals(design: &Design) -> Vec<NamedSignal> {
    let names = design.modules.iter();
    let names: Vec<ModuleNames> =
        names.map(|module| ModuleNames::new(module, LetNames::Readable)).collect();
    let mut found = vec![];
    gather(design, &names, design.top, ("", &[]), &mut found);
    found
}

fn gather(
    design: &Design,
    names: &[ModuleNames],
    id: ModuleId,
    (prefix, scopes): (&str, &[String]),
    found: &mut Vec<NamedSignal>,
) {
    let (module, names_here) = (design.module(id), &names[id.index()]);
    let ports_inside = pins_of_instances(module);
    for (i, signal) in module.signals.iter().enumerate() {
        let id = SignalId(i as u32);
        let hidden = signal.kind.is_let() || matches!(signal.kind, SignalKind::Constant(_));
        if hidden || ports_inside.contains(&id) {
            continue;
        }
        found.push(NamedSignal {
            path: format!("{prefix}{}", signal.name),
            scopes: scopes.to_vec(),
            name: names_here.signal(id).into(),
            ty: signal.ty.clone(),
        });
    }
    for (i, instance) in module.instances.iter().enumerate() {
        let prefix = format!("{prefix}{}.", instance.name);
        let scopes = [scopes, &[names_here.instance(i).into()]].concat();
        gather(design, names, instance.module, (&prefix, &scopes), found);
    }
}

fn pins_of_instances(module: &DesignModule) -> HashSet<SignalId> {
    let pins = |instance: &Instance| instance.pins.clone();
    module.instances.iter().flat_map(pins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_identifiers() {
        assert_eq!(identifier("a.b[3].c"), "a_b_3_c");
        assert_eq!(identifier("nodes[3]"), "nodes_3");
        assert_eq!(identifier("3x"), "n3x");
        assert_eq!(identifier("tx::State"), "tx_State");
    }

    #[test]
    fn constants_are_upper_snake() {
        assert_eq!(upper_snake("TxState"), "TX_STATE");
        assert_eq!(upper_snake("tx_State"), "TX_STATE");
        assert_eq!(upper_snake("CRCCheck"), "CRC_CHECK");
        assert_eq!(upper_snake("Crc16"), "CRC16");
        assert_eq!(upper_snake("timeout"), "TIMEOUT");
    }

    #[test]
    fn names_avoid_keywords_and_each_other() {
        let mut names = ModuleNames::new(&DesignModule::default(), LetNames::Readable);
        assert_eq!(names.fresh("reg"), "reg_");
        assert_eq!(names.fresh("logic"), "logic_");
        assert_eq!(names.fresh("x"), "x");
        assert_eq!(names.fresh("x"), "x_2");
        assert_eq!(names.fresh("x_2"), "x_2_2");
        assert_eq!(names.fresh("reg"), "reg_2");
    }

    /// Only a number that the lowering has added is replaced.
    #[test]
    fn a_let_beside_a_port_keeps_the_number_of_its_source() {
        let mut module = DesignModule::default();
        let lets = [
            "stage_2", "stage#3", "stage#4", "sum", "sum#2", "take", "take#2", "r#type", "r#type#2",
        ];
        for (i, name) in ["stage", "take_2"].into_iter().chain(lets).enumerate() {
            module.signals.push(lockstep::design::DesignSignal {
                name: name.into(),
                ty: Type::BIT,
                kind: if i < 2 { SignalKind::Output } else { SignalKind::Let },
                doc: String::new(),
            });
        }
        let named = |lets: LetNames| ModuleNames::new(&module, lets).signals;
        let readable = [
            "stage",
            "take_2",
            "stage_2",
            "stage_value",
            "stage_value_2",
            "sum",
            "sum_2",
            "take",
            "take_2_value",
        ];
        assert_eq!(named(LetNames::Readable)[..9], readable);
        let of_design = [
            "stage", "take_2", "stage_2", "stage_3", "stage_4", "sum", "sum_2", "take", "take_2_2",
        ];
        assert_eq!(named(LetNames::OfDesign)[..9], of_design);
        for lets in [LetNames::Readable, LetNames::OfDesign] {
            assert_eq!(named(lets)[9..], ["r_type", "r_type_2"]);
        }
    }
}

//! Names in a file equal the names in the emitted Verilog.

use crate::waves::machine::SmallCube;
use hdl::verilog::{emit, signals};
use std::collections::HashMap;

/// Declarations in a module of emitted Verilog.
#[derive(Default)]
struct ModuleDeclarations {
    /// Ports, wires and registers, with their widths.
    signals: HashMap<String, u32>,
    /// The modules of instances.
    instances: HashMap<String, String>,
}

/// Reads declarations and instances, line by line.
fn read(text: &str) -> (String, ModuleDeclarations) {
    let mut module = ModuleDeclarations::default();
    let mut name = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["module", called, ..] = words[..] {
            name = called.into();
            continue;
        }
        let kind = words.iter().position(|w| ["wire", "reg"].contains(w));
        if let Some(kind) = kind.filter(|kind| *kind <= 1) {
            let rest = &words[kind + 1..];
            let (width, rest) = match rest[0].strip_prefix('[') {
                None => (1, rest),
                Some(range) => {
                    let high = range.split(':').next().unwrap();
                    (high.parse::<u32>().unwrap() + 1, &rest[1..])
                }
            };
            let called = rest[0].trim_end_matches([',', ';']);
            module.signals.insert(called.into(), width);
        } else if let ([ty, called, "("], true) = (&words[..], line.ends_with('(')) {
            module.instances.insert(called.to_string(), ty.to_string());
        }
    }
    (name, module)
}

#[test]
fn every_name_is_declared_there_with_its_width() {
    let small = SmallCube::new::<3>(true);
    let design = small.array.whole();
    let files = emit(&design);
    let modules: HashMap<String, ModuleDeclarations> =
        files.modules.iter().map(|m| read(&m.text)).collect();
    let all = signals(&design);
    assert!(all.len() > 8 * 200, "{}", all.len());
    for signal in &all {
        let mut module = files.top().to_owned();
        for scope in &signal.scopes {
            let inside = modules[&module].instances.get(scope);
            module = inside
                .unwrap_or_else(|| panic!("{module} has no instance {scope}"))
                .clone();
        }
        let found = modules[&module].signals.get(&signal.name);
        let full = signal.full_name();
        assert_eq!(found, Some(&signal.ty.width()), "{full} in {module}");
    }
}

/// A recorder's names for a node's signals equal those in the whole machine. The node itself is
/// named as in `--watch`.
#[test]
fn names_of_nodes_equal_those_in_the_whole_machine() {
    let small = SmallCube::new::<2>(true);
    let whole = signals(&small.array.whole());
    for (node, signal) in
        (0..4).flat_map(|n| small.watchable().node.into_iter().map(move |s| (n, s)))
    {
        let full = format!("nodes_{node}.{}", signal.full_name());
        let path = format!("nodes[{node}].{}", signal.path);
        let found = whole.iter().find(|s| s.path == path).unwrap();
        assert_eq!(found.full_name(), full);
    }
}

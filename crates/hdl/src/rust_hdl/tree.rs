//! Tree of a block as `rust-hdl` presents it to a `Probe`.

use super::types::literal_bits;
use super::{Atom, AtomKind, Block, Probe, SignalAddress, TypeDescriptor};
use num_bigint::BigUint;

/// Visitor of a block tree. Element 3 of the list `nodes` is called `nodes[3]`.
pub(crate) trait TreeVisitor {
    fn begin_block(&mut self, name: &str, block: &dyn Block);
    /// Opens a field between a block and its signals: a bundle, or an interface of `rust-hdl`.
    fn begin_group(&mut self, name: &str, group: &dyn Block);
    fn signal(&mut self, name: &str, signal: SignalInfo);
    fn end_group(&mut self);
    fn end_block(&mut self);
}

/// Signal or constant in the tree.
pub(crate) struct SignalInfo {
    pub address: SignalAddress,
    pub kind: AtomKind,
    pub descriptor: TypeDescriptor,
    /// Current value, used for constants.
    pub value: BigUint,
}

/// Visits a block and everything in it. The block itself is called `top`.
pub(crate) fn visit(block: &dyn Block, visitor: &mut dyn TreeVisitor) {
    block.accept("top", &mut Visit(visitor));
}

struct Visit<'a>(&'a mut dyn TreeVisitor);

impl Probe for Visit<'_> {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.0.begin_block(&readable(name), node);
    }

    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.0.begin_group(&readable(name), node);
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let info = SignalInfo {
            address: SignalAddress::of(signal),
            kind: signal.kind(),
            descriptor: signal.descriptor(),
            value: literal_bits(&signal.verilog().to_string()),
        };
        self.0.signal(&readable(name), info);
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.0.end_group();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.0.end_block();
    }
}

/// Converts `nodes$3` to `nodes[3]`.
fn readable(name: &str) -> String {
    let mut parts = name.split('$');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        if part.chars().all(|c| c.is_ascii_digit()) {
            out.push_str(&format!("[{part}]"));
        } else {
            out.push_str(&format!(".{part}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{visit, SignalInfo, TreeVisitor};
    use crate::prelude::*;
    use crate::rust_hdl::SignalAddress;
    use std::collections::BTreeMap;

    #[derive(Bundle, Default)]
    struct Bus {
        data: Signal<In, Bits<4>>,
        ready: Signal<Out, Bit>,
    }

    #[derive(LogicBlock, Default)]
    struct Leaf {
        pub i: Signal<In, Bit>,
        state: Reg<Bits<3>>,
        _hidden: u8,
    }

    impl Logic for Leaf {
        fn update(&mut self) {}
    }

    #[derive(LogicBlock, Default)]
    struct Top {
        pub bus: Bus,
        pub lines: [Signal<In, Bit>; 2],
        constant: Parameter<Bits<4>>,
        leaves: [Leaf; 2],
        last: Signal<Local, Bit>,
    }

    impl Logic for Top {
        fn update(&mut self) {}
    }

    /// Notes what it visits, in order.
    #[derive(Default)]
    struct Notes {
        order: Vec<String>,
        path: Vec<String>,
        signals: BTreeMap<String, SignalAddress>,
    }

    impl Notes {
        fn begin(&mut self, name: &str) {
            self.order.push(format!("{name} {{"));
            self.path.push(name.into());
        }

        fn end(&mut self) {
            self.path.pop();
            self.order.push("}".into());
        }
    }

    impl TreeVisitor for Notes {
        fn begin_block(&mut self, name: &str, _: &dyn Block) {
            self.begin(name);
        }

        fn begin_group(&mut self, name: &str, _: &dyn Block) {
            self.begin(&format!("({name})"));
        }

        fn signal(&mut self, name: &str, signal: SignalInfo) {
            let path = [&self.path[1..], &[name.into()]].concat().join(".");
            self.signals.insert(path, signal.address);
            self.order.push(format!("{name}={}", signal.value));
        }

        fn end_group(&mut self) {
            self.end();
        }

        fn end_block(&mut self) {
            self.end();
        }
    }

    fn visited(top: &Top) -> Notes {
        let mut notes = Notes::default();
        visit(top, &mut notes);
        notes
    }

    fn top() -> Top {
        Top { constant: Parameter::new(9.into()), ..Default::default() }
    }

    #[test]
    fn a_signal_is_visited_at_the_address_of_its_field() {
        let top = top();
        let found = visited(&top).signals;
        let at = |name: &str| found.get(name).copied();
        let fields = [
            ("(bus).data", SignalAddress::of(&top.bus.data)),
            ("(bus).ready", SignalAddress::of(&top.bus.ready)),
            ("lines[1]", SignalAddress::of(&top.lines[1])),
            ("leaves[0].i", SignalAddress::of(&top.leaves[0].i)),
            ("leaves[1].state.d", SignalAddress::of(&top.leaves[1].state.d)),
            ("leaves[1].state.q", SignalAddress::of(&top.leaves[1].state.q)),
            ("last", SignalAddress::of(&top.last)),
        ];
        for (name, address) in fields {
            assert_eq!(at(name), Some(address), "{name} of {found:?}");
        }
        let mut addresses: Vec<_> = found.values().map(|at| format!("{at:?}")).collect();
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), found.len(), "one address for each signal");
    }

    #[test]
    fn blocks_and_signals_are_visited_in_order_by_name() {
        let leaf = "i=0 state { clock=0 d=0 q=0 } }";
        let expected = format!(
            "top {{ (bus) {{ data=0 ready=0 }} lines[0]=0 lines[1]=0 constant=9 \
             leaves[0] {{ {leaf} leaves[1] {{ {leaf} last=0 }}"
        );
        assert_eq!(visited(&top()).order.join(" "), expected);
    }
}

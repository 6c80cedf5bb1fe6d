//! The only module that knows the inside of `rust-hdl`.
//!
//! `rust-hdl` is the language of the blocks: its structs, signals and words. Its interface lacks
//! parts that an exact lowering needs. This module therefore relies on properties that `rust-hdl`
//! 0.46 and the compiler have without promising them. The rest of the library, the output of the
//! macros and other crates use this module instead.
//!
//! | assumption | used to | test that detects a change |
//! | --- | --- | --- |
//! | `Probe::visit_atom` receives the signal field itself, so that its address identifies the signal. No two signals of a block have one address, and none moves during a lowering | find the signal that a kernel reads or writes | `tree::tests::a_signal_is_visited_at_the_address_of_its_field` |
//! | `Block::accept` visits the fields in order, opens and closes a scope for each block, and calls element 3 of `list` `list$3` | name signals and children | `tree::tests::blocks_and_signals_are_visited_in_order_by_name` |
//! | `Synth::verilog` prints a word as `8'hff` or `1'b1`. Fields of a struct begin at bit 0, variants of an enum are numbered from 0 | read values that are known at generation | `types::tests::a_literal_has_the_bits_of_its_value` |
//! | A type descriptor is named `Bits::<8>`, `Bit` or `clock`, and lists fields and variants in the order of the source | find the type of a signal | `types::tests::descriptors_tell_the_types_apart` |
//! | `std::any::type_name` of a function is its path, of a closure the path of its function and `::{{closure}}`. `rust-hdl` defines `bit_cast` in `rust_hdl_core::bits` | recognise the function that a kernel calls | `names::tests`: `a_function_has_its_path`, `a_closure_has_the_path_of_its_function`, `the_bit_cast_of_rust_hdl_is_recognised` |
//! | `std::any::type_name` of a type mentions the types in it | find words in the arguments of a function | `names::tests::a_type_mentions_the_types_in_it` |
//! | `Block::hdl` returns on the same thread, and only `ask` and `rust-hdl`'s printer call it | pass the record of a kernel to the lowering | `hook::tests::an_answer_reaches_the_one_who_asks` |
//! | The check `check_connected` accepts a signal after one call of `Logic::connect` on it, and rejects it otherwise | let `rust-hdl` check the blocks: `connect` replays the branches that `hdl` takes | `hook::tests::rust_hdl_sees_which_signals_are_driven` |
//! | `Signal::update_all` makes `next` visible, and `pos_edge` is true until the next call | set the clock of all parts at once | `tests::a_level_set_directly_is_one_edge` |

pub(crate) mod hook;
pub(crate) mod names;
pub(crate) mod tree;
pub(crate) mod types;

pub use ::rust_hdl::prelude;
pub(crate) use ::rust_hdl::prelude::{
    bit_cast, clog2, Atom, AtomKind, Bits, Clock, Constant, Direction, Local, Signal, Synth,
    TypeDescriptor, TypeKind,
};
pub use ::rust_hdl::prelude::{Block, In, Logic, LogicState, LogicStruct, Out, Probe, Verilog};
pub use hook::BranchTrace;

/// Memory address of a signal while its block is lowered. The address identifies the signal,
/// because names can be shadowed and `Clone` copies the ids of `rust-hdl`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SignalAddress(usize);

impl SignalAddress {
    pub fn of<T: ?Sized>(thing: &T) -> Self {
        SignalAddress(thing as *const T as *const () as usize)
    }
}

/// Sets a clock. The next `update` sees the level, and an edge if the level has changed.
pub(crate) fn set_clock_level(clock: &mut Signal<In, Clock>, level: bool) {
    clock.next = level.into();
    clock.update_all();
}

#[cfg(test)]
mod tests {
    use super::{set_clock_level, Block, Clock, In, Signal};

    #[test]
    fn a_level_set_directly_is_one_edge() {
        let mut clock = Signal::<In, Clock>::default();
        let mut edges = vec![];
        for level in [false, true, true, false, true] {
            set_clock_level(&mut clock, level);
            edges.push(clock.pos_edge());
        }
        assert_eq!(edges, [false, true, false, false, true]);
        clock.update_all();
        assert!(!clock.pos_edge(), "an edge is seen once");
    }
}

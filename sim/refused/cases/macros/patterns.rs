//! A pattern that binds a name is a catch-all in Rust, and easily mistaken for a constant.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val();
        match self.a.val().index() {
            0 => self.o.next = self.a.val() + 1,
            _other => self.o.next = self.a.val() + 2, //~ `_other` would bind a name, which is outside the subset; write `_` for all other values
        }
        match self.a.val().index() {
            0..=3 => self.o.next = self.a.val() + 1, //~ ranges in patterns are outside the subset; list the values with `|`, or use `if`
            _ => {}
        }
        match self.a.val().index() {
            4.. => self.o.next = self.a.val() + 1, //~ ranges in patterns are outside the subset
            _ => {}
        }
        match self.a.val().index() {
            1 | (2..=3) => self.o.next = self.a.val() + 1, //~ ranges in patterns are outside the subset
            _ => {}
        }
        match self.a.val().index() {
            N @ 1 => self.o.next = self.a.val() + 1, //~ `N` would bind a name
            _ => {}
        }
        match self.a.val().index() {
            ref n => {} //~ `n` would bind a name
        }
        match self.a.val().index() {
            mut n if true => self.o.next = self.a.val() + 1, //~ `n` would bind a name
            _ => {}
        }
        match Some(1) {
            Some(1) => self.o.next = self.a.val() + 1, //~ this pattern is outside the subset; arms match variants, constants, literals or `_`
            _ => {}
        }
    }
}

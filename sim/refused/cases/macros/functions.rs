//! Functions of words that are outside the subset.
use hdl::prelude::*;

#[word]
#[derive(Default)]
pub struct Pair {
    high: Bits<4>,
    low: Bits<4>,
}

impl Pair {
    #[kernel]
    fn borrowed(&self) -> Bits<4> { //~ belongs on `fn update(&mut self)`
        self.high
    }

    #[kernel]
    fn typed(self: Self) -> Bits<4> { //~ a #[kernel] method takes `self` by value
        self.high
    }

    #[kernel]
    fn early(self, f: Bit) -> Bits<4> {
        let high = if f { return self.low } else { self.high }; //~ `return` is outside the subset
        high
    }

    #[kernel]
    fn changed(self) -> Bits<4> {
        let mut pair = self;
        pair.low = self.high; //~ a function assigns whole variables, and only its own
        pair.low
    }
}

#[kernel]
fn prints(x: Bits<4>) -> Bits<4> {
    display!("{x}"); //~ `display!` is a statement of `update`; a function of words only has a value
    x
}

#[kernel]
const fn fixed(x: Bits<4>) -> Bits<4> { //~ a plain `fn`, neither const nor async nor unsafe
    x
}

#[kernel]
fn nothing(x: Bits<4>) { //~ a #[kernel] function gives a word
}

#[kernel]
fn lives<'a>(x: &'a Bits<4>) -> Bits<4> { //~ takes words by value
    *x
}

#[kernel]
fn taken_apart((x, y): (Bits<4>, Bits<4>)) -> Bits<4> { //~ a parameter of a #[kernel] function has a plain name
    x
}

#[kernel]
fn statement(x: Bits<4>, f: Bit) -> Bits<4> {
    let mut y = x;
    if f { //~ choose between values with `if` as a value
        y = x + 1;
    }
    y
}

#[kernel]
fn late(x: Bits<4>) -> Bits<4> { //~ a #[kernel] function ends with its value
    return x;
}

#[kernel]
fn chosen(x: Bits<4>, f: Bit) -> Bits<4> {
    let mut y = x;
    for i in 0..4 {
        match f { //~ choose between values with `if` as a value
            true => y = y + 1,
            false => {}
        }
        y += 1; //~ a function has `let`, assignments to `let mut`, `for` and a value at its end
    }
    println!("{y:?}"); //~ only `clock!`, `dff_setup!`, `reset!`, `link!` and `display!` are macros of the subset
    y
}

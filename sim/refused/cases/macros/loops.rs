//! Loops are unrolled when the circuit is generated.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

const LIST: [u64; 2] = [1, 2];

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.o.next = self.a.val();
        for (i, j) in [(1, 2)] { //~ a loop counts with one plain name
            self.o.next = self.a.val();
        }
        for mut i in 0..4 { //~ a loop counts with one plain name
            self.o.next = self.a.val();
        }
        for x in LIST { //~ a loop runs over a range, `a..b` or `a..=b`, known at generation
            self.o.next = self.a.val() + x;
        }
        for i in 0.. { //~ the range of a loop has both ends
            self.o.next = self.a.val();
        }
        for i in (0..4).rev() { //~ a loop runs over a range
            self.o.next = self.a.val();
        }
        // In `update` the pattern `I` binds a new name, even if the loop has an `I`.
        for I in 0..4_usize { //~ the name of a loop index begins in lower case
            match self.a.val().index() {
                I => self.o.next = self.a.val(),
            }
        }
    }
}

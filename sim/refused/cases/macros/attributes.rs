//! Attributes are not copied, so `#[cfg(..)]` would remove a statement from the simulator and leave
//! it in the lowering.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
}

impl Logic for Block {
    #[kernel]
    #[track_caller] //~ attributes in a kernel are outside the subset
    fn update(&mut self) {
        /* What only informs is fine. */
        #[allow(unused_parens)]
        let a = (self.a.val());
        self.o.next = a;
        #[cfg(any())] //~ attributes in a kernel are outside the subset
        self.o.next = self.a.val() + 1;
        #[cfg(any())] //~ attributes in a kernel are outside the subset
        let b = self.a.val();
        match self.a.val().index() {
            #[cfg(any())] //~ attributes in a kernel are outside the subset
            0 => self.o.next = self.a.val() + 2,
            _ => {
                #[cfg_attr(all(), cfg(any()))] //~ attributes in a kernel are outside the subset
                if self.a.val() == 3 {
                    self.o.next = self.a.val() + 3;
                }
            }
        }
        for i in 0..4 {
            #![allow(unused)]
            #[cfg(any())] //~ attributes in a kernel are outside the subset
            {
                self.o.next = self.a.val() + 4;
            }
        }
    }
}

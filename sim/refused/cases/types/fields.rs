//! Fields that do not exist, in each place in which a kernel names a field.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Child {
    pub word: Signal<In, Bits<4>>,
}

impl Logic for Child {
    #[kernel]
    fn update(&mut self) {}
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub clock: Signal<In, Clock>,
    pub word: Signal<In, Bits<4>>,
    pub out: Signal<Out, Bits<4>>,
    count: Reg<Bits<4>>,
    children: [Child; 2],
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next = self.cuont.q.val() + 1; //~ no field `cuont` on type `fields::Block`
        self.outt.next = self.count.q.val(); //~ no field `outt` on type `fields::Block`
        for i in 0..2 {
            self.children[i].wrod.next = self.word.val(); //~ no field `wrod` on type `fields::Child`
        }
        if self.wide.val().any() { //~ no field `wide` on type `fields::Block`
            self.out.next = 0.into();
        }
    }
}

//! An enum without `#[word]` in a register.
use hdl::prelude::*;

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub enum Plain {
    #[default]
    Idle,
    Run,
}

#[derive(LogicBlock, Circuit, Default)] //~ is not a word of a circuit
pub struct Holds {
    pub clock: Signal<In, Clock>,
    pub run: Signal<Out, Bit>,
    state: Reg<Plain>, //~ is not a word of a circuit //~ write `#[word]` above the type
}

impl Logic for Holds {
    #[kernel]
    fn update(&mut self) {
        self.run.next = true;
    }
}

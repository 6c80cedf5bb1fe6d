//! Names of the prelude have other meanings here, and the macros still work.
use hdl::prelude::*;

#[word]
pub enum Choice {
    None,
    Some,
    Ok,
}
use Choice::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub a: Signal<In, Bit>,
    pub o: Signal<Out, Bits<2>>,
    choice: Signal<Local, Choice>,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        self.choice.next = None;
        if self.a.val() {
            self.choice.next = Some;
        }
        match self.choice.val() {
            None => self.o.next = 2.into(),
            Some => self.o.next = 1.into(),
            Ok => self.o.next = 3.into(),
        }
    }
}

pub fn run() {
    let design = hdl::lower::lower(&Block::default()).expect("it is legal");
    let a = phasecube::engine::ReferenceEngine::new(Block::default()).expect("it settles");
    let b = phasecube::engine::EvaluatorEngine::new(&design).expect("it has no loop");
    super::agree(a, b);
}

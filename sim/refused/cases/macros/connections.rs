//! `link` and `join`, with which `rust-hdl` connects interfaces.
use hdl::prelude::*;

#[derive(Clone, Debug, Default, LogicInterface)]
pub struct Bus {
    pub data: Signal<In, Bits<4>>,
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub bus: Bus,
    inner: Bus,
}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        Bus::link(&mut self.bus, &mut self.inner); //~ the functions `link` and `join` are outside the subset; write `link!(self -> child: port)`
        Signal::<In, Bits<4>>::link(&mut self.bus.data, &mut self.inner.data); //~ the functions `link` and `join` are outside the subset
    }
}

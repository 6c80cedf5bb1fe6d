//! Minimal blocks that hold one cell each, to measure its area.
use hdl::prelude::*;
use smart_default::SmartDefault;

/// One register of eight bits.
#[derive(LogicBlock, Circuit, Default)]
pub struct RegOf8 {
    pub clock: Signal<In, Clock>,
    pub d: Signal<In, Bits<8>>,
    pub q: Signal<Out, Bits<8>>,
    cell: Reg<Bits<8>>,
}

impl Logic for RegOf8 {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cell);
        link!(self -> cell: d);
        self.q.next = self.cell.q.val();
    }
}

/// One memory of 256 bytes.
#[derive(LogicBlock, Circuit, Default)]
pub struct MemoryOf256x8 {
    pub clock: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<8>>,
    pub read_data: Signal<Out, Bits<8>>,
    pub write_address: Signal<In, Bits<8>>,
    pub write_data: Signal<In, Bits<8>>,
    pub write_enable: Signal<In, Bit>,
    cell: Memory<Bits<8>, 8>,
}

impl Logic for MemoryOf256x8 {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cell);
        link!(self -> cell: read_address);
        link!(cell -> self: read_data);
        link!(self -> cell: write_address);
        link!(self -> cell: write_data, write_enable);
    }
}

/// One read-only memory of 256 bytes. Byte `i` is `167 * i` modulo 256, a pattern that synthesis
/// cannot simplify.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct RomOf256x8 {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<8>>,
    pub data: Signal<Out, Bits<8>>,
    #[default(Rom::new((0..256u64).map(|i| bits::<8>((167 * i) % 256))))]
    cell: Rom<Bits<8>, 8>,
}

impl Logic for RomOf256x8 {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cell);
        link!(self -> cell: address);
        link!(cell -> self: data);
    }
}

//! The ports shared by a chip's router and the machine around it.

use super::{POINTER_BITS, PROCESSORS_MAX, ROWS_MAX};
use hdl::prelude::*;

/// Strobes that the [`PetitControl`](super::PetitControl) broadcasts to all chips in every
/// bit-time.
#[derive(Bundle, Default)]
#[bundle(flat, flipped = StrobeSource)]
pub struct Strobes<const C: usize> {
    /// This petit cycle drains; sampled at `start`.
    pub drains: Signal<In, Bit>,
    /// MSGP is at the injectors: a petit cycle begins.
    pub start: Signal<In, Bit>,
    /// Address of the current word in the buffers.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// One bit per column, column 0 lowest: the column's own CUBE-ADDRESS bit arrives.
    pub decide: Signal<In, Bits<C>>,
    /// The other CUBE-ADDRESS bits arrive.
    pub hold: Signal<In, Bits<C>>,
    /// The column's own CUBE-ADDRESS bit leaves the column.
    pub turn: Signal<In, Bits<C>>,
    /// PARITY leaves the column.
    pub parity: Signal<In, Bits<C>>,
    /// MSGP leaves the hearts.
    pub enter: Signal<In, Bit>,
    /// CUBE-ADDRESS leaves the hearts.
    pub cube: Signal<In, Bit>,
    /// PROC-ADDRESS leaves the hearts.
    pub proc: Signal<In, Bit>,
    /// VP-ADDRESS leaves the hearts and selects the bank.
    pub vp: Signal<In, Bit>,
    /// While `vp` is high: the VP-ADDRESS bit of the open bank.
    pub bank: Signal<In, Bit>,
    /// The messages that stay are known.
    pub settle: Signal<In, Bit>,
    /// The addresses are complete.
    pub sort: Signal<In, Bit>,
    /// PARITY reaches the processors.
    pub over: Signal<In, Bit>,
}

/// Lines between a chip and its processors, processor 0 lowest, and signals for observation.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ProcessorLines {
    /// Lines from the processors to the injector, processor 0 lowest. At `start` a line says
    /// whether the processor offers a message. The rest of the message follows if it was
    /// acknowledged.
    pub send: Signal<In, Bits<PROCESSORS_MAX>>,
    /// The offered message is accepted; valid at `start`.
    pub acknowledge: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// Lines from the ejector. A line is low until MSGP, VP-ADDRESS, DATA and PARITY follow; MSGP
    /// comes one bit-time after `sort`.
    pub deliver: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The parity is wrong; valid with PARITY.
    pub parity_error: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// Returned messages when the router drains: whole messages, MSGP at `start`.
    pub returned: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The buffers hold a message; valid at `start`.
    pub occupied: Signal<Out, Bit>,
    /// Bits that leave the heart, row 0 lowest.
    pub exit: Signal<Out, Bits<ROWS_MAX>>,
    /// Rows whose message is being ejected to a processor; valid after `sort`.
    pub ejecting: Signal<Out, Bits<ROWS_MAX>>,
}

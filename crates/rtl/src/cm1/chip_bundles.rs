//! The ports that a chip's router and the machine around it have in common.

use super::{POINTER_BITS, PROCESSORS_MAX, ROWS_MAX};
use hdl::lower::Bundle;
use rust_hdl::prelude::*;

/// What all chips are told in every bit-time, by the [`PetitControl`](super::PetitControl).
#[derive(Bundle, Default)]
#[bundle(flat, flipped = StrobeSource)]
pub struct Strobes<const C: usize> {
    /// This petit cycle drains; read at `start`.
    pub drains: Signal<In, Bit>,
    /// MSGP is at the injectors: a petit cycle begins.
    pub start: Signal<In, Bit>,
    /// The place of the buffers' present word.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// By columns, column 0 lowest: the own CUBE-ADDRESS bit comes.
    pub decide: Signal<In, Bits<C>>,
    /// The other CUBE-ADDRESS bits come.
    pub hold: Signal<In, Bits<C>>,
    /// The own CUBE-ADDRESS bit goes on.
    pub turn: Signal<In, Bits<C>>,
    /// PARITY goes on.
    pub parity: Signal<In, Bits<C>>,
    /// MSGP leaves the hearts.
    pub enter: Signal<In, Bit>,
    /// CUBE-ADDRESS leaves them.
    pub cube: Signal<In, Bit>,
    /// PROC-ADDRESS leaves them.
    pub proc: Signal<In, Bit>,
    /// VP-ADDRESS leaves them, and the bank is chosen by it.
    pub vp: Signal<In, Bit>,
    /// While `vp`: the bit of VP-ADDRESS of the bank that is open.
    pub bank: Signal<In, Bit>,
    /// It is known which messages stay.
    pub settle: Signal<In, Bit>,
    /// The addresses are complete.
    pub sort: Signal<In, Bit>,
    /// PARITY reaches the processors.
    pub over: Signal<In, Bit>,
}

/// The lines of a chip to its processors, processor 0 lowest, and what is to be watched.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct ProcessorLines {
    /// The processors' lines to the injector, processor 0 lowest: at `start`
    /// whether it offers a message, then the rest of it, if it was acknowledged.
    pub send: Signal<In, Bits<PROCESSORS_MAX>>,
    /// The message offered is taken, at `start`.
    pub acknowledge: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// The lines from the ejector: low, then MSGP, VP-ADDRESS, DATA and
    /// PARITY, MSGP one bit-time after `sort`.
    pub deliver: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// With PARITY: it is wrong.
    pub parity_error: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// When the router drains: whole messages, MSGP at `start`.
    pub returned: Signal<Out, Bits<PROCESSORS_MAX>>,
    /// There is a message in the buffers; at `start`.
    pub occupied: Signal<Out, Bit>,
    /// The bits that leave the heart, row 0 lowest.
    pub exit: Signal<Out, Bits<ROWS_MAX>>,
    /// The rows whose message is on its way to a processor; after `sort`.
    pub ejecting: Signal<Out, Bits<ROWS_MAX>>,
}

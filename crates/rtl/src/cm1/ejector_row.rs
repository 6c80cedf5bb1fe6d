//! One row of the ejector.

use super::list;
use hdl::prelude::*;

/// Detects whether the message of a row has reached its chip and for which processor, and steers it
/// there (`cm1-message-router`, section 3.3).
#[derive(LogicBlock, Circuit, Default)]
pub struct EjectorRow {
    pub clock: Signal<In, Clock>,
    /// Bit that leaves the heart.
    pub data: Signal<In, Bit>,
    /// The bit is MSGP.
    pub enter: Signal<In, Bit>,
    /// The bit belongs to CUBE-ADDRESS.
    pub cube: Signal<In, Bit>,
    /// The bit belongs to PROC-ADDRESS.
    pub proc: Signal<In, Bit>,
    /// The bit belongs to VP-ADDRESS. A message whose bits differ from `bank` is not ejected.
    pub vp: Signal<In, Bit>,
    pub bank: Signal<In, Bit>,
    /// The bit is the last one of the addresses: the ejector decides.
    pub sort: Signal<In, Bit>,
    /// The message has ended.
    pub over: Signal<In, Bit>,
    /// Decision: the message goes to its processor.
    pub eject: Signal<In, Bit>,
    /// The row has a message.
    pub message: Signal<Out, Bit>,
    /// The message has reached its chip, according to the address bits so far.
    pub home: Signal<Out, Bit>,
    /// PROC-ADDRESS, complete from `sort` on.
    pub address: Vec<Signal<Out, Bit>>,
    /// The message is being ejected to a processor.
    pub ejecting: Signal<Out, Bit>,
    /// Processor that the message goes to, one-hot.
    pub to: Vec<Signal<Out, Bit>>,
    /// Bits of the message, one bit-time late. MSGP replaces the last address bit, then VP-ADDRESS,
    /// DATA and PARITY follow.
    pub late: Signal<Out, Bit>,
    /// The bits since MSGP contain an odd number of ones.
    pub odd: Signal<Out, Bit>,
    is_message: Reg<Bit>,
    away: Reg<Bit>,
    shift: Vec<Reg<Bit>>,
    ejects: Reg<Bit>,
    delay: Reg<Bit>,
    parity: Reg<Bit>,
}

impl EjectorRow {
    /// Makes a row that leads to this number of processors, a power of two.
    pub fn new(processors: usize) -> Self {
        let address_bits = processors.ilog2() as usize;
        EjectorRow {
            address: list(address_bits),
            to: list(processors),
            shift: list(address_bits),
            ..Default::default()
        }
    }
}

impl Logic for EjectorRow {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_message, away, ejects, delay, parity);
        let data = self.data.val();
        let elsewhere = self.cube.val() & data;
        let other_bank = self.vp.val() & (data ^ self.bank.val());
        let away = self.away.q.val() | elsewhere | other_bank;
        self.away.d.next = away;
        self.parity.d.next = self.parity.q.val() ^ data;
        if self.enter.val() {
            self.is_message.d.next = data;
            self.away.d.next = false;
            self.parity.d.next = false;
        }
        self.message.next = self.is_message.q.val();
        self.home.next = self.is_message.q.val() & !away;
        self.odd.next = self.parity.q.val();

        // PROC-ADDRESS is shifted in least significant bit first, at the top.
        for k in 0..self.shift.len() {
            clock!(self, clock, shift[k]);
            self.address[k].next = self.shift[k].q.val();
            if self.proc.val() {
                if k + 1 < self.shift.len() {
                    self.address[k].next = self.shift[k + 1].q.val();
                } else {
                    self.address[k].next = data;
                }
            }
            self.shift[k].d.next = self.address[k].val();
        }

        if self.over.val() {
            self.ejects.d.next = false;
        }
        if self.sort.val() {
            self.ejects.d.next = self.eject.val();
        }
        self.ejecting.next = self.ejects.q.val();
        self.delay.d.next = data | self.sort.val();
        self.late.next = self.delay.q.val();
        for p in 0..self.to.len() {
            self.to[p].next = self.ejects.q.val();
            for k in 0..self.shift.len() {
                if (p >> k) & 1 == 1 {
                    self.to[p].next = self.to[p].val() & self.shift[k].q.val();
                } else {
                    self.to[p].next = self.to[p].val() & !self.shift[k].q.val();
                }
            }
        }
    }
}

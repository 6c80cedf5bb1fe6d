use super::{Reason, COUNT_BITS, DIM_BITS, PHASE_BITS, SLOT_BITS};
use crate::lower::{kernel, Circuit};
use crate::rtl::cells::Reg;
use rust_hdl::prelude::*;

/// Width of the counter of clock cycles in a phase.
const CYCLE_BITS: usize = 16;

/// Number of the word at an offset.
const fn word(offset: u64) -> u64 {
    offset >> 2
}

/// The memory-mapped registers of a node, for the software that decides what it
/// sends (design, section 4; all of them in `firmware/include/node_port.h`).
///
/// The message memory is `open` to the core from the beginning of a phase until
/// the software writes its decision or the frame window opens. Accesses to
/// TX_DATA and RX_DATA, MOVE and FULL wait for that; all others take two clock
/// cycles. `wake` is high in a phase that is not decided, so no phase is slept
/// through. A decision names its phase, and is void in another one: it may have
/// come too late, and the other phase has another link.
#[derive(LogicBlock, Circuit)]
pub struct NodePort<const DIMS: usize, const OFFSET: usize> {
    pub clock: Signal<In, Clock>,
    /// The core wants a register, until `ready`.
    pub request: Signal<In, Bit>,
    /// Its offset in bytes.
    pub offset: Signal<In, Bits<7>>,
    /// The core writes.
    pub write: Signal<In, Bit>,
    /// What it writes.
    pub write_data: Signal<In, Bits<32>>,
    /// High for one clock cycle: the access is over. TX_DATA and RX_DATA end
    /// with the word, MOVE with the mover instead.
    pub ready: Signal<Out, Bit>,
    /// What it reads, while `ready`.
    pub read_data: Signal<Out, Bits<32>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// High for one clock cycle: the frame window opens.
    pub window: Signal<In, Bit>,
    /// The phase under way.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// The dimension of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The same, one-hot.
    pub select: Signal<In, Bits<DIMS>>,
    /// The node sends in this phase.
    pub transmit: Signal<In, Bit>,
    /// The link must repeat a frame.
    pub pending: Signal<In, Bit>,
    /// The link is down.
    pub down: Signal<In, Bit>,
    /// What became of the frame of this phase: nothing, silent, refused, taken.
    pub sent: Signal<In, Bits<2>>,
    /// Superframes so far.
    pub superframe: Signal<In, Bits<COUNT_BITS>>,
    /// Times the node fell out of step.
    pub slips: Signal<In, Bits<COUNT_BITS>>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Receive registers that are full.
    pub full: Signal<In, Bits<DIMS>>,
    /// The injection register is full.
    pub injected: Signal<In, Bit>,
    /// The host has a message.
    pub host_valid: Signal<In, Bit>,
    /// The message memory is the core's, else the frame engine's.
    pub open: Signal<Out, Bit>,
    /// The phase is decided.
    pub decided: Signal<Out, Bit>,
    /// The core has something to do.
    pub wake: Signal<Out, Bit>,
    /// The node sends a message
    pub send: Signal<Out, Bit>,
    /// of this register.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// A word of the message memory is wanted
    pub access: Signal<Out, Bit>,
    /// in this register
    pub selected: Signal<Out, Bits<SLOT_BITS>>,
    /// from this byte on.
    pub at: Signal<Out, Bits<OFFSET>>,
    /// High for one clock cycle: the word was read or written.
    pub accessed: Signal<In, Bit>,
    /// To the mover: take a message from the host.
    pub take: Signal<Out, Bit>,
    /// To the mover: hand the selected register to the host.
    pub hand: Signal<Out, Bit>,
    /// To the mover: it may.
    pub legal: Signal<Out, Bit>,
    /// Why; while `hand`.
    pub reason: Signal<Out, Reason>,
    /// High for one clock cycle: the injection register is full now.
    pub fill: Signal<Out, Bit>,
    /// High for one clock cycle: the register `released` is free now.
    pub release: Signal<Out, Bit>,
    pub released: Signal<Out, Bits<SLOT_BITS>>,
    payload_max: Constant<Bits<8>>,
    is_open: Reg<Bit>,
    is_decided: Reg<Bit>,
    sends: Reg<Bit>,
    choice: Reg<Bits<SLOT_BITS>>,
    selection: Reg<Bits<SLOT_BITS>>,
    /// The byte of the selected register that is next, a multiple of four.
    position: Reg<Bits<OFFSET>>,
    cycles: Reg<Bits<CYCLE_BITS>>,
    answered: Reg<Bit>,
    value: Signal<Local, Bits<16>>,
    settings: Signal<Local, Bits<32>>,
}

impl<const DIMS: usize, const OFFSET: usize> NodePort<DIMS, OFFSET> {
    /// For frames with up to `payload` bytes of payload. Before its first phase
    /// the node is decided to send nothing, and the core may sleep.
    pub fn new(payload: u64) -> Self {
        NodePort {
            clock: Signal::default(),
            request: Signal::default(),
            offset: Signal::default(),
            write: Signal::default(),
            write_data: Signal::default(),
            ready: Signal::default(),
            read_data: Signal::default(),
            begin: Signal::default(),
            window: Signal::default(),
            phase: Signal::default(),
            dim: Signal::default(),
            select: Signal::default(),
            transmit: Signal::default(),
            pending: Signal::default(),
            down: Signal::default(),
            sent: Signal::default(),
            superframe: Signal::default(),
            slips: Signal::default(),
            address: Signal::default(),
            full: Signal::default(),
            injected: Signal::default(),
            host_valid: Signal::default(),
            open: Signal::default(),
            decided: Signal::default(),
            wake: Signal::default(),
            send: Signal::default(),
            slot: Signal::default(),
            access: Signal::default(),
            selected: Signal::default(),
            at: Signal::default(),
            accessed: Signal::default(),
            take: Signal::default(),
            hand: Signal::default(),
            legal: Signal::default(),
            reason: Signal::default(),
            fill: Signal::default(),
            release: Signal::default(),
            released: Signal::default(),
            payload_max: Constant::new(payload.into()),
            is_open: Reg::default(),
            is_decided: Reg::new(true),
            sends: Reg::default(),
            choice: Reg::default(),
            selection: Reg::default(),
            position: Reg::default(),
            cycles: Reg::default(),
            answered: Reg::default(),
            value: Signal::default(),
            settings: Signal::default(),
        }
    }
}

impl<const DIMS: usize, const OFFSET: usize> Logic for NodePort<DIMS, OFFSET> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, is_open, is_decided, sends, choice);
        dff_setup!(self, clock, selection, position, cycles, answered);
        let request = self.request.val();
        let index = self.offset.val() >> 2;
        let write_data = self.write_data.val();
        let open = self.is_open.q.val();
        let decided = self.is_decided.q.val();
        let answered = self.answered.q.val();
        let phase = self.phase.val();

        // What waits for the message memory.
        let data = (index == word(0x08)) | (index == word(0x0C));
        let moves = index == word(0x50);
        let fills = index == word(0x58);
        self.access.next = request & open & data;
        self.answered.d.next = request & !answered & !data & !moves & (open | !fills);
        self.ready.next = answered;

        // The mover's commands.
        let op = bit_cast::<2, 32>(write_data);
        let same_phase = bit_cast::<PHASE_BITS, 32>(write_data >> 24) == phase;
        self.take.next = request & moves & (op == 3);
        self.hand.next = request & moves & (op != 3);
        self.legal.next = (op == 0) | same_phase;
        self.reason.next = if op == 0 {
            Reason::Delivered
        } else if op == 1 {
            Reason::Undelivered
        } else {
            Reason::Unknown
        };

        // Which word is next.
        let slot = bit_cast::<SLOT_BITS, 32>(write_data);
        let written = answered & self.write.val();
        if request & data & self.accessed.val() {
            self.position.d.next = self.position.q.val() + 4;
        }
        if written & (index == word(0x18)) {
            self.selection.d.next = slot;
            self.position.d.next = bit_cast::<OFFSET, 32>(write_data >> 4) << 2;
        }
        self.selected.next = self.selection.q.val();
        self.at.next = self.position.q.val();

        // Registers that become full or free.
        let fill = written & fills;
        self.fill.next = fill & write_data.get_bit(4);
        self.release.next = fill & !write_data.get_bit(4);
        self.released.next = slot;

        // The decision.
        if written & (index == word(0x54)) & same_phase & !decided {
            self.is_decided.d.next = true;
            self.is_open.d.next = false;
            self.sends.d.next = write_data.get_bit(4);
            self.choice.d.next = slot;
        }
        if self.window.val() {
            self.is_open.d.next = false;
        }
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.begin.val() {
            self.is_open.d.next = true;
            self.is_decided.d.next = false;
            self.sends.d.next = false;
            self.cycles.d.next = 0.into();
        }
        self.open.next = open;
        self.decided.next = decided;
        self.wake.next = !decided;
        self.send.next = self.sends.q.val();
        self.slot.next = self.choice.q.val();

        // What the core reads.
        let transmit = self.transmit.val();
        let onehot = if transmit {
            bit_cast::<32, DIMS>(self.select.val())
        } else {
            bits::<32>(0)
        };
        self.settings.next = ((bit_cast::<32, PHASE_BITS>(phase) << 24)
            | (onehot << 8)
            | bit_cast::<32, DIM_BITS>(self.dim.val()))
        .replace_bit(4, transmit & self.pending.val())
        .replace_bit(5, self.down.val())
        .replace_bit(6, decided);
        self.value.next = 0.into();
        if index == word(0x00) {
            self.value.next = bit_cast::<16, PHASE_BITS>(phase);
        } else if index == word(0x10) {
            self.value.next = bit_cast::<16, 2>(self.sent.val());
        } else if index == word(0x14) {
            self.value.next =
                bit_cast::<16, DIMS>(self.full.val()).replace_bit(DIMS, self.injected.val());
        } else if index == word(0x1C) {
            self.value.next = self.superframe.val();
        } else if index == word(0x20) {
            self.value.next = self.slips.val();
        } else if index == word(0x40) {
            self.value.next = bit_cast::<16, DIMS>(self.address.val());
        } else if index == word(0x44) {
            self.value.next = (bit_cast::<16, 8>(self.payload_max.val()) << 8) | (DIMS as u64);
        } else if index == word(0x48) {
            self.value.next = self.cycles.q.val();
        } else if index == word(0x4C) {
            self.value.next = bits::<16>(0).replace_bit(0, self.host_valid.val());
        }
        self.read_data.next = if index == word(0x04) {
            self.settings.val()
        } else {
            bit_cast::<32, 16>(self.value.val())
        };
    }
}

//! The registers of a node, and the transfers of messages between a node and its host.

use crate::core::Turn;
use crate::instruction::Instruction;
use crate::node::{Common, Node, Transfer, TransferState, BUFFER_BYTES};
use crate::phase::{PhaseClock, NEVER};
use rtl::tdma::SendResult;

/// Access of the core to a word.
#[derive(Clone, Copy, Debug)]
pub struct BusAccess {
    /// Address of the word.
    pub address: u32,
    /// Word to store and its lanes; `None` for a load.
    pub lanes: Option<(u32, u8)>,
    /// First clock cycle of the access.
    pub begin: u64,
}

// Registers, by their offset in bytes (firmware/include/node_port.h).
const PHASE_COUNTER: u32 = 0x00;
const PHASE_CONFIG: u32 = 0x04;
const TX_DATA: u32 = 0x08;
const RX_DATA: u32 = 0x0C;
const TX_STATUS: u32 = 0x10;
const RX_STATUS: u32 = 0x14;
const DIM_SELECT: u32 = 0x18;
const FRAME_COUNT: u32 = 0x1C;
const NODE_ADDRESS: u32 = 0x40;
const DIMENSIONS: u32 = 0x44;
const CYCLE_COUNTER: u32 = 0x48;
const HOST_STATUS: u32 = 0x4C;
const MOVE: u32 = 0x50;
const DECIDE: u32 = 0x54;
const FULL: u32 = 0x58;
const BACKGROUND: u32 = 0x64;
const LED: u32 = 0x68;

/// Operations of MOVE.
const MOVE_DELIVERED: u32 = 0;
const MOVE_UNKNOWN: u32 = 2;
const MOVE_TAKE: u32 = 3;

/// Mask of an index in a buffer, of 7 bits.
const INDEX: u8 = 127;

impl Node {
    /// Executes an access to a register of the node.
    pub fn access_port(
        &mut self,
        common: &Common,
        clock: &PhaseClock,
        until: u64,
        instruction: Instruction,
        access: BusAccess,
    ) -> Turn {
        let register = access.address & 0x7C;
        let end = match register {
            TX_DATA | RX_DATA => match self.word_access(access) {
                Some(done) => done + 1,
                None => return Turn::Waits,
            },
            MOVE => {
                let command = access.lanes.map_or(0, |(word, _)| word);
                return self.begin_transfer(until, access, command);
            }
            FULL => self.next_open(access.begin).saturating_add(2),
            _ => access.begin + 2,
        };
        if end > until {
            return Turn::Waits;
        }
        let t = end - 1;
        self.settle_buffers(t);
        let turn_begin = self.time;
        let has_second = common.background.is_some();
        let mut due = has_second && self.is_due(turn_begin, t);
        match (register, access.lanes) {
            (TX_DATA | RX_DATA, lanes) => self.message_word(common, instruction, lanes),
            (BACKGROUND, Some((word, _))) if has_second => {
                // The register changes one clock cycle before the instruction ends.
                due = self.is_due(turn_begin, t - 1);
                self.state.released = word & 1 == 0;
                due |= self.is_due(t, t);
            }
            (_, Some((word, _))) => self.write(common, clock, register, word, t),
            (_, None) => {
                let word = self.read(common, clock, register, t);
                self.load_register(instruction, access.address, word);
            }
        }
        let next_pc = self.state.next_pc[self.state.context].wrapping_add(4);
        self.end_turn(instruction, next_pc, end, due);
        Turn::Over
    }

    fn load_register(&mut self, instruction: Instruction, address: u32, word: u32) {
        let base = self.state.registers[self.state.context][instruction.rs1 as usize];
        let exact = address | base.wrapping_add(instruction.immediate) & 3;
        self.load(instruction, exact, word);
    }

    /// Returns the last clock cycle of an access to a word of the message memory. The access takes
    /// five clock cycles, and the memory must be open in four of them. An interrupted access starts
    /// over.
    fn word_access(&mut self, access: BusAccess) -> Option<u64> {
        let mut begin = self.next_open(access.begin);
        while begin != NEVER {
            let closed = self.next_closed(begin);
            if closed >= begin + 4 {
                return Some(begin + 4);
            }
            if self.interrupted != closed {
                self.interrupted = closed;
                self.write_bytes(access.lanes, (closed - begin) as usize);
            }
            begin = self.next_open(closed);
        }
        None
    }

    /// Writes the first bytes of a word to the message memory.
    fn write_bytes(&mut self, lanes: Option<(u32, u8)>, bytes: usize) {
        let Some((word, strobe)) = lanes else {
            return;
        };
        let at = self.selected();
        for (i, byte) in word.to_le_bytes().into_iter().enumerate().take(bytes) {
            if strobe >> i & 1 == 1 {
                self.state.messages[at + i] = byte;
            }
        }
    }

    /// Place of the selected word in the message memory.
    fn selected(&self) -> usize {
        self.state.selection as usize * BUFFER_BYTES + self.state.next_byte as usize
    }

    /// Reads or writes the selected word, and selects the next one.
    fn message_word(
        &mut self,
        common: &Common,
        instruction: Instruction,
        lanes: Option<(u32, u8)>,
    ) {
        debug_assert!(self.state.selection <= common.buffer_mask);
        let at = self.selected();
        match lanes {
            Some(_) => self.write_bytes(lanes, 4),
            None => {
                let bytes = self.state.messages[at..at + 4].try_into();
                let word = u32::from_le_bytes(bytes.expect("four bytes"));
                self.load_register(instruction, 0, word);
            }
        }
        self.state.next_byte = (self.state.next_byte + 4) & u32::from(INDEX);
    }

    /// Writes a register in clock cycle `t`.
    fn write(&mut self, common: &Common, clock: &PhaseClock, register: u32, word: u32, t: u64) {
        match register {
            DIM_SELECT => {
                self.state.selection = word & 31 & common.buffer_mask;
                self.state.next_byte = (word >> 5) << 2 & u32::from(INDEX);
            }
            DECIDE if word >> 24 & 31 == clock.phase(t) => self.decide(common, word, t),
            FULL if word & 32 != 0 => self.state.full |= 1 << common.injection(),
            FULL => self.state.full &= !(1 << (word & common.buffer_mask)),
            LED if common.led => {
                self.quiet &= self.state.led == word as u8;
                self.state.led = word as u8;
            }
            _ => {}
        }
    }

    /// Writes a decision for the present phase in clock cycle `t`.
    fn decide(&mut self, common: &Common, word: u32, t: u64) {
        if t < self.decided {
            self.decided = t + 1;
            self.reopens = word & 0x80 != 0 && common.plan.acked;
            self.sends = word & 0x20 != 0;
            self.state.choice = word & 31 & common.buffer_mask;
        }
        self.open.1 = self.open.1.min(t + 1);
        self.decision = t;
    }

    /// Reads a register in clock cycle `t`.
    fn read(&mut self, common: &Common, clock: &PhaseClock, register: u32, t: u64) -> u32 {
        match register {
            PHASE_COUNTER => clock.phase(t),
            PHASE_CONFIG => self.phase_config(common, clock, t),
            TX_STATUS => self.sent_at(t) as u32,
            RX_STATUS => self.state.full,
            FRAME_COUNT => {
                self.quiet = false;
                clock.superframes() as u32 & 0xFFFF
            }
            NODE_ADDRESS => self.address,
            DIMENSIONS => {
                let acked = u32::from(common.plan.acked) << 18;
                (common.plan.payload as u32) << 8 | common.links | acked
            }
            CYCLE_COUNTER => (t - self.counted_from) as u32 & 0xFFFF,
            HOST_STATUS => self.host_valid.into(),
            BACKGROUND => u32::from(common.background.is_some() && self.state.context == 1),
            _ => 0,
        }
    }

    /// True if the node transmits in clock cycle `t`.
    pub fn transmits(&self, clock: &PhaseClock, t: u64) -> bool {
        let phase = clock.phase(t);
        !clock.is_before(t) && self.address >> (phase >> 1) & 1 == phase & 1
    }

    fn phase_config(&self, common: &Common, clock: &PhaseClock, t: u64) -> u32 {
        let phase = clock.phase(t);
        let dim = phase >> 1;
        let mut config = phase << 24 | dim;
        if self.transmits(clock, t) {
            let pending = self.state.pending >> dim & 1;
            let turns = u32::from(common.plan.round_robin);
            config |= 0x100 << dim | pending << 4 | turns << 7;
        }
        let down = self.state.down >> dim & 1;
        config | down << 5 | u32::from(t >= self.decided) << 6
    }

    /// Outcome of the sent frame that is known in clock cycle `t`.
    pub fn sent_at(&self, t: u64) -> SendResult {
        match self.sent {
            SendResult::Nothing => SendResult::Nothing,
            _ if t >= self.answer.0 => self.answer.1,
            _ => SendResult::Timeout,
        }
    }

    // Transfers.

    /// Returns the first clock cycle from `now` on in which the node shows something to its host, if
    /// it is known.
    pub fn shown_at(&self, now: u64) -> Option<u64> {
        if let Some(transfer) = &self.transfer {
            let shows = transfer.index != 0
                || transfer.state == TransferState::Deliver && self.is_accessible(self.time);
            if shows {
                return Some(self.time.max(now));
            }
        }
        let (t, _) = self.shown_index;
        (t != NEVER && t >= now).then_some(t)
    }

    /// Index of the byte that the node requests from its host in clock cycle `now`.
    pub fn host_index(&self, now: u64) -> u8 {
        match (&self.transfer, self.shown_index) {
            (Some(transfer), _) => transfer.index,
            (None, (t, index)) if t == now => index,
            _ => 0,
        }
    }

    /// True if the node takes the message of its host in this clock cycle, which is its next one.
    pub fn takes(&self) -> bool {
        self.transfer.is_some_and(|transfer| {
            transfer.state == TransferState::Take
                && self.is_accessible(self.time)
                && is_last(&transfer)
        })
    }

    /// Byte for the host in this clock cycle, and whether it is the last one.
    pub fn output(&self) -> Option<(u8, bool)> {
        let transfer = self.transfer.as_ref()?;
        let delivers = transfer.state == TransferState::Deliver && self.is_accessible(self.time);
        delivers.then(|| (transfer.byte, is_last(transfer)))
    }

    /// Reason of a delivery, numbered as in `DeliveryReason` of the circuit.
    pub fn output_reason(&self) -> u8 {
        self.transfer.map_or(0, |transfer| (transfer.command & 3).min(2) as u8)
    }

    /// True if the transfer of the node ends with this clock cycle.
    pub fn ends_transfer(&self) -> bool {
        let state = self.transfer.map(|transfer| transfer.state);
        state == Some(TransferState::Done)
    }

    /// Simulates a clock cycle of a transfer, or all up to the next one in which the memory is open.
    pub fn step_transfer(&mut self, common: &Common, clock: &PhaseClock, until: u64) {
        let Some(mut transfer) = self.transfer else {
            return;
        };
        let t = self.time;
        self.time = t + 1;
        let waits = !matches!(transfer.state, TransferState::Done | TransferState::Deliver);
        let is_open = self.is_accessible(t);
        if waits && !is_open {
            self.time = self.next_open(t).min(until);
            return;
        }
        match transfer.state {
            TransferState::Idle => {
                transfer.index = 0;
                transfer.state = self.begin_copy(common, clock, transfer.command, t);
            }
            TransferState::Take => {
                let at = common.injection() as usize * BUFFER_BYTES + transfer.index as usize;
                self.state.messages[at] = self.host_data;
                self.quiet = false;
                if is_last(&transfer) {
                    self.settle_buffers(t);
                    self.state.full |= 1 << common.injection();
                    transfer.state = TransferState::Done;
                }
                count(&mut transfer, self.host_data);
            }
            TransferState::Fetch => {
                let buffer = self.state.selection as usize * BUFFER_BYTES;
                transfer.byte = self.state.messages[buffer + transfer.index as usize];
                transfer.state = TransferState::Deliver;
            }
            TransferState::Deliver => {
                transfer.state = TransferState::Fetch;
                self.quiet = false;
                if is_open {
                    if is_last(&transfer) {
                        self.settle_buffers(t);
                        self.state.full &= !(1 << self.state.selection);
                        transfer.state = TransferState::Done;
                    }
                    let byte = transfer.byte;
                    count(&mut transfer, byte);
                }
            }
            TransferState::Done => return self.end_transfer(common, transfer),
        }
        self.transfer = Some(transfer);
    }

    /// Returns the state that follows when a command may begin in clock cycle `t`.
    fn begin_copy(
        &mut self,
        common: &Common,
        clock: &PhaseClock,
        command: u32,
        t: u64,
    ) -> TransferState {
        self.settle_buffers(t);
        let operation = command & 3;
        if operation == MOVE_TAKE {
            let is_full = self.state.full >> common.injection() & 1 == 1;
            return match self.host_valid && !is_full {
                true => TransferState::Take,
                false => TransferState::Done,
            };
        }
        let phase = clock.phase(t);
        if operation != MOVE_DELIVERED && command >> 24 & 31 != phase {
            return TransferState::Done;
        }
        if operation == MOVE_UNKNOWN {
            self.state.pending &= !(1 << (phase >> 1));
        }
        TransferState::Fetch
    }

    /// Ends the instruction of a transfer, whose last clock cycle has passed.
    fn end_transfer(&mut self, common: &Common, transfer: Transfer) {
        let end = self.time;
        self.transfer = None;
        self.shown_index = match transfer.index {
            0 => (NEVER, 0),
            index => (end, index),
        };
        let due = common.background.is_some() && self.is_due(transfer.started, end - 1);
        let pc = self.state.next_pc[self.state.context];
        let (instruction, _) = self.fetch(common, pc, 0);
        self.end_turn(instruction, pc.wrapping_add(4), end, due);
    }
}

/// True if the present byte of a transfer is the last one.
fn is_last(transfer: &Transfer) -> bool {
    transfer.index != 0 && transfer.left == 1
}

/// Counts a byte. The first one is the number of bytes that follow.
fn count(transfer: &mut Transfer, byte: u8) {
    transfer.left = match transfer.index {
        0 => byte,
        _ => transfer.left.wrapping_sub(1),
    } & INDEX;
    transfer.index = (transfer.index + 1) & INDEX;
}

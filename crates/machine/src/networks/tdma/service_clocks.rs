//! Clock cycles that a node needs to decide what it sends. Circuits are calculated, and programs
//! are measured.

use interconnect::topology::Metacube;
use rtl::tdma::buffer_numbers::last_buffer;
use rtl::tdma::{pool_slots, PhasePlan};

/// Returns the number of buffers that a node of this shape examines.
pub fn buffer_count(shape: Metacube) -> u32 {
    last_buffer(shape.links() as usize, shape.bits() as usize) as u32 + 1
}

/// Returns the maximum clock cycles of the forwarder. The forwarder takes a message, recalls one to
/// be repeated, examines every buffer, and delivers two messages.
pub fn forwarder_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if shape.bits() <= 8 { 3 } else { 4 };
    let begin = 3;
    begin + message + 2 + buffer_count(shape) * look + 2 * (2 * message)
}

/// Returns the maximum clock cycles of the schedule follower (`ScheduleFollower`). The follower reads its
/// instruction, delivers one message in two clock cycles a byte, and takes one message.
pub fn compiled_clocks(payload: u32) -> u32 {
    let message = 1 + payload;
    2 + 3 * message
}

/// Returns the maximum clock cycles of the adaptive forwarder. The forwarder recalls a message to
/// be repeated, examines every slot, takes a message, and delivers two messages. The slot of a
/// message is examined again after the message is taken, and after each delivery.
pub fn adaptive_clocks(dims: u32, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if dims <= 8 { 2 } else { 3 };
    let begin = 3;
    begin + 2 + pool_slots(dims as usize) as u32 * look + (message + 1) + 2 * (2 * message + 1)
}

/// Returns the maximum clock cycles of the program `route`. The program takes a message, recalls
/// one to be repeated, examines every buffer, and delivers two messages. The value is measured. The
/// tests of `sim/firmware` and `sim/metacube` check it against directed worst cases and against
/// random traffic. A core that nodes share needs this number of clock cycles once for each node.
/// `sim/hosted` checks that against random traffic.
pub fn software_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = buffer_count(shape) * (SOFTWARE_FULL + crossing_clocks(shape));
    SOFTWARE_BEGIN + message + looks + 2 * (SOFTWARE_DELIVER + 2 * message)
}

/// Returns the clock cycles from reset until the program `route` sleeps, with a margin.
pub fn start_clocks(shape: Metacube) -> u32 {
    SOFTWARE_START + shape.class_bits() * SOFTWARE_FIELDS
}

/// Clock cycles of a program that looks ahead, measured in the same way as [`software_clocks`].
pub struct LookAheadClocks {
    /// With answers: from the beginning of a phase to the decision, without the bytes of the
    /// message that is taken.
    begin: u32,
    /// With answers: from the beginning of the answer slot, without the bytes of the message that
    /// is delivered.
    slot: u32,
    /// From the decision until all buffers have been examined, without the time for each buffer.
    scan: u32,
    /// Time for each buffer.
    per_buffer: u32,
    /// From reset until the first phase may begin.
    pub start: u32,
}

/// The program `route` with e-cube routing, for classes of zero, one or two bits.
pub const LOOK_AHEAD: [LookAheadClocks; 3] = [
    LookAheadClocks {
        begin: 104,
        slot: 208,
        scan: 400,
        per_buffer: 42,
        start: 1200,
    },
    // Few buffers are full at a time, even with eight messages for each node.
    LookAheadClocks {
        begin: 108,
        slot: 222,
        scan: 785,
        per_buffer: 14,
        start: 1800,
    },
    // Two cross edges are available here.
    LookAheadClocks {
        begin: 190,
        slot: 330,
        scan: 500,
        per_buffer: 32,
        start: 2400,
    },
];

/// The program `route` of nodes with a pool.
pub const LOOK_AHEAD_POOL: LookAheadClocks = LookAheadClocks {
    begin: 140,
    slot: 190,
    scan: 500,
    per_buffer: 50,
    start: 1000,
};

impl LookAheadClocks {
    /// Returns the maximum clock cycles up to the decision, in phases of this plan. Only the
    /// lengths of the parts after the service window matter. With answers the program takes a
    /// message and examines it. Before that it completes the work that did not fit in the answer
    /// slot. Without answers it takes one message, examines one, and sends or delivers that one.
    pub fn clocks(&self, registers: u32, payload: u32, plan: &PhasePlan, acked: bool) -> u32 {
        let message = 1 + payload;
        let scan = self.scan + registers * self.per_buffer;
        let between = |from: u64, to: u64| (to - from) as u32;
        if !acked {
            let late = scan.saturating_sub(between(plan.frame_open, plan.phase));
            return late + (RAW_SEND + message).max(RAW_DELIVER + 3 * message);
        }
        let late = scan.saturating_sub(between(plan.frame_open, plan.answer_open));
        let slot = self.slot + 2 * message;
        let from_slot = between(plan.answer_open, plan.phase);
        self.begin + message + (late + slot).saturating_sub(from_slot)
    }
}

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if
/// the examined message may be sent.
const RAW_SEND: u32 = 128;

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if
/// the examined message is delivered.
const RAW_DELIVER: u32 = 96;

/// Returns the additional clock cycles to examine a message that may take a cross edge.
fn crossing_clocks(shape: Metacube) -> u32 {
    match shape.class_bits() {
        0 => 0,
        1 => SOFTWARE_CROSS,
        _ => SOFTWARE_CHOOSE,
    }
}

/// Returns the maximum clock cycles for which a shared core waits for a node during the work of
/// [`software_clocks`]. The unit is clock cycles of a node. Each access to a hardware register
/// takes one, and each word of the message memory five. A message that is taken needs one for each
/// byte, and a message that is delivered two. `sim/hosted` checks the value against random traffic.
pub fn waiting_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = buffer_count(shape) * WAITING_FULL;
    WAITING_BEGIN + looks + (WAITING_MOVE + message) + 2 * (WAITING_MOVE + 2 * message)
}

/// Waiting clock cycles from the beginning of a phase to the decision, without those for each
/// buffer.
const WAITING_BEGIN: u32 = 12;

/// Waiting clock cycles for a full buffer: one word of the message memory, and the queries for it.
const WAITING_FULL: u32 = 7;

/// Waiting clock cycles for a message that is moved, without those for its bytes.
const WAITING_MOVE: u32 = 3;

/// Clock cycles of `route` from the beginning of a phase to the decision if buffers are full,
/// without the time for each buffer.
const SOFTWARE_BEGIN: u32 = 100;

/// Clock cycles from reset to the first decision, without the time for each buffer and for a
/// message that is taken.
const SOFTWARE_START: u32 = 485;

/// Additional clock cycles for each bit of a class, in which the program prepares the fields of an
/// address.
const SOFTWARE_FIELDS: u32 = 300;

/// Clock cycles for an empty buffer.
pub const SOFTWARE_EMPTY: u32 = 31;

/// Clock cycles for a full buffer.
const SOFTWARE_FULL: u32 = 95;

/// Additional clock cycles for a message that takes a cross edge, if there is one cross edge.
const SOFTWARE_CROSS: u32 = 40;

/// Additional clock cycles for a message that takes a cross edge, if there are two to choose from.
const SOFTWARE_CHOOSE: u32 = 150;

/// Additional clock cycles for a message to the host, compared with any other message.
const SOFTWARE_DELIVER: u32 = 20;

/// Clock cycles of a program for one step without its routing. In a step it takes a word from a
/// neighbour, computes a new word and passes it to its host. Then it takes a word from the host and
/// sends it. A step without the host takes less. The value is measured: `firmware/programs` take
/// the number of superframes that theory predicts (`sim/firmware/collectives.rs`). The value also
/// covers the work before the first message after reset.
pub const PROGRAM_STEP_CLOCKS: u32 = 4000;

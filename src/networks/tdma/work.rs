//! How many clock cycles a node needs to decide what it sends: circuits by what they do, programs as
//! measured.

use crate::rtl::tdma::register_numbers::last_register;
use crate::rtl::tdma::{places, PhasePlan};
use crate::topology::Metacube;

/// Registers that a node of this shape looks at.
pub fn registers(shape: Metacube) -> u32 {
    last_register(shape.links() as usize, shape.bits() as usize) as u32 + 1
}

/// Clock cycles that the forwarder needs at most: it takes a message, recalls
/// one to be repeated, looks at every register, and hands over two.
pub fn forwarder_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if shape.bits() <= 8 { 3 } else { 4 };
    let begin = 3;
    begin + message + 2 + registers(shape) * look + 2 * (2 * message)
}

/// Clock cycles that the courier needs at most: it reads what there is to do, hands over one
/// message, in two clock cycles a byte, and takes one.
pub fn compiled_clocks(payload: u32) -> u32 {
    let message = 1 + payload;
    2 + 3 * message
}

/// Clock cycles that the adaptive forwarder needs at most: it recalls a message to be
/// repeated, looks at every place, takes a message, and hands over two, after which, as
/// after the one that it takes, it looks at their places again.
pub fn adaptive_clocks(dims: u32, payload: u32) -> u32 {
    let message = 1 + payload;
    let look = if dims <= 8 { 2 } else { 3 };
    let begin = 3;
    begin + 2 + places(dims as usize) as u32 * look + (message + 1) + 2 * (2 * message + 1)
}

/// Clock cycles that the program `route` needs at most. Measured: the tests of
/// `sim/firmware` and `sim/metacube` hold it against directed worst cases and against
/// random traffic. It takes a message, recalls one to be repeated, looks at every
/// register, and hands over two. On a core that nodes share it needs as much, as many
/// times: `sim/hosted` holds it against random traffic.
pub fn software_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = registers(shape) * (SOFTWARE_LOOK + crossing_clocks(shape));
    SOFTWARE_BEGIN + message + looks + 2 * (SOFTWARE_HAND + 2 * message)
}

/// Clock cycles from reset until the program `route` sleeps, with some to spare.
pub fn start_clocks(shape: Metacube) -> u32 {
    SOFTWARE_START + shape.class_bits() * SOFTWARE_FIELDS
}

/// Clock cycles of a program that looks ahead. Measured as those of [`software_clocks`].
pub struct Ahead {
    /// With answers: from the beginning of a phase to the decision, without the bytes of the message
    /// that is taken.
    begin: u32,
    /// With answers: from the beginning of the answer slot, without the bytes of the message that is
    /// handed over.
    slot: u32,
    /// From the decision until all registers have been gone through, without what is done for
    /// each.
    scan: u32,
    /// For each register.
    register: u32,
    /// From reset until the first phase may begin.
    pub start: u32,
}

/// The program `route` by e-cube, where a class has no, one or two bits.
pub const AHEAD: [Ahead; 3] = [
    Ahead {
        begin: 104,
        slot: 208,
        scan: 400,
        register: 42,
        start: 1200,
    },
    // Few of its registers are full at a time, also with eight messages for each node.
    Ahead {
        begin: 108,
        slot: 222,
        scan: 785,
        register: 14,
        start: 1800,
    },
    // Here are two cross edges to choose from.
    Ahead {
        begin: 190,
        slot: 330,
        scan: 500,
        register: 32,
        start: 2400,
    },
];

/// The program `route` of nodes with a pool.
pub const POOL: Ahead = Ahead {
    begin: 140,
    slot: 190,
    scan: 500,
    register: 50,
    start: 1000,
};

impl Ahead {
    /// Clock cycles that it needs at most to decide, in phases of this plan, of which only the lengths of
    /// what comes behind the service window count. With answers it takes a message and looks at it, and
    /// does before what it had no time for in the answer slot. Without it takes one, looks at one, and sends
    /// that or hands it over.
    pub fn clocks(&self, registers: u32, payload: u32, plan: &PhasePlan, acked: bool) -> u32 {
        let message = 1 + payload;
        let scan = self.scan + registers * self.register;
        let between = |from: u64, to: u64| (to - from) as u32;
        if !acked {
            let late = scan.saturating_sub(between(plan.frame_open, plan.phase));
            return late + (RAW_SEND + message).max(RAW_HAND + 3 * message);
        }
        let late = scan.saturating_sub(between(plan.frame_open, plan.answer_open));
        let slot = self.slot + 2 * message;
        let from_slot = between(plan.answer_open, plan.phase);
        self.begin + message + (late + slot).saturating_sub(from_slot)
    }
}

/// Clock cycles from the beginning of a phase to the decision, without the bytes of messages, if the
/// message that was looked at may be sent.
const RAW_SEND: u32 = 128;

/// The same if it is handed over.
const RAW_HAND: u32 = 96;

/// Clock cycles more for a look at a message that may take a cross edge.
fn crossing_clocks(shape: Metacube) -> u32 {
    match shape.class_bits() {
        0 => 0,
        1 => SOFTWARE_CROSS,
        _ => SOFTWARE_CHOOSE,
    }
}

/// Clock cycles of a node in which a core that nodes share in turn waits for it, at most, while
/// it does what [`software_clocks`] counts: for each register of the machine's that it reads
/// or writes one, for a word of the message memory five, for a message that is taken one a
/// byte, for one that is handed over two. `sim/hosted` holds it against random traffic.
pub fn waiting_clocks(shape: Metacube, payload: u32) -> u32 {
    let message = 1 + payload;
    let looks = registers(shape) * WAITING_LOOK;
    WAITING_BEGIN + looks + (WAITING_MOVE + message) + 2 * (WAITING_MOVE + 2 * message)
}

/// Clock cycles of waiting from the beginning of a phase to the decision, without what it does
/// for each register.
const WAITING_BEGIN: u32 = 12;

/// Clock cycles of waiting for a register that is full: a word, and what is asked of it.
const WAITING_LOOK: u32 = 7;

/// Clock cycles of waiting when a message is moved, beside its bytes.
const WAITING_MOVE: u32 = 3;

/// Clock cycles of `route` from the beginning of a phase to the decision, when it
/// finds full registers, without what it does for each.
const SOFTWARE_BEGIN: u32 = 100;

/// Clock cycles from reset to the first decision, without what it does for each register, and
/// without a message that is taken.
const SOFTWARE_START: u32 = 485;

/// Clock cycles more until then for each bit of a class: what the program keeps of the fields of an
/// address.
const SOFTWARE_FIELDS: u32 = 300;

/// Clock cycles for a register that is empty.
pub const SOFTWARE_EMPTY: u32 = 31;

/// Clock cycles for a register that is full.
const SOFTWARE_LOOK: u32 = 95;

/// Clock cycles more for a message that takes a cross edge, where there is one.
const SOFTWARE_CROSS: u32 = 40;

/// The same where there are two to choose from.
const SOFTWARE_CHOOSE: u32 = 150;

/// Clock cycles for a message for the host, more than for another one.
const SOFTWARE_HAND: u32 = 20;

/// Clock cycles in which a program takes a word from a neighbour, makes another of it,
/// gives that to its host, takes a word from there, and sends it, but for its routing; less
/// if its host has no part. Measured: `firmware/programs` use the superframes that theory
/// says (`sim/firmware/collectives.rs`). So many also do for what comes before the first
/// message after reset.
pub const WORK: u32 = 4000;

//! Properties of the links of the TDMA machine: ownership of the wire, and outcome of frames.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{CubeNode, EnginePlan, Forwarder, FrameEngine, LinkPort, PhasePlan, ScheduledNode};
use toolchain::Method;

/// Node with answers, whose frames have up to 8 bytes of payload. The arguments are the windows of
/// a phase in clock cycles: frame open, frame close, answer open, answer close, phase. The windows
/// are as short as a counter-example permits.
pub(super) fn plan(
    [frame_open, frame_close, answer_open, answer_close, phase]: [u64; 5],
) -> EnginePlan {
    EnginePlan {
        acked: true,
        round_robin: true,
        pool: false,
        payload: 8,
        phase: PhasePlan {
            frame_open,
            frame_close,
            answer_open,
            answer_close,
            phase,
        },
    }
}

pub const LINK_PORT: Property = property! {
    "link_port.sv",
    name: "link-port",
    sentence: "The ports of two neighbours (sequencer, pin mux, UART) never pull the wire between them in the same clock cycle, whatever they send and hear, also when phases are cut short. Assumed: both hear the same phase clock and sync, which may be anything.",
    cases: &[
        case!("2 links each", [LinkPort::<2, 8>::default()], DIMS = 2),
        case!("1 link each", [LinkPort::<1, 8>::default()], DIMS = 1),
        case!("12 links each", [LinkPort::<12, 8>::default()], DIMS = 12),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the two phases of a link are one",
            "assign transmit = !out_of_step & (side == phase_2[0]);",
            "assign transmit = !out_of_step;",
        ),
        verilog_fault(
            "the pin mux pulls when its node listens",
            ".drive (sequencer_transmit),",
            ".drive (1'b1),",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

pub const LINK_NODE: Property = property! {
    "link_node.sv",
    name: "link-node",
    sentence: "Two neighbours, whole nodes with frames, answers and forwarding, never hold the wire between them in the same clock cycle, whatever their hosts send, when their forwarders hang, and whatever is heard on all wires. Assumed: both hear the same phase clock and sync, which may be anything: phases that are cut short are among it.",
    cases: &[
        case!(
            "2 dimensions",
            [CubeNode::<2, 8, 4, 6>::new(plan([12, 20, 24, 30, 32]))],
            DIMS = 2, PHASE = 32, FRAME_OPEN = 12, FRAME_CLOSE = 20, ANSWER_OPEN = 24, ANSWER_CLOSE = 30
        ),
        case!(
            "4 dimensions",
            [CubeNode::<4, 8, 4, 7>::new(plan([12, 20, 24, 30, 32]))],
            DIMS = 4, PHASE = 32, FRAME_OPEN = 12, FRAME_CLOSE = 20, ANSWER_OPEN = 24, ANSWER_CLOSE = 30
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a node drives on when its phase was cut short",
            "wire drive = engine_drive & !begin_ & !mute;",
            "wire drive = engine_drive;",
        ),
        verilog_fault(
            "the two phases of a link are one",
            "assign transmit = !out_of_step & (side == phase_2[0]);",
            "assign transmit = !out_of_step;",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

pub const FORWARDER: Property = property! {
    "forwarder.sv",
    name: "forwarder",
    sentence: "What a forwarder chooses lies in a full register, and its destination and the node's address differ in the dimension of the phase and in no lower one: e-cube. If there is such a message and the node sends, one is chosen, the first from the turn on that the memory keeps for the link; a link that has a frame to repeat sends the register of that turn. When the forwarder is done no register holds a message that is at home; the host gets those, and if the link is down those that wanted it, and the one that may have arrived. For all messages, registers, hosts and turns, also when phases are cut short. In a clock cycle in which a phase begins no message goes to the host, and no link forgets what it must repeat. The host's message comes into an empty register. Assumed: memory and registers keep what they hold while it works, and the register and the flags of the link change with a phase only.",
    cases: &[
        case!("addresses of 4 bits", [Forwarder::<4, 8>::new(true, 4, 4, 4)], BITS = 4),
        case!("addresses of 12 bits", [Forwarder::<4, 8>::new(true, 4, 4, 12)], BITS = 12),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a message of another link is sent",
            "wire wanted_2 = transmit_2 & wanted;",
            "wire wanted_2 = transmit_2;",
        ),
        verilog_fault(
            "an empty register is looked at",
            "if (occupied) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "the length is taken for the destination",
            "read_address = at | 8'd1;",
            "read_address = at;",
        ),
        verilog_fault(
            "links do not take turns",
            "wire replaces = before_turn & !early & !down;",
            "wire replaces = 1'b0;",
        ),
        verilog_fault(
            "the turn is taken from the memory before it is there",
            "if (has_chosen) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "the last register is never looked at",
            "(place_2 == LAST)",
            "(place_2 == 5'd3)",
        ),
        verilog_fault(
            "a message goes to the host in the clock cycle in which a phase begins",
            "exchange_hand = (state_2 == FORWARDER_STATE_DELIVER) & !begin_;",
            "exchange_hand = (state_2 == FORWARDER_STATE_DELIVER);",
        ),
        verilog_fault(
            "a message that is complete when a phase begins is written over",
            "host_valid & !injected & !taken",
            "host_valid & !injected",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

pub const NEXT_LINK: Property = property! {
    "next_link.sv",
    name: "next-link",
    sentence: "Of each destination that a node's forwarder asks about the node says that it is home if and only if it is the node's address, and that the link of the phase is wanted if and only if the addresses differ in the dimension of the link and in no lower one: e-cube. In every clock cycle, for all addresses, destinations and links.",
    cases: &[
        case!(
            "4 dimensions",
            [ScheduledNode::<4, 4, 4, 8, 4, 7>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 4, BITS = 4, CLASS = 0
        ),
        case!(
            "12 dimensions",
            [ScheduledNode::<12, 12, 12, 8, 4, 8>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 12, BITS = 12, CLASS = 0
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "every link in which the addresses differ is wanted",
            "own_4 & (~own_4 + 4'd1)",
            "own_4",
        ),
        verilog_fault(
            "the link of the phase does not matter",
            "assign forwarder_wanted = |(link & frames_select);",
            "assign forwarder_wanted = |link;",
        ),
        verilog_fault(
            "the highest bit does not matter at home",
            "assign forwarder_home = (destination == address_2);",
            "assign forwarder_home = (destination[2:0] == address_2[2:0]);",
        ),
        verilog_fault(
            "dimension 3 is taken for 2",
            "chosen = 4'd8;",
            "chosen = 4'd4;",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

pub const FRAME_ENGINE: Property = property! {
    "frame_engine.sv",
    name: "frame-engine",
    sentence: "With answers, a frame engine writes no byte of a message into a register that is full, and none outside its link's register or onto the state behind it; it stores a message if and only if it flips the sequence bit that it expects next, in the same clock cycle, and only into a register that was not full; it frees a register if and only if it flips the sequence bit of what it sends next, and only when all 16 bits of an answer were heard and were those of the CRC of the frame; it answers only a frame that it heard whole, refuses only what it did not store, and never a repeat. Whatever UART, memory and forwarder say. Assumed: no phase is cut short: it has at least 4 clock cycles more than the answer slot's end; direction, link and register change only with a phase; a register gets full only by what the engine stores.",
    cases: &[case!(
        "2 links, payload 8",
        [FrameEngine::<2, 4, 8>::new(plan([2, 70, 72, 94, 98]), false)],
        PHASE = 98, PAYLOAD = 8, FRAME_OPEN = 2, ANSWER_OPEN = 72, ANSWER_CLOSE = 94
    )],
    method: Method::Induction(2),
    mutants: &[
        verilog_fault(
            "a full register is written",
            "assign writes = good & is_message & (1'b0 | !full);",
            "assign writes = good & is_message;",
        ),
        verilog_fault(
            "a message is stored and the sequence bit stays",
            "assign expectations_write = ACKED & store_2;",
            "assign expectations_write = 1'b0;",
        ),
        verilog_fault(
            "a register is freed at the end of a turn without an ACK",
            "assign free = given | (in_turn & taken);",
            "assign free = given | in_turn;",
        ),
        verilog_fault(
            "a repeat that finds its register full is refused",
            "is_refusal_next = full_2 & !(ACKED & is_repeat);",
            "is_refusal_next = full_2;",
        ),
        verilog_fault(
            "a message is stored though its register was full",
            "& !(ACKED & (refusal | heard_repeat))",
            "& !(ACKED & heard_repeat)",
        ),
        verilog_fault(
            "any answer is an ACK",
            "wrong = !first_of_answer & (",
            "wrong = !answering & (",
        ),
    ],
    mutants_within: 100,
    quick: true,
};

pub const PROTOCOL: Property = property! {
    "protocol.sv",
    name: "protocol",
    sentence: "On a link that may lose any frame and any answer the receiver takes message after message, each once, in order; none is overwritten in its register; the sender goes on only when its message was taken. A model of the rules, one step for each frame, not a circuit. Assumed: no node is reset, no damaged frame passes the CRC, no answer is forged, a frame is repeated unchanged after silence.",
    cases: &[case!(
        "one link",
        [],
        FORGED = 0, CHECKED = 0, RESET = 0, CHANGED = 0, OVERWRITTEN = 0, REFUSED_FLIPS = 0
    )],
    method: Method::Induction(1),
    mutants: &[
        missing_assumption("an answer may be forged", "FORGED", 1),
        missing_assumption("a damaged frame may pass the CRC", "CHECKED", 1),
        missing_assumption("the receiver may be reset", "RESET", 1),
        missing_assumption("after silence another message may be sent", "CHANGED", 1),
        missing_assumption("a full register is overwritten", "OVERWRITTEN", 1),
        missing_assumption("the sequence bit flips after a refusal, too", "REFUSED_FLIPS", 1),
    ],
    mutants_within: 12,
    quick: true,
};

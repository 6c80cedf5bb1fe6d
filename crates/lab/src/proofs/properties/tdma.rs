//! Properties of the links of the TDMA machine: ownership of the wire, and outcome of frames.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{
    CubeNode, EnginePlan, Forwarder, FrameEngine, LinkPort, PhaseClock, PhasePlan, PhaseSequencer,
    PinMux, ScheduledNode,
};
use toolchain::ProofMethod;

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
        phase: PhasePlan { frame_open, frame_close, answer_open, answer_close, phase },
    }
}

pub const LINK_PORT: Property = property! {
    "link_port.sv",
    name: "link-port",
    sentence: "\
        The ports of two neighbours (sequencer, pin mux, UART) never pull the wire between them \
        in the same clock cycle. This holds for all sent and received signals, also when phases \
        are cut short. Assumed: both receive the same phase clock and sync, which are arbitrary.",
    cases: &[
        case!("2 links each", [LinkPort::<2, 8>::default()], DIMS = 2),
        case!("1 link each", [LinkPort::<1, 8>::default()], DIMS = 1),
        case!("12 links each", [LinkPort::<12, 8>::default()], DIMS = 12),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "both ends of a link transmit in the same phase",
            "assign transmit = !lost_sync & (side == phase_value[0]);",
            "assign transmit = !lost_sync;",
        ),
        verilog_fault(
            "the pin mux pulls while its node listens",
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
    sentence: "\
        Two neighbours, complete nodes with frames, answers and forwarding, never hold the wire \
        between them in the same clock cycle. This holds for all messages of their hosts and all \
        levels of all wires, also when their forwarders hang. Assumed: both receive the same \
        phase clock and sync, which are arbitrary, so phases may be cut short.",
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
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a node continues to drive when its phase is cut short",
            "wire drive = engine_drive & !begin_ & !mute;",
            "wire drive = engine_drive;",
        ),
        verilog_fault(
            "both ends of a link transmit in the same phase",
            "assign transmit = !lost_sync & (side == phase_value[0]);",
            "assign transmit = !lost_sync;",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

pub const FORWARDER: Property = property! {
    "forwarder.sv",
    name: "forwarder",
    sentence: "\
        A forwarder chooses only a full buffer whose message the e-cube rule routes over the link \
        of the phase: its destination and the node's address differ in this dimension and in no \
        lower one. If the node sends and there is such a message, one is chosen: the first in \
        service order, from the turn on that the memory keeps for the link. A link that must \
        repeat a frame sends the buffer of that turn. When the forwarder is done, no buffer holds \
        a message for this node: the host has it. If the link is down, the host also gets the \
        messages for that link, and the message that may have arrived. This holds for all \
        messages, buffers, hosts and turns, also when phases are cut short. In a clock cycle in \
        which a phase begins, no message goes to the host, and no link forgets the message that \
        it must repeat. A message from the host goes into an empty buffer. Assumed: memory and \
        buffers keep their contents while the forwarder works; the buffer and the flags of the \
        link change only with a phase.",
    cases: &[
        case!("addresses of 4 bits", [Forwarder::<4, 8>::new(true, 4, 4, 4)], BITS = 4),
        case!("addresses of 12 bits", [Forwarder::<4, 8>::new(true, 4, 4, 12)], BITS = 12),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a message of another link is sent",
            "wire wanted_value = transmit_value & wanted;",
            "wire wanted_value = transmit_value;",
        ),
        verilog_fault(
            "an empty buffer is examined",
            "if (occupied) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "the length is used as the destination",
            "read_address = at | 8'd1;",
            "read_address = at;",
        ),
        verilog_fault(
            "the service order has no turn",
            "wire replaces = before_turn & !early & !down;",
            "wire replaces = 1'b0;",
        ),
        verilog_fault(
            "the turn is read before the memory outputs it",
            "if (has_chosen) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "the last buffer is never examined",
            "(examined_value == LAST)",
            "(examined_value == 5'd3)",
        ),
        verilog_fault(
            "a message goes to the host in the clock cycle in which a phase begins",
            "exchange_deliver = (state_value == FORWARDER_STATE_DELIVER) & !begin_;",
            "exchange_deliver = (state_value == FORWARDER_STATE_DELIVER);",
        ),
        verilog_fault(
            "a message that is complete when a phase begins is overwritten",
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
    sentence: "\
        A node answers its forwarder about each destination. `home` is high if and only if the \
        destination is the node's address. `wanted` is high if and only if the two addresses \
        differ in the dimension of the phase's link and in no lower one (e-cube). This holds in \
        every clock cycle, for all addresses, destinations and links.",
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
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "every link in which the addresses differ is wanted",
            "within_field_4 & (~within_field_4 + 4'd1)",
            "within_field_4",
        ),
        verilog_fault(
            "the link of the phase is ignored",
            "assign forwarder_wanted = |(link & frames_select);",
            "assign forwarder_wanted = |link;",
        ),
        verilog_fault(
            "the comparison for `home` ignores the highest bit",
            "assign forwarder_home = (destination == address_value);",
            "assign forwarder_home = (destination[2:0] == address_value[2:0]);",
        ),
        verilog_fault(
            "dimension 3 is treated as 2",
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
    sentence: "\
        With answers, a frame engine writes no byte of a message into a full buffer, outside its \
        link's buffer, or over the stored state after it. It stores a message if and only if it \
        flips the expected sequence bit in the same clock cycle, and only into a buffer that was \
        not full. It frees a buffer if and only if it flips the sequence bit of the next frame to \
        send. It does so only when all 16 bits of an answer were received and match the CRC of \
        the frame. It answers only a frame that it received completely. It sends a NAK only for a \
        message that it did not store, and never for a repeat. This holds for all outputs of \
        UART, memory and forwarder. Assumed: no phase is cut short: it has at least 4 clock \
        cycles more than the end of the answer window; direction, link and buffer change only \
        with a phase; a buffer becomes full only when the engine stores a message.",
    cases: &[case!(
        "2 links, payload 8",
        [FrameEngine::<2, 4, 8>::new(plan([2, 70, 72, 94, 98]), false)],
        PHASE = 98, PAYLOAD = 8, FRAME_OPEN = 2, ANSWER_OPEN = 72, ANSWER_CLOSE = 94
    )],
    method: ProofMethod::Induction(2),
    mutants: &[
        verilog_fault(
            "a full buffer is written",
            "assign writes = good & is_message & (1'b0 | !full);",
            "assign writes = good & is_message;",
        ),
        verilog_fault(
            "a message is stored and the sequence bit does not flip",
            "assign expectations_write = ACKED & store_value;",
            "assign expectations_write = 1'b0;",
        ),
        verilog_fault(
            "a buffer is freed at the end of a turn without an ACK",
            "assign free = given | (in_turn & taken);",
            "assign free = given | in_turn;",
        ),
        verilog_fault(
            "a repeat gets a NAK if its buffer is full",
            "is_nak_next = full_value & !(ACKED & is_repeat);",
            "is_nak_next = full_value;",
        ),
        verilog_fault(
            "a message is stored although its buffer was full",
            "& !(ACKED & (nak | events_repeat))",
            "& !(ACKED & events_repeat)",
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
    sentence: "\
        On a link that may lose any frame and any answer, the receiver takes every message once \
        and in order. No message is overwritten in its buffer. The sender continues only when its \
        message was taken. The property is proved for a model of the rules with one step for each \
        frame, not for a circuit. Assumed: no node is reset; no damaged frame passes the CRC; no \
        answer is forged; after a timeout a frame is repeated unchanged.",
    cases: &[case!(
        "one link",
        [],
        FORGED = 0, CHECKED = 0, RESET = 0, CHANGED = 0, OVERWRITTEN = 0, NAK_FLIPS = 0
    )],
    method: ProofMethod::Induction(1),
    mutants: &[
        missing_assumption("an answer may be forged", "FORGED", 1),
        missing_assumption("a damaged frame may pass the CRC", "CHECKED", 1),
        missing_assumption("the receiver may be reset", "RESET", 1),
        missing_assumption("after a timeout another message may be sent", "CHANGED", 1),
        missing_assumption("a full buffer is overwritten", "OVERWRITTEN", 1),
        missing_assumption("the sequence bit also flips after a NAK", "NAK_FLIPS", 1),
    ],
    mutants_within: 12,
    quick: true,
};

// Properties of the schedule: pin mux, sequencer, phase clock.

pub const PIN_MUX: Property = property! {
    "pin_mux.sv",
    name: "pin-mux",
    sentence: "\
        A node pulls at most one wire: that of the active dimension, one clock cycle after the \
        node drives and its UART sends a low bit. All other wires are released. The UART receives \
        the active wire while the node listens, otherwise a high line. This holds for all inputs.",
    cases: &[
        case!("4 wires", [PinMux::<4>::default()], DIMS = 4),
        case!("1 wire", [PinMux::<1>::default()], DIMS = 1),
        case!("12 wires", [PinMux::<12>::default()], DIMS = 12),
        case!("16 wires", [PinMux::<16>::default()], DIMS = 16),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "dimension 2 pulls wire 1",
            "pulls_next[2] = !tx;",
            "pulls_next[1] = !tx;",
        ),
        verilog_fault(
            "the pull of wire 3 ignores the UART",
            "pulls_next[3] = !tx;",
            "pulls_next[3] = 1'b1;",
        ),
        verilog_fault(
            "the pulls do not come from flip-flops",
            "assign pull = pulls;",
            "assign pull = pulls_next;",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

pub const PHASE_SEQUENCER: Property = property! {
    "phase_sequencer.sv",
    name: "phase-sequencer",
    sentence: "\
        In phase 2d the nodes with address bit d clear transmit on link d, in phase 2d + 1 those \
        with the bit set. A node counts every rising edge of the phase clock. If `sync` and its \
        count disagree at an edge, it counts a slip and is muted. It stays muted until a rising \
        edge with `sync`, which is its phase 0. A muted node does not transmit. This holds for \
        any signals on its wires.",
    cases: &[
        case!("3 links", [PhaseSequencer::<3>::default()], LINKS = 3),
        case!("1 link", [PhaseSequencer::<1>::default()], LINKS = 1),
        case!("12 links", [PhaseSequencer::<12>::default()], LINKS = 12),
        case!("16 links", [PhaseSequencer::<16>::default()], LINKS = 16),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a slip does not mute",
            "lost_sync_next = 1'b1;",
            "lost_sync_next = 1'b0;",
        ),
        verilog_fault(
            "a muted node rejoins at any rising edge",
            "lost_sync_next = !sync;",
            "lost_sync_next = 1'b0;",
        ),
        verilog_fault(
            "a muted node transmits",
            "assign transmit = !lost_sync & (",
            "assign transmit = (",
        ),
        verilog_fault(
            "the superframe has one phase too many",
            "if (phase_value == 5'd5)",
            "if (phase_value == 5'd6)",
        ),
    ],
    mutants_within: 20,
    quick: true,
};

pub const SCHEDULE: Property = property! {
    "schedule.sv",
    name: "schedule",
    sentence: "\
        A node that receives a phase clock is in the clock's phase, one clock cycle later, from \
        the first rising edge on, and never slips. This holds for every divider, including one \
        that changes. Assumed: the wires are undisturbed; a running schedule is not stopped.",
    cases: &[
        case!(
            "3 dimensions",
            [PhaseClock::<3>::default(), PhaseSequencer::<3>::default()],
            LINKS = 3, STOPS = 0
        ),
        case!(
            "1 dimension",
            [PhaseClock::<1>::default(), PhaseSequencer::<1>::default()],
            LINKS = 1, STOPS = 0
        ),
        case!(
            "12 dimensions",
            [PhaseClock::<12>::default(), PhaseSequencer::<12>::default()],
            LINKS = 12, STOPS = 0
        ),
        case!(
            "16 dimensions",
            [PhaseClock::<16>::default(), PhaseSequencer::<16>::default()],
            LINKS = 16, STOPS = 0
        ),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        missing_assumption("the schedule may be stopped and restarted", "STOPS", 1),
        verilog_fault(
            "the phase clock's superframe lacks one phase",
            "if (phase_count == 5'd5)",
            "if (phase_count == 5'd4)",
        ),
        verilog_fault(
            "`sync` marks phase 1",
            "assign sync = running & (phase_count == 5'd0);",
            "assign sync = running & (phase_count == 5'd1);",
        ),
    ],
    mutants_within: 30,
    quick: true,
};

pub const REJOIN: Property = property! {
    "rejoin.sv",
    name: "rejoin",
    sentence: "\
        A node rejoins after any signals on its two wires. Once the wires are undisturbed, it is \
        in sync with the phase clock after the second beginning of a superframe that it receives, \
        and stays in sync. Assumed: the wires stay undisturbed; a running schedule is not \
        stopped.",
    cases: &[
        case!(
            "3 dimensions",
            [PhaseClock::<3>::default(), PhaseSequencer::<3>::default()],
            LINKS = 3, CALM = 2
        ),
        case!(
            "12 dimensions",
            [PhaseClock::<12>::default(), PhaseSequencer::<12>::default()],
            LINKS = 12, CALM = 2
        ),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        missing_assumption("one beginning of a superframe has to suffice", "CALM", 1),
        verilog_fault(
            "a slip does not mute",
            "lost_sync_next = 1'b1;",
            "lost_sync_next = 1'b0;",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

//! All properties, in the order in which they are told.

use super::{Case, Change, Mutant, Property};
use crate::rtl::bytes::{ByteChannel, ByteFifo};
use crate::rtl::cm1::HeartColumn;
use crate::rtl::tdma::{
    CubeNode, EnginePlan, FrameEngine, LinkPort, PhaseClock, PhasePlan, PhaseSequencer, PinMux,
};
use crate::rtl::uart::{HalfDuplexUart, UartReceiver, UartTransmitter};
use crate::toolchain::Method;
use hdl::lower::lower;

/// Every property, what is small before what is made of it.
pub const PROPERTIES: &[Property] = &[
    PIN_MUX,
    PHASE_SEQUENCER,
    SCHEDULE,
    REJOIN,
    UART,
    UART_BAUD,
    HALF_DUPLEX_UART,
    LINK_PORT,
    LINK_NODE,
    FRAME_ENGINE,
    PROTOCOL,
    BYTE_FIFO,
    BYTE_CHANNEL,
    CM1_COLUMN,
];

/// A property whose file is that of `proofs/`.
macro_rules! property {
    ($file:literal, $($field:ident: $value:expr,)*) => {
        Property {
            file: $file,
            text: include_str!(concat!("../../proofs/", $file)),
            $($field: $value,)*
        }
    };
}

/// One size: circuits, and the macros of the file.
macro_rules! case {
    ($sizes:literal, [$($circuit:expr),*], $($define:ident = $value:expr),*) => {
        Case {
            sizes: $sizes,
            circuits: &[$(|| lower(&$circuit)),*],
            defines: &[$((stringify!($define), $value)),*],
        }
    };
}

/// A fault in the Verilog.
const fn fault(what: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant {
        what,
        change: Change::Verilog { from, to },
    }
}

/// An assumption that is left out, or a size out of bounds.
const fn without(what: &'static str, define: &'static str, value: u64) -> Mutant {
    Mutant {
        what,
        change: Change::Define(define, value),
    }
}

const PIN_MUX: Property = property! {
    "pin_mux.sv",
    name: "pin-mux",
    sentence: "A node pulls at most one wire: that of the active dimension, if it drives and its UART sends a low bit, one clock cycle later; every other wire is released. Its UART hears the active wire while the node listens, and a high line else. For all inputs.",
    cases: &[
        case!("4 wires", [PinMux::<4>::default()], DIMS = 4),
        case!("1 wire", [PinMux::<1>::default()], DIMS = 1),
        case!("12 wires", [PinMux::<12>::default()], DIMS = 12),
        case!("16 wires", [PinMux::<16>::default()], DIMS = 16),
    ],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "dimension 2 pulls wire 1",
            "pulls_next[2] = !tx;",
            "pulls_next[1] = !tx;",
        ),
        fault(
            "the pull of wire 3 does not ask the UART",
            "pulls_next[3] = !tx;",
            "pulls_next[3] = 1'b1;",
        ),
        fault(
            "the pulls do not come from flip-flops",
            "assign pull = pulls;",
            "assign pull = pulls_next;",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

const PHASE_SEQUENCER: Property = property! {
    "phase_sequencer.sv",
    name: "phase-sequencer",
    sentence: "In phase 2d the nodes with address bit d clear transmit on link d, in phase 2d + 1 those with the bit set. A node counts every rise of the phase clock; if `sync` and its count disagree there it counts a slip and is muted; it is muted until a rise with `sync`, which is phase 0 to it. A muted node does not transmit. Whatever is on its wires.",
    cases: &[
        case!("3 links", [PhaseSequencer::<3>::default()], LINKS = 3),
        case!("1 link", [PhaseSequencer::<1>::default()], LINKS = 1),
        case!("12 links", [PhaseSequencer::<12>::default()], LINKS = 12),
        case!("16 links", [PhaseSequencer::<16>::default()], LINKS = 16),
    ],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "a slip does not mute",
            "out_of_step_next = 1'b1;",
            "out_of_step_next = 1'b0;",
        ),
        fault(
            "a muted node joins at any rise",
            "out_of_step_next = !sync;",
            "out_of_step_next = 1'b0;",
        ),
        fault(
            "a muted node transmits",
            "assign transmit = !out_of_step & (",
            "assign transmit = (",
        ),
        fault(
            "the superframe has a phase too many",
            "if (phase_2 == 5'd5)",
            "if (phase_2 == 5'd6)",
        ),
    ],
    mutants_within: 20,
    quick: true,
};

const SCHEDULE: Property = property! {
    "schedule.sv",
    name: "schedule",
    sentence: "A node that hears a phase clock is in the clock's phase, one clock cycle later, from the first rise on, and never slips; for every divider, also one that changes. Assumed: the wires are true, and the schedule is not taken away once it runs.",
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
    method: Method::Induction(1),
    mutants: &[
        without("the schedule may be taken away and given back", "STOPS", 1),
        fault(
            "the phase clock's superframe is a phase short",
            "if (phase_count == 5'd5)",
            "if (phase_count == 5'd4)",
        ),
        fault(
            "`sync` is not of phase 0",
            "assign sync = running & (phase_count == 5'd0);",
            "assign sync = running & (phase_count == 5'd1);",
        ),
    ],
    mutants_within: 30,
    quick: true,
};

const REJOIN: Property = property! {
    "rejoin.sv",
    name: "rejoin",
    sentence: "Whatever was on a node's two wires before: once they are true, the node is in step with the phase clock behind the second beginning of a superframe that it hears, and stays so. Assumed: the wires stay true, and the schedule is not taken away once it runs.",
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
    method: Method::Induction(1),
    mutants: &[
        without("one beginning of a superframe must be enough", "CALM", 1),
        fault(
            "a slip does not mute",
            "out_of_step_next = 1'b1;",
            "out_of_step_next = 1'b0;",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

const UART: Property = property! {
    "uart.sv",
    name: "uart",
    sentence: "Every byte that the transmitter takes comes out of the receiver once, unchanged, and without an error, a fixed time after its start, for bytes with and without a gap. Assumed: nothing disturbs the line, one flip-flop lies on it, the receiver is not cleared.",
    cases: &[
        case!(
            "4 clock cycles per bit",
            [UartTransmitter::<4>::default(), UartReceiver::<4>::default()],
            SENDER = 4, RECEIVER = 4
        ),
        case!(
            "8 clock cycles per bit",
            [UartTransmitter::<8>::default(), UartReceiver::<8>::default()],
            SENDER = 8, RECEIVER = 8
        ),
        case!(
            "sender 24, receiver 25",
            [UartTransmitter::<24>::default(), UartReceiver::<25>::default()],
            SENDER = 24, RECEIVER = 25
        ),
        case!(
            "sender 26, receiver 25",
            [UartTransmitter::<26>::default(), UartReceiver::<25>::default()],
            SENDER = 26, RECEIVER = 25
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "the receiver samples a clock cycle early, every bit",
            "wire whole_bit = (elapsed == 16'd3);",
            "wire whole_bit = (elapsed == 16'd2);",
        ),
        fault(
            "the transmitter forgets to invert",
            "inverted = {1'b0, ~data};",
            "inverted = {1'b0, data};",
        ),
        fault(
            "the receiver takes seven bits",
            "if (count == 3'd7)",
            "if (count == 3'd6)",
        ),
    ],
    mutants_within: 44,
    quick: true,
};

const UART_BAUD: Property = property! {
    "uart_baud.sv",
    name: "uart-baud",
    sentence: "Every byte whose edges come as a sender's clock would have them that differs from the receiver's by so much at most, and are seen up to one clock cycle late each, comes out of the receiver once and unchanged. The edges of one byte may have any such drift, another one each. Assumed: nothing else disturbs the line, the receiver is not cleared.",
    cases: &[
        case!(
            "4 clock cycles per bit, 2.5 %",
            [UartReceiver::<4>::default()],
            CLOCKS = 4, PER_MILLE = 25
        ),
        case!(
            "8 clock cycles per bit, 4 %",
            [UartReceiver::<8>::default()],
            CLOCKS = 8, PER_MILLE = 40
        ),
        case!(
            "16 clock cycles per bit, 4 %",
            [UartReceiver::<16>::default()],
            CLOCKS = 16, PER_MILLE = 40
        ),
    ],
    method: Method::Induction(2),
    mutants: &[
        without("the clocks differ by 8 %", "PER_MILLE", 80),
        fault(
            "the receiver samples at the end of a bit",
            "wire half_bit = (elapsed == 16'd0);",
            "wire half_bit = (elapsed == 16'd2);",
        ),
    ],
    mutants_within: 44,
    quick: true,
};

const HALF_DUPLEX_UART: Property = property! {
    "half_duplex_uart.sv",
    name: "half-duplex-uart",
    sentence: "Every byte that a node's UART takes comes out of another node's UART once, unchanged, and without an error, a fixed time after its start, for bytes with and without a gap. Assumed: nothing disturbs the line, the flip-flops of two pin muxes lie on it, the receiver sends nothing, neither is cleared.",
    cases: &[
        case!("4 clock cycles per bit", [HalfDuplexUart::<4>::default()], CLOCKS = 4),
        case!("8 clock cycles per bit", [HalfDuplexUart::<8>::default()], CLOCKS = 8),
        case!("25 clock cycles per bit", [HalfDuplexUart::<25>::default()], CLOCKS = 25),
    ],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "the start bit is sampled three clock cycles late",
            "elapsed_next = 16'd3;",
            "elapsed_next = 16'd0;",
        ),
        fault(
            "what is received is not inverted back",
            "shift_next[8] = low & !sending_2;",
            "shift_next[8] = !low & !sending_2;",
        ),
    ],
    mutants_within: 48,
    quick: true,
};

const LINK_PORT: Property = property! {
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
        fault(
            "the two phases of a link are one",
            "assign transmit = !out_of_step & (side == phase_2[0]);",
            "assign transmit = !out_of_step;",
        ),
        fault(
            "the pin mux pulls when its node listens",
            ".drive (sequencer_transmit),",
            ".drive (1'b1),",
        ),
    ],
    mutants_within: 40,
    quick: true,
};

/// A node with answers, whose frames have up to 8 bytes of payload, with these windows of a phase in
/// clock cycles: frame open, frame close, answer open, answer close, phase. They are as short as a
/// counter-example can do with.
fn plan([frame_open, frame_close, answer_open, answer_close, phase]: [u64; 5]) -> EnginePlan {
    EnginePlan {
        acked: true,
        turns: true,
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

const LINK_NODE: Property = property! {
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
        fault(
            "a node drives on when its phase was cut short",
            "wire drive = engine_drive & !begin_ & !mute;",
            "wire drive = engine_drive;",
        ),
        fault(
            "the two phases of a link are one",
            "assign transmit = !out_of_step & (side == phase_2[0]);",
            "assign transmit = !out_of_step;",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

const FRAME_ENGINE: Property = property! {
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
        fault(
            "a full register is written",
            "write_enable = heard & good & is_message & (1'b0 | !full_2);",
            "write_enable = heard & good & is_message;",
        ),
        fault(
            "a message is stored and the sequence bit stays",
            "assign expected_write = ACKED & store;",
            "assign expected_write = 1'b0;",
        ),
        fault(
            "a register is freed at the end of a turn without an ACK",
            "free = taken;",
            "free = 1'b1;",
        ),
        fault(
            "a repeat that finds its register full is refused",
            "refusal_next = full_2 & !(ACKED & repeat_);",
            "refusal_next = full_2;",
        ),
        fault(
            "a message is stored though its register was full",
            "& !(ACKED & (refusal_2 | repeat_))",
            "& !(ACKED & repeat_)",
        ),
        fault(
            "any answer is an ACK",
            "wrong = !first_of_answer & (",
            "wrong = !answering & (",
        ),
    ],
    mutants_within: 100,
    quick: true,
};

const PROTOCOL: Property = property! {
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
        without("an answer may be forged", "FORGED", 1),
        without("a damaged frame may pass the CRC", "CHECKED", 1),
        without("the receiver may be reset", "RESET", 1),
        without("after silence another message may be sent", "CHANGED", 1),
        without("a full register is overwritten", "OVERWRITTEN", 1),
        without("the sequence bit flips after a refusal, too", "REFUSED_FLIPS", 1),
    ],
    mutants_within: 12,
    quick: true,
};

const BYTE_FIFO: Property = property! {
    "byte_fifo.sv",
    name: "byte-fifo",
    sentence: "The queue of the byte networks gives the bytes in the order in which they came, each once, and has room as long as it holds fewer than it has places. Assumed: nobody pushes when there is no room, or pops when there is no byte.",
    cases: &[case!("4 places", [ByteFifo::<8>::new(4)],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "a byte that comes while another goes lands behind the end",
            "places_1_next = places_2;",
            "places_1_next = places_1;",
        ),
        fault(
            "there is room for a fifth byte",
            "assign room = !taken_3;",
            "assign room = 1'b1;",
        ),
    ],
    mutants_within: 16,
    quick: true,
};

const BYTE_CHANNEL: Property = property! {
    "byte_channel.sv",
    name: "byte-channel",
    sentence: "A channel with two virtual channels delivers every byte that it takes, once, unchanged, in order, on its own virtual channel; it takes none before the last one was taken at the other end; request and acknowledge change once for each byte. When a virtual channel that is free has a byte, one is sent. For all inputs.",
    cases: &[case!("2 virtual channels", [ByteChannel::<8, 2>::default()],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "the latch does not keep the byte",
            "flit = latch;",
            "flit = data;",
        ),
        fault(
            "a byte is sent before the last one was taken",
            "wire ready_2 = present_0 & !busy[0];",
            "wire ready_2 = present_0;",
        ),
        fault(
            "both virtual channels are served at once",
            "serve[1] = !last;",
            "serve[1] = 1'b1;",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

const CM1_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-column",
    sentence: "A column of the CM-1's heart, not the first, sends on every message that comes, once: the lowest that differs crosses, or if none does and all rows are full the highest; the others fill the lowest rows in order. Then bit after bit of the same message goes on, unchanged but for those inverted on the cube wire: the own CUBE bit and PARITY of a message that crosses. Until the next decision. Assumed: the rows come packed when the column decides, but for the highest.",
    cases: &[case!("7 rows", [HeartColumn::new(7)],)],
    method: Method::Induction(1),
    mutants: &[
        fault(
            "row 4 crosses though a lower one does",
            "cross_4 = wants_5 & !wanted;",
            "cross_4 = wants_5;",
        ),
        fault(
            "the highest row falls onto a message that fell",
            "wire filled_3 = same_3 | falls_3;",
            "wire filled_3 = same_3;",
        ),
        fault(
            "PARITY is not inverted",
            "turn | parity",
            "turn",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

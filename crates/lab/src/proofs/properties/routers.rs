//! Properties of router parts: queue and channel of the byte networks; injector, columns and
//! ejector of the CM-1.

use super::tdma::plan;
use super::{case, property, verilog_fault};
use crate::proofs::{ProofMutant, Property};
use hdl::lower::lower;
use rtl::bytes::{ByteChannel, ByteFifo};
use rtl::cm1::{EjectMode, Ejector, FirstColumn, HeartColumn, Injector};
use rtl::tdma::{pool_slots, receive_buffers, AdaptiveForwarder, ScheduledNode, SlotPool};
use toolchain::ProofMethod;

pub const BYTE_FIFO: Property = property! {
    "byte_fifo.sv",
    name: "byte-fifo",
    sentence: "\
        The queue of the byte networks delivers every byte once, in the order of arrival. It has \
        room while it holds fewer bytes than it has slots. Assumed: there is no push without \
        room, and no pop without a byte.",
    cases: &[case!("4 slots", [ByteFifo::<8>::new(4)],)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a byte that is pushed during a pop is stored after the end",
            "slots_1_next = slots_2;",
            "slots_1_next = slots_1;",
        ),
        verilog_fault(
            "there is room for a fifth byte",
            "assign room = !taken_3;",
            "assign room = 1'b1;",
        ),
    ],
    mutants_within: 16,
    quick: true,
};

pub const BYTE_CHANNEL: Property = property! {
    "byte_channel.sv",
    name: "byte-channel",
    sentence: "\
        A channel with two virtual channels delivers every byte that it accepts once, unchanged, \
        in order and on its own virtual channel. A virtual channel accepts no byte before its \
        previous one was taken at the other end. Request and acknowledge change once for each \
        byte. If a free virtual channel has a byte, a byte is sent. This holds for all inputs.",
    cases: &[case!("2 virtual channels", [ByteChannel::<8, 2>::default()],)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the latch does not keep the byte",
            "flit = latch;",
            "flit = data;",
        ),
        verilog_fault(
            "a byte is sent before the last one was taken",
            "wire ready_value = present_0 & !busy[0];",
            "wire ready_value = present_0;",
        ),
        verilog_fault(
            "both virtual channels are served at once",
            "serve[1] = !last;",
            "serve[1] = 1'b1;",
        ),
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_INJECTOR: Property = property! {
    "cm1_injector.sv",
    name: "cm1-injector",
    sentence: "\
        The injector of the CM-1 leaves a buffered message in its row. The lowest empty row takes \
        the message of the lowest processor that offers one, the next empty row that of the next \
        processor, while there is room. A processor is acknowledged if and only if a row takes \
        its message. No message gets two rows, and no row gets two messages. A petit cycle that \
        drains takes no message. In it each processor gets back the message of the lowest of its \
        rows that has one, and all other messages keep their rows. Until the next decision the \
        bits of the same messages are passed on. This holds for all inputs.",
    cases: &[case!("7 rows, 4 processors", [Injector::new(7, 4)], LAST = 3)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a row takes an offer although it has a buffered message",
            "served = message;",
            "served = 1'b0;",
        ),
        verilog_fault(
            "a taken offer remains for the higher rows",
            "assign rest_1 = offer_1 & !take_2_value;",
            "assign rest_1 = offer_1;",
        ),
        verilog_fault(
            "a row takes two offers",
            "served = served | offer_1;",
            "served = served;",
        ),
        verilog_fault(
            "a message that row 3 takes is not acknowledged",
            "acknowledge_0 = acknowledge_0 | rows_3_take_0;",
            "acknowledge_0 = acknowledge_0;",
        ),
        verilog_fault(
            "a processor is served in a petit cycle that drains",
            "left_2 = start_value & send_2 & !drain;",
            "left_2 = start_value & send_2;",
        ),
        verilog_fault(
            "two messages return to one processor",
            "back_6 = stays_6_value & drain & !busy_1;",
            "back_6 = stays_6_value & drain;",
        ),
        verilog_fault(
            "a message that returns is also passed on",
            "assign rows_6_message = stays_7 & !back_7;",
            "assign rows_6_message = stays_7;",
        ),
        verilog_fault(
            "a row forgets whose message it took",
            "assign taken_1_next = on_2;",
            "assign taken_1_next = on;",
        ),
    ],
    mutants_within: 5,
    quick: true,
};

pub const CM1_INJECTOR_WIDE: Property = property! {
    "cm1_injector.sv",
    name: "cm1-injector-wide",
    sentence: "\
        The injector follows `cm1-injector` with the paper's 16 processors too, where no two rows \
        return to the same processor. This holds for all inputs.",
    cases: &[case!("7 rows, 16 processors", [Injector::new(7, 16)], LAST = 15, WIDE = 1)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a row takes two offers",
            "served = served | offer_14;",
            "served = served;",
        ),
        verilog_fault(
            "a taken offer remains for the higher rows",
            "assign rest_12 = offer_12 & !take_13_value;",
            "assign rest_12 = offer_12;",
        ),
    ],
    mutants_within: 5,
    quick: false,
};

// Three faults that apply to both kinds of columns.
const HIGHER_CROSSES: ProofMutant = verilog_fault(
    "row 4 crosses although a lower one does",
    "cross_4 = wants_5 & !wanted;",
    "cross_4 = wants_5;",
);
const NOT_DESPERATE: ProofMutant = verilog_fault(
    "no message crosses in desperation",
    "if (full && !wanted) begin",
    "if (1'b0) begin",
);
const SAME_PARITY: ProofMutant = verilog_fault("PARITY is not inverted", "turn | parity", "turn");

pub const CM1_FIRST_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-first-column",
    sentence: "\
        The first column of the CM-1's heart passes on every arriving message exactly once, \
        whatever gaps are between them. The lowest message that differs crosses. If none differs \
        and all rows are full, the highest crosses. The others fill the lowest rows in order. \
        Until the next decision the bits of the same messages are passed on. They are unchanged \
        except on the cube wire, which inverts the own CUBE bit and PARITY of a message that \
        crosses. This holds for all inputs.",
    cases: &[case!("7 rows", [FirstColumn::new(7)], FIRST = 1, SITE_0 = 6, SITE_1 = 5, SITE_2 = 4, SITE_3 = 3)],
    method: ProofMethod::Induction(1),
    mutants: &[
        HIGHER_CROSSES,
        verilog_fault(
            "a message falls into an occupied row",
            "sites_5_choice_0 = crossing_stay_5 & packed_5;",
            "sites_5_choice_0 = crossing_stay_5;",
        ),
        verilog_fault(
            "a message does not fall from the highest row to the lowest",
            "sites_0_choice_6 = crossing_stay_6 & packed_0;",
            "sites_0_choice_6 = 1'b0;",
        ),
        verilog_fault(
            "a message that crosses also stays",
            "assign stay_3 = message_3 & !cross_3;",
            "assign stay_3 = message_3;",
        ),
        NOT_DESPERATE,
        verilog_fault(
            "the own CUBE bit is not inverted",
            "turn | parity",
            "parity",
        ),
        SAME_PARITY,
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_COLUMN: Property = property! {
    "cm1_column.sv",
    name: "cm1-column",
    sentence: "\
        A column of the CM-1's heart, other than the first, passes on every arriving message \
        exactly once. The lowest message that differs crosses. If none differs and all rows are \
        full, the highest crosses. The others fill the lowest rows in order. Until the next \
        decision the bits of the same messages are passed on. They are unchanged except on the \
        cube wire, which inverts the own CUBE bit and PARITY of a message that crosses. Assumed: \
        the rows arrive packed when the column decides, except the highest.",
    cases: &[case!("7 rows", [HeartColumn::new(7)], SITE_0 = 2, SITE_1 = 2, SITE_2 = 2, SITE_3 = 2)],
    method: ProofMethod::Induction(1),
    mutants: &[
        HIGHER_CROSSES,
        verilog_fault(
            "the highest row falls into the row of a message that fell",
            "wire filled_3 = same_3 | falls_3;",
            "wire filled_3 = same_3;",
        ),
        NOT_DESPERATE,
        SAME_PARITY,
    ],
    mutants_within: 10,
    quick: true,
};

pub const CM1_EJECTOR: Property = property! {
    "cm1_ejector.sv",
    name: "cm1-ejector",
    sentence: "\
        The ejector of the CM-1 ejects messages whose bits of CUBE-ADDRESS are zero, with \
        ejection by banks only those of the bank. The mode selects all of them, for each \
        processor the one in the lowest row, or the one in the lowest row of all. The other \
        messages stay, each in its row. No message is both ejected and kept. The processor that a \
        message names, and no other, gets its MSGP and then each bit, one clock cycle later, \
        until the message is over. A processor without a message gets zeros. At the end the \
        parity error of the processor is high if the bits since MSGP, including CUBE-ADDRESS, had \
        an odd number of ones. Assumed: PROC-ADDRESS does not arrive while messages are ejected. \
        The claim that no message is both ejected and kept also assumes that `settle` and `sort` \
        come together. In modes that ignore processors it only assumes that no bit of \
        CUBE-ADDRESS and no MSGP comes in between.",
    cases: &[
        case!("7 rows, 16 processors, the lowest row for each processor", [Ejector::new(7, 16, EjectMode::PerProcessor)], MODE = 1),
        case!("7 rows, 16 processors, all at once", [Ejector::new(7, 16, EjectMode::Or)], MODE = 0),
        case!("7 rows, 16 processors, the lowest row", [Ejector::new(7, 16, EjectMode::PerChip)], MODE = 2),
        case!("7 rows, 16 processors, by banks", [Ejector::new(7, 16, EjectMode::Bank)], MODE = 3),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the parity omits CUBE-ADDRESS",
            "parity_next = parity ^ data_value;",
            "parity_next = parity ^ (data_value & !cube);",
        ),
        verilog_fault(
            "a processor does not get MSGP",
            "delay_next = data_value | sort;",
            "delay_next = data_value;",
        ),
        verilog_fault(
            "two messages go to one processor",
            "ONE_PER_PROCESSOR = 1'b1;",
            "ONE_PER_PROCESSOR = 1'b0;",
        ),
        verilog_fault(
            "an ejected message also stays",
            "rows_1_message & !eject_2 : stays_now_1",
            "rows_1_message : stays_now_1",
        ),
        verilog_fault(
            "bits are still delivered after the end of a message",
            "if (over) begin",
            "if (1'b0) begin",
        ),
        verilog_fault(
            "a message for another chip is ejected",
            "elsewhere = cube & data_value;",
            "elsewhere = 1'b0;",
        ),
    ],
    mutants_within: 12,
    quick: true,
};

// Properties of the frames that a node sends by adaptive routing.

pub const ADAPTIVE_FORWARDER: Property = property! {
    "adaptive_forwarder.sv",
    name: "adaptive-forwarder",
    sentence: "\
        An adaptive forwarder follows the rules of docs/adaptive.md. It considers the messages in \
        its pool that no link must repeat and whose destinations differ from the node's address \
        in the dimension of the phase. It sends the one with the least difference, of equal ones \
        the first. If there is none and fewer than three slots are free, it sends the message \
        with the greatest difference, of equal ones the last. If the link must repeat a frame, it \
        sends the message in the slot that the link remembers. It sends nothing over a link that \
        is down. An arriving message gets the first free slot. An occupied slot is not written. A \
        slot becomes free only when its message was delivered to the host, or when the frame \
        engine frees the chosen slot. When the forwarder is done, no slot holds a message for \
        this node: the host has it. In a phase whose link is down, the host also gets one message \
        whose links are all down, and the message that may have arrived. In a phase that began \
        with three free slots or more, one message from the host goes into the first free slot. \
        In a clock cycle in which a phase begins, no message goes to the host, and no link \
        forgets the message that it must repeat. All this holds for all messages, pools, hosts \
        and phases, including phases that are cut short. Assumed: the frame engine changes the \
        pool only when the forwarder is done; the flags of the link change only with a phase; the \
        memory keeps its contents while the forwarder works.",
    cases: &[
        case!(
            "4 dimensions, 5 slots",
            [AdaptiveForwarder::<4, 4, 8>::new(pool_slots(4)), SlotPool::<{ pool_slots(4) }>::default()],
            DIMS = 4, SLOTS = 5
        ),
        case!(
            "12 dimensions, 9 slots",
            [AdaptiveForwarder::<12, 4, 8>::new(pool_slots(12)), SlotPool::<{ pool_slots(12) }>::default()],
            DIMS = 12, SLOTS = 9
        ),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a message goes to the host in the clock cycle in which a phase begins",
            "exchange_deliver = (state_value == FORWARDER_STATE_DELIVER) & !begin_;",
            "exchange_deliver = (state_value == FORWARDER_STATE_DELIVER);",
        ),
        verilog_fault(
            "the message to repeat is read before the memory outputs it",
            "if (has_chosen_value) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "of equal messages the last one is sent",
            "wire less = (delta < difference);",
            "wire less = (delta <= difference);",
        ),
        verilog_fault(
            "a message that does not come nearer blocks one that does",
            "wanted | !less;",
            "!less;",
        ),
        verilog_fault(
            "a message is sent over another link than the one that must repeat it",
            "wire candidate = transmit_value & !pending & !held;",
            "wire candidate = transmit_value & !pending;",
        ),
        verilog_fault(
            "a node is always desperate",
            "wire goes = (is_wanted | crowded) & !down_value;",
            "wire goes = !down_value;",
        ),
        verilog_fault(
            "a node is never desperate",
            "wire goes = (is_wanted | crowded) & !down_value;",
            "wire goes = is_wanted & !down_value;",
        ),
        verilog_fault(
            "the dimension of the phase is ignored",
            "wire wanted = |(delta & select);",
            "wire wanted = |delta;",
        ),
        verilog_fault(
            "the last slot is never examined",
            "(examined_value == LAST)",
            "(examined_value == 5'd3)",
        ),
        verilog_fault(
            "a frame is repeated from another slot",
            "choice_next = read_data[4:0] & MASK;",
            "choice_next = read_data[4:0] & 5'd6;",
        ),
        verilog_fault(
            "an arriving message gets the last free slot",
            "if (!transmit_value && !has_chosen_value) begin",
            "if (!transmit_value) begin",
        ),
        verilog_fault(
            "the host's message overwrites another one",
            "if (occupied) begin",
            "if (occupied && !takes) begin",
        ),
        verilog_fault(
            "a crowded node takes a message from its host",
            "takes_next = host_valid & !crowded;",
            "takes_next = host_valid;",
        ),
        verilog_fault(
            "a message is dropped although another link is usable",
            "wire stranded = !(|(delta & ~all_down));",
            "wire stranded = 1'b1;",
        ),
        verilog_fault(
            "a message in another slot is reported as unknown",
            "down_value && repeats && examined == choice",
            "down_value && repeats",
        ),
        verilog_fault(
            "two free slots are enough",
            "assign crowded = !three;",
            "assign crowded = !two;",
        ),
        verilog_fault(
            "the pool forgets that a message must be repeated",
            "repeats_next = repeats_value | here_value;",
            "repeats_next = repeats_value;",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

// Properties of the routes in a node of a metacube.

pub const METACUBE_LINK: Property = property! {
    "next_link.sv",
    name: "metacube-link",
    sentence: "\
        A node of a metacube with two or four classes answers its forwarder as in `next-link`, \
        with the rule of the metacube. A message whose destination differs from the node's \
        address in the field of the node's class wants the link of the lowest of these bits. If \
        that field is right and the message is not at its destination, it wants a cross edge, and \
        no other link. Of two cross edges it wants the one that begins a shortest route. Such a \
        route visits all classes whose fields differ, ends in the class of the destination, and \
        has the fewest cross edges. If both begin one, it wants the first, or the second if the \
        two classes differ in the lower bit only. This holds in every clock cycle, for all \
        addresses, destinations and links.",
    cases: &[
        case!(
            "3 links, four classes",
            [ScheduledNode::<3, 6, { receive_buffers(3, 6) }, 8, 4, 9>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 3, BITS = 6, CLASS = 2
        ),
        case!(
            "5 links, four classes",
            [ScheduledNode::<5, 14, { receive_buffers(5, 14) }, 8, 4, 9>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 5, BITS = 14, CLASS = 2
        ),
        case!(
            "2 links, two classes",
            [ScheduledNode::<2, 3, { receive_buffers(2, 3) }, 8, 4, 9>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 2, BITS = 3, CLASS = 1
        ),
        case!(
            "3 links, two classes",
            [ScheduledNode::<3, 5, { receive_buffers(3, 5) }, 8, 4, 9>::new(plan([12, 20, 24, 30, 32]))],
            LINKS = 3, BITS = 5, CLASS = 1
        ),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "of the routes over either cross edge the longer one is used",
            "(turns == 2'd0) ? second_wrong & !first_wrong & !both_wrong",
            "(turns == 2'd0) ? second_wrong & !first_wrong",
        ),
        verilog_fault(
            "a message for the neighbouring class does not visit the other classes",
            "(turns == 2'd1) ? second_wrong | both_wrong",
            "(turns == 2'd1) ? second_wrong",
        ),
        verilog_fault(
            "only the opposite class counts when the second edge leads to the destination",
            "(turns == 2'd2) ? !first_wrong & !both_wrong :",
            "(turns == 2'd2) ? !both_wrong :",
        ),
        verilog_fault(
            "a message for the opposite class takes the second edge",
            ": second_wrong & !first_wrong;",
            ": second_wrong;",
        ),
        verilog_fault(
            "a cross edge is wanted although the own field is wrong",
            "|within_field ? within_field & (~within_field + 3'd1) : cross_2",
            "within_field | cross_2",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

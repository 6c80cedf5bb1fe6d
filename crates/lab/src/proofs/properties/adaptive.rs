//! Properties of the frames that a node sends by adaptive routing.

use super::{case, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{pool_slots, AdaptiveForwarder, SlotPool};
use toolchain::Method;

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
            DIMS = 4, PLACES = 5
        ),
        case!(
            "12 dimensions, 9 slots",
            [AdaptiveForwarder::<12, 4, 8>::new(pool_slots(12)), SlotPool::<{ pool_slots(12) }>::default()],
            DIMS = 12, PLACES = 9
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "a message goes to the host in the clock cycle in which a phase begins",
            "exchange_hand = (state_2 == FORWARDER_STATE_DELIVER) & !begin_;",
            "exchange_hand = (state_2 == FORWARDER_STATE_DELIVER);",
        ),
        verilog_fault(
            "the message to repeat is read before the memory outputs it",
            "if (has_chosen_2) begin",
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
            "wire candidate = transmit_2 & !pending & !held;",
            "wire candidate = transmit_2 & !pending;",
        ),
        verilog_fault(
            "a node is always desperate",
            "wire goes = (is_wanted | crowded) & !down_2;",
            "wire goes = !down_2;",
        ),
        verilog_fault(
            "a node is never desperate",
            "wire goes = (is_wanted | crowded) & !down_2;",
            "wire goes = is_wanted & !down_2;",
        ),
        verilog_fault(
            "the dimension of the phase is ignored",
            "wire wanted = |(delta & select);",
            "wire wanted = |delta;",
        ),
        verilog_fault(
            "the last slot is never examined",
            "(place_2 == LAST)",
            "(place_2 == 5'd3)",
        ),
        verilog_fault(
            "a frame is repeated from another slot",
            "choice_next = read_data[4:0] & MASK;",
            "choice_next = read_data[4:0] & 5'd6;",
        ),
        verilog_fault(
            "an arriving message gets the last free slot",
            "if (!transmit_2 && !has_chosen_2) begin",
            "if (!transmit_2) begin",
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
            "down_2 && repeats && place == choice",
            "down_2 && repeats",
        ),
        verilog_fault(
            "two free slots are enough",
            "assign crowded = !three;",
            "assign crowded = !two;",
        ),
        verilog_fault(
            "the pool forgets that a message must be repeated",
            "repeats_next = repeats_2 | here_2;",
            "repeats_next = repeats_2;",
        ),
    ],
    mutants_within: 24,
    quick: true,
};

//! Properties of the frames that a node sends by adaptive routing.

use super::{case, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{pool_slots, AdaptiveForwarder, SlotPool};
use toolchain::Method;

pub const ADAPTIVE_FORWARDER: Property = property! {
    "adaptive_forwarder.sv",
    name: "adaptive-forwarder",
    sentence: "What an adaptive forwarder sends is what docs/adaptive.md says: of the messages in its pool that no link must repeat and whose destinations differ from the node's address in the dimension of the phase the one with the least difference, of equal ones the first; if there is none and less than three places are free, the one with the greatest difference, of equal ones the last; if the link must repeat a frame, that of the place that it remembers; over a link that is down none. What comes gets the first place that is free. A place that is taken is not written; one gets free only when its message was handed to the host, or when the frame engine says so of the place that was chosen. When the forwarder is done no place holds a message that is at home; the host gets those, one in a phase whose links are all down, and the one that may have arrived. In a phase that began with three places free one message of the host is taken, into the first place that is free. In a clock cycle in which a phase begins no message goes to the host, and no link forgets what it must repeat. For all messages, pools, hosts and phases, also those that are cut short. Assumed: the frame engine changes the pool only when the forwarder is done, the flags of the link change with a phase only, and the memory keeps what it holds while the forwarder works.",
    cases: &[
        case!(
            "4 dimensions, 5 places",
            [AdaptiveForwarder::<4, 4, 8>::new(pool_slots(4)), SlotPool::<{ pool_slots(4) }>::default()],
            DIMS = 4, PLACES = 5
        ),
        case!(
            "12 dimensions, 9 places",
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
            "what a link must repeat is taken from the memory before it is there",
            "if (has_chosen_2) begin",
            "if (1'b1) begin",
        ),
        verilog_fault(
            "of equal messages the last one goes",
            "wire less = (delta < difference);",
            "wire less = (delta <= difference);",
        ),
        verilog_fault(
            "a message that does not come nearer keeps one from going that does",
            "wanted | !less;",
            "!less;",
        ),
        verilog_fault(
            "a message is sent by another link than the one that must repeat it",
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
            "the dimension of the phase does not matter",
            "wire wanted = |(delta & select);",
            "wire wanted = |delta;",
        ),
        verilog_fault(
            "the last place is never looked at",
            "(place_2 == LAST)",
            "(place_2 == 5'd3)",
        ),
        verilog_fault(
            "a frame is repeated from any place",
            "choice_next = read_data[4:0] & MASK;",
            "choice_next = read_data[4:0] & 5'd6;",
        ),
        verilog_fault(
            "what comes gets the last place that is free",
            "if (!transmit_2 && !has_chosen_2) begin",
            "if (!transmit_2) begin",
        ),
        verilog_fault(
            "the host's message is written over another",
            "if (occupied) begin",
            "if (occupied && !takes) begin",
        ),
        verilog_fault(
            "a crowded node takes a message of its host",
            "takes_next = host_valid & !crowded;",
            "takes_next = host_valid;",
        ),
        verilog_fault(
            "a message is given up that can go another way",
            "wire stranded = !(|(delta & ~all_down));",
            "wire stranded = 1'b1;",
        ),
        verilog_fault(
            "a message of another place is unknown",
            "down_2 && repeats && place == choice",
            "down_2 && repeats",
        ),
        verilog_fault(
            "two free places are enough",
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

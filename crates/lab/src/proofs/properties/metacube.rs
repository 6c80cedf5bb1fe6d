//! Properties of the routes in a node of a metacube.

use super::link::plan;
use super::{case, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::tdma::{receive_buffers, ScheduledNode};
use toolchain::Method;

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
    method: Method::Induction(1),
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
            "|own ? own & (~own + 3'd1) : cross_2",
            "own | cross_2",
        ),
    ],
    mutants_within: 4,
    quick: true,
};

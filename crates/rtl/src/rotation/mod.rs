//! The switch of minimal rotation (minimal-rotation-routing) on byte channels.
//!
//! A packet is a header, data and a tail. The header is source xor destination: one byte, or with
//! more than eight dimensions two bytes, the low one first. Crossing a dimension clears its bit. A
//! header of zeros is stripped, and the rest of the packet goes to the processor. A switch
//! therefore does not need its own address.
//!
//! The switch of minimal rotation. Inputs are named by dimension and virtual channel, and only
//! crossings with a `+` are crosspoints:
//!
//! ```text
//! RotationSwitch, minimal rotation, 3 dimensions, V = 2:
//!                                    want, flit[8], tail to the queues; take
//! data_in[0..2],                         0.0      1.0      2.0    2.1      P
//!                  +---------------+
//! request_in[0]  ->| inputs[0]     |-0.0--------------------------+--------+
//!                  +---------------+                              |        |
//! request_in[1]  ->| inputs[1]     |-1.0-+------------------------|--------+
//!                  +---------------+     |                        |        |
//! request_in[2]  ->| inputs[2]     |-2.0-|--------+---------------|--------+
//!                  +---------------+     |        |               |        |
//! request_in[3]  ->| inputs[3]     |-2.1-|--------|---------------|--------+
//!                  +---------------+     |        |               |        |
//! send_request   ->| inputs[4]     |-P---+--------+--------+      |        |
//!                  +---------------+     |        |        |      |        |
//!                     |        ^         |        |        |      |        |
//!      left[3],       | choice,|         v        v        v      v        v
//!      heading        | crossed|    +------------------------------------------+
//!                     v        |    |   queues[0] to queues[4]: OutputQueue    |
//! +------------------------------+  |  arbiter: QueueArbiter, fifo: ByteFifo   |
//! |  nexts[0] to [2]: FirstOne   |  +------------------------------------------+
//! |inputs 0.0, 1.0, 2.0: next hop|       |        |        |      |        |
//! |                              |       v        v        v      v        v
//! |   hops[0]: FirstHopChoice    |  +--------++--------++------------++--------+
//! |      input P: first hop      |  |singles ||singles || doubles[0] ||to_pro- |
//! |     by table or serially     |  |  [0]   ||  [1]   || FF, 2 VCs  || cessor |
//! +------------------------------+  +--------++--------++------------++--------+
//!                                        |        |           |            |
//!                                        v        v           v            v
//!                                   data_out, data_out,   data_out,   receive_*
//!                                   request_out of the dimension
//! ```

mod crossbar;
pub mod machine;
mod next_hop;
mod switch;

use super::list;
pub use crossbar::{Crossbar, CrossbarLane, Scheme};
pub use machine::{FirstHop, RotationPlan};
pub use next_hop::{FirstHopChoice, FirstHopTable, FirstOne, GroupEnd, HopTree, MinimalRotation};
pub use switch::{RotationInput, RotationSwitch};

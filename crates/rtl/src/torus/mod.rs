//! The torus routing chip (torus-routing-chip, sections 4 and 5).
//!
//! A packet consists of one address byte per dimension, data and a tail. It is routed in one
//! dimension after the other. Its address in a dimension is the number of channels left to travel.
//! A controller decrements the address when the packet leaves in that dimension, and strips the
//! byte when the address is 0 on arrival.
//!
//! A chip has one or more dimensions. A node has one or more chips in a row. Each chip's output to
//! the processor feeds the next chip's input from the processor.
//!
//! A node of the torus, and one of its chips. Only crossings with a `+` are crosspoints, 15 of 25:
//!
//! ```text
//! TorusNode:  send_* ---> chips[0] ---> chips[1] ---> . . ---> receive_*
//!
//! TorusChip, 2 dimensions, V = 2:
//!                                    want, flit[W], tail to the queues; take
//!                                       X0    X1        Y0    Y1          P
//!                  +---------------+
//! data_in[0],    ->|controllers[0] |-X0-+---------------------+-----------+
//! request_in[0],   +---------------+    |                     |           |
//! bits 0 and 1   ->|controllers[1] |-X1-+-----+---------------+-----------+
//!                  +---------------+    |     |               |           |
//! data_in[1],    ->|controllers[2] |-Y0-|-----|---------+-----|-----------+
//! request_in[1],   +---------------+    |     |         |     |           |
//! bits 0 and 1   ->|controllers[3] |-Y1-|-----|---------+-----+-----------+
//!                  +---------------+    |     |         |     |           |
//! send_data, ..  ->|controllers[4] |-P--|-----+---------|-----+-----------+
//!                  +---------------+    |     |         |     |           |
//!                                       |     |         |     |           |
//!                                       v     v         v     v           v
//!                                  +-------------------------------------------+
//!                                  |    queues[0] to queues[4]: OutputQueue    |
//!                                  |   arbiter: QueueArbiter, fifo: ByteFifo   |
//!                                  +-------------------------------------------+
//!              present, front[W];       |     |         |     |           |
//!              pop                      v     v         v     v           v
//!                                  +---------------++---------------++---------+
//!                                  |multiplexers[0]||multiplexers[1]||   to_   |
//!                                  |  FF flit[W],  ||  FF flit[W],  ||processor|
//!                                  |  requests[V]  ||  requests[V]  ||         |
//!                                  +---------------++---------------++---------+
//!                                       |               |                 |
//!                                       v               v                 v
//! acknowledge_in/_out run the      data_out[0],     data_out[1],     receive_*
//! other way; both end in FF        request_out[0]   request_out[1]
//! ```

mod chip;
mod crosspoints;
pub mod machine;

pub use chip::{InputController, TorusChip, TorusNode};
pub use crosspoints::{Crosspoint, Crosspoints};
pub use machine::{Tail, TorusPlan};

/// Returns a list of `length` default ports or blocks.
fn list<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}

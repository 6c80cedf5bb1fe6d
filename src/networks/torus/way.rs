//! The queues that a packet passes, and what of it passes each.

use super::packet::encode;
use super::TorusShape;
use crate::routing::{Channel, Relation};
use crate::traffic::Message;

/// A queue on the way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub node: usize,
    /// Its number, as of [`Pins`](super::pins::Pins).
    pub queue: usize,
    /// The virtual channel behind it; `None`: the processor, or the next chip.
    pub channel: Option<Channel>,
    /// Bytes of the packet that pass it.
    pub bytes: usize,
    /// Bytes that are stripped before it.
    pub strips: usize,
}

/// The queues of a packet, from its source to its destination.
pub(super) fn way(shape: &TorusShape, message: &Message<&[u8]>) -> Vec<Stage> {
    let plan = shape.plan();
    let all = encode(shape, message).len();
    let route = shape.routing().route(message.source, message.destination);
    let mut stages: Vec<Stage> = vec![];
    let mut at = message.source;
    let mut stripped = 0;
    let mut channels = route.into_iter().peekable();
    let mut stage = |node: u32, queue, channel, gone: usize| {
        stages.push(Stage {
            node: node as usize,
            queue,
            channel,
            bytes: all - gone,
            strips: gone - stripped,
        });
        stripped = gone;
    };
    for chip in 0..plan.chips() {
        let dims = chip * plan.dims_per_chip + plan.chip_dims(chip);
        while let Some(channel) = channels.next_if(|c| (c.from.port as usize) < dims) {
            let dim = channel.from.port as usize;
            let queue = dim * plan.channels + channel.vc as usize;
            stage(at, queue, Some(channel), dim);
            at = shape.torus().next(at, dim);
        }
        stage(at, plan.dims * plan.channels + chip, None, dims);
    }
    stages
}

//! One chip of the model: input controllers, queues and queue ownership.

use super::TorusModelMachine;
use crate::bytes::{Flit, ModelQueues, ModelTailFormat};

/// State of an input controller: the use of its next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorusModelInputState {
    /// The byte is the address in this dimension.
    Head(usize),
    /// The byte is an address of a later dimension. Fields: addresses left before the data, and
    /// queue.
    Pass(usize, usize),
    /// The byte is data or tail and goes to this queue.
    Forward(usize),
}

/// Receiving end of one virtual channel.
#[derive(Clone, Debug)]
pub struct TorusModelInput {
    /// Byte on the wires, present only in the clock cycle in which it arrives.
    pub fresh: Option<Flit>,
    stored: Option<Flit>,
    state: TorusModelInputState,
    first: TorusModelInputState,
    /// Number of bytes taken.
    pub taken: u64,
}

/// Action requested for the byte at an input.
#[derive(Clone, Copy, Debug)]
enum TorusModelRequest {
    Strip(TorusModelInputState),
    Push { queue: usize, flit: Flit, then: TorusModelInputState, last: bool },
}

impl TorusModelRequest {
    fn queue(&self) -> Option<usize> {
        match self {
            TorusModelRequest::Push { queue, .. } => Some(*queue),
            _ => None,
        }
    }
}

/// Actions of a chip in one clock cycle.
pub struct TorusModelDecision {
    requests: Vec<Option<TorusModelRequest>>,
    /// For each queue, the input that owns it in this clock cycle.
    grants: Vec<Option<usize>>,
    /// For each input, whether its byte is taken.
    takes: Vec<bool>,
    /// Queues that send a byte.
    sends: Vec<usize>,
}

/// Torus routing chip. Virtual channel v of dimension d has number d * channels + v. The processor
/// has the last number. Inputs and queues use the same numbers.
#[derive(Clone, Debug)]
pub struct TorusModelChip {
    pub inputs: Vec<TorusModelInput>,
    pub queues: ModelQueues,
    pub dims: usize,
    channels: usize,
    format: ModelTailFormat,
    /// For each dimension, whether packets change to virtual channel 0 here.
    changes: Vec<bool>,
}

impl TorusModelChip {
    pub fn new(machine: &TorusModelMachine, changes: Vec<bool>) -> Self {
        let (dims, channels) = (changes.len(), machine.channels);
        let input = |number: usize| {
            let first = TorusModelInputState::Head(if number < dims * channels {
                number / channels
            } else {
                0
            });
            TorusModelInput { fresh: None, stored: None, state: first, first, taken: 0 }
        };
        let ports = dims * channels + 1;
        TorusModelChip {
            inputs: (0..ports).map(input).collect(),
            queues: ModelQueues::new(dims, channels, machine.queue),
            dims,
            channels,
            format: machine.format,
            changes,
        }
    }

    /// Returns the number of the processor's input and queue.
    pub fn processor(&self) -> usize {
        self.queues.processor()
    }

    /// Returns the queue for a packet from this input that leaves in dimension `dim`.
    fn queue(&self, input: usize, dim: usize) -> usize {
        let goes_on = input / self.channels == dim && input < self.processor();
        let channel = match (self.channels, goes_on) {
            (1, _) => 0,
            (_, true) if self.changes[dim] => 0,
            (_, true) => input % self.channels,
            (_, false) => 1,
        };
        dim * self.channels + channel
    }

    /// Returns the action that an input requests for its byte.
    fn request(&self, number: usize) -> Option<TorusModelRequest> {
        let input = &self.inputs[number];
        let flit = input.stored.or(input.fresh)?;
        Some(match input.state {
            TorusModelInputState::Head(dim) if flit.value == 0 => {
                TorusModelRequest::Strip(match dim + 1 == self.dims {
                    true => TorusModelInputState::Forward(self.processor()),
                    false => TorusModelInputState::Head(dim + 1),
                })
            }
            TorusModelInputState::Head(dim) => {
                let queue = self.queue(number, dim);
                let to_come = match self.format {
                    ModelTailFormat::Zero => self.dims - 1 - dim,
                    ModelTailFormat::Wire | ModelTailFormat::Naive => 0,
                };
                TorusModelRequest::Push {
                    queue,
                    flit: Flit { value: flit.value - 1, ..flit },
                    then: match to_come {
                        0 => TorusModelInputState::Forward(queue),
                        _ => TorusModelInputState::Pass(to_come, queue),
                    },
                    last: false,
                }
            }
            TorusModelInputState::Pass(to_come, queue) => TorusModelRequest::Push {
                queue,
                flit,
                then: match to_come {
                    1 => TorusModelInputState::Forward(queue),
                    _ => TorusModelInputState::Pass(to_come - 1, queue),
                },
                last: false,
            },
            TorusModelInputState::Forward(queue) => {
                let last = self.format.is_tail(flit.value, flit.tail);
                TorusModelRequest::Push {
                    queue,
                    flit,
                    then: if last { input.first } else { input.state },
                    last,
                }
            }
        })
    }

    /// Decides the actions of a clock cycle from the state at its start.
    pub fn decide(&self) -> TorusModelDecision {
        let ports = 0..self.inputs.len();
        let wishes: Vec<Option<TorusModelRequest>> =
            ports.clone().map(|i| self.request(i)).collect();
        let wants: Vec<Option<usize>> = wishes.iter().map(|wish| wish.as_ref()?.queue()).collect();
        let grants = self.queues.grants(&wants);
        let takes = |i: usize| match wishes[i] {
            None => false,
            Some(TorusModelRequest::Strip(_)) => true,
            Some(TorusModelRequest::Push { queue, .. }) => {
                grants[queue] == Some(i) && self.queues.has_room(queue)
            }
        };
        let takes = ports.map(takes).collect();
        TorusModelDecision { requests: wishes, grants, takes, sends: self.queues.sends() }
    }

    /// Applies the decision at the end of the clock cycle. Returns the inputs that took a byte, and
    /// the bytes sent.
    pub fn apply(&mut self, decision: &TorusModelDecision) -> (Vec<usize>, Vec<(usize, Flit)>) {
        let sent = self.queues.send(&decision.sends);
        for (q, grant) in decision.grants.iter().enumerate() {
            if let Some(input) = grant {
                let current = self.inputs[*input].stored.or(self.inputs[*input].fresh);
                self.queues.set_owner(q, *input, current.map(|flit| flit.packet));
            }
        }
        let mut took = vec![];
        for (i, wish) in decision.requests.iter().enumerate() {
            let input = &mut self.inputs[i];
            let current = input.stored.or(input.fresh.take());
            input.fresh = None;
            input.stored = current.filter(|_| !decision.takes[i]);
            let Some(wish) = wish.filter(|_| decision.takes[i]) else {
                continue;
            };
            took.push(i);
            input.taken += 1;
            match wish {
                TorusModelRequest::Strip(then) => input.state = then,
                TorusModelRequest::Push { queue, flit, then, last } => {
                    input.state = then;
                    self.queues.push(queue, flit, last);
                }
            }
        }
        (took, sent)
    }

    /// Returns, for every input that waits for a queue: the input, its packet, the queue and the
    /// blocking packet.
    pub fn waiting(&self) -> Vec<(usize, usize, usize, usize)> {
        let decision = self.decide();
        let waits = |i: usize| {
            let flit = self.inputs[i].stored?;
            let Some(TorusModelRequest::Push { queue, .. }) = decision.requests[i] else {
                return None;
            };
            let blocking = self.queues.blocking_packet(queue, i)?;
            Some((i, flit.packet, queue, blocking))
        };
        (0..self.inputs.len()).filter_map(waits).collect()
    }
}

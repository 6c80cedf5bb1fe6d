//! One chip of the model: input controllers, queues and queue ownership.

use super::Machine;
use crate::bytes::packet::Format;
use crate::bytes::queue::{Flit, Queues};

/// State of an input controller: the use of its next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
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
pub struct Input {
    /// Byte on the wires, present only in the clock cycle in which it arrives.
    pub fresh: Option<Flit>,
    kept: Option<Flit>,
    state: State,
    first: State,
    /// Number of bytes taken.
    pub taken: u64,
}

/// Action requested for the byte at an input.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Strip(State),
    Push {
        queue: usize,
        flit: Flit,
        then: State,
        last: bool,
    },
}

impl Wish {
    fn queue(&self) -> Option<usize> {
        match self {
            Wish::Push { queue, .. } => Some(*queue),
            _ => None,
        }
    }
}

/// Actions of a chip in one clock cycle.
pub struct Decision {
    wishes: Vec<Option<Wish>>,
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
pub struct Chip {
    pub inputs: Vec<Input>,
    pub queues: Queues,
    pub dims: usize,
    channels: usize,
    format: Format,
    /// For each dimension, whether packets change to virtual channel 0 here.
    changes: Vec<bool>,
}

impl Chip {
    pub fn new(machine: &Machine, changes: Vec<bool>) -> Self {
        let (dims, channels) = (changes.len(), machine.channels);
        let input = |number: usize| {
            let first = State::Head(if number < dims * channels {
                number / channels
            } else {
                0
            });
            Input {
                fresh: None,
                kept: None,
                state: first,
                first,
                taken: 0,
            }
        };
        let ports = dims * channels + 1;
        Chip {
            inputs: (0..ports).map(input).collect(),
            queues: Queues::new(dims, channels, machine.queue),
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
    fn wish(&self, number: usize) -> Option<Wish> {
        let input = &self.inputs[number];
        let flit = input.kept.or(input.fresh)?;
        Some(match input.state {
            State::Head(dim) if flit.value == 0 => Wish::Strip(match dim + 1 == self.dims {
                true => State::Forward(self.processor()),
                false => State::Head(dim + 1),
            }),
            State::Head(dim) => {
                let queue = self.queue(number, dim);
                let to_come = match self.format {
                    Format::Zero => self.dims - 1 - dim,
                    Format::Wire | Format::Naive => 0,
                };
                Wish::Push {
                    queue,
                    flit: Flit {
                        value: flit.value - 1,
                        ..flit
                    },
                    then: match to_come {
                        0 => State::Forward(queue),
                        _ => State::Pass(to_come, queue),
                    },
                    last: false,
                }
            }
            State::Pass(to_come, queue) => Wish::Push {
                queue,
                flit,
                then: match to_come {
                    1 => State::Forward(queue),
                    _ => State::Pass(to_come - 1, queue),
                },
                last: false,
            },
            State::Forward(queue) => {
                let last = self.format.is_tail(flit.value, flit.tail);
                Wish::Push {
                    queue,
                    flit,
                    then: if last { input.first } else { input.state },
                    last,
                }
            }
        })
    }

    /// Decides the actions of a clock cycle from the state at its start.
    pub fn decide(&self) -> Decision {
        let ports = 0..self.inputs.len();
        let wishes: Vec<Option<Wish>> = ports.clone().map(|i| self.wish(i)).collect();
        let wants: Vec<Option<usize>> = wishes.iter().map(|wish| wish.as_ref()?.queue()).collect();
        let grants = self.queues.grants(&wants);
        let takes = |i: usize| match wishes[i] {
            None => false,
            Some(Wish::Strip(_)) => true,
            Some(Wish::Push { queue, .. }) => {
                grants[queue] == Some(i) && self.queues.has_room(queue)
            }
        };
        let takes = ports.map(takes).collect();
        Decision {
            wishes,
            grants,
            takes,
            sends: self.queues.sends(),
        }
    }

    /// Applies the decision at the end of the clock cycle. Returns the inputs that took a byte, and
    /// the bytes sent.
    pub fn apply(&mut self, decision: &Decision) -> (Vec<usize>, Vec<(usize, Flit)>) {
        let sent = self.queues.send(&decision.sends);
        for (q, grant) in decision.grants.iter().enumerate() {
            if let Some(input) = grant {
                let hand = self.inputs[*input].kept.or(self.inputs[*input].fresh);
                self.queues.belongs(q, *input, hand.map(|flit| flit.packet));
            }
        }
        let mut took = vec![];
        for (i, wish) in decision.wishes.iter().enumerate() {
            let input = &mut self.inputs[i];
            let hand = input.kept.or(input.fresh.take());
            input.fresh = None;
            input.kept = hand.filter(|_| !decision.takes[i]);
            let Some(wish) = wish.filter(|_| decision.takes[i]) else {
                continue;
            };
            took.push(i);
            input.taken += 1;
            match wish {
                Wish::Strip(then) => input.state = then,
                Wish::Push {
                    queue,
                    flit,
                    then,
                    last,
                } => {
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
            let flit = self.inputs[i].kept?;
            let Some(Wish::Push { queue, .. }) = decision.wishes[i] else {
                return None;
            };
            let in_the_way = self.queues.in_the_way(queue, i)?;
            Some((i, flit.packet, queue, in_the_way))
        };
        (0..self.inputs.len()).filter_map(waits).collect()
    }
}

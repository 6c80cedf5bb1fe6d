//! One switch of the model: inputs, queues and queue ownership.

use super::RotationModelMachine;
use crate::bytes::queue::{Flit, ModelQueues};

/// State of an input: the use of its next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RotationModelInputState {
    /// The header is incomplete or its next hop is not decided.
    Header,
    /// The second header byte is next and goes to this queue with this value.
    Second(usize, u8),
    /// Data and tail go to this queue.
    Forward(usize),
}

/// Receiving end of one virtual channel.
#[derive(Clone, Debug)]
pub struct RotationModelInput {
    /// Byte on the wires, present only in the clock cycle in which it arrives.
    pub fresh: Option<Flit>,
    stored: Option<Flit>,
    /// First byte of a two-byte header.
    low: Option<Flit>,
    state: RotationModelInputState,
    /// Number of clock cycles for which the complete header has waited.
    age: u32,
    /// Number of bytes taken.
    pub taken: u64,
}

/// Action requested by an input.
#[derive(Clone, Copy, Debug)]
enum RotationModelRequest {
    /// Store the first byte of a two-byte header.
    Keep,
    /// Remove a zero header: the packet has reached its destination.
    Strip,
    Push {
        queue: usize,
        flit: Flit,
        then: RotationModelInputState,
    },
}

impl RotationModelRequest {
    fn queue(&self) -> Option<usize> {
        match self {
            RotationModelRequest::Push { queue, .. } => Some(*queue),
            _ => None,
        }
    }
}

/// Actions of a switch in one clock cycle.
pub struct RotationModelDecision {
    requests: Vec<Option<RotationModelRequest>>,
    /// For each queue, the input that owns it in this clock cycle.
    grants: Vec<Option<usize>>,
    /// For each input, whether its action is performed.
    performed: Vec<bool>,
    /// Queues that send a byte.
    sends: Vec<usize>,
}

/// Switch. Virtual channel v of dimension d has number d * channels + v. The processor has the last
/// number. Inputs and queues use the same numbers.
#[derive(Clone, Debug)]
pub struct RotationModelNode {
    pub inputs: Vec<RotationModelInput>,
    pub queues: ModelQueues,
    machine: RotationModelMachine,
}

impl RotationModelNode {
    pub fn new(machine: &RotationModelMachine) -> Self {
        let ports = machine.dims as usize * machine.channels + 1;
        let input = RotationModelInput {
            fresh: None,
            stored: None,
            low: None,
            state: RotationModelInputState::Header,
            age: 0,
            taken: 0,
        };
        RotationModelNode {
            inputs: vec![input; ports],
            queues: ModelQueues::new(machine.dims as usize, machine.channels, machine.queue),
            machine: *machine,
        }
    }

    /// Returns the number of the processor's input and queue.
    pub fn processor(&self) -> usize {
        self.queues.processor()
    }

    /// Returns the header at an input if it is complete.
    fn header(&self, input: &RotationModelInput) -> Option<u32> {
        let byte = input.stored.or(input.fresh)?;
        match (self.machine.dims > 8, input.low) {
            (false, _) => Some(byte.value.into()),
            (true, None) => None,
            (true, Some(low)) => Some(u32::from(byte.value) << 8 | u32::from(low.value)),
        }
    }

    /// Returns the queue for a packet from this input that crosses dimension `dim`.
    fn queue(&self, input: usize, dim: u32) -> usize {
        let RotationModelMachine { channels, rule, .. } = self.machine;
        let vc = match input < self.processor() {
            false => 0,
            true => {
                let (from, vc) = ((input / channels) as u32, input % channels);
                let against = match rule {
                    super::rule::RotationModelRule::Minimal => dim > from,
                    super::rule::RotationModelRule::Thacker => dim < from,
                };
                (vc + usize::from(against)).min(channels - 1)
            }
        };
        dim as usize * channels + vc
    }

    /// Returns the action that an input requests.
    fn request(&self, number: usize) -> Option<RotationModelRequest> {
        let input = &self.inputs[number];
        let flit = input.stored.or(input.fresh)?;
        let wide = self.machine.dims > 8;
        match input.state {
            RotationModelInputState::Header if wide && input.low.is_none() => {
                Some(RotationModelRequest::Keep)
            }
            RotationModelInputState::Header => {
                let left = self.header(input)?;
                if left == 0 {
                    return Some(RotationModelRequest::Strip);
                }
                let thinks = self.machine.serial && number == self.processor();
                if thinks && input.age < self.machine.dims {
                    return None;
                }
                let dim = self.machine.rule.next(self.machine.dims, left);
                let queue = self.queue(number, dim);
                let [low, high, ..] = (left & !(1 << dim)).to_le_bytes();
                Some(RotationModelRequest::Push {
                    queue,
                    flit: Flit {
                        value: low,
                        ..input.low.unwrap_or(flit)
                    },
                    then: match wide {
                        true => RotationModelInputState::Second(queue, high),
                        false => RotationModelInputState::Forward(queue),
                    },
                })
            }
            RotationModelInputState::Second(queue, value) => Some(RotationModelRequest::Push {
                queue,
                flit: Flit { value, ..flit },
                then: RotationModelInputState::Forward(queue),
            }),
            RotationModelInputState::Forward(queue) => Some(RotationModelRequest::Push {
                queue,
                flit,
                then: match flit.value {
                    0 => RotationModelInputState::Header,
                    _ => RotationModelInputState::Forward(queue),
                },
            }),
        }
    }

    /// Decides the actions of a clock cycle from the state at its start.
    pub fn decide(&self) -> RotationModelDecision {
        let ports = 0..self.inputs.len();
        let wishes: Vec<Option<RotationModelRequest>> =
            ports.clone().map(|i| self.request(i)).collect();
        let wants: Vec<Option<usize>> = wishes.iter().map(|wish| wish.as_ref()?.queue()).collect();
        let grants = self.queues.grants(&wants);
        let does = |i: usize| match wishes[i] {
            None => false,
            Some(RotationModelRequest::Keep | RotationModelRequest::Strip) => true,
            Some(RotationModelRequest::Push { queue, .. }) => {
                grants[queue] == Some(i) && self.queues.has_room(queue)
            }
        };
        let does = ports.map(does).collect();
        RotationModelDecision {
            requests: wishes,
            grants,
            performed: does,
            sends: self.queues.sends(),
        }
    }

    /// Applies the decision at the end of the clock cycle. Returns the inputs that took the byte on
    /// their wires, and the bytes sent.
    pub fn apply(&mut self, decision: &RotationModelDecision) -> (Vec<usize>, Vec<(usize, Flit)>) {
        let sent = self.queues.send(&decision.sends);
        for (q, grant) in decision.grants.iter().enumerate() {
            if let Some(input) = grant {
                let hand = self.inputs[*input].stored.or(self.inputs[*input].fresh);
                self.queues
                    .set_owner(q, *input, hand.map(|flit| flit.packet));
            }
        }
        let home = self.processor();
        let mut took = vec![];
        for (i, wish) in decision.requests.iter().enumerate() {
            let whole = self.header(&self.inputs[i]).is_some();
            let input = &mut self.inputs[i];
            let hand = input.stored.or(input.fresh.take());
            input.fresh = None;
            input.stored = hand;
            let waits = input.state == RotationModelInputState::Header && whole;
            input.age = if waits { input.age + 1 } else { 0 };
            let Some(wish) = wish.filter(|_| decision.performed[i]) else {
                continue;
            };
            // A stored first byte is forwarded alone. The byte on the wires then waits.
            let takes = match wish {
                RotationModelRequest::Push { .. } => {
                    input.state != RotationModelInputState::Header || input.low.is_none()
                }
                RotationModelRequest::Keep | RotationModelRequest::Strip => true,
            };
            if takes {
                input.stored = None;
                took.push(i);
                input.taken += 1;
            }
            match wish {
                RotationModelRequest::Keep => input.low = hand,
                RotationModelRequest::Strip => {
                    input.low = None;
                    input.state = RotationModelInputState::Forward(home);
                }
                RotationModelRequest::Push { queue, flit, then } => {
                    let last = then == RotationModelInputState::Header;
                    input.low = None;
                    input.state = then;
                    self.queues.push(queue, flit, last);
                }
            }
        }
        (took, sent)
    }

    /// Returns, for every input that waits for a queue: its packet, the queue and the blocking
    /// packet.
    pub fn waiting(&self) -> Vec<(usize, usize, usize)> {
        let decision = self.decide();
        let waits = |i: usize| {
            let flit = self.inputs[i].stored?;
            let Some(RotationModelRequest::Push { queue, .. }) = decision.requests[i] else {
                return None;
            };
            let in_the_way = self.queues.blocking_packet(queue, i)?;
            Some((flit.packet, queue, in_the_way))
        };
        (0..self.inputs.len()).filter_map(waits).collect()
    }
}

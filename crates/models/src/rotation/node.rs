//! One switch of the model: inputs, queues and queue ownership.

use super::Machine;
use crate::bytes::queue::{Flit, Queues};

/// State of an input: the use of its next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The header is incomplete or its next hop is not decided.
    Header,
    /// The second header byte is next and goes to this queue with this value.
    Second(usize, u8),
    /// Data and tail go to this queue.
    Forward(usize),
}

/// Receiving end of one virtual channel.
#[derive(Clone, Debug)]
pub struct Input {
    /// Byte on the wires, present only in the clock cycle in which it arrives.
    pub fresh: Option<Flit>,
    kept: Option<Flit>,
    /// First byte of a two-byte header.
    low: Option<Flit>,
    state: State,
    /// Number of clock cycles for which the complete header has waited.
    age: u32,
    /// Number of bytes taken.
    pub taken: u64,
}

/// Action requested by an input.
#[derive(Clone, Copy, Debug)]
enum Wish {
    /// Store the first byte of a two-byte header.
    Keep,
    /// Remove a zero header: the packet has reached its destination.
    Strip,
    Push {
        queue: usize,
        flit: Flit,
        then: State,
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

/// Actions of a switch in one clock cycle.
pub struct Decision {
    wishes: Vec<Option<Wish>>,
    /// For each queue, the input that owns it in this clock cycle.
    grants: Vec<Option<usize>>,
    /// For each input, whether its action is performed.
    does: Vec<bool>,
    /// Queues that send a byte.
    sends: Vec<usize>,
}

/// Switch. Virtual channel v of dimension d has number d * channels + v. The processor has the last
/// number. Inputs and queues use the same numbers.
#[derive(Clone, Debug)]
pub struct Node {
    pub inputs: Vec<Input>,
    pub queues: Queues,
    machine: Machine,
}

impl Node {
    pub fn new(machine: &Machine) -> Self {
        let ports = machine.dims as usize * machine.channels + 1;
        let input = Input {
            fresh: None,
            kept: None,
            low: None,
            state: State::Header,
            age: 0,
            taken: 0,
        };
        Node {
            inputs: vec![input; ports],
            queues: Queues::new(machine.dims as usize, machine.channels, machine.queue),
            machine: *machine,
        }
    }

    /// Returns the number of the processor's input and queue.
    pub fn processor(&self) -> usize {
        self.queues.processor()
    }

    /// Returns the header at an input if it is complete.
    fn header(&self, input: &Input) -> Option<u32> {
        let byte = input.kept.or(input.fresh)?;
        match (self.machine.dims > 8, input.low) {
            (false, _) => Some(byte.value.into()),
            (true, None) => None,
            (true, Some(low)) => Some(u32::from(byte.value) << 8 | u32::from(low.value)),
        }
    }

    /// Returns the queue for a packet from this input that crosses dimension `dim`.
    fn queue(&self, input: usize, dim: u32) -> usize {
        let Machine { channels, rule, .. } = self.machine;
        let vc = match input < self.processor() {
            false => 0,
            true => {
                let (from, vc) = ((input / channels) as u32, input % channels);
                let against = match rule {
                    super::rule::Rule::Minimal => dim > from,
                    super::rule::Rule::Thacker => dim < from,
                };
                (vc + usize::from(against)).min(channels - 1)
            }
        };
        dim as usize * channels + vc
    }

    /// Returns the action that an input requests.
    fn wish(&self, number: usize) -> Option<Wish> {
        let input = &self.inputs[number];
        let flit = input.kept.or(input.fresh)?;
        let wide = self.machine.dims > 8;
        match input.state {
            State::Header if wide && input.low.is_none() => Some(Wish::Keep),
            State::Header => {
                let left = self.header(input)?;
                if left == 0 {
                    return Some(Wish::Strip);
                }
                let thinks = self.machine.serial && number == self.processor();
                if thinks && input.age < self.machine.dims {
                    return None;
                }
                let dim = self.machine.rule.next(self.machine.dims, left);
                let queue = self.queue(number, dim);
                let [low, high, ..] = (left & !(1 << dim)).to_le_bytes();
                Some(Wish::Push {
                    queue,
                    flit: Flit {
                        value: low,
                        ..input.low.unwrap_or(flit)
                    },
                    then: match wide {
                        true => State::Second(queue, high),
                        false => State::Forward(queue),
                    },
                })
            }
            State::Second(queue, value) => Some(Wish::Push {
                queue,
                flit: Flit { value, ..flit },
                then: State::Forward(queue),
            }),
            State::Forward(queue) => Some(Wish::Push {
                queue,
                flit,
                then: match flit.value {
                    0 => State::Header,
                    _ => State::Forward(queue),
                },
            }),
        }
    }

    /// Decides the actions of a clock cycle from the state at its start.
    pub fn decide(&self) -> Decision {
        let ports = 0..self.inputs.len();
        let wishes: Vec<Option<Wish>> = ports.clone().map(|i| self.wish(i)).collect();
        let wants: Vec<Option<usize>> = wishes.iter().map(|wish| wish.as_ref()?.queue()).collect();
        let grants = self.queues.grants(&wants);
        let does = |i: usize| match wishes[i] {
            None => false,
            Some(Wish::Keep | Wish::Strip) => true,
            Some(Wish::Push { queue, .. }) => {
                grants[queue] == Some(i) && self.queues.has_room(queue)
            }
        };
        let does = ports.map(does).collect();
        Decision {
            wishes,
            grants,
            does,
            sends: self.queues.sends(),
        }
    }

    /// Applies the decision at the end of the clock cycle. Returns the inputs that took the byte on
    /// their wires, and the bytes sent.
    pub fn apply(&mut self, decision: &Decision) -> (Vec<usize>, Vec<(usize, Flit)>) {
        let sent = self.queues.send(&decision.sends);
        for (q, grant) in decision.grants.iter().enumerate() {
            if let Some(input) = grant {
                let hand = self.inputs[*input].kept.or(self.inputs[*input].fresh);
                self.queues.belongs(q, *input, hand.map(|flit| flit.packet));
            }
        }
        let home = self.processor();
        let mut took = vec![];
        for (i, wish) in decision.wishes.iter().enumerate() {
            let whole = self.header(&self.inputs[i]).is_some();
            let input = &mut self.inputs[i];
            let hand = input.kept.or(input.fresh.take());
            input.fresh = None;
            input.kept = hand;
            let waits = input.state == State::Header && whole;
            input.age = if waits { input.age + 1 } else { 0 };
            let Some(wish) = wish.filter(|_| decision.does[i]) else {
                continue;
            };
            // A stored first byte is forwarded alone. The byte on the wires then waits.
            let takes = match wish {
                Wish::Push { .. } => input.state != State::Header || input.low.is_none(),
                Wish::Keep | Wish::Strip => true,
            };
            if takes {
                input.kept = None;
                took.push(i);
                input.taken += 1;
            }
            match wish {
                Wish::Keep => input.low = hand,
                Wish::Strip => {
                    input.low = None;
                    input.state = State::Forward(home);
                }
                Wish::Push { queue, flit, then } => {
                    let last = then == State::Header;
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
            let flit = self.inputs[i].kept?;
            let Some(Wish::Push { queue, .. }) = decision.wishes[i] else {
                return None;
            };
            let in_the_way = self.queues.in_the_way(queue, i)?;
            Some((flit.packet, queue, in_the_way))
        };
        (0..self.inputs.len()).filter_map(waits).collect()
    }
}

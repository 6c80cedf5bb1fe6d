//! One switch of the model: inputs, queues, and who owns them.

use super::Machine;
use crate::bytes::queue::{Flit, Queues};

/// Where the bytes behind a header go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The header is still to come, or to be decided upon.
    Header,
    /// Its second byte goes to this queue next, as this.
    Second(usize, u8),
    /// Data and tail go to this queue.
    Forward(usize),
}

/// The receiving end of one virtual channel.
#[derive(Clone, Debug)]
pub struct Input {
    /// The byte on the wires, in the one clock cycle in which it counts.
    pub fresh: Option<Flit>,
    kept: Option<Flit>,
    /// The first byte of a header of two.
    low: Option<Flit>,
    state: State,
    /// Clock cycles for which the whole header has been there.
    age: u32,
    /// Bytes taken so far.
    pub taken: u64,
}

/// What is to be done at an input.
#[derive(Clone, Copy, Debug)]
enum Wish {
    /// The first byte of two is put aside.
    Keep,
    /// The header says home.
    Strip,
    Push {
        queue: usize,
        flit: Flit,
        then: State,
    },
}

impl Wish {
    /// The queue that it wants.
    fn queue(&self) -> Option<usize> {
        match self {
            Wish::Push { queue, .. } => Some(*queue),
            _ => None,
        }
    }
}

/// What a switch does in a clock cycle.
pub struct Decision {
    wishes: Vec<Option<Wish>>,
    /// Of each queue, the input that it belongs to in this clock cycle.
    grants: Vec<Option<usize>>,
    /// Of each input, whether its wish comes true.
    does: Vec<bool>,
    /// The queues that send a byte.
    sends: Vec<usize>,
}

/// A switch. Virtual channel v of dimension d is number d * channels + v, the processor is the
/// last number: of inputs as of queues.
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

    /// The number of the processor's input and queue.
    pub fn processor(&self) -> usize {
        self.queues.processor()
    }

    /// The header at an input, if all of it is there.
    fn header(&self, input: &Input) -> Option<u32> {
        let byte = input.kept.or(input.fresh)?;
        match (self.machine.dims > 8, input.low) {
            (false, _) => Some(byte.value.into()),
            (true, None) => None,
            (true, Some(low)) => Some(u32::from(byte.value) << 8 | u32::from(low.value)),
        }
    }

    /// The queue for a packet of this input that crosses a dimension.
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

    /// What an input wants to do.
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

    /// What happens in a clock cycle, from the state at its begin.
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

    /// The end of the clock cycle; the inputs that took the byte on their wires, and what is
    /// sent.
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
            // A first byte that was put aside goes on without the one on the wires.
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

    /// Of every input whose byte waits for a queue: its packet, the queue and the packet
    /// that is in the way.
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

//! The 1-cube with real messages. The circuit is [`Link`](rtl::tdma::Link), and this module
//! supplies and takes its bytes.

use super::frame::TdmaFrame;
use super::timing::PhaseTiming;
use crate::Delivery;
use engine::{CircuitEngine, EngineError, PortId};
use interconnect::traffic::Message;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Phases without a frame on the wire after which a run has stalled.
const QUIET_PHASES: u32 = 8;

#[derive(Debug, Error)]
pub enum LinkRunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("nothing was sent for {QUIET_PHASES} phases, and {left} messages are left")]
    Stalled { left: usize },
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct LinkRun {
    /// Fate of each message, in order.
    pub deliveries: Vec<Delivery>,
    /// Reasons of the losses, by position of the message.
    pub reasons: BTreeMap<usize, String>,
    /// Frames whose bytes crossed the wire.
    pub frames: u64,
    /// Phases until the run was over.
    pub phases: u64,
    pub clock_cycles: u64,
}

/// Two nodes, one wire, and the messages that wait at either end.
pub struct LinkMachine<'a> {
    engine: &'a mut dyn CircuitEngine,
    timing: PhaseTiming,
    pins: LinkPins,
    ends: [LinkEnd; 2],
    tx_data: u64,
    tx_start: u64,
}

struct LinkPins {
    begin: PortId,
    transmit: PortId,
    tx_data: PortId,
    tx_start: PortId,
    tx_ready: PortId,
    rx_data: PortId,
    rx_valid: PortId,
}

/// Host of a node, which sends one frame in each of the node's phases and keeps the bytes received
/// in the other node's phases.
#[derive(Default)]
struct LinkEnd {
    /// Waiting messages, by position in the list.
    queue: VecDeque<usize>,
    /// Message being sent, and its frame.
    sending: Option<(usize, Vec<u8>)>,
    /// Bytes of the frame that the UART has taken.
    sent: usize,
    /// Clock cycles since the phase began.
    elapsed: u32,
    received: Vec<u8>,
}

impl<'a> LinkMachine<'a> {
    /// Creates the machine for an engine that runs a [`Link`](rtl::tdma::Link).
    pub fn new(engine: &'a mut dyn CircuitEngine, timing: PhaseTiming) -> Self {
        let pins = LinkPins {
            begin: engine.port("begin"),
            transmit: engine.port("transmit"),
            tx_data: engine.port("tx_data"),
            tx_start: engine.port("tx_start"),
            tx_ready: engine.port("tx_ready"),
            rx_data: engine.port("rx_data"),
            rx_valid: engine.port("rx_valid"),
        };
        let (enable, divider) = (engine.port("enable"), engine.port("divider"));
        engine.set_u64(enable, 1);
        engine.set_u64(divider, timing.divider());
        LinkMachine { engine, timing, pins, ends: Default::default(), tx_data: 0, tx_start: 0 }
    }

    /// Sends all messages and runs until each has arrived or is lost.
    ///
    /// # Errors
    /// If the circuit does not settle, or the schedule stalls.
    pub fn run(mut self, messages: &[Message]) -> Result<LinkRun, LinkRunError> {
        let mut run = LinkRun {
            deliveries: vec![Delivery::ToSelf; messages.len()],
            reasons: BTreeMap::new(),
            frames: 0,
            phases: 0,
            clock_cycles: 0,
        };
        for (i, message) in messages.iter().enumerate() {
            if message.source != message.destination {
                self.ends[message.source as usize].queue.push_back(i);
            }
        }
        let mut quiet = 0;
        let mut begun: u64 = 0;
        let limit = u64::from(self.timing.clock_cycles()) * u64::from(QUIET_PHASES);
        let mut since_phase = 0;
        while self.is_busy() {
            self.engine.settle()?;
            let begin = self.engine.get_u64(self.pins.begin);
            since_phase += 1;
            if begin != 0 {
                if begun > 0 {
                    self.phase_ends(begun - 1, messages, &mut run);
                }
                begun += 1;
                since_phase = 0;
                let transmit = self.engine.get_u64(self.pins.transmit);
                let sends = self.phase_begins(transmit, messages);
                quiet = if sends { 0 } else { quiet + 1 };
            }
            if quiet > QUIET_PHASES || since_phase > limit {
                let left = self.ends.iter().map(|e| e.queue.len()).sum();
                return Err(LinkRunError::Stalled { left });
            }
            self.exchange_bytes(&mut run)?;
            self.engine.clock()?;
            run.clock_cycles += 1;
        }
        run.phases = begun.saturating_sub(1);
        Ok(run)
    }

    fn is_busy(&self) -> bool {
        let busy = |end: &LinkEnd| end.sending.is_some() || !end.queue.is_empty();
        self.ends.iter().any(busy)
    }

    /// Takes the next message at the end that transmits. Returns false if there is none.
    fn phase_begins(&mut self, transmit: u64, messages: &[Message]) -> bool {
        let mut sends = false;
        for (node, end) in self.ends.iter_mut().enumerate() {
            end.elapsed = 0;
            end.received.clear();
            if transmit >> node & 1 == 0 {
                continue;
            }
            if let Some(i) = end.queue.pop_front() {
                let frame = TdmaFrame::routed(messages[i].destination, &messages[i].payload);
                end.sending = Some((i, frame.encode(node as u32, 0)));
                end.sent = 0;
                sends = true;
            }
        }
        sends
    }

    /// Checks the bytes received in the phase that is over.
    fn phase_ends(&mut self, phase: u64, messages: &[Message], run: &mut LinkRun) {
        for sender in 0..2 {
            let Some((i, sent)) = self.ends[sender].sending.take() else {
                continue;
            };
            let received = &self.ends[1 - sender].received;
            let t = phase as u32;
            run.deliveries[i] = match check_received(&messages[i], &sent, received, sender as u32) {
                Ok(()) => Delivery::Delivered { t },
                Err(why) => {
                    run.reasons.insert(i, why);
                    Delivery::Lost { t }
                }
            };
        }
    }

    /// Moves bytes between hosts and UARTs.
    fn exchange_bytes(&mut self, run: &mut LinkRun) -> Result<(), EngineError> {
        let ready = self.engine.get_u64(self.pins.tx_ready);
        let valid = self.engine.get_u64(self.pins.rx_valid);
        let guard = self.timing.guard * self.timing.clocks_per_bit;
        let (mut data, mut start) = (self.tx_data, 0);
        for (node, end) in self.ends.iter_mut().enumerate() {
            end.elapsed += 1;
            if valid >> node & 1 == 1 {
                let byte = self.engine.get_u64(self.pins.rx_data) >> (8 * node);
                end.received.push(byte as u8);
            }
            let Some((_, frame)) = &end.sending else {
                continue;
            };
            let open = end.elapsed > guard && ready >> node & 1 == 1;
            if open && end.sent < frame.len() {
                data &= !(0xFF << (8 * node));
                data |= u64::from(frame[end.sent]) << (8 * node);
                start |= 1 << node;
                end.sent += 1;
                run.frames += u64::from(end.sent == frame.len());
            }
        }
        if data != self.tx_data {
            self.engine.set_u64(self.pins.tx_data, data);
            self.tx_data = data;
        }
        if start != self.tx_start {
            self.engine.set_u64(self.pins.tx_start, start);
            self.tx_start = start;
        }
        Ok(())
    }
}

/// Compares the received bytes with the bytes sent, and the message in them with the expected
/// message. Returns the reason of a difference in one sentence.
fn check_received(
    message: &Message,
    sent: &[u8],
    received: &[u8],
    sender: u32,
) -> Result<(), String> {
    match TdmaFrame::decode(received, sender, 0) {
        Err(error) => Err(error.to_string()),
        Ok(_) if received != sent => Err("the frame checks but is not the one sent".into()),
        Ok(frame) => {
            let arrived = frame.destination() == Some(message.destination)
                && frame.payload[2..] == message.payload;
            match arrived {
                true => Ok(()),
                false => Err("the frame holds another message".into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message { source: 0, destination: 1, payload: vec![1, 2] }
    }

    #[test]
    fn a_message_is_delivered_only_if_every_byte_arrives() {
        let sent = TdmaFrame::routed(1, &[1, 2]).encode(0, 0);
        assert_eq!(check_received(&message(), &sent, &sent, 0), Ok(()));
        let lost = |received: &[u8]| check_received(&message(), &sent, received, 0).is_err();
        assert!(lost(&[]));
        assert!(lost(&sent[..8]));
        assert!(lost(&[&sent[..], &[0]].concat()));
        let other = TdmaFrame::routed(1, &[1, 3]).encode(0, 0);
        assert!(lost(&other));
        assert!(check_received(&message(), &other, &other, 0).is_err());
    }
}

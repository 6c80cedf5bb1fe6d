//! Sends many messages to programs in frames, as the board has room for them.

use super::{ThinkinMachine, POLL_MAX, POLL_MIN, SEND_HEADER};
use crate::host::error::HostError;
use crate::host::message::{ErrorCode, HostRequest};
use std::collections::BTreeSet;
use std::thread;

impl ThinkinMachine {
    /// Sends many messages, each with its node.
    ///
    /// # Errors
    /// As [`send`](Self::send). If one message is invalid, no message of its frame is sent.
    pub fn send_all(&mut self, messages: Vec<(u32, Vec<u8>)>) -> Result<(), HostError> {
        for (node, message) in &messages {
            self.check_node(*node)?;
            let (bytes, limit) = (message.len(), self.about.message);
            if bytes == 0 || bytes > limit.into() {
                return Err(HostError::Message { bytes, limit });
            }
        }
        let mut waiting = messages;
        let mut pause = POLL_MIN;
        while !waiting.is_empty() {
            let count = waiting.len();
            waiting = self.send_while_room(waiting)?;
            if waiting.is_empty() {
                break;
            }
            // The programs may wait until the host collects their events.
            let status = self.status()?;
            let events = self.fetch()?;
            let stands = waiting.len() == count && events.is_empty();
            if stands && !status.state.is_active() {
                let text = format!("there is no room for messages, and {}", status.state);
                let code = ErrorCode::Full;
                return Err(HostError::Refused { code, text });
            }
            self.inbox.extend(events);
            thread::sleep(pause);
            pause = if stands {
                POLL_MAX.min(2 * pause)
            } else {
                POLL_MIN
            };
        }
        Ok(())
    }

    /// Sends messages in frames and returns those for which the board has no room, in their order.
    ///
    /// The board accepts a frame as a whole. If it refuses one, the messages of each node in it are
    /// sent separately. The queue of one program may be full because the program waits for a
    /// message to another one.
    fn send_while_room(
        &mut self,
        messages: Vec<(u32, Vec<u8>)>,
    ) -> Result<Vec<(u32, Vec<u8>)>, HostError> {
        let mut left: Vec<(u32, Vec<u8>)> = vec![];
        let mut full = BTreeSet::new();
        for frame in self.frames(messages) {
            // Messages for a full node keep their order, so they follow the unsent ones.
            let (behind, frame): (Vec<_>, Vec<_>) =
                frame.into_iter().partition(|(node, _)| full.contains(node));
            left.extend(behind);
            if frame.is_empty() || self.try_send_frame(&frame)? {
                continue;
            }
            let nodes: BTreeSet<u32> = frame.iter().map(|(node, _)| *node).collect();
            for node in nodes {
                let of_node = frame.iter().filter(|(to, _)| *to == node);
                let of_node: Vec<_> = of_node.cloned().collect();
                if of_node.len() == frame.len() || !self.try_send_frame(&of_node)? {
                    full.insert(node);
                    left.extend(of_node);
                }
            }
        }
        Ok(left)
    }

    /// Packs messages in frames, as many as fit in each.
    fn frames(&self, messages: Vec<(u32, Vec<u8>)>) -> Vec<Vec<(u32, Vec<u8>)>> {
        let mut frames: Vec<Vec<(u32, Vec<u8>)>> = vec![];
        let mut room = 0;
        for (node, message) in messages {
            let length = SEND_HEADER + message.len();
            match frames.last_mut() {
                Some(frame) if length <= room => frame.push((node, message)),
                _ => {
                    room = self.about.payload.into();
                    frames.push(vec![(node, message)]);
                }
            }
            room -= length;
        }
        frames
    }

    /// Sends a frame. Returns whether the board had room for it.
    fn try_send_frame(&mut self, messages: &[(u32, Vec<u8>)]) -> Result<bool, HostError> {
        let messages = messages.to_vec();
        match self.client.request(&HostRequest::Send { messages }) {
            Err(HostError::Refused {
                code: ErrorCode::Full,
                ..
            }) => Ok(false),
            done => done.map(|_| true),
        }
    }
}

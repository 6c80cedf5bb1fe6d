//! Event that a program reports to its host, and its encoding.

use crate::host::bytes::Reader;
use machine::networks::tdma::cube::OutputReason;
use machine::Trap;
use rtl::core::Cause;

/// Event that a program reports to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEvent {
    /// Message sent with `ctrl_send`. From a router, a message that has arrived.
    Message {
        node: u32,
        /// Number of phases that had ended.
        phase: u32,
        why: OutputReason,
        bytes: Vec<u8>,
    },
    /// The program ended with this code.
    Ended { node: u32, phase: u32, code: u8 },
    /// The core halted.
    Trap { phase: u32, trap: Trap },
}

impl ProgramEvent {
    /// Encoded length in bytes.
    pub(in crate::host) fn encoded_length(&self) -> usize {
        let mut bytes = vec![];
        self.write(&mut bytes);
        bytes.len()
    }

    pub fn node(&self) -> u32 {
        match self {
            ProgramEvent::Message { node, .. } | ProgramEvent::Ended { node, .. } => *node,
            ProgramEvent::Trap { trap, .. } => trap.node,
        }
    }

    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        let mut begin = |tag: u8, node: u32, phase: u32| {
            payload.push(tag);
            payload.extend(node.to_le_bytes());
            payload.extend(phase.to_le_bytes());
        };
        match self {
            ProgramEvent::Message {
                node,
                phase,
                why,
                bytes,
            } => {
                begin(*why as u8, *node, *phase);
                payload.push(bytes.len() as u8);
                payload.extend(bytes);
            }
            ProgramEvent::Ended { node, phase, code } => {
                begin(3, *node, *phase);
                payload.push(*code);
            }
            ProgramEvent::Trap { phase, trap } => {
                begin(4, trap.node, *phase);
                payload.extend(trap.pc.to_le_bytes());
                payload.push(trap.cause as u8);
                payload.extend(trap.instruction.to_le_bytes());
            }
        }
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        let (tag, node, phase) = (payload.u8()?, payload.u32()?, payload.u32()?);
        let why = match tag {
            0 => OutputReason::Delivered,
            1 => OutputReason::Undelivered,
            2 => OutputReason::Unknown,
            3 => {
                let code = payload.u8()?;
                return Some(ProgramEvent::Ended { node, phase, code });
            }
            4 => {
                let trap = Trap {
                    node,
                    pc: payload.u32()?,
                    cause: Cause::from_number(payload.u8()?.into())?,
                    instruction: payload.u32()?,
                };
                return Some(ProgramEvent::Trap { phase, trap });
            }
            _ => return None,
        };
        let length = payload.u8()?.into();
        Some(ProgramEvent::Message {
            node,
            phase,
            why,
            bytes: payload.bytes(length)?.to_vec(),
        })
    }
}

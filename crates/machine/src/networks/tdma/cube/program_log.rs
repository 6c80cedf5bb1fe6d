//! Log of a run of programs with data.

use super::phases::{has_message, PhaseReport};
use crate::{MessageEvent, MessageEventKind, NodeEvent, NodeEventKind};
use interconnect::routing::tdma::PhaseSchedule;
use interconnect::routing::Schedule;
use rtl::tdma::{ReceiveResult, SendResult};

/// What became of each frame, and the events of nodes and hosts.
#[derive(Default)]
pub(super) struct ProgramLog {
    pub frames: Vec<MessageEvent>,
    pub notes: Vec<NodeEvent>,
    /// Frames that were sent.
    sent: u32,
    /// Slips of each node up to the end of the last phase.
    slipped: Vec<u64>,
}

impl ProgramLog {
    /// Records phase `t`, which is over: late nodes, frames by ascending sender, slips. `slips` are
    /// the slips of each node since the start.
    pub fn record_phase(
        &mut self,
        schedule: &PhaseSchedule,
        t: u64,
        reports: &[PhaseReport],
        slips: &[u64],
    ) {
        let phase = phase(schedule, t);
        self.slipped.resize(reports.len(), 0);
        for (node, report) in (0..).zip(reports) {
            if report.missed_deadline {
                self.note(schedule, t, node, NodeEventKind::MissedDeadline);
            }
            if slips[node as usize] > self.slipped[node as usize] {
                self.note(schedule, t, node, NodeEventKind::Slip);
            }
            if report.sent == SendResult::Nothing {
                continue;
            }
            let to = schedule.shape().neighbour(node, report.dim);
            let there = reports[to as usize];
            let received = match there.dim == report.dim {
                true => there.received,
                false => ReceiveResult::Nothing,
            };
            for what in frame_events(report.sent, received) {
                self.frames.push(MessageEvent {
                    t,
                    phase,
                    node,
                    from_reg: report.slot,
                    to,
                    src: node,
                    dst: to,
                    message: self.sent,
                    what,
                });
            }
            self.sent += 1;
        }
        self.slipped.copy_from_slice(slips);
    }

    /// Records an event of a node or its host in phase `t`.
    pub fn note(&mut self, schedule: &PhaseSchedule, t: u64, node: u32, what: NodeEventKind) {
        let phase = phase(schedule, t);
        self.notes.push(NodeEvent { t, phase, node, what });
    }
}

/// Number of phase `t` in its superframe.
fn phase(schedule: &PhaseSchedule, t: u64) -> u32 {
    (t % u64::from(schedule.period())) as u32
}

/// Returns what became of a frame, at the receiver and at the sender.
fn frame_events(sent: SendResult, received: ReceiveResult) -> Vec<MessageEventKind> {
    let at_receiver = match received {
        ReceiveResult::Stored | ReceiveResult::Overwrote => Some(MessageEventKind::Forwarded),
        ReceiveResult::Repeat => Some(MessageEventKind::Repeated),
        _ => None,
    };
    let at_sender = match sent {
        SendResult::Nak => Some(MessageEventKind::Nak),
        SendResult::Timeout => Some(MessageEventKind::Timeout),
        SendResult::Accepted if !has_message(received) => Some(MessageEventKind::Lost),
        SendResult::Accepted | SendResult::Nothing => None,
    };
    at_receiver.into_iter().chain(at_sender).collect()
}

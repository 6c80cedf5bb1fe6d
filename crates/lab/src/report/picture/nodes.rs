//! Chart with steps across and nodes down: senders, and outcomes.

use super::sent_frames::{SendOutcome, SentFrames};
use super::sheet::{Anchor, Sheet};
use super::LARGE_TEXT_NODES_MAX;
use interconnect::topology::short_name;

/// Space for the names of steps, in both kinds of charts.
pub const HEADINGS_HEIGHT: f64 = 34.0;

/// Width of the names at the left.
pub const NAMES_WIDTH: f64 = 62.0;

pub fn draw(sheet: &mut Sheet, sends: &SentFrames) {
    let machine = sends.machine;
    let (width, height) = match machine.nodes() {
        ..=LARGE_TEXT_NODES_MAX => (78.0, 22.0),
        _ => (76.0, 16.0),
    };
    let steps = f64::from(sends.steps());
    let nodes = f64::from(machine.nodes());
    let y = sheet.strip(
        NAMES_WIDTH + steps * width,
        HEADINGS_HEIGHT + nodes * height,
    );
    draw_headings(sheet, sends, y, width);
    let class = machine.class();
    let middle = height / 2.0 + 4.0;
    for node in 0..machine.nodes() {
        let top = y + HEADINGS_HEIGHT + f64::from(node) * height;
        let at = (Sheet::LEFT + NAMES_WIDTH - 8.0, top + middle);
        sheet.text(at, &machine.name(node), class, Anchor::End);
        for step in 0..sends.steps() {
            let left = Sheet::LEFT + NAMES_WIDTH + f64::from(step) * width;
            let (corner, size) = ((left + 1.0, top + 1.0), (width - 2.0, height - 2.0));
            let center = (left + width / 2.0, top + middle);
            let name = |node: u32| short_name(machine.topology, node);
            if let Some(sent) = sends.sent(step, node) {
                sheet.rect(corner, size, sent.outcome.class());
                let home = if sent.delivered { " ●" } else { "" };
                let text = format!("{}→{}{home}", name(sent.route.0), name(sent.route.1));
                sheet.text(center, &text, &format!("{class} on"), Anchor::Middle);
            } else if sends.may_send(step, node) {
                sheet.rect(corner, size, "may");
            } else if let Some(lost) = sends.overwritten(step, node) {
                sheet.rect(corner, size, SendOutcome::Lost.class());
                let text = format!("✗ {}→{}", name(lost.0), name(lost.1));
                sheet.text(center, &text, &format!("{class} on"), Anchor::Middle);
            }
        }
    }
    sheet.note("A row is a sender; in a place stand source and destination of the message sent.");
    sheet.note(
        "Grey: nothing was sent, though it might. ✗: a message was overwritten in this node.",
    );
}

/// Draws the steps and their senders.
pub fn draw_headings(sheet: &mut Sheet, sends: &SentFrames, y: f64, width: f64) {
    let machine = sends.machine;
    for step in 0..sends.steps() {
        let x = Sheet::LEFT + NAMES_WIDTH + (f64::from(step) + 0.5) * width;
        let text = format!("{} {step}", machine.step.full);
        sheet.text((x, y + 12.0), &text, "label", Anchor::Middle);
        let text = machine.period.schedule.step_label(step);
        if !text.is_empty() {
            sheet.text((x, y + 25.0), &text, "small faint", Anchor::Middle);
        }
    }
}

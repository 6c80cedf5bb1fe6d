//! Phases across, nodes down: who sent what, and what became of it.

use super::sends::{may_send, Outcome, Sends};
use super::sheet::{Anchor, Sheet};

/// What the columns of phases are called, for both kinds of charts.
pub const HEAD: f64 = 34.0;

/// Width of the names at the left.
pub const NAMES: f64 = 62.0;

pub fn draw(sheet: &mut Sheet, sends: &Sends) {
    let cube = sends.cube;
    let (width, height) = match cube.dims() {
        ..=4 => (78.0, 22.0),
        _ => (76.0, 16.0),
    };
    let phases = f64::from(sends.phases());
    let nodes = f64::from(cube.nodes());
    let y = sheet.strip(NAMES + phases * width, HEAD + nodes * height);
    heads(sheet, sends, y, width);
    let class = if cube.dims() <= 4 { "label" } else { "small" };
    let middle = height / 2.0 + 4.0;
    for node in cube.addresses() {
        let top = y + HEAD + f64::from(node) * height;
        let at = (Sheet::LEFT + NAMES - 8.0, top + middle);
        sheet.text(at, &cube.hex(node), class, Anchor::End);
        for phase in 0..sends.phases() {
            let left = Sheet::LEFT + NAMES + f64::from(phase) * width;
            let (corner, size) = ((left + 1.0, top + 1.0), (width - 2.0, height - 2.0));
            let center = (left + width / 2.0, top + middle);
            let hex = |node: u32| format!("{node:X}");
            if let Some(sent) = sends.sent(phase, node) {
                sheet.rect(corner, size, sent.outcome.class());
                let home = if sent.home { " ●" } else { "" };
                let text = format!("{}→{}{home}", hex(sent.route.0), hex(sent.route.1));
                sheet.text(center, &text, &format!("{class} on"), Anchor::Middle);
            } else if may_send(phase, node) {
                sheet.rect(corner, size, "may");
            } else if let Some(lost) = sends.overwritten(phase, node) {
                sheet.rect(corner, size, Outcome::Lost.class());
                let text = format!("✗ {}→{}", hex(lost.0), hex(lost.1));
                sheet.text(center, &text, &format!("{class} on"), Anchor::Middle);
            }
        }
    }
    sheet.note("A row is a sender; in a place stand source and destination of the message sent.");
    sheet.note(
        "Grey: nothing was sent, though it might. ✗: a message was overwritten in this node.",
    );
}

/// The phases, and who sends in them.
pub fn heads(sheet: &mut Sheet, sends: &Sends, y: f64, width: f64) {
    for phase in 0..sends.phases() {
        let x = Sheet::LEFT + NAMES + (f64::from(phase) + 0.5) * width;
        let (dim, bit) = (phase / 2, phase % 2);
        let text = format!("phase {phase}");
        sheet.text((x, y + 12.0), &text, "label", Anchor::Middle);
        let text = format!("dim {dim}, bit {bit}");
        sheet.text((x, y + 25.0), &text, "small faint", Anchor::Middle);
    }
}

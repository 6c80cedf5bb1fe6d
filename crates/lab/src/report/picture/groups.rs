//! Chart with steps across and groups of nodes down: number of senders, and outcomes.

use super::nodes::{draw_headings, HEADINGS_HEIGHT, NAMES_WIDTH};
use super::sent_frames::{SendOutcome, SentFrames};
use super::sheet::{Anchor, Sheet};
use std::ops::Range;

/// Largest number of groups.
const GROUPS: u32 = 32;

const WIDTH: f64 = 80.0;

/// Width of the numbers beside the colours.
const NUMBER: f64 = 34.0;

const HEIGHT: f64 = 15.0;

pub fn draw(sheet: &mut Sheet, sends: &SentFrames) {
    let machine = sends.machine;
    let members = machine.nodes().div_ceil(GROUPS);
    let groups = machine.nodes().div_ceil(members);
    let width = NAMES_WIDTH + 30.0 + f64::from(sends.steps()) * WIDTH;
    let y = sheet.strip(width, HEADINGS_HEIGHT + f64::from(groups) * HEIGHT);
    draw_headings(sheet, sends, y, WIDTH);
    for group in 0..groups {
        let first = group * members;
        let nodes = first..machine.nodes().min(first + members);
        let top = y + HEADINGS_HEIGHT + f64::from(group) * HEIGHT;
        let at = (Sheet::LEFT + NAMES_WIDTH - 8.0, top + 11.0);
        let name = format!("{}…", machine.name(first));
        sheet.text(at, &name, "small", Anchor::End);
        for step in 0..sends.steps() {
            let left = Sheet::LEFT + NAMES_WIDTH + f64::from(step) * WIDTH;
            draw_group(sheet, sends, (left + 1.0, top + 1.0), (step, nodes.clone()));
        }
    }
    sheet.note(&format!(
        "A row is {members} nodes, from the one named on. As much of a place is coloured as sent of \
         those that may; the number is how many did."
    ));
    sheet.note("✗: so many messages were overwritten in these nodes.");
}

fn draw_group(
    sheet: &mut Sheet,
    sends: &SentFrames,
    (x, y): (f64, f64),
    (step, nodes): (u32, Range<u32>),
) {
    let (width, height) = (WIDTH - 2.0 - NUMBER, HEIGHT - 2.0);
    let may = nodes
        .clone()
        .filter(|node| sends.may_send(step, *node))
        .count();
    let lost = nodes.clone();
    let lost = lost.filter(|node| sends.overwritten(step, *node).is_some());
    let lost = match lost.count() {
        0 => String::new(),
        lost => format!("✗{lost}"),
    };
    if may > 0 {
        sheet.rect((x, y), (width, height), "may");
    }
    let (mut left, mut all) = (x, 0);
    for outcome in SendOutcome::ALL {
        let became =
            |node: &u32| (sends.sent(step, *node)).is_some_and(|sent| sent.outcome == outcome);
        let count = nodes.clone().filter(became).count();
        if count > 0 {
            let part = width * count as f64 / may as f64;
            sheet.rect((left, y), (part, height), outcome.class());
            left += part;
        }
        all += count;
    }
    let number = match all {
        0 => lost,
        all => format!("{all} {lost}"),
    };
    let at = (x + width + 3.0, y + 10.0);
    sheet.text(at, number.trim(), "small", Anchor::Start);
}

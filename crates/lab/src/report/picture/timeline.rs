//! Frames in one period of a schedule, read from the event log.

use super::{Anchor, ScheduledMachine, Sheet, LARGE_TEXT_NODES_MAX};
use interconnect::topology::{short_name, Topology};
use interconnect::traffic::MessageList;
use machine::text::format_count;
use machine::wave::StepName;
use machine::{Delivery, MessageEvent, MessageEventKind};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendOutcome {
    Accepted,
    Nak,
    Timeout,
    Lost,
}

impl SendOutcome {
    pub const ALL: [SendOutcome; 4] =
        [SendOutcome::Accepted, SendOutcome::Nak, SendOutcome::Timeout, SendOutcome::Lost];

    /// Style class of the outcome.
    pub fn class(self) -> &'static str {
        match self {
            SendOutcome::Accepted => "taken",
            SendOutcome::Nak => "refused",
            SendOutcome::Timeout => "silent",
            SendOutcome::Lost => "lost",
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            SendOutcome::Accepted => "sent and taken (● at home)",
            SendOutcome::Nak => "NAK",
            SendOutcome::Timeout => "timeout",
            SendOutcome::Lost => "lost",
        }
    }
}

/// Frame that a node sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrame {
    pub outcome: SendOutcome,
    /// True if the message has reached its destination.
    pub delivered: bool,
    /// Source and destination of the message.
    pub route: (u32, u32),
}

/// Frames that were sent in a period.
pub struct SentFrames<'a> {
    pub machine: ScheduledMachine<'a>,
    /// Indexed by step and sender.
    sent: HashMap<(u32, u32), SentFrame>,
    /// Messages that were overwritten in a buffer, indexed by step and node.
    overwritten: HashMap<(u32, u32), (u32, u32)>,
}

impl<'a> SentFrames<'a> {
    pub fn new(machine: ScheduledMachine<'a>, events: &[MessageEvent], number: u64) -> Self {
        let period = machine.period;
        let (mut sent, mut overwritten) = (HashMap::new(), HashMap::new());
        for event in events.iter().filter(|e| period.number(e.t) == number) {
            let route = (event.src, event.dst);
            let place = (period.step(event.t), event.node);
            let outcome = match event.what {
                MessageEventKind::Forwarded
                | MessageEventKind::Delivered
                | MessageEventKind::Repeated => SendOutcome::Accepted,
                MessageEventKind::Nak => SendOutcome::Nak,
                MessageEventKind::Timeout => SendOutcome::Timeout,
                MessageEventKind::Lost if event.node == event.to => {
                    overwritten.insert(place, route);
                    continue;
                }
                MessageEventKind::Lost => SendOutcome::Lost,
                MessageEventKind::Undelivered
                | MessageEventKind::Unknown
                | MessageEventKind::Copy
                | MessageEventKind::Twice
                | MessageEventKind::Left => continue,
            };
            // A frame that was stored but not acknowledged has two log lines.
            let send = sent.entry(place).or_insert(SentFrame { outcome, delivered: false, route });
            send.outcome = outcome;
            send.delivered |= event.what == MessageEventKind::Delivered;
        }
        SentFrames { machine, sent, overwritten }
    }

    /// Number of steps in the period.
    pub fn steps(&self) -> u32 {
        self.machine.period.schedule.period()
    }

    /// True if a node may send in a step.
    pub fn may_send(&self, step: u32, node: u32) -> bool {
        let schedule = &self.machine.period.schedule;
        schedule.sends(node, step).is_some()
    }

    pub fn sent(&self, step: u32, node: u32) -> Option<SentFrame> {
        self.sent.get(&(step, node)).copied()
    }

    /// Message that a node lost because another message overwrote it in its buffer.
    pub fn overwritten(&self, step: u32, node: u32) -> Option<(u32, u32)> {
        self.overwritten.get(&(step, node)).copied()
    }

    /// Summary in one line.
    pub fn summary(&self) -> String {
        let count = |wanted| self.sent.values().filter(|s| s.outcome == wanted).count();
        let may = |step| (0..self.machine.nodes()).filter(move |node| self.may_send(step, *node));
        let places = (0..self.steps()).flat_map(may).count();
        let mut text = format!(
            "{} in {}",
            format_count(self.sent.len(), "frame"),
            format_count(places, "place")
        );
        for (outcome, what) in [
            (SendOutcome::Nak, "with a NAK"),
            (SendOutcome::Timeout, "with a timeout"),
            (SendOutcome::Lost, "lost"),
        ] {
            if count(outcome) > 0 {
                text += &format!(", {} {what}", count(outcome));
            }
        }
        if !self.overwritten.is_empty() {
            text += &format!(", {} overwritten", format_count(self.overwritten.len(), "message"));
        }
        text
    }
}

// Chart with steps across and nodes down: senders, and outcomes.

/// Space for the names of steps, in both kinds of charts.
pub const HEADINGS_HEIGHT: f64 = 34.0;

/// Width of the names at the left.
pub const NAMES_WIDTH: f64 = 62.0;

pub fn draw_nodes(sheet: &mut Sheet, sends: &SentFrames) {
    let machine = sends.machine;
    let (width, height) = match machine.nodes() {
        ..=LARGE_TEXT_NODES_MAX => (78.0, 22.0),
        _ => (76.0, 16.0),
    };
    let steps = f64::from(sends.steps());
    let nodes = f64::from(machine.nodes());
    let y = sheet.strip(NAMES_WIDTH + steps * width, HEADINGS_HEIGHT + nodes * height);
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

// Chart with steps across and groups of nodes down: number of senders, and outcomes.

/// Largest number of groups.
const GROUPS: u32 = 32;

const GROUP_WIDTH: f64 = 80.0;

/// Width of the numbers beside the colours.
const NUMBER: f64 = 34.0;

const GROUP_HEIGHT: f64 = 15.0;

pub fn draw_groups(sheet: &mut Sheet, sends: &SentFrames) {
    let machine = sends.machine;
    let members = machine.nodes().div_ceil(GROUPS);
    let groups = machine.nodes().div_ceil(members);
    let width = NAMES_WIDTH + 30.0 + f64::from(sends.steps()) * GROUP_WIDTH;
    let y = sheet.strip(width, HEADINGS_HEIGHT + f64::from(groups) * GROUP_HEIGHT);
    draw_headings(sheet, sends, y, GROUP_WIDTH);
    for group in 0..groups {
        let first = group * members;
        let nodes = first..machine.nodes().min(first + members);
        let top = y + HEADINGS_HEIGHT + f64::from(group) * GROUP_HEIGHT;
        let at = (Sheet::LEFT + NAMES_WIDTH - 8.0, top + 11.0);
        let name = format!("{}…", machine.name(first));
        sheet.text(at, &name, "small", Anchor::End);
        for step in 0..sends.steps() {
            let left = Sheet::LEFT + NAMES_WIDTH + f64::from(step) * GROUP_WIDTH;
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
    let (width, height) = (GROUP_WIDTH - 2.0 - NUMBER, GROUP_HEIGHT - 2.0);
    let may = nodes.clone().filter(|node| sends.may_send(step, *node)).count();
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

// Picture of the messages of a run over time, for a machine without a schedule.

/// Width of the whole time axis.
const WIDTH: f64 = 560.0;

/// Height available for the bars of all messages.
const HEIGHT: f64 = 600.0;

/// Largest height of the bar of one message.
const BAR_HEIGHT_MAX: f64 = 9.0;

/// Input of the picture. Each message is a bar from the start to its end.
pub struct MessageTimeline<'a> {
    pub topology: &'a dyn Topology,
    /// Name of a step.
    pub step: StepName,
    pub messages: &'a MessageList,
    /// One outcome per message.
    pub deliveries: &'a [Delivery],
    /// Message addresses per node, which are its processors.
    pub processors: u32,
}

/// Message that leaves its node.
struct MessageBar {
    /// Step in which the message ended, or `None` if it did not.
    end: Option<u32>,
    class: &'static str,
}

impl MessageTimeline<'_> {
    /// Largest number of messages in a picture. With more messages, bars would be thinner than a
    /// pixel.
    pub const MESSAGES_MAX: usize = 600;

    /// True if the messages are few enough.
    pub fn is_drawable(&self) -> bool {
        self.messages.len() <= Self::MESSAGES_MAX
    }

    /// Draws the bars. Returns a description.
    pub(super) fn draw(&self, sheet: &mut Sheet) -> String {
        let by_distance = self.by_distance();
        let ends = by_distance.values().flatten().filter_map(|life| life.end);
        let last = ends.max().unwrap_or(0) + 1;
        let bars: usize = by_distance.values().map(Vec::len).sum();
        let arrived = by_distance.values().flatten();
        let arrived = arrived.filter(|life| life.class == "taken").count();
        let step = self.step.full;
        let title = format!(
            "{}: {arrived} of {bars} messages arrived in {last} {step}s",
            self.topology.name()
        );
        sheet.heading(&title);
        sheet.note(&format!(
            "A bar is a message from the start of the run until it ended, by the links between \
             its ends; {step}s across."
        ));
        self.axis(sheet, last);
        let height = (HEIGHT / bars.max(1) as f64).min(BAR_HEIGHT_MAX);
        for (distance, lives) in &by_distance {
            let links = match distance {
                1 => "1 link".into(),
                _ => format!("{distance} links"),
            };
            let y = sheet.strip(0.0, 18.0);
            self.label(sheet, y + 13.0, &links);
            for life in lives {
                let y = sheet.strip(WIDTH, height);
                let steps = life.end.map_or(last, |end| end + 1);
                let width = (WIDTH * f64::from(steps) / f64::from(last)).max(1.0);
                let bar = (height - 1.0).max(0.75 * height);
                sheet.rect((Sheet::LEFT, y), (width.round(), bar), life.class);
            }
        }
        let legend = [("taken", "arrived"), ("lost", "lost"), ("silent", "dropped")];
        sheet.legend(&legend);
        format!(
            "{title}. Bars, one below the other, each as long as its message was in flight, in \
             groups by the distance between its ends: {}.",
            self.description(&by_distance)
        )
    }

    /// Messages grouped by the distance between their ends, in order of arrival. Messages to their
    /// own node are left out, because they never enter the network.
    fn by_distance(&self) -> BTreeMap<u32, Vec<MessageBar>> {
        let mut lives: BTreeMap<u32, Vec<MessageBar>> = BTreeMap::new();
        for (number, delivery) in self.deliveries.iter().enumerate() {
            let message = self.messages.get(number);
            let [from, to] = [message.source, message.destination].map(|a| a / self.processors);
            let (end, class) = match *delivery {
                Delivery::Delivered { t } => (Some(t), "taken"),
                Delivery::Lost { t } => (Some(t), "lost"),
                Delivery::UnderWay | Delivery::Undelivered | Delivery::Unknown => (None, "silent"),
                Delivery::ToSelf => continue,
            };
            if let Some(distance) = self.topology.distance(from, to) {
                let life = MessageBar { end, class };
                lives.entry(distance).or_default().push(life);
            }
        }
        for group in lives.values_mut() {
            group.sort_by_key(|life| life.end.unwrap_or(u32::MAX));
        }
        lives
    }

    /// Draws the step numbers along the top.
    fn axis(&self, sheet: &mut Sheet, last: u32) {
        let y = sheet.strip(WIDTH, 22.0) + 16.0;
        // About eight round numbers.
        let rough = (last / 8).max(1);
        let unit = 10u32.pow(rough.ilog10());
        let every = [1, 2, 5, 10].map(|times| times * unit);
        let every = every.into_iter().find(|every| *every >= rough);
        for number in (0..=last).step_by(every.unwrap_or(rough) as usize) {
            let x = Sheet::LEFT + WIDTH * f64::from(number) / f64::from(last);
            sheet.line((x, y + 2.0), (x, y + 6.0), "line");
            let anchor = match number {
                0 => Anchor::Start,
                _ => Anchor::Middle,
            };
            sheet.text((x, y), &number.to_string(), "small faint", anchor);
        }
    }

    fn label(&self, sheet: &mut Sheet, y: f64, text: &str) {
        sheet.text((Sheet::LEFT, y), text, "small", Anchor::Start);
    }

    /// Description for readers who do not see the picture.
    fn description(&self, by_distance: &BTreeMap<u32, Vec<MessageBar>>) -> String {
        let groups = by_distance.iter().map(|(distance, lives)| {
            let ends: Vec<u32> = lives.iter().filter_map(|life| life.end).collect();
            let [first, last] = [ends.iter().min(), ends.iter().max()];
            let [first, last] = [first, last].map(|end| end.map_or(0, |end| end + 1));
            let step = self.step.full;
            format!("{} over {distance} links, in {first} to {last} {step}s", lives.len())
        });
        groups.collect::<Vec<_>>().join("; ")
    }
}

//! Picture of the messages of a run over time, for a machine without a schedule.

use super::sheet::{Anchor, Sheet};
use interconnect::topology::Topology;
use interconnect::traffic::MessageList;
use machine::wave::StepName;
use machine::Delivery;
use std::collections::BTreeMap;

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

    /// Draws the picture as SVG.
    pub fn svg(&self) -> String {
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
        let mut sheet = Sheet::new();
        sheet.heading(&title);
        sheet.note(&format!(
            "A bar is a message from the start of the run until it ended, by the links between \
             its ends; {step}s across."
        ));
        self.axis(&mut sheet, last);
        let height = (HEIGHT / bars.max(1) as f64).min(BAR_HEIGHT_MAX);
        for (distance, lives) in &by_distance {
            let links = match distance {
                1 => "1 link".into(),
                _ => format!("{distance} links"),
            };
            let y = sheet.strip(0.0, 18.0);
            self.label(&mut sheet, y + 13.0, &links);
            for life in lives {
                let y = sheet.strip(WIDTH, height);
                let steps = life.end.map_or(last, |end| end + 1);
                let width = (WIDTH * f64::from(steps) / f64::from(last)).max(1.0);
                let bar = (height - 1.0).max(0.75 * height);
                sheet.rect((Sheet::LEFT, y), (width.round(), bar), life.class);
            }
        }
        let legend = [
            ("taken", "arrived"),
            ("lost", "lost"),
            ("silent", "dropped"),
        ];
        sheet.legend(&legend);
        let description = format!(
            "Bars, one below the other, each as long as its message was in flight, in groups by \
             the distance between its ends: {}.",
            self.description(&by_distance)
        );
        sheet.finish(&title, &description)
    }

    /// Messages grouped by the distance between their ends, in order of arrival. Messages to their
    /// own node are left out, because they never enter the network.
    fn by_distance(&self) -> BTreeMap<u32, Vec<MessageBar>> {
        let mut lives: BTreeMap<u32, Vec<MessageBar>> = BTreeMap::new();
        for (number, fate) in self.deliveries.iter().enumerate() {
            let message = self.messages.get(number);
            let [from, to] = [message.source, message.destination].map(|a| a / self.processors);
            let (end, class) = match *fate {
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
            format!(
                "{} over {distance} links, in {first} to {last} {step}s",
                lives.len()
            )
        });
        groups.collect::<Vec<_>>().join("; ")
    }
}

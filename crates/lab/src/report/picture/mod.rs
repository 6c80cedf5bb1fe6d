//! Picture of a run ([`RunPicture`]): a schedule period and the route of one message
//! ([`SchedulePicture`]). For a machine without a schedule, its network with the load of each channel
//! ([`NetworkPicture`]), and its messages over time ([`MessageTimeline`]).
//!
//! Up to [`NODES_MAX`] nodes every node is drawn. Larger machines are drawn as groups of consecutive
//! nodes. The route is drawn through a cube of up to [`NODES_MAX`] nodes. Otherwise the machine is drawn
//! in layers by distance. The picture has its own background, so it is legible on light and on dark
//! pages.

mod channels;
mod route;
mod timeline;

pub use channels::NetworkPicture;
use interconnect::topology::{Hypercube, Topology};
use interconnect::traffic::MessageList;
use machine::text::wrapped;
use machine::wave::{Period, StepName, Steps, WaveSubject};
use machine::{MessageEvent, RunStats};
pub use route::{MessageHop, MessageRoute};
use svg::node::element::{Circle, Description, Group, Line, Path, Rectangle, Style, Text, Title};
use svg::Document;
pub use timeline::MessageTimeline;
use timeline::{SendOutcome, SentFrames};

/// Largest number of nodes for which every node is drawn.
const NODES_MAX: u32 = 64;

/// Largest number of nodes with room for large letters.
const LARGE_TEXT_NODES_MAX: u32 = 16;

/// Machine with a schedule.
#[derive(Clone, Copy)]
pub struct ScheduledMachine<'a> {
    pub topology: &'a dyn Topology,
    /// Name of a step.
    pub step: StepName,
    pub period: &'a Period,
}

/// Input of the picture.
pub struct SchedulePicture<'a> {
    pub machine: ScheduledMachine<'a>,
    /// Events of the whole run.
    pub events: &'a [MessageEvent],
    /// Period that is drawn, counted from 0.
    pub number: u64,
    /// Message whose route is drawn below. `None` in a run without messages.
    pub route: Option<MessageRoute>,
}

impl ScheduledMachine<'_> {
    /// Printed name of a node.
    fn name(&self, node: u32) -> String {
        self.topology.node_name(node)
    }

    fn nodes(&self) -> u32 {
        self.topology.nodes()
    }

    /// Size of the letters in a chart.
    fn class(&self) -> &'static str {
        match self.nodes() {
            ..=LARGE_TEXT_NODES_MAX => "label",
            _ => "small",
        }
    }
}

/// Run that is drawn: one period of a schedule and the route of a message, or without a schedule
/// the loads of the channels in the whole run and the messages over time.
pub struct RunPicture<'a> {
    pub subject: &'a WaveSubject,
    pub messages: &'a MessageList,
    /// Result of the run. A schedule is drawn from its events, which the run must keep.
    pub stats: &'a RunStats,
    /// Processors on a node.
    pub processors: u32,
    /// Period of a schedule, counted from 0.
    pub number: u64,
    /// Message whose route is drawn. Without it, the first one with the longest distance.
    pub message: Option<usize>,
}

impl RunPicture<'_> {
    /// Draws the run as SVG. `None` if the machine has no schedule and does not count the loads of its
    /// channels.
    pub fn svg(&self) -> Option<String> {
        let topology = &*self.subject.topology;
        let (messages, events) = (self.messages, &*self.stats.events);
        let Steps { name: step, period } = &self.subject.steps;
        let Some(period) = period else {
            let picture = NetworkPicture {
                topology,
                channel_use: self.stats.channel_use.as_ref()?,
                messages: MessageTimeline {
                    topology,
                    step: *step,
                    messages,
                    deliveries: &self.stats.deliveries,
                    processors: self.processors,
                },
            };
            return Some(picture.svg());
        };
        let route = match self.message {
            Some(message) => Some(MessageRoute::new(topology, messages, events, message)),
            None => MessageRoute::longest(topology, messages, events),
        };
        let picture = SchedulePicture {
            machine: ScheduledMachine { topology, step: *step, period },
            events,
            number: self.number,
            route,
        };
        Some(picture.svg())
    }
}

impl SchedulePicture<'_> {
    /// Draws the picture as SVG.
    pub fn svg(&self) -> String {
        let machine = self.machine;
        let sends = SentFrames::new(machine, self.events, self.number);
        let mut sheet = Sheet::new();
        let title = format!(
            "{}, {} {}: {}",
            machine.topology.name(),
            machine.period.name.full,
            self.number,
            sends.summary()
        );
        sheet.heading(&title);
        match machine.nodes() {
            ..=NODES_MAX => timeline::draw_nodes(&mut sheet, &sends),
            _ => timeline::draw_groups(&mut sheet, &sends),
        }
        sheet.legend(&SendOutcome::ALL.map(|delivery| (delivery.class(), delivery.meaning())));
        let mut description = format!(
            "A chart: {step}s across, senders down, each frame in the place of its sender and its \
             {step}, coloured by what became of it: {}.",
            sends.summary(),
            step = machine.step.full,
        );
        if let Some(route) = &self.route {
            description += &draw_route(&mut sheet, machine, route);
        }
        sheet.finish(&title, &description)
    }
}

/// Draws the route of a message through the machine, and returns its description.
fn draw_route(sheet: &mut Sheet, machine: ScheduledMachine, route: &MessageRoute) -> String {
    let title = route.title(machine);
    sheet.heading(&title);
    let cube = Hypercube::recognise(machine.topology);
    match cube {
        Some(cube) if cube.nodes() <= NODES_MAX => {
            route::draw_cube(sheet, cube, machine, route);
        }
        _ => route::draw_layers(sheet, machine, route),
    }
    let whole = cube.map_or("machine", |_| "cube");
    let list = route.node_list(machine);
    format!(" Below it the route of a message through the {whole}. {title}{list}")
}

// Drawing sheet for pictures.

/// Margin on all sides.
const MARGIN: f64 = 16.0;

/// Width of a paragraph, in characters.
const NOTE_WIDTH: usize = 80;

/// Colours by class. Text on a colour is always dark, because the colours are light. Everything
/// else changes with the background.
const STYLE: &str = "
text { font-family: 'DejaVu Sans', Verdana, sans-serif; fill: #1b1f24 }
.heading { font-size: 15px; font-weight: bold }
.label { font-size: 12px }
.small { font-size: 11px }
.faint { fill: #59636e }
.on { fill: #111417 }
.paper { fill: #ffffff }
.may { fill: #eceff2 }
.line { stroke: #c3c9d0; stroke-width: 1 }
.edge { stroke: #d3d8de; stroke-width: 1 }
.node { fill: #ffffff; stroke: #8a929c; stroke-width: 1 }
.route { stroke: #0a66b5; stroke-width: 3.5 }
.halo { stroke: #ffffff; stroke-width: 4; paint-order: stroke; stroke-linejoin: round }
.visited { fill: #9ecbf2; stroke: #0a66b5; stroke-width: 2 }
.taken { fill: #9ad9c1 }
.refused { fill: #ffd27a }
.silent { fill: #f7a98b }
.lost { fill: #e3b4d6 }
@media (prefers-color-scheme: dark) {
text { fill: #e8ebee }
.faint { fill: #a7b0ba }
.on { fill: #111417 }
.paper { fill: #15181b }
.may { fill: #262b31 }
.line { stroke: #4a525b }
.edge { stroke: #3b424a }
.node { fill: #15181b; stroke: #88919b }
.route { stroke: #5fb2f5 }
.halo { stroke: #15181b }
.visited { fill: #9ecbf2; stroke: #5fb2f5 }
}
";

/// Picture that grows downwards.
struct Sheet {
    content: Group,
    /// Style sheet of this picture, after the common one.
    style: &'static str,
    /// Width so far.
    width: f64,
    /// Top of the free area.
    pub y: f64,
}

/// Alignment of a text relative to its point.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl Sheet {
    /// Left edge of the drawing.
    pub const LEFT: f64 = MARGIN;

    pub fn new() -> Self {
        Self::with_style("")
    }

    /// Creates a sheet with further classes.
    pub fn with_style(style: &'static str) -> Self {
        Sheet { content: Group::new(), style, width: 640.0, y: MARGIN }
    }

    /// Reserves a strip of this size and returns its top.
    pub fn strip(&mut self, width: f64, height: f64) -> f64 {
        let y = self.y;
        self.y += height;
        self.width = self.width.max(width + 2.0 * MARGIN);
        y
    }

    pub fn heading(&mut self, text: &str) {
        let y = self.strip(8.5 * text.chars().count() as f64, 30.0);
        self.text((MARGIN, y + 18.0), text, "heading", Anchor::Start);
    }

    /// Draws a paragraph in small letters.
    pub fn note(&mut self, text: &str) {
        for line in wrapped(text, NOTE_WIDTH).lines() {
            self.text_line(line, "small faint");
        }
    }

    /// Draws a line of this class.
    pub fn text_line(&mut self, text: &str, class: &str) {
        let y = self.strip(6.4 * text.chars().count() as f64, 17.0);
        self.text((MARGIN, y + 12.0), text, class, Anchor::Start);
    }

    /// Draws the legend, which explains the class of each colour.
    pub fn legend(&mut self, colours: &[(&str, &str)]) {
        let y = self.strip(600.0, 40.0) + 12.0;
        let mut x = MARGIN;
        for (class, meaning) in colours {
            self.rect((x, y), (14.0, 12.0), class);
            let at = (x + 19.0, y + 10.0);
            self.text(at, meaning, "label", Anchor::Start);
            x += 40.0 + 7.0 * meaning.len() as f64;
        }
    }

    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        let rect = Rectangle::new()
            .set("x", x)
            .set("y", y)
            .set("width", width)
            .set("height", height)
            .set("class", class);
        self.add(rect);
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let line = Line::new()
            .set("x1", round(x1))
            .set("y1", round(y1))
            .set("x2", round(x2))
            .set("y2", round(y2))
            .set("class", class);
        self.add(line);
    }

    /// Draws a bow between two points. Its middle is `bow` to the left.
    pub fn bow(&mut self, from: (f64, f64), to: (f64, f64), bow: f64, class: &str) {
        let (x, y) = bow_middle(from, to, 2.0 * bow);
        let data = format!(
            "M{},{} Q{},{} {},{}",
            round(from.0),
            round(from.1),
            round(x),
            round(y),
            round(to.0),
            round(to.1)
        );
        let path = Path::new().set("d", data).set("fill", "none").set("class", class);
        self.add(path);
    }

    /// Draws a path, given by its commands.
    pub fn path(&mut self, commands: &str, class: &str) {
        let path = Path::new().set("d", commands).set("class", class);
        self.add(path);
    }

    pub fn cycle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let cycle = Circle::new()
            .set("cx", round(x))
            .set("cy", round(y))
            .set("r", round(radius))
            .set("class", class);
        self.add(cycle);
    }

    pub fn text(&mut self, (x, y): (f64, f64), text: &str, class: &str, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = Text::new(text)
            .set("x", round(x))
            .set("y", round(y))
            .set("class", class)
            .set("text-anchor", anchor);
        self.add(text);
    }

    fn add(&mut self, node: impl svg::Node) {
        let content = std::mem::replace(&mut self.content, Group::new());
        self.content = content.add(node);
    }

    /// Finishes the SVG, with a description for readers who do not see it. The picture is not wider
    /// than its window.
    pub fn finish(self, title: &str, description: &str) -> String {
        let (width, height) = (self.width.ceil(), (self.y + MARGIN).ceil());
        let paper =
            Rectangle::new().set("width", width).set("height", height).set("class", "paper");
        let whole = Document::new()
            .set("viewBox", (0.0, 0.0, width, height))
            .set("width", width)
            .set("height", height)
            .set("style", "max-width: 100%; height: auto")
            .set("role", "img")
            .set("aria-labelledby", "picture-title picture-description")
            .add(Title::new(title).set("id", "picture-title"))
            .add(
                Description::new()
                    .add(svg::node::Text::new(description))
                    .set("id", "picture-description"),
            )
            .add(Style::new(STYLE.to_owned() + self.style))
            .add(paper)
            .add(self.content);
        whole.to_string() + "\n"
    }
}

fn bow_middle(from: (f64, f64), to: (f64, f64), bow: f64) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (x, y) = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    (x + bow * dy / length, y - bow * dx / length)
}

/// Rounds to a hundredth, which is below visible differences.
fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

//! Picture of a schedule period and of the route of one message. For a machine without a schedule,
//! picture of its messages over time ([`MessageTimeline`]).
//!
//! Up to [`NODES_MAX`] nodes every node is drawn. Larger machines are drawn as groups of consecutive
//! nodes. The route is drawn through a cube of up to [`NODES_MAX`] nodes. Otherwise the machine is drawn
//! in layers by distance. The picture has its own background, so it is legible on light and on dark
//! pages.

mod cube;
mod groups;
mod layers;
mod message_timeline;
mod nodes;
mod route;
mod sent_frames;
mod sheet;

pub use message_timeline::MessageTimeline;
pub use route::{MessageHop, MessageRoute};

use interconnect::topology::{Hypercube, Topology};
use machine::wave::{Period, StepName};
use machine::MessageEvent;
use sent_frames::{SendOutcome, SentFrames};
use sheet::Sheet;

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
    pub route: MessageRoute,
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
            ..=NODES_MAX => nodes::draw(&mut sheet, &sends),
            _ => groups::draw(&mut sheet, &sends),
        }
        sheet.legend(&SendOutcome::ALL.map(|fate| (fate.class(), fate.meaning())));
        let way = self.route.title(machine);
        sheet.heading(&way);
        let cube = Hypercube::recognise(machine.topology);
        match cube {
            Some(cube) if cube.nodes() <= NODES_MAX => {
                cube::draw(&mut sheet, cube, machine, &self.route);
            }
            _ => layers::draw(&mut sheet, machine, &self.route),
        }
        let whole = cube.map_or("machine", |_| "cube");
        let description = format!(
            "A chart: {step}s across, senders down, each frame in the place of its sender and its \
             {step}, coloured by what became of it: {}. Below it the way of a message through the \
             {whole}. {way}{}",
            sends.summary(),
            self.route.node_list(machine),
            step = machine.step.full,
        );
        sheet.finish(&title, &description)
    }
}

//! A superframe as a picture, and the way of one message through the cube.
//!
//! Up to [`EACH`] dimensions every node is drawn; beyond, groups of nodes that
//! share the upper bits of their addresses, and the cube in layers by distance.
//! Legible on light and on dark backgrounds: the picture has its own.

mod cube;
mod groups;
mod layers;
mod nodes;
mod route;
mod sends;
mod sheet;

pub use route::{Hop, Route};

use crate::machine::Event;
use crate::topology::Hypercube;
use sends::Sends;
use sheet::Sheet;

/// Dimensions of the largest cube of which every node is drawn.
const EACH: u32 = 6;

/// What is drawn.
pub struct Pictured<'a> {
    pub cube: Hypercube,
    /// Of the whole run.
    pub events: &'a [Event],
    /// Counted from 0.
    pub superframe: u64,
    pub route: Route,
}

impl Pictured<'_> {
    /// The picture, as SVG.
    pub fn svg(&self) -> String {
        let sends = Sends::new(self.cube, self.events, self.superframe);
        let mut sheet = Sheet::new();
        let title = format!(
            "{}-cube, superframe {}: {}",
            self.cube.dims(),
            self.superframe,
            sends.summary()
        );
        sheet.heading(&title);
        match self.cube.dims() {
            ..=EACH => nodes::draw(&mut sheet, &sends),
            _ => groups::draw(&mut sheet, &sends),
        }
        sheet.legend();
        let way = self.route.title(self.cube);
        sheet.heading(&way);
        match self.cube.dims() {
            ..=EACH => cube::draw(&mut sheet, self.cube, &self.route),
            _ => layers::draw(&mut sheet, self.cube, &self.route),
        }
        let description = format!(
            "A chart: phases across, senders down, each frame in the place of its sender and its \
             phase, coloured by what became of it: {}. Below it the way of a message through the \
             cube. {way}{}",
            sends.summary(),
            self.route.in_words(self.cube)
        );
        sheet.finish(&title, &description)
    }
}

//! What can be seen on a link: the seam behind which a network reads its wires.

use super::format::Value;
use super::Moment;
use crate::engine::NodeEngine;
use crate::topology::Link;
use std::fmt;

/// Of a text that says nothing.
pub const NOTHING: &str = "-";

/// Something that can be seen on every link of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSignal {
    /// Its name in `--watch` and in a file.
    pub name: &'static str,
    pub shape: Shape,
    /// It can be told only when a step is over. While nothing is told of it, it is
    /// no number, or [`NOTHING`].
    pub late: bool,
}

/// What values a variable has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Numbers of so many bits.
    Bits(u32),
    /// Texts of up to so many characters.
    Text(usize),
}

impl LinkSignal {
    /// What a late signal is while nothing is told of it.
    pub fn silent(self) -> Value {
        match self.shape {
            Shape::Bits(_) => Value::Released,
            Shape::Text(_) => Value::Text(NOTHING.into()),
        }
    }
}

/// What a network makes of what is on its links.
pub trait LinkDecoder: fmt::Debug + Send + Sync {
    /// What can be seen on a link; elsewhere these are known by their places here.
    fn signals(&self) -> Vec<LinkSignal>;

    /// A probe on one link.
    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe>;

    /// What is printed before all steps of a link: which it is, and when it is used.
    fn heading(&self, link: Link) -> String;
}

/// A probe on one link, which looks at it clock cycle by clock cycle.
pub trait LinkProbe {
    /// Looks: the signals that are not late and have changed, as places and values,
    /// are added to `changes`. If a step begins, it gives the one before.
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        moment: Moment,
        changes: &mut Vec<(usize, Value)>,
    ) -> Option<Box<dyn LinkStep>>;

    /// The step under way, as far as it was seen.
    fn end(&mut self) -> Option<Box<dyn LinkStep>>;
}

/// A step of one link that is over.
pub trait LinkStep {
    /// Its number, counted from the start.
    fn number(&self) -> u64;

    /// It is one in which this link may be used.
    fn is_scheduled(&self) -> bool;

    /// Nothing was on the link.
    fn is_idle(&self) -> bool;

    /// The changes of the late signals, each in order of time: the clock cycle,
    /// counted from the start, the place of the signal, and its value.
    fn changes(&self) -> Vec<(u64, usize, Value)>;

    /// What was on the link, as a logic analyser prints it.
    fn drawing(&self) -> String;
}

//! Interface through which a network decodes its links.

use super::format::WaveValue;
use super::SimTime;
use engine::NodeEngine;
use interconnect::topology::Link;
use std::fmt;

/// Value of a text signal without content.
pub const NO_TEXT: &str = "-";

/// Signal that exists on every link of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSignal {
    /// Name in `--watch` and in a file.
    pub name: &'static str,
    pub shape: SignalType,
    /// True if the value is known only at the end of a step. Until then the signal is undriven, or
    /// has the text [`NO_TEXT`].
    pub late: bool,
}

/// Type of a variable's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalType {
    /// Numbers of this width in bits.
    Bits(u32),
    /// Texts of up to this number of characters.
    Text(usize),
}

impl LinkSignal {
    /// Value of a late signal while it is unknown.
    pub fn unknown_value(self) -> WaveValue {
        match self.shape {
            SignalType::Bits(_) => WaveValue::Undriven,
            SignalType::Text(_) => WaveValue::Text(NO_TEXT.into()),
        }
    }
}

/// Decoder of a network for the traffic on its links.
pub trait LinkDecoder: fmt::Debug + Send + Sync {
    /// Signals of a link. Elsewhere they are identified by their positions here.
    fn signals(&self) -> Vec<LinkSignal>;

    /// Makes a probe on one link.
    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe>;

    /// Heading for all steps of a link: its name, and when it is used.
    fn heading(&self, link: Link) -> String;
}

/// Probe on one link, which samples it in each clock cycle.
pub trait LinkProbe {
    /// Samples the link. Appends position and value of each changed signal that is not late to
    /// `changes`. If a step begins, returns the previous one.
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        moment: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>>;

    /// Returns the present step, as far as it was seen.
    fn end(&mut self) -> Option<Box<dyn LinkStep>>;
}

/// Finished step of a link.
pub trait LinkStep {
    /// Number of the step, counted from the start.
    fn number(&self) -> u64;

    /// True if the schedule permits the use of this link in the step.
    fn is_scheduled(&self) -> bool;

    /// True if the link was idle.
    fn is_idle(&self) -> bool;

    /// Changes of the late signals, each signal in order of time. A change has the clock cycle from
    /// the start, the position of the signal, and its value.
    fn changes(&self) -> Vec<(u64, usize, WaveValue)>;

    /// Traffic of the step, as a logic analyser prints it.
    fn drawing(&self) -> String;
}

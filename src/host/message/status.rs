//! How things stand on a board, and where programs are; their bytes.

use crate::host::bytes::Reader;
use std::fmt;

/// What a board is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No program is loaded.
    #[default]
    Empty,
    /// A part of one is.
    Loading,
    /// It has a program that does not run.
    Loaded,
    /// The machine is being made ready.
    Starting,
    Running,
    /// Nothing has moved for so long that nothing will, unless a message comes: the clock
    /// stands still until then.
    Resting,
    /// Every program has ended, or halted.
    Ended,
    /// The machine cannot go on; why stands in [`Status::text`].
    Failed,
}

impl State {
    const ALL: [State; 8] = [
        State::Empty,
        State::Loading,
        State::Loaded,
        State::Starting,
        State::Running,
        State::Resting,
        State::Ended,
        State::Failed,
    ];

    /// Whether programs can still tell something without being given more.
    pub fn is_at_work(self) -> bool {
        matches!(self, State::Starting | State::Running)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Empty => "no program is loaded",
            State::Loading => "a program is half loaded",
            State::Loaded => "a program is loaded and does not run",
            State::Starting => "the machine is being made ready",
            State::Running => "running",
            State::Resting => "nothing moves any more",
            State::Ended => "every program has ended",
            State::Failed => "the machine has failed",
        })
    }
}

/// How things stand on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub state: State,
    /// Programs that have ended, and cores that have halted.
    pub ended: u32,
    pub halted: u32,
    /// Messages that were given and not yet handed to the machine, and events that were not
    /// collected.
    pub given: u32,
    pub told: u32,
    /// Since the start: phases that are over, clock cycles, frames that were taken.
    pub phases: u64,
    pub clock_cycles: u64,
    pub hops: u64,
    /// CRC-32 of the program that is loaded; 0 if there is none.
    pub crc: u32,
    /// Why it failed.
    pub text: String,
}

/// Where the program of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub node: u32,
    pub state: crate::machine::State,
    pub pc: u32,
}

impl Status {
    pub(super) fn write(&self, payload: &mut Vec<u8>) {
        payload.push(self.state as u8);
        for number in [self.ended, self.halted, self.given, self.told] {
            payload.extend(number.to_le_bytes());
        }
        for number in [self.phases, self.clock_cycles, self.hops] {
            payload.extend(number.to_le_bytes());
        }
        payload.extend(self.crc.to_le_bytes());
        payload.extend(self.text.bytes().take(200));
    }

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        let state = payload.u8()?;
        Some(Status {
            state: *State::ALL.get(usize::from(state))?,
            ended: payload.u32()?,
            halted: payload.u32()?,
            given: payload.u32()?,
            told: payload.u32()?,
            phases: payload.u64()?,
            clock_cycles: payload.u64()?,
            hops: payload.u64()?,
            crc: payload.u32()?,
            text: payload.text(),
        })
    }
}

impl Place {
    /// Bytes that it takes.
    pub(in crate::host) const LENGTH: usize = 9;

    pub(super) fn read(payload: &mut Reader) -> Option<Self> {
        use crate::machine::State;
        let (node, state) = (payload.u32()?, payload.u8()?);
        let states = [State::Asleep, State::Awake, State::Halted];
        Some(Place {
            node,
            state: *states.get(usize::from(state))?,
            pc: payload.u32()?,
        })
    }
}

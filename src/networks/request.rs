//! What a network is asked for, and what it answers.

use super::Machine;
use crate::engine::EngineError;
use crate::machine::{Entry, LoadError, RunError};
use crate::program::FirmwareError;
use crate::routing::dependencies::Holding;
use crate::routing::Relation;
use crate::topology::{Addresses, Hypercube, Outside};
use crate::traffic::{MessageList, Pattern, Recipe, RecipeError};
use clap::parser::ValueSource;
use clap::ArgMatches;
use hdl::lower::LowerErrors;
use std::fmt;
use std::sync::Arc;

/// The commands that networks have flags for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Run,
    Compare,
    Route,
    Bench,
}

/// What `run` asks for.
pub struct Request<'a> {
    /// 2^dims nodes are asked for.
    pub cube: Hypercube,
    pub recipe: Recipe,
    /// These messages instead of the recipe's.
    pub list: Option<MessageList>,
    /// Programs are given data in place of messages, in messages of up to so many bytes
    /// between nodes.
    pub programs: Option<usize>,
    /// The messages are to be written to a file.
    pub dumps: bool,
    /// Of the command, those of the network among them.
    pub flags: &'a ArgMatches,
}

impl Request<'_> {
    /// Refuses to give data to programs on such a machine.
    ///
    /// # Errors
    /// If that is asked for, and something of this is so: the nodes run no program, the
    /// machine is `disturbed`.
    pub fn check_programs(&self, program: bool, disturbed: bool) -> Result<(), Refusal> {
        match self.programs {
            Some(_) if !program => Err(Refusal::bad(
                "--data is for nodes that run a program; accepted: --data with --firmware",
            )),
            Some(_) if disturbed => Err(Refusal::bad(
                "--noise, --dead and --slip are not there yet for programs that are given data; \
                 accepted: --data without them",
            )),
            _ => Ok(()),
        }
    }

    /// Whether the command has this flag, and it was given.
    pub fn is_given(&self, flag: &str) -> bool {
        self.flags.ids().any(|id| id.as_str() == flag)
            && self.flags.value_source(flag) == Some(ValueSource::CommandLine)
    }

    /// The messages that are asked for.
    ///
    /// # Errors
    /// If the recipe does not fit these addresses.
    pub fn messages(&self, addresses: impl Into<Addresses>) -> Result<MessageList, Refusal> {
        match &self.list {
            Some(list) => Ok(list.clone()),
            None => Ok(self.recipe.list(addresses)?),
        }
    }
}

/// What messages wait for.
pub struct Waiting {
    pub relation: Box<dyn Relation>,
    /// What a message holds while it waits.
    pub holding: Holding,
    /// Why messages that wait in a circle do not stand still all the same, in a sentence.
    pub way_out: Option<&'static str>,
}

/// A machine, and what it is to carry.
pub struct Job {
    pub machine: Box<dyn Machine>,
    pub messages: Arc<MessageList>,
    /// What sources and destinations are addresses of.
    pub addresses: Addresses,
    /// What the messages are, if the network has others than the recipe's.
    pub pattern: Option<Pattern>,
    /// Of each message the bit-time in which its source has it; past the end of the list,
    /// from the start.
    pub created: Vec<u64>,
    /// Periods after which the run ends.
    pub limit: Option<u64>,
    /// What the network has to say of the messages, whatever becomes of them.
    pub remark: Option<Remark>,
}

/// What a network says of the messages of a run because its flags ask for it.
pub struct Remark {
    /// For people, without the end of the line.
    pub line: String,
    /// For `--json`.
    pub entries: Vec<Entry>,
}

impl Job {
    /// With messages that are those of the recipe and all there at the start, to the end.
    pub fn new(
        machine: Box<dyn Machine>,
        messages: impl Into<Arc<MessageList>>,
        addresses: impl Into<Addresses>,
    ) -> Self {
        Job {
            machine,
            messages: messages.into(),
            addresses: addresses.into(),
            pattern: None,
            created: vec![],
            limit: None,
            remark: None,
        }
    }
}

/// What all machines of a comparison have in common.
pub struct Setting<'a> {
    /// 2^dims nodes.
    pub cube: Hypercube,
    /// The logarithm to base 2 of the processors of a node, 0 to 4.
    pub proc_bits: u32,
    /// Bytes of payload of the longest message.
    pub payload: usize,
    /// There is no other machine beside it: a network whose flags say how many nodes there
    /// are may have as many as they say.
    pub alone: bool,
    /// Of the command, those of the network among them.
    pub flags: &'a ArgMatches,
}

impl Setting<'_> {
    /// Bytes of payload of the longest message between nodes: with several processors a
    /// message has a byte more, which names the processor it is for.
    ///
    /// # Errors
    /// If that is more than a TDMA frame carries, `most`.
    pub fn node_payload(&self, most: usize) -> Result<usize, Refusal> {
        let payload = self.payload + usize::from(self.proc_bits > 0);
        if payload > most {
            return Err(Refusal::bad(format!(
                "{} bytes of payload, and one that names the processor, are more than a TDMA \
                 frame carries; accepted: a payload of up to {} bytes, or --processors 1",
                self.payload,
                most - 1
            )));
        }
        Ok(payload)
    }
}

/// What a reader of a comparison is told of a network, in sentences.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// What its machines were built for: `TDMA with acked links`.
    pub built: Option<String>,
    /// Its words, before they are used.
    pub terms: &'static str,
    /// What the figures of its silicon leave out.
    pub price: &'static str,
    /// What its times hold.
    pub time: &'static str,
    /// What is one of its wires.
    pub wires: &'static str,
    /// To when its times are counted.
    pub arrival: &'static str,
}

/// Why a network has no machine for a request, or could not do what was asked.
#[derive(Debug)]
pub enum Refusal {
    /// Flags or files of the user are wrong. The message says what would be accepted.
    BadInput(anyhow::Error),
    /// There is no machine of so many nodes or processors, whatever the network's own flags
    /// are. The message says of which size there are. A comparison for which the network is
    /// not named goes on without it.
    Size(anyhow::Error),
    /// A program could not be had.
    Firmware(FirmwareError),
    /// Something failed.
    Failed(anyhow::Error),
}

impl Refusal {
    /// Bad input, in a sentence.
    pub fn bad(message: impl fmt::Display) -> Self {
        Refusal::BadInput(anyhow::anyhow!("{message}"))
    }

    /// No machine of that size, in a sentence.
    pub fn size(message: impl fmt::Display) -> Self {
        Refusal::Size(anyhow::anyhow!("{message}"))
    }

    /// A failure, in a sentence.
    pub fn failed(message: impl fmt::Display) -> Self {
        Refusal::Failed(anyhow::anyhow!("{message}"))
    }
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Refusal::BadInput(error.into())
    }
}

impl From<RecipeError> for Refusal {
    fn from(error: RecipeError) -> Self {
        Refusal::BadInput(error.into())
    }
}

impl From<Outside> for Refusal {
    fn from(error: Outside) -> Self {
        Refusal::BadInput(error.into())
    }
}

impl From<LoadError> for Refusal {
    fn from(error: LoadError) -> Self {
        Refusal::BadInput(error.into())
    }
}

impl From<FirmwareError> for Refusal {
    fn from(error: FirmwareError) -> Self {
        Refusal::Firmware(error)
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Refusal::Failed(error.into())
    }
}

impl From<LowerErrors> for Refusal {
    fn from(error: LowerErrors) -> Self {
        Refusal::Failed(error.into())
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        Refusal::Failed(error.into())
    }
}

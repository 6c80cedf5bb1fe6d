//! Requests to a network, and its answers.

use super::Machine;
use crate::program::FirmwareError;
use crate::text::format_count;
use crate::{JsonEntry, Load, LoadError, RunError};
use anyhow::Context;
use clap::parser::ValueSource;
use clap::ArgMatches;
use engine::EngineError;
use hdl::lower::LowerErrors;
use interconnect::routing::dependencies::Switching;
use interconnect::routing::{Channel, Relation};
use interconnect::topology::{node_at, AddressOutOfRange, AddressSpace, Hypercube, Topology};
use interconnect::traffic::{MessageList, Recipe, RecipeError, TrafficPattern};
use std::fmt;
use std::sync::Arc;

/// Commands for which networks have flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Run,
    Compare,
    Route,
    Bench,
}

/// Request of the command `run`.
pub struct RunRequest<'a> {
    /// Cube with the requested number of nodes, 2^dims.
    pub cube: Hypercube,
    pub recipe: Recipe,
    /// Messages that replace the messages of the recipe.
    pub list: Option<MessageList>,
    /// Set if programs are given data in place of messages. The value is the maximum payload in
    /// bytes of messages between nodes.
    pub programs: Option<usize>,
    /// True if the messages are to be written to a file.
    pub writes_messages: bool,
    /// Flags of the command, including the network's own flags.
    pub flags: &'a ArgMatches,
}

impl RunRequest<'_> {
    /// Refuses to give data to nodes that run no program.
    ///
    /// # Errors
    /// If data is to be given and the nodes run no program.
    pub fn check_programs(&self, program: bool) -> Result<(), NetworkError> {
        match self.programs {
            Some(_) if !program => Err(NetworkError::bad(
                "--data is for nodes that run a program; accepted: --data with --firmware",
            )),
            _ => Ok(()),
        }
    }

    /// True if the command has this flag and the user gave it.
    pub fn is_given(&self, flag: &str) -> bool {
        self.flags.ids().any(|id| id.as_str() == flag)
            && self.flags.value_source(flag) == Some(ValueSource::CommandLine)
    }

    /// Returns the requested messages.
    ///
    /// # Errors
    /// If the recipe does not fit these addresses.
    pub fn messages(
        &self,
        addresses: impl Into<AddressSpace>,
    ) -> Result<MessageList, NetworkError> {
        match &self.list {
            Some(list) => Ok(list.clone()),
            None => Ok(self.recipe.list(addresses)?),
        }
    }
}

/// Routing relation of messages and the resources that they hold, for the deadlock checker.
pub struct DeadlockModel {
    pub relation: Box<dyn Relation>,
    /// Resources that a message holds while it waits.
    pub holding: Switching,
    /// Reason why a cycle of waiting messages does not deadlock, in one sentence.
    pub no_deadlock_reason: Option<&'static str>,
}

/// Machine and its load.
pub struct MachineJob {
    pub machine: Box<dyn Machine>,
    pub load: Load,
    /// Address space of sources and destinations.
    pub addresses: AddressSpace,
    /// Pattern of the messages, if the network replaces the pattern of the recipe.
    pub pattern: Option<TrafficPattern>,
    /// Number of periods after which the run ends.
    pub limit: Option<u64>,
    /// Remark of the network on the messages, printed for every outcome of the run.
    pub remark: Option<Remark>,
}

/// Remark of a network on the messages of a run, requested by a flag.
pub struct Remark {
    /// Text for the reader, without a newline.
    pub line: String,
    /// Keys that the network adds to the object of `--json`, with their values.
    pub entries: Vec<JsonEntry>,
}

impl MachineJob {
    /// Creates a job with the messages of the recipe. All are available at the start, and the run
    /// has no limit.
    pub fn new(
        machine: Box<dyn Machine>,
        messages: impl Into<Arc<MessageList>>,
        addresses: impl Into<AddressSpace>,
    ) -> Self {
        MachineJob {
            machine,
            load: Load::at_once(messages),
            addresses: addresses.into(),
            pattern: None,
            limit: None,
            remark: None,
        }
    }
}

/// Parameters that all machines of a comparison share.
pub struct ComparisonSetting<'a> {
    /// Cube with 2^dims nodes.
    pub cube: Hypercube,
    /// Log2 of the processors of a node, 0 to 4.
    pub proc_bits: u32,
    /// Payload in bytes of the longest message.
    pub payload: usize,
    /// True if this is the only machine. Flags of its network that set the number of nodes then
    /// take precedence.
    pub alone: bool,
    /// Flags of the command, including the network's own flags.
    pub flags: &'a ArgMatches,
}

impl ComparisonSetting<'_> {
    /// Returns the payload in bytes of the longest message between nodes. With several processors
    /// to a node a message has one more byte, which selects the processor.
    ///
    /// # Errors
    /// If the payload exceeds `most`, the maximum of a TDMA frame.
    pub fn node_payload(&self, most: usize) -> Result<usize, NetworkError> {
        let payload = self.payload + usize::from(self.proc_bits > 0);
        if payload > most {
            return Err(NetworkError::bad(format!(
                "{} bytes of payload and one byte that selects the processor exceed a TDMA frame; \
                 accepted: a payload of up to {} bytes, or --processors 1",
                self.payload,
                most - 1
            )));
        }
        Ok(payload)
    }
}

/// Sentences about a network for the report of a comparison.
#[derive(Clone, Debug, Default)]
pub struct NetworkNotes {
    /// Parameters of its machines, for example `TDMA with acked links`.
    pub parameters: Option<String>,
    /// Explanation of its terms, printed before their first use.
    pub terms: &'static str,
    /// Parts that the figures of its silicon do not include.
    pub silicon_excludes: &'static str,
    /// Parts that its times include.
    pub time_includes: &'static str,
    /// Definition of one of its wires.
    pub wire_definition: &'static str,
    /// Event up to which its times are counted.
    pub arrival: &'static str,
}

/// Reason why a network has no machine for a request, or could not carry it out.
#[derive(Debug)]
pub enum NetworkError {
    /// Flags or files of the user are wrong. The message lists what is accepted.
    BadInput(anyhow::Error),
    /// No machine has this number of nodes or processors, for any flags of the network. The message
    /// lists the accepted sizes. A comparison that does not name the network omits it and
    /// continues.
    Size(anyhow::Error),
    /// A program could not be fetched or built.
    Firmware(FirmwareError),
    /// An operation failed.
    Failed(anyhow::Error),
}

impl NetworkError {
    /// Creates a bad-input error from a sentence.
    pub fn bad(message: impl fmt::Display) -> Self {
        NetworkError::BadInput(anyhow::anyhow!("{message}"))
    }

    /// Creates a size error from a sentence.
    pub fn size(message: impl fmt::Display) -> Self {
        NetworkError::Size(anyhow::anyhow!("{message}"))
    }

    /// Creates a failure from a sentence.
    pub fn failed(message: impl fmt::Display) -> Self {
        NetworkError::Failed(anyhow::anyhow!("{message}"))
    }
}

impl From<clap::Error> for NetworkError {
    fn from(error: clap::Error) -> Self {
        NetworkError::BadInput(error.into())
    }
}

impl From<RecipeError> for NetworkError {
    fn from(error: RecipeError) -> Self {
        NetworkError::BadInput(error.into())
    }
}

impl From<AddressOutOfRange> for NetworkError {
    fn from(error: AddressOutOfRange) -> Self {
        NetworkError::BadInput(error.into())
    }
}

impl From<LoadError> for NetworkError {
    fn from(error: LoadError) -> Self {
        NetworkError::BadInput(error.into())
    }
}

impl From<FirmwareError> for NetworkError {
    fn from(error: FirmwareError) -> Self {
        NetworkError::Firmware(error)
    }
}

impl From<EngineError> for NetworkError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NoModel(_) => NetworkError::BadInput(error.into()),
            error => NetworkError::Failed(error.into()),
        }
    }
}

impl From<LowerErrors> for NetworkError {
    fn from(error: LowerErrors) -> Self {
        NetworkError::Failed(error.into())
    }
}

impl From<RunError> for NetworkError {
    fn from(error: RunError) -> Self {
        NetworkError::Failed(error.into())
    }
}

// Route of one message, as the command `route` prints it.

/// Hop of a route: `node` passes the message to `next`.
#[derive(Debug)]
pub struct NetworkHop {
    pub node: u32,
    pub next: u32,
    /// Printed names of both nodes.
    pub names: [String; 2],
    /// Values of the columns between them, numbers or words, in the order of [`NetworkRoute::columns`].
    pub cells: Vec<JsonEntry>,
}

/// Route of a message without contention.
#[derive(Debug)]
pub struct NetworkRoute {
    /// Ends and machine in one line: `0x2 to 0x5 on the 3-cube`.
    pub title: String,
    /// Duration, in lines of text.
    pub summary: String,
    /// Parameters of the machine, for `--json`.
    pub settings: Vec<JsonEntry>,
    /// Names of the columns between `node` and `next`.
    pub columns: Vec<&'static str>,
    pub hops: Vec<NetworkHop>,
}

/// Returns the route of a message that always takes the first permitted channel.
///
/// # Errors
/// If source or destination is no node.
pub(super) fn route_by_relation(
    relation: &dyn Relation,
    dims: u64,
    ends: [u64; 2],
) -> Result<NetworkRoute, NetworkError> {
    let topology = relation.topology();
    let [source, destination] = check_ends(topology, ends)?;
    let route = relation.route(source, destination);
    let hop = |channel: &Channel| NetworkHop {
        node: channel.from.node,
        next: topology.peer(channel.from).node,
        cells: vec![JsonEntry::new("port", channel.from.port), JsonEntry::new("vc", channel.vc)],
        names: [channel.from.node, topology.peer(channel.from).node]
            .map(|node| topology.node_name(node)),
    };
    let (from, to) = (topology.node_name(source), topology.node_name(destination));
    Ok(NetworkRoute {
        title: format!("{from} to {to} on the {}", topology.name()),
        summary: format_count(route.len(), "hop"),
        settings: vec![JsonEntry::new("dims", dims)],
        columns: vec!["port", "vc"],
        hops: route.iter().map(hop).collect(),
    })
}

/// Returns source and destination of a route.
///
/// # Errors
/// If one of them is no node of the topology. The message names it.
pub(super) fn check_ends(
    topology: &dyn Topology,
    ends: [u64; 2],
) -> Result<[u32; 2], NetworkError> {
    let end = |what: &'static str, value| {
        let node = node_at(topology, value).context(what);
        node.map_err(NetworkError::BadInput)
    };
    Ok([end("the source", ends[0])?, end("the destination", ends[1])?])
}

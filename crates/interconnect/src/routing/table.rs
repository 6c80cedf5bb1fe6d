//! A network without a circuit, from two CSV files: its channels, and the routes through them.
//!
//! ```text
//! from,to,vcs             at,to,next,vc,escape
//! a,b,2                   a,c,b,0,yes
//! b,a,2                   a,c,b,1,
//! ```
//!
//! The format is in docs/your-own-network.md.

use super::{Channel, Relation};
use crate::topology::{Graph, GraphError, PortEnd, Topology};
use crate::RowLines;
use std::collections::HashMap;
use std::fmt;
use thiserror::Error;

/// Most virtual channels of a channel.
const VCS_MAX: u32 = 64;

/// A relation that is a table of routes.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    graph: Graph,
    /// Number of virtual channels, by the end of their channel.
    vcs: HashMap<PortEnd, u32>,
    /// Rows by node and destination.
    rows: HashMap<(u32, u32), Vec<Row>>,
}

/// A channel that some messages may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    next: Channel,
    escape: bool,
    origin: Origin,
    /// Virtual channel by which the messages come; any if `None`.
    from_vc: Option<u32>,
    line: u64,
}

impl Row {
    /// Returns true if messages that begin at the node may take the row.
    fn applies_at_source(&self) -> bool {
        matches!(self.origin, Origin::Any | Origin::Here)
    }
}

/// The messages that a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Any,
    /// Messages that begin at the node.
    Here,
    /// Messages that come from this node.
    Node(u32),
}

/// Error in one of the files, with the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct TableError {
    pub line: u64,
    pub problem: TableProblem,
}

/// Kind of error. The message states the accepted form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableProblem {
    #[error("{0}")]
    Csv(String),
    #[error("there is no column {found:?}; accepted: {accepted}")]
    Column { found: String, accepted: &'static str },
    #[error("the column {column} is missing; accepted: {accepted}")]
    NoColumn { column: &'static str, accepted: &'static str },
    #[error("the column {0} is empty; accepted: the name of a node")]
    Empty(&'static str),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("{column} is {found:?}; accepted: {accepted}")]
    Value { column: &'static str, found: String, accepted: String },
    #[error("there is no node {0:?}; accepted: the nodes of the topology")]
    NoNode(String),
    #[error("no channel leads from {0} to {1}; accepted: the channels of the topology")]
    NoChannel(String, String),
    #[error("a message for {0} has arrived there; accepted: rows for other nodes")]
    Arrived(String),
    #[error("a message for {to} that goes from {at} to {next} ends there; accepted: a row for it at {next}")]
    DeadEnd { at: String, to: String, next: String },
    #[error("there is no line; accepted: a line for each {0}")]
    NoLine(&'static str),
}

const TOPOLOGY_COLUMNS: &str = "from,to[,vcs]";
const ROUTE_COLUMNS: &str = "at,to,next[,vc][,from][,from_vc][,escape]";

impl RoutingTable {
    /// Reads the channels and the routes from CSV.
    ///
    /// # Errors
    /// If a file has a wrong line, or a message would stop on its way.
    pub fn parse(topology: &str, routes: &str) -> Result<Self, (TableFile, TableError)> {
        let (graph, vcs) = parse_topology(topology).map_err(|e| (TableFile::Topology, e))?;
        let rows = HashMap::new();
        let mut table = RoutingTable { graph, vcs, rows };
        let filled = table.add_routes(routes);
        filled.map_err(|error| (TableFile::Routes, error))?;
        Ok(table)
    }

    /// Number of pairs of nodes without a route. Such messages do not exist.
    pub fn pairs_without_route(&self) -> usize {
        let nodes = self.graph.nodes() as usize;
        let begins = |rows: &&Vec<Row>| rows.iter().any(Row::applies_at_source);
        nodes * nodes.saturating_sub(1) - self.rows.values().filter(begins).count()
    }

    fn add_routes(&mut self, text: &str) -> Result<(), TableError> {
        let accepted = ROUTE_COLUMNS;
        let columns = ["at", "to", "next", "vc", "from", "from_vc", "escape"];
        for record in records(text, &columns, 3, accepted, "route")? {
            let row = self.parse_row(&record);
            let (key, row) = row.map_err(|problem| record.error(problem))?;
            self.rows.entry(key).or_default().push(row);
        }
        self.check_dead_ends()
    }

    fn parse_row(&self, record: &Record) -> Result<((u32, u32), Row), TableProblem> {
        let graph = &self.graph;
        let node = |column: &'static str| {
            let name = record.name(column)?;
            let node = graph.node(&name).ok_or(TableProblem::NoNode(name))?;
            Ok::<u32, TableProblem>(node)
        };
        let (at, to, next) = (node("at")?, node("to")?, node("next")?);
        let name = |node: u32| graph.node_name(node);
        if at == to {
            return Err(TableProblem::Arrived(name(to)));
        }
        let channel = |from: u32, to: u32| {
            let port = graph.port_to(from, to);
            let port = port.ok_or_else(|| TableProblem::NoChannel(name(from), name(to)))?;
            Ok::<PortEnd, TableProblem>(PortEnd::new(from, port))
        };
        let end = channel(at, next)?;
        let vc = |column, end| record.number(column, self.vcs[&end]);
        let origin = match record.get("from") {
            "" => Origin::Any,
            _ if node("from")? == at => Origin::Here,
            _ => Origin::Node(node("from")?),
        };
        let from_vc = match origin {
            Origin::Node(from) => vc("from_vc", channel(from, at)?)?,
            _ if record.get("from_vc").is_empty() => None,
            _ => {
                return Err(TableProblem::Value {
                    column: "from_vc",
                    found: record.get("from_vc").to_owned(),
                    accepted: "nothing, or a node in the column from".into(),
                })
            }
        };
        let escape = match record.get("escape") {
            "yes" | "1" => true,
            "" | "no" | "0" => false,
            found => {
                return Err(TableProblem::Value {
                    column: "escape",
                    found: found.to_owned(),
                    accepted: "yes, no, 1, 0, or nothing".into(),
                })
            }
        };
        let row = Row {
            next: Channel::new(end, vc("vc", end)?.unwrap_or(0)),
            escape,
            origin,
            from_vc,
            line: record.line,
        };
        Ok(((at, to), row))
    }

    /// Checks that each row leads to the destination, or to a row for the next node.
    fn check_dead_ends(&self) -> Result<(), TableError> {
        let mut dead: Vec<TableError> = vec![];
        for ((at, to), rows) in &self.rows {
            for row in rows {
                let next = self.graph.peer(row.next.from).node;
                if next == *to || !self.next(row.next, *to).is_empty() {
                    continue;
                }
                let [at, to, next] = [*at, *to, next].map(|node| self.graph.node_name(node));
                let problem = TableProblem::DeadEnd { at, to, next };
                let line = row.line;
                dead.push(TableError { line, problem });
            }
        }
        match dead.into_iter().min_by_key(|error| error.line) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn rows(&self, at: u32, to: u32) -> impl Iterator<Item = &Row> {
        self.rows.get(&(at, to)).into_iter().flatten()
    }
}

impl Relation for RoutingTable {
    fn topology(&self) -> &dyn Topology {
        &self.graph
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let rows = self.rows(source, destination);
        let rows = rows.filter(|row| row.applies_at_source());
        distinct(rows.map(|row| row.next))
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let here = self.graph.peer(channel.from).node;
        let applies = |row: &&Row| match row.origin {
            Origin::Any => true,
            Origin::Here => false,
            Origin::Node(from) => {
                from == channel.from.node && row.from_vc.is_none_or(|vc| vc == channel.vc)
            }
        };
        let rows = self.rows(here, destination).filter(applies);
        distinct(rows.map(|row| row.next))
    }

    fn channel_name(&self, channel: Channel) -> String {
        let to = self.graph.peer(channel.from).node;
        let [from, to] = [channel.from.node, to].map(|node| self.graph.node_name(node));
        match self.vcs[&channel.from] {
            1 => format!("{from} to {to}"),
            _ => format!("{from} to {to}, virtual channel {}", channel.vc),
        }
    }

    fn has_route(&self, source: u32, destination: u32) -> bool {
        let mut rows = self.rows(source, destination);
        rows.any(Row::applies_at_source)
    }

    fn is_escape(&self, channel: Channel, destination: u32) -> bool {
        let mut rows = self.rows(channel.from.node, destination);
        rows.any(|row| row.escape && row.next == channel)
    }
}

/// Channels in the order of the rows, each once.
fn distinct(channels: impl Iterator<Item = Channel>) -> Vec<Channel> {
    let mut all = vec![];
    for channel in channels {
        if !all.contains(&channel) {
            all.push(channel);
        }
    }
    all
}

/// One of the two files of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFile {
    Topology,
    Routes,
}

/// Name of the flag that has the file.
impl fmt::Display for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TableFile::Topology => "--topology",
            TableFile::Routes => "--routes",
        })
    }
}

fn parse_topology(text: &str) -> Result<(Graph, HashMap<PortEnd, u32>), TableError> {
    let mut graph = Graph::default();
    let mut vcs = HashMap::new();
    let columns = ["from", "to", "vcs"];
    for record in records(text, &columns, 2, TOPOLOGY_COLUMNS, "channel")? {
        let add = || {
            let (from, to) = (record.name("from")?, record.name("to")?);
            graph.add_channel(&from, &to)?;
            let wrong = |_| record.value_error("vcs", format!("1 to {VCS_MAX}"));
            let count = record.number("vcs", VCS_MAX + 1).map_err(wrong)?.unwrap_or(1);
            if count == 0 {
                return Err(record.value_error("vcs", format!("1 to {VCS_MAX}")));
            }
            let [from, to] = [from, to].map(|name| graph.node(&name).expect("it was added"));
            let port = graph.port_to(from, to).expect("it was added");
            vcs.insert(PortEnd::new(from, port), count);
            Ok(())
        };
        let mut add = add;
        add().map_err(|problem| record.error(problem))?;
    }
    Ok((graph, vcs))
}

/// Line of a file, with its columns by name.
struct Record {
    line: u64,
    cells: HashMap<&'static str, String>,
}

impl Record {
    fn get(&self, column: &'static str) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    fn name(&self, column: &'static str) -> Result<String, TableProblem> {
        match self.get(column) {
            "" => Err(TableProblem::Empty(column)),
            name => Ok(name.to_owned()),
        }
    }

    /// Returns a number below `limit`, if there is one.
    fn number(&self, column: &'static str, limit: u32) -> Result<Option<u32>, TableProblem> {
        match self.get(column) {
            "" => Ok(None),
            text => match text.parse() {
                Ok(number) if number < limit => Ok(Some(number)),
                _ => Err(self.value_error(column, format!("0 to {}", limit - 1))),
            },
        }
    }

    fn value_error(&self, column: &'static str, accepted: String) -> TableProblem {
        let found = self.get(column).to_owned();
        TableProblem::Value { column, found, accepted }
    }

    fn error(&self, problem: TableProblem) -> TableError {
        TableError { line: self.line, problem }
    }
}

/// Reads the lines of a file. The first one names the columns, of which the first `required` must
/// be there. `#` begins a comment line.
fn records(
    text: &str,
    columns: &[&'static str],
    required: usize,
    accepted: &'static str,
    what: &'static str,
) -> Result<Vec<Record>, TableError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let mut lines = RowLines::new(text, true);
    let csv_error = |error: csv::Error| TableError {
        line: RowLines::new(text, true).line_of(error.position().map_or(0, csv::Position::byte)),
        problem: TableProblem::Csv(error.to_string()),
    };
    let line = lines.line_of(0);
    let first = |problem| TableError { line, problem };
    let headings = reader.headers().map_err(csv_error)?;
    let named = headings.iter().map(|found| {
        let column = columns.iter().find(|column| **column == found);
        column
            .copied()
            .ok_or_else(|| first(TableProblem::Column { found: found.to_owned(), accepted }))
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    if let Some(column) = columns[..required].iter().find(|c| !named.contains(c)) {
        return Err(first(TableProblem::NoColumn { column, accepted }));
    }
    let mut all = vec![];
    for record in reader.records() {
        let record = record.map_err(csv_error)?;
        let cells = named.iter().copied().zip(record.iter().map(str::to_owned));
        all.push(Record {
            line: lines.line_of(record.position().map_or(0, csv::Position::byte)),
            cells: cells.collect(),
        });
    }
    match all.is_empty() {
        true => Err(first(TableProblem::NoLine(what))),
        false => Ok(all),
    }
}

#[cfg(test)]
mod tests;

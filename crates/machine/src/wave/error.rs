//! Errors in the selection of signals to watch.

use interconnect::topology::{number::NumberError, NoSuchNode};
use thiserror::Error;

/// Reason why a signal cannot be watched.
#[derive(Debug, Error)]
pub enum WatchError {
    #[error(
        "{0:?} is not a signal; accepted: node[ADDRESS].SIGNAL, link[A-B].SIGNAL \
         and shared.SIGNAL, where an address may be *, and a signal have * for any characters \
         and ? for one"
    )]
    Unreadable(String),
    #[error(transparent)]
    Number(#[from] NumberError),
    #[error(transparent)]
    Node(#[from] NoSuchNode),
    #[error("{0:?} is one end of a link; accepted: two of them, as in 3-*, or * for all links")]
    OneEnd(String),
    #[error("there is no link between {a} and {b}; {a} has links to {near}")]
    NoLink { a: String, b: String, near: String },
    #[error("this machine has no links that can be watched; accepted: node[ADDRESS].SIGNAL and shared.SIGNAL")]
    NoLinks,
    #[error("no signal has the name {pattern:?}; {near}")]
    NoSignal { pattern: String, near: String },
    #[error(
        "the {engine} engine shows ports only, not `{path}`; accepted: --engine evaluator or \
         lockstep, or signals of links"
    )]
    Hidden { engine: &'static str, path: String },
}

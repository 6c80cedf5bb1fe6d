//! Finds the selected signals in an engine.

use super::{LinkProbe, Selection, WatchError, Watchable};
use engine::{NodeEngine, NodePortId, SharedPortId};
use std::collections::{BTreeMap, BTreeSet};

/// Access to the selected signals in an engine.
pub struct Taps {
    /// Ports of the shared circuit, in the order of the selection.
    pub(super) shared: Vec<SharedPortId>,
    /// Ports of the nodes, by position in [`Watchable::node`].
    pub(super) nodes: BTreeMap<usize, NodePortId>,
    /// Probes on the links, in the order of the selection.
    pub(super) links: Vec<Box<dyn LinkProbe>>,
}

impl Taps {
    /// Finds the selected signals.
    ///
    /// # Errors
    /// If the engine does not provide a selected signal.
    pub fn new(
        engine: &mut dyn NodeEngine,
        watchable: &Watchable,
        chosen: &Selection,
    ) -> Result<Self, WatchError> {
        let name = engine.name();
        let hidden = |path: &str| WatchError::Hidden {
            engine: name,
            path: path.into(),
        };
        let shared = chosen.shared.iter().map(|position| {
            let path = &watchable.shared[*position].path;
            engine.shared_signal(path).ok_or_else(|| hidden(path))
        });
        let shared = shared.collect::<Result<_, WatchError>>()?;
        let positions: BTreeSet<usize> = chosen.nodes.values().flatten().copied().collect();
        let nodes = positions.into_iter().map(|position| {
            let path = &watchable.node[position].path;
            let port = engine.signal(path).ok_or_else(|| hidden(path))?;
            Ok((position, port))
        });
        let nodes = nodes.collect::<Result<_, WatchError>>()?;
        let links = chosen.links.keys().map(|position| {
            let links = watchable.links.as_ref().ok_or(WatchError::NoLinks)?;
            Ok(links.decoder.probe(engine, links.all[*position]))
        });
        Ok(Taps {
            shared,
            nodes,
            links: links.collect::<Result<_, WatchError>>()?,
        })
    }
}

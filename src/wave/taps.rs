//! Finds in an engine the signals that were chosen.

use super::link_probe::LinkProbe;
use super::{Catalog, Selection, WatchError};
use crate::engine::{NodeEngine, NodePort, SharedPort};
use crate::machine::PhaseTiming;
use std::collections::{BTreeMap, BTreeSet};

/// How an engine shows what was chosen.
pub struct Taps {
    /// In the order of the selection.
    pub(super) shared: Vec<SharedPort>,
    /// By position in [`Catalog::node`].
    pub(super) nodes: BTreeMap<usize, NodePort>,
    /// In the order of the selection.
    pub(super) links: Vec<LinkProbe>,
}

impl Taps {
    /// `timing` is that of the links, in a machine that has them.
    ///
    /// # Errors
    /// If the engine does not show something that was chosen.
    pub fn new(
        engine: &mut dyn NodeEngine,
        catalog: &Catalog,
        chosen: &Selection,
        timing: Option<PhaseTiming>,
    ) -> Result<Self, WatchError> {
        let name = engine.name();
        let hidden = |path: &str| WatchError::Hidden {
            engine: name,
            path: path.into(),
        };
        let shared = chosen.shared.iter().map(|position| {
            let path = &catalog.shared[*position].path;
            engine.shared_signal(path).ok_or_else(|| hidden(path))
        });
        let shared = shared.collect::<Result<_, WatchError>>()?;
        let positions: BTreeSet<usize> = chosen.nodes.values().flatten().copied().collect();
        let nodes = positions.into_iter().map(|position| {
            let path = &catalog.node[position].path;
            let port = engine.signal(path).ok_or_else(|| hidden(path))?;
            Ok((position, port))
        });
        let nodes = nodes.collect::<Result<_, WatchError>>()?;
        let links = chosen.links.keys().map(|number| {
            let timing = timing.ok_or(WatchError::NoLinks)?;
            let link = catalog.link(*number);
            Ok(LinkProbe::new(engine, catalog.cube, link, timing))
        });
        Ok(Taps {
            shared,
            nodes,
            links: links.collect::<Result<_, WatchError>>()?,
        })
    }
}

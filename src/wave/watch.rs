//! Parses a `--watch` text: `node[0x2A3].uart.*`, `link[3-7].wire`.

use super::WatchError;
use crate::topology::{neighbours, node_at, number, Link, Topology};
use wildmatch::WildMatch;

/// One requested item.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Original text.
    pub text: String,
    pub place: WatchPlace,
    /// Signal names in that place. `*` matches any characters, and `?` matches one.
    pub signals: WildMatch,
}

/// Place of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchPlace {
    /// Signals in one node, or in all nodes if `None`.
    Node(Option<u32>),
    /// Signals on the links between these ends. `None` is any end.
    Link(Option<u32>, Option<u32>),
    /// Signals in the shared circuit.
    Shared,
}

impl Watch {
    /// Parses a text for a machine with these nodes.
    ///
    /// # Errors
    /// If the text has no accepted form, or the node or link does not exist.
    pub fn parse(text: &str, topology: &dyn Topology) -> Result<Self, WatchError> {
        let unreadable = || WatchError::Unreadable(text.into());
        let (place, signals) = match text.strip_prefix("shared.") {
            Some(signals) => (WatchPlace::Shared, signals),
            None => {
                let (place, signals) = text.split_once("].").ok_or_else(unreadable)?;
                let place = match place.split_once('[') {
                    Some(("node", node)) => WatchPlace::Node(address(node, topology)?),
                    Some(("link", ends)) => link(ends, topology)?,
                    _ => return Err(unreadable()),
                };
                (place, signals)
            }
        };
        if signals.is_empty() {
            return Err(unreadable());
        }
        Ok(Watch {
            text: text.into(),
            place,
            signals: WildMatch::new(signals),
        })
    }
}

impl WatchPlace {
    /// True if the place contains this link.
    pub fn has(self, link: Link) -> bool {
        let WatchPlace::Link(a, b) = self else {
            return false;
        };
        let is = |wanted: Option<u32>, node: u32| wanted.is_none_or(|wanted| wanted == node);
        let (from, to) = (link.from.node, link.to.node);
        is(a, from) && is(b, to) || is(a, to) && is(b, from)
    }
}

/// Parses the two ends of a link, in any order: `3-7`, `3-*`, or `*` for all.
///
/// # Errors
/// If the link does not exist.
pub fn link(ends: &str, topology: &dyn Topology) -> Result<WatchPlace, WatchError> {
    let (a, b) = match ends.split_once('-') {
        Some((a, b)) => (address(a, topology)?, address(b, topology)?),
        None if ends == "*" => (None, None),
        None => return Err(WatchError::OneEnd(ends.into())),
    };
    if let (Some(a), Some(b)) = (a, b) {
        let near = neighbours(topology, a);
        if !near.contains(&b) {
            let near = near.into_iter().map(|node| topology.node_name(node));
            return Err(WatchError::NoLink {
                a: topology.node_name(a),
                b: topology.node_name(b),
                near: near.collect::<Vec<_>>().join(", "),
            });
        }
    }
    Ok(WatchPlace::Link(a, b))
}

fn address(text: &str, topology: &dyn Topology) -> Result<Option<u32>, WatchError> {
    match text {
        "*" => Ok(None),
        _ => Ok(Some(node_at(topology, number::parse(text)?)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{links, Hypercube};

    fn cube() -> Hypercube {
        Hypercube::new(3).unwrap()
    }

    fn place(text: &str) -> WatchPlace {
        Watch::parse(text, &cube()).unwrap().place
    }

    #[test]
    fn places_are_read() {
        assert_eq!(place("node[0x5].uart.*"), WatchPlace::Node(Some(5)));
        assert_eq!(place("node[*].level"), WatchPlace::Node(None));
        assert_eq!(place("link[3-7].wire"), WatchPlace::Link(Some(3), Some(7)));
        assert_eq!(place("link[*-0x7].wire"), WatchPlace::Link(None, Some(7)));
        assert_eq!(place("link[*].*"), WatchPlace::Link(None, None));
        assert_eq!(place("shared.phase"), WatchPlace::Shared);
    }

    #[test]
    fn links_are_those_with_the_ends() {
        let ends = |text: &str| -> Vec<(u32, u32)> {
            let (place, cube) = (place(text), cube());
            let found = links(&cube).filter(|link| place.has(*link));
            found.map(|l| (l.from.node, l.to.node)).collect()
        };
        assert_eq!(ends("link[7-3].wire"), [(3, 7)]);
        assert_eq!(ends("link[5-*].wire"), [(4, 5), (5, 7), (1, 5)]);
        assert_eq!(ends("link[*].wire").len(), 12);
        assert_eq!(ends("node[*].wire"), []);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (text, says) in [
            ("uart.tx", "accepted: node[ADDRESS].SIGNAL"),
            ("chip[3].x", "accepted: node[ADDRESS].SIGNAL"),
            ("node[3]uart", "accepted: node[ADDRESS].SIGNAL"),
            ("node[3].", "accepted: node[ADDRESS].SIGNAL"),
            ("node[8].x", "outside the 3-cube; accepted: 0x0 to 0x7"),
            ("node[x].x", "\"x\""),
            ("link[3].wire", "accepted: two of them, as in 3-*"),
            (
                "link[3-4].wire",
                "no link between 0x3 and 0x4; 0x3 has links to 0x2, 0x1, 0x7",
            ),
        ] {
            let error = Watch::parse(text, &cube()).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

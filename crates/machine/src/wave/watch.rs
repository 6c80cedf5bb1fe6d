//! Parses a `--watch` text: `node[0x2A3].uart.*`, `link[3-7].wire`.

use super::WatchError;
use interconnect::topology::{neighbours, node_at, number, Link, Topology};
use wildmatch::WildMatch;

/// One requested item.
#[derive(Clone, Debug)]
pub struct WatchSpec {
    /// Original text.
    pub text: String,
    pub scope: WatchScope,
    /// Signal names in that place. `*` matches any characters, and `?` matches one.
    pub signals: WildMatch,
}

/// Place of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchScope {
    /// Signals in one node, or in all nodes if `None`.
    Node(Option<u32>),
    /// Signals on the links between these ends. `None` is any end.
    Link(Option<u32>, Option<u32>),
    /// Signals in the shared circuit.
    Shared,
}

impl WatchSpec {
    /// Parses a text for a machine with these nodes.
    ///
    /// # Errors
    /// If the text has no accepted form, or the node or link does not exist.
    pub fn parse(text: &str, topology: &dyn Topology) -> Result<Self, WatchError> {
        let unreadable = || WatchError::Unreadable(text.into());
        let (place, signals) = match text.strip_prefix("shared.") {
            Some(signals) => (WatchScope::Shared, signals),
            None => {
                let (place, signals) = text.split_once("].").ok_or_else(unreadable)?;
                let place = match place.split_once('[') {
                    Some(("node", node)) => WatchScope::Node(parse_address(node, topology)?),
                    Some(("link", ends)) => parse_link(ends, topology)?,
                    _ => return Err(unreadable()),
                };
                (place, signals)
            }
        };
        if signals.is_empty() {
            return Err(unreadable());
        }
        Ok(WatchSpec {
            text: text.into(),
            scope: place,
            signals: WildMatch::new(signals),
        })
    }
}

impl WatchScope {
    /// True if the place contains this link.
    pub fn contains_link(self, link: Link) -> bool {
        let WatchScope::Link(a, b) = self else {
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
pub fn parse_link(ends: &str, topology: &dyn Topology) -> Result<WatchScope, WatchError> {
    let (a, b) = match ends.split_once('-') {
        Some((a, b)) => (parse_address(a, topology)?, parse_address(b, topology)?),
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
    Ok(WatchScope::Link(a, b))
}

fn parse_address(text: &str, topology: &dyn Topology) -> Result<Option<u32>, WatchError> {
    match text {
        "*" => Ok(None),
        _ => Ok(Some(node_at(topology, number::parse(text)?)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{links, Hypercube};

    fn cube() -> Hypercube {
        Hypercube::new(3).unwrap()
    }

    fn place(text: &str) -> WatchScope {
        WatchSpec::parse(text, &cube()).unwrap().scope
    }

    #[test]
    fn watch_scopes_are_parsed() {
        assert_eq!(place("node[0x5].uart.*"), WatchScope::Node(Some(5)));
        assert_eq!(place("node[*].level"), WatchScope::Node(None));
        assert_eq!(place("link[3-7].wire"), WatchScope::Link(Some(3), Some(7)));
        assert_eq!(place("link[*-0x7].wire"), WatchScope::Link(None, Some(7)));
        assert_eq!(place("link[*].*"), WatchScope::Link(None, None));
        assert_eq!(place("shared.phase"), WatchScope::Shared);
    }

    #[test]
    fn a_link_scope_contains_links_with_its_ends() {
        let ends = |text: &str| -> Vec<(u32, u32)> {
            let (place, cube) = (place(text), cube());
            let found = links(&cube).filter(|link| place.contains_link(*link));
            found.map(|l| (l.from.node, l.to.node)).collect()
        };
        assert_eq!(ends("link[7-3].wire"), [(3, 7)]);
        assert_eq!(ends("link[5-*].wire"), [(4, 5), (5, 7), (1, 5)]);
        assert_eq!(ends("link[*].wire").len(), 12);
        assert_eq!(ends("node[*].wire"), []);
    }

    #[test]
    fn invalid_watch_texts_are_rejected() {
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
            let error = WatchSpec::parse(text, &cube()).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

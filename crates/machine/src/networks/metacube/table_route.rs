//! Routes by the table of classes in the paper, corrected or as printed.

use crate::format_count::format_count;
use crate::networks::route::check_ends as ends_of_way;
use crate::networks::{NetworkError, NetworkHop, NetworkRoute};
use crate::JsonEntry;
use interconnect::routing::metacube::ClassPaths;
use interconnect::topology::{Metacube, Topology};

/// Returns the route of a message by Algorithm 4 and this form of Table 1 (metacube-total-exchange,
/// section 3).
///
/// # Errors
/// If the metacube does not have four classes, or an end is not one of its nodes.
pub fn route_by_table(
    table: ClassPaths,
    metacube: Metacube,
    ends: [u64; 2],
) -> Result<NetworkRoute, NetworkError> {
    if metacube.class_bits() != 2 {
        return Err(NetworkError::bad(format!(
            "the paper's table has four classes, and {} has {}; accepted: --metacube 2,M, or no \
             --table",
            metacube.name(),
            metacube.classes()
        )));
    }
    let [source, destination] = ends_of_way(&metacube, ends)?;
    let mut here = source;
    let mut hops = vec![];
    for link in table.route(metacube, source, destination) {
        let next = metacube.neighbour(here, link);
        hops.push(NetworkHop {
            node: here,
            next,
            names: [here, next].map(|node| metacube.node_name(node)),
            cells: vec![JsonEntry::new("port", link)],
        });
        here = next;
    }
    let [from, to, end] = [source, destination, here].map(|node| metacube.node_name(node));
    let count = format_count(hops.len(), "hop");
    let summary = match here == destination {
        true => count,
        false => format!("{count}, which end at {end}: a fault of the table"),
    };
    Ok(NetworkRoute {
        title: format!("{from} to {to} on {}", metacube.name()),
        summary,
        settings: vec![JsonEntry::new("metacube", metacube.name())],
        columns: vec!["port"],
        hops,
    })
}

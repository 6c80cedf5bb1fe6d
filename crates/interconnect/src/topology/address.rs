//! Reading and printing of node addresses for any topology.

use super::Topology;
use thiserror::Error;

/// Error: a number is not the address of a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{value} (0x{value:X}) is outside the {topology}; accepted: {accepted}")]
pub struct NoSuchNode {
    pub value: u64,
    /// Name of the topology.
    pub topology: String,
    /// Range of accepted addresses.
    pub accepted: String,
}

/// Returns `value` as a node address.
///
/// # Errors
/// Returns an error if there is no such node.
pub fn node_at(topology: &dyn Topology, value: u64) -> Result<u32, NoSuchNode> {
    match u32::try_from(value) {
        Ok(node) if node < topology.nodes() => Ok(node),
        _ => Err(NoSuchNode {
            value,
            topology: topology.name(),
            accepted: node_range(topology),
        }),
    }
}

/// Range of node addresses for messages: `0x0 to 0xF (0 to 15)`.
fn node_range(topology: &dyn Topology) -> String {
    let last = topology.nodes().saturating_sub(1);
    let (first_name, last_name) = (topology.node_name(0), topology.node_name(last));
    format!("{first_name} to {last_name} (0 to {last})")
}

/// Short name of a node, without `0x` and leading zeros.
pub fn short_name(topology: &dyn Topology, node: u32) -> String {
    let name = topology.node_name(node);
    match name
        .strip_prefix("0x")
        .map(|hex| hex.trim_start_matches('0'))
    {
        None => name,
        Some("") => "0".into(),
        Some(hex) => hex.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    #[test]
    fn an_invalid_address_is_rejected_with_the_range() {
        let cube = Hypercube::new(4).unwrap();
        assert_eq!(node_at(&cube, 15), Ok(15));
        for value in [16, 1 << 32] {
            let (refused, typed) = (node_at(&cube, value), cube.address(value));
            // The text is the same as for a topology that is known to be a cube.
            assert_eq!(
                refused.unwrap_err().to_string(),
                typed.unwrap_err().to_string()
            );
        }
    }

    #[test]
    fn short_names_have_no_leading_zeros() {
        let cube = Hypercube::new(9).unwrap();
        let names = [0, 0xA, 0x100].map(|node| short_name(&cube, node));
        assert_eq!(names, ["0", "A", "100"]);
    }
}

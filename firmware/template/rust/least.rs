//! Finds the least word of all nodes. Each node returns the least words, one for each word of its
//! input.

#![no_std]

use phasecube_node::Node;

phasecube_node::program!(run);

fn run(node: &mut Node) -> u8 {
    let mut bytes = [0; 4];
    while node.host_receive(&mut bytes).is_some() {
        let mut least = u32::from_le_bytes(bytes);
        for dim in 0..node.dims() {
            least = least.min(node.exchange(dim, least));
        }
        if node.host_send(&least.to_le_bytes()).is_err() {
            return 1;
        }
    }
    0
}

//! E-cube routing: a message crosses the dimensions in which its destination
//! differs from where it is, lowest first (tdma-hypercube, "Dimension-Ordered
//! Routing"). The order makes it free of deadlock.

/// The dimension that a message at `here` crosses next; `None` once it is home.
pub fn next_dim(here: u32, destination: u32) -> Option<u32> {
    let delta = here ^ destination;
    (delta != 0).then(|| delta.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::next_dim;

    /// Bit by bit, as the routing code of the paper does it.
    #[test]
    fn is_the_lowest_dimension_that_differs() {
        for here in 0..64u32 {
            for destination in 0..64u32 {
                let expected = (0..6).find(|dim| (here >> dim) % 2 != (destination >> dim) % 2);
                assert_eq!(next_dim(here, destination), expected);
            }
        }
    }
}

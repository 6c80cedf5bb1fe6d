//! One phase of one wire, to be drawn.

use engine::agree::Trace;
use num_bigint::BigUint;

/// Wire of a link during one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Phase, counted from the start of the run.
    pub phase: u64,
    /// Dimension of the link.
    pub dim: u32,
    /// Node that sends in this phase.
    pub sender: u32,
    /// Node at the other end.
    pub receiver: u32,
    pub clocks_per_bit: usize,
    /// Level in every clock cycle of the phase.
    pub levels: Vec<bool>,
    /// First clock cycle in which the receiver drives the wire.
    pub answer_start: Option<usize>,
    /// True if the receiver must answer.
    pub acked: bool,
}

impl Capture {
    /// Returns the first phase in which some node pulled the wire, from the outputs of a
    /// [`Link`](rtl::tdma::Link). Returns `None` if no node did.
    ///
    /// # Panics
    /// If the outputs do not belong to a `Link`.
    pub fn first(outputs: &[String], trace: &Trace, clocks_per_bit: usize) -> Option<Self> {
        let column = |name: &str| {
            let found = outputs.iter().position(|output| output == name);
            found.unwrap_or_else(|| panic!("the circuit has no output `{name}`"))
        };
        let (begin, transmit) = (column("begin"), column("transmit"));
        let level = column("level");
        let zero = BigUint::ZERO;
        let begins = |cycle: &Vec<BigUint>| cycle[begin] != zero;
        let first = trace.iter().position(begins)?;
        let phases = trace[first..].chunk_by(|_, next| !begins(next));
        let mut pulled = phases.enumerate().filter_map(|(phase, cycles)| {
            let levels: Vec<bool> = cycles.iter().map(|cycle| cycle[level] != zero).collect();
            let sender = u32::from(cycles[0][transmit].bit(1));
            levels.contains(&false).then(|| Capture {
                phase: phase as u64,
                dim: 0,
                sender,
                receiver: 1 - sender,
                clocks_per_bit,
                levels,
                answer_start: None,
                acked: false,
            })
        });
        pulled.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_returns_the_first_phase_with_a_pull() {
        let outputs = ["transmit", "begin", "level"].map(String::from);
        let cycles = [
            // Before the schedule runs.
            (0, 0, 1),
            (1, 3, 1),
            (1, 0, 1),
            (2, 3, 1),
            (2, 0, 0),
            (2, 0, 1),
            (1, 3, 0),
        ];
        let row = |(t, b, l)| [t, b, l].map(|v: u32| BigUint::from(v)).to_vec();
        let trace: Trace = cycles.into_iter().map(row).collect();
        let found = Capture::first(&outputs, &trace, 8).unwrap();
        assert_eq!((found.phase, found.sender), (1, 1));
        assert_eq!(found.levels, [true, false, true]);
        assert_eq!(Capture::first(&outputs, &trace[..4].to_vec(), 8), None);
    }
}

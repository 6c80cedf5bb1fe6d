//! Use of each channel of a machine by a run.

use interconnect::topology::PortEnd;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Units that crossed each channel between nodes, and the time in which they could have crossed.
///
/// A channel leaves a node by an output port. Its virtual channels count together. The load of a
/// channel is the share of its slots that carried a unit, 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelUse {
    /// Unit that crosses a channel, in the singular: `byte`.
    pub unit: &'static str,
    /// Time in which a unit crosses, in the singular: `clock cycle`.
    pub slot: &'static str,
    /// For each port, the slots of its channel in the run.
    slots: Vec<u64>,
    /// Counts of units, by node and within a node by port.
    counts: Vec<u64>,
    /// Sum of the counts.
    total: u64,
}

impl ChannelUse {
    /// Creates the counts of channels that carried nothing. Each carries one `unit` in a `slot`.
    pub fn new(nodes: usize, ports: usize, unit: &'static str, slot: &'static str) -> Self {
        ChannelUse { unit, slot, slots: vec![0; ports], counts: vec![0; nodes * ports], total: 0 }
    }

    /// Records that a unit left a node by this port.
    pub fn record(&mut self, node: usize, port: usize) {
        let ports = self.ports();
        self.counts[node * ports + port] += 1;
        self.total += 1;
    }

    /// Returns the counts with the slots of a channel in the run, by port.
    ///
    /// # Panics
    /// If there is another number of ports.
    #[must_use]
    pub fn with_slots(self, slots: Vec<u64>) -> Self {
        assert_eq!(slots.len(), self.ports());
        ChannelUse { slots, ..self }
    }

    /// Returns the counts of a run in which every channel had the same number of slots.
    #[must_use]
    pub fn with_equal_slots(self, slots: u64) -> Self {
        let slots = vec![slots; self.ports()];
        self.with_slots(slots)
    }

    /// Slots of the channel behind a port in the run.
    pub fn slots(&self, port: u32) -> u64 {
        self.slots[port as usize]
    }

    /// Number of output ports of a node.
    pub fn ports(&self) -> usize {
        self.slots.len()
    }

    /// Number of units that crossed channels, one for each channel crossed.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Number of units that left a node by a port.
    pub fn count(&self, end: PortEnd) -> u64 {
        self.counts[end.node as usize * self.ports() + end.port as usize]
    }

    /// Share of the slots of a channel that carried a unit. Zero for a run without slots.
    pub fn load(&self, end: PortEnd) -> f64 {
        match self.slots[end.port as usize] {
            0 => 0.0,
            slots => self.count(end) as f64 / slots as f64,
        }
    }

    /// Mean load of all channels that have slots. Zero for a run without slots.
    pub fn mean_load(&self) -> f64 {
        let nodes = self.counts.len() / self.ports().max(1);
        match self.slots.iter().sum::<u64>() * nodes as u64 {
            0 => 0.0,
            slots => self.total() as f64 / slots as f64,
        }
    }

    /// Channels that carried a unit, the highest load first. Equal loads are ordered by node and
    /// port.
    pub fn hottest(&self) -> Vec<PortEnd> {
        let ports = self.ports();
        let used = (0..self.counts.len()).filter(|place| self.counts[*place] > 0);
        let end = |place: usize| PortEnd::new((place / ports) as u32, (place % ports) as u32);
        let mut ends: Vec<PortEnd> = used.map(end).collect();
        ends.sort_by(|a, b| self.load(*b).total_cmp(&self.load(*a)));
        ends
    }
}

/// Serializes the counts as a list for each node, with an entry for each port.
impl Serialize for ChannelUse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts: Vec<&[u64]> = self.counts.chunks(self.ports().max(1)).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unit", self.unit)?;
        map.serialize_entry("slot", self.slot)?;
        map.serialize_entry("slots", &self.slots)?;
        map.serialize_entry("counts", &counts)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_shares_of_the_slots_of_their_port() {
        let mut channels = ChannelUse::new(2, 2, "byte", "clock cycle");
        for (node, port) in [(0, 1), (1, 0), (1, 0), (1, 1)] {
            channels.record(node, port);
        }
        let channels = channels.with_slots(vec![8, 2]);
        let load = |node, port| channels.load(PortEnd::new(node, port));
        assert_eq!([load(0, 0), load(0, 1), load(1, 0), load(1, 1)], [0.0, 0.5, 0.25, 0.5]);
        assert_eq!((channels.total(), channels.mean_load()), (4, 0.2));
        let hottest: Vec<_> = channels.hottest().iter().map(|e| (e.node, e.port)).collect();
        assert_eq!(hottest, [(0, 1), (1, 1), (1, 0)]);
        assert_eq!(
            serde_json::to_string(&channels).unwrap(),
            r#"{"unit":"byte","slot":"clock cycle","slots":[8,2],"counts":[[0,1],[2,1]]}"#
        );
    }

    #[test]
    fn a_run_without_time_has_no_load() {
        let channels = ChannelUse::new(4, 2, "message", "phase");
        assert_eq!(channels.load(PortEnd::new(3, 1)), 0.0);
        assert_eq!(channels.mean_load(), 0.0);
        assert!(channels.hottest().is_empty());
    }
}

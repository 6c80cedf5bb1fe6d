//! Common interface of the machines of all networks.

use super::tdma::cube::DeadMode;
use super::{MachineJob, NetworkError};
use crate::program::{Firmware, FirmwareError};
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, RunStats, Silicon, Timebase,
    WireCounts,
};
use clap::Args;
use engine::{NodeEngine, Observer, WordStream};
use hdl::lower::LowerErrors;
use interconnect::topology::number;
use interconnect::traffic::{MessageList, SplitMix64};
use serde::Serialize;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Machine of some network, built for certain messages.
pub trait Machine {
    /// Returns the name of the machine in tables, without a comma.
    fn label(&self) -> &'static str;

    /// Returns the first words of a summary, for example `3-cube, acked link`.
    fn headline(&self) -> String {
        self.circuit().topology().name()
    }

    /// Returns the parameters of the machine, for `--json`.
    fn settings(&self) -> Vec<JsonEntry> {
        vec![]
    }

    fn circuit(&self) -> &dyn MachineCircuit;

    fn timebase(&self) -> Timebase;

    /// Returns the wires between nodes. Signals from a shared circuit to all nodes are not
    /// included, because the array lists them. By default one channel leaves by each port.
    fn wire_counts(&self) -> WireCounts {
        let ports = self.circuit().topology().ports();
        WireCounts { per_node: f64::from(ports), pins: 2 * ports }
    }

    /// Returns topology, time base and link decoders, for observers of the inside of the machine.
    fn subject(&self) -> WaveSubject;

    /// Returns the printed name of a buffer, slot or queue of a node, given its number in an
    /// [`MessageEvent`](crate::MessageEvent).
    fn buffer_name(&self, buffer: u32) -> String {
        format!("link {buffer}")
    }

    /// True if messages may be lost in this machine.
    fn may_lose(&self) -> bool {
        false
    }

    /// Returns the periods without a movement after which the machine is deadlocked, or `None` if
    /// it cannot deadlock. The default is 8, because a machine without timeouts moves sooner if it
    /// moves at all.
    fn deadlock_after(&self) -> Option<u64> {
        Some(8)
    }

    /// Fetches and builds the program, after all checks that are possible without it. Returns a
    /// line that describes the result. Files go to `work_dir`.
    ///
    /// # Errors
    /// If a program cannot be fetched or built.
    fn prepare(&mut self, work_dir: &Path) -> Result<Option<String>, FirmwareError> {
        let _ = work_dir;
        Ok(None)
    }

    /// Returns the program of the nodes, once it is [prepared](Self::prepare). `None` if the nodes
    /// run no program.
    fn firmware(&self) -> Option<&Firmware> {
        None
    }

    /// Returns the builder of a new machine for each list of messages. `None` for a machine that
    /// accepts any messages.
    fn machine_builder(&self) -> Option<&dyn MachineBuilder> {
        None
    }

    /// Returns the driver of the machine on an engine that has just been started with the circuit.
    ///
    /// # Errors
    /// If the machine cannot carry such messages.
    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError>;

    /// Returns a message about flags that had no effect in a run of `steps` steps. The message
    /// includes the accepted values.
    fn ineffective_flags(&self, steps: u64) -> Option<String> {
        let _ = steps;
        None
    }

    /// Returns why the reference engine cannot run the machine with these flags.
    fn not_reference(&self) -> Option<&'static str> {
        None
    }

    /// Returns why the functional engine cannot run the machine with these flags.
    fn not_functional(&self) -> Option<&'static str> {
        self.circuit().functional().err()
    }

    /// Returns the observers that the flags select.
    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let _ = engine;
        vec![]
    }

    /// Returns the internal signals of a node that these observers read.
    fn watched_signals(&self) -> Vec<String> {
        vec![]
    }

    /// Describes the nodes in one sentence, for the measurement of engines.
    fn describe_nodes(&self) -> String {
        format!("Nodes of the {}.", self.headline())
    }

    /// Returns the output stream of the nodes for the measurement of engines, word by word. `None`
    /// if the machine cannot be measured.
    fn stream(&self) -> Option<WordStream> {
        None
    }

    /// Returns internal signals of a node that the measurement compares in addition to the outputs.
    fn bus_signals(&self) -> Vec<String> {
        vec![]
    }

    /// Returns the circuits to synthesise. `None` if the size of the machine is not in
    /// [`SYNTHESISED_DIMS`](crate::SYNTHESISED_DIMS).
    ///
    /// # Errors
    /// A released circuit causes no error, because the tests lower it.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        Ok(None)
    }
}

/// Builder of machines for a list of messages that is known in advance.
pub trait MachineBuilder {
    /// Returns the machine for these messages between processors, and the time at which each
    /// message reaches its source.
    ///
    /// # Errors
    /// [`NetworkError::Size`] if there is no machine for that many messages.
    fn job(&self, messages: &Arc<MessageList>) -> Result<MachineJob, NetworkError>;
}

/// Observer of a running machine that prints a text at the end.
pub trait Study: Observer {
    /// Returns the result for `--json`; `None` if there is only a text.
    fn json_entry(&self) -> Option<JsonEntry> {
        None
    }

    /// Returns the text to print after the summary.
    fn text(self: Box<Self>, stats: &RunStats) -> String;
}

// Networks under steady load: the measurements on a machine, and their comparison with a paper's
// claim.

/// Results of a load sweep on a machine.
///
/// Loads are shares of the maximum that the channels can carry. At the maximum, messages take
/// shortest routes to random nodes and all channels are always busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadSweepResult {
    /// Lightest load of the sweep.
    pub lightest: f64,
    /// Mean number of channels on the routes of the messages at the lightest load. `None` if there
    /// are no messages.
    pub distance: Option<f64>,
    /// Mean latency of these messages, in bit-times. `None` if none arrived.
    pub latency: Option<f64>,
    /// Highest share of the channels' time that was used. `None` if the machine does not count it.
    pub peak_utilisation: Option<f64>,
}

/// Claim of a paper and the measured result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimVerdict {
    /// Paper and section.
    pub source: &'static str,
    /// Claim in one sentence, without its full stop.
    pub claim: String,
    /// Measured result, with figures.
    pub found: String,
    pub holds: bool,
    /// Claimed share of the channels, drawn as a line in the plot.
    pub share: Option<f64>,
}

// Noise on the wires of a machine.

/// Random number streams, one for each wire, with one number drawn in each bit-time. The noise is
/// thus the same on every engine.
#[derive(Debug)]
pub(super) struct Noise {
    /// Bits whose random number is below this value are inverted.
    threshold: u64,
    streams: Vec<SplitMix64>,
}

impl Noise {
    /// Inverts every bit on each of `wires` wires with this probability. Returns `None` for a
    /// probability of zero.
    pub fn new(probability: f64, seed: u64, wires: usize) -> Option<Self> {
        if probability <= 0.0 {
            return None;
        }
        let mut seeds = SplitMix64::new(seed);
        Some(Noise {
            // 2^64 as a float; a cast saturates.
            threshold: (probability * 18_446_744_073_709_551_616.0) as u64,
            streams: (0..wires).map(|_| SplitMix64::new(seeds.next_u64())).collect(),
        })
    }

    /// Returns, for each wire, whether the bit on it is inverted in the next bit-time.
    pub fn next_bit(&mut self) -> impl Iterator<Item = bool> + '_ {
        let threshold = self.threshold;
        self.streams.iter_mut().map(move |stream| stream.next_u64() < threshold)
    }
}

// Faults of nodes and wires that several networks share: `--noise` and `--dead`.

/// Flags for faults of nodes and wires.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes wrong")]
pub struct FaultFlags {
    /// Probability that a bit on a wire is inverted, 0 to 0.5
    #[arg(long, value_name = "P", default_value = "0", value_parser = parse_noise)]
    pub noise: f64,

    /// Dead node: NODE:silent (the default, drives no wire), NODE:high or NODE:low (its wires are
    /// stuck), NODE:hung (it makes no decisions, and is silent after 64 phases); can be repeated.
    /// With --network rotation, a switch of the 4-cube, which the others bypass; with --network
    /// cm1, a chip
    #[arg(long, value_name = "NODE[:MODE]", value_parser = parse_dead)]
    pub dead: Vec<(u64, DeadMode)>,
}

/// Checks that a flag names each node, wire or slip once. `name` names one in the message.
///
/// # Errors
/// If the flag names one twice.
pub(super) fn check_distinct<T: Ord + Copy>(
    flag: &str,
    named: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> String,
) -> Result<(), NetworkError> {
    let mut known = BTreeSet::new();
    match named.into_iter().find(|one| !known.insert(*one)) {
        Some(one) => {
            Err(NetworkError::bad(format!("{flag} names {} twice; accepted: once", name(one))))
        }
        None => Ok(()),
    }
}

/// Error type of the flag parsers.
pub(super) type FlagParseError = Box<dyn Error + Send + Sync>;

fn parse_noise(text: &str) -> Result<f64, FlagParseError> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=0.5).contains(&p) => Ok(p),
        _ => Err(format!("the probability {text:?} is not possible; accepted: 0 to 0.5").into()),
    }
}

fn parse_dead(text: &str) -> Result<(u64, DeadMode), FlagParseError> {
    let (node, mode) = text.split_once(':').unwrap_or((text, "silent"));
    let mode = match mode {
        "silent" => DeadMode::Silent,
        "high" => DeadMode::High,
        "low" => DeadMode::Low,
        "hung" => DeadMode::Hung,
        _ => {
            return Err(format!(
                "there is no dead mode {mode:?}; accepted: silent, high, low, hung"
            )
            .into())
        }
    };
    Ok((number::parse(node)?, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_requested_probability() {
        let mut noise = Noise::new(0.01, 7, 12).unwrap();
        let flips: usize = (0..10_000).map(|_| noise.next_bit().filter(|f| *f).count()).sum();
        // 1,200 expected, with a standard deviation of 34.
        assert!((1_030..1_370).contains(&flips), "{flips}");
        assert!(Noise::new(0.0, 7, 12).is_none());
    }
}

#[cfg(test)]
mod faults_tests {
    use super::*;

    #[test]
    fn noise_and_dead_flags_are_parsed() {
        assert_eq!(parse_dead("0x5").unwrap(), (5, DeadMode::Silent));
        assert_eq!(parse_dead("6:hung").unwrap(), (6, DeadMode::Hung));
        assert!(parse_dead("6:ill").unwrap_err().to_string().contains("hung"));
        assert_eq!(parse_noise("1e-3").unwrap(), 1e-3);
        for wrong in ["-1", "0.6", "x", "NaN"] {
            assert!(parse_noise(wrong).is_err());
        }
    }
}

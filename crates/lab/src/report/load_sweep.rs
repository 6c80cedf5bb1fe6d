//! Measures the machines of a network under increasing load. Reports the accepted load and the
//! latency, and compares them with the claims of the papers.

use super::comparison::tables::csv;
use super::comparison::{LoadPoint, LoadWindow};
use super::measurement::{latency_bins, LatencyBin};
use interconnect::topology::{distances, Topology};
use machine::networks::{ClaimVerdict, LoadSweepResult};
use machine::Timebase;
use serde::Serialize;

mod page;

/// Largest number of sources whose distances are computed.
const SOURCES: u32 = 64;

/// Properties of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct SweptMachine {
    pub machine: &'static str,
    pub network: &'static str,
    /// Description of the machine.
    pub headline: String,
    pub nodes: u64,
    #[serde(flatten)]
    pub timebase: Timebase,
    /// Mean number of channels on a shortest route between two nodes.
    pub distance: f64,
    /// Upper bound of the traffic, in messages per node and period, which is a load of 1. All
    /// channels are always busy, and every message takes a shortest route.
    pub bound: f64,
    /// The bound in flits, which are bytes of payload, per node and clock cycle.
    pub bound_flits: f64,
    /// Periods in which messages are created. With a trace they depend on the machine's period.
    pub window: LoadWindow,
}

impl SweptMachine {
    /// `bytes` is the mean payload of a message.
    pub fn new(
        [machine, network]: [&'static str; 2],
        headline: String,
        topology: &dyn Topology,
        (timebase, window): (Timebase, LoadWindow),
        bytes: f64,
    ) -> Self {
        let distance = mean_distance(topology);
        let bound = f64::from(topology.ports()) / distance;
        let clock_cycles = timebase.period * timebase.clocks_per_bit;
        SweptMachine {
            machine,
            network,
            headline,
            nodes: topology.nodes().into(),
            timebase,
            distance,
            bound,
            bound_flits: bound * bytes / clock_cycles as f64,
            window,
        }
    }
}

/// Mean over all pairs of nodes. For a large machine, mean over evenly spaced sources.
fn mean_distance(topology: &dyn Topology) -> f64 {
    let apart = topology.nodes().div_ceil(SOURCES).max(1) as usize;
    let (mut sum, mut pairs) = (0, 0);
    for source in (0..topology.nodes()).step_by(apart) {
        let far = distances(topology, source).into_iter().flatten();
        for distance in far.filter(|distance| *distance > 0) {
            sum += u64::from(distance);
            pairs += 1;
        }
    }
    sum as f64 / f64::from(pairs.max(1))
}

/// Result of a machine under one load.
#[derive(Clone, Debug, Serialize)]
pub struct SweepPoint {
    /// Requested load, as a share of what the channels can carry.
    pub share: f64,
    /// Actual load.
    pub offered_share: f64,
    /// Load that arrived in the measured periods.
    pub accepted_share: f64,
    /// Mean number of channels on the routes of the measured messages. `None` if there are none.
    pub distance: Option<f64>,
    /// Share of the channels' time that was used in the measured periods. `None` if the machine
    /// does not count it.
    pub used: Option<f64>,
    #[serde(flatten)]
    pub point: LoadPoint,
}

impl SweepPoint {
    /// `distance` is the mean distance of the measured messages. `carried` is the use of the
    /// channels in the measured periods, in periods of one channel.
    pub fn new(
        machine: &SweptMachine,
        (share, point): (f64, LoadPoint),
        distance: Option<f64>,
        carried: Option<f64>,
    ) -> Self {
        // Capacity of all channels. A message uses as many channels as its distance.
        let all = machine.nodes as f64 * machine.bound * machine.distance;
        SweepPoint {
            share,
            offered_share: point.offered / machine.bound,
            accepted_share: point.accepted / machine.bound,
            distance,
            used: carried.map(|carried| carried / (all * machine.window.measured as f64)),
            point,
        }
    }

    /// Requested load as a share, with up to four decimals.
    pub fn share_text(&self) -> String {
        ((self.share * 1e4).round() / 1e4).to_string()
    }
}

/// Messages of a sweep, as they are described.
#[derive(Clone, Debug, Serialize)]
pub struct LoadTraffic {
    pub pattern: String,
    pub injection: String,
    /// Distribution of the payloads in bytes.
    pub lengths: String,
    /// Number of seeds, from `seed` of the sweep.
    pub seeds: u64,
    /// File with the messages and their times, in place of the other parameters.
    pub trace: Option<String>,
}

/// Load at which a machine saturates, found by bisection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saturation {
    pub machine: &'static str,
    /// Highest load at which it was not saturated, as a share. `None` if it was at every load.
    pub below_share: Option<f64>,
    /// Lowest load at which it was saturated. `None` if it was at no load.
    pub above_share: Option<f64>,
    /// The same in messages per node and period.
    pub below: Option<f64>,
    pub above: Option<f64>,
    /// The same in flits per node and clock cycle.
    pub below_flits: Option<f64>,
    pub above_flits: Option<f64>,
}

/// One message of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct MessageRow {
    pub machine: &'static str,
    /// Requested load, in messages per node and period.
    pub load: f64,
    pub seed: u64,
    pub source: u32,
    pub destination: u32,
    /// Payload in bytes.
    pub bytes: usize,
    /// Times in bit-times.
    pub created: u64,
    pub arrived: Option<u64>,
    pub latency: Option<u64>,
    /// Part of the run in which the message was created: `warm-up`, `measured` or `drain`.
    pub phase: &'static str,
}

impl MessageRow {
    /// Comma-separated values, with a line of headings.
    pub fn csv(rows: &[Self]) -> String {
        csv(rows)
    }
}

/// Histogram of the latencies of a machine under one load.
#[derive(Clone, Debug, Serialize)]
struct LatencyHistogram {
    machine: &'static str,
    /// Requested load, as a share and in messages per node and period.
    share: f64,
    load: f64,
    bins: Vec<LatencyBin>,
}

/// Bin of a histogram in the CSV file.
#[derive(Serialize)]
struct HistogramRow {
    machine: &'static str,
    load: f64,
    share: f64,
    #[serde(flatten)]
    bin: LatencyBin,
}

/// Complete sweep. Prints as tables in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct LoadSweep {
    /// Command that reproduces the sweep.
    pub command: String,
    /// Version of Phasecube.
    pub version: &'static str,
    /// Names of the networks, separated by commas.
    pub network: String,
    /// Names of the networks in titles.
    #[serde(skip)]
    pub title: String,
    /// Payload of the longest message in bytes.
    pub payload: usize,
    #[serde(flatten)]
    pub traffic: LoadTraffic,
    pub seed: u64,
    pub engine: &'static str,
    pub machines: Vec<SweptMachine>,
    pub points: Vec<SweepPoint>,
    /// Saturation of each machine. Empty without bisection.
    pub saturation: Vec<Saturation>,
    pub verdicts: Vec<ClaimVerdict>,
}

impl LoadSweep {
    /// Returns the loads between which a machine saturates, from all its points.
    pub fn saturation_of(&self, machine: &SweptMachine) -> Saturation {
        let lowest = |p: &&SweepPoint| p.point.saturated;
        let ascending = |a: &&SweepPoint, b: &&SweepPoint| a.share.total_cmp(&b.share);
        let above = self.points_of(machine).filter(lowest).min_by(ascending);
        let keeps_up = |p: &&SweepPoint| above.is_none_or(|above| p.share < above.share);
        let below = self.points_of(machine).filter(keeps_up).max_by(ascending);
        let flits = |share: f64| share * machine.bound_flits;
        Saturation {
            machine: machine.machine,
            below_share: below.map(|p| p.share),
            above_share: above.map(|p| p.share),
            below: below.map(|p| p.point.load),
            above: above.map(|p| p.point.load),
            below_flits: below.map(|p| flits(p.share)),
            above_flits: above.map(|p| flits(p.share)),
        }
    }

    fn histograms(&self) -> Vec<LatencyHistogram> {
        let histogram = |p: &SweepPoint| LatencyHistogram {
            machine: p.point.machine,
            share: p.share,
            load: p.point.load,
            bins: latency_bins(&p.point.latencies),
        };
        self.points.iter().map(histogram).collect()
    }

    /// Histograms as comma-separated values.
    fn histogram_csv(&self) -> String {
        let rows: Vec<HistogramRow> = self
            .histograms()
            .into_iter()
            .flat_map(|h| {
                let (machine, load, share) = (h.machine, h.load, h.share);
                let row = move |bin| HistogramRow { machine, load, share, bin };
                h.bins.into_iter().map(row)
            })
            .collect();
        csv(&rows)
    }

    /// Returns the window of all machines. `None` if they differ.
    fn common_window(&self) -> Option<LoadWindow> {
        let first = self.machines.first()?.window;
        let equal = self.machines.iter().all(|machine| machine.window == first);
        equal.then_some(first)
    }

    /// Findings about a machine, if it has carried anything.
    pub fn findings(&self, machine: &SweptMachine) -> Option<LoadSweepResult> {
        let points = || self.points_of(machine);
        let lightest = points().min_by(|a, b| a.share.total_cmp(&b.share))?;
        Some(LoadSweepResult {
            lightest: lightest.share,
            distance: lightest.distance,
            latency: lightest.point.mean_latency,
            peak_utilisation: points().filter_map(|p| p.used).reduce(f64::max),
        })
    }

    /// Returns the points of a machine.
    pub fn points_of<'a>(
        &'a self,
        machine: &'a SweptMachine,
    ) -> impl Iterator<Item = &'a SweepPoint> {
        let points = self.points.iter();
        points.filter(|p| p.point.machine == machine.machine)
    }

    /// Comma-separated values, with a line of headings.
    pub fn csv(&self) -> String {
        csv(&self.points)
    }

    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct WithHistograms<'a> {
            #[serde(flatten)]
            sweep: &'a LoadSweep,
            /// `None` if the machines have different ones.
            window: Option<LoadWindow>,
            histograms: Vec<LatencyHistogram>,
        }
        let whole = WithHistograms {
            sweep: self,
            window: self.common_window(),
            histograms: self.histograms(),
        };
        serde_json::to_string(&whole).expect("numbers and names are JSON") + "\n"
    }

    /// Names of the files of the report.
    pub const FILES: [&'static str; 4] =
        ["load.html", "load.csv", "load.json", "latency_histogram.csv"];

    /// Returns the files of the report with their names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let texts: [String; Self::FILES.len()] =
            [self.page(), self.csv(), self.json(), self.histogram_csv()];
        let names = Self::FILES.map(str::to_owned);
        names.into_iter().zip(texts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{Hypercube, Torus};

    fn sweep(payload: usize, lengths: &str, trace: Option<&str>) -> LoadSweep {
        LoadSweep {
            command: String::new(),
            version: "",
            network: String::new(),
            title: String::new(),
            payload,
            traffic: LoadTraffic {
                pattern: "uniform".to_owned(),
                injection: "bernoulli".to_owned(),
                lengths: lengths.to_owned(),
                seeds: 1,
                trace: trace.map(str::to_owned),
            },
            seed: 1,
            engine: "",
            machines: vec![],
            points: vec![],
            saturation: vec![],
            verdicts: vec![],
        }
    }

    #[test]
    fn the_page_has_the_distribution_of_the_lengths() {
        for (sweep, text) in [
            (sweep(1, "1", None), "1 byte"),
            (sweep(64, "4:3,64:1", None), "4:3,64:1 bytes"),
            (sweep(8, "4", Some("t.csv")), "up to 8 bytes"),
        ] {
            assert_eq!(sweep.payload_text(), text);
            assert!(sweep.page().contains(text));
        }
    }

    /// Windows of a trace, in periods of different machines.
    #[test]
    fn each_machine_has_its_window() {
        let torus = Torus::new(&[4, 4]).unwrap();
        let machine = |name: &'static str, measured: u64| {
            let window = LoadWindow { warm_up: 0, measured, drain: 0 };
            let timebase = Timebase::unscheduled("packet time", "packet times", 16);
            let headline = String::new();
            SweptMachine::new([name, name], headline, &torus, (timebase, window), 6.0)
        };
        let mut sweep = sweep(8, "4", Some("t.csv"));
        let text = |sweep: &LoadSweep| sweep.measured_text(|window| window.measured.to_string());
        sweep.machines = vec![machine("one", 7)];
        assert_eq!(text(&sweep), "7");
        sweep.machines.push(machine("two", 9));
        assert_eq!(text(&sweep), "7 (One), 9 (Two)");
        let json: serde_json::Value = serde_json::from_str(&sweep.json()).unwrap();
        assert!(json["window"].is_null());
        assert_eq!(json["machines"][1]["window"]["measured"], 9);
    }

    /// Expected values are a sum over the rings for a torus, and the address bits for a cube.
    #[test]
    fn distances_are_means_over_pairs() {
        let torus = Torus::new(&[8, 8]).unwrap();
        let wanted = 7.0 * 64.0 / 63.0;
        assert!((mean_distance(&torus) - wanted).abs() < 1e-12);
        let cube = Hypercube::new(10).unwrap();
        assert!((mean_distance(&cube) - 5.0 * 1024.0 / 1023.0).abs() < 1e-12);
    }
}

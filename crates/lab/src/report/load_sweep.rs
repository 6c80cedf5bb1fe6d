//! Measures the machines of a network under increasing load. Reports the accepted load and the
//! latency, and compares them with the claims of the papers.

use super::comparison::html::{document, with_plots};
use super::comparison::plots::{line_plot, Axes, Curve, Plot};
use super::comparison::tables::csv;
use super::comparison::{LoadPoint, LoadWindow, Section};
use super::escaped;
use interconnect::topology::{distances, Topology};
use machine::networks::{ClaimVerdict, LoadSweepResult};
use machine::text::{write_paragraph, MarkdownTable};
use machine::{format_number, format_optional, Timebase};
use plotters::prelude::SeriesLabelPosition;
use serde::Serialize;
use std::fmt::{self, Write};

/// Largest number of sources whose distances are computed.
const SOURCES: u32 = 64;

/// Properties of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct SweptMachine {
    pub machine: &'static str,
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
}

impl SweptMachine {
    pub fn new(
        machine: &'static str,
        headline: String,
        topology: &dyn Topology,
        timebase: Timebase,
    ) -> Self {
        let distance = mean_distance(topology);
        SweptMachine {
            machine,
            headline,
            nodes: topology.nodes().into(),
            timebase,
            distance,
            bound: f64::from(topology.ports()) / distance,
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
        (machine, window): (&SweptMachine, LoadWindow),
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
            used: carried.map(|carried| carried / (all * window.measured as f64)),
            point,
        }
    }
}

/// Complete sweep. Prints as tables in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct LoadSweep {
    /// Command that reproduces the sweep.
    pub command: String,
    /// Version of Phasecube.
    pub version: &'static str,
    pub network: &'static str,
    /// Payload of a message in bytes.
    pub payload: usize,
    pub seed: u64,
    pub engine: &'static str,
    /// Periods in which messages are created.
    pub window: LoadWindow,
    pub machines: Vec<SweptMachine>,
    pub points: Vec<SweepPoint>,
    pub verdicts: Vec<ClaimVerdict>,
}

impl LoadSweep {
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

    fn points_of<'a>(&'a self, machine: &'a SweptMachine) -> impl Iterator<Item = &'a SweepPoint> {
        let points = self.points.iter();
        points.filter(|p| p.point.machine == machine.machine)
    }

    fn headline(&self) -> String {
        let LoadWindow { warm_up, measured } = self.window;
        let mut text = format!(
            "Messages with {} bytes of payload come by and by, for other nodes drawn at random, \
             seed {}, on the {} engine: {measured} periods are measured after {warm_up}. A load of 1 \
             is what the channels carry if all of them are always busy.",
            self.payload, self.seed, self.engine
        );
        for m in &self.machines {
            let _ = write!(
                text,
                " {}: {}, {} nodes, {:.2} channels on the route of a message; 1 is {:.3} messages per \
                 node and {} of {} bit-times.",
                m.machine,
                m.headline,
                m.nodes,
                m.distance,
                m.bound,
                m.timebase.period_name,
                m.timebase.period
            );
        }
        text
    }

    fn points_section(&self) -> Section {
        let headings = [
            "machine",
            "load",
            "offered",
            "accepted",
            "channels used",
            "per node and period",
            "mean latency",
            "p50",
            "p99",
            "saturated",
        ];
        let mut table = MarkdownTable::new(1, headings).ranked(
            1,
            &["load", "accepted", "mean latency", "p99", "saturated"],
            "load.csv",
        );
        for p in &self.points {
            table.row([
                p.point.machine.into(),
                p.share.to_string(),
                format!("{:.3}", p.offered_share),
                format!("{:.3}", p.accepted_share),
                format_number(p.used, 3),
                format!("{:.3}", p.point.accepted),
                format_number(p.point.mean_latency, 1),
                format_optional(p.point.latency.p50),
                format_optional(p.point.latency.p99),
                if p.point.saturated { "yes" } else { "no" }.into(),
            ]);
        }
        Section {
            id: LOAD,
            title: "What is offered, and what is accepted".into(),
            table,
            note: "Accepted is what arrived in the measured periods, as a load, and in messages per \
                   node and period; channels used is the share of their time. Latencies are from when \
                   a message came until it arrived, in bit-times, the wait at its source included; \
                   of a saturated machine they depend on how long one looks. It is saturated when \
                   what waits grew, in the measured periods, by over a tenth of what came."
                .into(),
        }
    }

    fn verdicts_section(&self) -> Section {
        let mut table = MarkdownTable::new(4, ["paper and section", "claim", "verdict", "found"]);
        for verdict in &self.verdicts {
            table.row([
                verdict.source.into(),
                verdict.claim.clone(),
                if verdict.holds { "true" } else { "false" }.into(),
                verdict.found.clone(),
            ]);
        }
        Section {
            id: "verdicts",
            title: "What the papers say of it".into(),
            table,
            note: "Of this machine, with these messages.".into(),
        }
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.points_section()];
        if !self.verdicts.is_empty() {
            sections.push(self.verdicts_section());
        }
        sections
    }

    fn plots(&self) -> Vec<Plot> {
        let curves = |y: fn(&SweepPoint) -> Option<f64>| -> Vec<Curve> {
            let machines = self.machines.iter().enumerate();
            let curve = |(machine, m): (usize, &SweptMachine)| Curve {
                machine,
                name: m.machine.into(),
                points: self
                    .points_of(m)
                    .filter_map(|p| Some((p.offered_share, y(p)?)))
                    .collect(),
            };
            machines.map(curve).collect()
        };
        let mut accepted = curves(|p| Some(p.accepted_share));
        let offered = self.points.iter().map(|p| p.offered_share);
        let (from, to) = (
            offered.clone().fold(f64::INFINITY, f64::min),
            offered.fold(0.0, f64::max),
        );
        let claimed = self.verdicts.iter().filter_map(|verdict| verdict.share);
        for share in claimed {
            accepted.push(Curve {
                machine: accepted.len(),
                name: format!("{share}: at most, says a paper"),
                points: vec![(from, share), (to, share)],
            });
        }
        let axes = |y, legend| Axes {
            x: "offered load",
            y,
            legend,
        };
        let left = SeriesLabelPosition::UpperLeft;
        let throughput = line_plot(
            (0, LOAD),
            "Accepted load against offered load",
            &axes("accepted load", left.clone()),
            &accepted,
        );
        let latency = line_plot(
            (1, LOAD),
            "Mean latency against offered load",
            &axes("bit-times", left),
            &curves(|p| p.point.mean_latency),
        );
        throughput.into_iter().chain(latency).collect()
    }

    /// Comma-separated values, with a line of headings.
    pub fn csv(&self) -> String {
        csv(&self.points)
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names are JSON") + "\n"
    }

    /// Names of the files of the report.
    pub const FILES: [&'static str; 3] = ["load.html", "load.csv", "load.json"];

    /// Returns the files of the report with their names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let texts: [String; Self::FILES.len()] = [self.page(), self.csv(), self.json()];
        let names = Self::FILES.map(str::to_owned);
        names.into_iter().zip(texts).collect()
    }

    fn page(&self) -> String {
        let title = format!("{} under load", self.network);
        let mut body = format!(
            "<h1>{}</h1>\n<p>{}</p>\n",
            escaped(&title),
            escaped(&self.headline())
        );
        let plots = self.plots();
        for section in self.sections() {
            body += &with_plots(&section, &plots);
        }
        let _ = writeln!(
            body,
            "<footer>\n<p>Made by</p>\n<pre>{}</pre>\n<p>Phasecube {}. The figures are in load.csv \
             and load.json, too.</p>\n</footer>",
            escaped(&self.command),
            self.version
        );
        document(&title, &body)
    }
}

/// Id of the section with the plots.
const LOAD: &str = "load";

impl fmt::Display for LoadSweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_paragraph(f, &self.headline())?;
        for section in self.sections() {
            writeln!(f, "\n{}\n", section.title)?;
            section.table.write(f, &[])?;
            f.write_char('\n')?;
            write_paragraph(f, &section.note)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::{Hypercube, Torus};

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

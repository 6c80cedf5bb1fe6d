//! The sweep as tables in Markdown, and as a page with charts.

use super::{LoadSweep, LoadTraffic, SweepPoint, SweptMachine};
use crate::report::comparison::{LoadWindow, Section};
use crate::report::{display_name, sentences, SATURATED_NOTE};
use machine::text::{format_count, write_paragraph, MarkdownTable};
use machine::{format_number, format_optional};
use page::chart::{Axis, Chart, Curve, LineChart, Point, Scale};
use page::{grouped, Finding, Page};
use std::fmt::{self, Write};

impl LoadSweep {
    /// Describes the messages in one sentence.
    fn traffic_text(&self) -> String {
        let LoadTraffic { pattern, injection, seeds, trace, .. } = &self.traffic;
        if let Some(trace) = trace {
            return format!("Messages come at the times in {trace}");
        }
        let whom = match &**pattern {
            "uniform" => "for other nodes drawn at random".to_owned(),
            pattern => format!("by the pattern {pattern}"),
        };
        let when = match &**injection {
            "bernoulli" => String::new(),
            injection => format!(" ({injection})"),
        };
        let seed = match seeds {
            1 => format!("seed {}", self.seed),
            seeds => format!("{seeds} seeds from {}", self.seed),
        };
        let payload = self.payload_text();
        format!("Messages of {payload} are injected over time{when}, {whom}, {seed}")
    }

    /// Describes the lengths of the payloads.
    pub(super) fn payload_text(&self) -> String {
        let longest = format_count(self.payload as u64, "byte");
        match &self.traffic {
            LoadTraffic { trace: Some(_), .. } => format!("up to {longest}"),
            traffic if traffic.lengths == self.payload.to_string() => longest,
            traffic => format!("{} bytes", traffic.lengths),
        }
    }

    /// Describes the window of all machines, or of each one if they differ.
    pub(super) fn measured_text(&self, text: impl Fn(LoadWindow) -> String) -> String {
        if let Some(window) = self.common_window() {
            return text(window);
        }
        let of = |m: &SweptMachine| format!("{} ({})", text(m.window), display_name(m.machine));
        self.machines.iter().map(of).collect::<Vec<_>>().join(", ")
    }

    fn headline(&self) -> String {
        let mut text = format!(
            "{}, on the {} engine: {}. A load of 1 is what the channels carry if all of them are \
             always busy.",
            self.traffic_text(),
            self.engine,
            self.measured_text(|window| {
                format!("{} periods are measured after {}", window.measured, window.warm_up)
            })
        );
        for m in &self.machines {
            let _ = write!(
                text,
                " {}: {}, {} nodes, {:.2} channels on the route of a message; 1 is {:.3} messages per \
                 node and {} of {} bit-times, or {:.4} flits per node and clock cycle.",
                m.machine,
                m.headline,
                m.nodes,
                m.distance,
                m.bound,
                m.timebase.period_name,
                m.timebase.period,
                m.bound_flits
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
            "flits per node and cycle",
            "mean latency",
            "95 %",
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
                p.share_text(),
                format!("{:.3}", p.offered_share),
                format!("{:.3}", p.accepted_share),
                format_number(p.used, 3),
                format!("{:.3}", p.point.accepted),
                format!("{:.4}", p.point.accepted_flits),
                format_number(p.point.mean_latency, 1),
                match p.point.mean_latency_ci95 {
                    None => "none".to_owned(),
                    Some(half) => format!("+-{half:.1}"),
                },
                format_optional(p.point.latency.p50),
                format_optional(p.point.latency.p99),
                if p.point.saturated { "yes" } else { "no" }.into(),
            ]);
        }
        Section {
            id: LOAD,
            title: "Offered and accepted load".into(),
            table,
            note: format!(
                "The accepted load is the traffic that arrived in the measured periods, as a load, in \
                 messages per node and period, and in flits per node and clock cycle; a flit is a byte \
                 of payload. Channels used is the share of their time. The column 95 % is half the \
                 confidence interval of the mean latency over the seeds. Latencies are from the creation \
                 of a message to its arrival, in bit-times, the wait at its source included; \
                 latencies of a saturated machine depend on the length of the window. {SATURATED_NOTE}"
            ),
            best: &[],
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
            title: "Claims of the papers".into(),
            table,
            note: "The verdicts hold for this machine and these messages.".into(),
            best: &[],
        }
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.points_section()];
        if !self.verdicts.is_empty() {
            sections.push(self.verdicts_section());
        }
        sections
    }

    fn charts(&self) -> Vec<Chart> {
        let curves = |y: fn(&SweepPoint) -> Option<f64>| {
            let point = |p: &SweepPoint| {
                let (x, hollow) = (p.offered_share, p.point.saturated);
                y(p).map(|y| Point { x, y, hollow })
            };
            let curve = |m: &SweptMachine| Curve {
                name: display_name(m.machine),
                family: m.network,
                points: self.points_of(m).filter_map(point).collect(),
            };
            self.machines.iter().map(curve).collect()
        };
        let offered = self.points.iter().map(|p| p.offered_share);
        let most = offered.fold(0.0, f64::max);
        let claimed = self.verdicts.iter().filter_map(|verdict| verdict.share);
        let claimed = claimed.map(|share| {
            let name = format!("{share}: bound in a paper");
            (name, [(0.0, share), (most, share)])
        });
        let ideal = ("ideal".to_owned(), [(0.0, 0.0), (most, most)]);
        let offered = Axis::new("Offered load, share of the channel capacity", Scale::Linear);
        let accepted = LineChart {
            id: "accepted",
            title: "Accepted load against offered load (hollow: saturated)".into(),
            x: offered.clone(),
            y: Axis::new("Accepted load, share of the channel capacity", Scale::Linear),
            curves: curves(|p| Some(p.accepted_share)),
            references: [ideal].into_iter().chain(claimed).collect(),
        };
        let latency = LineChart {
            id: "latency",
            title: "Latency against offered load (hollow: saturated)".into(),
            x: offered,
            y: Axis::new("Mean latency, bit-times", Scale::Log),
            curves: curves(|p| p.point.mean_latency),
            references: vec![],
        };
        let charts = [accepted, latency].into_iter();
        charts.filter(|chart| !chart.is_empty()).map(Chart::Lines).collect()
    }

    /// Peak and saturation of each machine, and how many claims hold.
    fn page_findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = vec![];
        for m in self.machines.iter().take(4) {
            let name = display_name(m.machine);
            let accepted = self.points_of(m).map(|p| p.accepted_share);
            let Some(most) = accepted.reduce(f64::max) else {
                continue;
            };
            let latency =
                self.points_of(m).find_map(|p| Some((p.share_text(), p.point.mean_latency?)));
            let latency = latency.map_or(String::new(), |(share, latency)| {
                format!(" At a load of {share} a message takes {latency:.0} bit-times on average.")
            });
            let limit = self.points_of(m).find(|p| p.point.saturated);
            let limit = limit.map_or("It keeps up with all loads.".into(), |limit| {
                format!("It is saturated at a load of {}.", limit.share_text())
            });
            let figures = format!("{limit}{latency}");
            findings.push(Finding {
                summary: format!("{name} accepts {:.0} % of the channel capacity", 100.0 * most),
                figures: grouped(&figures),
            });
        }
        let hold = self.verdicts.iter().filter(|verdict| verdict.holds).count();
        if let claims @ 1.. = self.verdicts.len() {
            findings.push(Finding {
                summary: format!("{hold} of {claims} claims of the papers hold"),
                figures: "The verdicts are in the last table.".into(),
            });
        }
        findings
    }

    pub(super) fn page(&self) -> String {
        let mut charts = self.charts();
        let sections = self.sections().into_iter();
        let sections = sections.map(|section| section.on_page(std::mem::take(&mut charts)));
        let sections = sections.collect();
        let mut settings = vec![];
        for m in &self.machines {
            let value = format!("{}, {} nodes", m.headline, m.nodes);
            settings.push((display_name(m.machine), grouped(&value)));
        }
        let messages = self.traffic_text();
        settings.extend([
            ("Messages".to_owned(), messages),
            ("Payload".to_owned(), self.payload_text()),
            (
                "Measured".to_owned(),
                self.measured_text(|window| {
                    let [warm_up, drain] = [window.warm_up, window.drain];
                    format!("{} periods after {warm_up}, and {drain} to drain", window.measured)
                }),
            ),
            ("Seed".to_owned(), self.seed.to_string()),
            ("Engine".to_owned(), self.engine.to_owned()),
        ]);
        let loads = self.machines.iter().map(|m| {
            format!(
                "{}: a load of 1 is {:.3} messages per node and {} of {} bit-times. A message takes \
                 {:.2} channels on average.",
                display_name(m.machine),
                m.bound,
                m.timebase.period_name,
                m.timebase.period,
                m.distance,
            )
        });
        let capacity = "A load of 1 is what the channels carry if all of them are always busy.";
        let loads = [capacity.to_owned()].into_iter().chain(loads).collect();
        let notes = self.sections().into_iter();
        let notes = notes.map(|section| (section.title, sentences(&section.note)));
        Page {
            title: format!("{} under load", display_name(&self.title)),
            settings,
            findings: self.page_findings(),
            warnings: vec![],
            sections,
            definitions: [("Load".to_owned(), loads)].into_iter().chain(notes).collect(),
            command: self.command.clone(),
            made_by: format!("Phasecube {}", self.version),
            files: Self::FILES[1..].to_vec(),
        }
        .html()
    }
}

/// Id of the section with the charts.
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

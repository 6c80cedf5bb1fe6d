//! Compares several networks on the same messages.
//!
//! * `results`: results for a list of messages;
//! * `ranking`: the order of the networks for the same messages;
//! * `tables`: the report as text tables and as CSV;
//! * `findings`: the results in a few sentences;
//! * `charts`: the curves and the bars of its page;
//! * `html`: the report as a page.
//!
//! This file has the comparison, and the cost of a node of each network.

mod charts;
mod findings;
mod html;
mod ranking;
mod results;
pub(super) mod tables;

pub use super::measurement::{LoadPoint, LoadRun, LoadWindow};
use super::CostError;
use crate::report::Cost;
use machine::networks::{Machine, NetworkNotes};
use machine::text::write_paragraph;
use machine::{memory_bits, JsonEntry, Silicon, SynthesisUnit, Timebase, WholeNode, WireCounts};
pub use ranking::Ranking;
use rayon::prelude::*;
pub use results::{ComparisonRun, NoRun, TrafficResult};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write};
use std::path::Path;
pub use tables::Section;
use toolchain::Toolchain;

/// Parameters that all machines share.
#[derive(Clone, Debug, Serialize)]
pub struct Setup {
    /// Command that reproduces the comparison.
    pub command: String,
    /// Version of Phasecube.
    pub version: &'static str,
    pub dims: u32,
    pub nodes: u64,
    /// Processors per node.
    pub processors: u32,
    pub patterns: Vec<String>,
    /// Payload of a message in bytes.
    pub payload: usize,
    pub seed: u64,
    pub engine: &'static str,
    /// Values of the networks' own flags.
    #[serde(flatten, serialize_with = "as_entries")]
    pub flag_values: Vec<JsonEntry>,
    /// Tools that synthesised the circuits, if any.
    pub tools: Vec<String>,
}

fn as_entries<S: Serializer>(given: &[JsonEntry], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for entry in given {
        map.serialize_entry(entry.key, &entry.value)?;
    }
    map.end()
}

/// Properties of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachineReport {
    pub machine: &'static str,
    pub network: &'static str,
    #[serde(flatten)]
    pub timebase: Timebase,
    #[serde(flatten)]
    pub wires: WireCounts,
    /// Number of lines that one circuit drives to all nodes.
    pub broadcast: u32,
    /// Cost of the nodes, or `None` if they were not synthesised.
    pub silicon: Option<SiliconReport>,
}

impl MachineReport {
    /// Describes a machine. `silicon` is the cost of its nodes, if they were synthesised.
    ///
    /// # Errors
    /// None for a released circuit, because the tests lower it.
    pub fn new(
        network: &'static str,
        machine: &dyn Machine,
        silicon: Option<SiliconReport>,
    ) -> Result<Self, CostError> {
        Ok(MachineReport {
            machine: machine.label(),
            network,
            timebase: machine.timebase(),
            wires: machine.wire_counts(),
            broadcast: machine.circuit().array()?.broadcast_lines(),
            silicon,
        })
    }
}

/// Network that was not requested by name and has no machine of that size.
#[derive(Clone, Debug, Serialize)]
pub struct OmittedNetwork {
    pub network: &'static str,
    /// Message of the network: the reason, and the available sizes.
    pub why: String,
}

/// `ring is left out: ..`
impl fmt::Display for OmittedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", self.network, self.why)
    }
}

/// Complete comparison. Prints as tables in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub setup: Setup,
    /// Notes about the networks.
    #[serde(skip)]
    pub notes: Vec<NetworkNotes>,
    pub left_out: Vec<OmittedNetwork>,
    /// Lists that a machine cannot run.
    pub no_runs: Vec<NoRun>,
    pub machines: Vec<MachineReport>,
    /// Results of every pattern on every machine.
    pub runs: Vec<ComparisonRun>,
    /// Results of `relation:H` on every machine, with H messages per processor.
    pub messages_per_processor: Vec<ComparisonRun>,
    /// Results under steady load, up to saturation.
    pub offered_load: Vec<LoadPoint>,
    /// Pictures of the machines that run the first pattern, on the page only.
    #[serde(skip)]
    pub pictures: Vec<MachinePicture>,
}

/// Picture of a machine that runs a pattern.
#[derive(Clone, Debug)]
pub struct MachinePicture {
    pub machine: &'static str,
    pub pattern: String,
    /// Whether it shows a period of a schedule, and not the loads of channels.
    pub shows_schedule: bool,
    /// Text of the SVG file.
    pub svg: String,
}

impl Comparison {
    /// Returns the machine with this label.
    fn machine(&self, label: &str) -> &MachineReport {
        let found = self.machines.iter().find(|m| m.machine == label);
        found.expect("every run is on one of the machines")
    }

    /// Table of the results for every pattern, with its title and its note.
    pub fn messages(&self) -> Section {
        tables::messages(self, &self.runs)
    }

    /// Names of the files of the report.
    pub const FILES: [&'static str; 6] = [
        "machines.csv",
        "runs.csv",
        "messages_per_processor.csv",
        "offered_load.csv",
        "compare.json",
        "compare.html",
    ];

    /// Returns the files of the report with their names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let json = serde_json::to_string_pretty(self).expect("numbers and names are JSON");
        let texts: [String; Self::FILES.len()] = [
            tables::csv(&self.machines),
            tables::csv(&self.runs),
            tables::csv(&self.messages_per_processor),
            tables::csv(&self.offered_load),
            json + "\n",
            html::page(self).html(),
        ];
        let names = Self::FILES.map(str::to_owned);
        names.into_iter().zip(texts).collect()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_paragraph(f, &tables::headline(self))?;
        f.write_char('\n')?;
        for warning in findings::warnings(self) {
            write_paragraph(f, &warning)?;
            f.write_char('\n')?;
        }
        write_paragraph(f, &html::terms(self))?;
        for section in tables::sections(self) {
            writeln!(f, "\n{}\n", section.title)?;
            section.table.write(f, &[])?;
            f.write_char('\n')?;
            write_paragraph(f, &section.note)?;
        }
        for page::Finding { summary, figures } in findings::findings(self) {
            f.write_char('\n')?;
            write_paragraph(f, &format!("{summary}. {figures}"))?;
        }
        Ok(())
    }
}

// Cost of the nodes in a comparison, measured with the FPGA tools.

/// Cost of a circuit, placed and routed alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartCost {
    #[serde(flatten)]
    pub cost: Cost,
    /// Bits of its memories, as the circuit declares them.
    pub memory_bits: u64,
}

/// Cost of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiliconReport {
    /// Router without the processors.
    pub router: PartCost,
    /// Node with its processors. If they are in a separate circuit, this is the sum of both, each
    /// measured alone.
    pub node: PartCost,
    /// Circuit that the machine contains once, if there is one.
    pub shared: Option<PartCost>,
    /// Clock frequency of the routing circuit in MHz. If software routes, this is the whole node,
    /// otherwise the router.
    pub clock_mhz: Option<f64>,
}

impl SiliconReport {
    /// Measures the circuits of machines, with one job per processor, or reuses earlier results in
    /// `work_dir`. Machines that are not synthesised have `None`. `received` receives the name of each
    /// circuit.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn measure(
        tools: &Toolchain,
        machines: &[Option<Silicon>],
        work_dir: &Path,
        received: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<Option<Self>>, CostError> {
        let measure =
            |silicon: &Silicon| SiliconReport::measure_one(tools, silicon, work_dir, received);
        let reports = machines.par_iter().map(|silicon| silicon.as_ref().map(measure).transpose());
        reports.collect()
    }

    fn measure_one(
        tools: &Toolchain,
        silicon: &Silicon,
        work_dir: &Path,
        received: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, CostError> {
        let measure = |part: &SynthesisUnit| -> Result<PartCost, CostError> {
            received(&part.name);
            Ok(PartCost {
                cost: Cost::measure(tools, &part.name, &part.design, work_dir)?,
                memory_bits: memory_bits(&part.design),
            })
        };
        let router = measure(&silicon.router)?;
        let (node, routing) = match &silicon.node {
            WholeNode::One(part) => {
                let node = measure(part)?;
                (node.clone(), node)
            }
            WholeNode::Cores { core, count } => {
                let mut core = measure(core)?;
                core.memory_bits += WholeNode::CORE_MEMORY_BITS;
                core.cost.block_rams += WholeNode::CORE_BLOCK_RAMS;
                (router.with(&core, *count), router.clone())
            }
        };
        Ok(SiliconReport {
            shared: silicon.shared.as_ref().map(measure).transpose()?,
            clock_mhz: routing.cost.fmax_mhz,
            router,
            node,
        })
    }
}

impl PartCost {
    /// Cost of this part together with `count` cores.
    fn with(&self, core: &PartCost, count: usize) -> Self {
        let (own, each) = (&self.cost, &core.cost);
        let slower = [own.fmax_mhz, each.fmax_mhz].into_iter().flatten();
        PartCost {
            cost: Cost {
                block: match count {
                    1 => format!("{} + {}", own.block, each.block),
                    n => format!("{} + {n} {}", own.block, each.block),
                },
                logic_cells: own.logic_cells + count * each.logic_cells,
                flip_flops: own.flip_flops + count * each.flip_flops,
                block_rams: own.block_rams + count * each.block_rams,
                fmax_mhz: slower.min_by(f64::total_cmp),
            },
            memory_bits: self.memory_bits + count as u64 * core.memory_bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_cores_are_added_to_the_router() {
        let part = |block: &str, cells, fmax_mhz| PartCost {
            cost: Cost {
                block: block.into(),
                logic_cells: cells,
                flip_flops: cells / 2,
                block_rams: 1,
                fmax_mhz,
            },
            memory_bits: 10,
        };
        let (router, core) = (part("R", 200, Some(80.0)), part("C", 500, Some(60.0)));
        let sum = router.with(&core, 2);
        assert_eq!(sum.cost.block, "R + 2 C");
        assert_eq!(sum.cost.logic_cells, 1200);
        assert_eq!(sum.cost.flip_flops, 600);
        assert_eq!((sum.cost.block_rams, sum.memory_bits), (3, 30));
        assert_eq!(sum.cost.fmax_mhz, Some(60.0));
        assert_eq!(router.with(&core, 1).cost.block, "R + C");
    }
}

//! Activity of the cores of a machine over time.

use super::line_profile::LineProfile;
use crate::networks::Study;
use crate::program::Symbols;
use crate::{format_number, format_optional, format_percent, ratio, JsonEntry, RunStats, Trap};
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use interconnect::topology::{Metacube, Topology};
use serde_json::{json, Value};
use std::fmt::Write;

/// Observes the cores of a machine of [`SoftNode`](rtl::tdma::SoftNode)s in every clock
/// cycle.
pub struct Profiler {
    phase_clock: SharedPortId,
    was_high: bool,
    asleep: ProfiledOutput,
    retired: ProfiledOutput,
    halted: ProfiledOutput,
    decided: ProfiledOutput,
    cores: Vec<CoreProfile>,
    lines: LineProfile,
}

/// Output of all nodes, with its values in this clock cycle.
struct ProfiledOutput {
    port: NodePortId,
    values: Vec<u64>,
}

impl ProfiledOutput {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        ProfiledOutput { port: engine.port(name), values: vec![] }
    }

    /// Reads the current value at each node.
    fn look(&mut self, engine: &mut dyn NodeEngine) -> &[u64] {
        engine.get_all(self.port, &mut self.values);
        &self.values
    }
}

impl Profiler {
    /// Creates a profiler for the machine in this engine.
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        Profiler {
            phase_clock: engine.shared_port("phase_clock"),
            was_high: false,
            asleep: ProfiledOutput::new(engine, "asleep"),
            retired: ProfiledOutput::new(engine, "retired"),
            halted: ProfiledOutput::new(engine, "halted"),
            decided: ProfiledOutput::new(engine, "decided"),
            cores: vec![CoreProfile::default(); engine.nodes()],
            lines: LineProfile::new(engine),
        }
    }

    /// Returns the counts of each core, by node.
    pub fn into_cores(self) -> Vec<CoreProfile> {
        self.cores
    }

    fn watch(&mut self, engine: &mut dyn NodeEngine, clock: u64) {
        let high = engine.get_shared(self.phase_clock) == 1;
        let begins = high && !self.was_high;
        self.was_high = high;
        let asleep = self.asleep.look(engine);
        let retired = self.retired.look(engine);
        let halted = self.halted.look(engine);
        let decided = self.decided.look(engine);
        for (node, core) in self.cores.iter_mut().enumerate() {
            if begins {
                core.service.push(0);
            }
            core.instructions += retired[node];
            if halted[node] == 1 {
                core.stopped += 1;
            } else if asleep[node] == 1 {
                core.asleep += 1;
            } else {
                core.awake += 1;
            }
            if let (0, Some(service)) = (decided[node], core.service.last_mut()) {
                *service += 1;
            }
        }
        let awake = asleep.iter().zip(halted).enumerate();
        let awake = awake.filter(|(_, (asleep, halted))| **asleep == 0 && **halted == 0);
        self.lines.sample(engine, clock, awake.map(|(node, _)| node));
    }
}

impl Observer for Profiler {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        self.watch(engine, clock);
        Ok(())
    }
}

/// Profile that is printed after the summary.
pub(super) struct ProfileStudy {
    pub profiler: Profiler,
    pub shape: Metacube,
    /// Clock cycles that a node has for its decision.
    pub window: u32,
    /// Functions and source lines of the program.
    pub symbols: Symbols,
}

impl Observer for ProfileStudy {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.profiler.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        self.profiler.look(engine, clock)
    }
}

impl Study for ProfileStudy {
    fn json_entry(&self) -> Option<JsonEntry> {
        let mut profile = profile_json(&self.profiler.cores, self.window);
        profile["lines"] = self.profiler.lines.json(&self.symbols).into();
        Some(JsonEntry::new("profile", profile))
    }

    fn text(self: Box<Self>, stats: &RunStats) -> String {
        let lines = self.profiler.lines.text(&self.symbols);
        let cores = self.profiler.into_cores();
        let traps: Vec<Trap> = stats.traps.iter().map(|located| located.trap).collect();
        profile_text(&self.shape, &cores, &traps, self.window) + &lines
    }
}

/// Activity counts of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreProfile {
    /// Clock cycles in which the core worked or waited for memory.
    pub awake: u64,
    /// Clock cycles in which the core slept.
    pub asleep: u64,
    /// Clock cycles after the core had stopped permanently.
    pub stopped: u64,
    /// Instructions retired.
    pub instructions: u64,
    /// For every phase, the clock cycles until the software had decided what the node sends.
    pub service: Vec<u32>,
}

/// Returns the profile for `--json`.
fn profile_json(cores: &[CoreProfile], window: u32) -> Value {
    let node = |(node, core): (usize, &CoreProfile)| {
        let [shortest, median, longest] = core.service_range();
        json!({
            "node": node,
            "awake": core.awake,
            "asleep": core.asleep,
            "stopped": core.stopped,
            "instructions": core.instructions,
            "service_min": shortest,
            "service_median": median,
            "service_max": longest,
        })
    };
    let phases = cores.iter().map(|core| core.service.len()).max();
    let longest = |phase: usize| {
        let of_core = cores.iter().filter_map(|core| core.service.get(phase));
        of_core.copied().max()
    };
    json!({
        "window": window,
        "nodes": cores.iter().enumerate().map(node).collect::<Vec<_>>(),
        "longest_service": (0..phases.unwrap_or(0)).map(longest).collect::<Vec<_>>(),
    })
}

impl CoreProfile {
    /// Shortest, median and longest service time of the phases in which the software took time for
    /// its decision. The median of an even number of phases is the upper one.
    fn service_range(&self) -> [Option<u64>; 3] {
        let took_time = self.service.iter().filter(|service| **service > 0);
        let mut service: Vec<u64> = took_time.copied().map(u64::from).collect();
        service.sort_unstable();
        let median = service.get(service.len() / 2);
        [service.first(), median, service.last()].map(|time| time.copied())
    }
}

// Profile as a table, and as a plot over phases.

/// Maximum number of bars in the plot.
const BARS: usize = 24;

/// Characters of the longest bar.
const WIDTH: usize = 48;

/// Returns a row for each node, and the longest service time of all nodes for each phase. `window`
/// is the number of clock cycles that a node has for its decision. `traps` lists the cores that
/// have halted.
pub fn profile_text(
    topology: &dyn Topology,
    cores: &[CoreProfile],
    traps: &[Trap],
    window: u32,
) -> String {
    table(topology, cores, traps) + &plot(cores, window)
}

fn table(topology: &dyn Topology, cores: &[CoreProfile], traps: &[Trap]) -> String {
    // CPI: clock cycles for each instruction. A line has at most 80 characters.
    let mut text =
        "node     awake     asleep   awake  instructions   CPI  service min median    max\n"
            .to_owned();
    for (node, core) in (0..topology.nodes()).zip(cores) {
        let all = core.awake + core.asleep + core.stopped;
        let each = ratio(core.awake, core.instructions);
        let [shortest, median, longest] = core.service_range().map(format_optional);
        let trap = traps.iter().find(|trap| trap.node == node);
        let _ = writeln!(
            text,
            "{:<4} {:>9}  {:>9}  {:>6}  {:>12}  {:>4}  {:>11} {:>6} {:>6}{}",
            topology.node_name(node),
            core.awake,
            core.asleep,
            format_percent(ratio(core.awake, all)),
            core.instructions,
            format_number(each, 1),
            shortest,
            median,
            longest,
            trap.map_or_else(String::new, |trap| format!("  {trap}"))
        );
    }
    text
}

/// Plots the longest service time in each bucket of phases as bars. A bar that reaches `window`
/// misses the deadline.
fn plot(cores: &[CoreProfile], window: u32) -> String {
    let phases = cores.iter().map(|c| c.service.len()).max().unwrap_or(0);
    if phases == 0 {
        return String::new();
    }
    let bucket = phases.div_ceil(BARS);
    let longest = |from: usize| {
        let of_core = |core: &CoreProfile| {
            let to = (from + bucket).min(core.service.len());
            core.service[from.min(to)..to].iter().copied().max()
        };
        cores.iter().filter_map(of_core).max().unwrap_or(0)
    };
    let top = (0..phases).step_by(bucket).map(longest).max().unwrap_or(0);
    let scale = top.max(window).max(1);
    let mark = window as usize * WIDTH / scale as usize;
    let mut text =
        format!("longest service time in clock cycles, by phase (| = the window, {window})\n");
    for from in (0..phases).step_by(bucket) {
        let service = longest(from);
        let length = service as usize * WIDTH / scale as usize;
        let bar: String = (0..=WIDTH)
            .map(|i| match i {
                i if i < length => '#',
                i if i == mark => '|',
                _ => ' ',
            })
            .collect();
        let _ = writeln!(text, "{from:>6}  {service:>6}  {}", bar.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Hypercube;
    use rtl::core::Cause;

    #[test]
    fn profiles_print_a_table_and_bars() {
        let core = |service: &[u32]| CoreProfile {
            awake: 30,
            asleep: 70,
            stopped: 0,
            instructions: 10,
            service: service.to_vec(),
        };
        let cores = [core(&[10, 20, 0]), core(&[5, 48, 30])];
        let trap = Trap { node: 1, pc: 0x1C, cause: Cause::Breakpoint, instruction: 0x0010_0073 };
        let text = profile_text(&Hypercube::new(1).unwrap(), &cores, &[trap], 24);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].contains("30.0 %") && lines[1].contains("3.0"), "{text}");
        assert!(lines[1].ends_with("20     20"), "{text}");
        let end = "5     30     48  halted at 0x0000001C: ebreak (0x00100073)";
        assert!(lines[2].ends_with(end), "{text}");
        let bars: Vec<usize> = lines[4..].iter().map(|l| l.matches('#').count()).collect();
        assert_eq!(bars, [10, 48, 30]);
        assert_eq!(lines[4].chars().last(), Some('|'));
    }
}

//! Comparison of an imported design with Verilator, output by output.

use super::{SimulateError, Simulation, Stimulus};
use import::{Imported, YosysJob};
use lockstep::lanes::Keep;
use num_bigint::BigUint;
use std::path::Path;
use toolchain::{with_parameters, PortSpec, Toolchain};

/// Largest number of output words of 64 bits that a check compares: 400 MB.
pub const CHECK_WORDS: usize = 50_000_000;

/// First difference of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub lane: usize,
    pub clock: u64,
    pub output: String,
    pub lockstep: BigUint,
    pub verilator: BigUint,
}

/// Simulation to compare with Verilator.
pub struct Check<'a> {
    pub job: &'a YosysJob,
    pub imported: &'a Imported,
    pub stimulus: &'a Stimulus,
    pub lanes: usize,
    /// Number of clock cycles.
    pub clocks: u64,
}

/// Runs all lanes in lockstep and in Verilator, and compares every output in every clock cycle.
/// Returns the number of compared values, or the first difference.
///
/// # Errors
/// If Verilator or the lanes fail.
pub fn check(
    subject: &Check,
    tools: &Toolchain,
    work_dir: &Path,
) -> Result<Result<u64, Difference>, SimulateError> {
    let &Check { job, imported, stimulus, lanes, clocks } = subject;
    let netlist = &imported.netlist;
    let inputs = netlist.inputs.iter();
    let outputs = netlist.outputs.iter();
    let specs = inputs.map(|i| PortSpec::input(&i.path, netlist.width(i.net) as usize));
    let specs =
        specs.chain(outputs.map(|o| PortSpec::output(&o.path, netlist.width(o.net) as usize)));
    let clock = imported.clock.as_ref().map(|(name, _)| name.as_str());
    let specs: Vec<_> = specs.chain(clock.map(|clock| PortSpec::input(clock, 1))).collect();
    let top = &imported.top;
    let wrapper = format!("{top}_in_lanes");
    let sources = tools.preprocess(&job.files, &job.includes, &job.defines, work_dir)?;
    let text = sources + "\n" + &with_parameters(&wrapper, top, &job.parameters, &specs);
    let model = tools.verilate(&text, &wrapper, &specs, clock, work_dir)?;
    let model = model.in_folder(Path::new("."));

    let found = outputs_of_lanes(imported, stimulus, lanes, clocks)?;
    let names: Vec<&str> = netlist.outputs.iter().map(|o| o.path.as_str()).collect();
    let mut compared = 0;
    for (lane, found) in found.iter().enumerate() {
        let cycles: Vec<Vec<BigUint>> = stimulus.of_lane(lane).take(clocks as usize).collect();
        let expected = model.run(&cycles)?;
        for (clock, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let pairs = found.iter().zip(expected).zip(&names);
            for ((lockstep, verilator), output) in pairs {
                compared += 1;
                if lockstep != verilator {
                    return Ok(Err(Difference {
                        lane,
                        clock: clock as u64,
                        output: output.to_string(),
                        lockstep: lockstep.clone(),
                        verilator: verilator.clone(),
                    }));
                }
            }
        }
    }
    Ok(Ok(compared))
}

/// Outputs by lane and clock cycle.
type LaneOutputs = Vec<Vec<Vec<BigUint>>>;

fn outputs_of_lanes(
    imported: &Imported,
    stimulus: &Stimulus,
    lanes: usize,
    clocks: u64,
) -> Result<LaneOutputs, SimulateError> {
    let mut simulation = Simulation::new(imported, stimulus.clone(), lanes, Keep::Outputs, 1)?;
    let outputs = imported.netlist.outputs.iter();
    let probes: Result<Vec<_>, _> = outputs.map(|o| simulation.probe(&o.path)).collect();
    let probes = probes?;
    let mut found: LaneOutputs = vec![vec![]; lanes];
    while simulation.clock() < clocks {
        simulation.set_inputs()?;
        for (lane, found) in found.iter_mut().enumerate() {
            let values = probes.iter().map(|probe| simulation.machine.get_big(*probe, lane));
            found.push(values.collect());
        }
        simulation.clock_edge();
    }
    Ok(found)
}

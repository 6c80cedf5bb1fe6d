//! Sweeps of a comparison over relations and over load.

use super::bench::{CompareBench, CompareRuns, ComparedMachine};
use crate::cli::CliError;
use interconnect::traffic::{MessageList, OfferedLoad, TrafficPattern};
use lab::report::comparison::{LoadPoint, LoadWindow};
use machine::Load;

/// Runs every machine on `relation:H` for every H.
pub fn relations(bench: &CompareBench) -> Result<CompareRuns, CliError> {
    let mut runs = CompareRuns::default();
    for count in &bench.args.relations {
        let pattern = TrafficPattern::Relation(*count);
        let messages = bench.args.travelling_messages(&pattern, bench.proc_bits)?;
        bench.run_all(&pattern.to_string(), &messages, &mut runs)?;
    }
    Ok(runs)
}

/// Runs every machine on the loads in ascending order, up to the first load that it does not keep
/// up with. Machines built for known messages are left out, because these messages are not known in
/// advance.
pub fn loads(bench: &CompareBench) -> Result<Vec<LoadPoint>, CliError> {
    let mut loads = bench.args.loads.clone();
    loads.sort_by(f64::total_cmp);
    let mut points = vec![];
    let takes_any = |machine: &&ComparedMachine| machine.machine.machine_builder().is_none();
    for machine in bench.machines.iter().filter(takes_any) {
        for load in &loads {
            let point = point(bench, machine, *load)?;
            points.push(point);
            if points.last().is_some_and(|p: &LoadPoint| p.saturated) {
                break;
            }
        }
    }
    Ok(points)
}

fn point(
    bench: &CompareBench,
    machine: &ComparedMachine,
    load: f64,
) -> Result<LoadPoint, CliError> {
    let window = LoadWindow::for_nodes(bench.cube.nodes().into());
    let offered = OfferedLoad {
        load,
        periods: window.periods(),
        seed: bench.args.seed,
        payload: bench.args.payload,
    };
    let (messages, moments) = offered.messages(bench.cube, bench.proc_bits);
    let created = window.creation_times(&moments, machine.report.timebase.period);
    let what = format!("{load} messages per node and period");
    let load_of = Load {
        created: created.clone(),
        ..Load::at_once(MessageList::from(&messages[..]))
    };
    let carried = bench.run_load(&*machine.machine, &what, load_of)?;
    Ok(LoadPoint::new(
        &machine.report,
        bench.cube.nodes().into(),
        load,
        window,
        &created,
        &carried,
    ))
}

//! What a board should say of its runs: what the simulator makes of the same
//! messages.

use super::lines::{DoneLine, MessageLine, RunLine};
use super::session::Run;
use crate::engine::EngineError;
use crate::machine::cube::{CubeCircuit, CubeMachine, CubeRunError, Disturbance, MessageFate};
use crate::machine::hosted::PAYLOAD;
use crate::machine::MachineCircuit;
use crate::rtl::shared::DIMS;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, PatternError, Recipe, RecipeError};
use lockstep::lanes::Options;
use std::fmt::Write;
use thiserror::Error;

/// Why there is nothing to compare a run with.
#[derive(Debug, Error)]
pub enum NoSimulation {
    #[error("the board's pattern is none that the simulator has: {0}")]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Run(#[from] CubeRunError),
}

/// The run that a machine of hardware forwarders makes of this pattern and seed: a
/// second circuit, that shares neither core nor program with the board's.
///
/// # Errors
/// If there are no such messages, or the machine stands still.
pub fn simulated(traffic: &RunLine) -> Result<Run, NoSimulation> {
    let cube = Hypercube::new(DIMS as u64).expect("there is a cube of the board's dimensions");
    let recipe = Recipe {
        pattern: traffic.pattern.parse()?,
        seed: traffic.seed,
        payload: PAYLOAD,
        order: ExchangeOrder::Pairs,
    };
    let messages = recipe.messages(cube)?;
    let circuit = CubeCircuit::new(cube, PAYLOAD, true, CubeCircuit::PATIENCE)
        .expect("there is a machine of the board's dimensions");
    let mut engine = circuit.lockstep(&Options::default())?;
    let machine = CubeMachine::new(&mut engine, cube, circuit.timing(), Disturbance::default());
    let run = machine.run(&messages)?;

    let mut arrivals = vec![];
    for (message, fate) in messages.iter().zip(&run.fates) {
        if let MessageFate::Delivered { t } = fate {
            arrivals.push(MessageLine {
                t: u64::from(*t),
                from: message.source.into(),
                to: message.destination.into(),
                payload: hex(&message.payload),
            });
        }
    }
    let to_self = messages.iter().filter(|m| m.source == m.destination);
    let to_self = to_self.count() as u64;
    let delivered = arrivals.len() as u64 + to_self;
    let counters = run.counters;
    Ok(Run {
        traffic: RunLine {
            messages: messages.len() as u64,
            to_self,
            ..traffic.clone()
        },
        arrivals,
        counters: Some(DoneLine {
            delivered,
            lost: messages.len() as u64 - delivered,
            wrong: counters.undetected + counters.duplicated,
            hops: counters.hops,
            refused: counters.refused,
            silences: counters.silences,
            late: counters.late,
            superframes: run.superframes(cube),
        }),
    })
}

/// The first difference of what a board said from the simulation, if there is one.
/// Messages of one phase may come in any order.
pub fn difference(said: &Run, simulated: &Run) -> Option<String> {
    let name = format!("{} {:#x}", said.traffic.pattern, said.traffic.seed);
    if said.traffic != simulated.traffic {
        return Some(format!(
            "{name} has {} messages, {} of them to self; simulated {} and {}",
            said.traffic.messages,
            said.traffic.to_self,
            simulated.traffic.messages,
            simulated.traffic.to_self
        ));
    }
    let [told, expected] = [said, simulated].map(|run| {
        let mut lines = run.arrivals.clone();
        lines.sort();
        lines
    });
    if let Some(line) = told.iter().find(|line| !expected.contains(line)) {
        return Some(format!("{name}: not simulated: {line}"));
    }
    if told != expected {
        let missing = expected.iter().find(|line| !told.contains(line));
        return Some(match missing {
            Some(line) => format!("{name}: not said: {line}"),
            None => format!("{name}: a message came twice"),
        });
    }
    (said.counters != simulated.counters).then(|| {
        format!(
            "{name}: the counters are {:?}, simulated {:?}",
            said.counters, simulated.counters
        )
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pattern: &str) -> Run {
        let traffic = RunLine {
            pattern: pattern.into(),
            seed: 7,
            messages: 8,
            to_self: 0,
        };
        simulated(&traffic).unwrap()
    }

    /// The schedule says when: complement takes one superframe and all its wires.
    #[test]
    fn complement_arrives_in_the_last_dimension_of_the_first_superframe() {
        let run = run("complement");
        let done = run.counters.unwrap();
        assert_eq!((done.delivered, done.hops, done.superframes), (8, 24, 1));
        for line in &run.arrivals {
            assert_eq!((line.from ^ line.to, line.t), (7, 4 + (line.to >> 2 ^ 1)));
        }
    }

    #[test]
    fn any_other_word_is_a_difference() {
        let simulated = run("complement");
        assert_eq!(difference(&simulated, &simulated), None);
        let mut swapped = simulated.clone();
        swapped.arrivals.reverse();
        assert_eq!(difference(&swapped, &simulated), None);

        let differs = |change: fn(&mut Run)| {
            let mut said = simulated.clone();
            change(&mut said);
            difference(&said, &simulated).unwrap()
        };
        assert!(differs(|run| run.arrivals[3].t += 1).contains("not simulated"));
        assert!(differs(|run| run.arrivals[0].payload = "00".into()).contains("not simulated"));
        assert!(differs(|run| drop(run.arrivals.pop())).contains("not said"));
        assert!(differs(|run| run.arrivals.push(run.arrivals[0].clone())).contains("twice"));
        assert!(differs(|run| run.traffic.messages += 1).contains("messages"));
        assert!(differs(|run| run.counters = None).contains("counters"));
    }

    #[test]
    fn a_pattern_that_nobody_knows_is_no_panic() {
        let traffic = RunLine {
            pattern: "spiral".into(),
            seed: 0,
            messages: 8,
            to_self: 0,
        };
        assert!(matches!(simulated(&traffic), Err(NoSimulation::Pattern(_))));
    }
}

//! What a board should say of its runs: what the simulator makes of the same
//! messages.

use super::lines::{Cm1DoneLine, DoneLine, MessageLine, RunLine};
use super::manifest::hex;
use super::session::{Cm1Pass, Run};
use super::BoardDesignName;
use crate::engine::{ByNode, EngineError};
use crate::machine::{Fate, MachineCircuit, RunError};
use crate::networks::cm1::{Cm1Circuit, Cm1Machine, Cm1Shape, TrafficError};
use crate::networks::tdma::cube::{CubeCircuit, CubeMachine, Disturbance};
use crate::networks::tdma::hosted::PAYLOAD;
use crate::rtl::cm1::Cm1Board;
use crate::rtl::hosted::DIMS;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, Message, PatternError, Recipe, RecipeError};
use lockstep::lanes::Options;
use std::fmt::Debug;
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
    Run(#[from] RunError),
    #[error(transparent)]
    Cm1Traffic(#[from] TrafficError),
}

/// The messages of this pattern and seed.
fn messages(traffic: &RunLine, cube: Hypercube) -> Result<Vec<Message>, NoSimulation> {
    let recipe = Recipe {
        pattern: traffic.pattern.parse()?,
        seed: traffic.seed,
        payload: PAYLOAD,
        order: ExchangeOrder::Pairs,
    };
    Ok(recipe.messages(cube)?)
}

/// What is said of a message that arrives at time `t`.
fn arrival(t: u64, message: &Message) -> MessageLine {
    MessageLine {
        t,
        from: message.source.into(),
        to: message.destination.into(),
        payload: hex(&message.payload),
    }
}

fn is_to_self(message: &Message) -> bool {
    message.source == message.destination
}

/// The run that a machine of hardware forwarders makes of this pattern and seed: a
/// second circuit, that shares neither core nor program with the board's. Without
/// the CM-1's part, that is [`through_cm1`]'s.
///
/// # Errors
/// If there are no such messages, or the machine stands still.
pub fn simulated(traffic: &RunLine) -> Result<Run, NoSimulation> {
    let cube = Hypercube::new(DIMS as u64).expect("there is a cube of the board's dimensions");
    let messages = messages(traffic, cube)?;
    let circuit = CubeCircuit::new(cube, PAYLOAD, true)
        .expect("there is a machine of the board's dimensions");
    let mut engine = circuit.lockstep(&Options::default())?;
    let machine = CubeMachine::new(&mut engine, cube, circuit.timing(), Disturbance::default());
    let run = machine.run(&messages)?;

    let mut arrivals = vec![];
    for (message, fate) in messages.iter().zip(&run.fates) {
        if let Fate::Delivered { t } = fate {
            arrivals.push(arrival((*t).into(), message));
        }
    }
    let to_self = messages.iter().filter(|m| is_to_self(m)).count() as u64;
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
            clocks: None,
        }),
        cm1: None,
    })
}

/// What a CM-1 that never waits for its processors makes of the same: it shares
/// neither processors nor program with the board's. Its clock cycles are 0.
///
/// # Errors
/// If there are no such messages, or the machine falls out of step.
pub fn through_cm1(traffic: &RunLine) -> Result<Cm1Pass, NoSimulation> {
    let cube = Hypercube::new(DIMS as u64).expect("there is a cube of the board's dimensions");
    let mut messages = messages(traffic, cube)?;
    let all = messages.len() as u64;
    messages.retain(|message| !is_to_self(message));
    let to_self = all - messages.len() as u64;
    let plan = Cm1Board::plan(PAYLOAD);
    let shape = Cm1Shape {
        rows: BoardDesignName::ROWS,
        format: plan.format,
    };
    let circuit = Cm1Circuit::new(shape, plan).expect("there is a CM-1 of the board's shape");
    let mut engine = ByNode::new(circuit.evaluator()?, shape.chips());
    let run = Cm1Machine::new(&mut engine, shape, plan).run(&shape.messages(&messages, 0)?)?;
    let mut arrivals = vec![];
    for (message, fate) in messages.iter().zip(&run.fates) {
        if let Fate::Delivered { t: petit } = fate {
            arrivals.push(arrival((*petit).into(), message));
        }
    }
    let delivered = arrivals.len() as u64 + to_self;
    let counters = run.counters;
    Ok(Cm1Pass {
        arrivals,
        counters: Some(Cm1DoneLine {
            delivered,
            lost: all - delivered,
            wrong: counters.undetected + counters.duplicated,
            petits: run.petit_cycles,
            bit_times: run.heart_bit_times,
            clocks: 0,
        }),
    })
}

/// The first difference of what a board said from the simulation, if there is one.
/// Messages of one phase or petit cycle may come in any order. How many clock cycles
/// the board took is its own affair: the simulated machines have no programs.
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
        let clocks = None;
        let counters = run.counters.clone();
        counters.map(|done| DoneLine { clocks, ..done })
    });
    let links = of_arrivals(&name, &said.arrivals, &simulated.arrivals)
        .or_else(|| of_counters(&name, &told, &expected));
    if links.is_some() {
        return links;
    }
    let name = format!("{name} through the CM-1");
    let (told, expected) = match (&said.cm1, &simulated.cm1) {
        (None, None) => return None,
        (Some(told), Some(expected)) => (told, expected),
        (Some(_), None) => return Some(format!("{name}: not simulated")),
        (None, Some(_)) => return Some(format!("{name}: not said")),
    };
    of_arrivals(&name, &told.arrivals, &expected.arrivals).or_else(|| {
        let [told, expected] = [told, expected].map(|pass| {
            let counters = pass.counters.clone();
            counters.map(|done| Cm1DoneLine { clocks: 0, ..done })
        });
        of_counters(&name, &told, &expected)
    })
}

fn of_arrivals(name: &str, said: &[MessageLine], simulated: &[MessageLine]) -> Option<String> {
    let [told, expected] = [said, simulated].map(|lines| {
        let mut lines = lines.to_vec();
        lines.sort();
        lines
    });
    if let Some(line) = told.iter().find(|line| !expected.contains(line)) {
        return Some(format!("{name}: not simulated: {line}"));
    }
    if told == expected {
        return None;
    }
    let missing = expected.iter().find(|line| !told.contains(line));
    Some(match missing {
        Some(line) => format!("{name}: not said: {line}"),
        None => format!("{name}: a message came twice"),
    })
}

fn of_counters<T: Debug + PartialEq>(name: &str, said: &T, simulated: &T) -> Option<String> {
    (said != simulated)
        .then(|| format!("{name}: the counters are {said:?}, simulated {simulated:?}"))
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
        assert!(differs(|run| run.cm1 = Some(Cm1Pass::default())).contains("not simulated"));
    }

    /// Each processor has one message, and no clock cycles are compared.
    #[test]
    fn a_difference_in_the_cm1_is_one() {
        let mut simulated = run("complement");
        simulated.cm1 = Some(through_cm1(&simulated.traffic).unwrap());
        let cm1 = simulated.cm1.clone().unwrap();
        let done = cm1.counters.unwrap();
        assert_eq!((done.delivered, done.lost, done.wrong), (8, 0, 0));
        assert!(cm1.arrivals.iter().all(|line| line.from ^ line.to == 7));
        let differs = |change: fn(&mut Cm1Pass)| {
            let mut said = simulated.clone();
            change(said.cm1.as_mut().unwrap());
            difference(&said, &simulated)
        };
        assert_eq!(
            differs(|cm1| cm1.counters.as_mut().unwrap().clocks = 5),
            None
        );
        let other = |change| differs(change).unwrap();
        assert!(other(|cm1| cm1.arrivals[3].t += 1).contains("CM-1: not simulated"));
        assert!(other(|cm1| drop(cm1.arrivals.pop())).contains("CM-1: not said"));
        assert!(other(|cm1| cm1.counters.as_mut().unwrap().petits += 1).contains("counters"));
        let mut said = simulated.clone();
        said.cm1 = None;
        assert!(difference(&said, &simulated).unwrap().contains("not said"));
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

//! Expected output of a board: the results of the simulator for the same messages.

use super::lines::{BytesDoneLine, Cm1DoneLine, DoneLine, MessageLine, RunLine};
use super::manifest::hex;
use super::{BoardDesignName, Cm1Pass, RecordedRun, RunCounters};
use engine::EngineError;
use interconnect::routing::Schedule;
use interconnect::topology::{Hypercube, Metacube};
use interconnect::traffic::{
    ExchangeOrder, Message, MessageList, PatternError, Recipe, RecipeError,
};
use lockstep::lanes::LaneOptions;
use machine::networks::bytes::ByteDriver;
use machine::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Shape, TrafficError};
use machine::networks::tdma::cube::{CubeCircuit, CubeDriver, CubeFaults, DEADLOCK_AFTER};
use machine::networks::tdma::hosted::PAYLOAD;
use machine::networks::HostedBytes;
use machine::program::ByteNetwork;
use machine::{drive, Delivery, Load, MachineCircuit, RunControl, RunError};
use rtl::cm1::Cm1Board;
use rtl::hosted::{HostedComparison, HostedShape};
use std::fmt::Debug;
use thiserror::Error;

/// Reason why a run cannot be compared with a simulation.
#[derive(Debug, Error)]
pub enum ExpectedRunError {
    #[error("the board's network is called {0}; accepted: {TDMA}, {METACUBE}, {bytes}", bytes = ByteNetwork::ALL.map(ByteNetwork::name).join(", "))]
    Network(String),
    #[error("the simulator does not have the board's pattern: {0}")]
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

/// Name of the cube's link network, on boards that also have another network.
const TDMA: &str = "tdma";

/// Name of a metacube's link network.
const METACUBE: &str = "metacube";

/// Simulates the messages of a board's run in the networks that the board has.
///
/// # Errors
/// If the network or the traffic is unknown, or the machine stalls.
pub fn expected_run(run: &RecordedRun) -> Result<RecordedRun, ExpectedRunError> {
    let mut expected = match run.network.as_deref() {
        None | Some(TDMA) => simulate_links(cube(&run.traffic)?, &run.traffic)?,
        Some(METACUBE) => RecordedRun {
            network: Some(METACUBE.into()),
            ..simulate_links(HostedShape::Metacube, &run.traffic)?
        },
        Some(name) => {
            let mut networks = ByteNetwork::ALL.into_iter();
            match networks.find(|network| network.name() == name) {
                Some(network) => simulate_byte_network(network, &run.traffic)?,
                None => return Err(ExpectedRunError::Network(name.into())),
            }
        }
    };
    if run.cm1.is_some() {
        expected.cm1 = Some(simulate_cm1(&run.traffic)?);
    }
    Ok(expected)
}

/// Finds the board's cube, for which the pattern has this number of messages.
fn cube(traffic: &RunLine) -> Result<HostedShape, ExpectedRunError> {
    for dims in BoardDesignName::Cube.dims() {
        // Some patterns do not exist for every cube.
        let messages = messages(traffic, Hypercube::of(*dims));
        if messages.is_ok_and(|all| all.len() as u64 == traffic.messages) {
            return Ok(HostedShape::cube(*dims).expect("the design has these dimensions"));
        }
    }
    Ok(HostedShape::Cube3)
}

/// Messages of this pattern and seed.
fn messages(traffic: &RunLine, cube: Hypercube) -> Result<Vec<Message>, ExpectedRunError> {
    let recipe = Recipe {
        pattern: traffic.pattern.parse()?,
        seed: traffic.seed,
        payload: PAYLOAD,
        order: ExchangeOrder::Pairs,
    };
    Ok(recipe.messages(cube)?)
}

/// Line for a message that arrives at time `t`.
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

/// Simulates this pattern and seed with hardware forwarders in a machine of this shape. This is an
/// independent circuit: it shares neither core nor program with the board's. [`simulate_cm1`] covers
/// the CM-1's part.
///
/// # Errors
/// If there are no such messages, or the machine stalls.
fn simulate_links(shape: HostedShape, traffic: &RunLine) -> Result<RecordedRun, ExpectedRunError> {
    let shape = Metacube::from(shape);
    let messages = messages(traffic, Hypercube::of(shape.bits()))?;
    let circuit = CubeCircuit::new(shape, PAYLOAD, true).expect("there is a machine of this shape");
    let mut engine =
        circuit.array().map_err(EngineError::from)?.lockstep(&LaneOptions::default())?;
    let load = Load::at_once(MessageList::from(&messages[..]));
    let mut driver = CubeDriver::new(&mut engine, &circuit, &CubeFaults::default(), &load);
    let period = circuit.schedule().period().into();
    let run = drive(&mut driver, RunControl::to_end(period, Some(DEADLOCK_AFTER)))?;

    let mut arrivals = vec![];
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        if let Delivery::Delivered { t } = delivery {
            arrivals.push(arrival((*t).into(), message));
        }
    }
    let to_self = messages.iter().filter(|m| is_to_self(m)).count() as u64;
    let delivered = arrivals.len() as u64 + to_self;
    Ok(RecordedRun {
        traffic: RunLine { messages: messages.len() as u64, to_self, ..traffic.clone() },
        network: None,
        arrivals,
        counters: Some(RunCounters::Links(DoneLine {
            delivered,
            lost: messages.len() as u64 - delivered,
            wrong: run.undetected + run.duplicated,
            hops: run.hops,
            naks: run.figure("refused"),
            timeouts: run.figure("silences"),
            late: run.figure("late"),
            superframes: run.periods,
            clocks: None,
        })),
        cm1: None,
    })
}

/// Simulates the same messages in a CM-1 that never waits for its processors. The simulation shares
/// neither processors nor program with the board's. Its clock cycles are 0.
///
/// # Errors
/// If there are no such messages, or the machine loses sync.
fn simulate_cm1(traffic: &RunLine) -> Result<Cm1Pass, ExpectedRunError> {
    let cube = Hypercube::of(HostedComparison::DIMS as u32);
    let mut messages = messages(traffic, cube)?;
    let all = messages.len() as u64;
    messages.retain(|message| !is_to_self(message));
    let to_self = all - messages.len() as u64;
    let plan = Cm1Board::plan(PAYLOAD);
    let shape = Cm1Shape { rows: BoardDesignName::ROWS, format: plan.format };
    let circuit = Cm1Circuit::new(shape, plan).expect("there is a CM-1 of the board's shape");
    let mut engine = circuit.array().map_err(EngineError::from)?.evaluator()?;
    let (faults, list) = (Cm1Faults::default(), shape.messages(&messages, 0)?);
    let mut driver = Cm1Driver::new(&mut engine, &circuit, &faults, &list, &[]);
    let run = drive(&mut driver, RunControl::to_end(1, None))?;
    let mut arrivals = vec![];
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        if let Delivery::Delivered { t: petit } = delivery {
            arrivals.push(arrival((*petit).into(), message));
        }
    }
    let delivered = arrivals.len() as u64 + to_self;
    Ok(Cm1Pass {
        arrivals,
        counters: Some(Cm1DoneLine {
            delivered,
            lost: all - delivered,
            wrong: run.undetected + run.duplicated,
            petits: run.periods,
            bit_times: run.bit_times,
            clocks: 0,
        }),
    })
}

/// Simulates the same messages in a byte network whose processors are never late. The simulation
/// shares neither processors nor program with the board's. Arrival times depend on the processors
/// and are 0 here. The delivered messages and the number of bytes over channels do not depend on
/// them.
///
/// # Errors
/// If there are no such messages, or the machine loses sync.
fn simulate_byte_network(
    network: ByteNetwork,
    traffic: &RunLine,
) -> Result<RecordedRun, ExpectedRunError> {
    let hosted = HostedBytes::new(network);
    let cube = Hypercube::of(hosted.shape().topology().nodes().ilog2());
    let mut messages = messages(traffic, cube)?;
    let all = messages.len() as u64;
    messages.retain(|message| !is_to_self(message));
    let to_self = all - messages.len() as u64;
    let mut list = MessageList::default();
    for message in &messages {
        list.push(Message {
            source: message.source,
            destination: message.destination,
            payload: &message.payload,
        });
    }
    let mut engine =
        hosted.circuit().array().map_err(EngineError::from)?.lockstep(&LaneOptions::default())?;
    // Periods appear in no report, so a period is one clock cycle.
    let period = 1;
    let load = Load::at_once(list);
    let mut driver = ByteDriver::new(&mut engine, hosted.shape().clone(), period, &load);
    let control = RunControl::to_end(period, Some(ByteDriver::QUIESCENT_AFTER));
    let run = drive(&mut driver, control)?;
    let deliveries = messages.iter().zip(&run.deliveries);
    let delivered =
        deliveries.filter(|(_, delivery)| matches!(delivery, Delivery::Delivered { .. }));
    let arrivals: Vec<_> = delivered.map(|(message, _)| arrival(0, message)).collect();
    let delivered = arrivals.len() as u64 + to_self;
    Ok(RecordedRun {
        traffic: RunLine { messages: all, to_self, ..traffic.clone() },
        network: Some(network.name().into()),
        arrivals,
        counters: Some(RunCounters::Bytes(BytesDoneLine {
            delivered,
            lost: all - delivered,
            wrong: run.undetected + run.duplicated,
            bytes: driver.bytes(),
            clocks: 0,
        })),
        cm1: None,
    })
}

/// Returns the first difference between a board's output and the simulation, if there is one.
/// Messages of one phase or petit cycle may come in any order. Clock cycles, and arrival times in a
/// byte network, are not compared: the simulated machines have no programs.
pub fn difference(printed: &RecordedRun, simulated: &RecordedRun) -> Option<String> {
    let name = format!("{} {:#x}", printed.traffic.pattern, printed.traffic.seed);
    if printed.traffic != simulated.traffic {
        return Some(format!(
            "{name} has {} messages, {} of them to self; simulated {} and {}",
            printed.traffic.messages,
            printed.traffic.to_self,
            simulated.traffic.messages,
            simulated.traffic.to_self
        ));
    }
    let [reported, expected] = [printed, simulated].map(comparable);
    let links = arrival_difference(&name, &reported.0, &expected.0)
        .or_else(|| counter_difference(&name, &reported.1, &expected.1));
    if links.is_some() {
        return links;
    }
    let name = format!("{name} through the CM-1");
    let (reported, expected) = match (&printed.cm1, &simulated.cm1) {
        (None, None) => return None,
        (Some(reported), Some(expected)) => (reported, expected),
        (Some(_), None) => return Some(format!("{name}: not simulated")),
        (None, Some(_)) => return Some(format!("{name}: not reported by the board")),
    };
    arrival_difference(&name, &reported.arrivals, &expected.arrivals).or_else(|| {
        let [reported, expected] = [reported, expected].map(|pass| {
            let counters = pass.counters.clone();
            counters.map(|done| Cm1DoneLine { clocks: 0, ..done })
        });
        counter_difference(&name, &reported, &expected)
    })
}

/// Arrivals and counters of the first network, without the values that are not compared.
fn comparable(run: &RecordedRun) -> (Vec<MessageLine>, Option<RunCounters>) {
    let mut arrivals = run.arrivals.clone();
    let counters = run.counters.clone().map(|counters| match counters {
        RunCounters::Links(done) => RunCounters::Links(DoneLine { clocks: None, ..done }),
        RunCounters::Bytes(done) => {
            arrivals.iter_mut().for_each(|line| line.t = 0);
            RunCounters::Bytes(BytesDoneLine { clocks: 0, ..done })
        }
    });
    (arrivals, counters)
}

fn arrival_difference(
    name: &str,
    printed: &[MessageLine],
    simulated: &[MessageLine],
) -> Option<String> {
    let [reported, expected] = [printed, simulated].map(|lines| {
        let mut lines = lines.to_vec();
        lines.sort();
        lines
    });
    if let Some(line) = reported.iter().find(|line| !expected.contains(line)) {
        return Some(format!("{name}: not simulated: {line}"));
    }
    if reported == expected {
        return None;
    }
    let missing = expected.iter().find(|line| !reported.contains(line));
    Some(match missing {
        Some(line) => format!("{name}: not reported by the board: {line}"),
        None => format!("{name}: a message arrived twice"),
    })
}

fn counter_difference<T: Debug + PartialEq>(
    name: &str,
    printed: &T,
    simulated: &T,
) -> Option<String> {
    (printed != simulated)
        .then(|| format!("{name}: the counters are {printed:?}, simulated {simulated:?}"))
}

#[cfg(test)]
mod tests;

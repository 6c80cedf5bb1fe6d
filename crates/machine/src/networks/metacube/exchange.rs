//! Total exchange by a plan that the circuits follow.

use super::Traffic;
use crate::flags::FlagChoice;
use crate::networks::request::check_ends as check_route_ends;
use crate::networks::tdma::CompiledTraffic;
use crate::networks::{NetworkError, NetworkHop, NetworkRoute, Remark, RunRequest};
use crate::text::format_count;
use crate::JsonEntry;
use interconnect::routing::compiled::CompiledSchedule;
use interconnect::routing::metacube::exchange::{
    colliding_steps, cyclic_plan, first_pairs, lockstep_plan, memoryless_route, pipelined_plan,
    plan_links, ProductiveLinks,
};
use interconnect::routing::metacube::{offset, ClassPaths};
use interconnect::topology::{Metacube, Topology};
use interconnect::traffic::{MessageList, Recipe, TrafficPattern};

/// Maximum number of offsets in flight at once in a pipelined exchange.
const WINDOWS: usize = 8;

/// Kind of plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeKind {
    /// Programmed order of links, in which every node sends in every pair of phases. Offsets follow
    /// one another, on the routes of the circuits.
    Lockstep,
    /// Compiled schedule in superframes. Offsets follow one another, on the shortest routes that
    /// end soonest.
    Cyclic,
    /// Compiled schedule in superframes. Several offsets are in flight at once, on any shortest
    /// routes.
    Pipelined,
}

impl FlagChoice for ExchangeKind {
    const OPTION_NAME: &'static str = "exchange";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("lockstep", Self::Lockstep), ("cyclic", Self::Cyclic), ("pipelined", Self::Pipelined)];
    const RESERVED: &'static [&'static str] = &[];
}

/// Returns the messages of a total exchange in lockstep, and the order of links. Hosts have the
/// messages of an offset at the beginning of the first pair of phases in which those messages move.
///
/// # Errors
/// If other messages are requested as well, or there are too many.
pub fn lockstep_exchange(
    request: &RunRequest,
    metacube: Metacube,
) -> Result<Traffic, NetworkError> {
    reject_other_messages(ExchangeKind::Lockstep, request)?;
    reject_flags(ExchangeKind::Lockstep, request, &["superframes"], "its order of links has none")?;
    let plan = lockstep_plan(metacube, |offset| memoryless_route(metacube, offset));
    let first = first_pairs(&plan);
    let messages = messages(request, metacube, &first)?;
    let nodes = metacube.nodes() as usize;
    let releases = first.iter().flat_map(|(_, pair)| vec![2 * *pair as u64; nodes]);
    Ok(Traffic {
        messages,
        addresses: metacube.into(),
        pattern: Some(TrafficPattern::TotalExchange),
        releases: releases.collect(),
        order: Some(plan_links(&plan)),
    })
}

/// Returns a compiled total exchange in superframes.
///
/// # Errors
/// If other messages are requested as well, there are too many, or no plan is found.
pub fn compiled_exchange(
    exchange: ExchangeKind,
    request: &RunRequest,
    metacube: Metacube,
) -> Result<CompiledTraffic, NetworkError> {
    reject_other_messages(exchange, request)?;
    let why = "its nodes follow a compiled schedule";
    reject_flags(exchange, request, &["counts", "skew", "skew_tree", "ppm"], why)?;
    let nearer = ProductiveLinks::new(metacube);
    let plan = match exchange {
        ExchangeKind::Pipelined => {
            let plans = (1..=WINDOWS).filter_map(|window| pipelined_plan(&nearer, window));
            plans.min_by_key(Vec::len)
        }
        ExchangeKind::Cyclic | ExchangeKind::Lockstep => {
            Some(cyclic_plan(metacube, |o| nearer.earliest_path(o)))
        }
    };
    let plan = plan.ok_or_else(|| NetworkError::failed("no plan of a total exchange is found"))?;
    let first = first_pairs(&plan);
    let messages = messages(request, metacube, &first)?;
    let mut moves = vec![vec![]; metacube.nodes() as usize];
    for (pair, at) in (0..).zip(&plan) {
        if let Some(offset) = at.offset {
            moves[offset as usize].push(pair);
        }
    }
    let pairs = |(offset, _): &(u32, usize)| {
        vec![moves[*offset as usize].clone(); metacube.nodes() as usize]
    };
    let schedule = CompiledSchedule {
        shape: metacube,
        order: plan_links(&plan),
        pairs: first.iter().flat_map(pairs).collect(),
    };
    CompiledTraffic::new(schedule, messages, Some(TrafficPattern::TotalExchange))
}

/// Returns the messages to these offsets, one offset after the other, from all nodes.
fn messages(
    request: &RunRequest,
    metacube: Metacube,
    offsets: &[(u32, usize)],
) -> Result<MessageList, NetworkError> {
    let recipe = Recipe { pattern: TrafficPattern::TotalExchange, ..request.recipe.clone() };
    let rounds = offsets.len() as u64;
    let messages = recipe.exchange(metacube, rounds, |round, source| {
        offset::destination(metacube, source, offsets[round].0)
    })?;
    Ok(messages)
}

/// Counts the steps of a total exchange in which two messages use a link in the same direction.
/// Circuits held from end to end would collide in these steps. In lockstep, at the same hop, no
/// messages collide. The paper says that none collide at all (metacube-total-exchange, section
/// 3.3).
pub fn circuit_conflicts(metacube: Metacube) -> Remark {
    let walk = |offset| memoryless_route(metacube, offset);
    let [colliding, steps] = colliding_steps(metacube, walk);
    Remark {
        line: format!(
            "circuits held from end to end would collide in {colliding} of {steps} steps"
        ),
        entries: vec![
            JsonEntry::new("held_steps_that_collide", colliding),
            JsonEntry::new("held_steps", steps),
        ],
    }
}

/// Refuses other messages, because the plan sets sources, destinations and order.
fn reject_other_messages(exchange: ExchangeKind, request: &RunRequest) -> Result<(), NetworkError> {
    let (word, pattern) = (exchange.name(), &request.recipe.pattern);
    if request.is_given("pattern") && *pattern != TrafficPattern::TotalExchange {
        return Err(NetworkError::bad(format!(
            "--exchange {word} is a total exchange, but the pattern is {pattern}; accepted: \
             --pattern total-exchange, or no --pattern"
        )));
    }
    if request.is_given("firmware") {
        return Err(NetworkError::bad(format!(
            "--exchange {word} is a plan for nodes without a core; accepted: no --firmware"
        )));
    }
    if request.is_given("schedule") {
        return Err(NetworkError::bad(format!(
            "--exchange {word} has an order of its own; accepted: no --schedule"
        )));
    }
    Ok(())
}

/// Refuses flags that this plan cannot follow.
fn reject_flags(
    exchange: ExchangeKind,
    request: &RunRequest,
    flags: &[&str],
    why: &str,
) -> Result<(), NetworkError> {
    let Some(flag) = flags.iter().find(|flag| request.is_given(flag)) else {
        return Ok(());
    };
    let (word, flag) = (exchange.name(), flag.replace('_', "-"));
    Err(NetworkError::bad(format!(
        "--{flag} does not go with --exchange {word}: {why}; accepted: no --{flag}"
    )))
}

// Routes by the table of classes in the paper, corrected or as printed.

/// Returns the route of a message by Algorithm 4 and this form of Table 1 (metacube-total-exchange,
/// section 3).
///
/// # Errors
/// If the metacube does not have four classes, or an end is not one of its nodes.
pub fn route_by_table(
    table: ClassPaths,
    metacube: Metacube,
    ends: [u64; 2],
) -> Result<NetworkRoute, NetworkError> {
    if metacube.class_bits() != 2 {
        return Err(NetworkError::bad(format!(
            "the paper's table has four classes, and {} has {}; accepted: --metacube 2,M, or no \
             --table",
            metacube.name(),
            metacube.classes()
        )));
    }
    let [source, destination] = check_route_ends(&metacube, ends)?;
    let mut here = source;
    let mut hops = vec![];
    for link in table.route(metacube, source, destination) {
        let next = metacube.neighbour(here, link);
        hops.push(NetworkHop {
            node: here,
            next,
            names: [here, next].map(|node| metacube.node_name(node)),
            cells: vec![JsonEntry::new("port", link)],
        });
        here = next;
    }
    let [from, to, end] = [source, destination, here].map(|node| metacube.node_name(node));
    let count = format_count(hops.len(), "hop");
    let summary = match here == destination {
        true => count,
        false => format!("{count}, which end at {end}: a fault of the table"),
    };
    Ok(NetworkRoute {
        title: format!("{from} to {to} on {}", metacube.name()),
        summary,
        settings: vec![JsonEntry::new("metacube", metacube.name())],
        columns: vec!["port"],
        hops,
    })
}

//! Total exchange by a plan that the circuits follow.

use super::traffic::{addresses, Traffic};
use crate::flags::Choice;
use crate::machine::Entry;
use crate::networks::{Refusal, Remark, Request};
use crate::routing::metacube::exchange::{
    cyclic, first_pairs, held_steps, in_lockstep, memoryless, order_of_links,
};
use crate::routing::metacube::offset;
use crate::topology::Metacube;
use crate::traffic::{Pattern, Recipe};
use clap::parser::ValueSource;

/// Which plan. Both follow the ways of the circuits, offset by offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The order of links is programmed: every node sends in every pair of phases.
    Lockstep,
    /// In superframes.
    Cyclic,
}

impl Choice for Exchange {
    const WHAT: &'static str = "exchange";
    const READY: &'static [(&'static str, Self)] =
        &[("lockstep", Self::Lockstep), ("cyclic", Self::Cyclic)];
    const PLANNED: &'static [&'static str] = &[];
}

/// The messages of a total exchange by this plan: hosts have those of an offset when the
/// first pair of phases begins in which they move.
///
/// # Errors
/// If other messages are asked for, too, or there are too many.
pub fn traffic(
    exchange: Exchange,
    request: &Request,
    metacube: Metacube,
) -> Result<Traffic, Refusal> {
    refuse_others(exchange, request)?;
    let recipe = Recipe {
        pattern: Pattern::TotalExchange,
        ..request.recipe.clone()
    };
    let walk = |offset| memoryless(metacube, offset);
    let plan = match exchange {
        Exchange::Lockstep => in_lockstep(metacube, walk),
        Exchange::Cyclic => cyclic(metacube, walk),
    };
    let first = first_pairs(&plan);
    let addresses = addresses(metacube)?;
    let messages = recipe.exchange(addresses, first.len() as u64, |round, source| {
        offset::destination(metacube, source, first[round].0)
    })?;
    let nodes = metacube.nodes() as usize;
    let releases = first
        .iter()
        .flat_map(|(_, pair)| vec![2 * *pair as u64; nodes]);
    Ok(Traffic {
        messages,
        addresses,
        pattern: Some(Pattern::TotalExchange),
        releases: releases.collect(),
        order: (exchange == Exchange::Lockstep).then(|| order_of_links(&plan)),
    })
}

/// In how many steps of a total exchange two messages use a link the same way, so that
/// circuits held from end to end would collide; in lockstep, at the same hop, none do
/// (metacube-total-exchange, section 3.3, which says that none do at all).
pub fn held(metacube: Metacube) -> Remark {
    let walk = |offset| memoryless(metacube, offset);
    let [colliding, steps] = held_steps(metacube, walk);
    Remark {
        line: format!(
            "circuits held from end to end would collide in {colliding} of {steps} steps"
        ),
        entries: vec![
            Entry::new("held_steps_that_collide", colliding),
            Entry::new("held_steps", steps),
        ],
    }
}

/// The plan says who sends what to whom, and in which order.
fn refuse_others(exchange: Exchange, request: &Request) -> Result<(), Refusal> {
    let flags = request.flags;
    let given = |flag: &str| {
        flags.ids().any(|id| id.as_str() == flag)
            && flags.value_source(flag) == Some(ValueSource::CommandLine)
    };
    let (word, pattern) = (exchange.name(), &request.recipe.pattern);
    if given("pattern") && *pattern != Pattern::TotalExchange {
        return Err(Refusal::bad(format!(
            "--exchange {word} is a total exchange, but the pattern is {pattern}; accepted: \
             --pattern total-exchange, or no --pattern"
        )));
    }
    if given("firmware") && exchange == Exchange::Lockstep {
        return Err(Refusal::bad(format!(
            "--exchange {word} programs the order of links, and a program follows superframes; \
             accepted: no --firmware, or --exchange {}",
            Exchange::Cyclic.name()
        )));
    }
    if given("schedule") {
        return Err(Refusal::bad(format!(
            "--exchange {word} has an order of its own; accepted: no --schedule"
        )));
    }
    Ok(())
}

//! Small rules, each checked on every possible input. They decide which message crosses a wire in
//! the CM-1 and the next dimension in minimal rotation. A third block has a `start` that is
//! constantly high.

use crate::agreement::engines::{self, put_all, see_all};
use engine::CircuitEngine;
use rtl::bytes::ConstantStep;
use rtl::cm1::CrossingChoice;
use rtl::rotation::{FirstHopTable, FirstOne, GroupEnd};

/// Returns the rows whose message crosses, stays and is stopped, one bit for each port of a list.
fn crossing(rows: usize, message: usize, differs: usize, oblivious: bool) -> [usize; 3] {
    let there = |row: &usize| message >> row & 1 == 1;
    let wants = |row: &usize| there(row) && differs >> row & 1 == 1;
    let full = (0..rows).all(|row| there(&row));
    let desperate = full.then_some(rows - 1);
    let first = (0..rows).find(wants);
    let crosses = match oblivious {
        true => first,
        false => first.or(desperate),
    };
    let mut all = [0; 3];
    for row in (0..rows).filter(there) {
        // With an oblivious choice, a message that wants to cross and may not goes nowhere. The
        // same holds for the one that would cross in desperation.
        let stops = oblivious
            && crosses != Some(row)
            && (wants(&row) || first.is_none() && desperate == Some(row));
        let place = match crosses == Some(row) {
            true => 0,
            false if stops => 2,
            false => 1,
        };
        all[place] |= 1 << row;
    }
    all
}

#[test]
fn the_lowest_row_that_wants_to_crosses() {
    for (rows, oblivious) in [1, 2, 4].into_iter().flat_map(|rows| [(rows, false), (rows, true)]) {
        let mut engine = engines::evaluator(&CrossingChoice::new(rows, oblivious));
        for inputs in 0..1 << (2 * rows) {
            let (message, differs) = (inputs >> rows, inputs % (1 << rows));
            put_all(&mut *engine, "message", message as u64, rows);
            put_all(&mut *engine, "differs", differs as u64, rows);
            engine.settle().unwrap();
            let expected = crossing(rows, message, differs, oblivious);
            let stopped = if oblivious { rows } else { 0 };
            let found = [("cross", rows), ("stay", rows), ("stopped", stopped)];
            let found = found.map(|(list, count)| see_all(&mut *engine, list, count) as usize);
            assert_eq!(found, expected, "{message:b} {differs:b} {oblivious}");
        }
    }
}

/// Checks that the choice for each word equals `rule`, or is none.
fn chooses(engine: &mut dyn CircuitEngine, dims: usize, rule: impl Fn(&str) -> Option<usize>) {
    for left in 0..1 << dims {
        put_all(engine, "left", left as u64, dims);
        engine.settle().unwrap();
        let word = format!("{left:0dims$b}");
        let chosen = rule(&word).map_or(0, |from_left| 1 << (dims - 1 - from_left));
        assert_eq!(see_all(engine, "choice", dims) as usize, chosen, "{word}");
    }
}

/// The rules from the note, on words as strings.
#[test]
fn the_next_dimension_follows_the_rule() {
    for dims in 1..=5 {
        chooses(&mut *engines::evaluator(&FirstOne::new(dims)), dims, |word| {
            // The rule looks at the lowest position first.
            word.rfind('1')
        });
        chooses(&mut *engines::evaluator(&FirstHopTable::new(dims)), dims, |word| {
            word.find('1')?;
            let turned = |by: usize| [&word[by..], &word[..by]].concat();
            let by = (0..dims).min_by_key(|by| turned(*by))?;
            Some((turned(by).find('1')? + by) % dims)
        });
    }
}

#[test]
pub fn the_rightmost_1_of_the_leftmost_group_is_next() {
    for dims in 1..=10 {
        chooses(&mut *engines::evaluator(&GroupEnd::new(dims)), dims, |word| {
            let group = word.find('1')?;
            let behind = word[group..].find('0');
            Some(behind.map_or(dims, |length| group + length) - 1)
        });
    }
}

#[test]
fn a_constant_step_always_starts() {
    for mut engine in engines::both(ConstantStep::default) {
        for _ in 0..3 {
            engine.settle().unwrap();
            let start = engine.port("start");
            assert_eq!(engine.get_u64(start), 1, "{}", engine.name());
            engine.clock().unwrap();
        }
    }
}

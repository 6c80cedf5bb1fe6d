//! The first hop of minimal rotation. Both circuits are tested on every header, against the note's
//! definition on words of 0 and 1.

use hdl::lower::lower;
use models::rotation::RotationModelRule;
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EvaluatorEngine};
use phasecube::rtl::rotation::{FirstHopTable, GroupEnd, MinimalRotation};

/// Returns the choice that a circuit shows.
fn choice(engine: &mut dyn CircuitEngine, dims: u32) -> Vec<u32> {
    engine.settle().unwrap();
    let chosen = |dim: &u32| {
        let port = engine.port(&format!("choice[{dim}]"));
        engine.get(port) == 1u32.into()
    };
    (0..dims).filter(chosen).collect()
}

fn put(engine: &mut dyn CircuitEngine, dims: u32, left: u32) {
    for dim in 0..dims {
        let port = engine.port(&format!("left[{dim}]"));
        engine.set(port, &BigUint::from(left >> dim & 1));
    }
}

#[test]
fn the_table_has_every_header() {
    for dims in 1..=8 {
        let design = lower(&FirstHopTable::new(dims as usize)).unwrap();
        let mut engine = EvaluatorEngine::new(&design).unwrap();
        for left in 1..1 << dims {
            put(&mut engine, dims, left);
            assert_eq!(choice(&mut engine, dims), [RotationModelRule::Minimal.next(dims, left)]);
        }
        put(&mut engine, dims, 0);
        assert!(choice(&mut engine, dims).is_empty());
    }
}

#[test]
fn thackers_rule_is_on_every_header() {
    for dims in 1..=8 {
        let design = lower(&GroupEnd::new(dims as usize)).unwrap();
        let mut engine = EvaluatorEngine::new(&design).unwrap();
        for left in 1..1 << dims {
            put(&mut engine, dims, left);
            assert_eq!(choice(&mut engine, dims), [RotationModelRule::Thacker.next(dims, left)]);
        }
    }
}

/// The circuit takes as many clock cycles as a header has bits. The choice remains until the next
/// header.
#[test]
fn rotating_takes_a_clock_cycle_for_each_bit() {
    for dims in 1..=10 {
        let design = lower(&MinimalRotation::new(dims as usize)).unwrap();
        let mut engine = EvaluatorEngine::new(&design).unwrap();
        let [present, decided] = ["present", "decided"].map(|name| engine.port(name));
        for left in 1..1 << dims {
            put(&mut engine, dims, left);
            engine.set(present, &BigUint::from(1u32));
            for clock_cycle in 0..dims + 3 {
                engine.settle().unwrap();
                let is_decided = engine.get(decided) == 1u32.into();
                assert_eq!(is_decided, clock_cycle >= dims, "{dims}: {left:b}");
                if is_decided {
                    assert_eq!(
                        choice(&mut engine, dims),
                        [RotationModelRule::Minimal.next(dims, left)]
                    );
                }
                engine.clock().unwrap();
            }
            engine.set(present, &BigUint::from(0u32));
            put(&mut engine, dims, 0);
            assert_eq!(choice(&mut engine, dims), [RotationModelRule::Minimal.next(dims, left)]);
            engine.clock().unwrap();
        }
    }
}

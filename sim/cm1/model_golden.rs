//! The model matches the golden traces in every field.

use crate::cm1::golden::{golden, pairs, NAMES};
use models::cm1::{self, Cm1ModelEject, Cm1ModelMachine};
use serde_json::{json, Value};

fn row(rows: &[Option<usize>]) -> Vec<i64> {
    rows.iter().map(|m| m.map_or(-1, |m| m as i64)).collect()
}

fn rows(chips: &[Vec<Option<usize>>]) -> Vec<Vec<i64>> {
    chips.iter().map(|rows| row(rows)).collect()
}

#[test]
fn golden_traces_are_those_of_the_model() {
    for name in NAMES {
        let golden = golden(name);
        let machine = Cm1ModelMachine {
            dims: 3,
            rows: 7,
            processors: 16,
            eject: Cm1ModelEject::Or,
            timeout: 1000,
        };
        let run = cm1::run(machine, &pairs(&golden), 1000);
        let trace = golden["trace"].as_array().unwrap();
        assert_eq!(trace.len(), run.petit_cycle_events.len(), "{name}");
        for (number, (wanted, petit)) in trace.iter().zip(&run.petit_cycle_events).enumerate() {
            let columns: Vec<Value> = (0..)
                .zip(&petit.columns)
                .map(|(dim, column): (u32, _)| {
                    json!({
                        "dim": dim,
                        "out": row(&column.out),
                        "desperate": column.desperate,
                        "rows": rows(&column.rows),
                    })
                })
                .collect();
            let ours = json!({
                "petit": number,
                "injected_chip_row_msg": petit.injected,
                "rows_in": rows(&petit.rows_in),
                "columns": columns,
                "ejected_chip_row_msg_proc": petit.ejected,
                "buffered": rows(&petit.buffered),
            });
            assert_eq!(ours, *wanted, "{name}, petit cycle {number}");
        }
        for (field, count) in [
            ("petit_cycles", run.petit_cycles),
            ("hops", run.hops),
            ("productive_hops", run.productive),
            ("desperation_hops", run.desperation),
            ("or_collisions", run.collisions),
            ("delivered", run.delivered.iter().flatten().count() as u64),
        ] {
            assert_eq!(golden[field], count, "{name}: {field}");
        }
    }
}

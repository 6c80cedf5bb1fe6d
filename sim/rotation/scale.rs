//! Minimal rotation at the size of the project's cube: 4,096 nodes as RTL.

use crate::rotation::lists::{driver_results, model_results};
use crate::rotation::machine::{lockstep, machine, pattern, run_on, shape};

/// Every message of two patterns arrives. For the first pattern, the times match the model.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn of_4096_nodes_all_messages_arrive() {
    let machine = machine(12);
    let shape = shape(&machine);
    for name in ["permutation", "bitrev"] {
        let mut list = pattern(name, 12, 4);
        // The model has no messages to their own source.
        list.retain(|message| message.source != message.destination);
        let run = run_on(&mut *lockstep(&shape), &shape, &list);
        assert_eq!((run.is_complete(), run.delivered()), (true, list.len()));
        if name == "permutation" {
            assert_eq!(driver_results(run), model_results(&machine, &list));
        }
    }
}

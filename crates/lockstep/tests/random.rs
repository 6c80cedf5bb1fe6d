//! Random bodies have the same meaning in the netlist and in an interpreter that executes them
//! statement by statement.

use crate::common::generator::module;
use crate::common::{interpreter, ByName, TestRandom};
use lockstep::design::*;

#[test]
fn netlist_and_interpreter_agree() {
    let mut random = TestRandom(2);
    for round in 0..400 {
        let module = module(&mut random);
        let mut evaluator = crate::common::evaluator(&crate::common::design(vec![module.clone()]));
        for _ in 0..20 {
            let mut inputs = vec![];
            for (id, port) in module.ports().filter(|(_, p)| p.kind == SignalKind::Input) {
                let value = random.word(port.width());
                evaluator.put_big(&port.name, &value);
                inputs.push((id, value));
            }
            evaluator.settle();
            let expected = interpreter::run(&module, &inputs);
            for (id, port) in module.ports() {
                let value = evaluator.at_big(&port.name);
                assert_eq!(value, expected[id.index()], "round {round}: {}", port.name);
            }
        }
    }
}

//! Latency of a lone message with L bytes over D channels. It is 2D + 2L - 1 clock cycles from its
//! first byte on the port of its source to its tail at its destination.

use crate::torus::{lockstep, machine, run_load, shape};
use models::bytes::ModelTailFormat;
use models::torus::TorusModelMachine;
use phasecube::machine::{Delivery, Load};
use phasecube::topology::Torus;
use phasecube::traffic::{Message, MessageList};

/// Checks all pairs, one after another. `more` is the number of channels between the chips of a
/// node.
fn law(machine: &TorusModelMachine, payload: &[u8], more: u64) {
    let shape = shape(machine);
    let torus: &Torus = shape.torus();
    let coded = u64::from(machine.format == ModelTailFormat::Zero);
    let length = torus.dims() as u64 + payload.len() as u64 + coded + 1;
    let mut messages = MessageList::default();
    for source in torus.addresses() {
        for destination in torus.addresses().filter(|to| *to != source) {
            messages.push(Message { source, destination, payload });
        }
    }
    let gap = 2 * u64::from(torus.diameter()) + 2 * length + 2 * more + 4;
    let mut engine = lockstep(&shape);
    let load = Load {
        created: (0..messages.len() as u64).map(|number| number * gap).collect(),
        ..Load::at_once(messages)
    };
    let run = run_load(&mut *engine, &shape, &load, u64::from(u32::MAX));
    assert!(run.is_complete());
    for (number, message) in load.messages.iter().enumerate() {
        let Delivery::Delivered { t } = run.deliveries[number] else {
            panic!("{message:?} did not arrive");
        };
        let (sent, at) = (run.sent[number], u64::from(t));
        let far = u64::from(torus.distance(message.source, message.destination)) + more;
        assert_eq!(at - sent, 2 * far + 2 * length - 1, "{message:?}");
    }
}

#[test]
fn in_the_4_x_4_torus() {
    for payload in [&[][..], &[1, 0, 3, 4], &[7; 17]] {
        law(&machine(&[4, 4]), payload, 0);
    }
}

#[test]
fn in_the_8_x_8_torus() {
    law(&machine(&[8, 8]), &[5], 0);
}

/// One chip with three dimensions has this latency. With two chips, the channel between them counts
/// as one more.
#[test]
#[ignore = "thorough: long runs"]
fn in_the_4_x_4_x_4_torus() {
    let two = machine(&[4, 4, 4]);
    law(&two, &[5, 6], 1);
    let one = TorusModelMachine { per_chip: 3, format: ModelTailFormat::Zero, ..two };
    law(&one, &[5], 0);
}

#[test]
fn in_rings() {
    for radix in [2, 3, 5] {
        law(&machine(&[radix]), &[1, 2, 3], 0);
        let machine = TorusModelMachine { format: ModelTailFormat::Wire, ..machine(&[radix]) };
        law(&machine, &[0, 0], 0);
    }
}

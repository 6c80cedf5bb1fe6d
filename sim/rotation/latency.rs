//! Latency of a lone message with L bytes over D channels. It is 2D + 2L - 1 clock cycles from its
//! first byte on the port of its source to its tail at its destination. With a header of two bytes,
//! each hop waits two clock cycles more for it. A first hop by rotating takes one clock cycle for
//! each dimension.

use crate::rotation::{lockstep, machine, run_load, shape};
use models::rotation::RotationModelMachine;
use phasecube::machine::{Delivery, Load};
use phasecube::traffic::{Message, MessageList};

/// Checks messages from some sources to all others, or to many, one after another.
fn law(machine: &RotationModelMachine, payload: &[u8], sources: &[u32]) {
    let shape = shape(machine);
    let dims = u64::from(machine.dims);
    let (wide, serial) = (u64::from(dims > 8), u64::from(machine.serial) * dims);
    let length = 1 + wide + payload.len() as u64 + 1 + 1;
    let mut messages = MessageList::default();
    for source in sources.iter().copied() {
        let every = if wide > 0 { 7 } else { 1 };
        let others = (0..1 << dims).filter(|to| *to != source);
        for destination in others.step_by(every) {
            messages.push(Message { source, destination, payload });
        }
    }
    let gap = (2 + 2 * wide) * dims + 2 * length + serial + 4;
    let load = Load {
        created: (0..messages.len() as u64).map(|number| number * gap).collect(),
        ..Load::at_once(messages)
    };
    let run = run_load(&mut *lockstep(&shape), &shape, &load, u64::from(u32::MAX));
    assert!(run.is_complete());
    for (number, message) in load.messages.iter().enumerate() {
        let Delivery::Delivered { t } = run.deliveries[number] else {
            panic!("{message:?} did not arrive");
        };
        let (sent, at) = (run.sent[number], u64::from(t));
        let far = u64::from((message.source ^ message.destination).count_ones());
        let wanted = (2 + 2 * wide) * far + 2 * length - 1 + serial;
        assert_eq!(at - sent, wanted, "{message:?}");
    }
}

#[test]
fn in_cubes_of_up_to_eight_dimensions() {
    for dims in [1, 2, 3, 4] {
        let all: Vec<u32> = (0..1 << dims).collect();
        for payload in [&[][..], &[1, 0, 3, 4], &[7; 17]] {
            law(&machine(dims), payload, &all);
        }
        let serial = RotationModelMachine { serial: true, ..machine(dims) };
        law(&serial, &[5, 0], &all);
    }
    law(&machine(8), &[5], &[0xA5]);
}

#[test]
fn in_the_9_cube() {
    law(&machine(9), &[5], &[0x15A]);
}

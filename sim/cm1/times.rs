//! Times, measured on the ports of the machine, against the formulas of
//! docs/cm1.md.

use crate::cm1::mode;
use models::cm1::Cm1ModelEject;
use phasecube::engine::NodeEngine;
use phasecube::machine::MachineCircuit;
use phasecube::networks::cm1::{encode, Cm1Circuit, Cm1Shape};
use phasecube::rtl::cm1::{MessageFormat, PetitPlan};

/// Times of one message, in bit-times since its MSGP was sent.
struct MessageTimes {
    /// Bit-times from one petit cycle to the next.
    period: u32,
    /// Time when MSGP leaves the heart of the destination.
    heart_first: u32,
    /// Time when PARITY leaves the heart of the destination.
    heart_last: u32,
    /// Time when PARITY reaches the processor.
    processor_last: u32,
}

fn measure(format: MessageFormat, eject: Cm1ModelEject) -> MessageTimes {
    let shape = Cm1Shape { rows: 3, format };
    let circuit = Cm1Circuit::new(shape, PetitPlan::new(format, mode(eject))).unwrap();
    let mut chips = circuit.array().unwrap().evaluator().unwrap();
    let start = chips.shared_port("start");
    let [send, exit, deliver] = ["send", "exit", "deliver"].map(|name| chips.port(name));
    let relative = (1 << format.dims) - 1;
    // Once CUBE is zero, PARITY covers the data only. It is one here, so that it is visible.
    let stream = encode(format, relative, 0, 0, &[1]);

    let home = relative as usize;
    let (mut sent, mut starts) = (None, vec![]);
    let (mut exits, mut arrivals) = (vec![], vec![]);
    for now in 0..4 * circuit.plan().period + 100 {
        chips.settle().unwrap();
        if chips.get_shared(start) == 1 {
            starts.push(now);
            sent = sent.or(Some(now));
        }
        let bit = sent.and_then(|sent| stream.get((now - sent) as usize));
        chips.set(send, 0, bit.copied().unwrap_or(false).into());
        chips.settle().unwrap();
        if chips.get(exit, home) != 0 {
            exits.push(now);
        }
        if chips.get(deliver, home) != 0 {
            arrivals.push(now);
        }
        chips.clock().unwrap();
    }
    let sent = sent.expect("a petit cycle begins");
    let since = |times: &[u32]| (times[0] - sent, times[times.len() - 1] - sent);
    let ((heart_first, heart_last), (_, processor_last)) = (since(&exits), since(&arrivals));
    MessageTimes { period: starts[1] - starts[0], heart_first, heart_last, processor_last }
}

#[test]
fn times_are_those_of_the_design() {
    for eject in [Cm1ModelEject::Or, Cm1ModelEject::PerProcessor, Cm1ModelEject::PerChip] {
        for (dims, proc_bits, data_bits) in
            [(1, 0, 2), (1, 2, 8), (2, 0, 40), (3, 4, 32), (4, 1, 2), (5, 2, 3), (6, 0, 8)]
        {
            let format = MessageFormat { dims, proc_bits, vp_bits: 1, data_bits };
            let what = format!("{format:?}, {eject:?}");
            let l = 2 + dims + proc_bits + 1 + data_bits;
            let measured = measure(format, eject);
            let longer = if eject == Cm1ModelEject::PerProcessor { proc_bits } else { 0 };
            assert_eq!(measured.period, l.max(3 * dims + 1) + longer, "{what}");
            assert_eq!(measured.heart_first, 2 * dims, "{what}");
            // T_heart = l + 2c: PARITY leaves in the last of these bit-times.
            assert_eq!(measured.heart_last + 1, l + 2 * dims, "{what}");
            assert_eq!(measured.processor_last, measured.heart_last + 1, "{what}");
        }
    }
}

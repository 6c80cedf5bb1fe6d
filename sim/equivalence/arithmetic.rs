//! Products, signed words, variables, a reset, an asynchronous memory and a print statement in the
//! Verilog of a block that is not in the catalogue.

use super::{kept, tools};
use hdl::prelude::*;
use phasecube::equivalence::{ComparedCircuit, EquivalenceRecord, Forms};

/// Multiplies and accumulates signed samples, with limits.
#[derive(LogicBlock, Circuit, Default)]
pub struct Filter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub sample: Signal<In, Signed<6>>,
    pub weight: Signal<In, Signed<5>>,
    pub scale: Signal<In, Bits<3>>,
    pub result: Signal<Out, Signed<8>>,
    pub energy: Signal<Out, Bits<12>>,
    pub earlier: Signal<Out, Signed<6>>,
    sum: Reg<Signed<12>>,
    bounded: Assertion,
    samples: AsyncMemory<Signed<6>, 3>,
}

impl Logic for Filter {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, sum);
        let product = self.sample.val().times::<11>(self.weight.val());
        self.sum.d.next = self.sum.q.val() + product.resized();
        if self.sum.q.val() > 1000 || self.sum.q.val() < -1000 {
            self.sum.d.next = product.resized();
        }
        let scaled = self.sum.q.val() >> self.scale.val();
        let mut result = -scaled.resized::<8>();
        let above = scaled > 127;
        if above || scaled < -128 {
            let mut limit = signed::<8>(127);
            if above {
                limit = signed::<8>(-128);
            }
            result = limit;
        }
        self.result.next = result;
        let bits = self.sample.val().to_unsigned();
        self.energy.next = bits.times(bits);
        reset!(self, reset, sum);
        clock!(self, clock, bounded, samples);
        self.samples.read_address.next = self.scale.val();
        self.samples.write_address.next = self.sum.q.val().to_unsigned().get_bits::<3>(2);
        self.samples.write_data.next = self.sample.val();
        self.samples.write_enable.next = above;
        self.earlier.next = self.samples.read_data.val();
        if above {
            display!("{} is above 127", self.sum.q.val());
        }
        self.bounded.holds.next = self.sum.q.val() < 2000;
    }
}

fn record(subject: &ComparedCircuit) -> EquivalenceRecord {
    let forms = Forms::NetlistAndVerilog;
    EquivalenceRecord::compare("filter", forms, subject, &tools(), &kept()).unwrap()
}

#[test]
#[ignore = "thorough: proofs by yosys"]
fn arithmetic_is_equivalent_to_its_verilog() {
    let mut subject = ComparedCircuit::emitted(&lower(&Filter::default()).unwrap()).unwrap();
    let proof = record(&subject);
    assert!(proof.proved, "{proof:#?}\n{}", subject.verilog);
    assert_eq!(subject.verilog.matches(" * ").count(), 2, "{}", subject.verilog);
    let faults = [
        (" * ", " + "),
        ("samples[samples_read_address]", "samples[samples_write_address]"),
        ("samples_write_enable = above", "samples_write_enable = !above"),
    ];
    let verilog = subject.verilog.clone();
    for (from, to) in faults {
        assert!(verilog.contains(from), "{from}\n{verilog}");
        subject.verilog = verilog.replacen(from, to, 1);
        assert!(!record(&subject).proved, "{from}");
    }
}

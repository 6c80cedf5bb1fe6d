//! A design that is too slow or too large for the chip produces no image.

use crate::board::tools::build;
use hdl::prelude::*;
use phasecube::board::{BoardDesign, BuildError};
use phasecube::rtl::board::Echo;
use phasecube::toolchain::ToolError;

#[test]
#[ignore = "thorough: places designs"]
fn a_missed_clock_frequency_is_rejected() {
    let echo = lower(&Echo::<200>::default()).unwrap();
    let design = BoardDesign::new("echo", echo, 200, 1_000_000).unwrap();
    let error = build(&design).unwrap_err();
    let BuildError::TooSlow {
        reached, wanted, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*wanted, 200.0);
    assert!((100.0..200.0).contains(reached), "{reached}");
    let text = error.to_string();
    let says =
        format!("its clock machine.clock reaches {reached:.1} MHz; accepted: 200 MHz or more");
    assert!(text.contains(&says), "{text}");
    assert!(text.contains(" machine.uart."), "the path is named: {text}");
}

#[test]
fn an_unavailable_clock_frequency_is_rejected() {
    let echo = lower(&Echo::<25>::default()).unwrap();
    let design = BoardDesign::new("echo", echo, 26, 1_000_000).unwrap();
    let text = build(&design).unwrap_err().to_string();
    assert!(
        text.contains("Alchitry Cu cannot make a clock of 26 MHz from its crystal of 100 MHz"),
        "{text}"
    );
}

/// Uses one block RAM more than the chip has. The contents differ, so that none can be shared.
#[derive(LogicBlock, Circuit)]
struct TooManyBlockRams {
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub led: Signal<Out, Bits<8>>,
    memories: [Memory<Bits<16>, 8>; 33],
    sum: Signal<Local, Bits<16>>,
    count: Reg<Bits<8>>,
}

impl Default for TooManyBlockRams {
    fn default() -> Self {
        TooManyBlockRams {
            clock: Signal::default(),
            rx: Signal::default(),
            tx: Signal::default(),
            led: Signal::default(),
            memories: std::array::from_fn(|_| Memory::default().disjoint()),
            sum: Signal::default(),
            count: Reg::default(),
        }
    }
}

impl Logic for TooManyBlockRams {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next = self.count.q.val() + 1;
        self.sum.next = bit_cast::<16, 8>(self.count.q.val());
        for i in 0..33 {
            self.memories[i].clock.next = self.clock.val();
            self.memories[i].read_address.next = self.count.q.val();
            self.memories[i].write_address.next = self.count.q.val() ^ 128;
            self.memories[i].write_data.next = self.sum.val();
            self.memories[i].write_enable.next = self.rx.val();
            self.sum.next = self.sum.val() ^ self.memories[i].read_data.val();
        }
        self.tx.next = self.rx.val();
        self.led.next = bit_cast::<8, 16>(self.sum.val() ^ (self.sum.val() >> 8));
    }
}

#[test]
#[ignore = "thorough: places designs"]
fn too_many_block_rams_are_rejected() {
    let memories = lower(&TooManyBlockRams::default()).unwrap();
    let design = BoardDesign::new("memories", memories, 25, 1_000_000).unwrap();
    let error = build(&design).unwrap_err();
    assert!(
        matches!(&error, BuildError::Tool(ToolError::TooBig { .. })),
        "{error}"
    );
    let says = "does not fit the hx8k: it needs 33 block RAMs of 32";
    assert!(error.to_string().ends_with(says), "{error}");
}

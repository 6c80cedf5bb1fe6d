//! Structural faults of the printer: open-drain pads, and a module for each instance.

use crate::rust_hdl_faults::source::{assert_refused, work_dir, TOOLS};
use hdl::prelude::*;
use hdl::verilog;
use std::fs;

/// A pad that pulls its line low, with the buffer of `rust-hdl`.
#[derive(LogicBlock, Circuit, Default)]
pub struct Pad {
    pub pull: Signal<In, Bit>,
    buffer: OpenDrainBuffer,
}

impl Logic for Pad {
    #[kernel]
    fn update(&mut self) {
        self.buffer.control.drive_low.next = self.pull.val();
    }
}

/// Returns the number of tristate buffers that yosys finds in a module.
fn tristate_buffers(name: &str, text: &str) -> usize {
    let dir = work_dir().join(name);
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("top.v"), text).expect("a file");
    let yosys = TOOLS.yosys().expect("yosys");
    let script = "read_verilog top.v; hierarchy -check -top top; proc; flatten; opt; tribuf; stat";
    let run = yosys.run(&dir, ["-p", script], "yosys.log");
    let text = run.expect("yosys takes it").text;
    let stat = text.rsplit("Printing statistics").next().expect("a part");
    let counts = stat.lines().filter(|line| line.contains("$tribuf"));
    let numbers =
        counts.flat_map(|line| line.split_whitespace().find_map(|w| w.parse::<usize>().ok()));
    numbers.sum()
}

#[test]
fn fault_4_open_drain_never_lets_go() {
    // The block has no kernel here, and a chip has no internal InOut.
    assert_refused(
        &Pad::default(),
        "top.buffer: this block has no #[kernel]: the lowering cannot know what it does",
    );
    let mut buffer = OpenDrainBuffer::default();
    buffer.connect_all();
    let printed = generate_verilog(&buffer);
    // `0` has 32 bits, so the other side is 31 zeros and one z, which is no buffer.
    let line = "assign bus = control$drive_low ? 0 : 1'bz;";
    assert!(printed.contains(line), "{printed}");
    assert_eq!(tristate_buffers("pad_as_printed", &printed), 0);
    let meant = printed.replace("? 0 :", "? 1'b0 :");
    assert_eq!(tristate_buffers("pad_as_meant", &meant), 1);
}

/// Fault 5: one module for each instance.
macro_rules! leaf {
    ($name:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub i: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bits<4>>,
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                self.o.next = self.i.val() + 1;
            }
        }
    };
}

macro_rules! sixteen {
    ($name:ident, $leaf:ident, $attribute:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bits<4>>,
            leaves: [$leaf; 16],
        }

        impl Logic for $name {
            #[$attribute]
            fn update(&mut self) {
                for i in 0..16 {
                    self.leaves[i].i.next = self.a.val();
                }
                self.o.next = self.leaves[15].o.val();
            }
        }
    };
}

#[test]
fn fault_5_a_module_for_each_instance() {
    leaf!(OurLeaf, kernel);
    leaf!(TheirLeaf, hdl_gen);
    sixteen!(Ours, OurLeaf, kernel);
    sixteen!(Theirs, TheirLeaf, hdl_gen);
    let modules = |text: &str| {
        let lines = text.lines().map(str::trim_start);
        lines.filter(|line| line.starts_with("module ")).count()
    };
    let mut theirs = Theirs::default();
    theirs.connect_all();
    assert_eq!(modules(&generate_verilog(&theirs)), 17);
    let ours = verilog::emit(&lower(&Ours::default()).expect("it is legal"));
    assert_eq!(modules(&ours.to_string()), 2);
}

//! The kit's test benches detect faults in a pin mux.

use crate::kit::{icarus_or_verilator, kit, make, process_output, Simulator};

const SWITCH: &str = "switch";
const SELECTED_PINS: &str = "frames-selected-pins";
const CLOCKED_WIRES: &str = "frames-clocked-wires";

struct KitMutant {
    what: &'static str,
    from: &'static str,
    to: &'static str,
    /// Benches that must detect the fault.
    found_by: &'static [&'static str],
}

const MUTANTS: &[KitMutant] = &[
    KitMutant {
        what: "inactive pins are low",
        from: "assign pin_tx = ~pulls;",
        to: "assign pin_tx = ~pulls & active;",
        found_by: &[SWITCH, SELECTED_PINS, CLOCKED_WIRES],
    },
    KitMutant {
        what: "one pin is low when idle",
        from: "assign pin_tx = ~pulls;",
        to: "assign pin_tx = ~pulls & ~FIRST;",
        found_by: &[SWITCH, SELECTED_PINS, CLOCKED_WIRES],
    },
    KitMutant {
        what: "the wrong pin is selected",
        from: "FIRST << dim;",
        to: "FIRST << (dim ^ 4'd1);",
        found_by: &[SWITCH, SELECTED_PINS, CLOCKED_WIRES],
    },
    KitMutant {
        what: "a pin does not come from a flip-flop",
        from: "assign pin_tx = ~pulls;",
        to: "assign pin_tx = ~((drive && !tx) ? active : {DIMS{1'b0}});",
        found_by: &[SWITCH],
    },
    KitMutant {
        what: "rx does not come from a flip-flop",
        from: "assign rx     = ~listened_low;",
        to: "assign rx     = drive | !(|(active & ~pin_rx));",
        found_by: &[SWITCH],
    },
    KitMutant {
        what: "a pin is low for a clock cycle when the direction changes",
        from: "always @(posedge clock) begin\n        pulls     <= (drive && !tx)",
        to: "reg was = 1'b0;\n    always @(posedge clock) begin\n        was <= drive;\n        \
             pulls     <= (drive && (!tx || !was))",
        found_by: &[SWITCH],
    },
    KitMutant {
        what: "the sender hears itself",
        from: "!drive && |(active & ~pin_rx)",
        to: "|(active & ~pin_rx)",
        found_by: &[SWITCH, CLOCKED_WIRES],
    },
    KitMutant {
        what: "rx hears every pin",
        from: "|(active & ~pin_rx)",
        to: "|(~pin_rx)",
        found_by: &[SWITCH],
    },
    KitMutant {
        what: "a wire is driven high",
        from: "1'bz : 1'b0",
        to: "1'b1 : 1'b0",
        found_by: &[SWITCH, CLOCKED_WIRES],
    },
    KitMutant {
        what: "select lines are taken half changed",
        from: "if (now == earlier) taken",
        to: "taken",
        found_by: &[SWITCH],
    },
    KitMutant {
        what: "the phase clock is seen before sync",
        from: ".STAGES(3)",
        to: ".STAGES(2)",
        found_by: &[CLOCKED_WIRES],
    },
    KitMutant {
        what: "a superframe is a phase short",
        from: "DIMS * 2 - 1",
        to: "DIMS * 2 - 2",
        found_by: &[CLOCKED_WIRES],
    },
    KitMutant {
        what: "the nodes transmit in each other's phases",
        from: "address_bit == count[0]",
        to: "address_bit != count[0]",
        found_by: &[CLOCKED_WIRES],
    },
    KitMutant {
        what: "a node does not wait for sync",
        from: "lost_sync   <= lost_sync ? !sync : !in_sync",
        to: "lost_sync   <= 1'b0",
        found_by: &[CLOCKED_WIRES],
    },
];

const FEW: &[&str] = &["FRAMES=300", "STEP=5"];

fn run(simulator: &Simulator, bench: &str, change: impl Fn(&str) -> String) -> (bool, String) {
    let dir = kit(4, change);
    let log = format!("build/{}-{bench}.log", simulator.name);
    let arguments = [&[&log[..]], &simulator.arguments[..], FEW].concat();
    let output = make(dir.path(), &simulator.tools, &arguments);
    (output.status.success(), process_output(&output))
}

/// The mutants are meaningful only if the benches pass without them.
#[test]
#[ignore = "thorough: simulates with Icarus"]
fn without_a_fault_all_benches_pass() {
    let simulator = icarus_or_verilator();
    for bench in [SWITCH, SELECTED_PINS, CLOCKED_WIRES] {
        let (passed, printed) = run(&simulator, bench, str::to_owned);
        assert!(passed, "{printed}");
    }
}

#[test]
#[ignore = "thorough: simulates with Icarus"]
fn every_mutant_is_found() {
    let simulator = icarus_or_verilator();
    for mutant in MUTANTS {
        for bench in mutant.found_by {
            let (passed, printed) = run(&simulator, bench, |text| {
                assert_eq!(text.matches(mutant.from).count(), 1, "{}", mutant.what);
                text.replace(mutant.from, mutant.to)
            });
            // The bench itself must report the failure. Verilog that does not compile does not
            // count.
            let found = !passed && printed.contains("\nFAILED at ");
            assert!(found, "{}, {bench}: {printed}", mutant.what);
        }
    }
}

//! The netlist of a circuit, its emitted Verilog and the synthesised netlist are equal for all
//! inputs. The proofs can fail: each fault in one of them is found, at the signal that it changes.

mod arithmetic;

use lockstep::netlist::NetOp;
use num_bigint::BigUint;
use phasecube::equivalence::{
    circuits, ComparedCircuit, EquivalenceRecord, Forms, PublishedCircuit,
};
use phasecube::machine::catalog::{DesignDimsError, CATALOG};
use phasecube::toolchain::Toolchain;
use std::path::{Path, PathBuf};

/// Blocks with registers, both kinds of memory, words, port vectors and instances.
const SMALL: &[&str] = &[
    "uart",
    "phase-sequencer",
    "pin-mux",
    "byte-channel",
    "MemoryOf256x8",
    "RomOf256x8",
    "MessageBuffer<3>",
    "Node<4>",
];

fn tools() -> Toolchain {
    Toolchain::open().unwrap()
}

/// Folder of proof results, kept between test runs.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("equivalence")
}

fn subject(name: &str) -> ComparedCircuit {
    let all = circuits();
    let circuit = all.iter().find(|circuit| circuit.name == name).unwrap();
    circuit.subject(&tools(), &kept()).unwrap()
}

fn proof(name: &str, subject: &ComparedCircuit) -> EquivalenceRecord {
    EquivalenceRecord::compare(name, Forms::NetlistAndVerilog, subject, &tools(), &kept()).unwrap()
}

#[test]
fn small_circuits_are_equivalent_to_their_verilog() {
    for name in SMALL {
        let subject = subject(name);
        let proof = proof(name, &subject);
        assert!(proof.proved, "{proof:#?}");
        // Each next state and each output has its own cone.
        let outputs = subject.netlist.outputs.iter();
        let outputs: u32 = outputs.map(|o| subject.netlist.width(o.net)).sum();
        let least = subject.flip_flops() + outputs;
        assert!(proof.cones >= least as usize, "{proof:#?}");
    }
}

/// Returns a circuit for dimensions other than its default.
fn for_dims(name: &str, dims: u32) -> Result<PublishedCircuit, DesignDimsError> {
    let all = circuits();
    let circuit = all.iter().find(|circuit| circuit.name == name).unwrap();
    circuit.for_dims(dims)
}

#[test]
#[ignore = "thorough: proofs by yosys"]
fn designs_of_other_dimensions_are_equivalent_to_their_verilog() {
    for (name, dims) in [("pin-mux", 16), ("phase-sequencer", 1), ("frame-engine", 7)] {
        let circuit = for_dims(name, dims).unwrap();
        assert_eq!(circuit.name, format!("{name} --dims {dims}"));
        let mut subject = circuit.subject(&tools(), &kept()).unwrap();
        let found = proof(&circuit.name, &subject);
        assert!(found.proved, "{found:#?}");
        // The circuit differs from the one of the default dimensions.
        subject.verilog = self::subject(name).verilog;
        assert!(!proof(&circuit.name, &subject).proved, "{name}");
    }
}

#[test]
fn unsupported_dimensions_of_a_design_are_rejected() {
    let none = ["uart", "Node<4>", "alchitry-cu-echo.bin"];
    for name in none {
        let message = format!("the design {name} has no dimensions; accepted: no --dims");
        assert_eq!(for_dims(name, 4).unwrap_err().to_string(), message);
    }
    assert_eq!(
        for_dims("metacube-node", 4).unwrap_err().to_string(),
        "the design metacube-node does not exist for --dims 4; accepted: 3, 5 to 7, 9 to 11, 14"
    );
}

/// Proves a circuit with a fault in its Verilog. Replaces a text that occurs once.
fn with_fault(name: &str, from: &str, to: &str) -> EquivalenceRecord {
    let mut subject = subject(name);
    assert_eq!(subject.verilog.matches(from).count(), 1, "{name}: {from}");
    subject.verilog = subject.verilog.replace(from, to);
    proof(name, &subject)
}

#[test]
#[ignore = "thorough: proofs by yosys"]
fn a_fault_in_the_verilog_is_found() {
    let faults = [
        // An operator, a constant, a slice, a condition, an undefined value.
        ("UartTransmitter<8>", "bits_left - 4'd1", "bits_left + 4'd1", "bits_left takes next"),
        ("UartTransmitter<8>", "(elapsed == 16'd7)", "(elapsed == 16'd6)", "ready"),
        ("UartTransmitter<8>", "assign tx = !shift[0];", "assign tx = !shift[1];", "tx"),
        ("UartTransmitter<8>", "if (ready && start)", "if (ready || start)", "shift takes next"),
        ("UartTransmitter<8>", "{1'b0, ~data}", "{1'b0, ~data[7:1], 1'bx}", "shift takes next"),
        // The initial value of a register, its clock, its name.
        (
            "UartTransmitter<8>",
            "bits_left = 4'd0;",
            "bits_left = 4'd1;",
            "starts as 0000 in the netlist",
        ),
        ("UartTransmitter<8>", "bits_left = 4'd0;", "", "as anything in the Verilog"),
        ("UartTransmitter<8>", "@(posedge clock)", "@(negedge clock)", "another clock"),
        ("UartTransmitter<8>", "@(posedge clock)", "@(posedge start)", "another clock"),
        // A port.
        (
            "UartTransmitter<8>",
            "output wire       tx",
            "output wire [1:0] tx",
            "no output tx of 1 bits",
        ),
        // Memories: contents, addresses, enable.
        (
            "MemoryOf256x8",
            "cell_[cell__index] = 8'd0;",
            "cell_[cell__index] = 8'd1;",
            "other words",
        ),
        (
            "MemoryOf256x8",
            "assign cell_write_address = write_address;",
            "assign cell_write_address = read_address;",
            "cell_read_data$write_address",
        ),
        (
            "MemoryOf256x8",
            "cell_[cell_write_address] <= cell_write_data;",
            "cell_[cell_write_address] <= ~cell_write_data;",
            "cell_read_data$write_data",
        ),
        (
            "MemoryOf256x8",
            "if (cell_write_enable)",
            "if (!cell_write_enable)",
            "cell_read_data$write_enable",
        ),
        ("MemoryOf256x8", "reg [7:0] cell_ [0:255];", "reg [7:0] cell_ [0:511];", "SIZE"),
    ];
    for (name, from, to, reported) in faults {
        let proof = with_fault(name, from, to);
        assert!(!proof.differs.is_empty(), "{from} -> {to}: {proof:#?}");
        let all = proof.differs.join("\n");
        assert!(all.contains(reported), "{from} -> {to}: {proof:#?}");
    }
}

/// The values of a counterexample show the effect of the fault, as computed by hand.
#[test]
fn a_counter_example_shows_the_fault() {
    let from = "bits_left - 4'd1";
    let proof = with_fault("UartTransmitter<8>", from, "bits_left - 4'd2");
    let example = proof.example.unwrap();
    let input = |wanted: &str| {
        let mut inputs = example.inputs.iter();
        let (_, value) = inputs.find(|(name, _)| name == wanted)?;
        BigUint::parse_bytes(value.as_bytes(), 2)
    };
    // A bit ends that is not the last one. One bit less is left, or two less with the fault.
    assert_eq!(input("elapsed"), Some(7u8.into()));
    let left = input("bits_left").unwrap();
    let values = example.values.map(|value| BigUint::parse_bytes(value.as_bytes(), 2).unwrap());
    let minus = |less: u8| (&left + 16u8 - less) % BigUint::from(16u8);
    assert_eq!(values, [minus(2), minus(1)]);
}

#[test]
fn a_fault_in_the_netlist_is_found() {
    let name = "phase-sequencer";
    let mut seen = 0;
    for index in 0..subject(name).netlist.nets.len() {
        let mut subject = subject(name);
        let net = &mut subject.netlist.nets[index];
        net.op = match net.op.clone() {
            NetOp::Add(a, b) => NetOp::Sub(a, b),
            NetOp::And(a, b) => NetOp::Or(a, b),
            NetOp::Mux { cond, then, otherwise } if seen == 0 => {
                NetOp::Mux { cond, then: otherwise, otherwise: then }
            }
            _ => continue,
        };
        seen += 1;
        if seen > 4 {
            break;
        }
        let proof = proof(name, &subject);
        assert!(!proof.differs.is_empty(), "net {index}");
    }
    assert!(seen > 2);

    let mut subject = subject(name);
    subject.netlist.registers[0].init += 1u8;
    let proof = proof(name, &subject);
    assert!(proof.differs[0].contains("starts as"), "{proof:#?}");
}

#[test]
fn a_fault_in_a_memory_of_the_netlist_is_found() {
    let mut subject = subject("RomOf256x8");
    let words = &mut subject.netlist.memories[0].init;
    words.resize(256, BigUint::ZERO);
    words[255] += 1u8;
    let proof = proof("RomOf256x8", &subject);
    assert!(proof.differs[0].contains("other words"), "{proof:#?}");
}

#[test]
fn every_design_is_among_the_circuits() {
    let all = circuits();
    for entry in CATALOG {
        assert!(all.iter().any(|circuit| circuit.name == entry.name));
    }
    let images = all.iter().filter(|circuit| circuit.name.ends_with(".bin"));
    assert_eq!(images.count(), phasecube::board::manifest::Manifest::published().images.len());
}

/// Compares the synthesised netlist of a circuit with a fault with its original Verilog.
fn synthesised(name: &str, from: &str, to: &str) -> EquivalenceRecord {
    let subject = subject(name);
    assert!(subject.verilog.contains(from), "{name}: {from}");
    let source = subject.verilog.replacen(from, to, 1);
    let verdict = subject.verilog_and_synthesis_of(&source, &tools(), &kept());
    EquivalenceRecord::new(name, &subject, verdict.unwrap())
}

/// The circuits include registers that start as one, constant registers, and memories.
#[test]
#[ignore = "thorough: proofs by yosys"]
fn small_circuits_are_equivalent_to_their_synthesis() {
    for name in ["UartTransmitter<8>", "phase-sequencer", "MemoryOf256x8"] {
        let proof = synthesised(name, "", "");
        assert!(proof.proved, "{proof:#?}");
        assert!(proof.cones > 30, "{proof:#?}");
    }
}

#[test]
#[ignore = "thorough: proofs by yosys"]
fn a_fault_in_a_synthesised_netlist_is_found() {
    let faults = [
        ("UartTransmitter<8>", "bits_left - 4'd1", "bits_left - 4'd2", "bits_left takes next"),
        ("UartTransmitter<8>", "assign tx = !shift[0];", "assign tx = !shift[1];", "tx"),
        ("UartTransmitter<8>", "bits_left = 4'd0;", "bits_left = 4'd4;", "starts as another value"),
        // Synthesis removes this register, because it never changes.
        ("UartTransmitter<8>", "elapsed   <= elapsed_next;", "elapsed <= 0;", "elapsed takes next"),
        ("UartTransmitter<8>", "@(posedge clock)", "@(posedge start)", "another clock"),
        (
            "MemoryOf256x8",
            "cell_write_data = write_data;",
            "cell_write_data = ~write_data;",
            "cell_read_data$write_data",
        ),
    ];
    for (name, from, to, reported) in faults {
        let proof = synthesised(name, from, to);
        let all = proof.differs.join("\n");
        assert!(all.contains(reported), "{from} -> {to}: {proof:#?}");
    }
}

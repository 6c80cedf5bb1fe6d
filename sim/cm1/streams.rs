//! One message, bit by bit, as it enters each column of the heart. The cases have no desperation
//! hops or some, as in the golden files.
//!
//! Addresses are relative. If all chips send alike, the message that a chip sends across dimension
//! d equals the one that it receives. A chip whose wires loop back to itself then stands for the
//! whole machine.
use hdl::prelude::*;
use lockstep::netlist::NetId;
use phasecube::engine::{CircuitEngine, EvaluatorEngine};
use phasecube::networks::cm1::{encode, BitStream};
use phasecube::rtl::cm1::{EjectMode, MessageFormat, PetitControl, PetitPlan, Router};
use serde_json::Value;

/// A chip of the 12-cube whose wires loop back to itself.
#[derive(LogicBlock, Circuit)]
struct RouterLoopback {
    pub clock: Signal<In, Clock>,
    pub send: Signal<In, Bits<16>>,
    pub start: Signal<Out, Bit>,
    control: PetitControl<12>,
    chip: Router<12>,
}

impl RouterLoopback {
    fn new(rows: usize, plan: PetitPlan) -> Self {
        RouterLoopback {
            clock: Signal::default(),
            send: Signal::default(),
            start: Signal::default(),
            control: PetitControl::new(plan),
            chip: Router::new(rows, plan),
        }
    }
}

impl Logic for RouterLoopback {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, control, chip);
        self.start.next = self.control.strobes.start.val();
        self.control.drain.next = false;
        self.control.open_bank.next = 0.into();
        link!(control -> chip: strobes);
        self.chip.lines.send.next = self.send.val();
        self.chip.cube_in.next = self.chip.cube_out.val();
    }
}

const ROWS: usize = 7;

const FORMAT: MessageFormat = MessageFormat { dims: 12, proc_bits: 4, vp_bits: 2, data_bits: 32 };

/// Returns the message of the golden files.
fn message() -> BitStream {
    encode(FORMAT, 0xBBF, 9, 3, &0xDEAD_BEEF_u32.to_le_bytes())
}

/// Returns the bits that enter each column on all rows when the processors send these streams, in
/// order.
fn columns(streams: &[BitStream]) -> Vec<Vec<String>> {
    let plan = PetitPlan::new(FORMAT, EjectMode::Or);
    let design = lower(&RouterLoopback::new(ROWS, plan)).unwrap();
    let mut engine = EvaluatorEngine::new(&design).unwrap();
    let netlist = engine.evaluator().netlist().clone();
    let row = |column: usize, r: usize| {
        let path = match column {
            0 => format!("chip.heart.first.row[{r}]"),
            12 => format!("chip.heart.exit[{r}]"),
            i => format!("chip.heart.later[{}].row[{r}]", i - 1),
        };
        netlist.find(&path).unwrap_or_else(|| panic!("no {path}"))
    };
    let nets: Vec<Vec<NetId>> = (0..=12).map(|i| (0..ROWS).map(|r| row(i, r)).collect()).collect();
    let (start, send) = (engine.port("start"), engine.port("send"));
    engine.settle().unwrap();
    while engine.get_u64(start) == 0 {
        engine.clock().unwrap();
    }
    let length = FORMAT.length() as usize;
    let mut bits = vec![vec![String::new(); ROWS]; 13];
    for time in 0..length + 24 {
        let bit = |stream: &BitStream| stream.get(time).copied().unwrap_or(false);
        let word = (0..).zip(streams).map(|(p, stream): (u64, _)| u64::from(bit(stream)) << p);
        engine.set_u64(send, word.sum());
        engine.settle().unwrap();
        for column in 0..=12 {
            if (2 * column..2 * column + length).contains(&time) {
                for r in 0..ROWS {
                    let bit = engine.evaluator().get(nets[column][r]);
                    bits[column][r] += ["0", "1"][bit as usize];
                }
            }
        }
        engine.clock().unwrap();
    }
    bits
}

fn check(golden: &str, streams: &[BitStream]) {
    let golden: Value = serde_json::from_str(golden).unwrap();
    let golden = golden.as_array().unwrap();
    assert_eq!(golden.len(), 13);
    let columns = columns(streams);
    for (i, (wanted, rows)) in golden.iter().zip(&columns).enumerate() {
        assert_eq!(wanted["enters_column"], i);
        assert_eq!(wanted["bit_time_offset"], 2 * i);
        let bits = wanted["bits_first_to_last"].as_str().unwrap();
        let row = rows.iter().position(|row| row == bits);
        let row = row.unwrap_or_else(|| panic!("column {i}: {bits} not in {rows:#?}"));
        // A message that has hopped enters the highest row.
        let hopped = wanted["hopped_in_previous_column"] == true;
        assert_eq!(row == ROWS - 1, hopped, "column {i}");
    }
}

#[test]
fn a_message_alone() {
    let golden = include_str!("../golden/cm1_stream.json");
    check(golden, &[message()]);
}

/// Six other messages: one precedes it in dimension 0, one in dimension 1, and four have arrived.
/// In dimensions 6 and 10 no message wants to cross and the rows are full. It is then in the
/// highest row, where it entered.
#[test]
fn a_message_in_desperation() {
    let golden = include_str!("../golden/cm1_stream_desp.json");
    let other = |relative, data: u8| encode(FORMAT, relative, 1, 0, &[data]);
    let streams =
        [other(1, 1), other(2, 2), message(), other(0, 3), other(0, 4), other(0, 5), other(0, 6)];
    check(golden, &streams);
}

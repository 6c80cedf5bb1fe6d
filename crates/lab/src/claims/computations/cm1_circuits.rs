//! Figures of the paper "cm1-message-router" from simulations of its circuits.

use super::cm1::TYPICAL;
use super::ClaimComputation;
use crc::{Crc, CRC_8_AUTOSAR};
use engine::{CircuitEngine, EvaluatorEngine};
use hdl::lower::lower;
use interconnect::topology::Hypercube;
use interconnect::traffic::{ExchangeOrder, Recipe, TrafficPattern};
use lockstep::lanes::LaneOptions;
use machine::networks::cm1::{
    decode, encode, BitStream, Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Message, Cm1Params, Cm1Shape,
    StandaloneHeart,
};
use machine::{drive, Delivery, MachineCircuit, RunControl, RunStats};
use rtl::cm1::{EjectMode, HeartColumn, MessageFormat, PetitPlan, Pipeline};
use serde_json::{json, Value};
use std::collections::BTreeMap;

pub(super) const TABLE: &[(&str, ClaimComputation)] =
    &[("cm1-column", column), ("cm1-memory-writes", memory_writes), ("cm1-banks", bank_growth)];

/// Rows of a heart.
const ROWS: usize = super::cm1::ROWS as usize;

/// Message in a row of a column.
#[derive(Clone, Copy)]
struct ColumnMessage {
    /// Row in which the message arrives.
    row: usize,
    /// Whether its address differs in the column's dimension.
    wants: bool,
}

/// Tests a column of the heart with every possible set of messages. The messages are packed in the
/// low rows, with or without one in the highest row, which belongs to the wire. Each message does
/// or does not want to cross. `wrong` counts the sets after which the rows differ from section
/// 3.4.1. Each message carries the number of its input row in DATA.
fn column() -> Value {
    let design = lower(&HeartColumn::new(ROWS)).expect("it is lowered in the tests");
    let (mut cases, mut desperate, mut wrong) = (0, 0, 0);
    for packed in 0..ROWS {
        for arrival in [false, true] {
            let rows = (0..packed).chain(arrival.then_some(ROWS - 1));
            let rows: Vec<usize> = rows.collect();
            for wants in 0..1u32 << rows.len() {
                let held = rows
                    .iter()
                    .enumerate()
                    .map(|(i, &row)| ColumnMessage { row, wants: wants >> i & 1 == 1 });
                let held: Vec<ColumnMessage> = held.collect();
                let [stay, cross] = expected_rows(&held);
                let mut engine = EvaluatorEngine::new(&design).expect("it is a circuit");
                cases += 1;
                desperate += u32::from(held.len() == ROWS && wants == 0);
                wrong += u32::from(leaving_rows(&mut engine, &held) != (stay, cross));
            }
        }
    }
    json!({"cases": cases, "desperate": desperate, "wrong": wrong})
}

/// Returns the rows that stay, packed, and the row that crosses.
fn expected_rows(held: &[ColumnMessage]) -> [Vec<usize>; 2] {
    let wanting = held.iter().find(|message| message.wants);
    let desperate = held.last().filter(|_| held.len() == ROWS);
    let cross = wanting.or(desperate).map(|message| message.row);
    let rows = held.iter().map(|message| message.row);
    [rows.filter(|row| Some(*row) != cross).collect(), cross.into_iter().collect()]
}

/// Returns the messages that leave the column, each as its input row: those in the rows from the
/// lowest up, and the one on the wire. This form cannot express an empty row below an occupied one.
/// Such a row is reported as a row number that does not exist.
fn leaving_rows(engine: &mut EvaluatorEngine, held: &[ColumnMessage]) -> (Vec<usize>, Vec<usize>) {
    /// Bits of a row number.
    const TAG: usize = 3;
    // The column's own bit is the only bit of CUBE-ADDRESS, so a message is MSGP, own bit, DATA. It
    // leaves two bit-times later.
    let row = |i: usize| engine.port(&format!("row[{i}]"));
    let rows: Vec<_> = (0..ROWS).map(row).collect();
    let out: Vec<_> = (0..ROWS - 1)
        .map(|i| engine.port(&format!("moved[{i}]")))
        .chain([engine.port("cube_out")])
        .collect();
    let strobes = ["decide", "turn"].map(|name| engine.port(name));
    let mut streams = vec![vec![]; out.len()];
    for t in 0..2 + 2 + TAG {
        for (i, port) in rows.iter().enumerate() {
            let bit = held.iter().find(|message| message.row == i);
            let bit = bit.is_some_and(|message| match t {
                0 => true,
                1 => message.wants,
                _ => message.row >> (t - 2) & 1 == 1 && t < 2 + TAG,
            });
            engine.set_u64(*port, bit.into());
        }
        engine.set_u64(strobes[0], u64::from(t == 1));
        engine.set_u64(strobes[1], u64::from(t == 2));
        engine.settle().expect("it settles");
        for (stream, port) in streams.iter_mut().zip(&out) {
            stream.push(engine.get_u64(*port) as usize);
        }
        engine.clock().expect("it settles");
    }
    let tag = |stream: &Vec<usize>| {
        let message = stream[2] == 1;
        let bits = stream[4..].iter().enumerate();
        message.then(|| bits.map(|(k, bit)| bit << k).sum())
    };
    let mut stay: Vec<Option<usize>> = streams[..ROWS - 1].iter().map(tag).collect();
    while stay.last() == Some(&None) {
        stay.pop();
    }
    let stay = stay.into_iter().map(|tag| tag.unwrap_or(ROWS)).collect();
    (stay, tag(&streams[ROWS - 1]).into_iter().collect())
}

/// Checksum of an order, sent as its last byte.
const ORDER_CRC: Crc<u8> = Crc::<u8>::new(&CRC_8_AUTOSAR);

/// Encodes an order to write: address, value, and the checksum of both.
fn encode_order(place: u8, value: u16) -> Vec<u8> {
    let [low, high] = value.to_le_bytes();
    let body = [place, low, high];
    [&body[..], &[ORDER_CRC.checksum(&body)]].concat()
}

/// Decodes an order; `None` if its checksum is wrong.
fn decode_order(data: &[u8]) -> Option<(u8, u16)> {
    let (&check, body) = data.split_last()?;
    (ORDER_CRC.checksum(body) == check).then(|| (body[0], u16::from_le_bytes([body[1], body[2]])))
}

/// Runs the messages through a machine on the lockstep engine.
fn run_lockstep(circuit: &Cm1Circuit, messages: &[Cm1Message]) -> RunStats {
    let array = circuit.array().expect("it lowers");
    let mut engine = array.lockstep(&LaneOptions::default()).expect("it is small enough");
    let faults = Cm1Faults::default();
    let mut driver = Cm1Driver::new(&mut engine, circuit, &faults, messages, &[]);
    drive(&mut driver, RunControl::to_end(1, None)).expect("it settles")
}

/// Simulates memory writes: every processor of a 3-cube of chips writes into the memories of three
/// others. Also tests every order with two inverted bits, an error that PARITY does not detect.
fn memory_writes() -> Value {
    const PROCESSORS: u32 = 32;
    let format = MessageFormat { dims: 3, proc_bits: 2, vp_bits: 0, data_bits: 32 };
    let value = |from: u32, to: u32| ((from << 8) ^ (to * 0x1D)) as u16;
    let pairs = (0..PROCESSORS).flat_map(|from| [1, 7, 20].map(|by| (from, (from + by) % 32)));
    let messages = pairs.map(|(source, destination)| Cm1Message {
        source,
        destination,
        vp: 0,
        data: encode_order(source as u8, value(source, destination)),
    });
    let messages: Vec<Cm1Message> = messages.collect();
    let shape = Cm1Shape { rows: ROWS, format };
    let plan = PetitPlan::new(format, EjectMode::PerProcessor);
    let circuit = Cm1Circuit::new(shape, plan).expect("it is of the sizes there are");
    let run = run_lockstep(&circuit, &messages);
    // A message counts as delivered only if the processor received exactly its bits.
    let mut memories: BTreeMap<(u32, u8), u16> = BTreeMap::new();
    for (message, delivery) in messages.iter().zip(&run.deliveries) {
        let arrived = matches!(delivery, Delivery::Delivered { .. }) && run.undetected == 0;
        if let Some((place, value)) = decode_order(&message.data).filter(|_| arrived) {
            memories.insert((message.destination, place), value);
        }
    }
    let as_ordered = |m: &&Cm1Message| {
        let place = (m.destination, m.source as u8);
        memories.get(&place) == Some(&value(m.source, m.destination))
    };
    let damaged = two_bit_errors(format);
    json!({
        "orders": messages.len(), "written": messages.iter().filter(as_ordered).count(),
        "damaged": damaged.len(),
        "found_by_parity": damaged.iter().filter(|fields| !fields.0).count(),
        "found_by_check_sum": damaged.iter().filter(|fields| decode_order(&fields.1).is_none()).count(),
    })
}

/// Measures the growth of petit cycles when the number of virtual processors per processor doubles.
/// The circuit is a 3-cube of chips with 16 processors. Each virtual processor has its own
/// permutation.
fn bank_growth() -> Value {
    let cube = Hypercube::of(3);
    let recipe = Recipe {
        pattern: TrafficPattern::Permutation,
        seed: 0,
        payload: 2,
        order: ExchangeOrder::default(),
    };
    let petit_cycles = |eject, ratio: u32| {
        let wanted = Cm1Params {
            rows: ROWS,
            proc_bits: 4,
            vp_bits: ratio.ilog2(),
            vp_ratio: ratio,
            data_bits: None,
            eject,
        };
        let list = wanted.messages(cube, &recipe).expect("permutations");
        let machine = wanted.machine(cube, &list).expect("its sizes are right");
        let messages = machine.messages(&list).expect("DATA holds the payload");
        let run = run_lockstep(&machine.circuit, &messages);
        assert_eq!(run.undetected + run.duplicated, 0);
        run.periods as f64
    };
    let growth = |eject, ratio| petit_cycles(eject, 2 * ratio) / petit_cycles(eject, ratio);
    json!({
        "from_2_to_4": growth(EjectMode::Bank, 2),
        "from_4_to_8": growth(EjectMode::Bank, 4),
        "from_8_to_16": growth(EjectMode::Bank, 8),
        "from_16_to_32": growth(EjectMode::Bank, 16),
        "without_banks_from_16_to_32": growth(EjectMode::PerProcessor, 16),
    })
}

/// Inverts each pair of bits in an order. Returns for each pair whether PARITY is correct, and
/// DATA.
fn two_bit_errors(format: MessageFormat) -> Vec<(bool, Vec<u8>)> {
    let sent = encode(format, 0, 1, 0, &encode_order(9, 0xA53C));
    let data = 1 + (format.dims + format.proc_bits + format.vp_bits) as usize;
    let places = data..data + format.data_bits as usize;
    let pairs = places.clone().flat_map(|a| (a + 1..places.end).map(move |b| [a, b]));
    let both = pairs.map(|pair| {
        let mut stream = sent.clone();
        pair.into_iter().for_each(|bit| stream[bit] ^= true);
        let fields = decode(format, &stream);
        (fields.parity_good, fields.data)
    });
    both.collect()
}

// Figures of the paper "cm1-message-router": circuits of the three ways to pipeline the heart.

pub(super) const HEARTS_TABLE: &[(&str, ClaimComputation)] =
    &[("cm1-pipelines", pipelines), ("cm1-desperation", desperate_sends)];

/// Size of a heart, and its timing measured with messages.
struct HeartMeasurement {
    /// Bits of message storage.
    bits: u32,
    /// Bit-times from MSGP at the first column to the last bit of the message at the exit.
    bit_times: u32,
    /// Bit-times from MSGP at the first column to MSGP at the exit.
    delay: u32,
    /// Number of messages that leave when two messages want the same wire at once.
    left_of_two: usize,
}

/// Message for the chip `relative`. Its last bit is one, because the measurement waits for that
/// bit.
fn test_message(relative: u32) -> BitStream {
    let even = relative.count_ones().is_multiple_of(2);
    encode(TYPICAL, relative, u32::from(even), 0, &[])
}

fn measure(pipeline: Pipeline) -> HeartMeasurement {
    let mut heart =
        StandaloneHeart::new(pipeline, TYPICAL, ROWS).expect("it is lowered in the tests");
    let alone = heart.pass(&[Some(test_message(0))]).expect("it settles");
    let bit_times = alone.bit_times.expect("it leaves");
    let left = alone.rows.iter().flatten().next().expect("it leaves");
    let both = [Some(test_message(1)), Some(test_message(1))];
    let passed = heart.pass(&both).expect("it settles");
    HeartMeasurement {
        bits: heart.storage(),
        bit_times,
        delay: bit_times - left.len() as u32,
        left_of_two: passed.rows.iter().flatten().count(),
    }
}

/// Bits and bit-times of each pipeline, and how many of two messages for the same wire leave
/// through it.
fn pipelines() -> Value {
    let [rotating, naive, dropping] = Pipeline::ALL.map(measure);
    let length = TYPICAL.length();
    json!({
        "naive": {
            "bits": naive.bits, "bit_times": naive.bit_times, "petit_cycle": naive.delay,
            "wire_busy": length, "with_two_batches": 2 * length, "of_two": naive.left_of_two,
        },
        "dropping": {
            "bits": dropping.bits, "bit_times": dropping.bit_times, "of_two": dropping.left_of_two,
        },
        "rotating": {
            "bits": rotating.bits, "bit_times": rotating.bit_times, "of_two": rotating.left_of_two,
        },
        "delivery_cycle_of_12": 12 * length + rotating.delay,
    })
}

/// Seven messages that want dimension 2 only, as in Figure 10 (b). Returns the cube wires that
/// carry a message if no other message arrives on the wire of dimension 0.
fn desperate_sends() -> Value {
    let heart = StandaloneHeart::new(Pipeline::Rotating, TYPICAL, ROWS);
    let heart = heart.expect("it is lowered in the tests");
    let passed = heart.with_silent_neighbour(0).pass(&vec![Some(test_message(4)); ROWS]);
    let passed = passed.expect("it settles");
    json!({
        "column_0_sends": passed.crossed[0],
        "column_1_sends": passed.crossed[1],
        "column_2_sends": passed.crossed[2],
        "later_columns_that_send": passed.crossed[3..].iter().filter(|sends| **sends).count(),
        "left_at_the_exit": passed.rows.iter().flatten().count(),
    })
}

#[cfg(test)]
mod tests {
    use super::pipelines;

    /// Figures printed in the paper.
    #[test]
    fn pipeline_figures_match_the_paper() {
        let found = pipelines();
        let of = |pipeline: &str, figure: &str| found[pipeline][figure].as_u64();
        assert_eq!(of("naive", "bits"), Some(630));
        assert_eq!(of("naive", "bit_times"), Some(140));
        assert_eq!(of("naive", "petit_cycle"), Some(90));
        assert_eq!(of("dropping", "bits"), Some(168));
        assert_eq!(of("dropping", "bit_times"), Some(62));
        assert_eq!(of("rotating", "bit_times"), Some(74));
        assert_eq!(found["delivery_cycle_of_12"], 624);
    }
}

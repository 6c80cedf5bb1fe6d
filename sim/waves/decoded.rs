//! The decoded signals of links.

use crate::waves::{messages, RecordedWaves, RecordingSettings, SmallCube};
use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::topology::{links, Link};
use std::path::Path;

fn name(link: Link, signal: &str) -> String {
    let (from, to) = (link.from.node, link.to.node);
    format!("cube.link[0x{from:X}-0x{to:X}].{signal}")
}

/// Returns the edges of a wire as recorded in the file.
fn edges(wave: &RecordedWaves, link: Link) -> WireEdges {
    let changes = wave.changes(&name(link, "wire"));
    let levels = changes.iter().filter(|(_, v)| v == "0" || v == "1");
    levels.map(|(time, v)| (*time, v == "1")).collect()
}

/// Returns the bytes recorded in the file.
fn recorded_bytes(wave: &RecordedWaves, link: Link) -> Vec<Byte> {
    let changes = wave.changes(&name(link, "byte"));
    let byte = |(time, v): &(u64, String)| Some((*time, u8::from_str_radix(v, 2).ok()?));
    changes.iter().filter_map(byte).collect()
}

fn record(small: &SmallCube, path: &Path) -> (Vec<MessageEvent>, RecordedWaves) {
    let watches = ["link[*].*"];
    let shot = RecordingSettings { path, watches: &watches, phases: 0..u64::MAX };
    let mut engine = small.lockstep(&small.choose(&watches));
    let run = small.record(&mut engine, &messages(small.cube), &shot);
    (run.events, RecordedWaves::open(path))
}

/// Compares bytes, fields, frames and answers on all links of a 3-cube under traffic that fills
/// buffers. The references are a second decoder on the file's own wires, and the event log of the
/// run.
#[test]
fn frames_and_answers_are_what_a_second_decoder_reads_and_what_happened() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["links.vcd", "links.fst"] {
        let small = SmallCube::new::<3>(true);
        let (events, wave) = record(&small, &dir.path().join(file));
        let (bit, period) = (u64::from(small.timing.clocks_per_bit), small.subject.clock_cycles);
        let mut answers = vec![];
        for link in links(&small.cube) {
            let edges = edges(&wave, link);
            let bytes = bytes(&edges, bit, wave.end());
            assert!(!bytes.is_empty());
            assert_eq!(recorded_bytes(&wave, link), bytes, "{file}: {link:?}");
            // Each byte is in its phase. The first phase begins at 1.
            let phase = |byte: &Byte| (byte.0 - 1) / period;
            let frames = wave.texts(&name(link, "frame"));
            let mut frames = frames.iter().filter(|(_, text)| text != "-");
            for in_phase in bytes.chunk_by(|a, b| phase(a) == phase(b)) {
                let t = phase(&in_phase[0]);
                assert_eq!(t % 6 / 2, u64::from(link.from.port));
                let (sender, receiver) = match t % 2 {
                    0 => (link.from.node, link.to.node),
                    _ => (link.to.node, link.from.node),
                };
                let values: Vec<u8> = in_phase.iter().map(|b| b.1).collect();
                let printed = decode_phase(&values, sender, link.from.port);
                let destination = printed.destination.unwrap();
                let text =
                    format!("0x{sender:X}>0x{receiver:X}_for_0x{destination:X}_{}", printed.answer);
                assert_eq!(frames.next(), Some(&(in_phase[0].0, text)));
                let event = events.iter().find(|e| e.t == t && e.node == sender).unwrap();
                assert_eq!((event.to, event.dst), (receiver, destination.into()));
                let wanted = match event.what {
                    MessageEventKind::Forwarded | MessageEventKind::Delivered => "ACK",
                    MessageEventKind::Nak => "NAK",
                    other => panic!("{other}"),
                };
                assert_eq!(printed.answer, wanted);
                answers.push(printed.answer);
            }
            assert_eq!(frames.next(), None);
        }
        assert_eq!(answers.len(), events.len(), "every event was seen");
        assert!(answers.contains(&"NAK") && answers.contains(&"ACK"));
    }
}

/// Every byte of a frame and of its answer, in order.
#[test]
fn fields_are_named_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let small = SmallCube::new::<2>(true);
    let (_, wave) = record(&small, &dir.path().join("fields.vcd"));
    let link = links(&small.cube).next().unwrap();
    let fields = wave.texts(&name(link, "field"));
    let fields: Vec<&str> = fields.iter().map(|(_, field)| field.as_str()).collect();
    let frame = [
        "sync",
        "header",
        "length",
        "dest_low",
        "dest_high",
        "payload",
        "payload",
        "payload",
        "crc_high",
        "crc_low",
    ];
    // Between two bytes the field is empty for at least one clock cycle.
    let bytes = frame.iter().chain(&["answer_high", "answer_low"]);
    let wanted: Vec<&str> = bytes.flat_map(|field| ["-", field]).collect();
    assert_eq!(fields[..wanted.len()], wanted);
    let drivers = wave.texts(&name(link, "driver"));
    let drivers: Vec<&str> = drivers.iter().map(|(_, d)| d.as_str()).collect();
    assert_eq!(drivers[..5], ["-", "0x0", "-", "0x1", "-"]);
}

/// On noisy wires some frames are damaged and some answers are missing. The file reports this where
/// the second decoder finds it.
#[test]
fn damaged_frames_and_timeouts_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut small = SmallCube::new::<2>(true);
    small.disturbance.noise = 0.01;
    small.disturbance.seed = 3;
    let (events, wave) = record(&small, &dir.path().join("noise.vcd"));
    let silent = events.iter().filter(|e| e.what == MessageEventKind::Timeout).count();
    assert!(silent > 0, "the noise did something");
    let mut texts = vec![];
    for link in links(&small.cube) {
        let frames = wave.texts(&name(link, "frame")).into_iter();
        texts.extend(frames.map(|(_, text)| text).filter(|text| text != "-"));
    }
    let count = |what: &str| texts.iter().filter(|text| text.ends_with(what)).count();
    assert!(texts.iter().any(|text| text.contains("_damaged_")), "{texts:?}");
    // Noise in the answer may appear as a timeout to the sender.
    assert!(count("timeout") + count("nonsense") > 0, "{texts:?}");
}

/// The logic analyser prints, for every phase, the bytes that the second decoder reads, and the
/// answer.
#[test]
fn the_logic_analyzer_prints_what_the_second_decoder_reads() {
    use phasecube::report::LogicAnalyzer;
    let dir = tempfile::tempdir().unwrap();
    let small = SmallCube::new::<3>(true);
    let (_, wave) = record(&small, &dir.path().join("links.vcd"));
    let link = links(&small.cube).nth(9).unwrap();
    let mut engine = small.evaluator();
    let subject = &small.subject;
    let decoder = subject.links.as_deref().unwrap();
    let watched = (subject, decoder);
    let mut analyzer = LogicAnalyzer::new(&mut engine, watched, link, 0..u64::MAX);
    small.run(&mut engine, &messages(small.cube), vec![&mut analyzer]);
    let text = analyzer.finish();
    let bit = u64::from(small.timing.clocks_per_bit);
    let bytes = bytes(&edges(&wave, link), bit, wave.end());
    let mut printed = vec![];
    let mut phase = 0;
    for line in text.lines() {
        if let Some((t, _)) = line.strip_prefix("Phase ").and_then(|l| l.split_once(':')) {
            phase = t.parse().unwrap();
        }
        // Columns: time, wave of 30 characters, byte.
        let byte = line.chars().skip(39).take(6).collect::<String>();
        if let (Ok(time), Ok(byte)) =
            (line.get(..7).unwrap_or("").trim().parse::<f64>(), u8::from_str_radix(byte.trim(), 16))
        {
            let begin = 1 + phase * subject.clock_cycles;
            printed.push((begin + (time * bit as f64).round() as u64, byte));
        }
    }
    assert_eq!(printed, bytes, "{text}");
    assert!(!text.contains("lost sync"), "{text}");
    for says in [
        "Link 0x1-0x5, dimension 2. Of the 6 phases of a superframe 0x1 sends in 4 and 0x5 in 5.",
        "answers ACK: it has the frame.",
        "Idle in its phases from 10 to ",
    ] {
        assert!(text.contains(says), "{text}");
    }
}

// A second decoder of a wire. It starts from the edges in a file, as a protocol analyser does, and
// follows the definitions only. It shares no code with the machine.

/// Edges of a wire that is high at first: time and new level.
pub type WireEdges = Vec<(u64, bool)>;

/// Time of the edge of a start bit, and the byte.
pub type Byte = (u64, u8);

fn level(edges: &WireEdges, time: u64) -> bool {
    let before = edges.partition_point(|(t, _)| *t <= time);
    before.checked_sub(1).is_none_or(|i| edges[i].1)
}

/// Decodes 8N1, least significant bit first. Bits are sampled in their middle. The search for the
/// next start bit begins in the middle of the stop bit.
pub fn bytes(edges: &WireEdges, bit: u64, end: u64) -> Vec<Byte> {
    let mut bytes = vec![];
    let mut from = 0;
    for &(time, high) in edges {
        let sample = |place: u64| level(edges, time + place * bit + bit / 2);
        if high || time < from || sample(0) || time + 9 * bit + bit / 2 >= end {
            continue;
        }
        let value = (0..8).fold(0, |byte, i| byte | u8::from(sample(i + 1)) << i);
        bytes.push((time, value));
        from = time + 9 * bit + bit / 2;
    }
    bytes
}

/// Returns the CRC-16/CCITT by division, starting from the word for sender and dimension.
fn crc(sender: u32, dim: u32, bytes: &[u8]) -> u16 {
    let mut rest = 0xFFFF ^ sender as u16 ^ (dim as u16) << 12;
    for bit in bytes.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1)) {
        let feedback = (rest >> 15) as u8 ^ bit;
        rest = (rest << 1) ^ (u16::from(feedback) * 0x1021);
    }
    rest
}

/// Result of a phase: the destination of a good frame, and the answer to it.
#[derive(Debug, PartialEq, Eq)]
pub struct DecodedPhase {
    pub destination: Option<u16>,
    pub answer: &'static str,
}

/// Decodes the bytes of one phase. The frame ends where its length says.
pub fn decode_phase(values: &[u8], sender: u32, dim: u32) -> DecodedPhase {
    let end = 5 + usize::from(values.get(2).copied().unwrap_or(0));
    let Some(frame) = values.get(..end.min(values.len())) else { unreachable!() };
    let body = frame.get(1..frame.len().saturating_sub(2)).unwrap_or(&[]);
    let sum = crc(sender, dim, body).to_be_bytes();
    let good = frame.len() == end && frame[0] == 0xAA && frame.ends_with(&sum);
    let answer = match &values[frame.len()..] {
        [] => "timeout",
        answer if answer == sum => "ACK",
        answer if answer == sum.map(|b| !b) => "NAK",
        _ => "nonsense",
    };
    DecodedPhase { destination: good.then(|| u16::from_le_bytes([frame[3], frame[4]])), answer }
}

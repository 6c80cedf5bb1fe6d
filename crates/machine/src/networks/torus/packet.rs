//! Conversion between a message and the bytes of a packet (torus-routing-chip, section 4 and Figure
//! 6).
//!
//! A packet consists of an address for each dimension, the payload and a tail. With a tail of zero,
//! COBS encodes the payload so that none of its bytes is zero. COBS adds one byte for up to 254
//! bytes. With a tail wire the payload is not encoded, and the tail is also a byte.

use super::TorusShape;
use crate::networks::bytes;
use crate::wave::{LinkDecoder, LinkProbe, LinkSignal, LinkStep, SignalType, SimTime};
use engine::{NodeEngine, NodePortId};
use interconnect::topology::{Link, PortEnd, Topology, Torus};
use interconnect::traffic::Message;
use rtl::torus::Tail;
use std::fmt::Write;
use testbench::wave::{WaveValue, NO_TEXT};

/// Wire that marks a tail, above the byte.
const TAIL_WIRE: u16 = 1 << 8;

/// Returns the words of a packet, in order. A word has 8 bits, or 9 with the tail wire as the
/// highest bit.
pub fn encode(shape: &TorusShape, message: &Message<&[u8]>) -> Vec<u16> {
    let mut words = addresses(shape.torus(), message.source, message.destination);
    match shape.plan().tail {
        Tail::Wire => {
            words.extend(message.payload.iter().map(|byte| u16::from(*byte)));
            words.push(TAIL_WIRE);
        }
        Tail::Zero | Tail::Naive => {
            let data = bytes::encode(message.payload);
            words.extend(data.into_iter().map(u16::from));
            words.push(0);
        }
    }
    words
}

/// Returns the number of channels to pass in each dimension.
fn addresses(torus: &Torus, source: u32, destination: u32) -> Vec<u16> {
    let dims = 0..torus.dims();
    dims.map(|dim| torus.relative(source, destination, dim) as u16).collect()
}

/// True if a word ends a packet that has reached its destination.
pub fn is_tail(tail: Tail, word: u16) -> bool {
    match tail {
        Tail::Wire => word & TAIL_WIRE != 0,
        Tail::Zero | Tail::Naive => word == 0,
    }
}

/// Decodes the payload of a packet from the words that its destination received before the tail.
/// Returns `None` if the words encode no payload.
pub fn decode(tail: Tail, words: &[u16]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
    match tail {
        Tail::Wire => Some(bytes),
        Tail::Zero | Tail::Naive => bytes::decode(&bytes),
    }
}

// Roles of the bytes on a virtual channel, for an observer that sees only the channel.

/// Role of a byte in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteRole {
    /// Number of channels left in this dimension.
    Address(usize),
    Data,
    Tail,
    /// The position of packets is not known yet.
    Unknown,
}

impl ByteRole {
    /// Returns the role in one word: `address_0`.
    pub fn word(self) -> String {
        match self {
            ByteRole::Address(dim) => format!("address_{dim}"),
            ByteRole::Data => "data".into(),
            ByteRole::Tail => "tail".into(),
            ByteRole::Unknown => "unknown".into(),
        }
    }
}

/// Follows the packets on a virtual channel.
///
/// The observation starts with the first byte of a packet, or anywhere. In the second case the
/// position is unknown until a byte that can only be a tail. With a tail of zero, that is a zero
/// after more nonzero bytes than there are addresses.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    torus: Torus,
    tail: Tail,
    /// End by which the channel leaves.
    from: PortEnd,
    next: ByteRole,
    /// Node to which the addresses so far lead.
    at: u32,
    /// True if all addresses of the packet have passed.
    addressed: bool,
    /// Consecutive nonzero bytes up to now.
    nonzero_run: usize,
}

impl Framing {
    /// Creates the decoder of a virtual channel that leaves by this end. `begins` is true if its
    /// first packet is still to come.
    pub fn new(torus: &Torus, tail: Tail, from: PortEnd, begins: bool) -> Self {
        let dim = from.port as usize;
        Framing {
            torus: torus.clone(),
            tail,
            from,
            next: match begins {
                true => ByteRole::Address(dim),
                false => ByteRole::Unknown,
            },
            at: 0,
            addressed: false,
            nonzero_run: 0,
        }
    }

    /// Returns the role of this word, and the destination of its packet once the addresses
    /// determine it.
    pub fn next(&mut self, word: u16) -> (ByteRole, Option<u32>) {
        let (first, dims) = (self.from.port as usize, self.torus.dims());
        let ends = is_tail(self.tail, word);
        let field = match self.next {
            // The chip as printed takes the first zero for the tail, and does not strip it.
            ByteRole::Address(dim) if dim > first && ends && self.tail == Tail::Naive => {
                ByteRole::Tail
            }
            ByteRole::Data if ends => ByteRole::Tail,
            ByteRole::Unknown if ends && self.is_certain() => ByteRole::Tail,
            other => other,
        };
        self.next = match field {
            ByteRole::Address(dim) => {
                if dim == first {
                    self.at = self.torus.peer(self.from).node;
                }
                for _ in 0..word {
                    self.at = self.torus.next(self.at, dim);
                }
                self.addressed = dim + 1 == dims;
                match self.addressed {
                    true => ByteRole::Data,
                    false => ByteRole::Address(dim + 1),
                }
            }
            ByteRole::Tail => ByteRole::Address(first),
            ByteRole::Data | ByteRole::Unknown => field,
        };
        self.nonzero_run = if word == 0 { 0 } else { self.nonzero_run + 1 };
        let destination = self.addressed.then_some(self.at);
        self.addressed &= field != ByteRole::Tail;
        (field, destination)
    }

    /// True if a tail can be recognised without knowing where the packet started.
    fn is_certain(&self) -> bool {
        let addresses = self.torus.dims() - self.from.port as usize;
        self.tail == Tail::Wire || self.nonzero_run > addresses
    }
}

// Bytes and packets on the channels of a torus, for waveforms and logic analysers.

/// Decoder of packets on channels.
#[derive(Clone, Debug)]
pub(super) struct PacketDecoder {
    shape: TorusShape,
}

impl PacketDecoder {
    pub fn new(shape: &TorusShape) -> Self {
        PacketDecoder { shape: shape.clone() }
    }
}

impl LinkDecoder for PacketDecoder {
    /// Returns the signals of a channel: its wires, and the byte that is new in this clock cycle.
    /// The byte has its virtual channel, its role in the packet, and the destination of the packet.
    fn signals(&self) -> Vec<LinkSignal> {
        let plan = self.shape.plan();
        let (wires, channels) = (plan.tail.data_wires() as u32, plan.channels as u32);
        let last = self.shape.torus().nodes() - 1;
        let node = self.shape.torus().node_name(last).len();
        let signal = |name, shape| LinkSignal { name, shape, at_step_end: false };
        vec![
            signal("data", SignalType::Bits(wires)),
            signal("request", SignalType::Bits(channels)),
            signal("acknowledge", SignalType::Bits(channels)),
            signal("byte", SignalType::Bits(8)),
            signal("vc", SignalType::Bits(1)),
            signal("field", SignalType::Text("address_0".len())),
            signal("packet", SignalType::Text("for_".len() + node)),
        ]
    }

    fn probe(&self, engine: &mut dyn NodeEngine, link: Link) -> Box<dyn LinkProbe> {
        let mut port = |name: &str| engine.port(&format!("{name}[{}]", link.from.port));
        Box::new(ChannelProbe {
            data: port("data_out"),
            request: port("request_out"),
            acknowledge: port("acknowledge_out"),
            shape: self.shape.clone(),
            link,
            channels: vec![],
            before: None,
            reported: vec![],
        })
    }

    fn heading(&self, link: Link) -> String {
        let torus = self.shape.torus();
        let [from, to] = [link.from, link.to].map(|end| torus.node_name(end.node));
        format!(
            "Channel from {from} to {to}, {}: each packet when its tail is there. Times are clock \
             cycles, counted from the start.\n",
            torus.port_name(link.from.port)
        )
    }
}

struct ChannelProbe {
    data: NodePortId,
    request: NodePortId,
    /// Acknowledge port of the receiver.
    acknowledge: NodePortId,
    shape: TorusShape,
    link: Link,
    /// Virtual channels. Empty before the first sample.
    channels: Vec<VirtualChannel>,
    /// Requests in the previous clock cycle.
    before: Option<u64>,
    /// Last reported value of each signal.
    reported: Vec<WaveValue>,
}

struct VirtualChannel {
    framing: Framing,
    /// Packet in progress.
    packet: Option<ObservedPacket>,
}

/// Packet on a channel.
#[derive(Clone, Debug)]
struct ObservedPacket {
    /// Text such as ` on virtual channel 1`. Empty with a single virtual channel.
    channel: String,
    /// Clock cycle, word and role of each byte.
    bytes: Vec<(u64, u16, ByteRole)>,
    destination: Option<String>,
}

/// Byte that is new on the wires.
struct NewByte {
    word: u16,
    channel: usize,
    field: ByteRole,
    destination: Option<String>,
}

impl ChannelProbe {
    /// Returns the byte whose request has just changed.
    fn new_byte(&mut self, sim_time: SimTime, word: u16, request: u64) -> Option<NewByte> {
        if self.channels.is_empty() {
            let (torus, plan) = (self.shape.torus(), self.shape.plan());
            let begins = sim_time.t == 0;
            let channel = |_| VirtualChannel {
                framing: Framing::new(torus, plan.tail, self.link.from, begins),
                packet: None,
            };
            self.channels = (0..plan.channels).map(channel).collect();
            // Requests are low before the start. A probe that starts later does not know their
            // levels.
            self.before = begins.then_some(0);
        }
        let changed = self.before.replace(request)? ^ request;
        let channel = (0..self.channels.len()).find(|vc| changed >> vc & 1 == 1)?;
        let (field, destination) = self.channels[channel].framing.next(word);
        let torus = self.shape.torus();
        Some(NewByte {
            word,
            channel,
            field,
            destination: destination.map(|node| torus.node_name(node)),
        })
    }

    /// Adds the byte to its packet. Returns the packet if the byte was its tail.
    fn add(&mut self, t: u64, fresh: &NewByte) -> Option<ObservedPacket> {
        let open = &mut self.channels[fresh.channel].packet;
        let packet = open.get_or_insert_with(|| ObservedPacket {
            channel: match self.shape.plan().channels {
                1 => String::new(),
                _ => format!(" on virtual channel {}", fresh.channel),
            },
            bytes: vec![],
            destination: None,
        });
        packet.bytes.push((t, fresh.word, fresh.field));
        packet.destination = fresh.destination.clone();
        match fresh.field {
            ByteRole::Tail => open.take(),
            _ => None,
        }
    }
}

impl LinkProbe for ChannelProbe {
    fn look(
        &mut self,
        engine: &mut dyn NodeEngine,
        sim_time: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>> {
        let Link { from, to } = self.link;
        let data = engine.get(self.data, from.node as usize);
        let request = engine.get(self.request, from.node as usize);
        let acknowledge = engine.get(self.acknowledge, to.node as usize);
        let fresh = self.new_byte(sim_time, data as u16, request);
        let text = |text: Option<String>| WaveValue::Text(text.unwrap_or(NO_TEXT.into()));
        let bits = |value: Option<u64>| value.map_or(WaveValue::Undriven, WaveValue::Bits);
        let byte = fresh.as_ref();
        let packet = |fresh: &NewByte| match &fresh.destination {
            Some(node) => format!("for_{node}"),
            None => "for_?".into(),
        };
        let now = vec![
            WaveValue::Bits(data),
            WaveValue::Bits(request),
            WaveValue::Bits(acknowledge),
            bits(byte.map(|fresh| u64::from(fresh.word & 0xFF))),
            bits(byte.map(|fresh| fresh.channel as u64)),
            text(byte.map(|fresh| fresh.field.word())),
            text(byte.map(packet)),
        ];
        for (place, value) in now.iter().enumerate() {
            if self.reported.get(place) != Some(value) {
                changes.push((place, value.clone()));
            }
        }
        self.reported = now;
        let over = self.add(sim_time.t, &fresh?)?;
        Some(Box::new(Packets(vec![over])))
    }

    fn end(&mut self) -> Option<Box<dyn LinkStep>> {
        let open = self.channels.iter_mut();
        let open: Vec<ObservedPacket> = open.filter_map(|channel| channel.packet.take()).collect();
        match open.is_empty() {
            true => None,
            false => Some(Box::new(Packets(open))),
        }
    }
}

/// One completed packet, or all incomplete packets at the end of the observation.
struct Packets(Vec<ObservedPacket>);

impl LinkStep for Packets {
    /// Returns the clock cycle of the first byte.
    fn number(&self) -> u64 {
        let bytes = self.0.iter().flat_map(|packet| &packet.bytes);
        bytes.map(|(t, ..)| *t).min().unwrap_or(0)
    }

    /// Returns false, because the torus has no schedule.
    fn is_scheduled(&self) -> bool {
        false
    }

    fn is_idle(&self) -> bool {
        false
    }

    fn changes(&self) -> Vec<(u64, usize, WaveValue)> {
        vec![]
    }

    fn drawing(&self) -> String {
        self.0.iter().map(ObservedPacket::drawing).collect()
    }
}

impl ObservedPacket {
    fn drawing(&self) -> String {
        let mut text = match &self.destination {
            Some(node) => format!("A packet for {node}{}:\n", self.channel),
            None => format!("A packet{}:\n", self.channel),
        };
        for (t, word, field) in &self.bytes {
            let meaning = match field {
                ByteRole::Address(dim) => match word {
                    0 => format!("dimension {dim}: home"),
                    1 => format!("dimension {dim}: 1 channel more"),
                    more => format!("dimension {dim}: {more} channels more"),
                },
                ByteRole::Data => "data".into(),
                ByteRole::Tail => "tail".into(),
                ByteRole::Unknown => "of a packet that began before".into(),
            };
            let _ = writeln!(text, "{t:>7}  {:02X}  {meaning}", word & 0xFF);
        }
        let complete = matches!(self.bytes.last(), Some((_, _, ByteRole::Tail)));
        if !complete {
            text += "Its tail has not come.\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rtl::torus::TorusPlan;

    fn shape(radices: &[u32], tail: Tail) -> TorusShape {
        let shape = TorusShape::new(Torus::new(radices).unwrap());
        let plan = TorusPlan { tail, ..shape.plan() };
        shape.with(plan).unwrap()
    }

    fn message(payload: &[u8]) -> Message<&[u8]> {
        Message { source: 1, destination: 6, payload }
    }

    #[test]
    fn a_packet_has_addresses_data_and_tail() {
        // From (1, 0) to (2, 1): three down in the first ring, three in the second.
        let zero = encode(&shape(&[4, 4], Tail::Zero), &message(&[7, 0, 9]));
        assert_eq!(zero, [3, 3, 2, 7, 2, 9, 0]);
        let wire = encode(&shape(&[4, 4], Tail::Wire), &message(&[7, 0, 9]));
        assert_eq!(wire, [3, 3, 7, 0, 9, 0x100]);
    }

    #[test]
    fn every_payload_is_decoded() {
        let mut random = interconnect::traffic::SplitMix64::new(1);
        for length in 0..=80 {
            for tail in [Tail::Zero, Tail::Wire, Tail::Naive] {
                let draw = |_| random.below(4) as u8 * 85;
                let payload: Vec<u8> = (0..length).map(draw).collect();
                let words = encode(&shape(&[4, 4], tail), &message(&payload));
                let (last, words) = words[2..].split_last().unwrap();
                assert!(is_tail(tail, *last));
                assert!(words.iter().all(|word| !is_tail(tail, *word)));
                assert_eq!(decode(tail, words), Some(payload));
            }
        }
    }

    #[test]
    fn words_without_payload_decode_to_none() {
        for words in [&[][..], &[5, 1], &[1, 3, 1]] {
            assert_eq!(decode(Tail::Zero, words), None, "{words:?}");
        }
    }
}

#[cfg(test)]
mod framing_tests {
    use super::*;

    fn read(tail: Tail, begins: bool, words: &[u16]) -> Vec<(ByteRole, Option<u32>)> {
        let torus = Torus::new(&[4, 4]).unwrap();
        // From (1, 0) to (0, 0).
        let mut framing = Framing::new(&torus, tail, PortEnd::new(1, 0), begins);
        words.iter().map(|word| framing.next(*word)).collect()
    }

    /// First one more channel in X, to (3, 0), and three in Y, to (3, 1). Then a packet that is at
    /// its destination.
    #[test]
    fn addresses_determine_the_destination() {
        use ByteRole::{Address, Data, Tail as TailByte};
        let found = read(Tail::Zero, true, &[1, 3, 2, 7, 0, 0, 0, 1, 0]);
        let wanted = [
            (Address(0), None),
            (Address(1), Some(7)),
            (Data, Some(7)),
            (Data, Some(7)),
            (TailByte, Some(7)),
            (Address(0), None),
            (Address(1), Some(0)),
            (Data, Some(0)),
            (TailByte, Some(0)),
        ];
        assert_eq!(found, wanted);
        // With the chip as printed, the zero in Y ends the second packet.
        let naive = read(Tail::Naive, true, &[0, 0, 1]);
        assert_eq!(naive[1].0, TailByte);
        assert_eq!(naive[2].0, Address(0));
    }

    /// A zero that may be an address is ambiguous. A zero after three other bytes is a tail.
    #[test]
    fn observation_within_a_packet_waits_for_a_tail() {
        let found = read(Tail::Zero, false, &[1, 0, 2, 7, 9, 0, 1, 3]);
        let fields: Vec<ByteRole> = found.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields[..5], [ByteRole::Unknown; 5]);
        assert_eq!(fields[5], ByteRole::Tail);
        assert_eq!(fields[6..], [ByteRole::Address(0), ByteRole::Address(1)]);
        let wire = read(Tail::Wire, false, &[5, 0, 0x100, 1, 3]);
        assert_eq!(wire[3].0, ByteRole::Address(0));
    }
}

//! Bytes and packets on the channels of a torus, for waveforms and logic analysers.

use super::framing::{ByteRole, Framing};
use super::TorusShape;
use crate::wave::{
    LinkDecoder, LinkProbe, LinkSignal, LinkStep, SignalType, SimTime, WaveValue, NO_TEXT,
};
use engine::{NodeEngine, NodePortId};
use interconnect::topology::{Link, Topology};
use std::fmt::Write;

/// Decoder of packets on channels.
#[derive(Clone, Debug)]
pub(super) struct PacketDecoder {
    shape: TorusShape,
}

impl PacketDecoder {
    pub fn new(shape: &TorusShape) -> Self {
        PacketDecoder {
            shape: shape.clone(),
        }
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
        let signal = |name, shape| LinkSignal {
            name,
            shape,
            late: false,
        };
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

/// Probe on one channel.
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
    fn new_byte(&mut self, moment: SimTime, word: u16, request: u64) -> Option<NewByte> {
        if self.channels.is_empty() {
            let (torus, plan) = (self.shape.torus(), self.shape.plan());
            let begins = moment.t == 0;
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
        moment: SimTime,
        changes: &mut Vec<(usize, WaveValue)>,
    ) -> Option<Box<dyn LinkStep>> {
        let Link { from, to } = self.link;
        let data = engine.get(self.data, from.node as usize);
        let request = engine.get(self.request, from.node as usize);
        let acknowledge = engine.get(self.acknowledge, to.node as usize);
        let fresh = self.new_byte(moment, data as u16, request);
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
        let over = self.add(moment.t, &fresh?)?;
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

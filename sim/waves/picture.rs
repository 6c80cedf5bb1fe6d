//! Pictures match the event log.

use crate::support::pictures;
use crate::waves::{messages, SmallCube};
use phasecube::machine::{MessageEvent, MessageEventKind};
use phasecube::networks::tdma::wires as tdma;
use phasecube::report::{MessageRoute, SchedulePicture, ScheduledMachine};
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, MessageList};
use phasecube::wave::Steps;
use roxmltree::Document;
use std::collections::{HashMap, HashSet};

fn list(messages: &[Message]) -> MessageList {
    let mut list = MessageList::with_capacity(messages.len(), 3);
    for message in messages {
        list.push(Message {
            source: message.source,
            destination: message.destination,
            payload: &message.payload,
        });
    }
    list
}

/// Returns the machine of a cube for drawing.
fn scheduled<'a>(cube: &'a Hypercube, steps: &'a Steps) -> ScheduledMachine<'a> {
    ScheduledMachine { topology: cube, step: steps.name, period: steps.period.as_ref().unwrap() }
}

/// Returns how often a class is drawn, without the legend.
fn drawn(svg: &str, class: &str) -> usize {
    svg.matches(&format!("<rect class=\"{class}\"")).count() - 1
}

#[test]
fn every_frame_of_a_superframe_is_drawn_once_with_its_result() {
    let mut small = SmallCube::new::<3>(true);
    small.disturbance.noise = 0.004;
    let messages = messages(small.cube);
    let events = small.run(&mut small.evaluator(), &messages, vec![]).events;
    let list = list(&messages);
    let route = MessageRoute::longest(&small.cube, &list, &events).unwrap();
    let steps = tdma::steps(small.cube);
    let mut seen = HashSet::new();
    for superframe in 0..=events.last().unwrap().t / 6 {
        let pictured = SchedulePicture {
            machine: scheduled(&small.cube, &steps),
            events: &events,
            number: superframe,
            route: Some(route.clone()),
        };
        let svg = pictured.svg();
        let here = || events.iter().filter(|e| e.t / 6 == superframe);
        // The last line of a frame gives its result. A frame that was stored and timed out counts
        // as silent.
        let last: HashMap<_, _> = here().map(|e| ((e.t, e.node), e.what)).collect();
        let count =
            |wanted: &[MessageEventKind]| last.values().filter(|w| wanted.contains(w)).count();
        for (class, wanted) in [
            (
                "taken",
                &[
                    MessageEventKind::Forwarded,
                    MessageEventKind::Delivered,
                    MessageEventKind::Repeated,
                ][..],
            ),
            ("refused", &[MessageEventKind::Nak]),
            ("silent", &[MessageEventKind::Timeout]),
            ("lost", &[MessageEventKind::Lost]),
        ] {
            assert_eq!(drawn(&svg, class), count(wanted), "{class} in {superframe}");
            if count(wanted) > 0 {
                seen.insert(class);
            }
        }
        // The legend has one as well.
        let home = here().filter(|e| e.what == MessageEventKind::Delivered).count();
        assert_eq!(svg.matches('●').count() - 1, home);
    }
    assert!(seen.len() >= 3, "{seen:?}");
}

/// On links without answers, messages are overwritten. The picture shows each where it happens.
#[test]
fn overwritten_messages_are_drawn() {
    let small = SmallCube::new::<3>(false);
    let messages = messages(small.cube);
    let events = small.run(&mut small.evaluator(), &messages, vec![]).events;
    let lost = events.iter().find(|e| e.what == MessageEventKind::Lost).unwrap();
    let superframe = lost.t / 6;
    let steps = tdma::steps(small.cube);
    let count = |e: &&MessageEvent| e.t / 6 == superframe && e.what == MessageEventKind::Lost;
    let pictured = SchedulePicture {
        machine: scheduled(&small.cube, &steps),
        events: &events,
        number: superframe,
        route: Some(MessageRoute::new(&small.cube, &list(&messages), &events, 3)),
    };
    let svg = pictured.svg();
    let crosses = svg.matches('✗').count() - 1;
    assert_eq!(crosses, events.iter().filter(count).count());
    assert!(svg.contains(&format!("✗ {:X}→{:X}", lost.src, lost.dst)));
}

/// All routes together contain each hop of the log once. A route leads from the source to the
/// destination, through one dimension after another.
#[test]
fn routes_consist_of_the_hops_of_the_log() {
    let small = SmallCube::new::<3>(true);
    let mut messages = messages(small.cube);
    // Some pairs send more than once.
    messages.extend(messages.clone());
    let events = small.run(&mut small.evaluator(), &messages, vec![]).events;
    let list = list(&messages);
    let mut hops = HashSet::new();
    for (place, message) in messages.iter().enumerate() {
        let route = MessageRoute::new(&small.cube, &list, &events, place);
        assert_eq!((route.source, route.destination), (message.source, message.destination));
        let mut here = message.source;
        let mut before = None;
        for hop in &route.hops {
            assert_eq!(hop.from, here);
            assert_eq!((here ^ message.destination).trailing_zeros(), hop.port);
            assert!(before < Some(hop.t), "later than the hop before");
            (here, before) = (hop.to, Some(hop.t));
            assert!(hops.insert((hop.t, hop.from, hop.to)), "{hop:?} twice");
        }
        assert_eq!(here, message.destination);
    }
    let moved = |e: &&MessageEvent| {
        matches!(e.what, MessageEventKind::Forwarded | MessageEventKind::Delivered)
    };
    let moved = events.iter().filter(moved).map(|e| (e.t, e.node, e.to));
    assert_eq!(hops, moved.collect());
}

/// A large cube is drawn in groups that together contain all frames.
#[test]
fn a_large_cube_is_aggregated() {
    let cube = Hypercube::new(9).unwrap();
    let steps = tdma::steps(cube);
    let event = |node: u32, what: MessageEventKind| MessageEvent {
        t: 0,
        phase: 0,
        node,
        from_reg: 9,
        to: node ^ 1,
        src: node,
        dst: node ^ 1,
        message: 0,
        what,
    };
    // In phase 0 even nodes send: all of the first group of 16, and one later node.
    let mut events: Vec<MessageEvent> =
        (0..8).map(|i| event(2 * i, MessageEventKind::Delivered)).collect();
    events.push(event(500, MessageEventKind::Nak));
    let messages = [Message { source: 0, destination: 1, payload: vec![] }];
    let pictured = SchedulePicture {
        machine: scheduled(&cube, &steps),
        events: &events,
        number: 0,
        route: Some(MessageRoute::new(&cube, &list(&messages), &events, 0)),
    };
    let svg = pictured.svg();
    assert!(svg.contains("9-cube, superframe 0: 9 frames in 4608 places, 1 with a NAK"));
    assert_eq!((drawn(&svg, "taken"), drawn(&svg, "refused")), (1, 1));
    // The picture has 32 rows of groups instead of a row for each of 512 nodes.
    assert_eq!(svg.matches("…</text>").count() + svg.matches("…\n</text>").count(), 32);
    assert!(svg.contains("Message 0 from 0x000 to 0x001: 1 hop, arrived in phase 0"));
    // Nodes by distance: row 9 of Pascal's triangle.
    let document = Document::parse(&svg).unwrap();
    let circles = document.descendants().filter(|n| n.has_tag_name("circle"));
    let numbers = circles.map(|n| n.next_sibling_element().unwrap().text().unwrap().trim());
    let numbers: Vec<&str> = numbers.collect();
    let wanted = ["1", "9", "36", "84", "126", "126", "84", "36", "9", "1"];
    assert_eq!(numbers, wanted);
}

/// Both kinds of picture have a text alternative, are readable, and are no wider than their window.
#[test]
fn a_picture_has_text_for_screen_readers() {
    for dims in [1_u32, 4, 6, 7, 12] {
        let cube = Hypercube::new(dims.into()).unwrap();
        let steps = tdma::steps(cube);
        let last = cube.nodes() - 1;
        let event = |t: u64, node: u32| MessageEvent {
            t,
            phase: (t % u64::from(2 * dims)) as u32,
            node,
            from_reg: 0,
            to: node ^ (1 << (t / 2)),
            src: 0,
            dst: last,
            message: 0,
            what: MessageEventKind::Forwarded,
        };
        // A message that crosses every dimension.
        let hop = |dim: u32| event(2 * u64::from(dim), (1 << dim) - 1);
        let mut events: Vec<MessageEvent> = (0..dims).map(hop).collect();
        // Senders with the longest possible addresses.
        let phases = (0..2 * dims).filter(|phase| last >> (phase / 2) & 1 == phase % 2);
        events.extend(phases.map(|phase| event(phase.into(), last)));
        let messages = [Message { source: 0, destination: last, payload: vec![] }];
        let pictured = SchedulePicture {
            machine: scheduled(&cube, &steps),
            events: &events,
            number: 0,
            route: Some(MessageRoute::new(&cube, &list(&messages), &events, 0)),
        };
        let svg = pictured.svg();
        let document = Document::parse(&svg).unwrap();
        let root = document.root_element();
        pictures::check(&document, root);
        assert_eq!(root.attribute("style"), Some("max-width: 100%; height: auto"));
    }
}

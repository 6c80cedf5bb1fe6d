//! Logs computed by hand, for sources with several messages. The golden files have one message per
//! node.

use crate::model::{self, CubeModelRun, CubeRule};
use crate::model_golden::{cube, messages};
use phasecube::machine::MessageEventKind::{Delivered, Forwarded, Lost, Nak};
use phasecube::machine::{MessageEvent, MessageEventKind};

/// t, node, from_reg, to, source and destination, what.
type CubeLogLine = (u64, u32, u32, u32, (u32, u32), MessageEventKind);

fn run(dims: u32, pairs: &[(u32, u32)], rule: CubeRule, log: &[CubeLogLine]) -> CubeModelRun {
    let run = model::run(cube(dims.into()), &messages(pairs), rule);
    // The lines do not identify messages that have the same ends.
    let event = |&(t, node, from_reg, to, (src, dst), what)| MessageEvent {
        t,
        phase: (t % u64::from(2 * dims)) as u32,
        node,
        from_reg,
        to,
        src,
        dst,
        message: 0,
        what,
    };
    let unnumbered = run.events.iter().map(|e| MessageEvent { message: 0, ..*e });
    assert!(unnumbered.eq(log.iter().map(event)), "{:#?}", run.events);
    let ends = |e: &MessageEvent| pairs[e.message as usize] == (e.src, e.dst);
    assert!(run.events.iter().all(ends));
    run
}

/// Both ends of one wire send. The second message of node 0 waits for a superframe.
#[test]
fn a_source_sends_one_message_per_superframe_and_link() {
    let run = run(
        1,
        &[(0, 1), (1, 0), (0, 1)],
        CubeRule::Ascending,
        &[
            (0, 0, 1, 1, (0, 1), Delivered),
            (1, 1, 1, 0, (1, 0), Delivered),
            (2, 0, 1, 1, (0, 1), Delivered),
        ],
    );
    assert_eq!(run.delivered, [Some(0), Some(1), Some(2)]);
    assert_eq!((run.superframes, run.hops), (2, 3));
}

/// The injection buffer is refilled for the next phase, in the order of the list. A message to its
/// own source takes no turn.
#[test]
fn injection_is_refilled_by_the_next_phase() {
    let run = run(
        2,
        &[(0, 1), (0, 0), (0, 2), (0, 3)],
        CubeRule::Ascending,
        &[
            (0, 0, 2, 1, (0, 1), Delivered),
            (2, 0, 2, 2, (0, 2), Delivered),
            (4, 0, 2, 1, (0, 3), Forwarded),
            (6, 1, 0, 3, (0, 3), Delivered),
        ],
    );
    assert_eq!(run.delivered, [Some(0), None, Some(2), Some(6)]);
    assert_eq!((run.to_self, run.delivered_count()), (1, 4));
}

/// Phase 1 empties the injection buffer of node 1, and phase 2 sends its refill.
#[test]
fn a_refill_can_be_sent_in_the_very_next_phase() {
    let pairs = [(1, 0), (1, 3)];
    let log = [(1, 1, 2, 0, (1, 0), Delivered), (2, 1, 2, 3, (1, 3), Delivered)];
    run(2, &pairs, CubeRule::Ascending, &log);
}

/// A message that waits for its phase holds back the later ones of its source.
#[test]
fn a_source_never_changes_the_order_of_its_messages() {
    let pairs = [(0, 2), (0, 1)];
    let log = [(2, 0, 2, 2, (0, 2), Delivered), (4, 0, 2, 1, (0, 1), Delivered)];
    run(2, &pairs, CubeRule::Ascending, &log);
}

/// Three messages at node 3 need dimension 2: one in buffer 0, one in buffer 1, and its own.
#[test]
fn buffers_are_served_ascending_and_injection_last() {
    run(
        3,
        &[(3, 7), (1, 7), (2, 7)],
        CubeRule::Ascending,
        &[
            (0, 2, 3, 3, (2, 7), Forwarded),
            (2, 1, 3, 3, (1, 7), Forwarded),
            (4, 3, 0, 7, (2, 7), Delivered),
            (10, 3, 1, 7, (1, 7), Delivered),
            (16, 3, 3, 7, (3, 7), Delivered),
        ],
    );
}

/// Two messages from node 2 and one of node 3 need the link of dimension 2. With turns, the second
/// from node 2 is last.
#[test]
fn round_robin_no_buffer_is_served_twice_while_another_waits() {
    let pairs = [(3, 7), (2, 7), (2, 7)];
    let begin = [
        (0, 2, 3, 3, (2, 7), Forwarded),
        (4, 3, 0, 7, (2, 7), Delivered),
        (6, 2, 3, 3, (2, 7), Forwarded),
    ];
    let second = (3, 7);
    let ends = |first: u32, then: u32| {
        let pair = |buffer| match buffer {
            3 => second,
            _ => (2, 7),
        };
        [(10, 3, first, 7, pair(first), Delivered), (16, 3, then, 7, pair(then), Delivered)]
    };
    let log = |first, then| [&begin[..], &ends(first, then)[..]].concat();
    run(3, &pairs, CubeRule::Turns, &log(3, 0));
    run(3, &pairs, CubeRule::Ascending, &log(0, 3));
}

/// The same list as in `a_refused_sender_chooses_again`, but the buffer with the NAK keeps its
/// turn.
#[test]
fn round_robin_a_buffer_with_a_nak_stays_the_next() {
    run(
        3,
        &BLOCKED,
        CubeRule::Turns,
        &[
            (1, 1, 3, 0, (1, 0), Delivered),
            (1, 3, 3, 2, (3, 6), Forwarded),
            (2, 0, 3, 2, (0, 6), Forwarded),
            (4, 2, 0, 6, (3, 6), Delivered),
            (7, 1, 3, 0, (1, 0), Delivered),
            (8, 0, 3, 2, (0, 2), Nak),
            (10, 2, 1, 6, (0, 6), Delivered),
            (13, 1, 3, 0, (1, 2), Forwarded),
            (14, 0, 3, 2, (0, 2), Delivered),
            (20, 0, 0, 2, (1, 2), Delivered),
        ],
    );
}

/// When node 0 has a message for node 2, buffer 1 of node 2 has been full for more than a
/// superframe, because buffer 0 goes first.
const BLOCKED: [(u32, u32); 6] = [(0, 6), (0, 2), (1, 0), (1, 0), (1, 2), (3, 6)];

/// An arrival at its destination gets a NAK like any other. Before node 0 may try again, a message
/// has arrived in its buffer 0, which it now prefers.
#[test]
fn a_sender_with_a_nak_chooses_again() {
    let run = run(
        3,
        &BLOCKED,
        CubeRule::Ascending,
        &[
            (1, 1, 3, 0, (1, 0), Delivered),
            (1, 3, 3, 2, (3, 6), Forwarded),
            (2, 0, 3, 2, (0, 6), Forwarded),
            (4, 2, 0, 6, (3, 6), Delivered),
            (7, 1, 3, 0, (1, 0), Delivered),
            (8, 0, 3, 2, (0, 2), Nak),
            (10, 2, 1, 6, (0, 6), Delivered),
            (13, 1, 3, 0, (1, 2), Forwarded),
            (14, 0, 0, 2, (1, 2), Delivered),
            (20, 0, 3, 2, (0, 2), Delivered),
        ],
    );
    assert_eq!((run.superframes, run.naks, run.lost_count()), (4, 1, 0));
}

/// The arrival at its destination overwrites if there is no flow control.
#[test]
fn without_naks_an_arrival_overwrites_a_full_buffer() {
    let run = run(
        3,
        &BLOCKED,
        CubeRule::Raw,
        &[
            (1, 1, 3, 0, (1, 0), Delivered),
            (1, 3, 3, 2, (3, 6), Forwarded),
            (2, 0, 3, 2, (0, 6), Forwarded),
            (4, 2, 0, 6, (3, 6), Delivered),
            (7, 1, 3, 0, (1, 0), Delivered),
            (8, 2, 1, 2, (0, 6), Lost),
            (8, 0, 3, 2, (0, 2), Delivered),
            (13, 1, 3, 0, (1, 2), Forwarded),
            (14, 0, 0, 2, (1, 2), Delivered),
        ],
    );
    assert_eq!(run.lost, [true, false, false, false, false, false]);
    assert_eq!(run.delivered[0], None);
    assert_eq!((run.superframes, run.delivered_count()), (3, 5));
}

#[test]
fn messages_to_self_alone_take_no_time() {
    let run = run(2, &[(1, 1), (3, 3)], CubeRule::Ascending, &[]);
    assert_eq!((run.superframes, run.last_phase), (0, None));
    assert_eq!((run.to_self, run.delivered_count()), (2, 2));
}

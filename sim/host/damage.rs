//! A board starts only complete programs, does nothing twice, and serves the next client, whatever
//! bytes arrive on its line. A client ignores damaged replies.

use crate::host::native_board::NativeBoard;
use crate::host::{Damage, DamagedLine, EchoEnd, EchoNodes, NodeActions};
use phasecube::host::message::{BoardReply, HostRequest};
use phasecube::host::wire::{crc32, LineItem, Receiver};
use phasecube::host::Machine;
use phasecube::traffic::SplitMix64;
use phasecube::values::{ProgramValue, Values};

/// Returns the boards of these tests: the server of the simulated board, and the host program of a
/// physical board, compiled for the PC.
fn boards() -> [Box<dyn EchoEnd>; 2] {
    [EchoNodes::new().board(), NativeBoard::new().board()]
}

/// Returns the program of these tests.
fn program() -> Vec<u8> {
    (0..200).map(|i| (i * 7) as u8).collect()
}

/// Returns the frames of a session: a program in pieces, its start, and one message for each node.
fn session(first: u16) -> Vec<Vec<u8>> {
    let program = program();
    let crc = crc32(&program);
    let mut requests = vec![HostRequest::Hello];
    for (piece, bytes) in program.chunks(40).enumerate() {
        requests.push(HostRequest::Load {
            offset: 40 * piece as u32,
            total: program.len() as u32,
            crc,
            bytes: bytes.to_vec(),
        });
    }
    requests.push(HostRequest::Start { crc });
    for node in 0..8 {
        let messages = vec![(node, vec![node as u8, 0, 10])];
        requests.push(HostRequest::Send { messages });
    }
    requests.push(HostRequest::Collect { room: 60 });
    let numbered = (0..).zip(requests);
    numbered.map(|(i, request)| request.to_frame(first.wrapping_add(i)).to_bytes()).collect()
}

/// Checks that each start has the whole program, and that given messages are in order without
/// duplicates.
fn is_sound(deeds: &NodeActions) {
    assert!(deeds.started.iter().all(|started| *started == program()));
    let nodes: Vec<u32> = deeds.given.iter().map(|(node, _)| *node).collect();
    assert!(nodes.is_sorted_by(|a, b| a < b), "{nodes:?}");
    for (node, bytes) in &deeds.given {
        assert_eq!(*bytes, [*node as u8, 0, 10]);
    }
}

/// Damages the frames of a session, plays them to each board, and then plays an undamaged session.
fn survives(damage: impl Fn(&mut Vec<Vec<u8>>, &mut SplitMix64), seed: u64) {
    for board in boards() {
        board_survives(board, &damage, seed);
    }
}

fn board_survives(
    mut board: Box<dyn EchoEnd>,
    damage: impl Fn(&mut Vec<Vec<u8>>, &mut SplitMix64),
    seed: u64,
) {
    let mut random = SplitMix64::new(seed);
    let deeds = board.actions();
    let mut frames = session(random.next_u64() as u16);
    damage(&mut frames, &mut random);
    // Skips its banner.
    board.take(&[]);
    for frame in &frames {
        let reply = board.take(frame);
        for received in Receiver::default().receive(&reply) {
            match received {
                LineItem::Frame(frame) => assert!(BoardReply::from_frame(&frame).is_some()),
                LineItem::Line(_) => {}
                received => panic!("a reply is {received:?}"),
            }
        }
        is_sound(&deeds.borrow());
    }
    for frame in session(random.next_u64() as u16) {
        board.take(&frame);
    }
    is_sound(&deeds.borrow());
    let deeds = deeds.borrow();
    assert!(!deeds.started.is_empty() && deeds.given.len() == 8, "{seed}");
}

#[test]
fn frames_are_cut_flipped_doubled_lost_and_in_any_order() {
    for seed in 0..300 {
        survives(
            |frames, random| {
                let frame = random.next_u64() as usize % frames.len();
                let cut = random.next_u64() as usize % frames[frame].len();
                frames[frame].truncate(cut);
            },
            seed,
        );
        survives(
            |frames, random| {
                let frame = random.next_u64() as usize % frames.len();
                let (place, bit) = (random.next_u64() as usize, random.next_u64() % 8);
                let place = place % frames[frame].len();
                frames[frame][place] ^= 1 << bit;
            },
            seed,
        );
        survives(
            |frames, random| {
                let frame = frames[random.next_u64() as usize % frames.len()].clone();
                frames.insert(random.next_u64() as usize % frames.len(), frame);
            },
            seed,
        );
        survives(
            |frames, random| {
                frames.remove(random.next_u64() as usize % frames.len());
            },
            seed,
        );
        survives(
            |frames, random| {
                for i in (1..frames.len()).rev() {
                    frames.swap(i, random.next_u64() as usize % (i + 1));
                }
            },
            seed,
        );
    }
}

#[test]
fn garbage_is_no_request() {
    for seed in 0..300 {
        survives(
            |frames, random| {
                // Garbage of zeros, line ends and other bytes, as long as several frames.
                let length = random.next_u64() % 4000;
                let few = [0, 1, b'\n', b'\r', b'a', 0xFF];
                let byte = |random: &mut SplitMix64| match random.next_u64() % 2 {
                    0 => few[random.next_u64() as usize % few.len()],
                    _ => random.next_u64() as u8,
                };
                let garbage = (0..length).map(|_| byte(random)).collect();
                frames.insert(random.next_u64() as usize % frames.len(), garbage);
                // The first zero of the next session ends the rest of the garbage.
            },
            seed,
        );
    }
}

/// Frames with a valid CRC and random kinds and payloads.
#[test]
fn frames_that_make_no_sense_are_refused() {
    for mut board in boards() {
        let mut random = SplitMix64::new(5);
        let deeds = board.actions();
        board.take(&HostRequest::Hello.to_frame(0).to_bytes());
        let mut sequence = 0u16;
        for _ in 0..20_000 {
            let length = random.next_u64() % 24;
            sequence = sequence.wrapping_add(1);
            let frame = phasecube::host::wire::HostFrame {
                // Excludes the kind that restarts a session.
                kind: 2 + (random.next_u64() % 12) as u8,
                sequence,
                payload: (0..length).map(|_| (random.next_u64() % 9) as u8).collect(),
            };
            let reply = board.take(&frame.to_bytes());
            let received = Receiver::default().receive(&reply);
            let [LineItem::Frame(reply)] = &received[..] else {
                panic!("{frame:?}: {received:?}");
            };
            assert_eq!(reply.sequence, sequence);
            assert!(BoardReply::from_frame(reply).is_some());
        }
        // Random frames do not form a program of a few bytes with the right CRC.
        assert!(deeds.borrow().started.is_empty());
    }
}

/// Over a line that damages many bytes, the client gets the right results without duplicates, or
/// reports an error.
#[test]
fn a_client_gets_correct_data_over_a_bad_line() {
    let values = |node: u32| (0..5).map(move |i| ProgramValue::Word(node * 0x0100_0A0D + i));
    let data = Values((0..8).map(|node| values(node).collect()).collect());
    let backwards = |value: &ProgramValue| match value {
        ProgramValue::Word(word) => ProgramValue::Word(word.swap_bytes()),
        bytes => bytes.clone(),
    };
    let expected: Vec<Vec<ProgramValue>> =
        data.0.iter().map(|v| v.iter().map(backwards).collect()).collect();
    let mut whole = 0;
    for seed in 0..60 {
        let damage = Damage { flipped: 30, dropped: 20, doubled: 20, garbage: 30 };
        let [echo, native] = boards();
        let board = if seed % 2 == 0 { echo } else { native };
        let deeds = board.actions();
        let run = || {
            let mut machine = Machine::over_port(Box::new(DamagedLine::new(board, damage, seed)))?;
            machine.load_bytes("test", &program())?;
            machine.run(&data)
        };
        match run() {
            Ok(results) => {
                assert_eq!(results.programs.returned.0, expected, "seed {seed}");
                assert_eq!(results.programs.exits, [Some(0); 8]);
                assert_eq!(deeds.borrow().given.len(), 40);
                whole += 1;
            }
            Err(error) => assert!(error.to_string().contains("the board"), "{error}"),
        }
        assert!(deeds.borrow().started.iter().all(|p| *p == program()));
    }
    assert!(whole >= 50, "{whole} of 60");
}

/// A repeated reply does not count as the reply to the next request.
#[test]
fn an_old_reply_is_ignored() {
    for board in boards() {
        let mut line = DamagedLine::new(board, Damage::default(), 1);
        line.echoes = true;
        let mut machine = Machine::over_port(Box::new(line)).unwrap();
        machine.load_bytes("test", &program()).unwrap();
        let data = Values(vec![vec![ProgramValue::Word(7); 20]; 8]);
        let results = machine.run(&data).unwrap();
        let expected = vec![ProgramValue::Word(7 << 24); 20];
        assert_eq!(results.programs.returned.0, vec![expected; 8]);
    }
}

/// While a board has no room, its client collects results and continues.
#[test]
fn a_full_board_is_waited_for() {
    let mut echo = EchoNodes::new();
    echo.room = 7;
    for board in [echo.board(), NativeBoard::new().board()] {
        let line = DamagedLine::new(board, Damage::default(), 1);
        let mut machine = Machine::over_port(Box::new(line)).unwrap();
        machine.load_bytes("test", &program()).unwrap();
        let data = Values(vec![vec![ProgramValue::Word(1); 20]; 8]);
        let results = machine.run(&data).unwrap();
        let returned = results.programs.returned.0;
        assert!(returned.iter().all(|values| values.len() == 20));
    }
}

//! Behaviour of the UART on the line, measured by a sender and a receiver in software.

use crate::agreement::engines;
use crate::agreement::scripts::{decode, Milli, SerialWaveform};
use engine::{CircuitEngine, PortId};
use rtl::uart::{HalfDuplexUart, Uart, UartReceiver, UartTransmitter};

/// Returns a port of one direction. The bidirectional UART prefixes its port names.
fn port(engine: &dyn CircuitEngine, direction: &str, name: &str) -> PortId {
    let full = format!("{direction}_{name}");
    let ports = engine.ports();
    match ports.iter().any(|port| port.name == full) {
        true => engine.port(&full),
        false => engine.port(name),
    }
}

/// Sends the bytes, each as soon as `ready` is high after its gap.
fn transmit<const CLOCKS: usize>(engine: &mut dyn CircuitEngine, bytes: &[(usize, u8)]) {
    let [data, start, ready] = ["data", "start", "ready"].map(|name| port(engine, "tx", name));
    let tx = engine.port("tx");
    let mut levels = vec![];
    let mut expected = vec![];
    let mut waiting = bytes.iter().copied().peekable();
    let (mut gap, mut busy_until) = (0, 0);
    let end = bytes.iter().map(|(gap, _)| gap + 10 * CLOCKS).sum::<usize>() + 3 * CLOCKS;
    for cycle in 0..end {
        engine.settle().unwrap();
        let is_ready = engine.get_u64(ready) == 1;
        let idle_or_last = cycle >= busy_until;
        assert_eq!(is_ready, idle_or_last, "{CLOCKS}: ready in cycle {cycle}");
        let mut taken = 0;
        if let Some(&(wanted, byte)) = waiting.peek() {
            engine.set_u64(data, byte.into());
            if is_ready && gap < wanted {
                gap += 1;
            } else {
                // `start` without `ready` must have no effect.
                taken = 1;
            }
            if taken == 1 && is_ready {
                expected.push((cycle + 1, byte));
                // `ready` rises in the last clock cycle of the stop bit.
                busy_until = cycle + 10 * CLOCKS;
                gap = 0;
                waiting.next();
            }
        } else {
            // The transmitter ignores its data input now.
            engine.set_u64(data, (cycle % 256) as u64);
        }
        engine.set_u64(start, taken);
        engine.settle().unwrap();
        levels.push(engine.get_u64(tx) == 1);
        engine.clock().unwrap();
    }
    assert_eq!(expected.len(), bytes.len(), "all bytes were taken");
    assert_eq!(decode(&levels, CLOCKS), expected, "{}", engine.name());
}

fn transmitters_send<const CLOCKS: usize>(bytes: &[(usize, u8)]) {
    for mut engine in engines::both(UartTransmitter::<CLOCKS>::default) {
        transmit::<CLOCKS>(&mut *engine, bytes);
    }
}

/// Returns every byte value, some without a gap between them.
fn all_bytes() -> Vec<(usize, u8)> {
    (0..=255u8).map(|b| ((b % 4) as usize * 3, b.reverse_bits() ^ 0x5A)).collect()
}

#[test]
pub fn a_byte_is_start_data_and_stop_of_exact_length() {
    transmitters_send::<8>(&all_bytes());
    transmitters_send::<4>(&all_bytes());
    transmitters_send::<5>(&all_bytes());
    transmitters_send::<100>(&[(0, 0xAA), (0, 0x01), (250, 0x80), (1, 0xFF), (0, 0x00)]);
}

/// The UART sends and receives like its halves, each while the other is idle. A received byte can
/// be cleared.
#[test]
fn a_uart_is_a_transmitter_and_a_receiver() {
    for mut engine in engines::both(Uart::<8>::default) {
        let rx = engine.port("rx");
        engine.set_u64(rx, 1);
        transmit::<8>(&mut *engine, &all_bytes());
        receives_at::<8>(&mut *engine, 1000, 5);
        let line = with_idle(8, |line| {
            line.byte(0xFF, true, 8000);
            line.hold(true, 24_000);
            line.byte(0x12, false, 8000);
            line.hold(true, 8000);
            line.byte(0x5C, true, 8000);
        });
        let received = bytes_only(receive(&mut *engine, &line, &[40]));
        assert_eq!(received, [RxOutput::Error, RxOutput::Byte(0x5C)], "{}", engine.name());
    }
}

fn half_duplex_uarts_send<const CLOCKS: usize>() {
    for mut engine in engines::both(HalfDuplexUart::<CLOCKS>::default) {
        transmit::<CLOCKS>(&mut *engine, &all_bytes());
    }
}

#[test]
fn a_half_duplex_uart_sends_start_data_and_stop() {
    half_duplex_uarts_send::<8>();
    half_duplex_uarts_send::<4>();
    half_duplex_uarts_send::<5>();
}

#[test]
fn a_half_duplex_uart_tolerates_four_percent_of_mismatch() {
    for permille in [960, 990, 1000, 1010, 1040] {
        let mut engine = engines::evaluator(&HalfDuplexUart::<8>::default());
        receives_at::<8>(&mut *engine, permille, 1);
        let mut engine = engines::evaluator(&HalfDuplexUart::<9>::default());
        receives_at::<9>(&mut *engine, permille, 1);
    }
    for mut engine in engines::both(HalfDuplexUart::<8>::default) {
        receives_at::<8>(&mut *engine, 1040, 5);
    }
}

/// The transmitted byte can be read back when its transmission begins. A byte that is being
/// received at that time is discarded.
#[test]
fn transmission_aborts_reception_in_a_half_duplex_uart() {
    for mut engine in engines::both(HalfDuplexUart::<8>::default) {
        let [rx, data, start] = ["rx", "tx_data", "tx_start"].map(|name| engine.port(name));
        let [tx, received, valid] = ["tx", "rx_data", "rx_valid"].map(|name| engine.port(name));
        let mut levels = vec![];
        for cycle in 0..200 {
            engine.set_u64(rx, u64::from(cycle < 2));
            engine.set_u64(data, 0x4B);
            engine.set_u64(start, u64::from(cycle == 30));
            engine.settle().unwrap();
            assert_eq!(engine.get_u64(valid), 0, "cycle {cycle}");
            if (31..39).contains(&cycle) {
                assert_eq!(engine.get_u64(received), 0x4B, "cycle {cycle}");
            }
            levels.push(engine.get_u64(tx) == 1);
            engine.clock().unwrap();
        }
        assert_eq!(decode(&levels, 8), [(31, 0x4B)], "{}", engine.name());
    }
}

/// Output of a receiver, with its time.
#[derive(Debug, PartialEq)]
enum RxOutput {
    Byte(u8),
    Error,
}

fn receive(
    engine: &mut dyn CircuitEngine,
    line: &SerialWaveform,
    clear: &[usize],
) -> Vec<(usize, RxOutput)> {
    let rx = engine.port("rx");
    let [clear_port, data, valid, error] =
        ["clear", "data", "valid", "error"].map(|name| port(engine, "rx", name));
    let mut received = vec![];
    for (cycle, level) in line.levels.iter().enumerate() {
        engine.set_u64(rx, u64::from(*level));
        engine.set_u64(clear_port, u64::from(clear.contains(&cycle)));
        engine.settle().unwrap();
        let byte = engine.get_u64(data) as u8;
        match (engine.get_u64(valid), engine.get_u64(error)) {
            (0, 0) => {}
            (1, 0) => received.push((cycle, RxOutput::Byte(byte))),
            (0, 1) => received.push((cycle, RxOutput::Error)),
            _ => panic!("valid and error at once in cycle {cycle}"),
        }
        engine.clock().unwrap();
    }
    received
}

/// Adds an idle line before and after, so that nothing is cut off.
fn with_idle(clocks: u64, fill: impl FnOnce(&mut SerialWaveform)) -> SerialWaveform {
    let mut line = SerialWaveform::default();
    line.hold(true, 3000);
    fill(&mut line);
    line.hold(true, 12 * clocks * 1000);
    line
}

fn bytes_only(received: Vec<(usize, RxOutput)>) -> Vec<RxOutput> {
    received.into_iter().map(|(_, received)| received).collect()
}

/// Checks reception from a sender whose bit time is `permille` thousandths of the receiver's.
fn receives_at<const CLOCKS: usize>(engine: &mut dyn CircuitEngine, permille: u64, step: u8) {
    let bit: Milli = CLOCKS as u64 * permille;
    let bytes: Vec<u8> = (0..=255).step_by(step.into()).collect();
    let line = with_idle(CLOCKS as u64, |line| {
        for byte in &bytes {
            line.byte(*byte, true, bit);
            // No gap, or a gap that shifts the next edge relative to the receiver's clock.
            line.hold(true, u64::from(byte % 3) * 1370);
        }
    });
    let received = bytes_only(receive(engine, &line, &[]));
    let expected: Vec<RxOutput> = bytes.into_iter().map(RxOutput::Byte).collect();
    assert_eq!(received, expected, "{CLOCKS} clocks, {permille} permille, {}", engine.name());
}

#[test]
fn a_receiver_tolerates_four_percent_of_mismatch() {
    for permille in [960, 975, 990, 1000, 1010, 1025, 1040] {
        receives_at::<8>(&mut *engines::evaluator(&UartReceiver::<8>::default()), permille, 1);
        receives_at::<5>(&mut *engines::evaluator(&UartReceiver::<5>::default()), permille, 1);
        receives_at::<9>(&mut *engines::evaluator(&UartReceiver::<9>::default()), permille, 1);
        receives_at::<100>(&mut *engines::evaluator(&UartReceiver::<100>::default()), permille, 51);
    }
    for permille in [960, 1040] {
        for mut engine in engines::both(UartReceiver::<8>::default) {
            receives_at::<8>(&mut *engine, permille, 5);
        }
    }
}

/// With few clock cycles per bit, no clock cycle is near the middle of the bit.
#[test]
fn fast_receivers_tolerate_less_mismatch() {
    fn check<const CLOCKS: usize>() {
        for permille in [975, 1000, 1025] {
            let mut engine = engines::evaluator(&UartReceiver::<CLOCKS>::default());
            receives_at::<CLOCKS>(&mut *engine, permille, 1);
        }
    }
    check::<4>();
    check::<5>();
    check::<6>();
    check::<7>();
}

/// Before the first clock cycle the line counts as high.
#[test]
fn a_start_bit_may_begin_in_the_first_clock_cycle() {
    let mut line = SerialWaveform::default();
    line.byte(0x69, true, 8000);
    line.hold(true, 8000);
    let receivers = engines::both(UartReceiver::<8>::default).into_iter();
    let receivers = receivers.chain(engines::both(Uart::<8>::default));
    for mut engine in receivers.chain(engines::both(HalfDuplexUart::<8>::default)) {
        let received = bytes_only(receive(&mut *engine, &line, &[]));
        assert_eq!(received, [RxOutput::Byte(0x69)], "{}", engine.name());
    }
}

fn filters_start_bits<const CLOCKS: usize>() {
    let clocks = CLOCKS as u64;
    for mut engine in engines::both(UartReceiver::<CLOCKS>::default) {
        for low in 1..=clocks {
            let line = with_idle(clocks, |line| line.hold(false, low * 1000));
            let received = bytes_only(receive(&mut *engine, &line, &[]));
            match 2 * low < clocks {
                true => assert_eq!(received, [], "{low} of {clocks} clock cycles"),
                // A low level of more than half a bit counts as a start bit. The idle line then
                // reads as ones.
                false if 2 * low > clocks => {
                    assert_eq!(received, [RxOutput::Byte(0xFF)], "{low} of {clocks}")
                }
                false => {}
            }
        }
        // A glitch directly before a byte does not corrupt it.
        let line = with_idle(clocks, |line| {
            line.hold(false, 1000);
            line.hold(true, 1000 * clocks.div_ceil(2));
            line.byte(0x35, true, 1000 * clocks);
        });
        assert_eq!(bytes_only(receive(&mut *engine, &line, &[])), [RxOutput::Byte(0x35)]);
    }
}

#[test]
fn glitches_shorter_than_half_a_bit_are_no_start_bits() {
    filters_start_bits::<4>();
    filters_start_bits::<5>();
    filters_start_bits::<8>();
    filters_start_bits::<100>();
}

#[test]
fn a_missing_stop_bit_is_an_error_once() {
    for mut engine in engines::both(UartReceiver::<8>::default) {
        let line = with_idle(8, |line| {
            line.byte(0x5A, false, 8000);
            line.hold(true, 8000);
            line.byte(0xC3, true, 8000);
            // A break: a long low level.
            line.hold(false, 500_000);
            line.hold(true, 8000);
            line.byte(0x0F, true, 8000);
        });
        let received = bytes_only(receive(&mut *engine, &line, &[]));
        let expected =
            [RxOutput::Error, RxOutput::Byte(0xC3), RxOutput::Error, RxOutput::Byte(0x0F)];
        assert_eq!(received, expected, "{}", engine.name());
    }
}

#[test]
fn a_byte_is_reported_in_the_middle_of_its_stop_bit() {
    fn check<const CLOCKS: usize>() {
        for mut engine in engines::both(UartReceiver::<CLOCKS>::default) {
            let mut begin = 0;
            let line = with_idle(CLOCKS as u64, |line| {
                begin = line.cycles();
                line.byte(0x96, true, 1000 * CLOCKS as u64);
            });
            let middle = begin + 9 * CLOCKS + (CLOCKS - 1) / 2;
            assert_eq!(receive(&mut *engine, &line, &[]), [(middle, RxOutput::Byte(0x96))]);
        }
    }
    check::<8>();
    check::<5>();
}

#[test]
fn clear_discards_a_byte_at_any_bit() {
    let mut engine = engines::evaluator(&UartReceiver::<8>::default());
    let line = with_idle(8, |line| {
        // All data bits are high, so that nothing after the clear resembles a start bit.
        line.byte(0xFF, true, 8000);
        line.hold(true, 24_000);
        line.byte(0x12, true, 8000);
    });
    // The start bit occupies cycles 3 to 10. The byte is available in cycle 78.
    for clear in 11..78 {
        let received = bytes_only(receive(&mut *engine, &line, &[clear]));
        assert_eq!(received, [RxOutput::Byte(0x12)], "cleared in cycle {clear}");
    }
    let received = bytes_only(receive(&mut *engine, &line, &[]));
    assert_eq!(received, [RxOutput::Byte(0xFF), RxOutput::Byte(0x12)]);
}

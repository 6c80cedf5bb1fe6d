//! The UART: 8N1, least significant bit first, a fixed number of clock cycles per bit.
//!
//! A byte is ten bit-times on the line: a low start bit, eight data bits and a
//! high stop bit. The idle line is high.

mod half_duplex;
mod receiver;
mod transceiver;
mod transmitter;

pub use half_duplex::HalfDuplexUart;
pub use receiver::UartReceiver;
pub use transceiver::Uart;
pub use transmitter::UartTransmitter;

/// Bit-times of one byte on the line.
pub const BITS_PER_BYTE: u32 = 10;

/// Width of the counters of clock cycles within a bit.
const COUNTER_BITS: usize = 16;

/// Smallest mask that covers `0..n`. A counter masked with it keeps its upper bits at zero, which
/// synthesis recognises and removes.
const fn counter_mask(n: usize) -> u64 {
    assert!(n >= 4, "a UART bit takes at least 4 clock cycles");
    assert!(
        n <= 1 << COUNTER_BITS,
        "a UART bit takes at most 65,536 clock cycles"
    );
    (n as u64).next_power_of_two() - 1
}

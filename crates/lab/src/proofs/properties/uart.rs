//! Properties of bytes on a wire.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::uart::{HalfDuplexUart, UartReceiver, UartTransmitter};
use toolchain::Method;

pub const UART: Property = property! {
    "uart.sv",
    name: "uart",
    sentence: "Every byte that the transmitter takes comes out of the receiver once, unchanged, and without an error, a fixed time after its start, for bytes with and without a gap. Assumed: nothing disturbs the line, one flip-flop lies on it, the receiver is not cleared.",
    cases: &[
        case!(
            "4 clock cycles per bit",
            [UartTransmitter::<4>::default(), UartReceiver::<4>::default()],
            SENDER = 4, RECEIVER = 4
        ),
        case!(
            "8 clock cycles per bit",
            [UartTransmitter::<8>::default(), UartReceiver::<8>::default()],
            SENDER = 8, RECEIVER = 8
        ),
        case!(
            "sender 24, receiver 25",
            [UartTransmitter::<24>::default(), UartReceiver::<25>::default()],
            SENDER = 24, RECEIVER = 25
        ),
        case!(
            "sender 26, receiver 25",
            [UartTransmitter::<26>::default(), UartReceiver::<25>::default()],
            SENDER = 26, RECEIVER = 25
        ),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the receiver samples a clock cycle early, every bit",
            "wire whole_bit = (elapsed == 16'd3);",
            "wire whole_bit = (elapsed == 16'd2);",
        ),
        verilog_fault(
            "the transmitter forgets to invert",
            "inverted = {1'b0, ~data};",
            "inverted = {1'b0, data};",
        ),
        verilog_fault(
            "the receiver takes seven bits",
            "if (count == 3'd7)",
            "if (count == 3'd6)",
        ),
    ],
    mutants_within: 44,
    quick: true,
};

pub const UART_BAUD: Property = property! {
    "uart_baud.sv",
    name: "uart-baud",
    sentence: "Every byte whose edges come as a sender's clock would have them that differs from the receiver's by so much at most, and are seen up to one clock cycle late each, comes out of the receiver once and unchanged. The edges of one byte may have any such drift, another one each. Assumed: nothing else disturbs the line, the receiver is not cleared.",
    cases: &[
        case!(
            "4 clock cycles per bit, 2.5 %",
            [UartReceiver::<4>::default()],
            CLOCKS = 4, PER_MILLE = 25
        ),
        case!(
            "8 clock cycles per bit, 4 %",
            [UartReceiver::<8>::default()],
            CLOCKS = 8, PER_MILLE = 40
        ),
        case!(
            "16 clock cycles per bit, 4 %",
            [UartReceiver::<16>::default()],
            CLOCKS = 16, PER_MILLE = 40
        ),
    ],
    method: Method::Induction(2),
    mutants: &[
        missing_assumption("the clocks differ by 8 %", "PER_MILLE", 80),
        verilog_fault(
            "the receiver samples at the end of a bit",
            "wire half_bit = (elapsed == 16'd0);",
            "wire half_bit = (elapsed == 16'd2);",
        ),
    ],
    mutants_within: 44,
    quick: true,
};

pub const HALF_DUPLEX_UART: Property = property! {
    "half_duplex_uart.sv",
    name: "half-duplex-uart",
    sentence: "Every byte that a node's UART takes comes out of another node's UART once, unchanged, and without an error, a fixed time after its start, for bytes with and without a gap. Assumed: nothing disturbs the line, the flip-flops of two pin muxes lie on it, the receiver sends nothing, neither is cleared.",
    cases: &[
        case!("4 clock cycles per bit", [HalfDuplexUart::<4>::default()], CLOCKS = 4),
        case!("8 clock cycles per bit", [HalfDuplexUart::<8>::default()], CLOCKS = 8),
        case!("25 clock cycles per bit", [HalfDuplexUart::<25>::default()], CLOCKS = 25),
    ],
    method: Method::Induction(1),
    mutants: &[
        verilog_fault(
            "the start bit is sampled three clock cycles late",
            "elapsed_next = 16'd3;",
            "elapsed_next = 16'd0;",
        ),
        verilog_fault(
            "what is received is not inverted back",
            "shift_next[8] = low & !sending_2;",
            "shift_next[8] = !low & !sending_2;",
        ),
    ],
    mutants_within: 48,
    quick: true,
};

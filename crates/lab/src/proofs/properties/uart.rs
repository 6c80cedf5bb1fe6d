//! Properties of bytes on a wire.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::uart::{HalfDuplexUart, UartReceiver, UartTransmitter};
use toolchain::Method;

pub const UART: Property = property! {
    "uart.sv",
    name: "uart",
    sentence: "\
        The receiver delivers every byte that the transmitter accepts once, unchanged and without \
        an error, a fixed time after its start. This holds for bytes with and without gaps. \
        Assumed: nothing disturbs the line; the line has one flip-flop; the receiver is not \
        cleared.",
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
            "the receiver samples every bit a clock cycle early",
            "wire whole_bit = (elapsed == 16'd3);",
            "wire whole_bit = (elapsed == 16'd2);",
        ),
        verilog_fault(
            "the transmitter does not invert",
            "inverted = {1'b0, ~data};",
            "inverted = {1'b0, data};",
        ),
        verilog_fault(
            "the receiver expects seven bits",
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
    sentence: "\
        The receiver delivers every byte once and unchanged, although the sender's clock differs \
        from its own by up to the given limit, and each edge is detected up to one clock cycle \
        late. Each edge of a byte may have a different drift within the limit. Assumed: nothing \
        else disturbs the line; the receiver is not cleared.",
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
    sentence: "\
        A node's UART delivers every byte that another node's UART accepts once, unchanged and \
        without an error, a fixed time after its start. This holds for bytes with and without \
        gaps. Assumed: nothing disturbs the line; the line has the flip-flops of two pin muxes; \
        the receiver sends nothing; neither UART is cleared.",
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
            "received bits are not inverted back",
            "shift_next[8] = low & !sending_2;",
            "shift_next[8] = !low & !sending_2;",
        ),
    ],
    mutants_within: 48,
    quick: true,
};

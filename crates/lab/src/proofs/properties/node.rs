//! Properties of the soft core: it implements RV32I.
//!
//! One file describes the effect of instructions. Its claims are proved in three parts, because a
//! solver finds a fault sooner with fewer claims. A second file states that each turn ends, and
//! when. A third one describes the state after a reset.

use super::{case, missing_assumption, property, verilog_fault};
use crate::proofs::Property;
use hdl::lower::lower;
use rtl::core::SoftCore;
use rtl::tdma::DmaCopy;
use rtl::uart::{HalfDuplexUart, UartReceiver, UartTransmitter};
use toolchain::ProofMethod;

pub const CORE: Property = property! {
    "core.sv",
    name: "core",
    sentence: "\
        Every RV32I instruction that the core executes writes the register, the bytes of memory \
        and the program counter that the specification names, with the specified values. \
        `core-shifts` covers the results of shifts. An illegal instruction, a misaligned access \
        or jump, `ecall` and `ebreak` halt with their cause. They write no register and no \
        memory, and keep the program counter. This holds for all programs, memories, response \
        times of the bus, turns, wake-ups and resets. `core-reset` covers an instruction with a \
        reset during its turn or in the following clock cycle. Assumed: all registers start as \
        zero.",
    cases: &[
        case!("2 contexts", [SoftCore::<1, 6>::default()], BITS = 1, LAST = 63, PART = 0),
        case!("4 contexts", [SoftCore::<2, 7>::default()], BITS = 2, LAST = 127, PART = 0),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a word is read from an odd half",
            "wire odd_word = funct3[1] & (|offset);",
            "wire odd_word = funct3[1] & offset[0];",
        ),
        verilog_fault(
            "the causes of `ecall` and `ebreak` are swapped",
            "illegal ? 4'd2 : ecall ? 4'd11 : 4'd3;",
            "illegal ? 4'd2 : ecall ? 4'd3 : 4'd11;",
        ),
        verilog_fault(
            "`auipc` has no result",
            "has_result = arithmetic_value | lui_value | auipc_value | jal_value | jalr_value;",
            "has_result = arithmetic_value | lui_value | jal_value | jalr_value;",
        ),
        verilog_fault(
            "register 0 as the second operand is not zero",
            "from_register = (|word[24:20]) & (register_value | branch_value);",
            "from_register = register_value | branch_value;",
        ),
        verilog_fault(
            "`bne` branches when `beq` does",
            "taken_next = decides ^ instruction[12];",
            "taken_next = decides;",
        ),
        verilog_fault("`wfi` does not sleep", "goes_on & wfi", "1'b0"),
        verilog_fault(
            "a misaligned load reads",
            "execute & (load_value | store_value) & !misaligned_value;",
            "execute & (load_value | (store_value & !misaligned_value));",
        ),
        verilog_fault(
            "a store always writes the lowest bytes of the word",
            "lanes << offset;",
            "lanes;",
        ),
        verilog_fault(
            "a load ignores its offset",
            "!(register_value || branch_value)",
            "!(register_value || branch_value || word[6:0] == 7'h03)",
        ),
        verilog_fault(
            "a stored byte is missing in the second lane",
            "lane_1 = is_byte ? value_value[7:0] : value_value[15:8];",
            "lane_1 = value_value[15:8];",
        ),
    ],
    mutants_within: 16,
    quick: false,
};

pub const CORE_SHIFTS: Property = property! {
    "core.sv",
    name: "core-shifts",
    sentence: "\
        The result of each shift, by a register or an immediate, is its operand shifted by the \
        distance: to the left, or to the right with zeros or with copies of the sign. This holds \
        for all operands and distances, and in all cases that `core` covers.",
    cases: &[
        case!("2 contexts", [SoftCore::<1, 6>::default()], BITS = 1, LAST = 63, PART = 1),
        case!("4 contexts", [SoftCore::<2, 7>::default()], BITS = 2, LAST = 127, PART = 1),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "`sra` shifts in zeros",
            "{31'd0, a_value[31] & arithmetic};",
            "32'd0;",
        ),
        verilog_fault(
            "the last bit of an odd distance is omitted",
            "wire shifted_value = !(|count);",
            "wire shifted_value = !(|count[4:1]);",
        ),
        verilog_fault(
            "a left shift shifts right",
            "accumulator_right = funct3[2];",
            "accumulator_right = 1'b1;",
        ),
    ],
    mutants_within: 16,
    quick: false,
};

pub const CORE_STATE: Property = property! {
    "core.sv",
    name: "core-state",
    sentence: "\
        A context reads from a register the value that it last wrote there. Its instructions \
        follow each other, whatever other contexts do in between. A reset in any clock cycle \
        leaves the registers unchanged. From the second clock cycle of a reset on, each context \
        that is current in one of them restarts at address 0. This holds for all programs, \
        memories, response times of the bus, turns, wake-ups and resets. Assumed: all registers \
        start as zero.",
    cases: &[
        case!("2 contexts", [SoftCore::<1, 6>::default()], BITS = 1, LAST = 63, PART = 2),
        case!("4 contexts", [SoftCore::<2, 7>::default()], BITS = 2, LAST = 127, PART = 2),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the first operand is read from the register of the second",
            "fetched ? read_data[19:15]",
            "fetched ? read_data[24:20]",
        ),
        verilog_fault(
            "a store that waits for memory loses its value",
            "accessing_value & store_value & !ready_value;",
            "1'b0;",
        ),
        verilog_fault(
            "a result goes to the context of the current turn",
            "wire writer = pending_value ? previous : owner_value;",
            "wire writer = owner_value;",
        ),
        verilog_fault(
            "a reset writes no program counter",
            "wire counts = operand | jump | reset_value;",
            "wire counts = operand | jump;",
        ),
        verilog_fault(
            "a reset stores the content of the accumulator",
            "(execute & tests) | reset_value;",
            "(execute & tests);",
        ),
        verilog_fault("a reset ends no turn", "if (reset) begin", "if (1'b0) begin"),
    ],
    mutants_within: 16,
    quick: false,
};

pub const CORE_TURNS: Property = property! {
    "core_turns.sv",
    name: "core-turns",
    sentence: "\
        Each turn of the core ends exactly once, by `retired`, `asleep` or `halted`. Between \
        turns there is neither an end nor a request. Clock cycles in which the core waits for the \
        bus are not counted. A turn that ends with `retired` takes 4 clock cycles, of a jump 6, \
        of a branch 5 or 8, of a shift by n 5 + n. A turn that ends with `halted` takes 3 or 7, \
        and one that ends with `asleep` takes 1. The next turn begins when `go` is sampled in the \
        last clock cycle of a turn or later, after `halted` from one clock cycle later on. It \
        belongs to the context that was shown then. A request is stable until it is answered, and \
        its address is aligned to words. A context sleeps if and only if its last instruction was \
        `wfi` and it has not been woken. While `reset` is high, no turn begins or continues. Each \
        context that is current from the second clock cycle of a reset on is awake. This holds \
        for all programs, memories, response times of the bus, turns, wake-ups and resets.",
    cases: &[
        case!("2 contexts", [SoftCore::<1, 6>::default()], BITS = 1, LAST = 63),
        case!("4 contexts", [SoftCore::<2, 7>::default()], BITS = 2, LAST = 127),
    ],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the last bit of an odd distance is omitted",
            "wire shifted_value = !(|count);",
            "wire shifted_value = !(|count[4:1]);",
        ),
        verilog_fault(
            "a shift never ends",
            "INSTRUCTION_STATE_SHIFT: count_next = count - 5'd1;",
            "INSTRUCTION_STATE_SHIFT: ;",
        ),
        verilog_fault(
            "a misaligned access halts at once",
            "(jump & fault_value);",
            "((step_value == INSTRUCTION_STATE_EXECUTE) & misaligned_value);",
        ),
        verilog_fault(
            "a turn ends in two ways",
            "assign retired = control_retired;",
            "assign retired = control_retired | access_sleeping;",
        ),
        verilog_fault(
            "the turn of a sleeping context continues",
            "| ends_value | sleeping;",
            "| ends_value;",
        ),
        verilog_fault(
            "a core falls asleep while it fetches",
            "fetch & read[0] & !wake & !begun_value;",
            "fetch & read[0] & !wake;",
        ),
        verilog_fault(
            "`wfi` does not sleep",
            "goes_on & wfi",
            "1'b0",
        ),
        verilog_fault(
            "a reset does not wake",
            "(execute & tests) | reset_value;",
            "(execute & tests);",
        ),
        verilog_fault(
            "a reset ends no turn",
            "if (reset) begin",
            "if (1'b0) begin",
        ),
        verilog_fault(
            "the context changes in a turn",
            "owner_next = next_owner;",
            "owner_next = context_;",
        ),
        verilog_fault(
            "a fetch ends in its first clock cycle",
            "begun_value & ready_value & !reset_value;",
            "ready_value & !reset_value;",
        ),
        verilog_fault(
            "the address of a waiting load is not stable",
            "(execute & (relocates | shift | accesses))",
            "(execute & (relocates | shift | store))",
        ),
        verilog_fault(
            "a store that waits does not hold its value",
            "accessing_value & store_value & !ready_value;",
            "1'b0;",
        ),
        verilog_fault(
            "an address has low bits",
            "assign address = sum & 32'hffff_fffc;",
            "assign address = sum;",
        ),
        verilog_fault(
            "there is a request without a turn",
            "request = fetching | accessing_value;",
            "request = !execute | accessing_value;",
        ),
    ],
    mutants_within: 16,
    quick: false,
};

pub const CORE_RESET: Property = property! {
    "core_reset.sv",
    name: "core-reset",
    sentence: "\
        During a reset no register is written. From the second clock cycle of a reset to the one \
        after its last, there is neither a request nor the end of a turn. In the first clock \
        cycle the outputs are the same as without the reset. Two cores with different histories \
        do the same from a reset on: they make the same requests, and end their turns in the same \
        way and clock cycle. This requires that both get the same inputs and no other reset, and \
        that the registers of their contexts are equal. Each context that gets a turn must have \
        been current after the first clock cycle of the reset. One of them may be a core that was \
        just switched on. This holds for all programs, memories, response times of the bus, \
        turns, wake-ups and resets. Assumed: all registers start as zero.",
    cases: &[case!("2 contexts", [SoftCore::<1, 6>::default()], BITS = 1, LAST = 63)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "a reset ends no turn",
            "if (reset) begin",
            "if (1'b0) begin",
        ),
        verilog_fault(
            "a result is written in the reset",
            "written = counts ? 5'd0 : rd;",
            "written = (operand | jump) ? 5'd0 : rd;",
        ),
        verilog_fault(
            "a reset writes no program counter",
            "wire counts = operand | jump | reset_value;",
            "wire counts = operand | jump;",
        ),
        verilog_fault(
            "a reset stores the content of the accumulator",
            "(execute & tests) | reset_value;",
            "(execute & tests);",
        ),
        verilog_fault(
            "a reset withdraws a request",
            "request = fetching | accessing_value;",
            "request = (fetching | accessing_value) & !reset_value;",
        ),
    ],
    mutants_within: 16,
    quick: false,
};

// Properties of the transfer between a node and its host.

pub const DMA_COPY: Property = property! {
    "dma_copy.sv",
    name: "dma-copy",
    sentence: "\
        The DMA copy unit copies the bytes of a message in order, the length first. It ends with \
        the last byte, and never with the length. Assumed: the length is not a multiple of 16, so \
        it is not 0.",
    cases: &[case!("buffers of 16 bytes", [DmaCopy::<4>::default()], EMPTY = 0)],
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the last byte is omitted",
            "(remaining_value == 4'd1)",
            "(remaining_value == 4'd2)",
        ),
        verilog_fault(
            "a message begins where the previous one ended",
            "index_next = 4'd0;",
            "index_next = index_value;",
        ),
        missing_assumption("a message may be empty", "EMPTY", 1),
    ],
    mutants_within: 24,
    quick: true,
};

// Properties of bytes on a wire.

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
    method: ProofMethod::Induction(1),
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
    method: ProofMethod::Induction(2),
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
    method: ProofMethod::Induction(1),
    mutants: &[
        verilog_fault(
            "the start bit is sampled three clock cycles late",
            "elapsed_next = 16'd3;",
            "elapsed_next = 16'd0;",
        ),
        verilog_fault(
            "received bits are not inverted back",
            "shift_next[8] = low & !sending_value;",
            "shift_next[8] = !low & !sending_value;",
        ),
    ],
    mutants_within: 48,
    quick: true,
};

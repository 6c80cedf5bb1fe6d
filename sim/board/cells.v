// Models of the cells that the boards' top modules use: pads, PLLs and clock gates. They are
// written from the data sheets of the chip families, independently of the project. A PLL
// passes the crystal's clock on unchanged. LOCK rises after 64 clock cycles, and the clock
// runs before that.
module pad_in (input wire PACKAGE_PIN, output wire D_IN_0);
    assign D_IN_0 = PACKAGE_PIN;
endmodule

module pad_out (output wire PACKAGE_PIN, input wire D_OUT_0);
    assign PACKAGE_PIN = D_OUT_0;
endmodule

module SB_GB (input wire USER_SIGNAL_TO_GLOBAL_BUFFER, output wire GLOBAL_BUFFER_OUTPUT);
    assign GLOBAL_BUFFER_OUTPUT = USER_SIGNAL_TO_GLOBAL_BUFFER;
endmodule

module SB_WARMBOOT (input wire BOOT, input wire S1, input wire S0);
endmodule

module lock_after (input wire clock, output wire locked);
    reg [6:0] age = 0;
    always @(posedge clock) if (!locked) age <= age + 1;
    assign locked = age[6];
endmodule

module SB_PLL40_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE", parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED", parameter PLLOUT_SELECT = "GENCLK",
    parameter FDA_FEEDBACK = 0, parameter FDA_RELATIVE = 0, parameter DIVR = 0, parameter DIVF = 0,
    parameter DIVQ = 0, parameter FILTER_RANGE = 0
) (
    input wire REFERENCECLK, input wire RESETB, input wire BYPASS,
    output wire PLLOUTCORE, output wire PLLOUTGLOBAL, output wire LOCK
);
    lock_after lock_after (.clock(REFERENCECLK), .locked(LOCK));
    assign PLLOUTCORE = REFERENCECLK & RESETB & ~BYPASS;
    assign PLLOUTGLOBAL = PLLOUTCORE;
endmodule

module EHXPLLL #(
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter FEEDBK_PATH = "CLKOP",
    parameter CLKOP_ENABLE = "ENABLED", parameter CLKOP_DIV = 1, parameter CLKOP_CPHASE = 0,
    parameter CLKOP_FPHASE = 0, parameter CLKOS_ENABLE = "DISABLED", parameter CLKOS_DIV = 1,
    parameter CLKOS_CPHASE = 0, parameter CLKOS_FPHASE = 0, parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB", parameter PLLRST_ENA = "DISABLED",
    parameter INTFB_WAKE = "DISABLED", parameter STDBY_ENABLE = "DISABLED",
    parameter DPHASE_SOURCE = "DISABLED"
) (
    input wire CLKI, input wire CLKFB, input wire RST, input wire STDBY, input wire ENCLKOP,
    input wire ENCLKOS, input wire PLLWAKESYNC, input wire PHASESEL0, input wire PHASESEL1,
    input wire PHASEDIR, input wire PHASESTEP, input wire PHASELOADREG,
    output wire CLKOP, output wire CLKOS, output wire LOCK
);
    lock_after lock_after (.clock(CLKI), .locked(LOCK));
    assign CLKOP = CLKI & ~RST & ~STDBY;
    // With another divider or phase, CLKOS would be a different clock.
    assign CLKOS = CLKOP & (CLKOS_ENABLE == "ENABLED") & (CLKOS_DIV == CLKOP_DIV)
        & (CLKOS_CPHASE == CLKOP_CPHASE);
endmodule

// The gate follows CE while the clock is low.
module DCCA (input wire CLKI, input wire CE, output wire CLKO);
    reg open = 0;
    always @(negedge CLKI) open <= CE;
    assign CLKO = CLKI & open;
endmodule

// A logic cell as nextpnr places it: a lookup table, or half a carry cell. Undriven pins
// are 1. (Lattice, ECP5 family data sheet, FPGA-DS-02012: slices in modes logic and ripple.)
module placed_comb #(
    parameter [15:0] INITVAL = 0, parameter CARRY = 0, parameter INJECT = 0, parameter WIDE = 0
) (
    input wire A, input wire B, input wire C, input wire D, input wire M, input wire FCI,
    input wire F1, input wire FXA, input wire FXB, output wire F, output wire FCO, output wire OFX
);
    wire whole = INITVAL[{D, C, B, A}];
    wire part = INITVAL[{1'b0, 1'b0, B, A}];
    // The first cell of a carry chain adds no carry and generates the chain's carry.
    assign F = whole ^ (CARRY != 0 && INJECT == 0 && FCI);
    assign FCO = whole ? FCI : (INJECT == 0 && part);
    assign OFX = WIDE != 0 ? (M ? FXB : FXA) : (M ? F1 : F);
endmodule

// A memory of 16 bits in a lookup table, with synchronous write and asynchronous read.
module placed_bits #(parameter [15:0] INITVAL = 0) (
    input wire clock, input wire write, input wire [3:0] write_at, input wire in,
    input wire [3:0] at, output wire out
);
    reg [15:0] bits = INITVAL;
    always @(posedge clock) if (write) bits[write_at] <= in;
    assign out = bits[at];
endmodule

// A flip-flop. Its data come from the adjacent lookup table (DI) or from outside (M).
module placed_ff #(
    parameter SET = 0, parameter ASYNC = 0, parameter OUTSIDE = 0
) (input wire clock, input wire enable, input wire reset, input wire DI, input wire M, output reg Q);
    initial Q = SET != 0;
    wire data = OUTSIDE != 0 ? M : DI;
    generate
        if (ASYNC != 0) begin
            always @(posedge clock, posedge reset) begin
                if (reset) Q <= SET != 0;
                else if (enable) Q <= data;
            end
        end else begin
            always @(posedge clock) begin
                if (reset) Q <= SET != 0;
                else if (enable) Q <= data;
            end
        end
    endgenerate
endmodule

// A block RAM with two ports on one clock. It has 1,024 rows of 18 bits, each in two halves of 9.
// A port of 9 bits accesses a half. A port of 4, 2 or 1 bits accesses a part of the lower eight
// bits of a half. For a port of 18 or more bits, the lowest address bits select the halves that
// are written. With 36 bits (WIDE), port A writes two rows at once and port B reads. The first row
// uses A's data pins, the second row B's. A port that writes outputs the previous contents, or with
// HOLD its previous output. (Lattice, "ECP5 and ECP5-5G memory usage guide", FPGA-TN-02204.) The
// guide does not define a read while the other port writes the same bits. The model inverts them.
module placed_ram #(
    parameter [20479:0] INITVAL = 0, parameter WIDTH_A = 18, parameter WIDTH_B = 18,
    parameter HOLD_A = 0, parameter HOLD_B = 0
) (
    input wire clock,
    input wire enable_a, input wire write_a, input wire [13:0] address_a, input wire [17:0] in_a,
    output wire [17:0] out_a,
    input wire enable_b, input wire write_b, input wire [13:0] address_b, input wire [17:0] in_b,
    output wire [17:0] out_b
);
    // Position of a port's bits in a row, and their mask.
    function [4:0] place(input [13:0] address, input integer width);
        place = width >= 18 ? 5'd0
            : (address[3] ? 5'd9 : 5'd0)
            + (width <= 4 && address[2] ? 5'd4 : 5'd0)
            + (width <= 2 && address[1] ? 5'd2 : 5'd0)
            + (width <= 1 && address[0] ? 5'd1 : 5'd0);
    endfunction
    function [17:0] bits(input integer width);
        bits = width >= 18 ? 18'h3ffff : (18'd1 << width) - 18'd1;
    endfunction
    function [17:0] halves(input [1:0] chosen);
        halves = {{9{chosen[1]}}, {9{chosen[0]}}};
    endfunction

    localparam WIDE = WIDTH_A == 36;
    reg [17:0] rows [0:1023];
    integer i;
    initial for (i = 0; i < 1024; i = i + 1) rows[i] = INITVAL[20 * i +: 18];

    wire [9:0] row_a = WIDE ? {address_a[13:5], 1'b0} : address_a[13:4];
    wire [9:0] row_b = WIDTH_B == 36 ? {address_b[13:5], 1'b0} : address_b[13:4];
    wire [4:0] at_a = place(address_a, WIDTH_A);
    wire [4:0] at_b = place(address_b, WIDTH_B);
    wire writes_a = enable_a & write_a;
    wire writes_b = enable_b & write_b & !WIDE;
    wire [17:0] mask_a = WIDTH_A >= 18 ? halves(address_a[1:0]) : bits(WIDTH_A) << at_a;
    wire [17:0] mask_b = WIDTH_B >= 18 ? halves(address_b[1:0]) : bits(WIDTH_B) << at_b;

    // Bits that a read of this row inverts, because port A writes them.
    function [17:0] wrong(input [9:0] row);
        wrong = (writes_a && row == row_a ? mask_a : 18'd0)
            | (WIDE && writes_a && row == (row_a | 10'd1) ? halves(address_a[3:2]) : 18'd0);
    endfunction
    reg [17:0] read_a = 0, read_b = 0, further = 0;
    always @(posedge clock) begin
        if (enable_b & !(writes_b && HOLD_B != 0)) begin
            read_b <= ((rows[row_b] ^ wrong(row_b)) >> at_b) & bits(WIDTH_B);
            further <= rows[row_b | 10'd1] ^ wrong(row_b | 10'd1);
        end
        if (enable_a & !(writes_a && HOLD_A != 0))
            read_a <= ((rows[row_a] ^ (writes_b && row_a == row_b ? mask_b : 18'd0)) >> at_a) & bits(WIDTH_A);
        if (writes_a) begin
            rows[row_a] <= (rows[row_a] & ~mask_a) | (in_a << at_a & mask_a);
            if (WIDE)
                rows[row_a | 10'd1] <= (rows[row_a | 10'd1] & ~halves(address_a[3:2])) | (in_b & halves(address_a[3:2]));
        end
        if (writes_b)
            rows[row_b] <= (rows[row_b] & ~mask_b) | (in_b << at_b & mask_b);
    end
    assign out_a = WIDTH_B == 36 ? read_b : read_a;
    assign out_b = WIDTH_B == 36 ? further : read_b;
endmodule

// Models of the cells around a design, as far as the boards' top modules use them: pads,
// PLLs, gates of clocks. Written from the families' data sheets, apart from the project. A
// clock cycle of the crystal stands for one of the PLL; LOCK rises 64 clock cycles late,
// and the clock runs before.
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
    // Another divider or phase would be another clock.
    assign CLKOS = CLKOP & (CLKOS_ENABLE == "ENABLED") & (CLKOS_DIV == CLKOP_DIV)
        & (CLKOS_CPHASE == CLKOP_CPHASE);
endmodule

// The gate follows CE while the clock is low.
module DCCA (input wire CLKI, input wire CE, output wire CLKO);
    reg open = 0;
    always @(negedge CLKI) open <= CE;
    assign CLKO = CLKI & open;
endmodule

// A logic cell as nextpnr places it: a lookup table, or half a carry cell. Pins that nothing
// drives are 1. (Lattice, ECP5 family data sheet, FPGA-DS-02012: slices in modes logic and ripple.)
module placed_comb #(
    parameter [15:0] INITVAL = 0, parameter CARRY = 0, parameter INJECT = 0, parameter WIDE = 0
) (
    input wire A, input wire B, input wire C, input wire D, input wire M, input wire FCI,
    input wire F1, input wire FXA, input wire FXB, output wire F, output wire FCO, output wire OFX
);
    wire whole = INITVAL[{D, C, B, A}];
    wire part = INITVAL[{1'b0, 1'b0, B, A}];
    // The chain's first cell has no carry to add, and passes on what it makes itself.
    assign F = whole ^ (CARRY != 0 && INJECT == 0 && FCI);
    assign FCO = whole ? FCI : (INJECT == 0 && part);
    assign OFX = WIDE != 0 ? (M ? FXB : FXA) : (M ? F1 : F);
endmodule

// A flip-flop: its data come from the lookup table beside it or from outside (M).
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

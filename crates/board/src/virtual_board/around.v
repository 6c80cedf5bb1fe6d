// Simulation wrapper of an unpacked image: its pins as one module, and a PLL model.
//
// Time is counted in machine clock cycles, so one crystal clock cycle in the simulation is one PLL
// clock cycle. The image contains the frequency that the PLL makes. LOCK rises after @LOCK@ clock
// cycles. As in a real PLL the clock runs before that, so an image that does not wait for LOCK
// starts too early.
module virtual_board (
    input  wire       crystal,
    input  wire       button,
    input  wire       usb_rx,
    output wire       usb_tx,
    output wire [7:0] led,
    output wire       reload
);
    image image (
        .crystal(crystal),
        .button(button),
        .usb_rx(usb_rx),
        .usb_tx(usb_tx),
        .\led[0] (led[0]),
        .\led[1] (led[1]),
        .\led[2] (led[2]),
        .\led[3] (led[3]),
        .\led[4] (led[4]),
        .\led[5] (led[5]),
        .\led[6] (led[6]),
        .\led[7] (led[7]),
        .reload(reload)
    );
endmodule

module SB_PLL40_CORE (
    input  wire       REFERENCECLK,
    output wire       PLLOUTCORE,
    input  wire       EXTFEEDBACK,
    input  wire [7:0] DYNAMICDELAY,
    output wire       LOCK,
    input  wire       BYPASS,
    input  wire       RESETB,
    input  wire       LATCHINPUTVALUE,
    output wire       SDO,
    input  wire       SDI,
    input  wire       SCLK
);
    parameter FEEDBACK_PATH = "SIMPLE";
    parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED";
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED";
    parameter PLLOUT_SELECT = "GENCLK";
    parameter SHIFTREG_DIV_MODE = 0;
    parameter FDA_FEEDBACK = 0;
    parameter FDA_RELATIVE = 0;
    parameter DIVR = 0;
    parameter DIVF = 0;
    parameter DIVQ = 0;
    parameter FILTER_RANGE = 0;
    parameter ENABLE_ICEGATE = 0;
    parameter TEST_MODE = 0;

    reg [15:0] age = 0;
    always @(posedge REFERENCECLK) if (!LOCK) age <= age + 1;
    assign LOCK = age == @LOCK@;
    assign PLLOUTCORE = REFERENCECLK & RESETB & ~BYPASS;
    assign SDO = 0;
endmodule

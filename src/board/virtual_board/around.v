// What is around an unpacked image when it is simulated: its pins as one
// module, and a PLL.
//
// A clock cycle of the crystal stands for one of the PLL: time is counted in the
// machine's clock cycles, and what the PLL makes of the crystal's frequency is read
// from the image. LOCK rises @LOCK@ clock cycles late; the clock runs before, as a
// PLL's does, so an image that does not wait for LOCK starts too early.
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

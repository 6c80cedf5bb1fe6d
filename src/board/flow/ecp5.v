// The @TITLE@ around a design: clock, start-up, reset button.
//
// The machine clock stands still until the PLL has been locked for 256 of its clock
// cycles; until then no flip-flop of the design moves. Flip-flops and block RAMs start with
// what the image says. The clock's gate is the chip's own (DCCA), which opens without a
// glitch.
//
// The button, held for 16,384 clock cycles, loads the whole chip anew from flash, where
// the board has a pin for that.
module @TOP@ (
    input  wire       crystal, // @CRYSTAL@ MHz
    input  wire       button,  // low when pressed
    input  wire       usb_rx,
    output wire       usb_tx,
    // @PORTS@
    output wire [7:0] led
);

    // The clock of @MHZ@ MHz, as soon as the PLL makes it: twice, in step, because what
    // goes into the clock's gate must not be on the chip's clock nets already.
    wire pll_clock, ungated, locked;
    pll pll (.clock_in(crystal), .clock_out(pll_clock), .second_out(ungated), .locked(locked));

    // @SETTLED@
    wire machine_clock;
    DCCA machine_clock_gate (.CLKI(ungated), .CE(settled[8]), .CLKO(machine_clock));

    // @PRESSED@
    // @LEVELS@

    // The design.
    wire [7:0] light;
    reg [1:0] rx_seen = 2'b11;
    always @(posedge machine_clock)
        rx_seen <= {rx_seen[0], usb_rx};
    @DESIGN@ machine (
        .clock(machine_clock),
        .rx(rx_seen[1]),
        .tx(usb_tx),
        .led(light)
    );
    assign led = light ^ @LOW_LEDS@;
endmodule

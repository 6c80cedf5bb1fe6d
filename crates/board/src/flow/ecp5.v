// Top module for the @TITLE@ around a design: clock, start-up, reset button.
//
// The machine clock is gated off until the PLL has been locked for 256 of its clock cycles. Until
// then no flip-flop of the design changes. Flip-flops and block RAMs start with the contents of the
// image. The clock gate is the chip's DCCA, which opens without a glitch.
//
// A button press of 16,384 clock cycles reloads the whole chip from flash, if the board has a pin
// for that.
module @TOP@ (
    input  wire       crystal, // @CRYSTAL@ MHz
    input  wire       button,  // low when pressed
    input  wire       usb_rx,
    output wire       usb_tx,
    // @PORTS@
    output wire [7:0] led
);

    // Clock of @MHZ@ MHz from the PLL. The PLL drives it twice with equal phase, because the input
    // of the clock gate must not already be on the chip's clock nets.
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

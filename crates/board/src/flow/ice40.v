// Top module for the @TITLE@ around a design: pads, clock, start-up, reset button.
//
// The machine clock is gated off until the PLL has been locked for 256 of its clock cycles. Until
// then no flip-flop of the design changes. No block RAM is read either, because an iCE40 cannot
// read it in its first microseconds. The clock stops and starts without a glitch, because its gate
// signal changes while the clock is low.
//
// A button press of 16,384 clock cycles reloads the whole chip from flash, including the contents
// of block RAM. The chip loads image 0 of a file that icemulti made.
module @TOP@ (
    input  wire       crystal, // @CRYSTAL@ MHz
    input  wire       button,  // low when pressed
    input  wire       usb_rx,
    output wire       usb_tx,
    output wire [7:0] led
);

    // Pads. PIN_TYPE 000001 is an input, 011001 an output, neither with a register.
    wire button_level, rx_level, tx;
    wire [7:0] light;
    SB_IO #(.PIN_TYPE(6'b000001), .PULLUP(1'b1)) button_pad (.PACKAGE_PIN(button), .D_IN_0(button_level));
    SB_IO #(.PIN_TYPE(6'b000001), .PULLUP(1'b1)) rx_pad (.PACKAGE_PIN(usb_rx), .D_IN_0(rx_level));
    SB_IO #(.PIN_TYPE(6'b011001)) tx_pad (.PACKAGE_PIN(usb_tx), .D_OUT_0(tx));
    SB_IO #(.PIN_TYPE(6'b011001)) led_pads [7:0] (.PACKAGE_PIN(led), .D_OUT_0(light));

    // The clock of @MHZ@ MHz, as soon as the PLL makes it.
    wire pll_clock, locked;
    pll pll (.clock_in(crystal), .clock_out(pll_clock), .locked(locked));

    // @SETTLED@
    reg open = 1'b0;
    always @(negedge pll_clock)
        open <= settled[8];
    wire machine_clock;
    SB_GB machine_clock_buffer (.USER_SIGNAL_TO_GLOBAL_BUFFER(pll_clock & open), .GLOBAL_BUFFER_OUTPUT(machine_clock));

    // @PRESSED@
    SB_WARMBOOT reload (.BOOT(pressed[14]), .S1(1'b0), .S0(1'b0));

    // The design.
    reg [1:0] rx_seen = 2'b11;
    always @(posedge machine_clock)
        rx_seen <= {rx_seen[0], rx_level};
    @DESIGN@ machine (
        .clock(machine_clock),
        .rx(rx_seen[1]),
        .tx(tx),
        .led(light)
    );
endmodule

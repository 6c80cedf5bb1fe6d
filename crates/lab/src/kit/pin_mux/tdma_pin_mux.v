// SPDX-License-Identifier: MIT OR Apache-2.0
// From phasecube @VERSION@
// Connects a microcontroller's one UART to the DIMS links of a hypercube node, by
// a time schedule. Plain Verilog-2001, one clock, no reset: every register has an
// initial value, which FPGAs load with their configuration.
//
// Take one of the four modules at the end, or build your own from these parts:
//
//   tdma_pin_mux        the mux: separate TX and RX pins for each dimension
//   tdma_open_drain     turns those pins into one open-drain wire each
//   tdma_phase_counter  the select, counted from the two wires phase_clock and sync
//   tdma_select_filter  the select, from parallel lines of another clock domain
//   tdma_synchroniser   a line of another clock domain
//
// All lines are high when idle. DIMS is 1 to 16. The modules contain no delays.
// The time scale is that of the test benches, because a design must set one
// everywhere or nowhere.
`timescale 1ns / 1ps

// Connects the UART to the pins of the active dimension. Every other tx pin is
// always high. tx reaches its pin, and a pin reaches rx, one clock cycle later.
module tdma_pin_mux #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire [3:0]      dim,     // active dimension; DIMS or above selects none
    input  wire            drive,   // 1: transmit there, 0: listen there
    input  wire            tx,      // from the UART
    output wire            rx,      // to the UART; high while transmitting
    output wire [DIMS-1:0] pin_tx,  // each from a flip-flop: no glitch at a switch
    input  wire [DIMS-1:0] pin_rx
);
    localparam [DIMS-1:0] FIRST = 1;

    // Low when idle, because the flip-flops of some FPGAs can only start as zero.
    reg [DIMS-1:0] pulls;
    reg            listened_low;
    initial begin
        pulls     = {DIMS{1'b0}};
        listened_low = 1'b0;
    end

    wire [DIMS-1:0] active = FIRST << dim;

    always @(posedge clock) begin
        pulls     <= (drive && !tx) ? active : {DIMS{1'b0}};
        listened_low <= !drive && |(active & ~pin_rx);
    end

    assign pin_tx = ~pulls;
    assign rx     = ~listened_low;
endmodule

// The pads of open-drain wires, each with a pull-up resistor. A wire is pulled
// low or released, never driven high.
module tdma_open_drain #(parameter DIMS = 4) (
    input  wire [DIMS-1:0] pin_tx,
    output wire [DIMS-1:0] pin_rx,
    inout  wire [DIMS-1:0] line
);
    genvar d;
    generate
        for (d = 0; d < DIMS; d = d + 1) begin : pads
            assign line[d] = pin_tx[d] ? 1'bz : 1'b0;
        end
    endgenerate
    assign pin_rx = line;
endmodule

// Follows the schedule of 2 * DIMS phases. In phase 2d + b the nodes whose
// address bit d is b transmit across dimension d. Muted (out of sync) until the
// first sync. An unexpected or missing sync mutes the node until the next sync.
module tdma_phase_counter #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire            phase_clock,  // rises when a phase begins
    input  wire            sync,         // high in phase 0
    input  wire [DIMS-1:0] address,
    output wire            phase_begin,  // high in the first clock cycle of a phase
    output wire [4:0]      phase,
    output wire [3:0]      dim,
    output wire            transmit,
    output wire            muted         // out of sync; every rise except the first is a slip
);
    localparam [DIMS-1:0] FIRST = 1;
    localparam [31:0]     LAST = DIMS * 2 - 1;

    reg       was_high;
    reg       began;
    reg       lost_sync;
    reg [4:0] count;
    initial begin
        was_high    = 1'b0;
        began       = 1'b0;
        lost_sync = 1'b1;
        count       = 5'd0;
    end

    wire       tick = phase_clock && !was_high;
    wire [4:0] expected = (count == LAST[4:0]) ? 5'd0 : count + 5'd1;
    wire       in_sync = sync == (expected == 5'd0);

    always @(posedge clock) begin
        was_high <= phase_clock;
        began    <= tick;
        if (tick) begin
            count       <= lost_sync ? 5'd0 : expected;
            lost_sync   <= lost_sync ? !sync : !in_sync;
        end
    end

    wire address_bit = |(address & (FIRST << count[4:1]));

    assign phase_begin = began && !lost_sync;
    assign phase       = count;
    assign dim         = count[4:1];
    assign transmit    = !lost_sync && address_bit == count[0];
    assign muted       = lost_sync;
endmodule

// A line of another clock domain: STAGES flip-flops, at least two.
module tdma_synchroniser #(parameter STAGES = 2, parameter IDLE = 1'b0) (
    input  wire clock,
    input  wire line,
    output wire settled
);
    reg [STAGES-1:0] stages;
    initial stages = {STAGES{IDLE}};
    always @(posedge clock) stages <= {stages[STAGES-2:0], line};
    assign settled = stages[STAGES-1];
endmodule

// A select of another clock domain, whose lines do not change at the same time.
// It is taken when two consecutive samples agree. Lines that change within one
// clock cycle are never taken half changed.
module tdma_select_filter (
    input  wire       clock,
    input  wire [3:0] dim,
    input  wire       drive,
    output wire [3:0] settled_dim,
    output wire       settled_drive
);
    wire [4:0] now;
    reg  [4:0] earlier;
    reg  [4:0] taken;
    initial begin
        earlier = 5'd0;
        taken   = 5'd0;
    end

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : lines
            tdma_synchroniser settle (.clock(clock), .line(dim[i]), .settled(now[i]));
        end
    endgenerate
    tdma_synchroniser settle_drive (.clock(clock), .line(drive), .settled(now[4]));

    always @(posedge clock) begin
        earlier <= now;
        if (now == earlier) taken <= now;
    end
    assign {settled_drive, settled_dim} = taken;
endmodule

// Selection by the wires phase_clock and sync, separate pins. The UART and both
// wires may have their own clocks. address does not change.
module tdma_clocked_pins #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire            phase_clock,
    input  wire            sync,
    input  wire [DIMS-1:0] address,
    input  wire            tx,
    output wire            rx,
    output wire            phase_begin,
    output wire [4:0]      phase,
    output wire            transmit,
    output wire            muted,
    output wire [DIMS-1:0] pin_tx,
    input  wire [DIMS-1:0] pin_rx
);
    wire       tick, first, settled_tx, received;
    wire [3:0] dim;

    // One stage more than sync. Both change together, so sync must have arrived
    // when the rise is detected.
    tdma_synchroniser #(.STAGES(3)) settle_clock
        (.clock(clock), .line(phase_clock), .settled(tick));
    tdma_synchroniser settle_sync
        (.clock(clock), .line(sync), .settled(first));
    tdma_synchroniser #(.IDLE(1'b1)) settle_tx
        (.clock(clock), .line(tx), .settled(settled_tx));

    tdma_phase_counter #(.DIMS(DIMS)) counter (
        .clock(clock), .phase_clock(tick), .sync(first), .address(address),
        .phase_begin(phase_begin), .phase(phase), .dim(dim),
        .transmit(transmit), .muted(muted)
    );
    tdma_pin_mux #(.DIMS(DIMS)) mux (
        .clock(clock), .dim(dim), .drive(transmit), .tx(settled_tx), .rx(received),
        .pin_tx(pin_tx), .pin_rx(pin_rx)
    );
    tdma_synchroniser #(.IDLE(1'b1)) settle_rx
        (.clock(clock), .line(received), .settled(rx));
endmodule

// Selection by the wires phase_clock and sync, open-drain wires.
module tdma_clocked_wires #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire            phase_clock,
    input  wire            sync,
    input  wire [DIMS-1:0] address,
    input  wire            tx,
    output wire            rx,
    output wire            phase_begin,
    output wire [4:0]      phase,
    output wire            transmit,
    output wire            muted,
    inout  wire [DIMS-1:0] line
);
    wire [DIMS-1:0] pin_tx, pin_rx;
    tdma_clocked_pins #(.DIMS(DIMS)) pins (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address),
        .tx(tx), .rx(rx), .phase_begin(phase_begin), .phase(phase),
        .transmit(transmit), .muted(muted), .pin_tx(pin_tx), .pin_rx(pin_rx)
    );
    tdma_open_drain #(.DIMS(DIMS)) pads
        (.pin_tx(pin_tx), .pin_rx(pin_rx), .line(line));
endmodule

// Selection by parallel lines, separate pins. The UART and the select may have
// their own clocks.
module tdma_selected_pins #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire [3:0]      dim,    // active dimension; DIMS or above selects none
    input  wire            drive,  // 1: transmit there, 0: listen there
    input  wire            tx,
    output wire            rx,
    output wire [DIMS-1:0] pin_tx,
    input  wire [DIMS-1:0] pin_rx
);
    wire       settled_tx, settled_drive, received;
    wire [3:0] settled_dim;

    tdma_select_filter filter (
        .clock(clock), .dim(dim), .drive(drive),
        .settled_dim(settled_dim), .settled_drive(settled_drive)
    );
    tdma_synchroniser #(.IDLE(1'b1)) settle_tx
        (.clock(clock), .line(tx), .settled(settled_tx));
    tdma_pin_mux #(.DIMS(DIMS)) mux (
        .clock(clock), .dim(settled_dim), .drive(settled_drive), .tx(settled_tx),
        .rx(received), .pin_tx(pin_tx), .pin_rx(pin_rx)
    );
    tdma_synchroniser #(.IDLE(1'b1)) settle_rx
        (.clock(clock), .line(received), .settled(rx));
endmodule

// Selection by parallel lines, open-drain wires.
module tdma_selected_wires #(parameter DIMS = 4) (
    input  wire            clock,
    input  wire [3:0]      dim,
    input  wire            drive,
    input  wire            tx,
    output wire            rx,
    inout  wire [DIMS-1:0] line
);
    wire [DIMS-1:0] pin_tx, pin_rx;
    tdma_selected_pins #(.DIMS(DIMS)) pins (
        .clock(clock), .dim(dim), .drive(drive), .tx(tx), .rx(rx),
        .pin_tx(pin_tx), .pin_rx(pin_rx)
    );
    tdma_open_drain #(.DIMS(DIMS)) pads
        (.pin_tx(pin_tx), .pin_rx(pin_rx), .line(line));
endmodule

// SPDX-License-Identifier: MIT OR Apache-2.0
// From phasecube @VERSION@
// Runs the schedule with UART frames (8N1) in every phase, at three bauds. The
// node under test sends to the neighbour in the phase's dimension, or receives
// from it. UARTs, phase clock and node have unrelated clocks.
//
//   * every frame arrives, with its bytes and without a framing error
//   * the other receivers never see a start bit
//   * the node never loses sync
//
// WIRES = 0: separate pins, 1: open-drain wires. CLOCKED = 0: parallel select, 1:
// two-wire clock and sync. Time is in nanoseconds.
`timescale 1ns / 1ps
module frames_tb;
    parameter DIMS = 4;
    parameter WIRES = 1;
    parameter CLOCKED = 1;
    parameter FRAMES = 10000;  // number at each baud
    localparam PERIOD = 20;
    localparam [DIMS-1:0] IDLE = {DIMS{1'b1}};

    reg             clock = 1'b0;
    reg             phase_clock = 1'b0, sync = 1'b0;
    reg  [DIMS-1:0] address = 0;
    reg  [3:0]      dim = 4'd0;      // dimension of the phase
    reg             sends = 1'b0;    // the node under test sends
    reg             tx = 1'b1;
    wire            rx, muted;
    reg  [DIMS-1:0] peer_tx = IDLE;
    wire [DIMS-1:0] received;        // level that each neighbour receives
    always #(PERIOD / 2) clock = ~clock;

    wire [DIMS-1:0] pin_tx;
    tri1 [DIMS-1:0] line;
    generate
        if (CLOCKED != 0 && WIRES != 0) begin : dut
            tdma_clocked_wires #(.DIMS(DIMS)) node (
                .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address),
                .tx(tx), .rx(rx), .phase_begin(), .phase(), .transmit(), .muted(muted),
                .line(line));
        end else if (CLOCKED != 0) begin : dut
            tdma_clocked_pins #(.DIMS(DIMS)) node (
                .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address),
                .tx(tx), .rx(rx), .phase_begin(), .phase(), .transmit(), .muted(muted),
                .pin_tx(pin_tx), .pin_rx(peer_tx));
        end else if (WIRES != 0) begin : dut
            tdma_selected_wires #(.DIMS(DIMS)) node (
                .clock(clock), .dim(dim), .drive(sends), .tx(tx), .rx(rx), .line(line));
        end else begin : dut
            tdma_selected_pins #(.DIMS(DIMS)) node (
                .clock(clock), .dim(dim), .drive(sends), .tx(tx), .rx(rx),
                .pin_tx(pin_tx), .pin_rx(peer_tx));
        end
        if (CLOCKED == 0) begin : no_counter
            assign muted = 1'b0;
        end
        if (WIRES != 0) begin : peers
            tdma_open_drain #(.DIMS(DIMS)) pads
                (.pin_tx(peer_tx), .pin_rx(), .line(line));
            assign received = line;
        end else begin : peers
            assign received = pin_tx;
        end
    endgenerate

    integer failures = 0;
    task fail(input [8*48-1:0] what);
        begin
            failures = failures + 1;
            $display("FAILED at %0t ps: %0s: dim %0d sends %b tx %b rx %b peers %b received %b",
                     $realtime * 1000, what, dim, sends, tx, rx, peer_tx, received);
            if (failures == 5) $finish;
        end
    endtask

    reg [31:0] state = 32'd2463534242;
    task random(input integer below, output integer value);
        begin
            state = state ^ (state << 13);
            state = state ^ (state >> 17);
            state = state ^ (state << 5);
            value = {8'd0, state[31:8]} % below;
        end
    endtask

    // Bytes in flight, in the order in which they were sent and must arrive.
    real      bit_time;
    reg [7:0] bytes [0:15];
    reg [3:0] sent = 4'd0, arrived = 4'd0;
    integer   frames = 0;
    task arrives(input [7:0] value);
        begin
            if (sent == arrived) fail("a byte that nobody sent");
            else if (value !== bytes[arrived]) fail("a byte is wrong");
            arrived = arrived + 4'd1;
            frames = frames + 1;
        end
    endtask

    // The neighbours' receivers.
    genvar n;
    generate
        for (n = 0; n < DIMS; n = n + 1) begin : neighbour
            reg [7:0] value;
            integer   i;
            // A sender on an open-drain wire receives its own bits and ignores
            // them.
            always @(negedge received[n]) if ($time > 0 && peer_tx[n]) begin
                if (!sends || dim != n) fail("a start bit on an idle line");
                #(bit_time / 2.0);
                if (received[n]) fail("a spurious start bit");
                for (i = 0; i < 8; i = i + 1) #(bit_time) value[i] = received[n];
                #(bit_time);
                if (!received[n]) fail("a framing error at a neighbour");
                arrives(value);
            end
        end
    endgenerate

    // The receiver of the node under test.
    reg [7:0] value;
    integer   j;
    always @(negedge rx) if ($time > 0) begin
        if (sends) fail("a start bit at the sender");
        #(bit_time / 2.0);
        if (rx) fail("a spurious start bit at the node");
        for (j = 0; j < 8; j = j + 1) #(bit_time) value[j] = rx;
        #(bit_time);
        if (!rx) fail("a framing error at the node");
        arrives(value);
    end

    task put(input level);
        begin
            if (sends) tx = level;
            else peer_tx[dim[3:0]] = level;
            #(bit_time);
        end
    endtask
    integer k;
    task send(input [7:0] byte_sent);
        begin
            bytes[sent] = byte_sent;
            sent = sent + 4'd1;
            put(1'b0);
            for (k = 0; k < 8; k = k + 1) put(byte_sent[k]);
            put(1'b1);
        end
    endtask

    always @(posedge muted) if ($time > 0) fail("the node slipped");

    // The phase clock and sync change together, within less than a cycle of the
    // node's clock, and in either order. The first phase is the last of a
    // superframe, because a node must wait for sync.
    integer skew, phase = 2 * DIMS - 1;
    task next_phase;
        begin
            random(2 * PERIOD - 3, skew);
            skew = skew - (PERIOD - 2);
            if (skew < 0) begin
                sync = phase == 0;
                #(-skew) phase_clock = 1'b1;
            end else begin
                phase_clock = 1'b1;
                #(skew) sync = phase == 0;
            end
            dim = phase / 2;
            sends = address[dim] == phase % 2;
            phase = (phase + 1) % (2 * DIMS);
        end
    endtask

    // Dead time of the node: the delay of its synchronisers, in its clock cycles.
    localparam DEAD = 8 * PERIOD;
    integer baud, value_sent, wait_time, count;
    initial begin
        bit_time = 1000.0;
        // Joins at the first sync.
        #1003;
        repeat (2) begin
            if (CLOCKED != 0 && !muted) fail("the node did not wait for sync");
            next_phase;
            #500 phase_clock = 1'b0;
            #500;
        end
        if (muted) fail("the node has not joined");
        for (baud = 0; baud < 3; baud = baud + 1) begin
            case (baud)
                0: bit_time = 8.0 * PERIOD;     // the fastest: 8 clock cycles per bit
                1: bit_time = 10.37 * PERIOD;
                default: bit_time = 21.701 * PERIOD;
            endcase
            frames = 0;
            while (frames < FRAMES && failures == 0) begin
                if (phase == 0) begin
                    random(1 << DIMS, value_sent);
                    address = value_sent;
                end
                next_phase;
                #(DEAD);
                random(3 * PERIOD, wait_time);
                #(wait_time + 0.37);
                phase_clock = 1'b0;
                random(12, count);
                repeat (count) begin
                    random(256, value_sent);
                    send(value_sent);
                    random(4, wait_time);
                    if (wait_time == 0) begin
                        random(10 * PERIOD, wait_time);
                        #(wait_time + 0.21);
                    end
                end
                #(DEAD);
                if (sent != arrived) fail("a frame is lost");
            end
            if (failures == 0)
                $display("%0d frames at %0.3f clock cycles per bit", frames, bit_time / PERIOD);
        end
        if (failures == 0)
            $display("PASSED: %0d frames and more at each baud, DIMS %0d WIRES %0d CLOCKED %0d",
                     FRAMES, DIMS, WIRES, CLOCKED);
        $finish;
    end
endmodule

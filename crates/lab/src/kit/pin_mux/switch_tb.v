// SPDX-License-Identifier: MIT OR Apache-2.0
// From phasecube @VERSION@
// Checks the mux at every switch: from each select to each other select, at each
// offset of the switch from the clock edge, and at each offset of a UART edge
// from both.
//
//   * a tx pin changes only at a clock edge
//   * after every edge, every pin has the value computed below "The rule"
//   * no pin changes while the UART and the wires are idle
//   * select lines that change one by one never select a third dimension
//
// Time is in nanoseconds. A clock cycle takes 20 ns and begins at a multiple of
// 20.
`timescale 1ns / 1ps
module switch_tb;
    parameter DIMS = 4;
    parameter STEP = 3;  // step of the offsets in ns
    localparam PERIOD = 20;
    localparam SELECTS = 2 * (DIMS + 1);  // the last two select no dimension
    localparam [DIMS-1:0] IDLE = {DIMS{1'b1}};

    reg             clock = 1'b0;
    reg  [3:0]      dim = 4'd0;
    reg             drive = 1'b0;
    reg             tx = 1'b1;
    reg  [DIMS-1:0] peers = IDLE;  // levels that the neighbours send
    wire            rx, wire_rx, late_rx;
    wire [DIMS-1:0] pin_tx, late_tx, wire_tx, wire_in;
    tri1 [DIMS-1:0] line;

    tdma_pin_mux #(.DIMS(DIMS)) pins (
        .clock(clock), .dim(dim), .drive(drive), .tx(tx), .rx(rx),
        .pin_tx(pin_tx), .pin_rx(peers));

    // The mux on open-drain wires, which the neighbours pull as well.
    tdma_pin_mux #(.DIMS(DIMS)) wires (
        .clock(clock), .dim(dim), .drive(drive), .tx(tx), .rx(wire_rx),
        .pin_tx(wire_tx), .pin_rx(wire_in));
    tdma_open_drain #(.DIMS(DIMS)) pads
        (.pin_tx(wire_tx), .pin_rx(wire_in), .line(line));
    tdma_open_drain #(.DIMS(DIMS)) peer_pads
        (.pin_tx(peers), .pin_rx(), .line(line));

    // The mux behind a select filter.
    tdma_selected_pins #(.DIMS(DIMS)) late (
        .clock(clock), .dim(dim), .drive(drive), .tx(tx), .rx(late_rx),
        .pin_tx(late_tx), .pin_rx(peers));

    integer edge_time = 0;
    always #(PERIOD / 2) clock = ~clock;
    always @(posedge clock) edge_time = $time;

    integer failures = 0;
    task fail(input [8*48-1:0] what);
        begin
            failures = failures + 1;
            if (failures <= 5)
                $display("FAILED at %0t ps: %0s: dim %0d drive %b tx %b peers %b, pins %b line %b rx %b %b",
                         $realtime * 1000, what, dim, drive, tx, peers, pin_tx, line, rx, wire_rx);
        end
    endtask

    // The rule: expected values from the inputs at the clock edge.
    reg [DIMS-1:0] expected_tx = IDLE;
    reg            expected_rx = 1'b1;
    reg            expected_wire_rx = 1'b1;
    integer        d;
    always @(posedge clock) begin
        for (d = 0; d < DIMS; d = d + 1)
            expected_tx[d] <= !(drive && !tx && d == {28'd0, dim});
        expected_rx <= 1'b1;
        expected_wire_rx <= 1'b1;
        for (d = 0; d < DIMS; d = d + 1)
            if (!drive && d == {28'd0, dim}) begin
                expected_rx <= peers[d];
                // After a change of direction with tx low, the node receives its
                // own last cycle.
                expected_wire_rx <= peers[d] & expected_tx[d];
            end
    end
    task check;
        begin
            if (pin_tx !== expected_tx) fail("a tx pin is wrong");
            if (wire_tx !== expected_tx) fail("a pull is wrong");
            if (line !== (expected_tx & peers)) fail("a wire is wrong");
            if (rx !== expected_rx) fail("rx is wrong");
            if (wire_rx !== expected_wire_rx) fail("rx of the wires is wrong");
        end
    endtask
    // Inputs change at whole nanoseconds, or at tenths of them.
    always @(posedge clock) begin
        #1.25 check;
        #17.5 check;
    end
    always @(pin_tx or wire_tx or late_tx or rx or wire_rx)
        if ($time > 0 && $time != edge_time) fail("an output moves between clock edges");

    // While everything is idle.
    reg quiet = 1'b0;
    always @(pin_tx or line or late_tx or rx or wire_rx or late_rx)
        if (quiet && !(&{pin_tx, line, late_tx, rx, wire_rx, late_rx})) fail("a spurious start bit");

    // While tx is low and the select lines change one by one.
    reg            staggered = 1'b0;
    reg [DIMS-1:0] allowed = IDLE;
    always @(late_tx)
        if (staggered && |(~late_tx & ~allowed)) fail("a third dimension is selected");

    task select(input integer number);
        begin
            drive = number % 2 == 1;
            dim = number < 2 * DIMS ? number / 2 : 15;
            if (number >= 2 * DIMS && DIMS == 16) begin drive = 1'b0; dim = 4'd0; end
        end
    endtask
    function [DIMS-1:0] driven(input integer number);
        integer i;
        for (i = 0; i < DIMS; i = i + 1) driven[i] = number == 2 * i + 1;
    endfunction
    task cycles(input integer count);
        repeat (count) @(posedge clock);
    endtask

    integer from, to, at, edge_at, kind, bit_number, stagger;
    integer switches = 0;
    reg [4:0] target;

    // Sets `from`, then `to` at the offset `at`; a line changes at `edge_at`.
    // kind 0: none, 1: tx falls, 2: tx rises, 3: the peers pull, 4: the peers release.
    task switch;
        begin
            select(from);
            tx = kind != 2;
            peers = kind == 4 ? {DIMS{1'b0}} : IDLE;
            cycles(6);
            quiet = kind == 0;
            fork
                #at select(to);
                #edge_at case (kind)
                    1: tx = 1'b0;
                    2: tx = 1'b1;
                    3: peers = {DIMS{1'b0}};
                    4: peers = IDLE;
                    default: ;
                endcase
            join
            cycles(kind == 0 ? 6 : 2);
            #2 quiet = 1'b0;
            switches = switches + 1;
            if (failures > 5) begin
                $display("FAILED: too many failures, the rest is not run");
                $finish;
            end
        end
    endtask

    initial begin
        cycles(2);
        for (from = 0; from < SELECTS; from = from + 1)
            for (to = 0; to < SELECTS; to = to + 1) begin
                for (at = 1; at < PERIOD; at = at + STEP) begin
                    kind = 0;
                    edge_at = 1;
                    #1 switch;
                    for (kind = 1; kind <= 4; kind = kind + 1)
                        for (edge_at = 1; edge_at < 2 * PERIOD; edge_at = edge_at + STEP)
                            if (edge_at % PERIOD != 0) switch;
                end
                // The five select lines one after the other, all within one cycle.
                for (at = 1; at < PERIOD; at = at + STEP) begin
                    select(to);
                    target = {drive, dim};
                    select(from);
                    tx = 1'b0;
                    peers = IDLE;
                    cycles(8);
                    allowed = driven(from) | driven(to);
                    staggered = 1'b1;
                    #at;
                    for (bit_number = 0; bit_number < 5; bit_number = bit_number + 1) begin
                        stagger = (bit_number + from + to) % 5;
                        if (stagger == 4) drive = target[4];
                        else dim[stagger] = target[stagger];
                        // 4 steps of 3.7 ns: less than a cycle, never on an edge.
                        #3.7;
                    end
                    cycles(6);
                    staggered = 1'b0;
                    tx = 1'b1;
                    cycles(2);
                end
            end
        if (failures == 0) $display("PASSED: %0d switches of %0d dimensions", switches, DIMS);
        else $display("FAILED: %0d failures", failures);
        $finish;
    end
endmodule

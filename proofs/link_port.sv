// The ports of two neighbours across one dimension that receive the same phase clock.
//
// DIMS: links of each node.
module proof (
    input wire            clock,
    input wire            phase_clock,
    input wire            sync,
    input wire [DIMS-1:0] level_a,
    input wire [DIMS-1:0] level_b,
    input wire [7:0]      data_a,
    input wire [7:0]      data_b,
    input wire            start_a,
    input wire            start_b
);
    parameter DIMS = `DIMS;
    // An arbitrary address of one node, and an arbitrary dimension between the two.
    (* anyconst *) wire [DIMS-1:0] address;
    (* anyconst *) wire [3:0]      across;

    wire [DIMS-1:0] pull_a, pull_b;
    link_port a (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address),
        .level(level_a), .pull(pull_a), .tx_data(data_a), .tx_start(start_a)
    );
    link_port b (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address ^ (1'b1 << across)),
        .level(level_b), .pull(pull_b), .tx_data(data_b), .tx_start(start_b)
    );

    (* of = "a.mux.drive" *) wire a_drive;
    (* of = "b.mux.drive" *) wire b_drive;
    (* of = "a.mux.dim" *) wire [3:0] a_dim;
    (* of = "b.mux.dim" *) wire [3:0] b_dim;
    reg drove_a = 0, drove_b = 0;
    always @(posedge clock) begin
        drove_a <= a_drive && a_dim == across;
        drove_b <= b_drive && b_dim == across;
    end

    always @* begin
        assume (across < DIMS);
        alone: assert (!(pull_a[across] && pull_b[across]));
    end

    (* of = "a.sequencer.was_high" *) wire a_was_high;
    (* of = "b.sequencer.was_high" *) wire b_was_high;
    (* of = "a.sequencer.lost_sync" *) wire a_lost_sync;
    (* of = "b.sequencer.lost_sync" *) wire b_lost_sync;
    (* of = "a.sequencer.phase_count" *) wire [4:0] a_phase;
    (* of = "b.sequencer.phase_count" *) wire [4:0] b_phase;
`ifndef CLAIM_ONLY
    always @* begin
        // Both sequencers count alike. This determines the wires that they may pull.
        assert (a_was_high == b_was_high && a_lost_sync == b_lost_sync && a_phase == b_phase);
        assert (!(drove_a && drove_b));
        assert (!pull_a[across] || drove_a);
        assert (!pull_b[across] || drove_b);
    end
`endif
endmodule

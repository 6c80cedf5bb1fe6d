// Two complete nodes that are neighbours across one dimension and receive the same phase clock: frames, answers,
// forwarding. The levels of all wires and the messages of the hosts are arbitrary.
//
// DIMS: links of each node. PHASE: clock cycles of a phase that is not cut short. ANSWER_OPEN, ANSWER_CLOSE,
// FRAME_OPEN, FRAME_CLOSE: the windows that the nodes were built with.
module proof (
    input wire            clock,
    input wire            phase_clock,
    input wire            sync,
    input wire [DIMS-1:0] level_a,
    input wire [DIMS-1:0] level_b,
    input wire            hang_a,
    input wire            hang_b,
    input wire            valid_a,
    input wire            valid_b,
    input wire [7:0]      data_a,
    input wire [7:0]      data_b
);
    parameter DIMS = `DIMS;
    // An arbitrary address of one node, and an arbitrary dimension between the two.
    (* anyconst *) wire [DIMS-1:0] address;
    (* anyconst *) wire [3:0]      across;

    wire [DIMS-1:0] pull_a, pull_b, holds_a, holds_b;
    node_ a (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address), .level(level_a),
        .pull(pull_a), .holds(holds_a), .hang(hang_a), .host_valid(valid_a), .host_data(data_a)
    );
    node_ b (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .address(address ^ (1'b1 << across)),
        .level(level_b), .pull(pull_b), .holds(holds_b), .hang(hang_b), .host_valid(valid_b),
        .host_data(data_b)
    );

    // Clock cycles since the phase clock rose, up to PHASE.
    reg        past_level = 0;
    reg [15:0] since = `PHASE;
    wire tick = phase_clock && !past_level;
    reg held_a = 0, held_b = 0;
    always @(posedge clock) begin
        past_level <= phase_clock;
        since      <= tick ? 1 : since < `PHASE ? since + 1 : since;
        held_a     <= holds_a[across];
        held_b     <= holds_b[across];
    end

    always @* begin
        assume (across < DIMS);
        alone: assert (!(pull_a[across] && pull_b[across]));
        holds_alone: assert (!(holds_a[across] && holds_b[across]));
    end

    (* of = "a.sequencer.was_high" *) wire a_was_high;
    (* of = "b.sequencer.was_high" *) wire b_was_high;
    (* of = "a.sequencer.began" *) wire a_began;
    (* of = "b.sequencer.began" *) wire b_began;
    (* of = "a.sequencer.lost_sync" *) wire a_muted;
    (* of = "b.sequencer.lost_sync" *) wire b_muted;
    (* of = "a.sequencer.phase_count" *) wire [4:0] a_phase;
    (* of = "b.sequencer.phase_count" *) wire [4:0] b_phase;
    (* of = "a.sequencer.transmit" *) wire a_transmit;
    (* of = "b.sequencer.transmit" *) wire b_transmit;
    (* of = "a.node.frames.engine.walk.driving" *) wire a_driving;
    (* of = "b.node.frames.engine.walk.driving" *) wire b_driving;
    (* of = "a.node.frames.engine.timer.elapsed" *) wire [15:0] a_elapsed;
    (* of = "b.node.frames.engine.timer.elapsed" *) wire [15:0] b_elapsed;
    (* of = "a.node.frames.engine.timer.running" *) wire a_running;
    (* of = "b.node.frames.engine.timer.running" *) wire b_running;
    // The sequencer sees the beginning of a phase one clock cycle after the rise, and the timer one clock cycle
    // later.
    wire in_frame = a_elapsed > `FRAME_OPEN && a_elapsed <= `FRAME_CLOSE;
    wire in_answer = a_elapsed > `ANSWER_OPEN && a_elapsed <= `ANSWER_CLOSE;
`ifndef CLAIM_ONLY
    always @* begin
        assert (a_was_high == past_level && b_was_high == past_level);
        assert (a_began == b_began && a_muted == b_muted && a_phase == b_phase);
        assert (a_began == (since == 1));
        assert (since >= 1 && since <= `PHASE);
        assert (a_elapsed == b_elapsed && a_running == b_running);
        assert (a_elapsed <= `ANSWER_CLOSE + 1);
        if (a_driving && !a_began && !a_muted) assert (a_transmit ? in_frame : in_answer);
        if (b_driving && !b_began && !b_muted) assert (b_transmit ? in_frame : in_answer);
        // A timer runs as long as the phase, and a stopped timer keeps its value. When a phase begins, the timer may
        // still run for a phase that was cut short. It is restarted only when the node is in sync.
        if (a_running) assert (a_elapsed >= 1 && a_elapsed <= `ANSWER_CLOSE);
        if (a_running && !a_began && !a_muted)
            assert (since >= 2 && since < `PHASE && a_elapsed == since - 1);
        if (!a_running) assert (a_elapsed == 0 || a_elapsed == `ANSWER_CLOSE + 1);
        if ((a_driving || b_driving) && !a_began && !a_muted) assert (a_running);
        assert (!pull_a[across] || held_a);
        assert (!pull_b[across] || held_b);
        assert (!(held_a && held_b));
    end
`endif
endmodule

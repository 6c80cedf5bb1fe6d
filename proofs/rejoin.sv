// A phase clock, and a sequencer that receives other signals until the wires are calm.
//
// LINKS: links of the node and dimensions of the clock. CALM: number of received beginnings of superframes after
// which the node must be in sync.
module proof (
    input wire             clock,
    input wire             enable,
    input wire [15:0]      divider,
    input wire [LINKS-1:0] sides,
    // Signals on the wires until they are calm, and the time from which they are calm.
    input wire             noise_clock,
    input wire             noise_sync,
    input wire             calm
);
    parameter LINKS = `LINKS;

    wire        phase_clock, sync, begins, transmit, muted;
    wire [4:0]  clock_phase, phase;
    wire [15:0] frame, slips;
    wire [3:0]  dim;

    phase_clock_ clk (
        .clock(clock), .enable(enable), .divider(divider), .phase_clock(phase_clock),
        .sync(sync), .phase(clock_phase), .frame(frame)
   );
    phase_sequencer dut (
        .clock(clock), .phase_clock(calm ? phase_clock : noise_clock),
        .sync(calm ? sync : noise_sync), .sides(sides),
        .begin_(begins), .phase(phase), .dim(dim), .transmit(transmit),
        .muted(muted), .slips(slips)
   );

    reg       past_calm = 0, past_enable = 0, past_level = 0, begun = 0;
    reg [4:0] past_phase = 0;
    // Number of beginnings of superframes received while the wires were calm, up to 2.
    reg [1:0] syncs = 0;
    (* of = "clk.running" *) wire clk_running;
    (* of = "dut.was_high" *) wire dut_was_high;
    wire tick = phase_clock && !past_level;
    always @(posedge clock) begin
        past_calm   <= calm;
        past_enable <= enable;
        past_level  <= phase_clock;
        past_phase  <= clock_phase;
        begun       <= clk_running;
        if (calm && past_calm && tick && clock_phase == 0 && syncs < 2) syncs <= syncs + 1;
    end

    wire in_sync = !muted && phase == past_phase;
    always @* begin
        assume (enable || !past_enable);
        assume (calm || !past_calm);

        if (syncs == `CALM) rejoined: assert (in_sync);
    end

`ifndef CLAIM_ONLY
    // After one beginning the node is in sync, or has detected that it is not. The rest relates the states of clock
    // and sequencer.
    always @* begin
        if (syncs > 0) assert (in_sync || muted);
        if (syncs > 0) assert (past_calm && begun);
        assert (syncs <= 2);
        if (past_calm) assert (dut_was_high == past_level);
        assert (phase < 2 * LINKS);
        assert (clk_running == past_enable && (clk_running || !begun));
        assert (clock_phase < 2 * LINKS);
        if (!clk_running) assert (!phase_clock && clock_phase == 0);
        if (!begun) begin
            assert (!past_level && past_phase == 0 && clock_phase == 0);
            assert (phase_clock == clk_running);
        end else if (phase_clock && !past_level) begin
            assert (clock_phase == (past_phase == 2 * LINKS - 1 ? 0 : past_phase + 1));
        end else if (clk_running) begin
            assert (clock_phase == past_phase);
        end
    end
`endif
endmodule

// A phase clock, and the sequencer of a node that it drives.
//
// LINKS: links of the node and dimensions of the clock. STOPS: 1 removes the assumption that a running schedule is
// not stopped.
module proof (
    input wire             clock,
    input wire             enable,
    input wire [15:0]      divider,
    input wire [LINKS-1:0] sides
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
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .sides(sides),
        .begin_(begins), .phase(phase), .dim(dim), .transmit(transmit),
        .muted(muted), .slips(slips)
   );

    reg       begun = 0, past_level = 0, past_enable = 0;
    reg [4:0] past_phase = 0;
    (* of = "clk.running" *) wire clk_running;
    (* of = "dut.was_high" *) wire dut_was_high;
    always @(posedge clock) begin
        begun       <= clk_running;
        past_phase  <= clock_phase;
        past_level  <= phase_clock;
        past_enable <= enable;
    end

    always @* begin
        assume (`STOPS || enable || !past_enable);

        // From the first tick on, the node's phase equals the clock's phase one clock cycle earlier.
        if (begun) begin
            in_sync: assert (!muted && phase == past_phase);
        end else begin
            waits: assert (muted && phase == 0);
        end
        no_slip: assert (slips == 0);
    end

`ifndef CLAIM_ONLY
    // Relation between the states of clock and sequencer.
    always @* begin
        assert (dut_was_high == past_level);
        assert (clock_phase < 2 * LINKS);
        assert (`STOPS || (clk_running == past_enable && (clk_running || !begun)));
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

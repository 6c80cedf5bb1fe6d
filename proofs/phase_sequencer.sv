// The phase sequencer of a node, for any signals on its wires.
//
// LINKS: links of the node, 1 to 16.
module proof (
    input wire             clock,
    input wire             phase_clock,
    input wire             sync,
    input wire [LINKS-1:0] sides
);
    parameter LINKS = `LINKS;
    localparam LAST = 2 * LINKS - 1;

    wire        begins, transmit, muted;
    wire [4:0]  phase;
    wire [3:0]  dim;
    wire [15:0] slips;

    phase_sequencer dut (
        .clock(clock), .phase_clock(phase_clock), .sync(sync), .sides(sides),
        .begin_(begins), .phase(phase), .dim(dim), .transmit(transmit),
        .muted(muted), .slips(slips)
   );

    // Values of the previous clock cycle. The phase clock was low before the start.
    reg        past = 0;
    reg        past_clock = 0, past_sync, past_muted, rose = 0;
    reg [4:0]  past_phase;
    reg [15:0] past_slips;
    always @(posedge clock) begin
        past       <= 1;
        past_clock <= phase_clock;
        past_sync  <= sync;
        past_muted <= muted;
        past_phase <= phase;
        past_slips <= slips;
        rose       <= phase_clock && !past_clock;
    end

    // The node's own record of edges matches the actual edges.
    (* of = "dut.was_high" *) wire dut_was_high;
    always @* edges: assert (dut_was_high == past_clock);

    wire agreed = past_sync == (past_phase == LAST);

    always @* begin
        // The schedule: in phase 2d the nodes with address bit d clear transmit on link d, in phase 2d + 1 those with
        // the bit set. A muted node does not transmit.
        in_superframe: assert (phase <= LAST);
        link: assert (dim == phase / 2);
        turn: assert (transmit == (!muted && sides[phase / 2] == phase % 2));

        if (!past) begin
            begins_muted: assert (muted && !begins && slips == 0);
        end else if (!rose) begin
            holds: assert (phase == past_phase && muted == past_muted && slips == past_slips && !begins);
        end else if (past_muted) begin
            rejoins: assert (muted == !past_sync && (muted || phase == 0) && slips == past_slips);
            rejoined: assert (begins == !muted);
        end else if (agreed) begin
            counts: assert (phase == (past_phase == LAST ? 0 : past_phase + 1));
            goes_on: assert (!muted && begins && slips == past_slips);
        end else begin
            slip: assert (muted && !begins && slips == past_slips + 16'd1);
        end
    end
endmodule

// A column of the CM-1's heart, with the paper's 7 rows, for any bits on them.
//
// FIRST: the column is the first one. Its rows arrive with arbitrary gaps, and a message may fall to any lower row.
// The rows of other columns arrive packed, except the highest row. There a message that stays falls by at most one
// row, except the message in the highest row. SITE_0 to SITE_3: the last switch of the sites in these rows.
module proof (
    input wire       clock,
    input wire [6:0] row,
    input wire       decide,
    input wire       hold,
    input wire       turn,
    input wire       parity
);
    wire [5:0] moved;
    wire       cube_out;
`ifdef FIRST
    localparam FIRST = 1;
    first_column dut (
`else
    localparam FIRST = 0;
    heart_column dut (
`endif
        .clock(clock), .row_0(row[0]), .row_1(row[1]), .row_2(row[2]), .row_3(row[3]), .row_4(row[4]), .row_5(row[5]), .row_6(row[6]),
        .decide(decide), .hold(hold), .turn(turn), .parity(parity),
        .moved_0(moved[0]), .moved_1(moved[1]), .moved_2(moved[2]), .moved_3(moved[3]), .moved_4(moved[4]), .moved_5(moved[5]),
        .cube_out(cube_out)
    );
    (* of = "dut.sites_0.switch_{0:SITE_0}" *) wire [`SITE_0:0] switch_0;
    (* of = "dut.sites_1.switch_{0:SITE_1}" *) wire [`SITE_1:0] switch_1;
    (* of = "dut.sites_2.switch_{0:SITE_2}" *) wire [`SITE_2:0] switch_2;
    (* of = "dut.sites_3.switch_{0:SITE_3}" *) wire [`SITE_3:0] switch_3;
    (* of = "dut.sites_4.switch_{0:2}" *) wire [2:0] switch_4;
    (* of = "dut.sites_5.switch_{0:1}" *) wire [1:0] switch_5;
    (* of = "dut.sites_6.switch_{0:6}" *) wire [6:0] switch_6;
    (* of = "dut.sites_0.first" *) wire first_0;
    (* of = "dut.sites_1.first" *) wire first_1;
    (* of = "dut.sites_2.first" *) wire first_2;
    (* of = "dut.sites_3.first" *) wire first_3;
    (* of = "dut.sites_4.first" *) wire first_4;
    (* of = "dut.sites_5.first" *) wire first_5;
    (* of = "dut.sites_6.first" *) wire first_6;

    // Bit that arrived last in each row: MSGP when the column decides.
    wire [6:0] held = {first_6, first_5, first_4, first_3, first_2, first_1, first_0};
    // Bits at the switch: the ones that arrived last, or the ones that overtake them.
    wire [6:0] passed = hold ? row : held;

    // Specification: the lowest message that differs crosses. If none differs and all rows are full, the highest
    // crosses. The others stay, in order.
    wire [6:0] wants = held & row;
    reg  [6:0] across;
    always @* begin
        across = wants & (~wants + 7'd1);
        if (wants == 0 && held == 7'h7f) across = 7'h40;
    end
    wire [6:0] staying = held & ~across;
    function [3:0] ones;
        input [6:0] of;
        ones = of[0] + of[1] + of[2] + of[3] + of[4] + of[5] + of[6];
    endfunction

    // Last decision: for each site the row whose message it passes on, one-hot, 7 bits per site, the wire's site
    // last. Also the bits of the previous clock cycle.
    reg        past = 0, past_decide, past_invert;
    reg [6:0]  past_passed;
    reg [48:0] from = 0, from_now;
    integer    j, r;
    always @* begin
        // A message that stays, with j others below it that stay, goes to row j.
        for (j = 0; j < 6; j = j + 1)
            for (r = 0; r < 7; r = r + 1)
                from_now[7 * j + r] = staying[r] && ones(staying & ((7'd1 << r) - 7'd1)) == j;
        from_now[48:42] = across;
    end
    always @(posedge clock) begin
        past        <= 1;
        past_decide <= decide;
        past_passed <= passed;
        past_invert <= turn || parity;
        if (decide) from <= from_now;
    end

    // Bits of these messages, MSGP first; the messages that the current decision passes on, as a set and as a number.
    reg [6:0] carried, went;
    reg [3:0] many;
    always @* begin
        went = 0;
        many = 0;
        for (j = 0; j < 7; j = j + 1) begin
            carried[j] = past_decide ? from[7 * j +: 7] != 0 : (from[7 * j +: 7] & past_passed) != 0;
            went = went | from_now[7 * j +: 7];
            many = many + ones(from_now[7 * j +: 7]);
        end
    end
    always @* begin
        // The rows arrive packed, except the highest row.
        if (!FIRST) assume (!decide || (held[5:0] & (held[5:0] + 6'd1)) == 0);
        // Every message is passed on exactly once. The messages that stay fill the lowest rows in order.
        if (decide) none_lost: assert (went == held && many == ones(held));
        // After the decision MSGP is passed on, then bit after bit of the same message.
        if (past) stays: assert (moved == carried[5:0]);
        if (past) cross: assert (cube_out == (from[48:42] != 0 && (past_decide || (carried[6] ^ past_invert))));
    end

`ifndef CLAIM_ONLY
    // The switches match the decision: switch k of row j takes the message of row j + k. In other columns than the
    // first, the third switch takes the message of the highest row.
    function [6:0] set;
        input [6:0] switches;
        input [2:0] site;
        set = FIRST ? switches << site : {switches[2], {6{1'b0}}} | ({5'd0, switches[1:0]} << site);
    endfunction
    always @* begin
        assert (from[6:0] == set(switch_0, 0));
        assert (from[13:7] == set(switch_1, 1));
        assert (from[20:14] == set(switch_2, 2));
        assert (from[27:21] == set(switch_3, 3));
        assert (from[34:28] == set(switch_4, 4));
        assert (from[41:35] == set(switch_5, 5));
        assert (from[48:42] == switch_6);
    end
`endif
endmodule

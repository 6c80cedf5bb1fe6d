// The first column of the CM-1's heart, with the paper's 7 rows, for any bits on them and any gaps between them.
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
    first_column dut (
        .clock(clock), .row_0(row[0]), .row_1(row[1]), .row_2(row[2]), .row_3(row[3]), .row_4(row[4]), .row_5(row[5]), .row_6(row[6]),
        .decide(decide), .hold(hold), .turn(turn), .parity(parity),
        .moved_0(moved[0]), .moved_1(moved[1]), .moved_2(moved[2]), .moved_3(moved[3]), .moved_4(moved[4]), .moved_5(moved[5]),
        .cube_out(cube_out)
    );
    (* of = "dut.sites_0.switch_0" *) wire site_0_switch_0;
    (* of = "dut.sites_0.switch_1" *) wire site_0_switch_1;
    (* of = "dut.sites_0.switch_2" *) wire site_0_switch_2;
    (* of = "dut.sites_0.switch_3" *) wire site_0_switch_3;
    (* of = "dut.sites_0.switch_4" *) wire site_0_switch_4;
    (* of = "dut.sites_0.switch_5" *) wire site_0_switch_5;
    (* of = "dut.sites_0.switch_6" *) wire site_0_switch_6;
    (* of = "dut.sites_1.switch_0" *) wire site_1_switch_0;
    (* of = "dut.sites_1.switch_1" *) wire site_1_switch_1;
    (* of = "dut.sites_1.switch_2" *) wire site_1_switch_2;
    (* of = "dut.sites_1.switch_3" *) wire site_1_switch_3;
    (* of = "dut.sites_1.switch_4" *) wire site_1_switch_4;
    (* of = "dut.sites_1.switch_5" *) wire site_1_switch_5;
    (* of = "dut.sites_2.switch_0" *) wire site_2_switch_0;
    (* of = "dut.sites_2.switch_1" *) wire site_2_switch_1;
    (* of = "dut.sites_2.switch_2" *) wire site_2_switch_2;
    (* of = "dut.sites_2.switch_3" *) wire site_2_switch_3;
    (* of = "dut.sites_2.switch_4" *) wire site_2_switch_4;
    (* of = "dut.sites_3.switch_0" *) wire site_3_switch_0;
    (* of = "dut.sites_3.switch_1" *) wire site_3_switch_1;
    (* of = "dut.sites_3.switch_2" *) wire site_3_switch_2;
    (* of = "dut.sites_3.switch_3" *) wire site_3_switch_3;
    (* of = "dut.sites_4.switch_0" *) wire site_4_switch_0;
    (* of = "dut.sites_4.switch_1" *) wire site_4_switch_1;
    (* of = "dut.sites_4.switch_2" *) wire site_4_switch_2;
    (* of = "dut.sites_5.switch_0" *) wire site_5_switch_0;
    (* of = "dut.sites_5.switch_1" *) wire site_5_switch_1;
    (* of = "dut.sites_6.switch_0" *) wire site_6_switch_0;
    (* of = "dut.sites_6.switch_1" *) wire site_6_switch_1;
    (* of = "dut.sites_6.switch_2" *) wire site_6_switch_2;
    (* of = "dut.sites_6.switch_3" *) wire site_6_switch_3;
    (* of = "dut.sites_6.switch_4" *) wire site_6_switch_4;
    (* of = "dut.sites_6.switch_5" *) wire site_6_switch_5;
    (* of = "dut.sites_6.switch_6" *) wire site_6_switch_6;
    (* of = "dut.sites_0.first" *) wire site_0_first;
    (* of = "dut.sites_1.first" *) wire site_1_first;
    (* of = "dut.sites_2.first" *) wire site_2_first;
    (* of = "dut.sites_3.first" *) wire site_3_first;
    (* of = "dut.sites_4.first" *) wire site_4_first;
    (* of = "dut.sites_5.first" *) wire site_5_first;
    (* of = "dut.sites_6.first" *) wire site_6_first;

    // The bit that came last in each row: MSGP when the column decides.
    wire [6:0] held = {site_6_first, site_5_first, site_4_first, site_3_first, site_2_first, site_1_first, site_0_first};
    // The bits at the switch: those that came last, or those that overtake them.
    wire [6:0] passed = hold ? row : held;

    // What must become of the messages: the lowest that differs crosses; if none does and all rows are full,
    // the highest. The others stay, in order.
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
    // The row of the message that has so many below it.
    function [2:0] nth;
        input [6:0] of;
        input [3:0] below;
        nth = of[0] && below == 0 ? 0
            : of[1] && ones(of & 7'h01) == below ? 1
            : of[2] && ones(of & 7'h03) == below ? 2
            : of[3] && ones(of & 7'h07) == below ? 3
            : of[4] && ones(of & 7'h0f) == below ? 4
            : of[5] && ones(of & 7'h1f) == below ? 5 : 6;
    endfunction
    reg [2:0] now_0, now_1, now_2, now_3, now_4, now_5;
    always @* begin
        now_0 = nth(staying, 0);
        now_1 = nth(staying, 1);
        now_2 = nth(staying, 2);
        now_3 = nth(staying, 3);
        now_4 = nth(staying, 4);
        now_5 = nth(staying, 5);
    end

    // What was decided last, and the bits one clock cycle ago.
    reg       past = 0, past_decide, past_invert, crosses = 0;
    reg [6:0] past_passed;
    reg [3:0] stays = 0;
    reg [2:0] crossing;
    reg [2:0] source_0, source_1, source_2, source_3, source_4, source_5;
    always @(posedge clock) begin
        past        <= 1;
        past_decide <= decide;
        past_passed <= passed;
        past_invert <= turn || parity;
        if (decide) begin
            stays    <= ones(staying);
            crosses  <= across != 0;
            crossing <= nth(across, 0);
            source_0 <= now_0;
            source_1 <= now_1;
            source_2 <= now_2;
            source_3 <= now_3;
            source_4 <= now_4;
            source_5 <= now_5;
        end
    end

    always @* begin
        // Every message goes on, once; those that stay fill the lowest rows in order.
        none_lost: assert (!decide || ones(held) == ones(staying) + (across != 0));
        fits: assert (stays <= 6);
        // Behind the decision MSGP goes on, then bit after bit of the same message.
        if (past) begin
            stays_0: assert (moved[0] == (past_decide ? stays > 0 : stays > 0 && past_passed[source_0]));
            stays_1: assert (moved[1] == (past_decide ? stays > 1 : stays > 1 && past_passed[source_1]));
            stays_2: assert (moved[2] == (past_decide ? stays > 2 : stays > 2 && past_passed[source_2]));
            stays_3: assert (moved[3] == (past_decide ? stays > 3 : stays > 3 && past_passed[source_3]));
            stays_4: assert (moved[4] == (past_decide ? stays > 4 : stays > 4 && past_passed[source_4]));
            stays_5: assert (moved[5] == (past_decide ? stays > 5 : stays > 5 && past_passed[source_5]));
            cross: assert (cube_out == (crosses && (past_decide || (past_passed[crossing] ^ past_invert))));
        end
    end

`ifndef CLAIM_ONLY
    // The switches are set as was decided.
    always @* begin
        assert (site_0_switch_0 == (stays > 0 && source_0 == 0));
        assert (site_0_switch_1 == (stays > 0 && source_0 == 1));
        assert (site_0_switch_2 == (stays > 0 && source_0 == 2));
        assert (site_0_switch_3 == (stays > 0 && source_0 == 3));
        assert (site_0_switch_4 == (stays > 0 && source_0 == 4));
        assert (site_0_switch_5 == (stays > 0 && source_0 == 5));
        assert (site_0_switch_6 == (stays > 0 && source_0 == 6));
        assert (site_1_switch_0 == (stays > 1 && source_1 == 1));
        assert (site_1_switch_1 == (stays > 1 && source_1 == 2));
        assert (site_1_switch_2 == (stays > 1 && source_1 == 3));
        assert (site_1_switch_3 == (stays > 1 && source_1 == 4));
        assert (site_1_switch_4 == (stays > 1 && source_1 == 5));
        assert (site_1_switch_5 == (stays > 1 && source_1 == 6));
        assert (site_2_switch_0 == (stays > 2 && source_2 == 2));
        assert (site_2_switch_1 == (stays > 2 && source_2 == 3));
        assert (site_2_switch_2 == (stays > 2 && source_2 == 4));
        assert (site_2_switch_3 == (stays > 2 && source_2 == 5));
        assert (site_2_switch_4 == (stays > 2 && source_2 == 6));
        assert (site_3_switch_0 == (stays > 3 && source_3 == 3));
        assert (site_3_switch_1 == (stays > 3 && source_3 == 4));
        assert (site_3_switch_2 == (stays > 3 && source_3 == 5));
        assert (site_3_switch_3 == (stays > 3 && source_3 == 6));
        assert (site_4_switch_0 == (stays > 4 && source_4 == 4));
        assert (site_4_switch_1 == (stays > 4 && source_4 == 5));
        assert (site_4_switch_2 == (stays > 4 && source_4 == 6));
        assert (site_5_switch_0 == (stays > 5 && source_5 == 5));
        assert (site_5_switch_1 == (stays > 5 && source_5 == 6));
        assert (site_6_switch_0 == (crosses && crossing == 0));
        assert (site_6_switch_1 == (crosses && crossing == 1));
        assert (site_6_switch_2 == (crosses && crossing == 2));
        assert (site_6_switch_3 == (crosses && crossing == 3));
        assert (site_6_switch_4 == (crosses && crossing == 4));
        assert (site_6_switch_5 == (crosses && crossing == 5));
        assert (site_6_switch_6 == (crosses && crossing == 6));
        assert (stays <= 6);
        if (stays > 0) assert (source_0 < 7);
        if (stays > 1) assert (source_1 >= 1 && source_1 < 7);
        if (stays > 2) assert (source_2 >= 2 && source_2 < 7);
        if (stays > 3) assert (source_3 >= 3 && source_3 < 7);
        if (stays > 4) assert (source_4 >= 4 && source_4 < 7);
        if (stays > 5) assert (source_5 >= 5 && source_5 < 7);
        assert (!crosses || crossing < 7);
    end
`endif
endmodule

// The injector of the CM-1, with the paper's 7 rows and 4 processors: fewer than rows, so that of several
// rows that would go back to a processor one must wait.
module proof (
    input wire       clock,
    input wire       start,
    input wire       drain,
    input wire [6:0] kept,
    input wire [6:0] buffered,
    input wire [3:0] send
);
    wire [3:0] acknowledge, returned;
    wire [6:0] row;
    injector dut (
        .clock(clock), .start(start), .drain(drain),
        .kept_0(kept[0]), .kept_1(kept[1]), .kept_2(kept[2]), .kept_3(kept[3]), .kept_4(kept[4]), .kept_5(kept[5]), .kept_6(kept[6]),
        .buffered_0(buffered[0]), .buffered_1(buffered[1]), .buffered_2(buffered[2]), .buffered_3(buffered[3]), .buffered_4(buffered[4]), .buffered_5(buffered[5]), .buffered_6(buffered[6]),
        .send_0(send[0]), .send_1(send[1]), .send_2(send[2]), .send_3(send[3]), .acknowledge_0(acknowledge[0]), .acknowledge_1(acknowledge[1]), .acknowledge_2(acknowledge[2]), .acknowledge_3(acknowledge[3]),
        .returned_0(returned[0]), .returned_1(returned[1]), .returned_2(returned[2]), .returned_3(returned[3]),
        .row_0(row[0]), .row_1(row[1]), .row_2(row[2]), .row_3(row[3]), .row_4(row[4]), .row_5(row[5]), .row_6(row[6])
    );
    (* of = "dut.rows_0.passing" *) wire row_0_passing;
    (* of = "dut.rows_1.passing" *) wire row_1_passing;
    (* of = "dut.rows_2.passing" *) wire row_2_passing;
    (* of = "dut.rows_3.passing" *) wire row_3_passing;
    (* of = "dut.rows_4.passing" *) wire row_4_passing;
    (* of = "dut.rows_5.passing" *) wire row_5_passing;
    (* of = "dut.rows_6.passing" *) wire row_6_passing;
    (* of = "dut.rows_0.taken_0" *) wire row_0_taken_0;
    (* of = "dut.rows_0.taken_1" *) wire row_0_taken_1;
    (* of = "dut.rows_0.taken_2" *) wire row_0_taken_2;
    (* of = "dut.rows_0.taken_3" *) wire row_0_taken_3;
    (* of = "dut.rows_1.taken_0" *) wire row_1_taken_0;
    (* of = "dut.rows_1.taken_1" *) wire row_1_taken_1;
    (* of = "dut.rows_1.taken_2" *) wire row_1_taken_2;
    (* of = "dut.rows_1.taken_3" *) wire row_1_taken_3;
    (* of = "dut.rows_2.taken_0" *) wire row_2_taken_0;
    (* of = "dut.rows_2.taken_1" *) wire row_2_taken_1;
    (* of = "dut.rows_2.taken_2" *) wire row_2_taken_2;
    (* of = "dut.rows_2.taken_3" *) wire row_2_taken_3;
    (* of = "dut.rows_3.taken_0" *) wire row_3_taken_0;
    (* of = "dut.rows_3.taken_1" *) wire row_3_taken_1;
    (* of = "dut.rows_3.taken_2" *) wire row_3_taken_2;
    (* of = "dut.rows_3.taken_3" *) wire row_3_taken_3;
    (* of = "dut.rows_4.taken_0" *) wire row_4_taken_0;
    (* of = "dut.rows_4.taken_1" *) wire row_4_taken_1;
    (* of = "dut.rows_4.taken_2" *) wire row_4_taken_2;
    (* of = "dut.rows_4.taken_3" *) wire row_4_taken_3;
    (* of = "dut.rows_5.taken_0" *) wire row_5_taken_0;
    (* of = "dut.rows_5.taken_1" *) wire row_5_taken_1;
    (* of = "dut.rows_5.taken_2" *) wire row_5_taken_2;
    (* of = "dut.rows_5.taken_3" *) wire row_5_taken_3;
    (* of = "dut.rows_6.taken_0" *) wire row_6_taken_0;
    (* of = "dut.rows_6.taken_1" *) wire row_6_taken_1;
    (* of = "dut.rows_6.taken_2" *) wire row_6_taken_2;
    (* of = "dut.rows_6.taken_3" *) wire row_6_taken_3;
    (* of = "dut.returning_0" *) wire row_0_returning;
    (* of = "dut.returning_1" *) wire row_1_returning;
    (* of = "dut.returning_2" *) wire row_2_returning;
    (* of = "dut.returning_3" *) wire row_3_returning;
    (* of = "dut.returning_4" *) wire row_4_returning;
    (* of = "dut.returning_5" *) wire row_5_returning;
    (* of = "dut.returning_6" *) wire row_6_returning;

    function [4:0] ones;
        input [6:0] of;
        ones = of[0] + of[1] + of[2] + of[3] + of[4] + of[5] + of[6];
    endfunction

    // What must become of the messages. The empty row that has so many empty ones below it takes the processor
    // that has as many below it that offer. 4 bits to a row.
    wire [6:0]  empty = ~kept;
    wire [3:0]  offers = drain ? 4'd0 : send;
    reg  [27:0] takes_now;
    integer     r, p;
    always @* begin
        for (r = 0; r < 7; r = r + 1)
            for (p = 0; p < 4; p = p + 1)
                takes_now[4 * r + p] = empty[r] && offers[p]
                    && ones(empty & ((7'd1 << r) - 7'd1)) == ones(offers & ((4'd1 << p) - 4'd1));
    end
    // Of the rows 0 and 4, 1 and 5, 2 and 6, which are for one processor, the lower goes back first.
    wire [6:0] returns_now = drain ? kept & ~{kept[2:0], 4'd0} : 7'd0;
    wire [6:0] passes_now = kept & ~returns_now;

    // What was decided last.
    reg  [6:0]  passing = 0, returning = 0;
    reg  [27:0] taken = 0;
    wire [6:0]  passes = start ? passes_now : passing;
    wire [6:0]  returns = start ? returns_now : returning;
    wire [27:0] takes = start ? takes_now : taken;
    always @(posedge clock) begin
        passing   <= passes;
        returning <= returns;
        taken     <= takes;
    end
    wire [3:0] taken_somewhere = takes_now[3:0] | takes_now[7:4] | takes_now[11:8] | takes_now[15:12]
        | takes_now[19:16] | takes_now[23:20] | takes_now[27:24];
    wire [4:0] offered = ones(offers), room = ones(empty);

    always @* begin
        // Each row carries its buffered message, or that of its processor, or nothing.
        row_0: assert (row[0] == (passes[0] ? buffered[0] : |(takes[3:0] & send)));
        row_1: assert (row[1] == (passes[1] ? buffered[1] : |(takes[7:4] & send)));
        row_2: assert (row[2] == (passes[2] ? buffered[2] : |(takes[11:8] & send)));
        row_3: assert (row[3] == (passes[3] ? buffered[3] : |(takes[15:12] & send)));
        row_4: assert (row[4] == (passes[4] ? buffered[4] : |(takes[19:16] & send)));
        row_5: assert (row[5] == (passes[5] ? buffered[5] : |(takes[23:20] & send)));
        row_6: assert (row[6] == (passes[6] ? buffered[6] : |(takes[27:24] & send)));
        // A message is acknowledged if and only if a row takes it; as many are taken as there is room for.
        acknowledged: assert (acknowledge == (start ? taken_somewhere : 4'd0));
        if (start) all_that_fit: assert (ones(acknowledge) == (offered < room ? offered : room));
        // No message has two rows, and no row two messages.
        once: assert (ones(takes_now[3:0]) + ones(takes_now[7:4]) + ones(takes_now[11:8]) + ones(takes_now[15:12])
            + ones(takes_now[19:16]) + ones(takes_now[23:20]) + ones(takes_now[27:24]) == ones(taken_somewhere));
        // What goes back.
        back: assert (returned == ((returns[3:0] & buffered[3:0]) | {1'b0, returns[6:4] & buffered[6:4]}));
        one_to_each: assert ((returns[2:0] & returns[6:4]) == 0);
    end

`ifndef CLAIM_ONLY
    // The rows keep to what was decided.
    always @* begin
        assert (passing == {row_6_passing, row_5_passing, row_4_passing, row_3_passing, row_2_passing, row_1_passing, row_0_passing});
        assert (returning == {row_6_returning, row_5_returning, row_4_returning, row_3_returning, row_2_returning, row_1_returning, row_0_returning});
        assert (taken[3:0] == {row_0_taken_3, row_0_taken_2, row_0_taken_1, row_0_taken_0});
        assert (taken[7:4] == {row_1_taken_3, row_1_taken_2, row_1_taken_1, row_1_taken_0});
        assert (taken[11:8] == {row_2_taken_3, row_2_taken_2, row_2_taken_1, row_2_taken_0});
        assert (taken[15:12] == {row_3_taken_3, row_3_taken_2, row_3_taken_1, row_3_taken_0});
        assert (taken[19:16] == {row_4_taken_3, row_4_taken_2, row_4_taken_1, row_4_taken_0});
        assert (taken[23:20] == {row_5_taken_3, row_5_taken_2, row_5_taken_1, row_5_taken_0});
        assert (taken[27:24] == {row_6_taken_3, row_6_taken_2, row_6_taken_1, row_6_taken_0});
        // No two of them in one.
        assert ((returning[2:0] & returning[6:4]) == 0);
        assert (!passing[0] || taken[3:0] == 0);
        assert (!passing[1] || taken[7:4] == 0);
        assert (!passing[2] || taken[11:8] == 0);
        assert (!passing[3] || taken[15:12] == 0);
        assert (!passing[4] || taken[19:16] == 0);
        assert (!passing[5] || taken[23:20] == 0);
        assert (!passing[6] || taken[27:24] == 0);
    end
`endif
endmodule

// The injector of the CM-1, with the paper's 7 rows.
//
// LAST: number of the last processor, 15 as in the paper, or 3. With 3 there are fewer processors than rows. If
// several rows would return to the same processor, all but one must wait. WIDE: there are 16 processors.
module proof (
    input wire          clock,
    input wire          start,
    input wire          drain,
    input wire [6:0]    stays,
    input wire [6:0]    buffered,
    input wire [LAST:0] send
);
    parameter LAST = `LAST;
    localparam COUNT = LAST + 1;
    wire [LAST:0] acknowledge, returned;
    wire [6:0]    row;
    injector dut (
        .clock(clock), .start(start), .drain(drain),
        .stays_0(stays[0]), .stays_1(stays[1]), .stays_2(stays[2]), .stays_3(stays[3]), .stays_4(stays[4]), .stays_5(stays[5]), .stays_6(stays[6]),
        .buffered_0(buffered[0]), .buffered_1(buffered[1]), .buffered_2(buffered[2]), .buffered_3(buffered[3]), .buffered_4(buffered[4]), .buffered_5(buffered[5]), .buffered_6(buffered[6]),
        .send_0(send[0]), .send_1(send[1]), .send_2(send[2]), .send_3(send[3]),
        .acknowledge_0(acknowledge[0]), .acknowledge_1(acknowledge[1]), .acknowledge_2(acknowledge[2]), .acknowledge_3(acknowledge[3]),
        .returned_0(returned[0]), .returned_1(returned[1]), .returned_2(returned[2]), .returned_3(returned[3]),
`ifdef WIDE
        .send_4(send[4]), .send_5(send[5]), .send_6(send[6]), .send_7(send[7]), .send_8(send[8]), .send_9(send[9]), .send_10(send[10]), .send_11(send[11]), .send_12(send[12]), .send_13(send[13]), .send_14(send[14]), .send_15(send[15]),
        .acknowledge_4(acknowledge[4]), .acknowledge_5(acknowledge[5]), .acknowledge_6(acknowledge[6]), .acknowledge_7(acknowledge[7]), .acknowledge_8(acknowledge[8]), .acknowledge_9(acknowledge[9]), .acknowledge_10(acknowledge[10]), .acknowledge_11(acknowledge[11]), .acknowledge_12(acknowledge[12]), .acknowledge_13(acknowledge[13]), .acknowledge_14(acknowledge[14]), .acknowledge_15(acknowledge[15]),
        .returned_4(returned[4]), .returned_5(returned[5]), .returned_6(returned[6]), .returned_7(returned[7]), .returned_8(returned[8]), .returned_9(returned[9]), .returned_10(returned[10]), .returned_11(returned[11]), .returned_12(returned[12]), .returned_13(returned[13]), .returned_14(returned[14]), .returned_15(returned[15]),
`endif
        .row_0(row[0]), .row_1(row[1]), .row_2(row[2]), .row_3(row[3]), .row_4(row[4]), .row_5(row[5]), .row_6(row[6])
    );
    (* of = "dut.returning_{0:6}" *) wire [6:0] rows_returning;
    (* of = "dut.rows_0.taken_{0:LAST}" *) wire [LAST:0] row_0_taken;
    (* of = "dut.rows_0.passing" *) wire row_0_passing;
    (* of = "dut.rows_1.taken_{0:LAST}" *) wire [LAST:0] row_1_taken;
    (* of = "dut.rows_1.passing" *) wire row_1_passing;
    (* of = "dut.rows_2.taken_{0:LAST}" *) wire [LAST:0] row_2_taken;
    (* of = "dut.rows_2.passing" *) wire row_2_passing;
    (* of = "dut.rows_3.taken_{0:LAST}" *) wire [LAST:0] row_3_taken;
    (* of = "dut.rows_3.passing" *) wire row_3_passing;
    (* of = "dut.rows_4.taken_{0:LAST}" *) wire [LAST:0] row_4_taken;
    (* of = "dut.rows_4.passing" *) wire row_4_passing;
    (* of = "dut.rows_5.taken_{0:LAST}" *) wire [LAST:0] row_5_taken;
    (* of = "dut.rows_5.passing" *) wire row_5_passing;
    (* of = "dut.rows_6.taken_{0:LAST}" *) wire [LAST:0] row_6_taken;
    (* of = "dut.rows_6.passing" *) wire row_6_passing;

    function [4:0] ones;
        input [15:0] of;
        integer      i;
        begin
            ones = 0;
            for (i = 0; i < 16; i = i + 1) ones = ones + of[i];
        end
    endfunction

    // Specification: an empty row takes the processor that has as many offering processors below it as the row has
    // empty rows below it. COUNT bits per row.
    wire [6:0]         empty = ~stays;
    wire [LAST:0]      offers = drain ? 0 : send;
    reg  [7*COUNT-1:0] takes_now;
    // A row returns to the processor of its number, modulo COUNT. Of several rows the lowest returns.
    reg  [6:0]         returns_now;
    integer            r, p;
    always @* begin
        for (r = 0; r < 7; r = r + 1)
            for (p = 0; p < COUNT; p = p + 1)
                takes_now[COUNT * r + p] = empty[r] && offers[p]
                    && ones(empty & ((7'd1 << r) - 7'd1)) == ones(offers & ((16'd1 << p) - 16'd1));
        returns_now = drain ? stays : 0;
        for (r = COUNT; r < 7; r = r + 1) if (stays[r - COUNT]) returns_now[r] = 0;
    end
    wire [6:0] passes_now = stays & ~returns_now;

    // Last decision.
    reg  [6:0]         passing = 0, returning = 0;
    reg  [7*COUNT-1:0] taken = 0;
    wire [6:0]         passes = start ? passes_now : passing;
    wire [6:0]         returns = start ? returns_now : returning;
    wire [7*COUNT-1:0] takes = start ? takes_now : taken;
    always @(posedge clock) begin
        passing   <= passes;
        returning <= returns;
        taken     <= takes;
    end

    // Over all rows: the bit that each row carries, the processors with a row, and the number of such pairs. Also the
    // bit returned to each processor, and whether two rows return to one.
    reg  [6:0]    carried;
    reg  [LAST:0] taken_somewhere, back_to;
    reg  [6:0]    pairs;
    reg           two_to_one;
    always @* begin
        taken_somewhere = 0;
        pairs = 0;
        back_to = 0;
        two_to_one = 0;
        for (r = 0; r < 7; r = r + 1) begin
            carried[r] = passes[r] ? buffered[r] : |(takes[COUNT * r +: COUNT] & send);
            taken_somewhere = taken_somewhere | takes_now[COUNT * r +: COUNT];
            pairs = pairs + ones(takes_now[COUNT * r +: COUNT]);
            back_to[r % COUNT] = back_to[r % COUNT] | (returns[r] & buffered[r]);
            if (r >= COUNT && returns[r] && returns[r - COUNT]) two_to_one = 1;
        end
    end
    wire [4:0] offered = ones(offers), room = ones(empty);

    always @* begin
        // Each row carries its buffered message, the message of its processor, or nothing.
        rows: assert (row == carried);
        // A message is acknowledged if and only if a row takes it. As many are taken as there is room for.
        acknowledged: assert (acknowledge == (start ? taken_somewhere : 0));
        if (start) all_that_fit: assert (ones(acknowledge) == (offered < room ? offered : room));
        // No message has two rows, and no row has two messages.
        once: assert (pairs == ones(taken_somewhere));
        // Messages that return to the processors.
        back: assert (returned == back_to);
        one_to_each: assert (!two_to_one);
    end

`ifndef CLAIM_ONLY
    // The rows keep the decision.
    always @* begin
        assert (passing == {row_6_passing, row_5_passing, row_4_passing, row_3_passing, row_2_passing, row_1_passing, row_0_passing});
        assert (returning == rows_returning);
        assert (taken == {row_6_taken, row_5_taken, row_4_taken, row_3_taken, row_2_taken, row_1_taken, row_0_taken});
        // No row returns to the same processor as another, and no row has two messages.
        assert (!two_to_one);
        for (r = 0; r < 7; r = r + 1) assert (!passing[r] || taken[COUNT * r +: COUNT] == 0);
    end
`endif
endmodule

// The ejector of the CM-1, with the paper's 7 rows and 16 processors.
//
// MODE: messages that are ejected at once. 0: all that have reached their chip, ORed. 1: the lowest row for each
// processor. 2: the lowest row. 3: as 1, of one bank.
module proof (
    input wire       clock,
    input wire [6:0] exit,
    input wire       enter,
    input wire       cube,
    input wire       proc,
    input wire       vp,
    input wire       bank,
    input wire       settle,
    input wire       sort,
    input wire       over
);
    wire [6:0]  stays, ejecting;
    wire [15:0] deliver, parity_error;
    ejector dut (
        .clock(clock), .enter(enter), .cube(cube), .proc(proc), .vp(vp), .bank(bank), .settle(settle), .sort(sort),
        .over(over),
        .exit_0(exit[0]), .exit_1(exit[1]), .exit_2(exit[2]), .exit_3(exit[3]), .exit_4(exit[4]), .exit_5(exit[5]), .exit_6(exit[6]),
        .stays_0(stays[0]), .stays_1(stays[1]), .stays_2(stays[2]), .stays_3(stays[3]), .stays_4(stays[4]), .stays_5(stays[5]), .stays_6(stays[6]),
        .ejecting_0(ejecting[0]), .ejecting_1(ejecting[1]), .ejecting_2(ejecting[2]), .ejecting_3(ejecting[3]), .ejecting_4(ejecting[4]), .ejecting_5(ejecting[5]), .ejecting_6(ejecting[6]),
        .deliver_0(deliver[0]), .deliver_1(deliver[1]), .deliver_2(deliver[2]), .deliver_3(deliver[3]), .deliver_4(deliver[4]), .deliver_5(deliver[5]), .deliver_6(deliver[6]), .deliver_7(deliver[7]), .deliver_8(deliver[8]), .deliver_9(deliver[9]), .deliver_10(deliver[10]), .deliver_11(deliver[11]), .deliver_12(deliver[12]), .deliver_13(deliver[13]), .deliver_14(deliver[14]), .deliver_15(deliver[15]),
        .parity_error_0(parity_error[0]), .parity_error_1(parity_error[1]), .parity_error_2(parity_error[2]), .parity_error_3(parity_error[3]), .parity_error_4(parity_error[4]), .parity_error_5(parity_error[5]), .parity_error_6(parity_error[6]), .parity_error_7(parity_error[7]), .parity_error_8(parity_error[8]), .parity_error_9(parity_error[9]), .parity_error_10(parity_error[10]), .parity_error_11(parity_error[11]), .parity_error_12(parity_error[12]), .parity_error_13(parity_error[13]), .parity_error_14(parity_error[14]), .parity_error_15(parity_error[15])
    );

    // State of each row since MSGP: it has a message; the message is for another chip, according to the address bits
    // so far; the processor; the number of ones is odd.
    reg [6:0]  message = 0, strays = 0, odd = 0;
    reg [27:0] processors = 0;
    wire [6:0] other_bank = `MODE == 3 && vp ? exit ^ {7{bank}} : 7'd0;
    wire [6:0] strayed = strays | (cube ? exit : 7'd0) | other_bank;
    wire [6:0] home = message & ~strayed;
    wire [27:0] addressed;
    genvar i;
    generate
        for (i = 0; i < 7; i = i + 1) begin : row
            // The lowest bit arrives first.
            assign addressed[4 * i +: 4] = proc ? {exit[i], processors[4 * i + 1 +: 3]} : processors[4 * i +: 4];
        end
    endgenerate
    always @(posedge clock) begin
        message <= enter ? exit : message;
        strays <= enter ? 7'd0 : strayed;
        odd <= enter ? 7'd0 : odd ^ exit;
        processors <= addressed;
    end

    // An arbitrary processor.
    (* anyconst *) wire [3:0] processor;

    // Rows that are ejected if the decision is made now: those at their chip, with no rival in a lower row.
    reg [6:0] goes;
    integer r, q;
    always @* begin
        goes = home;
        for (r = 1; r < 7; r = r + 1)
            for (q = 0; q < r; q = q + 1)
                if (home[q] && (`MODE == 2 || (`MODE != 0 && addressed[4 * q +: 4] == addressed[4 * r +: 4])))
                    goes[r] = 0;
    end

    // Rows that are ejected if all relevant bits have already arrived.
    wire [6:0] home_held = message & ~strays;
    wire [6:0] goes_held = `MODE == 2 ? home_held & (~home_held + 7'd1) : home_held;

    // Last decision: its time, rows and processors; also the bits of the previous clock cycle.
    reg [6:0]  going = 0, stayed = 0, late = 0;
    reg [27:0] places = 0;
    always @(posedge clock) begin
        if (over) going <= 0;
        if (sort) begin
            going <= goes;
            places <= addressed;
        end
        if (settle) stayed <= message & ~goes;
        late <= exit | {7{sort}};
    end
    // PROC-ADDRESS is stable from the decision on.
    always @* if (going != 0) assume (!proc);

    // Expected output at the processor.
    reg here, wrong;
    reg [2:0] rows;
    always @* begin
        here = 0;
        wrong = 0;
        rows = 0;
        for (r = 0; r < 7; r = r + 1)
            if (going[r] && places[4 * r +: 4] == processor) begin
                here = here | late[r];
                wrong = wrong | odd[r];
                rows = rows + 1;
            end
    end
    // The decision about ejected messages equals the decision about messages that stay. Either both are made at once,
    // or the processor addresses do not matter and no relevant bit arrives in between.
    reg       holds = 0, settled = 0;
    reg [6:0] message_before = 0;
    wire      held = !enter && (settle || (holds && (`MODE == 0 || `MODE == 2) && !cube));
    always @(posedge clock) begin
        holds <= held;
        settled <= sort && held;
        message_before <= message;
    end
    always @* begin
        delivered: assert (deliver[processor] == here);
        parity: assert (parity_error[processor] == (over && wrong));
        reported: assert (ejecting == going);
        rows_stay: assert (stays == stayed);
        // Each message is ejected or stays, never both.
        if (settled) once: assert ((ejecting ^ stays) == message_before && (ejecting & stays) == 0);
        if (`MODE == 1 || `MODE == 3) one_each: assert (rows <= 1);
        if (`MODE == 2) only_one: assert ((ejecting & (ejecting - 7'd1)) == 0);
    end

    // Induction invariants: each row knows the state of its message described above.
    (* of = "dut.rows_0.is_message" *) wire is_message_0;
    (* of = "dut.rows_0.away" *) wire away_0;
    (* of = "dut.rows_0.parity" *) wire parity_0;
    (* of = "dut.rows_0.shift_0" *) wire shift_0_0;
    (* of = "dut.rows_0.shift_1" *) wire shift_1_0;
    (* of = "dut.rows_0.shift_2" *) wire shift_2_0;
    (* of = "dut.rows_0.shift_3" *) wire shift_3_0;
    (* of = "dut.rows_1.is_message" *) wire is_message_1;
    (* of = "dut.rows_1.away" *) wire away_1;
    (* of = "dut.rows_1.parity" *) wire parity_1;
    (* of = "dut.rows_1.shift_0" *) wire shift_0_1;
    (* of = "dut.rows_1.shift_1" *) wire shift_1_1;
    (* of = "dut.rows_1.shift_2" *) wire shift_2_1;
    (* of = "dut.rows_1.shift_3" *) wire shift_3_1;
    (* of = "dut.rows_2.is_message" *) wire is_message_2;
    (* of = "dut.rows_2.away" *) wire away_2;
    (* of = "dut.rows_2.parity" *) wire parity_2;
    (* of = "dut.rows_2.shift_0" *) wire shift_0_2;
    (* of = "dut.rows_2.shift_1" *) wire shift_1_2;
    (* of = "dut.rows_2.shift_2" *) wire shift_2_2;
    (* of = "dut.rows_2.shift_3" *) wire shift_3_2;
    (* of = "dut.rows_3.is_message" *) wire is_message_3;
    (* of = "dut.rows_3.away" *) wire away_3;
    (* of = "dut.rows_3.parity" *) wire parity_3;
    (* of = "dut.rows_3.shift_0" *) wire shift_0_3;
    (* of = "dut.rows_3.shift_1" *) wire shift_1_3;
    (* of = "dut.rows_3.shift_2" *) wire shift_2_3;
    (* of = "dut.rows_3.shift_3" *) wire shift_3_3;
    (* of = "dut.rows_4.is_message" *) wire is_message_4;
    (* of = "dut.rows_4.away" *) wire away_4;
    (* of = "dut.rows_4.parity" *) wire parity_4;
    (* of = "dut.rows_4.shift_0" *) wire shift_0_4;
    (* of = "dut.rows_4.shift_1" *) wire shift_1_4;
    (* of = "dut.rows_4.shift_2" *) wire shift_2_4;
    (* of = "dut.rows_4.shift_3" *) wire shift_3_4;
    (* of = "dut.rows_5.is_message" *) wire is_message_5;
    (* of = "dut.rows_5.away" *) wire away_5;
    (* of = "dut.rows_5.parity" *) wire parity_5;
    (* of = "dut.rows_5.shift_0" *) wire shift_0_5;
    (* of = "dut.rows_5.shift_1" *) wire shift_1_5;
    (* of = "dut.rows_5.shift_2" *) wire shift_2_5;
    (* of = "dut.rows_5.shift_3" *) wire shift_3_5;
    (* of = "dut.rows_6.is_message" *) wire is_message_6;
    (* of = "dut.rows_6.away" *) wire away_6;
    (* of = "dut.rows_6.parity" *) wire parity_6;
    (* of = "dut.rows_6.shift_0" *) wire shift_0_6;
    (* of = "dut.rows_6.shift_1" *) wire shift_1_6;
    (* of = "dut.rows_6.shift_2" *) wire shift_2_6;
    (* of = "dut.rows_6.shift_3" *) wire shift_3_6;
`ifndef CLAIM_ONLY
    always @* begin
        assert (message == {is_message_6, is_message_5, is_message_4, is_message_3, is_message_2, is_message_1, is_message_0});
        assert (strays == {away_6, away_5, away_4, away_3, away_2, away_1, away_0});
        assert (odd == {parity_6, parity_5, parity_4, parity_3, parity_2, parity_1, parity_0});
        assert (processors[0 +: 4] == {shift_3_0, shift_2_0, shift_1_0, shift_0_0});
        assert (processors[4 +: 4] == {shift_3_1, shift_2_1, shift_1_1, shift_0_1});
        assert (processors[8 +: 4] == {shift_3_2, shift_2_2, shift_1_2, shift_0_2});
        assert (processors[12 +: 4] == {shift_3_3, shift_2_3, shift_1_3, shift_0_3});
        assert (processors[16 +: 4] == {shift_3_4, shift_2_4, shift_1_4, shift_0_4});
        assert (processors[20 +: 4] == {shift_3_5, shift_2_5, shift_1_5, shift_0_5});
        assert (processors[24 +: 4] == {shift_3_6, shift_2_6, shift_1_6, shift_0_6});
        for (r = 0; r < 7; r = r + 1)
            if (going[r]) assert (places[4 * r +: 4] == processors[4 * r +: 4]);
        if (holds && (`MODE == 0 || `MODE == 2)) assert (stayed == (message & ~goes_held));
    end
`endif
endmodule

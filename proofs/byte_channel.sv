// A channel of the byte networks with two virtual channels, including both ends.
module proof (
    input wire       clock,
    input wire [1:0] offer,
    input wire [7:0] flit_0,
    input wire [7:0] flit_1,
    input wire [1:0] take
);
    wire [1:0] sent, present, request, acknowledge;
    wire [7:0] arrived_0, arrived_1, data;

    byte_channel dut (
        .clock(clock), .offer_0(offer[0]), .offer_1(offer[1]), .flit_0(flit_0), .flit_1(flit_1),
        .sent_0(sent[0]), .sent_1(sent[1]), .present_0(present[0]), .present_1(present[1]),
        .arrived_0(arrived_0), .arrived_1(arrived_1), .take_0(take[0]), .take_1(take[1]),
        .data(data), .request(request), .acknowledge(acknowledge)
    );

    // For each virtual channel: a byte is in transit, and its value.
    reg [1:0] under_way = 0, past_offer = 0, past_sent = 0, past_request = 0;
    reg [7:0] byte_0, byte_1;
    always @(posedge clock) begin
        under_way <= (under_way & ~(take & present)) | sent;
        if (sent[0]) byte_0 <= flit_0;
        if (sent[1]) byte_1 <= flit_1;
        past_offer   <= offer;
        past_sent    <= sent;
        past_request <= request;
    end

    always @* begin
        // Each sent byte arrives once, and not before the previous byte was taken.
        arrives: assert (present == under_way);
        if (present[0]) whole_0: assert (arrived_0 == byte_0);
        if (present[1]) whole_1: assert (arrived_1 == byte_1);
        only_offered: assert ((sent & ~offer) == 0);
        no_overrun: assert ((sent & under_way) == 0);
        one_at_a_time: assert (sent != 3);
        // A virtual channel does not wait for the other one's receiver: if one is free and has a byte, one of the two
        // sends.
        never_idle: assert ((sent != 0) == ((offer & ~under_way) != 0));
        // Handshake: the request changes when a byte is sent, and the acknowledge follows when the byte was taken.
        handshake: assert (request == (past_request ^ past_sent));
        answered: assert ((request ^ acknowledge) == under_way);
    end

    (* of = "dut.receivers_0.full" *) wire full_0;
    (* of = "dut.receivers_1.full" *) wire full_1;
    (* of = "dut.receivers_0.latch" *) wire [7:0] latch_0;
    (* of = "dut.receivers_1.latch" *) wire [7:0] latch_1;
`ifndef CLAIM_ONLY
    always @* begin
        assert (full_0 == (under_way[0] && !past_sent[0]));
        assert (full_1 == (under_way[1] && !past_sent[1]));
        if (full_0) assert (latch_0 == byte_0);
        if (full_1) assert (latch_1 == byte_1);
        if (past_sent[0]) assert (data == byte_0 && under_way[0]);
        if (past_sent[1]) assert (data == byte_1 && under_way[1]);
        assert (past_sent != 3);
    end
`endif
endmodule

// A UART's receiver, and a sender whose clock differs from the receiver's.
//
// CLOCKS: clock cycles per bit of the receiver. PER_MILLE: maximum difference of the clocks in thousandths.
module proof (
    input wire       clock,
    input wire [7:0] data,
    // A byte begins, if none is in progress.
    input wire       start,
    // The current bit ends with this clock cycle.
    input wire       bit_ends
);
    localparam CLOCKS = `CLOCKS;
    localparam BITS = 12;
    localparam HALF = (CLOCKS - 3) / 2;
    // Time within the byte, as seen on the line, at which the receiver delivers it.
    localparam GIVEN = 1 + HALF + 9 * CLOCKS;

    reg        line = 1, past_line = 1;
    wire       valid, error;
    wire [7:0] received;

    uart_receiver receiver (
        .clock(clock), .rx(line), .clear(1'b0), .data(received), .valid(valid), .error(error)
    );

    // Byte on the line: its value, the current bit, and the time since the byte began.
    reg            busy = 0;
    reg [7:0]      sent;
    reg [3:0]      bit_index;
    reg [BITS-1:0] time_;
    // Time at which the current bit began.
    reg [BITS-1:0] began;
    wire [10:0] frame = {2'b11, sent, 1'b0};
    wire begins = start && (!busy || (bit_index == 9 && bit_ends));
    always @(posedge clock) begin
        past_line <= line;
        if (begins) begin
            line  <= 0;
            busy  <= 1;
            sent  <= data;
            bit_index <= 0;
            time_ <= 0;
            began <= 0;
        end else if (busy) begin
            time_ <= time_ + 1;
            if (bit_ends) begin
                began <= time_ + 1;
                bit_index <= bit_index + 1;
                line  <= bit_index == 9 || frame[bit_index + 1];
                if (bit_index == 9) busy <= 0;
            end
        end
    end

    // Nominal start of bit `n`, and whether the bit may begin at a given time. The clocks differ by up to PER_MILLE,
    // and detecting an edge adds up to one clock cycle.
    function allowed;
        input [3:0] n;
        input [BITS-1:0] at;
        reg [23:0] should, thousand;
        begin
            should = 1000 * CLOCKS * n;
            thousand = 1000 * at;
            allowed = n == 0 ? at == 0
                : thousand < should + `PER_MILLE * CLOCKS * n + 1000
                && thousand + `PER_MILLE * CLOCKS * n + 1000 > should;
        end
    endfunction
    // True if it is too late for bit `n` to begin.
    function late;
        input [3:0] n;
        input [BITS-1:0] at;
        late = 1000 * at >= 1000 * CLOCKS * n + `PER_MILLE * CLOCKS * n + 1000;
    endfunction

    always @* begin
        if (busy && bit_ends) assume (allowed(bit_index + 1, time_ + 1));
        if (busy && !bit_ends) assume (!late(bit_index + 1, time_ + 2));

        delivered: assert (valid == (busy && time_ == GIVEN));
        if (valid) unchanged: assert (received == sent);
        good: assert (!error);
    end

    // The byte and the time determine the state of both.
    (* of = "receiver.state" *) wire [1:0] receiver_state;
    (* of = "receiver.was_low" *) wire receiver_was_low;
    (* of = "receiver.elapsed" *) wire [15:0] receiver_elapsed;
    (* of = "receiver.count" *) wire [2:0] receiver_count;
    (* of = "receiver.shift" *) wire [7:0] receiver_shift;
    wire receiving = busy && time_ >= 1 && time_ <= GIVEN;
`ifndef CLAIM_ONLY
    always @* begin
        if (busy) begin
            assert (bit_index <= 9 && began <= time_ && allowed(bit_index, began) && !late(bit_index + 1, time_ + 1));
            assert (line == frame[bit_index]);
        end else begin
            assert (line);
        end
        assert (receiver_was_low == !past_line);
        if (!busy || time_ == 0) assert (past_line);
        if (receiving) begin
            if (time_ < 2 + HALF) begin
                assert (receiver_state == 1 && receiver_elapsed == time_ - 1 && receiver_count == 0);
            end else if (time_ < 2 + HALF + 8 * CLOCKS) begin
                assert (receiver_state == 2 && receiver_elapsed < CLOCKS);
                assert (time_ == 2 + HALF + receiver_count * CLOCKS + receiver_elapsed);
                assert ((receiver_shift >> (4'd8 - receiver_count)) == (sent & ((8'd1 << receiver_count) - 8'd1)));
            end else begin
                assert (receiver_state == 3 && receiver_elapsed == time_ - (2 + HALF + 8 * CLOCKS));
                assert (receiver_shift == sent);
            end
        end else begin
            assert (receiver_state == 0);
        end
        // The receiver has finished before a byte ends.
        if (busy && bit_index == 9 && bit_ends) assert (time_ >= GIVEN);
    end
`endif
endmodule

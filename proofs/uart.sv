// A UART's transmitter, a wire with one flip-flop, and a UART's receiver.
//
// SENDER, RECEIVER: clock cycles per bit of each.
module proof (
    input wire       clock,
    input wire [7:0] data,
    input wire       start
);
    localparam SENDER = `SENDER;
    localparam RECEIVER = `RECEIVER;
    localparam BITS = 12;
    // Time from the edge to the first sampling point.
    localparam HALF = (RECEIVER - 3) / 2;
    // Time within the byte at which the receiver delivers it.
    localparam GIVEN = 2 + HALF + 9 * RECEIVER;

    wire       ready, tx, valid, error;
    wire [7:0] received;
    reg        line = 1;

    uart_transmitter sender (.clock(clock), .data(data), .start(start), .ready(ready), .tx(tx));
    uart_receiver receiver (
        .clock(clock), .rx(line), .clear(1'b0), .data(received), .valid(valid), .error(error)
   );

    // Byte in transit: its value, the current bit, and the clock cycles since that bit and since the byte began.
    reg            busy = 0;
    reg [7:0]      sent;
    reg [3:0]      bit_index;
    reg [BITS-1:0] within, time_;
    reg            past_line = 1;
    wire last = within == SENDER - 1 && bit_index == 9;
    always @(posedge clock) begin
        line      <= tx;
        past_line <= line;
        if (start && ready) begin
            busy   <= 1;
            sent  <= data;
            bit_index  <= 0;
            within <= 0;
            time_  <= 0;
        end else if (last) begin
            busy <= 0;
        end else begin
            time_  <= time_ + 1;
            within <= within == SENDER - 1 ? 0 : within + 1;
            if (within == SENDER - 1) bit_index <= bit_index + 1;
        end
    end

    always @* begin
        // Every byte is delivered once, at a fixed time, unchanged.
        delivered: assert (valid == (busy && time_ == GIVEN));
        if (valid) unchanged: assert (received == sent);
        good: assert (!error);
        gapless: assert (ready == (!busy || last));
    end

    // The byte and the time determine the state of both.
    (* of = "sender.shift" *) wire [8:0] sender_shift;
    (* of = "sender.bits_left" *) wire [3:0] sender_bits_left;
    (* of = "sender.elapsed" *) wire [15:0] sender_elapsed;
    (* of = "receiver.state" *) wire [1:0] receiver_state;
    (* of = "receiver.was_low" *) wire receiver_was_low;
    (* of = "receiver.elapsed" *) wire [15:0] receiver_elapsed;
    (* of = "receiver.count" *) wire [2:0] receiver_count;
    (* of = "receiver.shift" *) wire [7:0] receiver_shift;
    wire [8:0] inverted = {~sent, 1'b1};

    wire [10:0] frame = {2'b11, sent, 1'b0};
    wire receiving = busy && time_ >= 2 && time_ <= GIVEN;
`ifndef CLAIM_ONLY
    always @* begin
        if (busy) begin
            assert (bit_index <= 9 && within < SENDER && time_ == bit_index * SENDER + within);
            assert (sender_bits_left == 10 - bit_index && sender_elapsed == within);
            assert (sender_shift == inverted >> bit_index);
            // The line is one clock cycle late.
            assert (line == (within == 0 ? (bit_index == 0 ? 1'b1 : frame[bit_index - 1]) : frame[bit_index]));
        end else begin
            assert (sender_bits_left == 0 && sender_elapsed == 0 && sender_shift == 0 && line);
        end
        assert (receiver_was_low == !past_line);
        if (busy && (time_ < 2 || time_ > GIVEN)) assert (past_line || (time_ <= GIVEN));
        if (!busy || time_ < 2) assert (past_line);
        if (receiving) begin
            if (time_ < 3 + HALF) begin
                assert (receiver_state == 1 && receiver_elapsed == time_ - 2);
                assert (receiver_count == 0);
            end else if (time_ < 3 + HALF + 8 * RECEIVER) begin
                assert (receiver_state == 2 && receiver_elapsed < RECEIVER);
                assert (time_ == 3 + HALF + receiver_count * RECEIVER + receiver_elapsed);
            end else begin
                assert (receiver_state == 3 && receiver_elapsed == time_ - (3 + HALF + 8 * RECEIVER));
                assert (receiver_shift == sent);
            end
            // The received bits are at the top of the register, the last one highest.
            if (receiver_state == 2)
                assert ((receiver_shift >> (4'd8 - receiver_count)) == (sent & ((8'd1 << receiver_count) - 8'd1)));
        end else begin
            assert (receiver_state == 0);
        end
    end
`endif
endmodule

// The UART of a sending node, the flip-flops of two pin muxes, and the UART of a receiving node.
//
// CLOCKS: clock cycles per bit of both.
module proof (
    input wire       clock,
    input wire [7:0] data,
    input wire       start,
    // Data that the receiver would send.
    input wire [7:0] idle_data
);
    localparam CLOCKS = `CLOCKS;
    localparam BITS = 12;
    localparam HALF = (CLOCKS - 3) / 2;
    // Time within the byte at which the receiver delivers it.
    localparam GIVEN = 3 + HALF + 9 * CLOCKS;

    wire       ready, tx, valid, error, other_tx;
    wire [7:0] received;
    reg        pulled = 0, line = 1, past_line = 1;

    half_duplex_uart sender (
        .clock(clock), .tx_data(data), .tx_start(start), .tx_ready(ready), .tx(tx), .rx(1'b1),
        .rx_clear(1'b0)
    );
    half_duplex_uart receiver (
        .clock(clock), .tx_data(idle_data), .tx_start(1'b0), .tx(other_tx), .rx(line),
        .rx_clear(1'b0), .rx_data(received), .rx_valid(valid), .rx_error(error)
    );

    // Byte in transit: its value, the current bit, and the clock cycles since that bit and since the byte began.
    reg            busy = 0;
    reg [7:0]      sent;
    reg [3:0]      bit_index;
    reg [BITS-1:0] within, time_;
    wire last = within == CLOCKS - 1 && bit_index == 9;
    always @(posedge clock) begin
        pulled    <= !tx;
        line      <= !pulled;
        past_line <= line;
        if (start && ready) begin
            busy   <= 1;
            sent   <= data;
            bit_index  <= 0;
            within <= 0;
            time_  <= 0;
        end else if (last) begin
            busy <= 0;
        end else begin
            time_  <= time_ + 1;
            within <= within == CLOCKS - 1 ? 0 : within + 1;
            if (within == CLOCKS - 1) bit_index <= bit_index + 1;
        end
    end

    always @* begin
        // Every byte is delivered once, at a fixed time, unchanged.
        delivered: assert (valid == (busy && time_ == GIVEN));
        if (valid) unchanged: assert (received == sent);
        good: assert (!error);
        gapless: assert (ready == (!busy || last));
        listens: assert (other_tx);
    end

    // The byte and the time determine the state of both UARTs.
    (* of = "sender.shift" *) wire [8:0] sender_shift;
    (* of = "sender.bits_left" *) wire [3:0] sender_bits_left;
    (* of = "sender.elapsed" *) wire [15:0] sender_elapsed;
    (* of = "sender.sending" *) wire sender_sending;
    (* of = "receiver.sending" *) wire receiver_sending;
    (* of = "receiver.was_low" *) wire receiver_was_low;
    (* of = "receiver.elapsed" *) wire [15:0] receiver_elapsed;
    (* of = "receiver.bits_left" *) wire [3:0] receiver_bits_left;
    (* of = "receiver.shift" *) wire [8:0] receiver_shift;
    wire [8:0] inverted = {~sent, 1'b1};
    wire [10:0] frame = {2'b11, sent, 1'b0};
    wire before = bit_index == 0 || frame[bit_index - 1];
    wire receiving = busy && time_ >= 3 && time_ <= GIVEN;
    // Number of data bits received.
    wire [3:0] bits_in = 9 - receiver_bits_left;
`ifndef CLAIM_ONLY
    always @* begin
        assert (sender_sending == busy && !receiver_sending);
        if (busy) begin
            assert (bit_index <= 9 && within < CLOCKS && time_ == bit_index * CLOCKS + within);
            assert (sender_bits_left == 10 - bit_index && sender_elapsed == within);
            assert (sender_shift == inverted >> bit_index);
            // The line is two clock cycles late.
            assert (pulled == !(within == 0 ? before : frame[bit_index]));
            assert (line == (within <= 1 ? before : frame[bit_index]));
        end else begin
            assert (sender_bits_left == 0 && !pulled && line);
        end
        assert (receiver_was_low == !past_line);
        if (!busy || time_ <= 2) assert (past_line);
        if (receiving) begin
            if (time_ < 4 + HALF) begin
                assert (receiver_bits_left == 10);
                assert (receiver_elapsed == CLOCKS - 1 - HALF + time_ - 3);
            end else begin
                assert (receiver_bits_left >= 1 && receiver_bits_left <= 9 && receiver_elapsed < CLOCKS);
                assert (time_ == 4 + HALF + bits_in * CLOCKS + receiver_elapsed);
                // The received bits are at the top of the register, inverted, the last one highest.
                assert ((receiver_shift >> (4'd9 - bits_in)) == ({1'b0, ~sent} & ((9'd1 << bits_in) - 9'd1)));
            end
        end else begin
            assert (receiver_bits_left == 0);
        end
    end
`endif
endmodule

////////////////////////////////////////////////////////////////////////////////
// uart_transmitter
//
// Sends bytes: 8N1, `CLOCKS` clock cycles per bit.
//
// A byte is taken in a clock cycle in which `start` and `ready` are high; its
// start bit begins with the next one. `ready` is high when idle and in the last
// clock cycle of a stop bit, so bytes can follow each other without a gap.
//
// Parameters
//   CLOCKS = 8
//
// Ports
//   name   direction  width  description
//   clock  input          1  everything changes on its rising edge
//   data   input          8  The byte to send.
//   start  input          1  Send it, if `ready`.
//   ready  output         1  A byte would be taken.
//   tx     output         1  The line, high when idle; straight from a flip-flop and an
//                            inverter.
////////////////////////////////////////////////////////////////////////////////
module uart_transmitter (
    input  wire       clock,
    input  wire [7:0] data,
    input  wire       start,
    output wire       ready,
    output wire       tx
);

    // What is still to be sent, inverted, the present bit lowest: zero is idle.
    reg [8:0]  shift;
    reg [8:0]  shift_next;
    reg [3:0]  bits_left;       // Bits of the byte that have not ended, the stop bit included.
    reg [3:0]  bits_left_next;
    reg [15:0] elapsed;         // Clock cycles of the present bit that have passed.
    reg [15:0] elapsed_next;

    wire idle = (bits_left == 4'd0);
    wire bit_ends = (elapsed == 16'd7);
    wire last_bit_ends = bit_ends & (bits_left == 4'd1);
    assign ready = idle | last_bit_ends;
    assign tx = !shift[0];

    always @* begin
        elapsed_next = elapsed;
        if (idle || bit_ends) begin
            elapsed_next = 16'd0;
        end else begin
            elapsed_next = (elapsed + 16'd1) & 16'd7;
        end
    end

    reg [8:0] inverted;
    always @* begin
        inverted = 9'd0;
        shift_next = shift;
        bits_left_next = bits_left;
        if (ready && start) begin
            inverted = {1'b0, ~data};
            shift_next = (inverted << 1) | 9'd1;
            bits_left_next = 4'd10;
        end else if (bit_ends && !idle) begin
            shift_next = shift >> 1;
            bits_left_next = bits_left - 4'd1;
        end
    end

    initial begin
        shift     = 9'd0;
        bits_left = 4'd0;
        elapsed   = 16'd0;
    end

    always @(posedge clock) begin
        shift     <= shift_next;
        bits_left <= bits_left_next;
        elapsed   <= elapsed_next;
    end

endmodule

////////////////////////////////////////////////////////////////////////////////
// uart_receiver
//
// Receives bytes: 8N1, `CLOCKS` clock cycles per bit.
//
// A falling edge of an idle line may be a start bit: it is one if the line is
// still low in the middle of the bit (the start-bit filter), else it is
// forgotten. Every further bit is read in its middle. `valid` or `error` is
// high for one clock cycle in the middle of the stop bit, where the receiver
// is ready for the next edge. With eight or more clock cycles per bit the clocks
// of sender and receiver may differ by 4 %, with fewer by 2.5 %.
//
// `rx` must come from a flip-flop of this clock.
//
// Parameters
//   CLOCKS = 8
//
// Ports
//   name   direction  width  description
//   clock  input          1  everything changes on its rising edge
//   rx     input          1  The line, high when idle.
//   clear  input          1  Forget the byte under way and take the line for idle.
//   data   output         8  The byte received; holds until the next one begins to come in.
//   valid  output         1  `data` is a byte with a good stop bit.
//   error  output         1  A byte ended without a stop bit.
////////////////////////////////////////////////////////////////////////////////
module uart_receiver (
    input  wire       clock,
    input  wire       rx,
    input  wire       clear,
    output wire [7:0] data,
    output reg        valid,
    output reg        error
);

    localparam [1:0] PLACE_IDLE  = 2'd0;
    localparam [1:0] PLACE_START = 2'd1;
    localparam [1:0] PLACE_DATA  = 2'd2;
    localparam [1:0] PLACE_STOP  = 2'd3;

    reg [1:0]  place;         // Place
    reg [1:0]  place_next;
    reg        was_low;       // Whether the line was low one clock cycle ago.
    reg        was_low_next;
    reg [15:0] elapsed;       // Clock cycles since the last sampling point, or since the edge.
    reg [15:0] elapsed_next;
    reg [2:0]  count;         // Data bits read so far.
    reg [2:0]  count_next;
    reg [7:0]  shift;
    reg [7:0]  shift_next;

    wire low = !rx;

    always @* begin
        was_low_next = was_low;
        was_low_next = low & !clear;
    end

    assign data = shift;
    wire half_bit = (elapsed == 16'd2);
    wire whole_bit = (elapsed == 16'd7);

    always @* begin
        place_next = place;
        elapsed_next = elapsed;
        count_next = count;
        shift_next = shift;
        elapsed_next = (elapsed + 16'd1) & 16'd7;
        valid = 1'b0;
        error = 1'b0;
        case (place)
            PLACE_IDLE: begin
                elapsed_next = 16'd0;
                count_next = 3'd0;
                if (low && !was_low) begin
                    place_next = PLACE_START;
                end
            end
            PLACE_START: begin
                if (half_bit) begin
                    elapsed_next = 16'd0;
                    place_next = low ? PLACE_DATA : PLACE_IDLE;
                end
            end
            PLACE_DATA: begin
                if (whole_bit) begin
                    elapsed_next = 16'd0;
                    shift_next = shift >> 1;
                    shift_next[7] = rx;
                    count_next = count + 3'd1;
                    if (count == 3'd7) begin
                        place_next = PLACE_STOP;
                    end
                end
            end
            default: begin // PLACE_STOP
                if (whole_bit) begin
                    valid = !low;
                    error = low;
                    place_next = PLACE_IDLE;
                end
            end
        endcase
        if (clear) begin
            place_next = PLACE_IDLE;
        end
    end

    initial begin
        place   = PLACE_IDLE;
        was_low = 1'b0;
        elapsed = 16'd0;
        count   = 3'd0;
        shift   = 8'd0;
    end

    always @(posedge clock) begin
        place   <= place_next;
        was_low <= was_low_next;
        elapsed <= elapsed_next;
        count   <= count_next;
        shift   <= shift_next;
    end

endmodule

////////////////////////////////////////////////////////////////////////////////
// uart
//
// A sender and a receiver: 8N1, `CLOCKS` clock cycles per bit.
//
// Parameters
//   CLOCKS = 8
//
// Ports
//   name      direction  width  description
//   clock     input          1  everything changes on its rising edge
//   tx_data   input          8  The byte to send.
//   tx_start  input          1  Send it, if `tx_ready`.
//   tx_ready  output         1  A byte would be taken.
//   tx        output         1  The line out, high when idle.
//   rx        input          1  The line in, high when idle, from a flip-flop.
//   rx_clear  input          1  Forget a byte that is coming in.
//   rx_data   output         8  The byte received.
//   rx_valid  output         1  High for one clock cycle when `rx_data` is a byte.
//   rx_error  output         1  High for one clock cycle when a byte ended without a stop bit.
////////////////////////////////////////////////////////////////////////////////
module uart (
    input  wire       clock,
    input  wire [7:0] tx_data,
    input  wire       tx_start,
    output wire       tx_ready,
    output wire       tx,
    input  wire       rx,
    input  wire       rx_clear,
    output wire [7:0] rx_data,
    output wire       rx_valid,
    output wire       rx_error
);

    wire transmitter_ready;
    wire transmitter_tx;

    wire [7:0] receiver_data;
    wire       receiver_valid;
    wire       receiver_error;

    assign tx_ready = transmitter_ready;
    assign tx = transmitter_tx;
    assign rx_data = receiver_data;
    assign rx_valid = receiver_valid;
    assign rx_error = receiver_error;

    uart_transmitter transmitter (
        .clock (clock),
        .data  (tx_data),
        .start (tx_start),
        .ready (transmitter_ready),
        .tx    (transmitter_tx)
    );

    uart_receiver receiver (
        .clock (clock),
        .rx    (rx),
        .clear (rx_clear),
        .data  (receiver_data),
        .valid (receiver_valid),
        .error (receiver_error)
    );

endmodule

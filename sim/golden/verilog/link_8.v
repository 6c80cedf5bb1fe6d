////////////////////////////////////////////////////////////////////////////////
// phase_clock_
//
// The one clock of the schedule: two wires that reach every node.
//
// `phase_clock` rises at the beginning of every phase and falls in its middle;
// `sync` is high in phase 0 and changes together with a rise. The first rise,
// in phase 0, comes one clock cycle after `enable`; taking `enable` away ends
// the schedule at the end of the phase. A new `divider` counts from the next
// half phase on.
//
// Parameters
//   DIMS = 1
//
// Ports
//   name         direction  width  description
//   clock        input          1  everything changes on its rising edge
//   enable       input          1  Run the schedule.
//   divider      input         16  Clock cycles in half a phase, less one; at least 1.
//   phase_clock  output         1  Rises at the beginning of every phase.
//   sync         output         1  High in phase 0.
//   phase        output         5  The phase under way, counted in the superframe.
//   frame        output        16  Superframes that have ended; wraps.
////////////////////////////////////////////////////////////////////////////////
module phase_clock_ (
    input  wire        clock,
    input  wire        enable,
    input  wire [15:0] divider,
    output wire        phase_clock,
    output wire        sync,
    output wire [4:0]  phase,
    output wire [15:0] frame
);

    reg        running;
    reg        running_next;
    reg        level;             // High in the first half of a phase.
    reg        level_next;
    reg [15:0] remaining;         // Clock cycles left of the half phase, less one.
    reg [15:0] remaining_next;
    reg [4:0]  phase_count;
    reg [4:0]  phase_count_next;
    reg [15:0] frame_count;
    reg [15:0] frame_count_next;

    assign phase_clock = level;
    assign phase = phase_count;
    assign sync = running & (phase_count == 5'd0);
    assign frame = frame_count;
    wire half_ends = (remaining == 16'd0);

    always @* begin
        remaining_next = remaining;
        if (half_ends || !running) begin
            remaining_next = divider;
        end else begin
            remaining_next = remaining - 16'd1;
        end
    end

    always @* begin
        running_next = running;
        level_next = level;
        phase_count_next = phase_count;
        frame_count_next = frame_count;
        if (!running) begin
            phase_count_next = 5'd0;
            running_next = enable;
            level_next = enable;
        end else if (half_ends && level) begin
            level_next = 1'b0;
        end else if (half_ends) begin
            running_next = enable;
            level_next = enable;
            if (phase_count == 5'd1) begin
                phase_count_next = 5'd0;
                frame_count_next = frame_count + 16'd1;
            end else begin
                phase_count_next = phase_count + 5'd1;
            end
        end
    end

    initial begin
        running     = 1'b0;
        level       = 1'b0;
        remaining   = 16'd0;
        phase_count = 5'd0;
        frame_count = 16'd0;
    end

    always @(posedge clock) begin
        running     <= running_next;
        level       <= level_next;
        remaining   <= remaining_next;
        phase_count <= phase_count_next;
        frame_count <= frame_count_next;
    end

endmodule

////////////////////////////////////////////////////////////////////////////////
// phase_sequencer
//
// A node's place in the schedule: counts phases and checks itself against
// `sync`.
//
// The node is muted until the first `sync`. When `sync` and its own count
// disagree at the beginning of a phase it counts a slip, is muted and joins
// again at the next `sync` after that.
//
// Parameters
//   DIMS = 1
//
// Ports
//   name         direction  width  description
//   clock        input          1  everything changes on its rising edge
//   phase_clock  input          1  Rises at the beginning of every phase.
//   sync         input          1  High in phase 0.
//   address      input          1  The address of the node.
//   begin_       output         1  High in the first clock cycle in which the other outputs are
//                                  those of a new phase.
//   phase        output         5  The phase under way, as far as the node knows.
//   dim          output         4  The dimension of the phase.
//   transmit     output         1  The node transmits in this phase, else it receives; low when
//                                  muted.
//   muted        output         1  The node is out of step and must release all pins.
//   slips        output        16  Slips so far; wraps.
////////////////////////////////////////////////////////////////////////////////
module phase_sequencer (
    input  wire        clock,
    input  wire        phase_clock,
    input  wire        sync,
    input  wire        address,
    output wire        begin_,
    output wire [4:0]  phase,
    output wire [3:0]  dim,
    output wire        transmit,
    output wire        muted,
    output wire [15:0] slips
);

    reg        was_high;
    reg        was_high_next;
    reg        began;
    reg        began_next;
    reg        out_of_step;
    reg        out_of_step_next;
    reg [4:0]  phase_count;
    reg [4:0]  phase_count_next;
    reg [15:0] slip_count;
    reg [15:0] slip_count_next;

    reg [4:0] expected;
    reg       address_bit;

    wire tick = phase_clock & !was_high;

    always @* begin
        was_high_next = was_high;
        was_high_next = phase_clock;
    end

    always @* begin
        began_next = began;
        began_next = tick;
    end

    wire [4:0] phase_2 = phase_count;

    always @* begin
        if (phase_2 == 5'd1) begin
            expected = 5'd0;
        end else begin
            expected = (phase_2 + 5'd1) & 5'd1;
        end
    end

    reg in_step;
    always @* begin
        in_step = 1'b0;
        out_of_step_next = out_of_step;
        phase_count_next = phase_count;
        slip_count_next = slip_count;
        if (tick) begin
            in_step = (sync == (expected == 5'd0));
            if (out_of_step) begin
                phase_count_next = 5'd0;
                out_of_step_next = !sync;
            end else begin
                phase_count_next = expected;
                if (!in_step) begin
                    out_of_step_next = 1'b1;
                    slip_count_next = slip_count + 16'd1;
                end
            end
        end
    end

    wire [4:0] dim_2_shifted = phase_2 >> 1;
    wire [3:0] dim_2 = dim_2_shifted[3:0];

    always @* begin
        address_bit = 1'b0;
        if (dim_2 == 4'd0) begin
            address_bit = address;
        end
    end

    assign begin_ = began & !out_of_step;
    assign phase = phase_2;
    assign dim = dim_2;
    assign transmit = !out_of_step & (address_bit == phase_2[0]);
    assign muted = out_of_step;
    assign slips = slip_count;

    initial begin
        was_high    = 1'b0;
        began       = 1'b0;
        out_of_step = 1'b1;
        phase_count = 5'd0;
        slip_count  = 16'd0;
    end

    always @(posedge clock) begin
        was_high    <= was_high_next;
        began       <= began_next;
        out_of_step <= out_of_step_next;
        phase_count <= phase_count_next;
        slip_count  <= slip_count_next;
    end

endmodule

////////////////////////////////////////////////////////////////////////////////
// pin_mux
//
// Connects a node's one UART to the wire of the active dimension.
//
// The wires are open-drain and pulled up: a node pulls a wire low or leaves it
// alone. Every wire but that of `dim` is left alone, always. The pulls and
// `rx` come from flip-flops, so nothing that happens while `dim` changes can
// look like a start bit, and no pull depends on a level within a clock cycle.
// `tx` reaches the wire, and a level reaches `rx`, one clock cycle later.
//
// Parameters
//   DIMS = 1
//
// Ports
//   name   direction  width  description
//   clock  input          1  everything changes on its rising edge
//   dim    input          4  The active dimension; at `DIMS` and above there is none.
//   drive  input          1  The node may pull the active wire; else it listens to it.
//   tx     input          1  The UART's line out, high when idle.
//   rx     output         1  The UART's line in; high while driving or without an active
//                            dimension.
//   level  input          1  The levels of the wires, dimension 0 lowest.
//   pull   output         1  Pull the wire low.
////////////////////////////////////////////////////////////////////////////////
module pin_mux (
    input  wire       clock,
    input  wire [3:0] dim,
    input  wire       drive,
    input  wire       tx,
    output wire       rx,
    input  wire       level,
    output wire       pull
);

    reg pulls;
    reg pulls_next;
    reg heard_low;       // The active wire is low and the node listens.
    reg heard_low_next;

    always @* begin
        pulls_next = 1'b0;
        heard_low_next = 1'b0;
        if (dim == 4'd0) begin
            if (drive) begin
                pulls_next = !tx;
            end else begin
                heard_low_next = !level;
            end
        end
    end

    assign pull = pulls;
    assign rx = !heard_low;

    initial begin
        pulls     = 1'b0;
        heard_low = 1'b0;
    end

    always @(posedge clock) begin
        pulls     <= pulls_next;
        heard_low <= heard_low_next;
    end

endmodule

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

////////////////////////////////////////////////////////////////////////////////
// link_port
//
// A node's port to its links: sequencer, pin mux and UART. It carries bytes; in
// every phase it is either the sender or the receiver on one link.
//
// Parameters
//   DIMS   = 1
//   CLOCKS = 8
//
// Ports
//   name         direction  width  description
//   clock        input          1  everything changes on its rising edge
//   phase_clock  input          1  Rises at the beginning of every phase.
//   sync         input          1  High in phase 0.
//   address      input          1  The address of the node.
//   level        input          1  The levels of the wires, dimension 0 lowest.
//   pull         output         1  Pull the wire low.
//   begin_       output         1  High in the first clock cycle of a phase.
//   phase        output         5  The phase under way.
//   dim          output         4  The dimension of the phase.
//   transmit     output         1  The node transmits in this phase.
//   muted        output         1  The node is out of step with the schedule.
//   slips        output        16  Times it fell out of step.
//   tx_data      input          8  The byte to send.
//   tx_start     input          1  Send it, if `tx_ready`.
//   tx_ready     output         1  A byte would be taken.
//   rx_data      output         8  The byte received.
//   rx_valid     output         1  High for one clock cycle when `rx_data` is a byte.
//   rx_error     output         1  High for one clock cycle when a byte ended without a stop
//                                  bit.
////////////////////////////////////////////////////////////////////////////////
module link_port (
    input  wire        clock,
    input  wire        phase_clock,
    input  wire        sync,
    input  wire        address,
    input  wire        level,
    output wire        pull,
    output wire        begin_,
    output wire [4:0]  phase,
    output wire [3:0]  dim,
    output wire        transmit,
    output wire        muted,
    output wire [15:0] slips,
    input  wire [7:0]  tx_data,
    input  wire        tx_start,
    output wire        tx_ready,
    output wire [7:0]  rx_data,
    output wire        rx_valid,
    output wire        rx_error
);

    wire        sequencer_begin;
    wire [4:0]  sequencer_phase;
    wire [3:0]  sequencer_dim;
    wire        sequencer_transmit;
    wire        sequencer_muted;
    wire [15:0] sequencer_slips;

    wire mux_rx;
    wire mux_pull;

    wire       uart_tx_ready;
    wire       uart_tx;
    wire [7:0] uart_rx_data;
    wire       uart_rx_valid;
    wire       uart_rx_error;

    assign begin_ = sequencer_begin;
    assign phase = sequencer_phase;
    assign dim = sequencer_dim;
    assign transmit = sequencer_transmit;
    assign muted = sequencer_muted;
    assign slips = sequencer_slips;
    assign pull = mux_pull;
    assign tx_ready = uart_tx_ready;
    assign rx_data = uart_rx_data;
    assign rx_valid = uart_rx_valid;
    assign rx_error = uart_rx_error;

    phase_sequencer sequencer (
        .clock       (clock),
        .phase_clock (phase_clock),
        .sync        (sync),
        .address     (address),
        .begin_      (sequencer_begin),
        .phase       (sequencer_phase),
        .dim         (sequencer_dim),
        .transmit    (sequencer_transmit),
        .muted       (sequencer_muted),
        .slips       (sequencer_slips)
    );

    pin_mux mux (
        .clock (clock),
        .dim   (sequencer_dim),
        .drive (sequencer_transmit),
        .tx    (uart_tx),
        .rx    (mux_rx),
        .level (level),
        .pull  (mux_pull)
    );

    uart uart (
        .clock    (clock),
        .tx_data  (tx_data),
        .tx_start (tx_start),
        .tx_ready (uart_tx_ready),
        .tx       (uart_tx),
        .rx       (mux_rx),
        .rx_clear (sequencer_begin),
        .rx_data  (uart_rx_data),
        .rx_valid (uart_rx_valid),
        .rx_error (uart_rx_error)
    );

endmodule

////////////////////////////////////////////////////////////////////////////////
// open_drain_wire
//
// An open-drain wire with a pull-up and two ends.
//
// Ports
//   name    direction  width  description
//   pull_a  input          1  One end pulls the wire low.
//   pull_b  input          1  The other end pulls the wire low.
//   level   output         1  What both ends see: high unless someone pulls.
////////////////////////////////////////////////////////////////////////////////
module open_drain_wire (
    input  wire pull_a,
    input  wire pull_b,
    output wire level
);

    assign level = !(pull_a | pull_b);

endmodule

////////////////////////////////////////////////////////////////////////////////
// link
//
// The 1-cube: two nodes' ports, the wire between them and the phase clock.
//
// Bit 0 of a two-bit word belongs to node 0, bit 1 to node 1; so do the bytes
// of a 16-bit word.
//
// Parameters
//   CLOCKS = 8
//
// Ports
//   name      direction  width  description
//   clock     input          1  everything changes on its rising edge
//   enable    input          1  Run the schedule.
//   divider   input         16  Clock cycles in half a phase, less one.
//   phase     output         5  The phase under way.
//   begin_    output         2  High in the first clock cycle of a phase.
//   transmit  output         2  The node transmits in this phase.
//   tx_data   input         16  The bytes to send.
//   tx_start  input          2  Send it, if `tx_ready`.
//   tx_ready  output         2  A byte would be taken.
//   rx_data   output        16  The bytes received.
//   rx_valid  output         2  High for one clock cycle when `rx_data` holds a byte of the
//                               node.
//   rx_error  output         2  High for one clock cycle when a byte ended without a stop bit.
//   level     output         1  The level of the wire.
////////////////////////////////////////////////////////////////////////////////
module link (
    input  wire        clock,
    input  wire        enable,
    input  wire [15:0] divider,
    output wire [4:0]  phase,
    output reg  [1:0]  begin_,
    output reg  [1:0]  transmit,
    input  wire [15:0] tx_data,
    input  wire [1:0]  tx_start,
    output reg  [1:0]  tx_ready,
    output wire [15:0] rx_data,
    output reg  [1:0]  rx_valid,
    output reg  [1:0]  rx_error,
    output wire        level
);

    wire        phases_phase_clock;
    wire        phases_sync;
    wire [4:0]  phases_phase;
    wire [15:0] phases_frame;

    wire        nodes_0_level;
    wire        nodes_0_pull;
    wire        nodes_0_begin;
    wire [4:0]  nodes_0_phase;
    wire [3:0]  nodes_0_dim;
    wire        nodes_0_transmit;
    wire        nodes_0_muted;
    wire [15:0] nodes_0_slips;
    wire [7:0]  nodes_0_tx_data;
    wire        nodes_0_tx_start;
    wire        nodes_0_tx_ready;
    wire [7:0]  nodes_0_rx_data;
    wire        nodes_0_rx_valid;
    wire        nodes_0_rx_error;

    wire        nodes_1_level;
    wire        nodes_1_pull;
    wire        nodes_1_begin;
    wire [4:0]  nodes_1_phase;
    wire [3:0]  nodes_1_dim;
    wire        nodes_1_transmit;
    wire        nodes_1_muted;
    wire [15:0] nodes_1_slips;
    wire [7:0]  nodes_1_tx_data;
    wire        nodes_1_tx_start;
    wire        nodes_1_tx_ready;
    wire [7:0]  nodes_1_rx_data;
    wire        nodes_1_rx_valid;
    wire        nodes_1_rx_error;

    wire line_pull_a;
    wire line_pull_b;
    wire line_level;

    assign phase = phases_phase;
    assign nodes_0_level = line_level;
    assign nodes_0_tx_data = tx_data[7:0];
    assign nodes_0_tx_start = tx_start[0];
    assign nodes_1_level = line_level;
    assign nodes_1_tx_data = tx_data[15:8];
    assign nodes_1_tx_start = tx_start[1];

    always @* begin
        begin_ = 2'd0;
        begin_[0] = nodes_0_begin;
        begin_[1] = nodes_1_begin;
    end

    always @* begin
        transmit = 2'd0;
        transmit[0] = nodes_0_transmit;
        transmit[1] = nodes_1_transmit;
    end

    always @* begin
        tx_ready = 2'd0;
        tx_ready[0] = nodes_0_tx_ready;
        tx_ready[1] = nodes_1_tx_ready;
    end

    always @* begin
        rx_valid = 2'd0;
        rx_valid[0] = nodes_0_rx_valid;
        rx_valid[1] = nodes_1_rx_valid;
    end

    always @* begin
        rx_error = 2'd0;
        rx_error[0] = nodes_0_rx_error;
        rx_error[1] = nodes_1_rx_error;
    end

    assign rx_data = {8'd0, nodes_0_rx_data} | ({8'd0, nodes_1_rx_data} << 8);
    assign line_pull_a = nodes_0_pull;
    assign line_pull_b = nodes_1_pull;
    assign level = line_level;

    phase_clock_ phases (
        .clock       (clock),
        .enable      (enable),
        .divider     (divider),
        .phase_clock (phases_phase_clock),
        .sync        (phases_sync),
        .phase       (phases_phase),
        .frame       (phases_frame)
    );

    link_port nodes_0 (
        .clock       (clock),
        .phase_clock (phases_phase_clock),
        .sync        (phases_sync),
        .address     (1'b0),
        .level       (nodes_0_level),
        .pull        (nodes_0_pull),
        .begin_      (nodes_0_begin),
        .phase       (nodes_0_phase),
        .dim         (nodes_0_dim),
        .transmit    (nodes_0_transmit),
        .muted       (nodes_0_muted),
        .slips       (nodes_0_slips),
        .tx_data     (nodes_0_tx_data),
        .tx_start    (nodes_0_tx_start),
        .tx_ready    (nodes_0_tx_ready),
        .rx_data     (nodes_0_rx_data),
        .rx_valid    (nodes_0_rx_valid),
        .rx_error    (nodes_0_rx_error)
    );

    link_port nodes_1 (
        .clock       (clock),
        .phase_clock (phases_phase_clock),
        .sync        (phases_sync),
        .address     (1'b1),
        .level       (nodes_1_level),
        .pull        (nodes_1_pull),
        .begin_      (nodes_1_begin),
        .phase       (nodes_1_phase),
        .dim         (nodes_1_dim),
        .transmit    (nodes_1_transmit),
        .muted       (nodes_1_muted),
        .slips       (nodes_1_slips),
        .tx_data     (nodes_1_tx_data),
        .tx_start    (nodes_1_tx_start),
        .tx_ready    (nodes_1_tx_ready),
        .rx_data     (nodes_1_rx_data),
        .rx_valid    (nodes_1_rx_valid),
        .rx_error    (nodes_1_rx_error)
    );

    open_drain_wire line (
        .pull_a (line_pull_a),
        .pull_b (line_pull_b),
        .level  (line_level)
    );

endmodule

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
//   DIMS = 3
//
// Ports
//   name         direction  width  description
//   clock        input          1  everything changes on its rising edge
//   phase_clock  input          1  Rises at the beginning of every phase.
//   sync         input          1  High in phase 0.
//   address      input          3  The address of the node.
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
    input  wire [2:0]  address,
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
        if (phase_2 == 5'd5) begin
            expected = 5'd0;
        end else begin
            expected = (phase_2 + 5'd1) & 5'd7;
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
            address_bit = address[0];
        end
        if (dim_2 == 4'd1) begin
            address_bit = address[1];
        end
        if (dim_2 == 4'd2) begin
            address_bit = address[2];
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

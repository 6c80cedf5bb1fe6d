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
//   DIMS = 3
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
            if (phase_count == 5'd5) begin
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

// The peak after a sample.
module proof (
    input wire       clock,
    input wire       reset,
    input wire       valid,
    input wire [7:0] value
);
    wire [11:0] sum;
    wire [7:0]  peak;

    level_meter dut (
        .clock(clock), .reset(reset), .samples_valid(valid), .samples_value(value),
        .sum(sum), .peak(peak)
    );

    wire [7:0] level = value[7] ? -value : value;
    reg        was_valid = 0;
    reg  [7:0] last;
    always @(posedge clock) begin
        was_valid <= valid && !reset;
        last      <= level;
    end

    always @(*) if (was_valid) peak_follows: assert (peak >= last);
endmodule

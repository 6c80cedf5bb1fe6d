// Counts the steps of the Collatz sequence from `number` to 1: half of an even number, three times
// an odd one plus one.
module collatz #(parameter WIDTH = 32) (
    input clk,
    input start,
    input [WIDTH-1:0] number,
    output reg [15:0] steps,
    output done
);
    reg [WIDTH-1:0] value;

    assign done = value == 1;

    always @(posedge clk)
        if (start) begin
            value <= number;
            steps <= 0;
        end else if (value > 1) begin
            value <= value[0] ? value + (value << 1) + 1 : value >> 1;
            steps <= steps + 1;
        end
endmodule

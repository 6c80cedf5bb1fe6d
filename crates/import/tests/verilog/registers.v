// Every kind of register.
module registers #(parameter W = 9) (
    input clk,
    input rst,
    input en,
    input clear,
    input [W-1:0] d,
    output reg [W-1:0] plain,
    output reg [W-1:0] enabled,
    output reg [W-1:0] reset,
    output reg [W-1:0] reset_low,
    output reg [W-1:0] enabled_reset,
    output reg [W-1:0] reset_if_enabled,
    output reg [W-1:0] asynchronous,
    output reg [W-1:0] asynchronous_enabled,
    output reg [W-1:0] started,
    output reg [W-1:0] partly,
    output reg [W-1:0] count
);
    initial started = 5;
    initial count = {W{1'b1}};
    always @(posedge clk) begin
        plain <= d;
        if (en) enabled <= d;
        if (rst) reset <= 3; else reset <= d;
        if (!rst) reset_low <= 4; else reset_low <= d;
        if (rst) enabled_reset <= 1; else if (en) enabled_reset <= d;
        if (en) begin
            if (rst) reset_if_enabled <= 2; else reset_if_enabled <= d;
        end
        started <= started ^ d;
        if (en) partly[W/2:0] <= d[W/2:0];
        if (clear) partly[W-1:W/2] <= 0;
        count <= count + 1;
    end
    always @(posedge clk or posedge rst)
        if (rst) asynchronous <= 6; else asynchronous <= d + asynchronous;
    always @(posedge clk or negedge en)
        if (!en) asynchronous_enabled <= 1; else if (clear) asynchronous_enabled <= d;
endmodule

// The falling edge is the active one.
module falling (input clk, input [3:0] d, output reg [3:0] q, output reg [3:0] sum);
    initial sum = 1;
    always @(negedge clk) begin
        q <= d;
        sum <= sum + d;
    end
endmodule

// An asynchronous reset above an asynchronous set. Simulators see only the edges of both, so the set
// begins when the reset ends.
module set_and_clear (input clk, input rst, input set, input [3:0] d, output reg [3:0] q, output reg [3:0] mixed);
    wire sets = set && !rst;
    always @(posedge clk or posedge rst or posedge sets)
        if (rst) q <= 0; else if (sets) q <= 15; else q <= d + q;
    always @(posedge clk or posedge rst or posedge sets)
        if (rst) mixed <= 4'b0011; else if (sets) mixed <= 4'b0101; else mixed <= d;
endmodule

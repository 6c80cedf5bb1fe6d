// The pin mux of a node, for any inputs from one clock cycle to the next.
//
// DIMS: wires, 1 to 16.
module proof (
    input wire            clock,
    input wire [3:0]      dim,
    input wire            drive,
    input wire            tx,
    input wire [DIMS-1:0] level
);
    parameter DIMS = `DIMS;

    wire            rx;
    wire [DIMS-1:0] pull;

    pin_mux dut (
        .clock(clock), .dim(dim), .drive(drive), .tx(tx), .rx(rx),
        .level(level), .pull(pull)
    );

    // Inputs of the mux one clock cycle ago; none before the first clock cycle.
    reg            past = 0;
    reg [3:0]      past_dim;
    reg            past_drive, past_tx;
    reg [DIMS-1:0] past_level;
    always @(posedge clock) begin
        past       <= 1;
        past_dim   <= dim;
        past_drive <= drive;
        past_tx    <= tx;
        past_level <= level;
    end

    wire past_active = past_dim < DIMS;
    wire listened_low = past && past_active && !past_drive && !past_level[past_dim];

    integer d;
    always @* begin
        // At most one wire is pulled.
        one_hot: assert ((pull & (pull - 1'b1)) == 0);
        for (d = 0; d < DIMS; d = d + 1) begin
            // A wire is pulled if and only if it was the active one, the node drove, and the UART was low.
            assert (pull[d] == (past && past_dim == d && past_drive && !past_tx));
        end
        // The UART receives the active wire, otherwise a high line.
        received: assert (rx == !listened_low);
    end
endmodule

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
//   DIMS = 4
//
// Ports
//   name   direction  width  description
//   clock  input          1  everything changes on its rising edge
//   dim    input          4  The active dimension; at `DIMS` and above there is none.
//   drive  input          1  The node may pull the active wire; else it listens to it.
//   tx     input          1  The UART's line out, high when idle.
//   rx     output         1  The UART's line in; high while driving or without an active
//                            dimension.
//   level  input          4  The levels of the wires, dimension 0 lowest.
//   pull   output         4  Pull the wire low.
////////////////////////////////////////////////////////////////////////////////
module pin_mux (
    input  wire       clock,
    input  wire [3:0] dim,
    input  wire       drive,
    input  wire       tx,
    output wire       rx,
    input  wire [3:0] level,
    output wire [3:0] pull
);

    reg [3:0] pulls;
    reg [3:0] pulls_next;
    reg       heard_low;       // The active wire is low and the node listens.
    reg       heard_low_next;

    always @* begin
        pulls_next = 4'd0;
        heard_low_next = 1'b0;
        if (dim == 4'd0) begin
            if (drive) begin
                pulls_next = 4'd0;
                pulls_next[0] = !tx;
            end else begin
                heard_low_next = !level[0];
            end
        end
        if (dim == 4'd1) begin
            if (drive) begin
                pulls_next = 4'd0;
                pulls_next[1] = !tx;
            end else begin
                heard_low_next = !level[1];
            end
        end
        if (dim == 4'd2) begin
            if (drive) begin
                pulls_next = 4'd0;
                pulls_next[2] = !tx;
            end else begin
                heard_low_next = !level[2];
            end
        end
        if (dim == 4'd3) begin
            if (drive) begin
                pulls_next = 4'd0;
                pulls_next[3] = !tx;
            end else begin
                heard_low_next = !level[3];
            end
        end
    end

    assign pull = pulls;
    assign rx = !heard_low;

    initial begin
        pulls     = 4'd0;
        heard_low = 1'b0;
    end

    always @(posedge clock) begin
        pulls     <= pulls_next;
        heard_low <= heard_low_next;
    end

endmodule

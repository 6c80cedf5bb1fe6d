// The node around its forwarder: what it says of the destination that the forwarder asks about.
//
// LINKS: of the node. BITS: of its address. CROSS: 0 for a cube; 1 for a metacube with two classes, whose
// highest link is the cross edge and whose highest bit of address the class.
module proof (
    input wire             clock,
    input wire             begin_,
    input wire [3:0]       dim,
    input wire             transmit,
    input wire             mute,
    input wire [BITS-1:0]  address,
    input wire [LINKS-1:0] level,
    input wire             hang,
    input wire             host_valid,
    input wire [7:0]       host_data
);
    parameter LINKS = `LINKS, BITS = `BITS, CROSS = `CROSS;
    // The links within a cluster, and the bits of a field.
    localparam FIELD = LINKS - CROSS;
    scheduled_node dut (
        .clock(clock), .begin_(begin_), .dim(dim), .transmit(transmit), .mute(mute), .address(address),
        .level(level), .hang(hang), .host_valid(host_valid), .host_data(host_data)
    );
    (* of = "dut.forwarder_destination" *) wire [15:0] destination;
    (* of = "dut.forwarder_home" *) wire home;
    (* of = "dut.forwarder_wanted" *) wire wanted;

    // The lowest bit in which the own field differs. If that field is right, the cross edge.
    wire [BITS-1:0]  differ = destination[BITS-1:0] ^ address;
    wire [FIELD-1:0] own = differ >> (CROSS && address[BITS-1] ? FIELD : 0);
    wire [15:0]      below = (16'd1 << dim) - 16'd1;
    wire             within = dim < FIELD && own[dim] && (own & below) == 0;
    wire             crosses = CROSS && dim == FIELD && own == 0 && differ != 0;
    always @* begin
        at_home: assert (home == (differ == 0));
        next: assert (wanted == (within || crosses));
    end
endmodule
